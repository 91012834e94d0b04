"""Confidence in an edge: how often it is found in bootstrap samples (Friedman, Goldszmidt and Wyner 1999)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from deciban.choices import counted
from deciban.errors import ParameterError
from deciban.nets.graphs.base import Edge, Node

if TYPE_CHECKING:
    from deciban.nets.discovery.result import Discovery

__all__ = ["Confidence", "bootstrap"]


@dataclass(frozen=True, eq=False)
class Confidence:
    """The share of draws with an edge between two nodes, and with each arrow.

    ``edges[x, y]`` has x before y in the order of the nodes; ``arrows[x, y]`` is x → y.
    """

    nodes: tuple[Node, ...]
    draws: int
    edges: dict[Edge, float]
    arrows: dict[Edge, float]

    def edge(self, x: Node, y: Node) -> float:
        """How often x and y are adjacent."""
        return self.edges.get((x, y), self.edges.get((y, x), 0.0))

    def arrow(self, x: Node, y: Node) -> float:
        """How often x → y."""
        return self.arrows.get((x, y), 0.0)

    def __repr__(self) -> str:
        rows = sorted(self.edges.items(), key=lambda item: -item[1])
        lines = [
            f"{x} — {y}: {share:.2f} ({x} → {y} {self.arrow(x, y):.2f}, {y} → {x} {self.arrow(y, x):.2f})"
            for (x, y), share in rows
        ]
        return "\n".join([f"Confidence from {counted(self.draws, 'draw')}", *lines])


def bootstrap(found: Discovery, n: int, random_state: int | np.random.Generator | None) -> Confidence:
    """Search n times on reweighted rows."""
    if n < 1:
        raise ParameterError(f"n is a number of draws, at least 1, not {n!r}.")
    test = found.test
    if not hasattr(test, "reweighted") or found.again is None:
        raise ParameterError("there are no rows to resample: the graph was found from an oracle.")
    rng = np.random.default_rng(random_state)
    size = len(test.sample)
    own = np.ones(size) if test.sample.sample_weight is None else test.sample.sample_weight
    edges = np.zeros((len(found.graph.nodes),) * 2)
    arrows = edges.copy()
    for _ in range(n):
        drawn = rng.multinomial(size, np.full(size, 1 / size)).astype(np.float64)
        # A row drawn twice is not two independent rows: without Kish's effective sample size (1965) the χ² of
        # independent variables would be about twice what it should be.
        drawn *= drawn.sum() / (drawn**2).sum()
        graph = found.again(test.reweighted(drawn * own)).graph
        matrix = graph.adjacency()
        edges += matrix | matrix.T
        arrows += matrix & ~matrix.T
    return Confidence(found.graph.nodes, n, *_named(found.graph.nodes, edges / n, arrows / n))


def _named(
    nodes: tuple[Node, ...], edges: np.ndarray, arrows: np.ndarray
) -> tuple[dict[Edge, float], dict[Edge, float]]:
    joined = {(nodes[i], nodes[j]): float(edges[i, j]) for i, j in np.argwhere(np.triu(edges, 1) > 0)}
    return joined, {(nodes[i], nodes[j]): float(arrows[i, j]) for i, j in np.argwhere(arrows > 0)}
