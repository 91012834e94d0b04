"""Graphs as values: DAG, PDAG and CPDAG.

An arrow a → b of a causal graph says that a is a direct cause of b. A ``DAG`` has arrows and no cycle. A ``PDAG``
leaves the direction of some edges open. A ``CPDAG`` represents a Markov equivalence class of DAGs, which no
observation can distinguish: its arrows are those that all of them share ("Bayes Nets", observational equivalence;
Verma and Pearl, 1990).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from deciban.errors import CycleError, GraphError, GraphTextError, InvalidCPDAGError, NoExtensionError
from deciban.nets.graphs import chordal, orientation
from deciban.nets.graphs.bits import bits, transposed
from deciban.nets.graphs.graph import AcyclicGraph, Edge, Graph, Node, cycle_in_words, edge_lists, opposite_arrows
from deciban.nets.graphs.graph_text import read_dagitty, read_model_string, write_model_string

__all__ = ["CPDAG", "DAG", "PDAG", "difference_of_classes", "why_no_extension"]


class DAG(AcyclicGraph):
    """A directed graph without cycles; as a causal graph, a → b says that a is a direct cause of b.

    A graph is immutable and hashable, and a notebook draws it.

    Parameters
    ----------
    edges : iterable of pairs, optional
        The arrows as pairs (parent, child).
    nodes : iterable, optional
        Nodes in the order wanted, also those without an edge: strings, numbers or other hashable values. Nodes that
        only the edges name are added after them.

    Attributes
    ----------
    nodes : tuple
        The nodes, in the order given.

    Raises
    ------
    CycleError
        If the arrows form a cycle; the message shows it.

    See Also
    --------
    PDAG : Some edges have no direction.
    CPDAG : A class of DAGs that no observation can distinguish.
    BayesNet : A DAG with a table for each node.

    Examples
    --------
    >>> import deciban as db
    >>> sprinkler = db.DAG(
    ...     [("season", "rain"), ("season", "sprinkler"), ("rain", "wet"), ("sprinkler", "wet")]
    ... )
    >>> sorted(sprinkler.parents("wet"))
    ['rain', 'sprinkler']
    >>> sprinkler.cpdag()
    CPDAG(rain → wet, sprinkler → wet, rain — season, season — sprinkler)
    >>> db.DAG([("rain", "wet")], nodes=["wind"])
    DAG(rain → wet, wind)
    """

    _DAGITTY = "dag"

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
        """A DAG from a matrix.

        Parameters
        ----------
        matrix : square array
            [i, j] is true where node i is a parent of node j.
        nodes : sequence, optional
            The names of the nodes; 0, 1, … by default.

        Returns
        -------
        DAG

        Examples
        --------
        >>> import deciban as db
        >>> db.DAG.from_adjacency([[0, 1], [0, 0]], ["rain", "wet"])
        DAG(rain → wet)
        """
        return cls._from_masks(*masks_of_matrix(matrix, nodes))

    @classmethod
    def from_networkx(cls, graph: Any) -> Self:
        """A DAG from a graph of networkx.

        Parameters
        ----------
        graph : networkx.DiGraph
            A directed graph without cycles.

        Returns
        -------
        DAG
        """
        if not graph.is_directed():
            raise GraphError("the networkx graph is undirected; pass a DiGraph, or use PDAG.from_networkx")
        return cls(graph.edges(), graph.nodes())

    @classmethod
    def from_string(cls, text: str) -> Self:
        """A DAG from a model string of R's bnlearn: each node in brackets, its parents after a bar.

        Parameters
        ----------
        text : str
            Such as ``"[A][B|A][C|A:B]"``. Every node has a bracket. Names with brackets, bars, colons or quotes in them
            are written in quotes, which bnlearn does not know.

        Returns
        -------
        DAG
            The nodes are strings, in the order of their brackets.

        Raises
        ------
        GraphTextError
            If the text cannot be read; the message points at the character.

        See Also
        --------
        DAG.to_string : Write it.
        DAG.from_dagitty : From the language of dagitty.

        Examples
        --------
        >>> import deciban as db
        >>> db.DAG.from_string("[rain][sprinkler][wet|rain:sprinkler]")
        DAG(rain → wet, sprinkler → wet)
        """
        nodes, arrows = read_model_string(text)
        return cls(arrows, nodes)

    def to_string(self) -> str:
        """The DAG as a model string of R's bnlearn, the nodes in their order.

        Returns
        -------
        str

        Examples
        --------
        >>> import deciban as db
        >>> db.DAG([("rain", "wet"), ("sprinkler", "wet")]).to_string()
        '[rain][wet|rain:sprinkler][sprinkler]'
        """
        masks = zip(self.nodes, self._parent_masks, strict=True)
        parents = {node: [self.nodes[up] for up in bits(mask)] for node, mask in masks}
        return write_model_string(self.nodes, parents)

    @classmethod
    def from_dagitty(cls, text: str) -> Self:
        """A DAG from a text in the language of dagitty.

        Parameters
        ----------
        text : str
            Such as ``"dag { A -> B <- C }"``. Positions, roles such as ``[latent]`` and other attributes are ignored.

        Returns
        -------
        DAG
            The nodes are strings, in the order in which they are named.

        Raises
        ------
        GraphTextError
            If the text cannot be read or has an edge that is no arrow; the message points at the character.

        See Also
        --------
        DAG.to_dagitty : Write it.
        PDAG.from_dagitty : A graph with ``--`` edges.
        MAG : A graph with ``<->`` edges; ``MAG.from_dagitty`` reads it.

        Examples
        --------
        >>> import deciban as db
        >>> db.DAG.from_dagitty('dag { rain -> {wet "muddy shoes"} <- sprinkler }')
        DAG(rain → muddy shoes, rain → wet, sprinkler → muddy shoes, sprinkler → wet)
        """
        nodes, edges = read_dagitty(text)
        for a, kind, b, start in edges:
            if kind != "→":
                remedy = "MAG, or make the hidden common cause a node" if kind == "↔" else "PDAG or PAG"
                raise GraphTextError(f"a DAG has arrows only, not {a} {kind} {b}: read it as a {remedy}", text, start)
        return cls([(a, b) for a, _, b, _ in edges], nodes)

    def moral(self) -> PDAG:
        """The moral graph: every edge undirected, and the parents of a common child joined.

        Returns
        -------
        PDAG

        Examples
        --------
        >>> import deciban as db
        >>> db.DAG([("rain", "wet"), ("sprinkler", "wet")]).moral()
        PDAG(rain — sprinkler, rain — wet, sprinkler — wet)
        """
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
        """The same adjacencies without directions.

        Returns
        -------
        PDAG
        """
        return PDAG._made(self.nodes, [0] * len(self.nodes), self._adjacent_masks)

    def cpdag(self) -> CPDAG:
        """The Markov equivalence class: the arrows that all equivalent DAGs share, the other edges undirected.

        Returns
        -------
        CPDAG

        Examples
        --------
        >>> import deciban as db
        >>> db.DAG([("smoking", "tar"), ("tar", "cancer")]).cpdag()
        CPDAG(cancer — tar, smoking — tar)
        """
        return CPDAG._made(self.nodes, *orientation.class_of(self._parent_masks))


class PDAG(Graph):
    """A graph with arrows and undirected edges, at most one between two nodes.

    Parameters
    ----------
    directed, undirected : iterable of pairs, optional
        The arrows as pairs (parent, child), and the undirected edges as pairs in either order.
    nodes : iterable, optional
        Nodes in the order wanted, also those without an edge.

    Attributes
    ----------
    nodes : tuple
        The nodes, in the order given.

    Raises
    ------
    GraphError
        If there are two edges between the same nodes.

    See Also
    --------
    DAG : Every edge has a direction.
    meek_closure : Direct the edges whose direction follows from the arrows.

    Examples
    --------
    >>> import deciban as db
    >>> graph = db.PDAG([("rain", "wet")], [("season", "rain")])
    >>> graph
    PDAG(rain → wet, rain — season)
    >>> graph.extension()
    DAG(rain → wet, season → rain)
    """

    _DAGITTY = "pdag"

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
        """A graph from a matrix.

        Parameters
        ----------
        matrix : square array
            [i, j] is true where node i is a parent of node j; an undirected edge is true both ways.
        nodes : sequence, optional
            The names of the nodes; 0, 1, … by default.

        Returns
        -------
        PDAG or CPDAG
        """
        arcs, names = masks_of_matrix(matrix, nodes)
        both = opposite_arrows(arcs)
        return cls._from_masks([up & ~beside for up, beside in zip(arcs, both, strict=True)], both, names)

    @classmethod
    def from_dagitty(cls, text: str) -> Self:
        """A graph from a text in the language of dagitty.

        Parameters
        ----------
        text : str
            Such as ``"pdag { A -> B; B -- C }"``. Positions, roles and other attributes are ignored.

        Returns
        -------
        PDAG or CPDAG

        Raises
        ------
        GraphTextError
            If the text cannot be read or has edges of other kinds; the message points at the character.

        See Also
        --------
        PDAG.to_dagitty : Write it.

        Examples
        --------
        >>> import deciban as db
        >>> db.PDAG.from_dagitty("pdag { rain -> wet; rain -- season }")
        PDAG(rain → wet, rain — season)
        """
        nodes, edges = read_dagitty(text)
        for a, kind, b, start in edges:
            if kind not in ("→", "—"):
                reason = f"a {cls.__name__} has no edge {a} {kind} {b}: read it as a MAG or PAG"
                raise GraphTextError(reason, text, start)
        arrows = [(a, b) for a, kind, b, _ in edges if kind == "→"]
        return cls(arrows, [(a, b) for a, kind, b, _ in edges if kind == "—"], nodes)

    @classmethod
    def from_networkx(cls, graph: Any) -> Self:
        """A graph from a graph of networkx.

        Parameters
        ----------
        graph : networkx.Graph or networkx.DiGraph
            The edges of a ``Graph``, and opposite arrows of a ``DiGraph``, are undirected.

        Returns
        -------
        PDAG or CPDAG
        """
        if not graph.is_directed():
            return cls((), graph.edges(), graph.nodes())
        arcs = dict.fromkeys(graph.edges())
        one_way = [(a, b) for a, b in arcs if (b, a) not in arcs]
        return cls(one_way, [(a, b) for a, b in arcs if (b, a) in arcs], graph.nodes())

    def skeleton(self) -> PDAG:
        """The same adjacencies without directions.

        Returns
        -------
        PDAG
        """
        return PDAG._made(self.nodes, [0] * len(self.nodes), self._adjacent_masks)

    def is_directed(self) -> bool:
        """Whether every edge is an arrow.

        Returns
        -------
        bool
        """
        return not any(self._neighbour_masks)

    def extension(self) -> DAG:
        """A DAG with these arrows, these adjacencies and no further v-structure (Dor and Tarsi, 1992).

        Returns
        -------
        DAG

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
        """All DAGs with these arrows, these adjacencies and no further v-structure.

        Returns
        -------
        iterator of DAG
            One DAG after the other; there may be very many.

        Examples
        --------
        >>> import deciban as db
        >>> list(db.PDAG([], [("a", "b")]).dags())
        [DAG(b → a), DAG(a → b)]
        """
        for parents in orientation.extensions(self._parent_masks, self._neighbour_masks):
            yield DAG._made(self.nodes, parents)


