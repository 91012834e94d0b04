"""Fit and predict of deciban's classifiers and of a random forest with two jobs, on the tables over 10,000 rows.

The forest gets a matrix that was encoded beforehand; deciban's classifiers get the frame. This favours the forest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from statistics import median
from time import perf_counter
from typing import Any, NamedTuple

import pandas as pd
from numpy.typing import NDArray

from benchmarks.accuracy.ours import OURS, own_classifiers
from benchmarks.accuracy.peers import forest, one_hot
from benchmarks.accuracy.tables import Source, Table, read_table
from benchmarks.harness.machine import describe_others, others_since, read_usage
from benchmarks.harness.options import Options
from benchmarks.harness.paths import TABLES
from benchmarks.harness.report import digits, markdown_table, yes_or_no
from benchmarks.harness.results import Findings, Limit, show
from benchmarks.harness.timing import clock, measure, no_collection
from benchmarks.tables.adult import read_adult
from benchmarks.tables.connections import measure_memory, new_model, time_connections

__all__ = ["LARGE", "Time", "time_section"]

LARGE = (
    Source("adult", "income", ("?",), ("split",)),
    Source("letter", "letter"),
    Source("nursery"),
    Source("kddcup99_10pct", "label"),
)
_AT_LEAST = 5
_ROUNDS = 3
_JOBS = 2
_KDB_ADULT_SECONDS = 0.3
_HEAD = ("table", "model", "fit s", "predict s", "forest ÷ model", "at least", "holds?")
_INTRO = """Seconds to fit all rows and to predict the posteriors of all rows, on the tables over 10,000 rows, beside a
random forest (100 trees, `n_jobs=2`): medians of {rounds} runs. The forest gets a matrix that was encoded beforehand,
deciban's classifiers the frame; so the forest's time is without its encoding.{others}
"""
_LIMITS = """KDD Cup 99 is a pyarrow table here, of 494,021 rows and 41 columns: medians of three runs; memory is
the rise of the peak resident size over one call in a fresh process, the highest of three.
"""


class Time(NamedTuple):
    """Seconds of one model on one table, and those of the forest together; None where the model is the forest."""

    title: str
    model: str
    fit: float
    predict: float
    forest: float | None

    def figures(self) -> tuple[str, ...]:
        """The row as text, without its title."""
        own = self.model, digits(self.fit), digits(self.predict)
        if self.forest is None:
            return *own, "—", "—", "—"
        ratio = self.forest / (self.fit + self.predict)
        return *own, f"{digits(ratio)}×", f"{_AT_LEAST}×", yes_or_no(ratio >= _AT_LEAST)


def time_section(options: Options) -> str:
    """Both tables; nothing where the data are absent."""
    if not TABLES.is_dir():
        return ""
    start, rows = read_usage(), []
    for source in LARGE:
        for row in _time_table(read_table(source), options.scale):
            rows.append(row)
            show(row, options.console)
    limits = Findings()
    limits.collect(_limits(options.scale), options.console)
    intro = _INTRO.format(rounds=_ROUNDS, others=describe_others(others_since(start)))
    return "\n".join([intro, markdown_table(_HEAD, rows), limits.render(_LIMITS)])


def _limits(scale: float) -> Iterator[Limit]:
    yield from time_connections("AODE", scale, _ROUNDS)
    yield measure_memory("AODE", "fit", scale)
    if "KDB" in OURS:
        yield from time_connections("KDB", scale, _ROUNDS)
        X, y = read_adult(scale)
        fit = measure(clock(lambda: new_model("KDB").fit(X, y)), _ROUNDS)
        yield Limit(f"KDB(k=2) on Adult, {len(X):,} × {X.shape[1]}: fit", fit, _KDB_ADULT_SECONDS, "s")


def _time_table(table: Table, scale: float) -> Iterator[Time]:
    table = _thinned(table, scale)
    matrix = one_hot(table.marked).fit_transform(table.marked)
    title = f"{table.name}, {len(table.y):,} rows"
    slow = Time(title, "random forest", *_time(lambda: forest(_JOBS), matrix, table.y), None)
    yield slow
    for contestant in own_classifiers(table):
        seconds = _time(contestant.make, table.X, table.y)
        yield Time(title, f"`{contestant.name}`", *seconds, slow.fit + slow.predict)


def _thinned(table: Table, scale: float) -> Table:
    step = round(1 / scale)
    return table._replace(X=table.X.iloc[::step], y=table.y[::step])


def _time(make: Callable[[], Any], X: pd.DataFrame | Any, y: NDArray[Any]) -> tuple[float, float]:
    """The median seconds of fit and of predict."""
    seconds = []
    with no_collection():
        for _ in range(_ROUNDS):
            start = perf_counter()
            model = make().fit(X, y)
            middle = perf_counter()
            model.predict_proba(X)
            seconds.append((middle - start, perf_counter() - middle))
    fit, predict = zip(*seconds, strict=True)
    return median(fit), median(predict)
