"""Exact inference against pyAgrum's lazy propagation, on the networks of the repository of Bayesian networks.

A case is a row drawn from the net of which a fifth of the nodes, taken by lot, is observed; all other nodes' beliefs
are asked for. Both libraries have compiled or built the net before, and get the same numbers. Parity comes first:
every belief of every case agrees to 1e-6.
"""

from __future__ import annotations

import json
import math
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.console import Console

import deciban as db
from benchmarks.machine import describe_machine, others_since, read_usage
from benchmarks.memory import measure_rise
from benchmarks.promises import check
from benchmarks.report import digits, markdown_table, yes_or_no
from deciban.nets import Network
from deciban.nets.inference.trees.clique_tree import CliqueTree

__all__ = ["Agrum", "Findings", "measure_inference", "render_inference"]

_ROOT = Path(__file__).resolve().parents[1]
_NETS = _ROOT.parent / "shared" / "data" / "nets"
_SAME, _OBSERVED, _SEED = 1e-6, 0.2, 11
_AT_LEAST, _NOT_BELOW = 3.0, 1.0
_LIMIT_GIB = 8

# Cases and rounds of each net: fewer where a case takes pyAgrum seconds.
_RACES = {
    "alarm": (100, 5), "hailfinder": (100, 5), "hepar2": (100, 3), "win95pts": (100, 3), "andes": (100, 1),
    "pigs": (100, 1), "water": (100, 1), "munin": (5, 1), "munin1": (10, 1), "diabetes": (10, 1), "barley": (30, 1),
    "mildew": (50, 1), "pathfinder": (50, 1),
}  # fmt: skip
_LARGE = ("link", "munin2", "munin3", "munin4")
_LARGE_CASES = 20

_INTRO = """## Exact inference against pyAgrum

Measured with `python -m benchmarks --only inference` on {machine}.{others}

All beliefs after fresh evidence: each case is a row drawn from the net with a fifth of its nodes observed, by lot.
deciban's tree is compiled once and pyAgrum's `LazyPropagation` made once, and neither is in the times; both get the
same numbers, and all beliefs of all cases agree to 1e-6. Times are milliseconds a case: the total over the cases, which
both libraries take in turns, one at a time, and the median of the rounds. "Batch" is one call for all cases. A ratio is
pyAgrum's total over deciban's; nets on which pyAgrum takes seconds a case have fewer cases. Memory is the rise of the
peak resident size in a fresh process that builds or compiles the net and works through two cases.
"""
_MEAN = """Geometric means of the ratios: {mean:.0f}× one case at a time (at least {least:g}×: {holds}), {batch:.0f}×
in a batch.
"""
_LARGE_INTRO = """The largest nets, by deciban alone: time to compile, all beliefs with nothing observed, all beliefs
with a fifth observed (a batch of {cases}, milliseconds a case), and the rise of the peak resident size in a fresh
process over compiling and both. pyAgrum was killed at 24 GiB on link, elsewhere on this class of machine; it is not run
here.
"""
_RACE_HEAD = ("net", "cases", "entries", "pyAgrum ms", "deciban ms", "ratio", "at least", "holds?", "batch ms", "ratio",
              "pyAgrum MB", "deciban MB")  # fmt: skip
_LARGE_HEAD = ("net", "nodes", "entries", "compile s", "nothing observed ms", "a fifth observed ms", "peak MB",
               f"under {_LIMIT_GIB} GiB?")  # fmt: skip

Cases = NDArray[np.int32]


class Race(NamedTuple):
    """Seconds a case of each side, and what each adds to memory."""

    title: str
    cases: int
    cells: int
    peer: float
    single: float
    batch: float
    peer_peak: int
    peak: int

    def figures(self) -> tuple[str, ...]:
        """The row as text, its name aside."""
        ratio = self.peer / self.single
        times = f"{digits(1000 * self.peer)}", f"{digits(1000 * self.single)}"
        peaks = f"{self.peer_peak / 1e6:.0f}", f"{self.peak / 1e6:.0f}"
        batch = digits(1000 * self.batch), f"{digits(self.peer / self.batch)}×"
        holds = yes_or_no(ratio >= _NOT_BELOW)
        race = *times, f"{digits(ratio)}×", f"{_NOT_BELOW:g}×", holds
        return str(self.cases), f"{self.cells:,}", *race, *batch, *peaks


class Large(NamedTuple):
    """What a large net takes."""

    title: str
    nodes: int
    cells: int
    compiling: float
    nothing: float
    case: float
    peak: int

    def figures(self) -> tuple[str, ...]:
        """The row as text, its name aside."""
        times = f"{self.compiling:.1f}", digits(1000 * self.nothing), digits(1000 * self.case)
        holds = yes_or_no(self.peak < _LIMIT_GIB << 30)
        return str(self.nodes), f"{self.cells:,}", *times, f"{self.peak / 1e6:.0f}", holds


class Findings(NamedTuple):
    """All that was measured; `notes` say what was not, and why."""

    races: list[Race]
    large: list[Large]
    notes: list[str]
    others: float | None


