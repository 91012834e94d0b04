"""Finding graphs: PC-stable by G² against causal-learn and pgmpy on the same rows, and the large networks.

causal-learn counts active rows and columns and takes what is determined as independent, as `db.discover` does by
default, so the skeletons must be equal before either is timed. Both get the same array of codes. pgmpy gets a frame of
text, as deciban then does; in its deprecated form it takes a minute, so that it is timed once, on one sample. bnlearn,
which is R's, is not run here: its figure was taken on two cores of this class of machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import product
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from rich.console import Console

import deciban as db
from benchmarks.graph_memory import NETWORKS, Cost, measure_cost, read_codes, read_labels
from benchmarks.graph_peers import causal_learn, differences, is_installed, marks_of, pgmpy, pgmpy_before
from benchmarks.graph_plots import BY_ROWS, BY_VARIABLES, draw_curves, measure_curves
from benchmarks.machine import describe_machine, others_since, read_usage
from benchmarks.parity import ParityError
from benchmarks.promises import clock, measure
from benchmarks.report import digits, markdown_table, yes_or_no
from benchmarks.timing import Clock, Seconds, alternate
from benchmarks.workloads import OURS, PEER

__all__ = ["Graphs", "measure_graphs", "render_graphs"]

_NAMES, _SIZES = ("alarm", "insurance", "hailfinder"), (5_000, 20_000)
_LARGE = (("andes", 3, 5.0), ("munin1", 2, None), ("link", 1, None))
_ALPHA = 0.01
_ROUNDS, _OURS_A_ROUND = 3, 7
_CAUSAL_LEARN, _PGMPY, _BNLEARN = "causal-learn", "pgmpy", "bnlearn, taken elsewhere"
_PGMPY_BEFORE = "pgmpy.estimators, deprecated"
_BNLEARN_SECONDS = 0.45
_AT_LEAST = {_CAUSAL_LEARN: 40.0, _PGMPY: 100.0, _PGMPY_BEFORE: 100.0, _BNLEARN: 8.0}
_MOST_MEGABYTES = 500.0

_INTRO = """## Speed and memory of `db.discover`

Measured with `python -m benchmarks --only graphs` on {machine}.{others}

PC-stable by G² at alpha 0.01, sets of every size. causal-learn and deciban get the same array of codes, which deciban
reads anew each time; before timing, their skeletons are equal. Times are medians of {rounds} alternating rounds after a
warm-up, one run of the peer and {ours} of deciban in each. pgmpy and deciban get the same frame of text; pgmpy's G² has
rules of its own (`tests/parity/test_pgmpy.py`), so that graphs differ; its deprecated form runs once. bnlearn is not
installed here: its time was taken on two cores of this class of machine, so that row is no race. "From text" is
deciban's time when the table comes as a pandas frame of text. Memory is the rise of the peak resident size over one
search in a fresh process.
"""
_TIMES = "peer ms", "deciban ms", "ratio", "at least", "holds?"
_HEAD = ("sample", "peer", *_TIMES, "from text ms", "peer MB", "deciban MB")
_LARGE_INTRO = """The large networks, 5,000 rows drawn from each, default settings but for `max_given`, one run in a
fresh process; memory is the peak of that whole process, with the libraries and the table.
"""
_LARGE_HEAD = ("work", "time", "at most", "holds?", "peak", "at most", "holds?")
_CURVES = f"""What PC costs as rows grow, and as variables do (5,000 rows of networks of {{few}} to {{many}} variables,
sets of up to two; causal-learn up to 76 variables, one run each):

