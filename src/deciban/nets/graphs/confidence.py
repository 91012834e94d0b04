"""Confidence in an edge: how often it is found in bootstrap samples (Friedman, Goldszmidt and Wyner 1999)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from deciban.choices import counted
from deciban.nets.graphs.graph import Edge, Graph, Node
from deciban.ties import largest_first

__all__ = ["Confidence"]


@dataclass(frozen=True, eq=False)
class Confidence:
    """The share of bootstrap samples with an edge between two nodes, and with each arrow.

    Attributes
    ----------
    nodes : tuple
        The nodes.
    draws : int
        The number of bootstrap samples.
    edges : dict
        ``edges[x, y]`` is the share with an edge between x and y, x before y in the order of the nodes.
    arrows : dict
        ``arrows[x, y]`` is the share with x → y.

    See Also
    --------
    SearchResult.bootstrap : Returns it.
    Discovery.bootstrap : Returns it.

    Examples
    --------
    >>> import deciban as db
    >>> rows = {
    ...     "rain": ["no", "no", "yes", "yes"] * 10,
    ...     "street": ["dry", "dry", "wet", "wet"] * 10,
    ... }
    >>> found = db.search(rows).bootstrap(20)
    >>> found
    Confidence from 20 draws
    rain — street: 1.00 (rain → street 0.00, street → rain 0.00)
    >>> found.edge("street", "rain"), found.arrow("rain", "street")
    (1.0, 0.0)
    """

    nodes: tuple[Node, ...]
    draws: int
    edges: dict[Edge, float]
    arrows: dict[Edge, float]

    @classmethod
    def of(cls, nodes: tuple[Node, ...], graphs: Iterable[Graph]) -> Confidence:
        """The shares in some graphs.

        Parameters
        ----------
        nodes : tuple
            The nodes.
        graphs : iterable of graphs
            One or more graphs of these nodes, in this order.

        Returns
        -------
        Confidence
        """
        edges = np.zeros((len(nodes),) * 2)
        arrows, draws = edges.copy(), 0
        for graph in graphs:
            matrix = graph.adjacency()
            edges += matrix | matrix.T
            # An undirected edge is true both ways, so it counts as an edge and as no arrow.
            arrows += matrix & ~matrix.T
            draws += 1
        joined = {(nodes[i], nodes[j]): float(edges[i, j]) / draws for i, j in np.argwhere(np.triu(edges, 1) > 0)}
        directed = {(nodes[i], nodes[j]): float(arrows[i, j]) / draws for i, j in np.argwhere(arrows > 0)}
        return cls(nodes, draws, joined, directed)

    def edge(self, x: Node, y: Node) -> float:
        """How often x and y are adjacent.

        Parameters
        ----------
        x, y : node
            The names of two nodes, in either order.

        Returns
        -------
        float
            A share between 0 and 1.
        """
        return self.edges.get((x, y), self.edges.get((y, x), 0.0))

    def arrow(self, x: Node, y: Node) -> float:
        """How often x → y.

        Parameters
        ----------
        x, y : node
            The cause and the effect.

        Returns
        -------
        float
            A share between 0 and 1.
        """
        return self.arrows.get((x, y), 0.0)

    def __repr__(self) -> str:
        rows = largest_first(self.edges.items(), lambda item: item[1])
        lines = [
            f"{x} — {y}: {share:.2f} ({x} → {y} {self.arrow(x, y):.2f}, {y} → {x} {self.arrow(y, x):.2f})"
            for (x, y), share in rows
        ]
        return "\n".join([f"Confidence from {counted(self.draws, 'draw')}", *lines])
