"""Scoring by the query of `to_sql` in DuckDB, against `predict` on the same rows in memory."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import numpy as np
import pyarrow as pa

import deciban as db
from benchmarks.harness.parity import ParityError
from benchmarks.harness.results import Ratio, race
from benchmarks.harness.timing import clock

__all__ = ["time_scoring"]

_ROWS, _LEARNED, _COMPARED = 10_000_000, 100_000, 1000
_WITHIN, _ROUNDS = 1 / 5, 3


def time_scoring(scale: float) -> Iterator[Ratio]:
    """All rows of a table of 8 columns of labels and 6 of numbers, with 2 and 7 classes."""
    for classes in (2, 7):
        yield _against_predict(int(_ROWS * scale), classes)


def _against_predict(rows: int, classes: int) -> Ratio:
    table, y = _sample(rows, classes)
    model = db.NaiveBayes().fit(table.slice(0, _LEARNED), y[:_LEARNED])
    connection = duckdb.connect()
    connection.register("given", table)
    connection.execute("CREATE TABLE rows AS SELECT * FROM given")
    query = f"SELECT label, posterior FROM ({model.to_sql()})"
    _check(connection, model, table.slice(0, _COMPARED))
    title = f"{rows / 1e6:g} M rows, {classes} classes: the query of `to_sql` in DuckDB, against `predict`"
    theirs = clock(lambda: model.predict(table))
    return race(title, "in memory", theirs, clock(lambda: connection.sql(query).to_arrow_table()), _WITHIN, _ROUNDS)


def _check(connection: duckdb.DuckDBPyConnection, model: db.NaiveBayes, some: pa.Table) -> None:
    """Raise a ParityError unless labels and posteriors agree."""
    connection.register("compared", some)
    found = connection.sql(model.to_sql(table="compared")).to_arrow_table()
    if found["label"].to_pylist() != model.predict(some).tolist():
        raise ParityError("the labels of the query differ from those of predict.")
    if not np.allclose(found["posterior"], model.predict_proba(some).max(axis=1), rtol=0, atol=1e-9):
        raise ParityError("the posteriors of the query differ from those of predict_proba.")


def _sample(rows: int, classes: int) -> tuple[pa.Table, list[str]]:
    rng = np.random.default_rng(0)
    y = rng.integers(0, classes, rows)
    states = pa.array([f"state {k}" for k in range(8)])
    moved = np.where(rng.random(rows) < 0.3, y, 0)
    columns = {f"label {i}": states.take(pa.array((rng.integers(0, 8, rows) + moved) % 8)) for i in range(8)}
    columns |= {f"number {i}": pa.array(rng.normal(size=rows) + 0.5 * y * (i % 3)) for i in range(6)}
    return pa.table(columns), [f"class {k}" for k in y[:_LEARNED].tolist()]
