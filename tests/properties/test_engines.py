"""The same table, split in any way, through any engine, gives the same tally."""

import sqlite3
from contextlib import closing

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings

import deciban as db
from deciban.engines.files import json_lines
from deciban.engines.files import text_files as lines
from tests.engines.files.tables import write_parts
from tests.properties.engine_tables import check_same, expected, tables


def through_files(suffix, options=None):
    def count(table, ends, folder, weight):
        write_parts(table, folder, suffix, ends)
        return db.tally(folder, target="y", sample_weight=weight, schema=table.schema, **(options or {}))

    return count


def in_memory(table, ends, folder, weight):
    bounds = zip([0, *ends], [*ends, len(table)], strict=True)
    first, *others = (db.tally(table.slice(a, b - a), target="y", sample_weight=weight) for a, b in bounds)
    for other in others:
        first += other
    return first


def through_duckdb(table, ends, folder, weight):
    with duckdb.connect() as connection:
        bounds = list(zip([0, *ends], [*ends, len(table)], strict=True))
        for i, (a, b) in enumerate(bounds):
            connection.register(f"part{i}", table.slice(a, b - a))
        query = " UNION ALL ".join(f"SELECT * FROM part{i}" for i in range(len(bounds)))  # noqa: S608
        return db.tally(connection, query, target="y", sample_weight=weight)


def through_sqlite(table, ends, folder, weight):
    kinds = {"double": "REAL", "int64": "INTEGER", "bool": "BOOLEAN", "string": "TEXT"}
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(f"CREATE TABLE t ({', '.join(f'{f.name} {kinds[str(f.type)]}' for f in table.schema)})")
        marks = ", ".join("?" * table.num_columns)
        connection.executemany(f"INSERT INTO t VALUES ({marks})", [tuple(row.values()) for row in table.to_pylist()])  # noqa: S608
        return db.tally(connection, "t", target="y", sample_weight=weight)


ENGINES = {
    "in memory": in_memory,
    "CSV": through_files(".csv"),
    "compressed CSV": through_files(".csv.gz"),
    "Parquet": through_files(".parquet"),
    "Arrow": through_files(".arrow"),
    "DuckDB": through_duckdb,
    "SQLite": through_sqlite,
    "JSON Lines": through_files(".jsonl"),
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("weight", [None, "w"])
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
@given(case=tables())
def test_every_engine_gives_the_same_tally(engine, weight, case, tmp_path_factory, monkeypatch):
    monkeypatch.setattr(lines.TextFile.blocks, "__defaults__", (100,))
    monkeypatch.setattr(json_lines, "_BLOCK", 100)
    table, ends = case
    table = table if weight else table.drop(["w"])
    found = ENGINES[engine](table, ends, tmp_path_factory.mktemp("rows"), weight)
    check_same(found, expected(table, weight))
