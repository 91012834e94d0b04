"""The section `inference`: exact inference against pyAgrum's lazy propagation, on the networks of bnlearn's site.

A case is a row drawn from the net of which a fifth of the nodes, chosen at random, is observed; the posteriors of all
nodes are computed. Both libraries have compiled or built the net before, and get the same numbers. Parity comes first:
every posterior of every case agrees to 1e-6. ``python -m benchmarks.inference.exact link large`` measures one net in a
fresh interpreter.
"""

from __future__ import annotations

import json
import math
import statistics
import sys
import time
from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

import deciban as db
from benchmarks.harness.machine import describe_machine, describe_others, missing_peer, others_since, read_usage
from benchmarks.harness.memory import measure_rise, run_fresh
from benchmarks.harness.options import Options
from benchmarks.harness.parity import check_posteriors
from benchmarks.harness.paths import NETS
from benchmarks.harness.report import digits, markdown_table, yes_or_no
from benchmarks.harness.results import show
from benchmarks.inference.agrum import Agrum, Cases
from deciban.nets import Network
from deciban.nets.inference.clique_tree import CliqueTree

__all__ = ["Large", "Race", "run"]

_SAME, _OBSERVED, _SEED = 1e-6, 0.2, 11
_MEAN_AT_LEAST, _AT_LEAST = 3.0, 1.0
_LIMIT_GIB = 8
_MODULE = "benchmarks.inference.exact"

# Cases and rounds of each net: fewer where pyAgrum takes seconds for a case.
_RACES = {
    "alarm": (100, 5), "hailfinder": (100, 5), "hepar2": (100, 3), "win95pts": (100, 3), "andes": (100, 1),
    "pigs": (100, 1), "water": (100, 1), "munin": (5, 1), "munin1": (10, 1), "diabetes": (10, 1), "barley": (30, 1),
    "mildew": (50, 1), "pathfinder": (50, 1),
}  # fmt: skip
_LARGE = ("link", "munin2", "munin3", "munin4")
_LARGE_CASES = 20

_INTRO = """Measured with `python -m benchmarks --only inference` on {machine}.{others}

All posteriors after fresh evidence: each case is a row drawn from the net with a fifth of its nodes observed, chosen at
random. deciban's tree is compiled once and pyAgrum's `LazyPropagation` made once, and neither is in the times; both get
the same numbers, and all posteriors of all cases agree to 1e-6. Times are milliseconds per case: the total over the
cases, on which both libraries alternate, one case at a time, and the median of the rounds. "Batch" is one call for all
cases. A ratio is pyAgrum's total over deciban's; nets on which pyAgrum takes seconds for a case have fewer cases.
Memory is the rise of the peak resident size in a fresh process that builds or compiles the net and computes two cases.
"""
_MEAN = """Geometric means of the ratios: {mean:.0f}× one case at a time (at least {least:g}×: {holds}), {batch:.0f}×
in a batch.
"""
_LARGE_INTRO = """The largest nets, deciban only: time to compile, all posteriors with nothing observed, all posteriors
with a fifth observed (a batch of {cases}, milliseconds per case), and the rise of the peak resident size in a fresh
process over compiling and both. pyAgrum ran out of 24 GiB on link in another run on this class of machine; it is not
run here.
"""
_RACE_HEAD = ("net", "cases", "entries", "pyAgrum ms", "deciban ms", "ratio", "at least", "holds?", "batch ms", "ratio",
              "pyAgrum MB", "deciban MB")  # fmt: skip
_LARGE_HEAD = ("net", "nodes", "entries", "compile s", "nothing observed ms", "a fifth observed ms", "peak MB",
               f"under {_LIMIT_GIB} GiB?")  # fmt: skip


class Race(NamedTuple):
    """Seconds per case and peak memory of both libraries."""

    title: str
    cases: int
    cells: int
    peer: float
    single: float
    batch: float
    peer_peak: int
    peak: int

    def figures(self) -> tuple[str, ...]:
        """The row as text, without its title."""
        ratio = self.peer / self.single
        times = f"{digits(1000 * self.peer)}", f"{digits(1000 * self.single)}"
        peaks = f"{self.peer_peak / 1e6:.0f}", f"{self.peak / 1e6:.0f}"
        batch = digits(1000 * self.batch), f"{digits(self.peer / self.batch)}×"
        holds = yes_or_no(ratio >= _AT_LEAST)
        race = *times, f"{digits(ratio)}×", f"{_AT_LEAST:g}×", holds
        return str(self.cases), f"{self.cells:,}", *race, *batch, *peaks


class Large(NamedTuple):
    """Times and memory of a large net."""

    title: str
    nodes: int
    cells: int
    compiling: float
    nothing: float
    case: float
    peak: int

    def figures(self) -> tuple[str, ...]:
        """The row as text, without its title."""
        times = f"{self.compiling:.1f}", digits(1000 * self.nothing), digits(1000 * self.case)
        holds = yes_or_no(self.peak < _LIMIT_GIB << 30)
        return str(self.nodes), f"{self.cells:,}", *times, f"{self.peak / 1e6:.0f}", holds


