"""The type of a column decides whether it is counted or measured."""

import sqlite3

import duckdb
import pytest

import deciban as db
from deciban.engines.sql.database import open_database
from deciban.engines.sql.table import describe, parse_source
from deciban.errors import ColumnMismatchError, SourceError
from deciban.tallies import Counts, Moments


def kinds(connection, query):
    database, text = open_database(connection, query)
    return dict(describe(database, parse_source(text, database.dialect)).kinds)


def test_types_of_duckdb():
    query = """SELECT 1::FLOAT AS f, 1::DOUBLE AS d, 1.5::DECIMAL(5, 2) AS m, 1::TINYINT AS i, 1::HUGEINT AS h,
                      'a' AS t, true AS b, DATE '2020-01-01' AS e, 'u'::ENUM('u', 'v') AS n"""
    found = kinds(duckdb.connect(), query)
    assert {name for name, kind in found.items() if kind == "number"} == {"f", "d", "m"}


def lite(declared, values):
    connection = sqlite3.connect(":memory:")
    connection.execute(f"CREATE TABLE t (x {declared}, y TEXT)")
    connection.executemany("INSERT INTO t VALUES (?, 'p')", [(value,) for value in values])
    return connection


@pytest.mark.parametrize(
    ("declared", "values", "kind"),
    [
        ("REAL", [1, 2.5, None], "number"),
        ("REAL", [1, 2], "number"),  # stored as 1.0 and 2.0
        ("DOUBLE PRECISION", [None], "number"),
        ("DECIMAL(8, 2)", [1, 2], "number"),
        ("NUMERIC", [1.5, 2], "number"),
        ("INTEGER", [1, None], "label"),
        ("BOOLEAN", [True, False], "label"),
        ("TEXT", ["a", None], "label"),
        ("DATE", ["2020-01-01"], "label"),
        ("BLOB", [b"a"], "label"),
        ("", [1, 2], "label"),
        ("", [1, 2.5], "number"),
        ("", ["a"], "label"),
        ("", [None], "label"),
    ],
)
def test_the_declared_type_decides_in_sqlite_and_else_the_values(declared, values, kind):
    assert kinds(lite(declared, values), "t")["x"] == kind


@pytest.mark.parametrize(
    ("declared", "values", "why"),
    [
        ("", [1, "a"], "integer and text"),
        ("", [1.5, "a"], "real and text"),
        ("", ["a", b"a"], "blob and text"),
        ("REAL", [1.5, "n/a"], "real and text"),
        ("REAL", ["n/a"], "numbers and text"),
        ("INTEGER", [1, 1.5], "declared INTEGER and holds fractions"),
    ],
)
def test_columns_of_several_types_are_refused(declared, values, why):
    with pytest.raises(SourceError, match=rf"column 'x' .*{why}.* CAST it"):
        db.tally(lite(declared, values), "t", target="y")


def test_a_cast_makes_the_type_of_a_query():
    connection = lite("", [1, "2"])
    parts = db.tally(connection, "SELECT CAST(x AS REAL) AS x, y FROM t", target="y").parts
    assert isinstance(parts[0], Moments) and parts[0].mean[0, 0] == 1.5
    parts = db.tally(connection, "SELECT CAST(x AS TEXT) AS x, y FROM t", target="y").parts
    assert isinstance(parts[0], Counts) and parts[0].variable.labels.tolist() == ["1", "2"]


def test_a_query_without_the_target_names_the_closest_column():
    connection = duckdb.connect()
    for options in ({"target": "clas"}, {"target": "class", "sample_weight": "cass"}):
        with pytest.raises(ColumnMismatchError, match="Did you mean 'class'"):
            db.tally(connection, "SELECT 1 AS x, 'p' AS class", **options)


def test_no_rows_are_an_error(connection):
    with pytest.raises(SourceError, match="no rows"):
        db.tally(connection, "SELECT 1.5 AS x, 'p' AS y WHERE 1 = 0", target="y")
