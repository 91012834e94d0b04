"""Hill climbing by BIC against R's bnlearn on samples of alarm, insurance and hailfinder.

Where R has bnlearn, ``tests/parity/r/make_structures.R`` is run for its seconds and scores, and no score of deciban's
may be lower. Elsewhere the figures of bnlearn on alarm's first 5,000 rows that were taken on two cores of this class of
machine stand in, and say so.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import islice, product
from pathlib import Path
from typing import Literal, NamedTuple

from rich.console import Console

import deciban as db
from benchmarks.graph_memory import NETWORKS, read_labels
from benchmarks.machine import describe_machine, others_since, read_usage
from benchmarks.memory import measure_rise
from benchmarks.parity import ParityError
from benchmarks.promises import clock, measure
from benchmarks.report import digits, markdown_table, yes_or_no

__all__ = ["Structures", "measure_structures", "render_structures"]

_ROOT = Path(__file__).resolve().parents[1]
_SCRIPT = _ROOT / "tests" / "parity" / "r" / "make_structures.R"
_NAMES, _ROWS = ("alarm", "insurance", "hailfinder"), (5_000, 20_000)
_METHODS: tuple[Literal["hc", "tabu"], ...] = ("hc", "tabu")
_AT_LEAST = {"hc": 4.0, "tabu": 4.0}
_LOWER = 1e-6

_INTRO = """## Speed and memory of `db.search`

Measured with `python -m benchmarks --only structures` on {machine}.{others}

Hill climbing and tabu search by BIC on frames of pandas categories, reading included; medians of alternating runs after
a warm-up. {peer} Memory is the rise of the peak resident size over one search in a fresh process.
"""
_HERE = "bnlearn is run in the same session; its scores are no higher than deciban's."
_ELSEWHERE = """bnlearn is not installed here: its times, which exist for alarm's 5,000 rows only, were taken on two
cores of this class of machine, so those rows are no race."""
_HEAD = ("sample", "method", "BIC", "bnlearn ms", "deciban ms", "ratio", "at least", "holds?", "deciban MB")

Key = tuple[str, int, str]


class Race(NamedTuple):
    """Seconds and score of bnlearn's."""

    seconds: float
    score: float | None


_WRITTEN_DOWN: Mapping[Key, Race] = {
    ("alarm", 5000, "hc"): Race(0.24, None),
    ("alarm", 5000, "tabu"): Race(0.33, None),
}


class StructureRow(NamedTuple):
    """One sample and method; no peer where bnlearn's figure is not known."""

    title: str
    method: str
    score: float
    peer: Race | None
    seconds: float
    rise: int

    def figures(self) -> tuple[str, ...]:
        """The row as text, its name aside."""
        at_least = _AT_LEAST[self.method]
        theirs, ratio, holds = "not installed", "—", "—"
        if self.peer is not None:
            theirs, ratio = digits(1000 * self.peer.seconds), f"{digits(self.peer.seconds / self.seconds)}×"
            holds = yes_or_no(self.peer.seconds / self.seconds >= at_least)
        ours = digits(1000 * self.seconds)
        memory = f"{self.rise / 1e6:.1f}"
        return f"`{self.method}`", f"{self.score:.2f}", theirs, ours, ratio, f"{at_least:g}×", holds, memory


class Structures(NamedTuple):
    """The rows, whether bnlearn was run here, and the part of the machine that others took."""

    rows: list[StructureRow]
    is_race: bool
    others: float | None


def measure_structures(console: Console, *, is_quick: bool) -> Structures:
    """Time both searches on each sample; nothing where the samples are absent."""
    if not NETWORKS.is_dir():
        return Structures([], False, None)
    peer = {} if is_quick else _bnlearn()
    start, rows = read_usage(), []
    for row in _measure(peer or _WRITTEN_DOWN, is_quick=is_quick):
        rows.append(row)
        console.print(f"[bold]{row.title}[/]: {', '.join(row.figures())}")
    return Structures(rows, bool(peer), others_since(start))


def render_structures(found: Structures) -> str:
    """The section, in Markdown."""
    others = "" if found.others is None else f" Other processes took {100 * found.others:.0f} % of it meanwhile."
    intro = _INTRO.format(machine=describe_machine(), others=others, peer=_HERE if found.is_race else _ELSEWHERE)
    if not found.rows:
        return f"{intro}\nNot measured: `../shared/data/nets` is absent.\n"
    return "\n".join([intro, markdown_table(_HEAD, found.rows)])


def _measure(peer: Mapping[Key, Race], *, is_quick: bool) -> Iterator[StructureRow]:
    works = product(_NAMES, _ROWS, _METHODS)
    for name, size, method in islice(works, 2) if is_quick else works:
        table = read_labels(name, size).astype("category")
        run = partial(db.search, table, method=method)
        known, score = peer.get((name, size, method)), run().score or 0.0
        title = f"{name}, {size:,} × {table.shape[1]}"
        if known is not None and known.score is not None and score < known.score - _LOWER * abs(known.score):
            raise ParityError(f"{title}, {method}: BIC {score:.4f} is below bnlearn's {known.score:.4f}.")
        yield StructureRow(title, method, score, known, measure(clock(run)), _rise(name, size, method))


def _bnlearn() -> dict[Key, Race]:
    """What the script prints; nothing where R or bnlearn is missing."""
    command = shutil.which("Rscript")
    if command is None:
        return {}
    done = subprocess.run([command, str(_SCRIPT), str(NETWORKS)], capture_output=True, text=True, check=False)
    found = re.findall(r"^(\S+) (\d+) (\S+) ([\d.]+) s \d+ arcs \S+ = (\S+)$", done.stdout, re.MULTILINE)
    return {(name, int(rows), method): Race(float(s), float(score)) for name, rows, method, s, score in found}


def _rise(name: str, size: int, method: str) -> int:
    """The peak of one search in a fresh interpreter."""
    command = [sys.executable, "-m", "benchmarks.structures", name, str(size), method]
    return int(json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=_ROOT).stdout))


def main(name: str, size: int, method: str) -> None:
    """Print how many bytes one search takes above its table."""
    table = read_labels(name, size).astype("category")
    db.search(table.head(100).iloc[:, :5], "bic", method)  # type: ignore[arg-type]
    print(json.dumps(measure_rise(lambda: db.search(table, "bic", method))[0]))  # type: ignore[arg-type]


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3])
