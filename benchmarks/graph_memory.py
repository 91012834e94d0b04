"""Time and peak memory of one search for a graph in a fresh interpreter.

    python -m benchmarks.graph_memory alarm 5000 deciban        the first rows of a published sample
    python -m benchmarks.graph_memory andes 5000 deciban 3      rows drawn from a network, sets of up to three

prints the seconds, the rise of the peak resident size over the search, and the peak of the whole process.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import deciban as db
from benchmarks.draws import draw_codes
from benchmarks.graph_peers import causal_learn
from benchmarks.memory import measure_rise

__all__ = ["NETWORKS", "Cost", "measure_cost", "read_codes", "read_labels"]

NETWORKS = Path(__file__).resolve().parents[2] / "shared" / "data" / "nets"
_ROOT = Path(__file__).resolve().parents[1]
_SEED = 0


class Cost(NamedTuple):
    """Seconds, bytes above what was there before, and bytes of the whole process at its highest."""

    seconds: float
    rise: int
    peak: int


def read_labels(name: str, rows: int) -> pd.DataFrame:
    """The first rows of a published sample, as text."""
    return pd.read_csv(NETWORKS / f"{name}.sample.csv.gz", dtype=str, keep_default_na=False).head(rows)


def read_codes(name: str, rows: int) -> NDArray[np.int64]:
    """The same as codes, row by row; of a network without a sample, rows drawn with a fixed seed."""
    if not (NETWORKS / f"{name}.sample.csv.gz").exists():
        drawn = draw_codes(db.read_net(NETWORKS / f"{name}.bif.gz"), rows, _SEED)
        return np.column_stack(list(drawn.values()))
    table = read_labels(name, rows)
    return np.stack([pd.Categorical(table[column]).codes for column in table], axis=1).astype(np.int64)


def measure_cost(name: str, rows: int, contestant: str, max_given: int | None = None) -> Cost:
    """Measure in a fresh interpreter."""
    command = [sys.executable, "-m", "benchmarks.graph_memory", name, str(rows), contestant]
    command += [] if max_given is None else [str(max_given)]
    run = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=_ROOT)
    return Cost(*json.loads(run.stdout))


def main() -> None:
    """Measure in this interpreter and print a Cost as JSON."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.graph_memory", description=main.__doc__)
    parser.add_argument("name")
    parser.add_argument("rows", type=int)
    parser.add_argument("contestant", choices=["deciban", "causal-learn"])
    parser.add_argument("max_given", type=int, nargs="?")
    given = parser.parse_args()
    codes = read_codes(given.name, given.rows)
    few = read_codes("asia", 500)
    seconds = []

    def run(rows: NDArray[np.int64]) -> object:
        start = time.perf_counter()
        found: object
        if given.contestant == "deciban":
            found = db.discover(rows, max_given=given.max_given)
        else:
            found = causal_learn(rows, 0.01)
        seconds.append(time.perf_counter() - start)
        return found

    run(few)  # imports and thread stacks are there already
    rise, _ = measure_rise(lambda: run(codes))
    print(json.dumps(Cost(seconds[-1], rise, _peak())))


def _peak() -> int:
    """The highest resident size of this program; `ru_maxrss` would count what started it, too."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))


if __name__ == "__main__":
    main()
