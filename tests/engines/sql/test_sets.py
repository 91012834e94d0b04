"""Many sets of columns are counted in few queries, and no more groups are fetched than memory holds."""

import sqlite3

import duckdb
import numpy as np
import pyarrow as pa
import pytest

import deciban as db
from deciban.engines.sql.database import Database
from deciban.engines.sql.table import DatabaseTable
from deciban.errors import InputError, ParameterError, TooLargeError
from tests.engines.sql.tables import assert_same


def labels(columns, rows=60):
    rng = np.random.default_rng(0)
    held = {f"c{i}": rng.choice(["a", "b", None], rows).tolist() for i in range(columns)}
    return pa.table(held | {"y": ["p", "q"] * (rows // 2)})


def into_sqlite(table):
    connection = sqlite3.connect(":memory:")
    connection.execute(f"CREATE TABLE t ({', '.join(f'{name} TEXT' for name in table.column_names)})")
    rows = [tuple(row.values()) for row in table.to_pylist()]
    connection.executemany(f"INSERT INTO t VALUES ({', '.join('?' * table.num_columns)})", rows)  # noqa: S608
    return connection


def test_more_columns_than_one_query_groups_by():
    table = labels(130)
    expected = db.tally(table, target="y")
    assert_same(db.tally(duckdb.from_arrow(table), target="y"), expected)
    assert_same(db.tally(into_sqlite(table), "t", target="y"), expected)


def test_few_queries_count_all_columns(monkeypatch):
    queries = []
    fetched = Database._fetched
    monkeypatch.setattr(Database, "_fetched", lambda self, query: queries.append(query) or fetched(self, query))
    table = labels(20).append_column("x", pa.array(np.arange(60.0)))
    for source in ((duckdb.from_arrow(table), None), (into_sqlite(labels(20)), "t")):
        queries.clear()
        db.tally(*source, target="y")
        assert len(queries) <= 5


def test_no_row_leaves_the_database(monkeypatch):
    fetched, most = Database._fetched, []
    monkeypatch.setattr(
        Database, "_fetched", lambda self, query: most.append(len((out := fetched(self, query))[0])) or out
    )
    table = labels(5, rows=1000).append_column("x", pa.array(np.arange(1000.0)))
    db.tally(duckdb.from_arrow(table), target="y")
    assert max(most) <= 5 * 2 * 3  # columns × classes × values, missing ones included


@pytest.mark.parametrize("source", ["duckdb", "sqlite"])
def test_too_many_labels_are_refused_by_name(source, monkeypatch):
    monkeypatch.setenv("DECIBAN_MEMORY_LIMIT", str(1 << 16))
    table = pa.table({"few": ["a"] * 300, "key": [f"k{i}" for i in range(300)], "y": ["p", "q"] * 150})
    given = (duckdb.from_arrow(table), None) if source == "duckdb" else (into_sqlite(table), "t")
    with pytest.raises(TooLargeError, match="'y' and 'key' have too many combinations of values"):
        db.tally(*given, target="y")


def test_weights_are_checked():
    connection = duckdb.connect()
    for weight, why in (("-1", "Negative"), ("NULL::DOUBLE", "NaN or infinity"), ("'nan'::DOUBLE", "NaN or infinity")):
        with pytest.raises(InputError, match=why):
            db.tally(connection, f"SELECT 'a' AS x, 'p' AS y, {weight} AS w", target="y", sample_weight="w")
    with pytest.raises(ParameterError, match="name of a column"):
        db.tally(connection, "SELECT 'a' AS x, 'p' AS y", target="y", sample_weight=[1.0])


def test_combinations_of_three_columns():
    table = DatabaseTable.of(
        duckdb.from_arrow(pa.table({"a": [1, 1, 2], "b": ["x", "x", None], "c": [True, True, False]}))
    )
    (found,) = table.count([("a", "b", "c")])
    order = np.argsort(found.counts).tolist()
    assert [[values[i] for i in order] for values in found.values] == [[2, 1], [None, "x"], [False, True]]
    assert found.counts[order].tolist() == [1, 2]
