"""Hill climbing against R's bnlearn on samples of alarm, insurance and hailfinder: python -m benchmarks.structures.

Where R has bnlearn, ``tests/parity/r/make_structures.R`` is run for its seconds and scores. Elsewhere the figure of
bnlearn on alarm's first 5,000 rows that was taken on two cores of this class of machine stands in, and says so.
"""

from __future__ import annotations

import re
import shutil
import statistics
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pandas as pd
from rich.console import Console

import deciban as db

__all__ = ["Race", "main"]

_ROOT = Path(__file__).resolve().parents[1]
_SAMPLES = _ROOT.parent / "shared" / "data" / "nets"
_SCRIPT = _ROOT / "tests" / "parity" / "r" / "make_structures.R"
_NAMES = ("alarm", "insurance", "hailfinder")
_ROWS = (5000, 20000)
_ROUNDS = 11
_AT_LEAST = 4.0

Key = tuple[str, int, str]


class Race(NamedTuple):
    """Seconds and score of one side."""

    seconds: float
    score: float | None


_WRITTEN_DOWN: Mapping[Key, Race] = {
    ("alarm", 5000, "hc"): Race(0.24, None),
    ("alarm", 5000, "tabu"): Race(0.33, None),
}


def main() -> None:
    """Time both searches on each sample, and print the ratios."""
    console = Console()
    peer = _bnlearn()
    console.print("bnlearn: " + ("run here" if peer else "not installed; figures taken elsewhere"))
    for name in _NAMES:
        whole = pd.read_csv(_SAMPLES / f"{name}.sample.csv.gz", dtype=str, keep_default_na=False)
        for rows in _ROWS:
            table = whole.head(rows).astype("category")
            for method in ("hc", "tabu"):
                console.print(_line((name, rows, method), _ours(table, method), peer or _WRITTEN_DOWN))


def _ours(table: pd.DataFrame, method: str) -> Race:
    """The median of some runs, the reading of the table included."""
    seconds, score = [], None
    for _ in range(_ROUNDS):
        start = time.perf_counter()
        score = db.search(table, method=method).score  # type: ignore[arg-type]
        seconds.append(time.perf_counter() - start)
    return Race(statistics.median(seconds), score)


def _bnlearn() -> dict[Key, Race]:
    """What the script prints; nothing where R or bnlearn is missing."""
    command = shutil.which("Rscript")
    if command is None:
        return {}
    done = subprocess.run([command, str(_SCRIPT), str(_SAMPLES)], capture_output=True, text=True, check=False)
    found = re.findall(r"^(\S+) (\d+) (\S+) ([\d.]+) s \d+ arcs \S+ = (\S+)$", done.stdout, re.MULTILINE)
    return {(name, int(rows), method): Race(float(s), float(score)) for name, rows, method, s, score in found}


def _line(key: Key, ours: Race, peer: Mapping[Key, Race]) -> str:
    text = f"{key[0]} {key[1]} {key[2]}: {ours.seconds * 1e3:.1f} ms, BIC {ours.score:.2f}"
    if key not in peer:
        return text
    ratio = peer[key].seconds / ours.seconds
    kept = "" if key[2] != "hc" else f", at least {_AT_LEAST:g}: {'yes' if ratio >= _AT_LEAST else 'NO'}"
    theirs = "" if peer[key].score is None else f", BIC {peer[key].score:.2f}"
    return f"{text}; bnlearn {peer[key].seconds * 1e3:.0f} ms{theirs}; {ratio:.1f}x{kept}"


if __name__ == "__main__":
    main()
