"""How near to the truth PC comes on samples of known networks, beside causal-learn's PC on the same rows.

Rows are drawn from six networks with seeds on which nothing was settled; both run by G² at the same alpha.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from rich.console import Console

import deciban as db
from benchmarks.draws import draw_codes
from benchmarks.graph_peers import Marks, causal_learn, distance, is_installed, marks_of, skeleton_f1
from benchmarks.machine import describe_machine
from benchmarks.report import markdown_table, yes_or_no

__all__ = ["NETWORKS", "Accuracy", "compare_graphs", "render_graph_accuracy"]

NETWORKS = Path(__file__).resolve().parents[2] / "shared" / "data" / "nets"
_NAMES = ("alarm", "insurance", "child", "hailfinder", "hepar2", "win95pts")
_ALPHAS = (0.01, 0.05)
_SEEDS = (301, 302, 303, 304, 305)
_ROWS = 10_000
_WANTED = 5

_INTRO = """## Accuracy of discovered graphs

Measured with `python -m benchmarks --only graph-accuracy` on {machine}. {rows:,} rows are drawn from each of six
networks, {seeds} times (seeds {first} to {last}; nothing was settled on these: the rule for common
effects was, on seeds 1 to 5 of the same networks). deciban is `db.discover(rows, alpha=alpha)`, causal-learn its
`pc(rows, alpha, "gsq")`: PC-stable by G² both, on the same rows. F1 is of the skeleton, the distance (SHD) counts pairs
that the CPDAG found and the true one join differently; both are means, the standard deviation of the draws after ±.
"""
_HEAD = ("network", "alpha", "deciban F1", "causal-learn F1", "deciban SHD", "causal-learn SHD", "nearer?")


class Accuracy(NamedTuple):
    """F1 and distance of each draw, for both; nothing of causal-learn where it is not installed."""

    title: str
    alpha: float
    f1: tuple[list[float], list[float]]
    shd: tuple[list[float], list[float]]

    @property
    def lead(self) -> float:
        """By how much deciban is nearer in the mean; 0 where both are equally far."""
        return float(np.mean(self.shd[1]) - np.mean(self.shd[0]))

    def figures(self) -> tuple[str, ...]:
        """The row as text, its name aside."""
        has_peer = bool(self.shd[1])
        f1 = [f"{np.mean(side):.3f} ± {np.std(side):.3f}" if side else "not installed" for side in self.f1]
        shd = [f"{np.mean(side):.1f} ± {np.std(side):.1f}" if side else "not installed" for side in self.shd]
        return (
            f"{self.alpha:g}",
            *f1,
            *shd,
            ("equal" if self.lead == 0 else yes_or_no(self.lead > 0)) if has_peer else "—",
        )


def compare_graphs(console: Console, *, is_quick: bool = False) -> list[Accuracy]:
    """Draw, search and score; `is_quick`: one draw, one alpha. Nothing where the networks are absent."""
    seeds, alphas = (_SEEDS[:1], _ALPHAS[:1]) if is_quick else (_SEEDS, _ALPHAS)
    rows = []
    for row in _compare(seeds, alphas) if NETWORKS.is_dir() else ():
        rows.append(row)
        console.print(f"[bold]{row.title}[/]: {', '.join(row.figures())}")
    return rows


def render_graph_accuracy(rows: Sequence[Accuracy]) -> str:
    """The section, in Markdown."""
    numbers = {"rows": _ROWS, "seeds": len(_SEEDS), "first": _SEEDS[0], "last": _SEEDS[-1]}
    intro = _INTRO.format(machine=describe_machine(), **numbers)
    if not rows:
        return f"{intro}\nNot measured: `../shared/data/nets` is absent.\n"
    return "\n".join([intro, markdown_table(_HEAD, rows), *_verdicts(rows)])


def _verdicts(rows: Sequence[Accuracy]) -> Iterator[str]:
    for alpha in dict.fromkeys(row.alpha for row in rows if row.shd[1]):
        own = [row for row in rows if row.alpha == alpha]
        won, lost = sum(row.lead > 0 for row in own), [row.title for row in own if row.lead < 0]
        equal = [row.title for row in own if row.lead == 0]
        parts = [f"At alpha {alpha:g} deciban is nearer in the mean on {won} of {len(own)} (wanted: {_WANTED})"]
        parts += [f"equally far on {', '.join(equal)}"] if equal else []
        parts += [f"farther on {', '.join(lost)}"] if lost else []
        yield "; ".join(parts) + ".\n"


def _compare(seeds: Sequence[int], alphas: Sequence[float]) -> Iterator[Accuracy]:
    for alpha, name in product(alphas, _NAMES):
        net = db.read_net(NETWORKS / f"{name}.bif.gz")
        true = marks_of(net.dag.cpdag())
        samples = [pd.DataFrame(draw_codes(net, _ROWS, seed)) for seed in seeds]
        ours = [marks_of(db.discover(sample, alpha=alpha).graph) for sample in samples]
        theirs = [causal_learn(sample.to_numpy(), alpha) for sample in samples if is_installed("causal-learn")]
        yield Accuracy(name, alpha, _both(skeleton_f1, ours, theirs, true), _both(distance, ours, theirs, true))


def _both(
    measure: Callable[[Marks, Marks], float], ours: list[Marks], theirs: list[Marks], true: Marks
) -> tuple[list[float], list[float]]:
    return [measure(found, true) for found in ours], [measure(found, true) for found in theirs]