class CPDAG(PDAG):
    """A Markov equivalence class of DAGs: their common arrows, the other edges undirected.

    ``dag.cpdag()`` makes one; made from edges, it is checked to be the class of some DAG.

    Parameters
    ----------
    directed, undirected, nodes
        As of a ``PDAG``.

    Raises
    ------
    InvalidCPDAGError
        If the edges are not those of a class.

    See Also
    --------
    DAG.cpdag : The class of a DAG.
    discover : Find a class from the independences in a table.
    ida : The possible effects of a cause over all DAGs of a class.

    Examples
    --------
    >>> import deciban as db
    >>> found = db.DAG([("a", "b"), ("b", "c")]).cpdag()
    >>> found, found.count_dags()
    (CPDAG(a — b, b — c), 3)
    """

    def _check(self) -> None:
        if self._extension is None:
            raise InvalidCPDAGError(f"not the class of any DAG: {why_no_extension(self)}")
        right = self._extension.cpdag()
        # The edges of both are those of the extension, so only which of them are undirected can differ.
        if tuple(self._neighbour_masks) != tuple(right._neighbour_masks):
            raise InvalidCPDAGError(difference_of_classes(self, right))

    @cached_property
    def _classes(self) -> chordal.AcyclicMoralOrientations:
        return chordal.AcyclicMoralOrientations(self._neighbour_masks)

    def count_dags(self) -> int:
        """The number of DAGs of the class, in polynomial time (Wienöbst, Bannach and Liśkiewicz, 2021).

        Returns
        -------
        int
        """
        return self._classes.count()

    def sample_dag(self, *, random_state: int | np.random.Generator | None = None) -> DAG:
        """A DAG of the class, drawn uniformly.

        Parameters
        ----------
        random_state : int, numpy.random.Generator or None
            The same int gives the same DAG.

        Returns
        -------
        DAG
        """
        order = self._classes.sample(np.random.default_rng(random_state))
        return DAG._made(self.nodes, chordal.orient(self._parent_masks, self._neighbour_masks, order))


