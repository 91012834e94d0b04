"""What a user may pass as a table or query: nothing that changes the database gets through."""

import duckdb
import pytest

import deciban as db
from deciban.engines.sql.table import parse_source
from deciban.errors import ParameterError


@pytest.mark.parametrize("text", ["t", "main.t", '"my table"', "'x.parquet'", "read_parquet('x.parquet')", "t -- all"])
def test_a_table_is_named_or_is_the_result_of_a_function(text):
    assert parse_source(text, "duckdb").sql("duckdb").startswith(("t", "main", '"my', '"x.', "READ"))


@pytest.mark.parametrize(
    "text", ["SELECT a FROM t", "(SELECT a FROM t);", "WITH s AS (SELECT 1 AS a) SELECT * FROM s", "FROM t",
             "SELECT 1 AS a UNION ALL SELECT 2"],
)  # fmt: skip
def test_a_query_becomes_a_subquery(text):
    assert parse_source(text, "duckdb").sql("duckdb").endswith(") AS deciban_source")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("DELETE FROM t", "neither the name"),
        ("DROP TABLE t", "neither the name"),
        ("CREATE TABLE u AS SELECT 1", "neither the name"),
        ("t; DROP TABLE t", "2 statements"),
        ("SELECT 1; SELECT 2", "2 statements"),
        ("t) AS s; DROP TABLE t; --", "neither the name"),
        ("WITH d AS (DELETE FROM t RETURNING *) SELECT * FROM d", "holds DELETE"),
        ("WITH d AS (INSERT INTO t VALUES (1) RETURNING *) SELECT * FROM d", "holds INSERT"),
        ("SELECT * INTO u FROM t", "holds INTO"),
        ("t, u", "neither the name"),
        ("t WHERE 1 = 1", "neither the name"),
        ("my table", "quotes of the dialect"),
        ("PRAGMA x", "neither the name"),
        ("COPY t TO 'x'", "neither the name"),
    ],
)
@pytest.mark.parametrize("dialect", ["duckdb", "postgres", "sqlite"])
def test_nothing_else_is_run(text, why, dialect):
    with pytest.raises(ParameterError, match=why):
        parse_source(text, dialect)


def test_names_of_columns_are_no_commands():
    connection = duckdb.connect()
    name = 'y"; DROP TABLE t; --'
    connection.execute("CREATE TABLE t AS SELECT 1 AS a")
    connection.execute('ALTER TABLE t RENAME a TO "' + name.replace('"', '""') + '"')
    connection.execute("ALTER TABLE t ADD COLUMN z TEXT DEFAULT 'p'")
    assert db.tally(connection, "t", target="z").names == (name,)
    assert connection.execute("SELECT count(*) FROM t").fetchone() == (1,)
