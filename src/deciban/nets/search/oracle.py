"""Greedy equivalence search without a sample: d-separation in a graph says which variables are dependent.

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

import numpy as np

from deciban.nets.graphs.bits import bits, topological
from deciban.nets.graphs.graph import DAG
from deciban.nets.graphs.separation import reached
from deciban.nets.search.ges import Arrival
from deciban.types import Floats

__all__ = ["FromGraph"]

_LEAST = 1e-6
_WEIGHT = 0.8


class FromGraph:
    """Gains as d-separation in a graph says them."""

    scale = 1.0

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
