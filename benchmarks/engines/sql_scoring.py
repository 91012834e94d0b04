"""The time of `to_sql` in DuckDB, and of `predict` in memory: python -m benchmarks.engines.sql_scoring [rows]."""

from __future__ import annotations

import sys

import numpy as np
import pyarrow as pa

import deciban as db
from benchmarks.harness.timing import OURS, PEER, alternate, clock

__all__ = ["main"]

_ROWS, _LEARNED = 10_000_000, 100_000


def main(rows: int = _ROWS) -> None:
    """Print a table: seconds for all rows, medians of alternating runs, after checking that both agree."""
    print(f"| {rows:,} rows, 8 labels and 6 numbers | `predict` | `to_sql` in DuckDB | ratio |\n|---|---|---|---|")
    for classes in (2, 7):
        _compare(rows, classes)


def _compare(rows: int, classes: int) -> None:
    import duckdb  # noqa: PLC0415  an optional package

    table, y = _sample(rows, classes)
    model = db.NaiveBayes().fit(table.slice(0, _LEARNED), y[:_LEARNED])
    connection = duckdb.connect()
    connection.register("given", table)
    connection.execute("CREATE TABLE rows AS SELECT * FROM given")
    query = f"SELECT label, posterior FROM ({model.to_sql()})"

    def in_database() -> pa.Table:
        return connection.sql(query).to_arrow_table()

    same = np.asarray(in_database()["label"].slice(0, 1000)) == model.predict(table.slice(0, 1000))
    assert same.all()  # noqa: S101
    times = alternate({OURS: clock(lambda: model.predict(table)), PEER: clock(in_database)})
    ratio = times[PEER] / times[OURS]
    print(f"| {classes} classes | {times[OURS]:.2f} | {times[PEER]:.2f} | {ratio:.1f} |", flush=True)


def _sample(rows: int, classes: int) -> tuple[pa.Table, list[str]]:
    rng = np.random.default_rng(0)
    y = rng.integers(0, classes, rows)
    states = pa.array([f"state {k}" for k in range(8)])
    moved = np.where(rng.random(rows) < 0.3, y, 0)
    columns = {f"label {i}": states.take(pa.array((rng.integers(0, 8, rows) + moved) % 8)) for i in range(8)}
    columns |= {f"number {i}": pa.array(rng.normal(size=rows) + 0.5 * y * (i % 3)) for i in range(6)}
    return pa.table(columns), [f"class {k}" for k in y[:_LEARNED].tolist()]


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
