"""The section `structures`: `db.search` by BIC against R's bnlearn, and with one thread and two.

Against bnlearn samples of alarm, insurance and hailfinder are searched; with one thread and two also up to a thousand
normal variables.

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
from time import perf_counter
from typing import Literal, NamedTuple, cast

import numpy as np

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

Method = Literal["hc", "tabu", "ges"]

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

_THREADS_INTRO = """Searches of rows in memory, with one thread and two. The normal variables are linear in their
parents in random graphs of degree 2, or noise; by BIC many of their edges are due to chance. Both give the same graph
by the same steps, with the score that `db.score_graph` gives it.
"""
_THREADS_HEAD = ("sample", "method", "edges", "1 thread ms", "2 threads ms", "ratio", "at most ms", "holds?")
_SEED = 20

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


class ThreadsRow(NamedTuple):
    """One sample and method, with one thread and two."""

    title: str
    method: str
    edges: int
    one: float
    two: float
    at_most: float

    def figures(self) -> tuple[str, ...]:
        """The row as text, without its title."""
        times = digits(1000 * self.one), digits(1000 * self.two), f"{digits(self.one / self.two)}×"
        return (
            f"`{self.method}`",
            str(self.edges),
            *times,
            digits(1000 * self.at_most),
            yes_or_no(self.two < self.at_most),
        )


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
    threads = list(_measure_threads(is_quick=options.is_quick))
    for one in threads:
        show(one, options.console)
    return f"{intro}\n{table}\n{_THREADS_INTRO}\n{markdown_table(_THREADS_HEAD, threads)}"


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


def _measure_threads(*, is_quick: bool) -> Iterator[ThreadsRow]:
    works: list[tuple[str, object, Method, float]] = []
    if NETS.is_dir():
        table = read_labels("alarm", 20_000).astype("category")
        works += [("alarm, 20,000 × 37", table, method, 0.1) for method in ("ges", "hc", "tabu")]
    sizes = [(50, 100, 2, 1.0)] if is_quick else [(100, 200, 0, 1.0), (500, 500, 2, 5.0), (1_000, 1_000, 2, 20.0)]
    for columns, rows, degree, at_most in sizes:
        kind = f"degree {degree}" if degree else "noise"
        works.append((f"{rows:,} × {columns:,} normal, {kind}", _normal(columns, rows, degree), "ges", at_most))
    for title, data, method, at_most in works:
        seconds, found = [], []
        for threads in (1, 2):
            db.set_threads(threads)
            run = partial(db.search, data, method=method)
            start = perf_counter()
            found.append(run())
            once = perf_counter() - start
            seconds.append(once if once > 1 else measure(clock(run), 5))  # what takes seconds is run once
        db.set_threads(None)
        best = found[0]
        if best != found[1]:
            raise ParityError(f"{title}, {method}: two threads find another graph than one.")
        if not np.isclose(db.score_graph(best.dag, data), best.score or 0.0, rtol=1e-9):
            raise ParityError(f"{title}, {method}: the score is not that of the graph.")
        yield ThreadsRow(title, method, len(best.graph.edges), seconds[0], seconds[1], at_most)


def _normal(columns: int, rows: int, degree: int) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Rows of a random linear graph, its variables in a random order."""
    rng = np.random.default_rng(_SEED)
    values = rng.normal(size=(rows, columns))
    for child in range(columns):
        parents = np.flatnonzero(rng.random(child) < degree / (columns - 1))
        values[:, child] += values[:, parents] @ (rng.choice([-1, 1], len(parents)) * rng.uniform(0.5, 1, len(parents)))
    return values[:, rng.permutation(columns)]


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
