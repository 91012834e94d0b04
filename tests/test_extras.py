"""Optional packages."""

import math

import pytest

from deciban.errors import MissingExtraError
from deciban.extras import need


def test_an_installed_module_is_imported():
    assert need("math", "plot", "a sum") is math


def test_a_missing_module_names_the_extra():
    with pytest.raises(MissingExtraError, match=r"scoring in SQL needs no_such_module: pip install 'deciban\[sql\]'"):
        need("no_such_module.inner", "sql", "scoring in SQL")
