"""A value is the same state whatever type its column has: 1 counted as 1.0 is one state, not two."""

import numpy as np
import pandas as pd
import pytest

from deciban.nets.data.coding import UNKNOWN, listed, state_codes
from deciban.read import read_table

COLUMNS = [
    [1, 0, 2, 1],
    np.array([1, 0, 2, 1], dtype=np.int8),
    [1.0, 0.0, 2.0, 1.0],
    pd.Series([1, 0, 2, 1], dtype="Int64"),
    pd.Categorical([1, 0, 2, 1]),
    pd.Series([1, 0, 2, 1], dtype=object),
]


@pytest.mark.parametrize("values", COLUMNS, ids=lambda values: str(getattr(values, "dtype", type(values[0]))))
def test_numbers_of_any_type_are_the_same_states(values):
    (column,) = read_table(pd.DataFrame({"a": values})).columns
    assert state_codes(column, (2, 1)).tolist() == [1, UNKNOWN, 0, 1]


def test_gaps_are_no_state_even_where_none_is_one():
    (column,) = read_table(pd.DataFrame({"a": ["x", None, "y"]})).columns
    assert state_codes(column, ("y", None, "x")).tolist() == [2, -1, 0]


def test_few_states_are_all_listed():
    assert listed(("a", 1)) == "'a', 1"
