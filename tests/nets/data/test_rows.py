"""The rows that families are compared on: read once, without gaps, with their weights."""

import numpy as np
import pandas as pd
import pytest

from deciban.errors import InputError, MissingValueError, ParameterError
from deciban.nets.data.rows import read_rows


def test_gaps_are_an_error_or_leave_their_rows_out():
    table = {"rain": ["no", None, "yes", "no"], "wet": ["no", "yes", "yes", None]}
    with pytest.raises(MissingValueError, match=r"'rain' has a missing value \(row 1\).*missing=\"drop\""):
        read_rows(table)
    rows = read_rows(table, [1.0, 2.0, 3.0, 4.0], missing="drop")
    assert (len(rows.table), rows.weights.tolist(), rows.dropped, rows.total) == (2, [1.0, 3.0], 2, 4.0)
    with pytest.raises(ParameterError, match="missing is"):
        read_rows(table, missing="skip")


def test_rows_without_weight_are_not_there():
    """Not even their states: a parameter for a state that no row has would be paid for and never used."""
    rows = read_rows(pd.DataFrame({"a": ["x", "y", "z"]}), [1.0, 0.0, 2.0])
    assert len(rows.columns[0].variable()) == 2 and rows.total == 3.0 and rows.dropped == 0


def test_columns_come_in_the_order_of_names():
    assert [column.name for column in read_rows({"b": [1, 2], "a": [1, 2]}).columns] == ["a", "b"]


def test_what_is_no_table_of_rows_is_said():
    with pytest.raises(InputError, match="not of one length"):
        read_rows({"a": [1], "b": [1, 2]})
    with pytest.raises(InputError, match="two columns"):
        read_rows(pd.DataFrame(np.zeros((2, 2)), columns=["a", "a"]))
    with pytest.raises(InputError, match=r"sum to 0\.5"):
        read_rows({"a": [1, 2]}, [0.25, 0.25])
