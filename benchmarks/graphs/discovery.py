"""The section `graphs`: PC-stable by G² against causal-learn and pgmpy on the same rows, and on large networks.

causal-learn counts the rows and columns that occur and treats determined pairs as independent, as `db.discover` does by
default, so the skeletons must be equal before either is timed. Both get the same array of codes. pgmpy gets a frame of
text, as deciban then does; its deprecated form takes a minute, so it is timed once, on one sample. R's bnlearn is not
run here: its time was measured on two cores of this class of machine.

    python -m benchmarks.graphs.discovery alarm 5000 deciban        the first rows of a published sample
    python -m benchmarks.graphs.discovery andes 5000 deciban 3      rows drawn from a network, conditioning sets up to 3

prints the seconds of one run, the rise of the peak resident size over it, and the peak of the whole process.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import product
from typing import NamedTuple

import pandas as pd

import deciban as db
from benchmarks.graphs.peers import causal_learn, differences, marks_of, pgmpy, pgmpy_before
from benchmarks.graphs.plots import BY_ROWS, BY_VARIABLES, draw_curves, measure_curves
from benchmarks.graphs.samples import Codes, read_codes, read_labels
from benchmarks.harness.machine import describe_machine, describe_others, missing_peer, others_since, read_usage
from benchmarks.harness.memory import measure_rise, peak_of_process, run_fresh
from benchmarks.harness.options import Options
from benchmarks.harness.parity import ParityError
from benchmarks.harness.paths import NETS
from benchmarks.harness.report import digits, markdown_table, yes_or_no
from benchmarks.harness.results import show
from benchmarks.harness.timing import OURS, PEER, Clock, Task, alternate, clock, measure

__all__ = ["GraphRow", "LargeRow", "run"]

_NAMES, _SIZES = ("alarm", "insurance", "hailfinder"), (5_000, 20_000)
_LARGE = (("andes", 3, 5.0), ("munin1", 2, None), ("link", 1, None))
_ALPHA = 0.01
_ROUNDS, _OURS_PER_ROUND = 3, 7
_CAUSAL_LEARN, _PGMPY, _BNLEARN = "causal-learn", "pgmpy", "bnlearn, measured elsewhere"
_PGMPY_BEFORE = "pgmpy.estimators, deprecated"
_BNLEARN_SECONDS = 0.45
_AT_LEAST = {_CAUSAL_LEARN: 40.0, _PGMPY: 100.0, _PGMPY_BEFORE: 100.0, _BNLEARN: 8.0}
_MOST_MEGABYTES = 500.0

_INTRO = """Measured with `python -m benchmarks --only graphs` on {machine}.{others}

PC-stable by G² at alpha 0.01, conditioning sets of every size. causal-learn and deciban get the same array of codes,
which deciban reads again each time; before timing, their skeletons are equal. Times are medians of {rounds} alternating
rounds after a warm-up, one run of the peer and {ours} of deciban in each. pgmpy and deciban get the same frame of text;
pgmpy's G² has rules of its own (`tests/parity/test_pgmpy.py`), so the graphs differ; its deprecated form runs once.
bnlearn is not installed here: its time was measured in another run on two cores of this class of machine. "From text"
is deciban's time when the table is a pandas frame of text. Memory is the rise of the peak resident size over one run in
a fresh process.
"""
_TIMES = "peer ms", "deciban ms", "ratio", "at least", "holds?"
_HEAD = ("sample", "peer", *_TIMES, "from text ms", "peer MB", "deciban MB")
_LARGE_INTRO = """The large networks, 5,000 rows drawn from each, default settings except for `max_given`, one run in a
fresh process; memory is the peak of that whole process, with the libraries and the table.
"""
_LARGE_HEAD = ("work", "time", "at most", "holds?", "peak", "at most", "holds?")
_CURVES = f"""The time of PC against rows, and against variables (5,000 rows of networks of {{few}} to {{many}}
variables, conditioning sets up to two; causal-learn up to 76 variables, one run each):

