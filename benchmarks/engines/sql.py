"""Tallies that databases count: DuckDB against the kernels on one Parquet file, PostgreSQL against queries by hand.

By hand, every column has one query: ``GROUP BY class, column`` for labels, and the moments by class for numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from importlib import import_module
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.parquet as pq

import deciban as db
from benchmarks.engines.samples import LABELS, NUMBERS, TARGET, WHOLE, file_of
from benchmarks.harness.parity import ParityError
from benchmarks.harness.results import Ratio, race
from benchmarks.harness.timing import clock
from deciban.tallies import Moments

__all__ = ["time_sql"]

ROWS, _POSTGRES_ROWS = 3_500_000, 1_000_000
_ROUNDS = 5
_WITHIN = 1 / 3


def time_sql(scale: float) -> Iterator[Ratio | str]:
    """DuckDB on a Parquet file; PostgreSQL where it is installed."""
    yield from _duckdb(file_of(int(ROWS * scale), ".parquet"))
    servers = import_module("tests.servers.postgres")
    if servers.binaries() is None:
        yield "PostgreSQL is not installed, and not compared."
        return
    with servers.running_server() as server:
        yield from _postgres(server.uri, file_of(int(_POSTGRES_ROWS * scale), ".parquet"))


def _duckdb(path: Path) -> Iterator[Ratio]:
    connection = duckdb.connect()
    query = f"SELECT * FROM '{path}'"
    _check(db.tally(connection, query, target=TARGET), db.tally(path, target=TARGET), "DuckDB")
    ours = clock(lambda: db.tally(connection, query, target=TARGET))
    title = f"{path.stat().st_size / 1e6:,.0f} MB of Parquet: `db.tally` of a DuckDB query, against"
    in_memory = clock(lambda: db.tally(pq.read_table(path), target=TARGET))
    yield race(f"{title} the same file in memory", "kernels", in_memory, ours, _WITHIN, _ROUNDS)
    out_of_core = clock(lambda: db.tally(path, target=TARGET))
    yield race(f"{title} the same file out of core", "kernels", out_of_core, ours, _WITHIN, _ROUNDS)


def _postgres(uri: str, path: Path) -> Iterator[Ratio]:
    table = pq.read_table(path)
    adbc = import_module("adbc_driver_postgresql.dbapi")
    with adbc.connect(uri) as connection, connection.cursor() as cursor:
        cursor.adbc_ingest("rows_of_table", table, mode="create")
        connection.commit()
    opened: AbstractContextManager[Any] = import_module("psycopg").connect(uri, autocommit=True)
    with opened as connection:
        connection.execute("VACUUM ANALYZE rows_of_table")
        _check(db.tally(connection, "rows_of_table", target=TARGET), db.tally(table, target=TARGET), "PostgreSQL")
        ours = clock(lambda: db.tally(connection, "rows_of_table", target=TARGET))
        title = f"{len(table):,} rows in PostgreSQL: `db.tally`, against one GROUP BY a column"
        yield race(title, "queries by hand", clock(lambda: _by_hand(connection)), ours, 1, _ROUNDS)


def _by_hand(connection: Any) -> list[Any]:
    labels = [f"SELECT {TARGET}, {n}, count(*) FROM rows_of_table GROUP BY {TARGET}, {n}" for n in (*WHOLE, *LABELS)]
    numbers = [
        f"SELECT {TARGET}, count({n}), avg({n}), var_pop({n}) FROM rows_of_table GROUP BY {TARGET}" for n in NUMBERS
    ]
    return [connection.execute(query).fetchall() for query in (*labels, *numbers)]


def _check(found: db.Tally, expected: db.Tally, engine: str) -> None:
    """Raise a ParityError unless the tallies are equal, moments to 1e-9."""
    for ours, theirs in zip(found.parts, expected.parts, strict=True):
        if not (theirs.is_close(ours) if isinstance(theirs, Moments) else theirs == ours):
            raise ParityError(f"the tally of {engine} differs from the kernels' in {theirs.names}.")
