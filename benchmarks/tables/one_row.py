"""Single rows as mappings: predict_one and learn_one, against river's GaussianNB.

Before timing, rows that are learned one by one must give the posteriors of `partial_fit` with the same rows, and those
of river. river adds 1e-9 to every density, so it is compared in rows where no density is that small.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from itertools import cycle, islice
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import norm
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import OrdinalEncoder

import deciban as db
from benchmarks.harness.machine import missing_peer
from benchmarks.harness.parity import check_posteriors
from benchmarks.harness.results import Limit, Ratio, race
from benchmarks.harness.timing import Task, clock, measure
from benchmarks.tables.adult import SAME

__all__ = ["ROWS", "one_row_tasks", "race_river", "time_one_row"]

ROWS = 300
_STREAM = 15_000
_RIVER_ROWS = 5_000
_DENSE_ENOUGH = 1e-4  # river's 1e-9 then changes only the sixth digit of a posterior or later ones
_MOST_MICROSECONDS = {
    "predict_one": 30,
    "predict_proba_one": 30,
    "learn_one": 10,
    "predict_one, then learn_one": 40,
}


def one_row_tasks(X: pd.DataFrame, y: pd.Series[str]) -> Mapping[str, Task]:
    """What is done with 300 rows, by the names of the methods; each run learns the next ones of a long stream."""
    records: list[dict[Any, Any]] = X.head(_STREAM).to_dict("records")
    rows, stream = records[:ROWS], cycle(zip(records, y.head(_STREAM), strict=True))
    model = db.NaiveBayes(na_values=["?"]).fit(X, y)

    def learn() -> None:
        for row, label in islice(stream, len(rows)):
            model.learn_one(row, label)

    def predict_then_learn() -> None:
        for row, label in islice(stream, len(rows)):
            model.predict_one(row)
            model.learn_one(row, label)

    return {
        "predict_one": lambda: [model.predict_one(row) for row in rows],
        "predict_proba_one": lambda: [model.predict_proba_one(row) for row in rows],
        "learn_one": learn,
        "predict_one, then learn_one": predict_then_learn,
    }


def time_one_row(X: pd.DataFrame, y: pd.Series[str]) -> Iterator[Limit]:
    """Microseconds for each row."""
    _check_learning(X.head(2 * ROWS), y.head(2 * ROWS))
    for verb, task in one_row_tasks(X, y).items():
        microseconds = 1e6 * measure(clock(task, min(ROWS, len(X))))
        yield Limit(f"Adult, one row of 14 columns: {verb}", microseconds, _MOST_MICROSECONDS[verb], "µs")


def race_river(X: pd.DataFrame, y: pd.Series[str]) -> Iterator[Ratio | str]:
    """river's GaussianNB takes numbers only, so labels become codes for both."""
    if missing_peer("river"):
        yield from missing_peer("river")
        return
    X, y = X.head(_RIVER_ROWS), y.head(_RIVER_ROWS)
    codes = pd.DataFrame(OrdinalEncoder().fit_transform(X), columns=X.columns)
    rows: list[dict[Any, Any]] = codes.to_dict("records")
    theirs = import_module("river.naive_bayes").GaussianNB()
    ours = db.NaiveBayes(db.Gaussian(strength=0), weights=None)
    for row, label in zip(rows, y, strict=True):
        theirs.learn_one(row, label)
        ours.learn_one(row, label)
    few = rows[:ROWS]
    compared = [row for row, is_compared in zip(few, _is_dense(codes, y), strict=False) if is_compared]
    found = [[model.predict_proba_one(row)[j] for row in compared for j in ours.classes_] for model in (ours, theirs)]
    check_posteriors("river's GaussianNB", np.array(found[0]), np.array(found[1]), SAME)
    pairs = list(zip(few, y, strict=False))
    yield _race("predict_proba_one", [_predict(model, few) for model in (theirs, ours)], len(few), 10)
    yield _race("learn_one", [_learn(model, pairs) for model in (theirs, ours)], len(few), 3)
    both = [_predict_then_learn(model, pairs) for model in (theirs, ours)]
    yield _race("predict_proba_one, then learn_one", both, len(few), 10)


def _check_learning(X: pd.DataFrame, y: pd.Series[str]) -> None:
    """Compare posteriors after rows were learned one by one with those of the same rows as a table."""
    model, whole = (db.NaiveBayes(na_values=["?"]).fit(X[:ROWS], y[:ROWS]) for _ in range(2))
    rows: list[dict[Any, Any]] = X.to_dict("records")
    for row, label in zip(rows[ROWS:], y[ROWS:], strict=True):
        model.predict_one(row)
        model.learn_one(row, label)
    found = np.array([list(model.predict_proba_one(row).values()) for row in rows])
    check_posteriors("the rows as a table", found, whole.partial_fit(X[ROWS:], y[ROWS:]).predict_proba(X), 1e-12)


def _race(verb: str, tasks: list[Task], rows: int, at_least: float) -> Ratio:
    theirs, ours = (clock(task, rows) for task in tasks)
    return race(f"One row of 14 numbers: {verb}", "river's GaussianNB", theirs, ours, at_least)


def _is_dense(codes: pd.DataFrame, y: pd.Series[str]) -> NDArray[np.bool_]:
    """For each row, whether all its densities are so large that river's addition does not matter."""
    fitted = GaussianNB(var_smoothing=0.0).fit(codes, y)
    densities = norm.pdf(codes.to_numpy()[:, None], fitted.theta_, np.sqrt(fitted.var_))
    return np.asarray(densities.min(axis=(1, 2)) > _DENSE_ENOUGH)


def _predict(model: Any, rows: list[dict[Any, Any]]) -> Task:
    return lambda: [model.predict_proba_one(row) for row in rows]


def _learn(model: Any, pairs: list[tuple[dict[Any, Any], Any]]) -> Task:
    return lambda: [model.learn_one(row, label) for row, label in pairs]


def _predict_then_learn(model: Any, pairs: list[tuple[dict[Any, Any], Any]]) -> Task:
    def run() -> None:
        for row, label in pairs:
            model.predict_proba_one(row)
            model.learn_one(row, label)

    return run
