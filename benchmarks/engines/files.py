"""Tallies of files against DuckDB's aggregates over the same columns, and pandas with scikit-learn's ``partial_fit``.

``python -m benchmarks.engines.files PATH`` tallies a file in a fresh interpreter, and prints rows, seconds and the peak
of the resident size as JSON.
"""

from __future__ import annotations

import json
import sys
import timeit
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.preprocessing import OrdinalEncoder

import deciban as db
from benchmarks.engines.samples import LABELS, NUMBERS, TARGET, WHOLE, file_of
from benchmarks.harness.memory import peak_of_process, run_fresh
from benchmarks.harness.parity import ParityError
from benchmarks.harness.results import Limit, Ratio, race
from benchmarks.harness.timing import clock

__all__ = ["ROWS", "time_files"]

ROWS, _LARGE = 3_500_000, 35_000_000
"""500 MB of CSV, and 5 GB."""
_MOST_MEGABYTES = 1000
_COLUMNS = (*NUMBERS, *WHOLE, *LABELS, TARGET)


def time_files(scale: float, *, is_large: bool) -> Iterator[Ratio | Limit]:
    """Tallies of a CSV and a Parquet file of the same rows."""
    rows = _LARGE if is_large else int(ROWS * scale)
    csv, parquet = file_of(rows, ".csv"), file_of(rows, ".parquet")
    for path in (csv, parquet):
        _check(path, LABELS[:1] if is_large else LABELS)
        size = path.stat().st_size / 1e6
        title = f"{size:,.0f} MB of {'CSV' if path == csv else 'Parquet'}: `db.tally`, against"
        for what, query, bound in _queries(path):
            yield _against_duckdb(path, f"{title} {what}", query, bound, 3 if is_large else 5)
        if path == csv and not is_large:  # the peer would take minutes
            yield _against_pandas(path, f"{title} chunks, encoders and `partial_fit`")
        yield Limit(f"{title[:-9]}, peak resident size", _peak(path), _MOST_MEGABYTES, "MB")


def _queries(path: Path) -> Iterator[tuple[str, str, float]]:
    """DuckDB's aggregates of all columns: what they are called, the query, and the least ratio."""
    if path.suffix == ".csv":
        yield "the count of each column", f"SELECT {_each('count', _COLUMNS)} FROM '{path}'", 0.6
        return
    numbers = f"{_each('avg', (*NUMBERS, *WHOLE))}, {_each('var_pop', (*NUMBERS, *WHOLE))}"
    for what, function in (("counts", "count"), ("largest values", "max")):
        query = f"SELECT {TARGET}, {numbers}, {_each(function, LABELS)} FROM '{path}' GROUP BY {TARGET}"
        yield f"moments of numbers and {what} of labels by class", query, 0.5


def _each(function: str, columns: tuple[str, ...]) -> str:
    return ", ".join(f"{function}({name})" for name in columns)


def _against_duckdb(path: Path, title: str, query: str, bound: float, rounds: int) -> Ratio:
    theirs, ours = clock(lambda: _answer(query)), clock(lambda: db.tally(path, target=TARGET))
    return race(title, "DuckDB", theirs, ours, bound, rounds)


def _answer(query: str) -> list[Any]:
    return duckdb.connect().execute(query).fetchall()


def _against_pandas(path: Path, title: str) -> Ratio:
    """Each runs once: the peer takes long."""
    ours = timeit.timeit(lambda: db.tally(path, target=TARGET), number=1)
    return Ratio(title, "pandas, scikit-learn", timeit.timeit(lambda: _by_chunks(path), number=1), ours, 10)


def _peak(path: Path) -> float:
    megabytes: float = run_fresh("benchmarks.engines.files", path)["peak"] / 1e6
    return megabytes


def _by_chunks(path: Path) -> tuple[GaussianNB, CategoricalNB]:
    gaussian, categorical, encoder = GaussianNB(), CategoricalNB(), OrdinalEncoder()
    classes = np.array(["a", "b", "c"])
    for i, chunk in enumerate(pd.read_csv(path, chunksize=250_000)):
        labels = chunk[[*WHOLE, *LABELS]]
        codes = encoder.fit_transform(labels) if i == 0 else encoder.transform(labels)
        gaussian.partial_fit(chunk[[*NUMBERS]], chunk[TARGET], classes)
        categorical.partial_fit(codes, chunk[TARGET], classes)
    return gaussian, categorical


def _check(path: Path, labels: tuple[str, ...]) -> None:
    """Raise a ParityError unless the tally agrees with DuckDB."""
    found = db.tally(path, target=TARGET)
    query = f"SELECT {TARGET}, count(*), {_each('avg', NUMBERS)} FROM '{path}' GROUP BY 1 ORDER BY 1"
    rows = _answer(query)
    theirs = np.array([row[1:] for row in rows], dtype=float)
    ours = np.column_stack([found.class_counts, *(part.mean[:, 0] for part in found.parts[: len(NUMBERS)])])
    if not np.allclose(ours, theirs, rtol=1e-9):
        raise ParityError(f"the tally of {path} differs from DuckDB's counts and means.")
    for name in labels:
        part = found.marginal(name).parts[0]
        query = f"SELECT {name}, count(*) FROM '{path}' GROUP BY 1 ORDER BY 1"
        if _answer(query) != list(zip(part.variable.labels, part.table.sum(axis=0), strict=True)):
            raise ParityError(f"the counts of {name} in {path} differ from DuckDB's.")


def main(path: str) -> dict[str, Any]:
    """Tally a file once: rows, seconds and the peak of the resident size."""
    start = timeit.default_timer()
    found = db.tally(path, target=TARGET)
    return {"rows": found.total, "seconds": timeit.default_timer() - start, "peak": peak_of_process()}


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1])))
