"""The section `normal-graphs`: PC by Fisher's z on hundreds to thousands of normal variables.

Random graphs: each pair of variables, in a random order, has an edge with the same probability; a variable is the sum
of its parents, each times a coefficient of 0.3 to 1 with a random sign, and standard normal noise.

    python -m benchmarks.graphs.numbers 1000 4 2 1      1,000 variables of degree 4, 2 threads, sets of up to 1

measures one run in a process that may use 4 GB, its libraries and the table included.
"""

from __future__ import annotations

import argparse
import json
import time
from functools import partial
from typing import NamedTuple

import deciban as db
from benchmarks.graphs.peers import Marks, causal_learn, differences, marks_of
from benchmarks.graphs.samples import draw_numbers
from benchmarks.harness.machine import describe_machine, describe_others, missing_peer, others_since, read_usage
from benchmarks.harness.memory import limit_memory, peak_of_process, run_fresh
from benchmarks.harness.options import Options
from benchmarks.harness.parity import ParityError
from benchmarks.harness.report import digits, markdown_table, yes_or_no
from benchmarks.harness.results import Ratio, show
from benchmarks.harness.timing import clock, measure

__all__ = ["SizeRow", "run"]

_ROWS, _ALPHA, _SEED = 1_000, 0.01, 5_000
_PEER, _PEER_VARIABLES, _PEER_DEGREE, _AT_LEAST = "causal-learn", 200, 2, 50.0
_MOST_GIGABYTES = 4
_FASTER = 1.6

_INTRO = """Measured with `python -m benchmarks --only normal-graphs` on {machine}.{others}

PC-stable by Fisher's z at alpha 0.01, {rows:,} rows, all steps to the directed graph, the reading of the array too.
Graphs are random, of the given average number of neighbours (seed {seed}). Before timing, the skeleton is equal to that
of causal-learn, which runs once. R's pcalg is not compared: it could not be installed here.
"""
_HEAD = ("variables", "peer", "peer ms", "deciban ms", "ratio", "at least", "holds?")
_SIZES_INTRO = f"""Larger graphs, one run each in a fresh process that may use {_MOST_GIGABYTES} GB; memory is the peak
of that whole process, with the libraries and the table.
"""
_SIZES_HEAD = (
    "variables", "tests", "edges", "1 thread", "2 threads", "at most", "holds?", "ratio", "at least", "holds?", "peak",
)  # fmt: skip


class Work(NamedTuple):
    """A random graph, the largest conditioning sets, and the seconds that two threads may take."""

    variables: int
    degree: int
    max_given: int | None = None
    at_most: float | None = None

    @property
    def title(self) -> str:
        """What the table calls it."""
        bound = "" if self.max_given is None else f", max_given={self.max_given}"
        return f"{self.variables:,} of degree {self.degree}{bound}"


_WORKS = (Work(1_000, 2, None, 6.0), Work(1_000, 4, None, 6.0), Work(2_000, 4), Work(5_000, 4, 1, 60.0))
_QUICK_WORKS = (Work(300, 2, None, 6.0),)


class Run(NamedTuple):
    """One run: seconds, the peak of the process in bytes, and the size of what was found."""

    seconds: float
    peak: int
    tests: int
    edges: int


class SizeRow(NamedTuple):
    """One work, with one thread and with two."""

    work: Work
    one: Run
    two: Run

    @property
    def title(self) -> str:
        """What the table calls it."""
        return self.work.title

    def figures(self) -> tuple[str, ...]:
        """The row as text, without its title."""
        one, two, most = self.one, self.two, self.work.at_most
        bound = ("—", "—") if most is None else (f"{most:g} s", yes_or_no(two.seconds <= most))
        ratio = one.seconds / two.seconds
        times = f"{digits(one.seconds)} s", f"{digits(two.seconds)} s", *bound
        faster = f"{digits(ratio)}×", f"{_FASTER:g}×", yes_or_no(ratio >= _FASTER)
        return f"{two.tests:,}", f"{two.edges:,}", *times, *faster, f"{two.peak / 1e6:.0f} MB"


def run(options: Options) -> str:
    """Compare, then grow; the quick form has small graphs."""
    start = read_usage()
    rows = _race(60 if options.is_quick else _PEER_VARIABLES, _PEER_DEGREE)
    for row in rows:
        show(row, options.console)
    sizes = []
    for work in _QUICK_WORKS if options.is_quick else _WORKS:
        sizes.append(SizeRow(work, _fresh(work, 1), _fresh(work, 2)))
        show(sizes[-1], options.console)
    intro = _INTRO.format(
        machine=describe_machine(), others=describe_others(others_since(start)), rows=_ROWS, seed=_SEED
    )
    peers = markdown_table(_HEAD, rows) if rows else "Not compared: causal-learn is not installed.\n"
    return "\n".join([intro, peers, _SIZES_INTRO, markdown_table(_SIZES_HEAD, sizes)])


def _race(variables: int, degree: int) -> list[Ratio]:
    """Both on the same rows, after a check that their skeletons are equal; nothing without the peer."""
    if missing_peer(_PEER):
        return []
    table = draw_numbers(variables, _ROWS, degree, _SEED)
    found: list[Marks] = []
    seconds = clock(lambda: found.append(causal_learn(table, _ALPHA, test="fisherz")))()[0]
    different = differences(marks_of(db.discover(table, alpha=_ALPHA).graph), found[0])
    title = f"{variables} of degree {degree}"
    if different:
        raise ParityError(f"{title}: {different} edges differ from causal-learn's.")
    ours = measure(clock(partial(db.discover, table, alpha=_ALPHA)))
    return [Ratio(title, _PEER, seconds, ours, _AT_LEAST)]


def _fresh(work: Work, threads: int) -> Run:
    most = () if work.max_given is None else (work.max_given,)
    return Run(*run_fresh("benchmarks.graphs.numbers", work.variables, work.degree, threads, *most))


def main() -> None:
    """Measure in this interpreter and print a Run as JSON."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.graphs.numbers", description=main.__doc__)
    for name in ("variables", "degree", "threads"):
        parser.add_argument(name, type=int)
    parser.add_argument("max_given", type=int, nargs="?")
    given = parser.parse_args()
    limit_memory(_MOST_GIGABYTES)
    db.set_threads(given.threads)
    table = draw_numbers(given.variables, _ROWS, given.degree, _SEED)
    db.discover(table[:, :20], alpha=_ALPHA)  # imports and threads are there already
    start = time.perf_counter()
    found = db.discover(table, alpha=_ALPHA, max_given=given.max_given)
    seconds = time.perf_counter() - start
    edges = len(found.graph.directed_edges) + len(found.graph.undirected_edges)
    print(json.dumps(Run(seconds, peak_of_process(), found.tests, edges)))


if __name__ == "__main__":
    main()