def measure_inference(console: Console, scale: float = 1.0) -> Findings:
    """Check parity and time each net, then weigh; nothing but a note where the nets or pyAgrum are absent."""
    if not _NETS.is_dir():
        return Findings([], [], ["Not measured: `../shared/data/nets` is absent."], None)
    start = read_usage()
    races, notes = [], []
    if find_spec("pyagrum") is None:
        notes.append("pyAgrum is not installed, and not compared.")
    else:
        for name, (cases, rounds) in _RACES.items():
            races.append(_race(name, max(2, int(cases * scale)), rounds))
            console.print(f"[bold]{name}[/]: {', '.join(races[-1].figures())}")
    large = []
    for name in _LARGE if scale == 1 else _LARGE[1:2]:
        large.append(Large(name, *_in_fresh_process(name, "large")))
        console.print(f"[bold]{name}[/]: {', '.join(large[-1].figures())}")
    return Findings(races, large, notes, others_since(start))


def render_inference(found: Findings) -> str:
    """The section, in Markdown."""
    others = "" if found.others is None else f" Other processes took {100 * found.others:.0f} % of it meanwhile."
    parts = [_INTRO.format(machine=describe_machine(), others=others)]
    if found.races:
        mean = math.exp(statistics.fmean(math.log(row.peer / row.single) for row in found.races))
        batch = math.exp(statistics.fmean(math.log(row.peer / row.batch) for row in found.races))
        parts.append(markdown_table(_RACE_HEAD, found.races))
        parts.append(_MEAN.format(mean=mean, least=_AT_LEAST, holds=yes_or_no(mean >= _AT_LEAST), batch=batch))
    if found.large:
        parts += [_LARGE_INTRO.format(cases=_LARGE_CASES), markdown_table(_LARGE_HEAD, found.large)]
    return "\n".join([*parts, *(f"{note}\n" for note in found.notes)])


def _read(name: str) -> tuple[Network, Callable[[int], Cases]]:
    """A net, and a function that draws cases."""
    net = db.read_net(_NETS / f"{name}.bif.gz")
    network = net.network

    def draw(count: int) -> Cases:
        codes = net.sample(count, _SEED, as_="codes")
        is_seen = np.random.default_rng(_SEED).random(codes.shape) < _OBSERVED
        return np.where(is_seen, codes, -1).astype(np.int32)

    return network, draw


# Against pyAgrum -----------------------------------------------------------------------------------------------------


class Agrum:
    """The same net in pyAgrum, built from the numbers deciban computes with; its reader of files takes float32."""

    def __init__(self, network: Network) -> None:
        gum = import_module("pyagrum")
        self._net = gum.BayesNet()
        for place, card in enumerate(network.cards):
            self._net.add(gum.LabelizedVariable(f"n{place}", f"n{place}", [str(code) for code in range(card)]))
        for family in network.families:
            for parent in family[:-1]:
                self._net.addArc(f"n{parent}", f"n{family[-1]}")
        for family, factor in zip(network.families, network.factors, strict=True):
            table = self._net.cpt(f"n{family[-1]}")
            axes = [family.index(int(name[1:])) for name in reversed(table.names)]
            table.fillWith(np.transpose(factor, axes).ravel().tolist())
        self._engine = gum.LazyPropagation(self._net)
        self._names = [f"n{place}" for place in range(len(network.nodes))]

    def ask(self, case: Cases) -> list[Any]:
        """All posteriors after fresh evidence."""
        self._engine.setEvidence({f"n{place}": int(code) for place, code in enumerate(case) if code >= 0})
        self._engine.makeInference()
        return [self._engine.posterior(name) for name in self._names]


def _race(name: str, count: int, rounds: int) -> Race:
    network, draw = _read(name)
    cases = draw(count)
    tree, peer = CliqueTree.compile(network), Agrum(network)
    totals: list[tuple[float, float, float]] = []
    for turn in range(rounds):
        tree = tree.with_network(network)  # one that remembers nothing of earlier cases
        seconds = {peer.ask: 0.0, tree.marginals: 0.0}
        for row, case in enumerate(cases):
            answers: dict[object, Any] = {}
            asks = [(peer.ask, case), (tree.marginals, cases[row : row + 1])]
            for ask, given in reversed(asks) if (row + turn) % 2 else asks:
                start = time.perf_counter()
                answers[ask] = ask(given)  # type: ignore[operator]
                seconds[ask] += time.perf_counter() - start
            theirs = np.concatenate([belief.toarray() for belief in answers[peer.ask]])
            check(f"pyAgrum on {name}, case {row}", answers[tree.marginals][1][0], theirs, _SAME)
        anew = tree.with_network(network)
        start = time.perf_counter()
        anew.marginals(cases)
        totals.append((seconds[peer.ask], seconds[tree.marginals], time.perf_counter() - start))
    theirs, single, batch = (statistics.median(column) / count for column in zip(*totals, strict=True))
    peaks = int(_in_fresh_process(name, "peer")[0]), int(_in_fresh_process(name, "ours")[0])
    return Race(name, count, tree.cost.cells, theirs, single, batch, *peaks)


# In fresh processes --------------------------------------------------------------------------------------------------


def _in_fresh_process(name: str, what: str) -> Sequence[Any]:
    command = [sys.executable, "-m", "benchmarks.inference", name, what]
    run = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=_ROOT)
    return tuple(json.loads(run.stdout))


def _measure(name: str, what: str) -> tuple[float, ...]:
    network, draw = _read(name)
    cases = draw(_LARGE_CASES)
    if what == "large":
        return _measure_large(network, cases)
    Agrum(_read("asia")[0]) if what == "peer" else CliqueTree.compile(_read("asia")[0])  # the libraries themselves

    def work() -> object:
        if what == "ours":
            tree = CliqueTree.compile(network)
            return tree, [tree.marginals(cases[row : row + 1]) for row in range(2)]
        peer = Agrum(network)
        return peer, [peer.ask(case) for case in cases[:2]]

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
