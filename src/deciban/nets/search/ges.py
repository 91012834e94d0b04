r"""Greedy equivalence search: steps between equivalence classes of DAGs (Chickering, 2002).

Forward phase, Insert(x, y, T): add x → y, and direct t → y for t ∈ T, neighbours of y that are not adjacent to x.
Backward phase, Delete(x, y, H): remove the edge between x and y, and direct y → h, and x — h as x → h, for h ∈ H,
neighbours of y that are adjacent to x. Each phase makes the best step until none raises the score. With N = the
neighbours of y that are adjacent to x, and P = the parents of y:

    Insert gains local(y, S ∪ x) − local(y, S), S = N ∪ T ∪ P          valid: N ∪ T is a clique, and
                                                                        blocks every semi-directed path from y to x
    Delete gains local(y, S \ x) − local(y, S ∪ x), S = (N \ H) ∪ P   valid: N \ H is a clique

With a large sample of a distribution that is faithful to a DAG, the result is the class of that DAG. Gains are cached;
a step recomputes only those of the pairs whose neighbourhoods it changed.

Greedy equivalence search without a sample: d-separation in a graph says which variables are dependent.

The search needs to know of a score only whether a parent gains, and in a large enough sample that is so exactly where x
and y are dependent given y's other parents (Chickering, 2002: local consistency). Here d-separation in the graph says
so. How much it gains only decides which step is made first: pairs that the graph joins, then the strongest partial
correlation in a linear model on the graph, as with data. That keeps the graphs on the way sparse, and the number of
steps that are possible small; whatever the order, the result is the class of the graph.

    gain = −½·log(1 − ρ²_xy·S) + [x and y are adjacent]  where they are d-connected given S,  −1 where they are not
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Protocol

import numpy as np

from deciban import _core
from deciban.nets.graphs.bits import bits, lists_of, masks_of, topological
from deciban.nets.graphs.dag import DAG
from deciban.nets.graphs.graph import Node
from deciban.nets.graphs.orientation import close
from deciban.nets.graphs.separation import reached
from deciban.nets.scores.protocol import Arrival, LocalScores, core_scores
from deciban.nets.search.result import Move, Progress
from deciban.nets.search.rules import Rules
from deciban.types import Floats, Ints

__all__ = ["FromGraph", "Gains", "directed_by", "ges"]


class Gains(Protocol):
    """The gain of each added parent, where it is not the difference of two local scores."""

    def gains(self, arrivals: Sequence[Arrival]) -> Floats: ...


def ges(
    source: LocalScores | Gains,
    scale: float,
    rules: Rules,
    report: Progress,
    names: Sequence[Node],
    start: Sequence[int] | None = None,
    phases: Sequence[str] = ("insert", "delete"),
) -> tuple[list[int], list[int], list[int], list[Move]]:
    """Arrows and undirected edges of the resulting class, a DAG of it, and the moves.

    `scale` is the size of the scores whose differences the gains are. The search begins with a graph `start`, given by
    its parents, or with the required arrows.
    """
    state = _core.EquivalenceSearch(
        _in_core(source, len(names)), *lists_of(rules.required), *lists_of(rules.forbidden), rules.most, scale
    )
    moves: list[Move] = []
    # In this order: with rows enough the first phase ends in a class that contains the distribution, the second in the
    # smallest such class (Chickering 2002).
    if start is not None:
        state.start(*lists_of(start))
    for kind in phases:
        while (step := state.step(kind == "insert")) is not None:
            gain, y, x, part = step
            moves.append(Move(kind, names[x], names[y], gain, tuple(names[node] for node in part)))
            report(moves[-1])
    up, free = map(masks_of, state.graph())
    dag = masks_of(state.dag())
    return *((up, free) if rules.is_free else directed_by(rules, up, free)), dag, moves


def _in_core(source: LocalScores | Gains, count: int) -> _core.Gains:
    if not hasattr(source, "gains"):
        return _core.score_gains(core_scores(source))

    def gains(children: Ints, added: Ints, starts: Ints, given: Ints) -> Floats:
        return source.gains(list(zip(children.tolist(), added.tolist(), masks_of((starts, given)), strict=True)))

    return _core.called_gains(count, gains)


def directed_by(rules: Rules, up: Sequence[int], free: Sequence[int]) -> tuple[list[int], list[int]]:
    """Direct the undirected edges that knowledge determines, and those that follow by Meek's rules."""
    arrows, lines = list(up), list(free)
    for node, mask in enumerate(free):
        for peer in bits(mask & (rules.required[node] | _forbidden_from(rules, node))):
            arrows[node] |= 1 << peer
            lines[node] &= ~(1 << peer)
            lines[peer] &= ~(1 << node)
    return close(arrows, lines)


def _forbidden_from(rules: Rules, node: int) -> int:
    """The nodes to which an arrow from this node is forbidden."""
    return sum(1 << peer for peer, mask in enumerate(rules.forbidden) if mask >> node & 1)


# Paths may cancel: what d-separation calls dependent gains at least this, so that the step is made.
# The result does not depend on the weight of the arrows, only the order of the steps does.
_LEAST = 1e-6
_WEIGHT = 0.8


class FromGraph:
    """Gains as d-separation in a graph says them."""

    def __init__(self, dag: DAG) -> None:
        self.dag = dag
        self._correlation = _correlations(dag._parent_masks)

    def gains(self, arrivals: Sequence[Arrival]) -> Floats:
        """What each arrival gains; all x with the same y and S are answered together."""
        alike: dict[tuple[int, int], list[int]] = defaultdict(list)
        for index, (y, _, given) in enumerate(arrivals):
            alike[y, given].append(index)
        out = np.empty(len(arrivals))
        for (y, given), indices in alike.items():
            connected = reached(self.dag, 1 << y, given)
            open_to = [index for index in indices if connected >> arrivals[index][1] & 1]
            out[indices] = -1.0
            if open_to:
                strength = self._strength(y, [arrivals[index][1] for index in open_to], given)
                is_edge = [self.dag._adjacent_masks[y] >> arrivals[index][1] & 1 for index in open_to]
                out[open_to] = np.maximum(strength, _LEAST) + np.array(is_edge)
        return out

    def _strength(self, y: int, xs: list[int], given: int) -> Floats:
        r = self._correlation
        inside = list(bits(given))
        toward = r[inside][:, [y, *xs]]
        weights = np.linalg.solve(r[inside][:, inside], toward)
        left = 1 - (toward * weights).sum(axis=0)
        shared = r[y, xs] - toward[:, 0] @ weights[:, 1:]
        # Guards against rounding, where S all but determines a variable: no division by 0, no logarithm of 0.
        squared = shared**2 / np.maximum(left[0] * left[1:], 1e-12)
        return -0.5 * np.log1p(-np.minimum(squared, 1 - 1e-12))


def _correlations(parents: Sequence[int]) -> Floats:
    """Correlations when each variable is a sum of its parents and noise."""
    r = np.eye(len(parents))
    before: list[int] = []
    for node in topological(parents):
        above = list(bits(parents[node]))
        toward = _WEIGHT * r[:, above].sum(axis=1)
        spread = np.sqrt(1 + _WEIGHT * toward[above].sum())
        r[node, before] = r[before, node] = toward[before] / spread
        before.append(node)
    return r
