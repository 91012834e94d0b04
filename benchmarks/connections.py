"""KDD Cup 99, 494,021 × 41 and 23 classes, as a pyarrow table: time, and peak memory above the table.

``python -m benchmarks.connections fit`` (or ``predict``) measures the peak in a fresh interpreter, by the method of
`benchmarks.memory`.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import csv

import deciban as db
from benchmarks.accuracy import TABLES
from benchmarks.memory import Peak, measure_rise
from benchmarks.promises import Limit, clock, measure

__all__ = ["time_connections", "weigh_connections"]

_ROOT = Path(__file__).resolve().parents[1]
_WARM_UP_STEP = 200
_PROCESSES = 3


def time_connections(scale: float) -> list[Limit]:
    """Fit and predict."""
    X, y = _read_connections(scale)
    model = db.NaiveBayes().fit(X, y)
    tasks = {"fit": (lambda: db.NaiveBayes().fit(X, y), 1.0), "predict": (lambda: model.predict(X), 1.5)}
    return [
        Limit(f"KDD Cup 99, 494,021 × 41, 23 classes: {verb}", measure(clock(task)), at_most, "s")
        for verb, (task, at_most) in tasks.items()
    ]


def weigh_connections(verb: str, scale: float) -> Limit:
    """The highest peak of one verb in some fresh processes: one peak alone lies up to 7 % below it."""
    command = [sys.executable, "-m", "benchmarks.connections", verb, "--scale", str(scale)]
    runs = [
        subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=_ROOT) for _ in range(_PROCESSES)
    ]
    peak = max(Peak(*json.loads(run.stdout)) for run in runs)
    title = f"KDD Cup 99: memory of {verb} above the table of {peak.input / 1e6:.0f} MB"
    return Limit(title, peak.above / 1e6, 200, "MB", peak.is_exact)


def _read_connections(scale: float) -> tuple[pa.Table, pa.ChunkedArray]:
    table = csv.read_csv(TABLES / "kddcup99_10pct.csv.gz")
    table = table if scale == 1 else table.take(np.arange(0, len(table), int(1 / scale)))
    return table.drop_columns(["label"]), table.column("label")


def main() -> None:
    """Measure the peak of one verb on KDD Cup 99 in this interpreter, and print it as JSON."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.connections", description=main.__doc__)
    parser.add_argument("verb", choices=["fit", "predict"])
    parser.add_argument("--scale", type=float, default=1.0)
    given = parser.parse_args()
    X, y = _read_connections(given.scale)
    some = np.arange(0, len(X), _WARM_UP_STEP)
    db.NaiveBayes().fit(X.take(some), y.take(some)).predict(X.take(some))
    model = db.NaiveBayes().fit(X, y) if given.verb == "predict" else None
    pa.default_memory_pool().release_unused()  # Arrow has a heap of its own, which reading the file has filled
    above, is_exact = measure_rise((lambda: model.predict(X)) if model else (lambda: db.NaiveBayes().fit(X, y)))
    print(json.dumps(Peak(above, X.nbytes, is_exact)))


if __name__ == "__main__":
    main()
