"""A misspelt option is answered with the options there are, and numbers come with the right noun."""

import pytest

from deciban.choices import check_choice, counted
from deciban.errors import ParameterError


def test_a_choice_is_taken_and_anything_else_is_refused_with_a_hint():
    check_choice("method", "hc", ["hc", "tabu"])
    with pytest.raises(ParameterError, match=r"method is one of 'hc', 'tabu', not 'tabo'. Did you mean 'tabu'\?"):
        check_choice("method", "tabo", ["hc", "tabu"])
    with pytest.raises(ParameterError, match=r"one of 'hc' or a function, not 3\.$"):
        check_choice("method", 3, ["hc"], other=" or a function")


def test_one_is_singular():
    assert [counted(n, "edge") for n in (0, 1, 2000)] == ["0 edges", "1 edge", "2,000 edges"]
    assert counted(2, "vertex", "vertices") == "2 vertices"
