"""Graphs as values: DAG, PDAG and CPDAG.

An arrow a → b of a causal graph says that a is a direct cause of b. A ``DAG`` has arrows and no cycle. A ``PDAG``
leaves the direction of some edges open. A ``CPDAG`` represents a Markov equivalence class of DAGs, which no
observation can distinguish: its arrows are those that all of them share ("Bayes Nets", observational equivalence;
Verma and Pearl, 1990).

>>> sprinkler = DAG([("season", "rain"), ("season", "sprinkler"), ("rain", "wet"), ("sprinkler", "wet")])
>>> sorted(sprinkler.parents("wet"))
['rain', 'sprinkler']
>>> sprinkler.cpdag()
CPDAG(rain → wet, sprinkler → wet, rain — season, season — sprinkler)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, Self

import numpy as np

from deciban.choices import counted
from deciban.errors import GraphError, InputTypeError, InvalidCPDAGError, NoExtensionError
from deciban.nets.graphs import chordal, orientation
from deciban.nets.graphs.base import Edge, Graph, Node, edge_lists, opposite_arrows
from deciban.nets.graphs.bits import bits, reach, topological, transposed
from deciban.nets.graphs.validity import (
    check_masks,
    difference_of_classes,
    forbid_cycle,
    forbid_two_edges,
    masks_of_matrix,
    why_no_extension,
)

__all__ = ["CPDAG", "DAG", "PDAG", "dag_size", "read_dag"]


class DAG(Graph):
    """A directed graph without cycles.

    Parameters
    ----------
    edges
        Pairs (parent, child).
    nodes
        Nodes in the order wanted, also those without an edge; nodes that only the edges name are added after them.

    Examples
    --------
    >>> DAG([("rain", "wet")], nodes=["wind"])
    DAG(rain → wet, wind)
    """

    def __init__(self, edges: Iterable[Edge] = (), nodes: Iterable[Node] = ()) -> None:
        names, parents, _ = edge_lists(nodes, edges, ())
        forbid_cycle(names, parents)
        self._fill(names, tuple(parents), (0,) * len(names))

    @classmethod
    def _from_masks(cls, parents: Sequence[int], nodes: Sequence[Node]) -> Self:
        """A DAG from the parents of each node as masks, bit i for ``nodes[i]``."""
        check_masks(parents, nodes)
        forbid_cycle(nodes, parents)
        return cls._made(nodes, parents)

    @classmethod
    def from_adjacency(cls, matrix: Any, nodes: Sequence[Node] | None = None) -> Self:
        """A DAG from a square matrix in which [i, j] is true where node i is a parent of node j."""
        return cls._from_masks(*masks_of_matrix(matrix, nodes))

    @classmethod
    def from_networkx(cls, graph: Any) -> Self:
        """A DAG from a ``networkx.DiGraph``."""
        if not graph.is_directed():
            raise GraphError("the networkx graph is undirected; pass a DiGraph, or use PDAG.from_networkx")
        return cls(graph.edges(), graph.nodes())

    def ancestors(self, xs: Node | Iterable[Node]) -> frozenset[Node]:
        """The nodes with a directed path to x, or to one of several nodes."""
        return self._names(reach(self._parent_masks, self._mask(xs)))

    def descendants(self, xs: Node | Iterable[Node]) -> frozenset[Node]:
        """The nodes with a directed path from x, or from one of several nodes."""
        return self._names(reach(self._child_masks, self._mask(xs)))

    def topological_order(self) -> tuple[Node, ...]:
        """All nodes, parents before children."""
        return tuple(self.nodes[index] for index in topological(self._parent_masks))

    def moral(self) -> PDAG:
        """The moral graph: every edge undirected, and the parents of a common child joined."""
        adjacent = self._moral_masks((1 << len(self.nodes)) - 1)
        return PDAG._made(self.nodes, [0] * len(self.nodes), list(adjacent.values()))

    def _moral_masks(self, within: int) -> dict[int, int]:
        """The adjacencies of the moral graph of an ancestral set, as masks."""
        adjacent = {node: self._adjacent_masks[node] & within for node in bits(within)}
        for node in list(adjacent):
            for parent in bits(self._parent_masks[node]):
                adjacent[parent] |= self._parent_masks[node] & ~(1 << parent)
        return adjacent

    def skeleton(self) -> PDAG:
        """The same adjacencies without directions."""
        return PDAG._made(self.nodes, [0] * len(self.nodes), self._adjacent_masks)

    def cpdag(self) -> CPDAG:
        """The Markov equivalence class: the arrows that all equivalent DAGs share, the other edges undirected."""
        return CPDAG._made(self.nodes, *orientation.class_of(self._parent_masks))


def read_dag(dag: Any) -> DAG:
    """A DAG from a DAG or from arrows (parent, child)."""
    if isinstance(dag, DAG):
        return dag
    if isinstance(dag, str) or not isinstance(dag, Iterable):
        raise InputTypeError(f"a net is made from a DAG or from arrows (parent, child), not from {dag!r}")
    return DAG(dag)


def dag_size(dag: DAG) -> str:
    """Such as ``3 nodes, 1 arrow``."""
    return f"{counted(len(dag.nodes), 'node')}, {counted(len(dag.directed_edges), 'arrow')}"


class PDAG(Graph):
    """A graph with arrows and undirected edges, at most one between two nodes.

    Parameters
    ----------
    directed
        Pairs (parent, child).
    undirected
        Pairs in either order.
    nodes
        Nodes in the order wanted, also those without an edge.

    Examples
    --------
    >>> graph = PDAG([("rain", "wet")], [("season", "rain")])
    >>> graph
    PDAG(rain → wet, rain — season)
    >>> graph.extension()
    DAG(rain → wet, season → rain)
    """

    def __init__(
        self, directed: Iterable[Edge] = (), undirected: Iterable[Edge] = (), nodes: Iterable[Node] = ()
    ) -> None:
        names, parents, neighbours = edge_lists(nodes, directed, undirected)
        forbid_two_edges(names, parents, neighbours)
        self._fill(names, tuple(parents), tuple(neighbours))
        self._check()

    def _check(self) -> None:
        """The conditions of a subclass on its edges."""

    @classmethod
    def _from_masks(cls, parents: Sequence[int], neighbours: Sequence[int], nodes: Sequence[Node]) -> Self:
        """A graph from the parents and the undirected neighbours of each node as masks, bit i for ``nodes[i]``."""
        check_masks(parents, nodes)
        check_masks(neighbours, nodes)
        if transposed(neighbours) != list(neighbours):
            raise GraphError("the masks of neighbours are not symmetric: each undirected edge must be in both masks")
        forbid_two_edges(nodes, parents, neighbours)
        graph = cls._made(nodes, parents, neighbours)
        graph._check()
        return graph

    @classmethod
    def from_adjacency(cls, matrix: Any, nodes: Sequence[Node] | None = None) -> Self:
        """A graph from a square matrix [parent, child] in which an undirected edge is true both ways."""
        arcs, names = masks_of_matrix(matrix, nodes)
        both = opposite_arrows(arcs)
        return cls._from_masks([up & ~beside for up, beside in zip(arcs, both, strict=True)], both, names)

    @classmethod
    def from_networkx(cls, graph: Any) -> Self:
        """A graph from a ``networkx`` graph: edges of a Graph and opposite arrows of a DiGraph are undirected."""
        if not graph.is_directed():
            return cls((), graph.edges(), graph.nodes())
        arcs = dict.fromkeys(graph.edges())
        one_way = [(a, b) for a, b in arcs if (b, a) not in arcs]
        return cls(one_way, [(a, b) for a, b in arcs if (b, a) in arcs], graph.nodes())

    def skeleton(self) -> PDAG:
        """The same adjacencies without directions."""
        return PDAG._made(self.nodes, [0] * len(self.nodes), self._adjacent_masks)

    def is_directed(self) -> bool:
        """Whether every edge is an arrow."""
        return not any(self._neighbour_masks)

    def extension(self) -> DAG:
        """A DAG with these arrows, these adjacencies and no further v-structure (Dor and Tarsi, 1992).

        Raises
        ------
        NoExtensionError
            If there is no such DAG.
        """
        if self._extension is None:
            raise NoExtensionError(why_no_extension(self))
        return self._extension

    @cached_property
    def _extension(self) -> DAG | None:
        parents = orientation.extend(self._parent_masks, self._neighbour_masks)
        return None if parents is None else DAG._made(self.nodes, parents)

    def dags(self) -> Iterator[DAG]:
        """All DAGs with these arrows, these adjacencies and no further v-structure, as an iterator."""
        for parents in orientation.extensions(self._parent_masks, self._neighbour_masks):
            yield DAG._made(self.nodes, parents)


class CPDAG(PDAG):
    """A Markov equivalence class of DAGs: their common arrows, the other edges undirected.

    ``dag.cpdag()`` makes one; made from edges, it is checked to be the class of some DAG. Parameters are those of PDAG.

    Examples
    --------
    >>> c = DAG([("a", "b"), ("b", "c")]).cpdag()
    >>> c, c.count_dags()
    (CPDAG(a — b, b — c), 3)
    """

    def _check(self) -> None:
        if self._extension is None:
            raise InvalidCPDAGError(f"not the class of any DAG: {why_no_extension(self)}")
        right = self._extension.cpdag()
        for found, wanted in zip(self._neighbour_masks, right._neighbour_masks, strict=True):
            if found != wanted:
                raise InvalidCPDAGError(difference_of_classes(self, right))

    @cached_property
    def _classes(self) -> chordal.AcyclicMoralOrientations:
        return chordal.AcyclicMoralOrientations(self._neighbour_masks)

    def count_dags(self) -> int:
        """The number of DAGs of the class, in polynomial time (Wienöbst, Bannach and Liśkiewicz, 2021)."""
        return self._classes.count()

    def sample_dag(self, *, random_state: int | np.random.Generator | None = None) -> DAG:
        """A DAG of the class, drawn uniformly."""
        order = self._classes.sample(np.random.default_rng(random_state))
        return DAG._made(self.nodes, chordal.orient(self._parent_masks, self._neighbour_masks, order))