![seconds against rows](figures/benchmarks/{BY_ROWS})
![seconds against variables](figures/benchmarks/{BY_VARIABLES})
"""


class GraphRow(NamedTuple):
    """One sample and one peer; no seconds where the peer is not installed."""

    title: str
    peer: str
    peer_seconds: float | None
    our_seconds: float
    from_text: float
    peer_rise: int | None
    our_rise: int

    def figures(self) -> tuple[str, ...]:
        """The row as text, its name aside."""
        at_least = _AT_LEAST[self.peer]
        theirs, ratio, holds = "not installed", "—", "—"
        if self.peer_seconds is not None:
            theirs = digits(1000 * self.peer_seconds)
            ratio = f"{digits(self.peer_seconds / self.our_seconds)}×"
            holds = yes_or_no(self.peer_seconds / self.our_seconds >= at_least)
        ours, text = digits(1000 * self.our_seconds), digits(1000 * self.from_text)
        memory = "—" if self.peer_rise is None else f"{self.peer_rise / 1e6:.0f}", f"{self.our_rise / 1e6:.1f}"
        return self.peer, theirs, ours, ratio, f"{at_least:g}×", holds, text, *memory


class LargeRow(NamedTuple):
    """One large network; `at_most` seconds are promised of some."""

    title: str
    cost: Cost
    at_most: float | None

    def figures(self) -> tuple[str, ...]:
        """The row as text, its name aside."""
        seconds, peak = self.cost.seconds, self.cost.peak / 1e6
        bound = ("—", "—") if self.at_most is None else (f"{self.at_most:g} s", yes_or_no(seconds <= self.at_most))
        memory = f"{peak:.0f} MB", f"{_MOST_MEGABYTES:g} MB", yes_or_no(peak <= _MOST_MEGABYTES)
        return f"{seconds:.3g} s", *bound, *memory


class Graphs(NamedTuple):
    """Everything that the section holds; `variables` are those of the smallest and the largest network drawn."""

    rows: list[GraphRow]
    large: list[LargeRow]
    variables: tuple[int, int]
    others: float | None


def measure_graphs(console: Console, *, is_quick: bool) -> Graphs:
    """Race, then weigh, then draw; nothing where the samples are absent. `is_quick`: one small sample, no figures."""
    if not NETWORKS.is_dir():
        return Graphs([], [], (0, 0), None)
    start = read_usage()
    rows = []
    for row in _races(_NAMES[:1] if is_quick else _NAMES, _SIZES[:1] if is_quick else _SIZES, is_quick=is_quick):
        rows.append(row)
        console.print(f"[bold]{row.title}[/]: {', '.join(row.figures())}")
    large = []
    for work in _weigh_large(_LARGE[:1] if is_quick else _LARGE):
        large.append(work)
        console.print(f"[bold]{work.title}[/]: {', '.join(work.figures())}")
    curves = measure_curves(is_quick=is_quick)
    if not is_quick:
        draw_curves(curves)
    sizes = [int(size) for size, _ in curves.by_variables["deciban"]]
    return Graphs(rows, large, (min(sizes), max(sizes)), others_since(start))


def render_graphs(found: Graphs) -> str:
    """The section, in Markdown."""
    others = "" if found.others is None else f" Other processes took {100 * found.others:.0f} % of it meanwhile."
    intro = _INTRO.format(machine=describe_machine(), others=others, rounds=_ROUNDS, ours=_OURS_A_ROUND)
    if not found.rows:
        return f"{intro}\nNot measured: `../shared/data/nets` is absent.\n"
    curves = _CURVES.format(few=found.variables[0], many=found.variables[1])
    tables = markdown_table(_HEAD, found.rows), _LARGE_INTRO, markdown_table(_LARGE_HEAD, found.large)
    return "\n".join([intro, *tables, curves])


def _races(names: Sequence[str], sizes: Sequence[int], *, is_quick: bool) -> Iterator[GraphRow]:
    for name, size in product(names, sizes):
        labels = read_labels(name, size)
        title = f"{name}, {size:,} × {labels.shape[1]}"
        seconds = _race(title, read_codes(name, size))
        from_text = measure(clock(partial(db.discover, labels)))
        ours = measure_cost(name, size, OURS)
        theirs = measure_cost(name, size, _CAUSAL_LEARN) if is_installed(_CAUSAL_LEARN) else None
        rise = None if theirs is None else theirs.rise
        yield GraphRow(title, _CAUSAL_LEARN, seconds.get(PEER), seconds[OURS], from_text, rise, ours.rise)
        if (name, size) == (_NAMES[0], _SIZES[0]):
            yield from _others(title, labels, seconds[OURS], from_text, ours.rise, is_quick=is_quick)


def _others(
    title: str, labels: pd.DataFrame, seconds: float, from_text: float, rise: int, *, is_quick: bool
) -> Iterator[GraphRow]:
    """pgmpy on the frame of text, in both its forms, and bnlearn as it was."""
    ours = _several(partial(db.discover, labels, alpha=_ALPHA), _OURS_A_ROUND)
    if is_installed(_PGMPY):
        now = alternate({PEER: clock(partial(pgmpy, labels, _ALPHA)), OURS: ours}, _ROUNDS)
        yield GraphRow(title, _PGMPY, now[PEER], now[OURS], from_text, None, rise)
        if not is_quick:
            once = clock(partial(pgmpy_before, labels, _ALPHA))()[0]
            yield GraphRow(title, _PGMPY_BEFORE, once, now[OURS], from_text, None, rise)
    else:
        yield GraphRow(title, _PGMPY, None, seconds, from_text, None, rise)
    yield GraphRow(title, _BNLEARN, _BNLEARN_SECONDS, seconds, from_text, None, rise)


def _race(title: str, codes: NDArray[np.int64]) -> Seconds:
    """Seconds of both, once their skeletons are equal; of deciban alone where causal-learn is not installed."""
    ours = _several(partial(db.discover, codes, alpha=_ALPHA), _OURS_A_ROUND)
    if not is_installed(_CAUSAL_LEARN):
        return alternate({OURS: ours}, _ROUNDS)
    apart = differences(marks_of(db.discover(codes, alpha=_ALPHA).graph), causal_learn(codes, _ALPHA))
    if apart:
        raise ParityError(f"{title}: {apart} edges differ from causal-learn's.")
    return alternate({PEER: clock(partial(causal_learn, codes, _ALPHA)), OURS: ours}, _ROUNDS)


def _several(task: Callable[[], object], times: int) -> Clock:
    one = clock(task)
    return lambda: [second for _ in range(times) for second in one()]


def _weigh_large(works: Sequence[tuple[str, int, float | None]]) -> Iterator[LargeRow]:
    for name, most, bound in works:
        yield LargeRow(f"{name}, max_given={most}", measure_cost(name, 5_000, OURS, most), bound)
