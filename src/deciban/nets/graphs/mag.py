"""Maximal ancestral graphs, for observed nodes with hidden common causes, and m-separation in them.

A path between x and y is m-connecting given Z if none of its non-colliders is in Z, and each collider *→ v ←* is in Z
or has a descendant in Z: d-separation with ↔ edges (Richardson and Spirtes 2002). Every DAG with hidden nodes has one
MAG of the observed nodes with the same independences:

  x and y are adjacent if no set of observed nodes separates them;
  the end of the edge at x is a tail if x is an ancestor of y in the DAG, else an arrowhead.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import Self

from deciban.errors import CycleError, GraphError
from deciban.nets.graphs.ancestry import AncestryMixin
from deciban.nets.graphs.base import Node
from deciban.nets.graphs.bits import bits, components, find_cycle, mask_of, reach, transposed
from deciban.nets.graphs.graph import DAG
from deciban.nets.graphs.marks import MarkedGraph
from deciban.nets.graphs.separation import Nodes, reached, separation_masks

__all__ = ["MAG", "m_separated"]


class MAG(MarkedGraph, AncestryMixin):
    """A maximal ancestral graph: arrows a → b (a is a cause of b) and a ↔ b (they have a hidden common cause).

    *Ancestral*: there is no cycle, and no ↔ edge between a node and its ancestor. *Maximal*: nodes that are not
    adjacent can be separated. Undirected edges, which stand for selection bias, are not supported.

    Parameters
    ----------
    edges : iterable of triples, optional
        Triples such as ``("a", "→", "b")`` and ``("b", "↔", "c")``; or ``"->"`` and ``"<->"``.
    nodes : iterable, optional
        Nodes in the order wanted, also those without an edge.

    Attributes
    ----------
    nodes : tuple
        The nodes, in the order given.

    Raises
    ------
    GraphError
        If the graph is not ancestral or not maximal.

    See Also
    --------
    m_separated : The independences that a MAG implies.
    PAG : A class of MAGs.

    Examples
    --------
    >>> import deciban as db
    >>> db.MAG([("a", "→", "x"), ("x", "↔", "y"), ("b", "→", "y")])
    MAG(a → x, b → y, x ↔ y)
    >>> db.MAG.of_dag(db.DAG([("gene", "smoking"), ("gene", "cancer")]), latent=["gene"])
    MAG(cancer ↔ smoking)
    """

    @classmethod
    def of_dag(cls, dag: DAG, latent: Iterable[Node] = ()) -> Self:
        """The MAG of the nodes that are not latent, with the same independences and ancestors.

        Parameters
        ----------
        dag : DAG
            The graph with its latent nodes.
        latent : iterable of nodes, optional
            The nodes that cannot be observed.

        Returns
        -------
        MAG
        """
        hidden = dag._mask(list(latent))
        seen = [node for node in range(len(dag.nodes)) if not hidden >> node & 1]
        above = [reach(dag._parent_masks, 1 << node) for node in range(len(dag.nodes))]
        heads, tails = [0] * len(seen), [0] * len(seen)
        for i, j in combinations(range(len(seen)), 2):
            x, y = seen[i], seen[j]
            # If any set of observed nodes separates x and y, their observed causes do (Richardson and Spirtes 2002).
            shut = (above[x] | above[y]) & ~hidden & ~(1 << x) & ~(1 << y)
            if reached(dag, 1 << x, shut) >> y & 1:
                (tails if above[y] >> x & 1 else heads)[i] |= 1 << j
                (tails if above[x] >> y & 1 else heads)[j] |= 1 << i
        near = [head | tail for head, tail in zip(heads, tails, strict=True)]
        return cls._marked([dag.nodes[node] for node in seen], heads, tails, near)

    def _check(self) -> None:
        for a, kind, b in self.edges:
            if kind not in ("→", "↔"):
                raise GraphError(f"a MAG has arrows → and ↔ only, but here is {a} {kind} {b}; a PAG may have others")
        cycle = find_cycle(self._parent_masks)
        if cycle:
            shown = " → ".join(str(self.nodes[index]) for index in [*cycle, cycle[0]])
            raise CycleError(f"a MAG has no cycle, but here is one: {shown}")
        both = [(a, b) for edge in self.bidirected_edges for a, b in (edge, edge[::-1]) if a in self.ancestors(b)]
        for a, b in both:
            raise GraphError(f"not ancestral: {a} is an ancestor of {b}, but there is an edge {a} ↔ {b}")
        for i, j in self._suspects():
            if not self._is_separable(i, j):
                raise GraphError(
                    f"not maximal: nothing separates {self.nodes[i]} and {self.nodes[j]}; join them by an edge"
                )

    def _suspects(self) -> Iterator[tuple[int, int]]:
        """Pairs that are not adjacent but may have an inducing path, whose colliders are ancestors of an end.

        The inner nodes of such a path are joined by ↔ edges.
        """
        beside = [head & ~up for head, up in zip(self._head_masks, self._parent_masks, strict=True)]
        for part in components(beside, mask_of(range(len(self.nodes)))):
            around = part
            for node in bits(part if part & (part - 1) else 0):
                around |= self._head_masks[node]
            yield from ((i, j) for i, j in combinations(bits(around), 2) if not self._adjacent_masks[i] >> j & 1)

    def _is_separable(self, x: int, y: int) -> bool:
        ends = 1 << x | 1 << y
        return not _reached(self, 1 << x, reach(self._parent_masks, ends) & ~ends) >> y & 1


def m_separated(graph: MAG, x: Nodes, y: Nodes, given: Nodes = ()) -> bool:
    """Whether no path between x and y is m-connecting, in time linear in the size of the graph.

    Parameters
    ----------
    graph : MAG
        The graph; of a PAG, ``pag.mag()``.
    x, y : node or iterable of nodes
        The two sides.
    given : node or iterable of nodes, optional
        The conditioning set. The three sets are disjoint.

    Returns
    -------
    bool

    See Also
    --------
    d_separated : The same in a DAG.

    Examples
    --------
    >>> import deciban as db
    >>> graph = db.MAG([("a", "→", "x"), ("x", "↔", "y"), ("b", "→", "y")])
    >>> db.m_separated(graph, "a", "y"), db.m_separated(graph, "a", "y", given="x")
    (True, False)
    """
    if not isinstance(graph, MAG):
        raise GraphError(f"m-separation needs a MAG, not a {type(graph).__name__}; a PAG has .mag()")
    start, goal, shut = separation_masks(graph, x, y, given)
    return not _reached(graph, start, shut) & goal


def _reached(graph: MAG, start: int, shut: int) -> int:
    """The nodes with an open path from ``start``. ``into`` are those come to by an arrowhead, ``out`` the others."""
    opened = shut | reach(graph._parent_masks, shut)
    pointed = transposed(graph._head_masks)
    into, out = 0, start
    was_into = was_out = 0
    while into or out:
        low = (into or out) & -(into or out)
        node = low.bit_length() - 1
        if into:
            was_into |= low
            onward = graph._head_masks[node] if low & opened else 0
            onward |= 0 if low & shut else graph._tail_masks[node]
        else:
            was_out |= low
            onward = 0 if low & shut else graph._adjacent_masks[node]
        into = (into | (onward & pointed[node])) & ~was_into
        out = (out | (onward & ~pointed[node])) & ~was_out
    return (was_into | was_out) & ~shut