![seconds against rows](figures/benchmarks/{BY_ROWS})
![seconds against variables](figures/benchmarks/{BY_VARIABLES})
"""


class Cost(NamedTuple):
    """Seconds, bytes above the resident size before, and bytes of the whole process at its highest."""

    seconds: float
    rise: int
    peak: int


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
        """The row as text, without its title."""
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
    """One large network; `at_most` seconds are promised for some."""

    title: str
    cost: Cost
    at_most: float | None

    def figures(self) -> tuple[str, ...]:
        """The row as text, without its title."""
        seconds, peak = self.cost.seconds, self.cost.peak / 1e6
        bound = ("—", "—") if self.at_most is None else (f"{self.at_most:g} s", yes_or_no(seconds <= self.at_most))
        memory = f"{peak:.0f} MB", f"{_MOST_MEGABYTES:g} MB", yes_or_no(peak <= _MOST_MEGABYTES)
        return f"{seconds:.3g} s", *bound, *memory


def run(options: Options) -> str:
    """Time, measure memory and draw; the quick form has one small sample and no figures."""
    if not NETS.is_dir():
        return f"{_intro(None)}\nNot measured: `../shared/data/nets` is absent.\n"
    start, is_quick = read_usage(), options.is_quick
    names, sizes, works = (_NAMES[:1], _SIZES[:1], _LARGE[:1]) if is_quick else (_NAMES, _SIZES, _LARGE)
    rows, large = [], []
    for row in _races(names, sizes, is_quick=is_quick):
        rows.append(row)
        show(row, options.console)
    for work in _measure_large(works):
        large.append(work)
        show(work, options.console)
    curves = measure_curves(is_quick=is_quick)
    if not is_quick:
        draw_curves(curves)
    variables = [int(size) for size, _ in curves.by_variables["deciban"]]
    tables = markdown_table(_HEAD, rows), _LARGE_INTRO, markdown_table(_LARGE_HEAD, large)
    return "\n".join([_intro(others_since(start)), *tables, _CURVES.format(few=min(variables), many=max(variables))])


def _intro(others: float | None) -> str:
    return _INTRO.format(
        machine=describe_machine(), others=describe_others(others), rounds=_ROUNDS, ours=_OURS_PER_ROUND
    )


def _races(names: Sequence[str], sizes: Sequence[int], *, is_quick: bool) -> Iterator[GraphRow]:
    for name, size in product(names, sizes):
        labels = read_labels(name, size)
        title = f"{name}, {size:,} × {labels.shape[1]}"
        seconds = _race(title, read_codes(name, size))
        from_text = measure(clock(partial(db.discover, labels)))
        ours = measure_cost(name, size, OURS)
        theirs = measure_cost(name, size, _CAUSAL_LEARN) if not missing_peer(_CAUSAL_LEARN) else None
        rise = None if theirs is None else theirs.rise
        yield GraphRow(title, _CAUSAL_LEARN, seconds.get(PEER), seconds[OURS], from_text, rise, ours.rise)
        if (name, size) == (_NAMES[0], _SIZES[0]):
            yield from _race_others(title, labels, seconds[OURS], from_text, ours.rise, is_quick=is_quick)


def _race_others(
    title: str, labels: pd.DataFrame, seconds: float, from_text: float, rise: int, *, is_quick: bool
) -> Iterator[GraphRow]:
    """pgmpy on the frame of text, in both its forms, and bnlearn's time from elsewhere."""
    ours = _several(partial(db.discover, labels, alpha=_ALPHA), _OURS_PER_ROUND)
    if not missing_peer(_PGMPY):
        now = alternate({PEER: clock(partial(pgmpy, labels, _ALPHA)), OURS: ours}, _ROUNDS)
        yield GraphRow(title, _PGMPY, now[PEER], now[OURS], from_text, None, rise)
        if not is_quick:
            once = clock(partial(pgmpy_before, labels, _ALPHA))()[0]
            yield GraphRow(title, _PGMPY_BEFORE, once, now[OURS], from_text, None, rise)
    else:
        yield GraphRow(title, _PGMPY, None, seconds, from_text, None, rise)
    yield GraphRow(title, _BNLEARN, _BNLEARN_SECONDS, seconds, from_text, None, rise)


def _race(title: str, codes: Codes) -> dict[str, float]:
    """Seconds of both, after a check that their skeletons are equal; only deciban's without causal-learn."""
    ours = _several(partial(db.discover, codes, alpha=_ALPHA), _OURS_PER_ROUND)
    if missing_peer(_CAUSAL_LEARN):
        return alternate({OURS: ours}, _ROUNDS)
    different = differences(marks_of(db.discover(codes, alpha=_ALPHA).graph), causal_learn(codes, _ALPHA))
    if different:
        raise ParityError(f"{title}: {different} edges differ from causal-learn's.")
    return alternate({PEER: clock(partial(causal_learn, codes, _ALPHA)), OURS: ours}, _ROUNDS)


def _several(task: Task, times: int) -> Clock:
    one = clock(task)
    return lambda: [second for _ in range(times) for second in one()]


def _measure_large(works: Sequence[tuple[str, int, float | None]]) -> Iterator[LargeRow]:
    for name, most, bound in works:
        yield LargeRow(f"{name}, max_given={most}", measure_cost(name, 5_000, OURS, most), bound)


def measure_cost(name: str, rows: int, contestant: str, max_given: int | None = None) -> Cost:
    """Measure in a fresh interpreter."""
    most = () if max_given is None else (max_given,)
    return Cost(*run_fresh("benchmarks.graphs.discovery", name, rows, contestant, *most))


def main() -> None:
    """Measure in this interpreter and print a Cost as JSON."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.graphs.discovery", description=main.__doc__)
    parser.add_argument("name")
    parser.add_argument("rows", type=int)
    parser.add_argument("contestant", choices=["deciban", "causal-learn"])
    parser.add_argument("max_given", type=int, nargs="?")
    given = parser.parse_args()
    codes = read_codes(given.name, given.rows)
    few = read_codes("asia", 500)
    seconds = []

    def run(rows: Codes) -> object:
        start = time.perf_counter()
        is_ours = given.contestant == "deciban"
        found: object = db.discover(rows, max_given=given.max_given) if is_ours else causal_learn(rows, 0.01)
        seconds.append(time.perf_counter() - start)
        return found

    run(few)  # imports and thread stacks are there already
    rise, _ = measure_rise(lambda: run(codes))
    print(json.dumps(Cost(seconds[-1], rise, peak_of_process())))


if __name__ == "__main__":
    main()
