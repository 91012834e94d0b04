"""Rows as every function of nets reads them: their weights, and what becomes of missing values."""

import pandas as pd
import pytest

from deciban.errors import ColumnMismatchError, InputError, MissingValueError, ParameterError
from deciban.nets.data.node_rows import read_rows
from deciban.read import MISSING_LABEL

TABLE = {"rain": ["no", None, "yes", "no"], "wet": ["no", "yes", "yes", None]}
ALL = ("error", "skip", "drop", "state", "em")


def test_missing_values_are_an_error_or_leave_their_rows_out():
    with pytest.raises(MissingValueError, match=r"'rain' has a missing value \(row 1\).*missing=\"drop\""):
        read_rows(TABLE, choices=("error", "drop"))
    rows = read_rows(TABLE, sample_weight=[1.0, 2.0, 3.0, 4.0], missing="drop", choices=ALL)
    assert (len(rows), rows.sample_weight.tolist(), rows.dropped) == (2, [1.0, 3.0], 2)
    with pytest.raises(ParameterError, match="missing is"):
        read_rows(TABLE, missing="skip", choices=("error", "drop"))


def test_missing_values_stay_or_become_a_state():
    for missing in ("skip", "em"):
        rows = read_rows(TABLE, missing=missing, choices=ALL)
        assert len(rows) == 4 and rows.columns["rain"].is_missing.tolist() == [False, True, False, False]
    rows = read_rows(TABLE, missing="state", choices=ALL)
    assert rows.columns["rain"].value(1) is MISSING_LABEL and not rows.columns["rain"].has_missing


def test_rows_without_weight_are_not_there():
    """Not even their states: a parameter for a state that no row has would be paid for and never used."""
    rows = read_rows(pd.DataFrame({"a": ["x", "y", "z"]}), sample_weight=[1.0, 0.0, 2.0])
    assert len(rows.columns["a"].variable()) == 2 and rows.sample_weight.sum() == 3.0 and rows.dropped == 0
    with pytest.raises(InputError, match="every weight is 0"):
        read_rows({"a": [1, 2]}, sample_weight=0)


def test_lost_columns_are_named():
    with pytest.raises(ColumnMismatchError, match="no column 'snow'; it has rain, wet"):
        read_rows(TABLE, ["rain", "snow"], missing="drop", choices=ALL)
    with pytest.raises(
        ColumnMismatchError, match=r"no column for 2 of the nodes: 'snow', 'ice'; it has rain, wet\. Ask"
    ):
        read_rows(TABLE, ["snow", "ice"], hint=" Ask.")
    assert read_rows(TABLE, ["wet", "snow"], missing="drop", choices=ALL, may_lack=["snow"]).absent == ("snow",)


def test_what_is_no_table_of_rows_is_said():
    with pytest.raises(InputError, match="not of one length"):
        read_rows({"a": [1], "b": [1, 2]})
    with pytest.raises(MissingValueError, match="every row is missing"):
        read_rows({"a": [1, 2], "b": [None, None]}, missing="drop", choices=ALL)
