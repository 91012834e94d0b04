"""KDD Cup 99, 494,021 × 41 and 23 classes, as a pyarrow table: time, and peak memory above the table.

``python -m benchmarks.tables.connections NaiveBayes fit`` measures the peak in a fresh interpreter.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from pyarrow import csv

import deciban as db
from benchmarks.harness.memory import Peak, highest_peak, measure_rise
from benchmarks.harness.paths import TABLES
from benchmarks.harness.results import Limit
from benchmarks.harness.timing import Task, clock, measure

__all__ = [
    "LIMITS",
    "Limits",
    "connection_tasks",
    "measure_memory",
    "new_model",
    "read_connections",
    "time_connections",
]

_WARM_UP_STEP = 200


class Limits(NamedTuple):
    """The most seconds and megabytes that are promised, by verb, for a model with some settings."""

    seconds: Mapping[str, float]
    megabytes: Mapping[str, float]
    settings: Mapping[str, Any] = MappingProxyType({})


LIMITS = {
    "NaiveBayes": Limits({"fit": 1.0, "predict": 1.5}, {"fit": 200, "predict": 200}),
    "AODE": Limits({"fit": 10, "predict": 20}, {"fit": 400}),
    "KDB": Limits({"fit": 3}, {}, {"k": 2}),
}


def read_connections(scale: float = 1.0) -> tuple[pa.Table, pa.ChunkedArray]:
    """Rows at even distances that make up `scale`, and their labels."""
    table = csv.read_csv(TABLES / "kddcup99_10pct.csv.gz")
    table = table if scale == 1 else table.take(np.arange(0, len(table), int(1 / scale)))
    return table.drop_columns(["label"]), table.column("label")


def new_model(name: str) -> Any:
    """A model with its default parameters but for the settings of its limits."""
    return getattr(db, name)(**LIMITS[name].settings)


def connection_tasks(model: str, scale: float = 1.0) -> dict[str, Task]:
    """Fit and predict of a model."""
    X, y = read_connections(scale)
    make = partial(new_model, model)
    fitted = make().fit(X, y)
    fitted.predict(X.slice(0, 100))  # tables that are made at the first prediction are there already
    return {"fit": lambda: make().fit(X, y), "predict": lambda: fitted.predict(X)}


def time_connections(model: str, scale: float, rounds: int | None = None) -> Iterator[Limit]:
    """The seconds of the verbs that have a limit."""
    tasks = connection_tasks(model, scale)
    for verb, most in LIMITS[model].seconds.items():
        yield Limit(_title(model, verb), measure(clock(tasks[verb]), rounds), most, "s")


def measure_memory(model: str, verb: str, scale: float) -> Limit:
    """The highest peak of one verb in some fresh processes."""
    peak = highest_peak("benchmarks.tables.connections", model, verb, "--scale", scale)
    title = f"{_title(model, 'memory of ' + verb)} above the table of {peak.input / 1e6:.0f} MB"
    return Limit(title, peak.above / 1e6, LIMITS[model].megabytes[verb], "MB", peak.is_exact)


def _title(model: str, work: str) -> str:
    settings = ", ".join(f"{name}={value!r}" for name, value in LIMITS[model].settings.items())
    return f"{model}{f'({settings})' if settings else ''} on KDD Cup 99, 494,021 × 41, 23 classes: {work}"


def main() -> None:
    """Measure the peak of one verb on KDD Cup 99 in this interpreter, and print it as JSON."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tables.connections", description=main.__doc__)
    parser.add_argument("model", choices=list(LIMITS))
    parser.add_argument("verb", choices=["fit", "predict"])
    parser.add_argument("--scale", type=float, default=1.0)
    given = parser.parse_args()
    X, y = read_connections(given.scale)
    make = partial(new_model, given.model)
    some = np.arange(0, len(X), _WARM_UP_STEP)
    make().fit(X.take(some), y.take(some)).predict(X.take(some))
    model = make().fit(X, y) if given.verb == "predict" else None
    pa.default_memory_pool().release_unused()  # Arrow has a heap of its own, which reading the file has filled
    above, is_exact = measure_rise((lambda: model.predict(X)) if model else (lambda: make().fit(X, y)))
    print(json.dumps(Peak(above, X.nbytes, is_exact)))


if __name__ == "__main__":
    main()
