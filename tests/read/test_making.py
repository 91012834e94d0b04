"""A frame that is given back is the frame that came, with nothing lost but the gaps."""

import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from deciban.errors import DecibanError, ParameterError
from deciban.read.frame import make_frame, with_columns
from deciban.read.table import take_rows


def test_columns_keep_their_types_and_their_order():
    frame = pl.DataFrame({"a": [1, None], "b": ["x", None]}, schema={"a": pl.Int16, "b": pl.Categorical})
    filled = with_columns(frame, {"a": [1, 2], "b": ["x", "x"], "c": [True, False]})
    assert dict(filled.schema) == {"a": pl.Int16, "b": pl.Categorical, "c": pl.Boolean}
    assert filled["a"].to_list() == [1, 2] and frame["a"].to_list() == [1, None], "what came is not changed"
    assert with_columns(pa.table({"a": ["x", None]}), {"a": ["x", "y"]})["a"].to_pylist() == ["x", "y"]


def test_values_that_do_not_fit_decide_the_type():
    frame = pd.DataFrame({"a": [1, 2], "b": [1.0, None]})
    filled = with_columns(frame, {"a": ["x", "y"], "b": [1, 2]})
    assert filled["a"].tolist() == ["x", "y"] and filled["b"].tolist() == [1, 2]


def test_what_speaks_arrow_becomes_an_arrow_table():
    class Speaks:
        def __arrow_c_stream__(self, requested_schema=None):
            return pa.table({"a": ["x", None]}).__arrow_c_stream__(requested_schema)

    assert with_columns(Speaks(), {"a": ["x", "y"]})["a"].to_pylist() == ["x", "y"]


def test_a_library_that_is_not_there(monkeypatch):
    monkeypatch.setitem(sys.modules, "modin", None)
    with pytest.raises(DecibanError, match="modin is not installed"):
        make_frame({"a": [1]}, "modin")
    with pytest.raises(ParameterError, match="'spreadsheet'"):
        make_frame({"a": [1]}, "spreadsheet")


@pytest.mark.parametrize(
    "make", [dict, pd.DataFrame, pl.DataFrame, pa.table], ids=["dict", "pandas", "polars", "arrow"]
)
def test_some_rows_of_a_table_are_a_table_of_the_same_kind(make):
    table = make({"a": [1, 2, 3], "b": ["x", "y", "z"]})
    some = take_rows(table, np.array([2, 0]))
    assert type(some) is type(table)
    assert list(some["a"]) == [3, 1] or some["a"].to_pylist() == [3, 1]


@pytest.mark.parametrize("make", [list, np.array, pd.Series, pl.Series, pa.array])
def test_some_values_of_a_column_are_a_column_of_the_same_kind(make):
    assert take_rows(make(["x", "y", "z"]), np.array([2, 0])).__class__ is make(["x"]).__class__
