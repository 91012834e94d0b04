"""The classes of a table in a database."""

import datetime

import duckdb
import numpy as np
import pytest

import deciban as db
from deciban.engines.sql.classes import Classes
from deciban.engines.sql.sets import SetCounts
from deciban.errors import InputError, SourceError


@pytest.mark.parametrize(
    ("query", "labels"),
    [
        ("SELECT 'a' AS x, unnest([3, 1, 3]) AS y", [1, 3]),
        ("SELECT 'a' AS x, unnest([true, false]) AS y", [False, True]),
        ("SELECT 'a' AS x, unnest([1.0::DOUBLE, 2.0]) AS y", [1.0, 2.0]),
        ("SELECT 'a' AS x, unnest([DATE '2020-01-02']) AS y", [datetime.date(2020, 1, 2)]),
    ],
)
def test_labels_have_the_types_that_they_have_in_memory(query, labels):
    connection = duckdb.connect()
    found = db.tally(connection, query, target="y")
    assert found.classes.labels.tolist() == labels
    in_memory = db.tally(connection.sql(query).to_arrow_table(), target="y")
    assert found == in_memory and found.classes.labels.dtype.kind == in_memory.classes.labels.dtype.kind


@pytest.mark.parametrize("missing", ["NULL", "'nan'::DOUBLE"])
def test_every_row_needs_a_label(missing):
    with pytest.raises(InputError, match=r"Input y contains NaN or None \(column 'y'\)"):
        db.tally(duckdb.connect(), f"SELECT 'a' AS x, unnest([1.0::DOUBLE, {missing}]) AS y", target="y")


def test_a_target_of_fractions_is_no_label():
    with pytest.raises(InputError, match="Unknown label type"):
        db.tally(duckdb.connect(), "SELECT 'a' AS x, unnest([1.5::DOUBLE, 2.5]) AS y", target="y")


def test_counts_of_other_rows_are_refused():
    classes = Classes("y", ["p", "q"], np.array([2, 1]))
    assert classes.count("x", SetCounts((["p", "q"], ["a", "a"]), np.array([2, 1]))).table.tolist() == [[2], [1]]
    for labels, counts in ((["p", "q"], [2, 2]), (["p", "r"], [2, 1])):
        with pytest.raises(SourceError, match="changed while they were counted"):
            classes.count("x", SetCounts((labels, ["a", "a"]), np.array(counts)))
