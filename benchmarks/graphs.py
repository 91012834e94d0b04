"""Finding graphs: PC-stable by G² against causal-learn and pgmpy on the same rows, and the large networks.

    python -m benchmarks.graphs ../shared/data/nets [--pgmpy]

Both count active rows and columns and take what is determined as independent, so that the skeletons are compared:
the line says how many edges differ.
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import deciban as db
from benchmarks.networks import read_network

__all__ = ["main"]


def main(folder: Path, with_pgmpy: bool) -> None:
    """Print one line a workload."""
    for name in ("alarm", "insurance", "hailfinder"):
        table = pd.read_csv(folder / f"{name}.sample.csv.gz", dtype=str, keep_default_na=False)
        for rows in (5_000, 20_000):
            _compare(name, table.head(rows), with_pgmpy)
    for name, most in (("andes", 3), ("munin1", 2), ("link", 1)):
        sample = pd.DataFrame(read_network(folder / f"{name}.bif.gz").sample(5_000, seed=0))
        seconds = _seconds(partial(db.discover, sample, max_given=most), 1)
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"{name} 5,000 rows, max_given={most}: {seconds:.2f} s, {memory:.0f} MB")


def _compare(name: str, table: pd.DataFrame, with_pgmpy: bool) -> None:
    own = _seconds(lambda: db.discover(table), 7)
    line = f"{name} {len(table):,} rows: {own:.4f} s"
    codes = np.stack([pd.Categorical(table[column]).codes for column in table], axis=1).astype(np.int64)
    peers: dict[str, Callable[[], Any]] = {"causal-learn": lambda: _causal_learn(codes)}
    if with_pgmpy:
        peers["pgmpy"] = lambda: _pgmpy(table)
    for peer, run in peers.items():
        try:
            seconds = _seconds(run, 1)
        except ImportError:
            continue
        if peer == "causal-learn":
            marks = _causal_learn(codes).G.graph != 0
            matrix = db.discover(table).graph.adjacency()
            line += f", {int(((matrix | matrix.T) != marks).sum()) // 2} edges differ"
        line += f", {peer} {seconds:.2f} s ({seconds / own:.0f}×)"
    print(line, flush=True)


def _causal_learn(codes: Any) -> Any:
    from causallearn.search.ConstraintBased.PC import pc  # noqa: PLC0415

    return pc(codes, 0.01, "gsq", show_progress=False)


def _pgmpy(table: pd.DataFrame) -> Any:
    from pgmpy.estimators import PC  # noqa: PLC0415

    return PC(table).estimate(
        variant="stable", ci_test="g_sq", significance_level=0.01, max_cond_vars=8, n_jobs=1, show_progress=False
    )


def _seconds(run: Callable[[], Any], times: int) -> float:
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        run()
        taken.append(time.perf_counter() - start)
    return float(np.median(taken))


if __name__ == "__main__":
    main(Path(sys.argv[1]), "--pgmpy" in sys.argv)
