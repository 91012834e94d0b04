"""The section `graph-accuracy`: PC on samples of known networks, beside causal-learn's PC on the same rows.

Rows are drawn from six networks, with seeds that were not used to choose any setting; both use G² at the same alpha.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
import pandas as pd

import deciban as db
from benchmarks.graphs.peers import Marks, causal_learn, distance, marks_of, skeleton_f1
from benchmarks.graphs.samples import draw_codes
from benchmarks.harness.machine import describe_machine, missing_peer
from benchmarks.harness.options import Options
from benchmarks.harness.paths import NETS
from benchmarks.harness.report import markdown_table, yes_or_no
from benchmarks.harness.results import show

__all__ = ["Accuracy", "run"]

_NAMES = ("alarm", "insurance", "child", "hailfinder", "hepar2", "win95pts")
_ALPHAS = (0.01, 0.05)
_SEEDS = (301, 302, 303, 304, 305)
_ROWS = 10_000
_WANTED = 5

_INTRO = """Measured with `python -m benchmarks --only graph-accuracy` on {machine}. {rows:,} rows are drawn from each
of six networks, {seeds} times (seeds {first} to {last}; no setting was chosen on these: the rule for colliders was
chosen on seeds 1 to 5 of the same networks). deciban is `db.discover(rows, alpha=alpha)`, causal-learn its `pc(rows,
alpha, "gsq")`: both PC-stable by G², on the same rows. F1 is that of the skeleton. The structural Hamming distance
(SHD) counts the pairs of nodes that the CPDAG found and the true one connect differently. Both are means, with the
standard deviation over the draws after ±.
"""
_HEAD = ("network", "alpha", "deciban F1", "causal-learn F1", "deciban SHD", "causal-learn SHD", "closer?")


class Accuracy(NamedTuple):
    """F1 and distance of each draw, for both libraries; empty for causal-learn where it is not installed."""

    title: str
    alpha: float
    f1: tuple[list[float], list[float]]
    shd: tuple[list[float], list[float]]

    @property
    def lead(self) -> float:
        """By how much deciban's mean distance is smaller; 0 where both are equal."""
        return float(np.mean(self.shd[1]) - np.mean(self.shd[0]))

    def figures(self) -> tuple[str, ...]:
        """The row as text, without its title."""
        has_peer = bool(self.shd[1])
        f1 = [f"{np.mean(side):.3f} ± {np.std(side):.3f}" if side else "not installed" for side in self.f1]
        shd = [f"{np.mean(side):.1f} ± {np.std(side):.1f}" if side else "not installed" for side in self.shd]
        return (
            f"{self.alpha:g}",
            *f1,
            *shd,
            ("equal" if self.lead == 0 else yes_or_no(self.lead > 0)) if has_peer else "—",
        )


def run(options: Options) -> str:
    """Draw, discover and score; the quick form has one draw and one alpha."""
    numbers = {"rows": _ROWS, "seeds": len(_SEEDS), "first": _SEEDS[0], "last": _SEEDS[-1]}
    intro = _INTRO.format(machine=describe_machine(), **numbers)
    if not NETS.is_dir():
        return f"{intro}\nNot measured: `../shared/data/nets` is absent.\n"
    seeds, alphas = (_SEEDS[:1], _ALPHAS[:1]) if options.is_quick else (_SEEDS, _ALPHAS)
    rows = []
    for row in _compare(seeds, alphas):
        rows.append(row)
        show(row, options.console)
    return "\n".join([intro, markdown_table(_HEAD, rows), *_verdicts(rows)])


def _verdicts(rows: Sequence[Accuracy]) -> Iterator[str]:
    for alpha in dict.fromkeys(row.alpha for row in rows if row.shd[1]):
        own = [row for row in rows if row.alpha == alpha]
        won, lost = sum(row.lead > 0 for row in own), [row.title for row in own if row.lead < 0]
        equal = [row.title for row in own if row.lead == 0]
        parts = [f"At alpha {alpha:g} deciban has the smaller mean distance on {won} of {len(own)} (wanted: {_WANTED})"]
        parts += [f"an equal one on {', '.join(equal)}"] if equal else []
        parts += [f"a larger one on {', '.join(lost)}"] if lost else []
        yield "; ".join(parts) + ".\n"


def _compare(seeds: Sequence[int], alphas: Sequence[float]) -> Iterator[Accuracy]:
    for alpha, name in product(alphas, _NAMES):
        net = db.read_net(NETS / f"{name}.bif.gz")
        true = marks_of(net.dag.cpdag())
        samples = [pd.DataFrame(draw_codes(net, _ROWS, seed)) for seed in seeds]
        ours = [marks_of(db.discover(sample, alpha=alpha).graph) for sample in samples]
        theirs = [causal_learn(sample.to_numpy(), alpha) for sample in samples if not missing_peer("causal-learn")]
        yield Accuracy(name, alpha, _both(skeleton_f1, ours, theirs, true), _both(distance, ours, theirs, true))


def _both(
    measure: Callable[[Marks, Marks], float], ours: list[Marks], theirs: list[Marks], true: Marks
) -> tuple[list[float], list[float]]:
    return [measure(found, true) for found in ours], [measure(found, true) for found in theirs]
