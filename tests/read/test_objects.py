"""Cells that are Python objects: numbers stay numbers, a bool is a label, and no whole number is rounded."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from deciban.errors import InputError
from deciban.read.column import EXACT, from_objects


@pytest.mark.parametrize(
    ("values", "expected", "is_whole"),
    [
        ([1, None, 3], [1.0, np.nan, 3.0], True),
        ([1, 2], [1, 2], True),
        ([Decimal("0.5"), Fraction(1, 4), 2], [0.5, 0.25, 2.0], False),
        ([np.float32(0.5), pd.NA], [0.5, np.nan], False),
        ([2**63, 1], [2**63, 1], True),
    ],
    ids=str,
)
def test_numbers(values, expected, is_whole):
    found, whole = from_objects(values)
    assert found.dtype.kind in "iuf" and whole is is_whole
    np.testing.assert_array_equal(found, np.array(expected))


@pytest.mark.parametrize(
    "values", [[True, False], [1, "a"], ["a", None], [EXACT + 1, None], [2**64, 1], [(1, 2)]], ids=str
)
def test_labels(values):
    found, whole = from_objects(values)
    assert found.dtype == object and not whole
    assert found.tolist() == values


def test_complex_numbers_are_refused():
    with pytest.raises(InputError, match="Complex data not supported"):
        from_objects([1j])
