"""Connections: the dialect of each, and one clear error where a database does not answer."""

import sqlite3
import sys

import adbc_driver_sqlite.dbapi
import duckdb
import pytest

import deciban as db
from deciban.engines.sql.database import is_connection, open_database
from deciban.errors import InputTypeError, MissingExtraError, ParameterError, SourceError
from tests.engines.sql.tables import duckdb_relation, ibis_table, sqlite_table

DAYS = {"sky": ("TEXT", ["sun", "rain"]), "y": ("TEXT", ["p", "q"])}


def test_the_dialect_follows_from_the_connection():
    lite = sqlite3.connect(":memory:")
    assert open_database(lite, "t")[0].dialect == "sqlite"
    assert open_database(duckdb.connect(), "t")[0].dialect == "duckdb"
    assert open_database(*duckdb_relation(DAYS))[0].dialect == "duckdb"
    assert open_database(*ibis_table(DAYS))[0].dialect == "duckdb"
    with adbc_driver_sqlite.dbapi.connect(":memory:") as connection:
        assert open_database(connection, "t")[0].dialect == "sqlite"
    assert open_database(lite, "t", "postgresql")[0].dialect == "postgres"


def test_the_dialect_of_an_unknown_driver_must_be_given():
    class Connection(sqlite3.Connection):
        """A driver of another package."""

    connection = sqlite3.connect(":memory:", factory=Connection)
    connection.execute("CREATE TABLE t AS SELECT 'a' AS x, 'p' AS y")
    with pytest.raises(
        ParameterError, match=r'the dialect of a .*Connection is not known. Pass it: dialect="postgres"'
    ):
        db.tally(connection, "t", target="y")
    assert db.tally(connection, "t", target="y", dialect="sqlite").total == 1
    with pytest.raises(ParameterError, match=r"no dialect 'sqlit'\. Did you mean 'sqlite'"):
        db.tally(connection, "t", target="y", dialect="sqlit")


def test_tables_in_memory_are_no_connections():
    assert not any(map(is_connection, [{"a": [1]}, [[1]], None, "t", 3]))


def test_a_connection_needs_a_query_and_a_relation_has_its_own():
    with pytest.raises(ParameterError, match="query names a table of the connection"):
        db.tally(duckdb.connect(), target="y")
    with pytest.raises(ParameterError, match="a relation says itself which rows it has"):
        db.tally(duckdb_relation(DAYS)[0], "t", target="y")
    with pytest.raises(ParameterError, match="a table of Ibis says itself"):
        db.tally(ibis_table(DAYS)[0], "t", target="y")


def test_a_table_that_does_not_exist_is_an_error_of_the_source(connection):
    with pytest.raises(SourceError, match=r"the database cannot answer a query: .*nothing_here"):
        db.tally(connection, "nothing_here", target="y")


def test_a_closed_connection_is_an_error_of_the_source():
    connection, name = sqlite_table(DAYS)
    connection.close()
    with pytest.raises(SourceError, match="closed database"):
        db.tally(connection, name, target="y")


def test_a_locked_file_is_an_error_of_the_source(tmp_path):
    path = tmp_path / "days.sqlite"
    with sqlite3.connect(path) as first:
        first.execute("CREATE TABLE t AS SELECT 'a' AS x, 'p' AS y")
    first.execute("BEGIN EXCLUSIVE")
    second = sqlite3.connect(path, timeout=0.01)
    with pytest.raises(SourceError, match="locked"):
        db.tally(second, "t", target="y")
    first.rollback()
    assert db.tally(second, "t", target="y").total == 1
    first.close()
    second.close()


def test_temporary_tables_of_a_connection_are_seen():
    connection = duckdb.connect()
    connection.execute("CREATE TEMP TABLE t AS SELECT 'a' AS x, 'p' AS y")
    connection.register("rows", connection.execute("SELECT * FROM t").df())
    assert db.tally(connection, "t", target="y") == db.tally(connection, "rows", target="y")


def test_rows_may_come_as_mappings():
    connection, name = sqlite_table(DAYS)
    expected = db.tally(connection, name, target="y")
    connection.row_factory = lambda cursor, row: dict(zip([entry[0] for entry in cursor.description], row, strict=True))
    assert db.tally(connection, name, target="y") == expected
    connection.row_factory = sqlite3.Row
    assert db.tally(connection, name, target="y") == expected


def test_without_sqlglot_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "sqlglot", None)
    with pytest.raises(MissingExtraError, match=r"counting in a database needs sqlglot: pip install 'deciban\[sql\]'"):
        db.tally(duckdb.connect(), "t", target="y")


def test_lists_are_no_labels():
    with pytest.raises(InputTypeError, match="column 'x' holds a value that cannot be a category"):
        db.tally(duckdb.connect(), "SELECT [1, 2] AS x, 'p' AS y", target="y")


def test_a_query_belongs_to_a_connection():
    with pytest.raises(ParameterError, match="query and dialect belong to a connection"):
        db.tally({"x": ["a"], "y": ["p"]}, "t", target="y")