def forbid_cycle(nodes: Sequence[Node], parents: Sequence[int]) -> None:
    """Raise an error that shows a cycle of the arrows, if there is one."""
    if cycle := cycle_in_words(nodes, parents):
        raise CycleError(f"a DAG has no cycle, but here is one: {cycle}. Remove or reverse one of these arrows.")


def forbid_two_edges(nodes: Sequence[Node], parents: Sequence[int], neighbours: Sequence[int]) -> None:
    """Raise an error if there are two edges between two nodes."""
    children = transposed(parents)
    for index, (up, down, beside) in enumerate(zip(parents, children, neighbours, strict=True)):
        twice = (up & down) | (beside & (up | down))
        for other in bits(twice):
            raise GraphError(
                f"two edges between {nodes[index]!r} and {nodes[other]!r}; give one arrow or one undirected edge"
            )


def check_masks(masks: Sequence[int], nodes: Sequence[Node]) -> None:
    """Raise an error if the masks do not belong to these nodes, or a node is adjacent to itself."""
    if len(masks) != len(nodes) or len(set(nodes)) != len(nodes):
        raise GraphError(f"{len(masks)} masks for {len(set(nodes))} different names of {len(nodes)} nodes")
    for index, mask in enumerate(masks):
        if mask >> len(nodes) or mask >> index & 1:
            raise GraphError(f"the mask {mask:#b} of node {nodes[index]!r} has a bit outside the graph or its own")


