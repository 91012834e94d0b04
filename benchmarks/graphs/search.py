"""The section `structures`: `db.search` by BIC against R's bnlearn on samples of alarm, insurance and hailfinder.

Where R has bnlearn, ``tests/parity/r/make_structures.R`` is run for its seconds and scores, and no score of deciban may
be lower. Elsewhere the section uses times of bnlearn on alarm's first 5,000 rows that were measured on two cores of
this class of machine, and says so.
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
from typing import Literal, NamedTuple, cast

import deciban as db
from benchmarks.graphs.samples import read_labels
from benchmarks.harness.machine import describe_machine, describe_others, others_since, read_usage
from benchmarks.harness.memory import measure_rise, run_fresh
from benchmarks.harness.options import Options
from benchmarks.harness.parity import ParityError
from benchmarks.harness.paths import NETS, ROOT
from benchmarks.harness.report import digits, markdown_table, yes_or_no
from benchmarks.harness.results import show
from benchmarks.harness.timing import clock, measure

__all__ = ["StructureRow", "run"]

Method = Literal["hc", "tabu"]

_SCRIPT = ROOT / "tests" / "parity" / "r" / "make_structures.R"
_NAMES, _ROWS = ("alarm", "insurance", "hailfinder"), (5_000, 20_000)
_METHODS: tuple[Method, ...] = ("hc", "tabu")
_AT_LEAST = {"hc": 4.0, "tabu": 4.0}
_LOWER = 1e-6

_INTRO = """Measured with `python -m benchmarks --only structures` on {machine}.{others}

Hill climbing and tabu search by BIC on frames of pandas categories, reading included; medians of alternating runs after
a warm-up. {peer} Memory is the rise of the peak resident size over one search in a fresh process.
"""
_HERE = "bnlearn is run in the same session; its scores are not higher than deciban's."
_ELSEWHERE = """bnlearn is not installed here: its times, which exist for alarm's 5,000 rows only, were measured in
another run on two cores of this class of machine."""
_HEAD = ("sample", "method", "BIC", "bnlearn ms", "deciban ms", "ratio", "at least", "holds?", "deciban MB")

Key = tuple[str, int, str]


class Peer(NamedTuple):
    """Seconds and score of bnlearn."""

    seconds: float
    score: float | None


_MEASURED_ELSEWHERE: Mapping[Key, Peer] = {
    ("alarm", 5000, "hc"): Peer(0.24, None),
    ("alarm", 5000, "tabu"): Peer(0.33, None),
}


class StructureRow(NamedTuple):
    """One sample and method; no peer where bnlearn has not been timed."""

    title: str
    method: str
    score: float
    peer: Peer | None
    seconds: float
    rise: int

    def figures(self) -> tuple[str, ...]:
        """The row as text, without its title."""
        at_least = _AT_LEAST[self.method]
        theirs, ratio, holds = "not installed", "—", "—"
        if self.peer is not None:
            theirs, ratio = digits(1000 * self.peer.seconds), f"{digits(self.peer.seconds / self.seconds)}×"
            holds = yes_or_no(self.peer.seconds / self.seconds >= at_least)
        ours = digits(1000 * self.seconds)
        memory = f"{self.rise / 1e6:.1f}"
        return f"`{self.method}`", f"{self.score:.2f}", theirs, ours, ratio, f"{at_least:g}×", holds, memory


def run(options: Options) -> str:
    """Time both searches on each sample; only a note where the samples are absent."""
    peer = {} if options.is_quick else _bnlearn()
    start, rows = read_usage(), []
    for row in _measure(peer or _MEASURED_ELSEWHERE, is_quick=options.is_quick) if NETS.is_dir() else ():
        rows.append(row)
        show(row, options.console)
    others = describe_others(others_since(start))
    intro = _INTRO.format(machine=describe_machine(), others=others, peer=_HERE if peer else _ELSEWHERE)
    table = markdown_table(_HEAD, rows) if rows else "Not measured: `../shared/data/nets` is absent.\n"
    return f"{intro}\n{table}"


def _measure(peer: Mapping[Key, Peer], *, is_quick: bool) -> Iterator[StructureRow]:
    works = product(_NAMES, _ROWS, _METHODS)
    for name, size, method in islice(works, 2) if is_quick else works:
        table = read_labels(name, size).astype("category")
        run = partial(db.search, table, method=method)
        known, score = peer.get((name, size, method)), run().score or 0.0
        title = f"{name}, {size:,} × {table.shape[1]}"
        if known is not None and known.score is not None and score < known.score - _LOWER * abs(known.score):
            raise ParityError(f"{title}, {method}: BIC {score:.4f} is below bnlearn's {known.score:.4f}.")
        yield StructureRow(title, method, score, known, measure(clock(run)), _rise(name, size, method))


def _bnlearn() -> dict[Key, Peer]:
    """The figures that the script prints; none where R or bnlearn is missing."""
    command = shutil.which("Rscript")
    if command is None:
        return {}
    done = subprocess.run([command, str(_SCRIPT), str(NETS)], capture_output=True, text=True, check=False)
    found = re.findall(r"^(\S+) (\d+) (\S+) ([\d.]+) s \d+ arcs \S+ = (\S+)$", done.stdout, re.MULTILINE)
    return {(name, int(rows), method): Peer(float(s), float(score)) for name, rows, method, s, score in found}


def _rise(name: str, size: int, method: str) -> int:
    """The peak of one search in a fresh interpreter."""
    return int(run_fresh("benchmarks.graphs.search", name, size, method))


def main(name: str, size: int, method: Method) -> None:
    """Print how many bytes one search takes above its table."""
    table = read_labels(name, size).astype("category")
    db.search(table.head(100).iloc[:, :5], method=method)
    print(json.dumps(measure_rise(lambda: db.search(table, method=method))[0]))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), cast(Method, sys.argv[3]))