def run(options: Options) -> str:
    """Check parity and time each net, then measure memory; only a note where the nets or pyAgrum are absent."""
    start = read_usage()
    races: list[Race] = []
    large: list[Large] = []
    notes = missing_peer("pyAgrum")
    if not NETS.is_dir():
        notes = ["Not measured: `../shared/data/nets` is absent."]
    if not notes:
        for name, (cases, rounds) in _RACES.items():
            races.append(_race(name, max(2, int(cases * options.scale)), rounds))
            show(races[-1], options.console)
    if NETS.is_dir():
        for name in _LARGE[1:2] if options.is_quick else _LARGE:
            large.append(Large(name, *run_fresh(_MODULE, name, "large")))
            show(large[-1], options.console)
    return _render(races, large, notes, others_since(start))


def _render(races: list[Race], large: list[Large], notes: list[str], others: float | None) -> str:
    parts = [_INTRO.format(machine=describe_machine(), others=describe_others(others))]
    if races:
        mean = math.exp(statistics.fmean(math.log(row.peer / row.single) for row in races))
        batch = math.exp(statistics.fmean(math.log(row.peer / row.batch) for row in races))
        parts.append(markdown_table(_RACE_HEAD, races))
        holds = yes_or_no(mean >= _MEAN_AT_LEAST)
        parts.append(_MEAN.format(mean=mean, least=_MEAN_AT_LEAST, holds=holds, batch=batch))
    if large:
        parts += [_LARGE_INTRO.format(cases=_LARGE_CASES), markdown_table(_LARGE_HEAD, large)]
    return "\n".join([*parts, *(f"{note}\n" for note in notes)])


def _read(name: str) -> tuple[Network, Callable[[int], Cases]]:
    """A net, and a function that draws cases."""
    net = db.read_net(NETS / f"{name}.bif.gz")
    network = net.network
    if not isinstance(network, Network):
        raise TypeError(f"{name} has numbers")

    def draw(count: int) -> Cases:
        codes = net.sample(count, random_state=_SEED, as_="codes")
        is_observed = np.random.default_rng(_SEED).random(codes.shape) < _OBSERVED
        return np.where(is_observed, codes, -1).astype(np.int32)

    return network, draw


# Against pyAgrum -----------------------------------------------------------------------------------------------------


def _race(name: str, count: int, rounds: int) -> Race:
    network, draw = _read(name)
    cases = draw(count)
    tree, peer = CliqueTree.compile(network), Agrum(network)
    totals: list[tuple[float, float, float]] = []
    for number in range(rounds):
        tree = tree.with_network(network)  # a tree without cached results of earlier cases
        seconds = {peer.posteriors: 0.0, tree.marginals: 0.0}
        for row, case in enumerate(cases):
            answers: dict[object, Any] = {}
            calls = [(peer.posteriors, case), (tree.marginals, cases[row : row + 1])]
            for call, given in reversed(calls) if (row + number) % 2 else calls:
                start = time.perf_counter()
                answers[call] = call(given)  # type: ignore[operator]
                seconds[call] += time.perf_counter() - start
            theirs = np.concatenate([posterior.toarray() for posterior in answers[peer.posteriors]])
            check_posteriors(f"pyAgrum on {name}, case {row}", answers[tree.marginals][1][0], theirs, _SAME)
        fresh = tree.with_network(network)
        start = time.perf_counter()
        fresh.marginals(cases)
        totals.append((seconds[peer.posteriors], seconds[tree.marginals], time.perf_counter() - start))
    theirs, single, batch = (statistics.median(column) / count for column in zip(*totals, strict=True))
    peaks = int(run_fresh(_MODULE, name, "peer")[0]), int(run_fresh(_MODULE, name, "ours")[0])
    return Race(name, count, tree.cost.cells, theirs, single, batch, *peaks)


# In fresh processes --------------------------------------------------------------------------------------------------


def _measure(name: str, what: str) -> tuple[float, ...]:
    network, draw = _read(name)
    cases = draw(_LARGE_CASES)
    if what == "large":
        return _measure_large(network, cases)
    Agrum(_read("asia")[0]) if what == "peer" else CliqueTree.compile(_read("asia")[0])  # imports are there already

    def work() -> object:
        if what == "ours":
            tree = CliqueTree.compile(network)
            return tree, [tree.marginals(cases[row : row + 1]) for row in range(2)]
        peer = Agrum(network)
        return peer, [peer.posteriors(case) for case in cases[:2]]

    return (measure_rise(work)[0],)


def _measure_large(network: Network, cases: Cases) -> tuple[float, ...]:
    marks: list[float] = []
    trees: list[CliqueTree] = []

    def work() -> object:
        marks.append(time.perf_counter())
        trees.append(CliqueTree.compile(network, limit=_LIMIT_GIB << 30))
        for codes in (np.full_like(cases[:1], -1), cases):
            marks.append(time.perf_counter())
            trees[0].marginals(codes)
        marks.append(time.perf_counter())
        return trees

    peak, _ = measure_rise(work)
    compiling, nothing, batch = (after - before for before, after in pairwise(marks))
    return len(network.nodes), trees[0].cost.cells, compiling, nothing, batch / len(cases), peak


if __name__ == "__main__":
    print(json.dumps(_measure(sys.argv[1], sys.argv[2])))
