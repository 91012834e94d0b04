"""Columns of any kind get states and codes."""

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from deciban.errors import ColumnMismatchError, InputError
from deciban.read import MISSING, read_table
from deciban.read.frame import column_names


def codes(table):
    return table.codes(tuple(column.variable() for column in table.columns)).tolist()


def test_every_kind_of_missing_value_is_missing():
    frame = pd.DataFrame({"a": ["x", None, "y"], "b": [1.5, np.nan, 2.5], "c": pd.array([1, None, 2], dtype="Int64")})
    assert codes(read_table(frame)) == [[0, 0, 0], [MISSING] * 3, [1, 1, 1]]
    times = pd.DataFrame({"t": [pd.Timestamp("2020-01-01"), pd.NaT]})
    assert codes(read_table(times)) == [[0], [MISSING]]
    assert codes(read_table(pd.DataFrame({"n": np.array(["x", pd.NA, float("nan")], dtype=object)}))) == [
        [0],
        [-1],
        [-1],
    ]


def test_dates_and_booleans_are_labels():
    table = read_table(pa.table({"d": [dt.date(2020, 1, 2), dt.date(2020, 1, 1)], "b": [True, False]}))
    assert codes(table) == [[1, 1], [0, 0]]


def test_lists_keep_the_types_of_their_cells():
    table = read_table([[1, "a"], [2, "b"]])
    assert [column.variable().labels.tolist() for column in table.columns] == [[1, 2], ["a", "b"]]


def test_chunks_with_their_own_dictionaries_are_one_column():
    chunks = pa.chunked_array([pa.array(["b", "a"]).dictionary_encode(), pa.array(["c", "a"]).dictionary_encode()])
    assert codes(read_table(pa.table({"x": chunks}))) == [[1], [0], [2], [0]]


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view()])
@pytest.mark.parametrize("late", [1, 500, 30_000])
def test_labels_that_come_late_are_states_too(kind, late):
    rng = np.random.default_rng(late)
    values = [f"s{v}" for v in rng.integers(0, 5, 3_000)] + [f"t{v}" for v in rng.integers(0, late, 30_000)]
    values[7] = values[3_500] = None
    parts = pa.chunked_array([values[:2_500], values[2_500:]], type=kind)
    first, second = read_table(pa.table({"a": parts, "b": pa.array(values, kind)})).columns
    for column in (first, second):
        assert [column.value(row) for row in range(len(values))] == values
        assert column.occurring().all()
    assert first.states.tolist() == second.states.tolist()


def test_unused_categories_do_not_occur():
    table = read_table(pd.DataFrame({"x": pd.Categorical(["b", "b"], categories=["a", "b"])}))
    assert table.columns[0].variable().labels.tolist() == ["b"]


def test_types_declare_states():
    declared = pd.Categorical(["b", "b"], categories=["c", "b", "a"])
    frame = pd.DataFrame({"x": declared, "y": ["b", "a"]})
    assert [column.is_declared for column in read_table(frame).columns] == [True, False]
    levels = pl.DataFrame(
        {"x": pl.Series(["b"], dtype=pl.Enum(["c", "b"])), "y": pl.Series(["b"], dtype=pl.Categorical)}
    )
    assert [column.is_declared for column in read_table(levels).columns] == [True, False]
    assert read_table(levels).columns[0].states.tolist() == ["c", "b"]


def test_only_some_columns_are_read():
    frame = pa.table({"a": [1], "when": [[dt.date(2020, 1, 1)]], "b": ["x"]})
    assert read_table(frame, only={"b", "a", "z"}).names == ("a", "b")
    assert column_names(frame) == ("a", "when", "b")


def test_errors():
    table = read_table({"a": [1], "b": [2]})
    with pytest.raises(ColumnMismatchError, match=r"there is no column 'c'. Known are 'a', 'b'"):
        table.without("c")
    with pytest.raises(InputError, match="0 sample"):
        read_table(pa.table({"a": pa.array([], pa.string())}))


def test_columns_that_were_read_make_a_table():
    """Rows that were chosen from a table that was read are fitted without being written out and read again."""
    (column,) = read_table({"sky": ["sun", None, "rain"]}).columns
    (again,) = read_table({"weather": column.take(np.array([2, 1]))}).columns
    assert (again.name, again.value(0), again.value(1)) == ("weather", "rain", None)
