"""Limits: a service without them can be stopped by one request."""

import pytest

from deciban.errors import ParameterError
from deciban.serve.limits import Limits


def test_limits_are_positive():
    assert Limits(rows=1).rows == 1
    for wrong in ({"rows": 0}, {"seconds": -1.0}, {"body": 0}):
        with pytest.raises(ParameterError, match=f"limit '{next(iter(wrong))}' is above 0"):
            Limits(**wrong)
