"""A query in stages computes each column once, and reads tables by the names that users write."""

import sqlite3

import duckdb
import pytest

from deciban.errors import ParameterError
from deciban.export.sql.expressions import Stages, distinct_names, expressions_for, read_source


def doubled(dialect, times):
    """x doubled so many times, in as many stages."""
    sql = expressions_for(dialect, "a test")
    stages = Stages(sql, read_source("t", sql))
    for _ in range(times):
        stages.select([("x", sql.add([sql.column("x"), sql.column("x")]))])
    return stages.final([("x", sql.column("x"))])


def test_stages_are_computed_once():
    """Merged into one expression, 40 doublings would take a billion additions."""
    for connection in (duckdb.connect(), sqlite3.connect(":memory:")):
        connection.execute("CREATE TABLE t (x DOUBLE)")
        connection.execute("INSERT INTO t VALUES (1.0)")
        dialect = "sqlite" if isinstance(connection, sqlite3.Connection) else "duckdb"
        assert connection.execute(doubled(dialect, 40)).fetchone()[0] == 2.0**40


def test_postgres_keeps_stages_apart_by_an_offset():
    assert doubled("postgres", 3).count("OFFSET 0") == 3


def test_joined_tables_keep_every_row():
    sql = expressions_for("duckdb", "a test")
    stages = Stages(sql, read_source("t", sql))
    stages.select([("x", sql.column("x"))])
    stages.table("names", ["label", "code"], [[sql.text("a"), sql.integer(0)], [sql.text("b"), sql.integer(1)]])
    stages.select([("code", sql.column("code"))], joins=[("names", sql.is_equal(sql.column("x"), sql.column("label")))])
    connection = duckdb.connect()
    connection.execute("CREATE TABLE t AS SELECT * FROM (VALUES ('a'), ('c'), (NULL), ('b')) AS v(x)")
    found = connection.execute(stages.final([("code", sql.column("code"))])).fetchall()
    assert sorted(found, key=str) == [(0,), (1,), (None,), (None,)]


@pytest.mark.parametrize(
    "table",
    [
        "rows",
        "a.b",
        "a.b.c",
        '"odd name"',
        "'rows.parquet'",
        "SELECT 1 AS x",
        "WITH q AS (SELECT 1 AS x) SELECT * FROM q",
    ],
)
def test_tables_and_queries_are_read(table):
    sql = expressions_for("duckdb", "a test")
    assert read_source(table, sql).sql("duckdb")


@pytest.mark.parametrize("table", ["two words", "a JOIN b", "f(x)", "a; b", None])
def test_other_text_is_refused(table):
    with pytest.raises(ParameterError, match="double quotes"):
        read_source(table, expressions_for("duckdb", "a test"))


def test_names_are_made_distinct_whatever_their_case():
    assert distinct_names(["a", "A", "a_2", "b"]) == ["a", "A_2", "a_2_2", "b"]