def masks_of_matrix(matrix: ArrayLike, nodes: Sequence[Node] | None) -> tuple[list[int], Sequence[Node]]:
    """The parents of each node as masks, from a square matrix [parent, child]; and the names of the nodes."""
    cells = np.asarray(matrix)
    if cells.ndim != 2 or cells.shape[0] != cells.shape[1]:
        raise GraphError(f"an adjacency matrix is square; this one has the shape {cells.shape}")
    names: Sequence[Node] = range(len(cells)) if nodes is None else nodes
    return [sum(1 << int(up) for up in np.flatnonzero(cells[:, node])) for node in range(len(cells))], names


def why_no_extension(graph: Graph) -> str:
    """Why no DAG has the arrows and adjacencies of a graph and no further v-structure."""
    if cycle := cycle_in_words(graph.nodes, graph._parent_masks):
        return f"its arrows form the cycle {cycle}"
    return "every direction of its undirected edges makes a cycle or a new v-structure"


def difference_of_classes(found: Graph, right: Graph) -> str:
    """The first edge in which a graph differs from the class of its DAGs."""
    arrows = [edge for edge in right.directed_edges if edge not in set(found.directed_edges)]
    if arrows:
        return f"not completed: {arrows[0][0]} — {arrows[0][1]} is an arrow to {arrows[0][1]} in every DAG of the class"
    edge = next(edge for edge in found.directed_edges if edge not in set(right.directed_edges))
    return f"not completed: {edge[0]} → {edge[1]} is not in every equivalent DAG; make it undirected, or use PDAG"
