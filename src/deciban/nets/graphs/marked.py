"""Graphs whose edges have a mark at each end: a tail, an arrowhead or a circle.

With hidden common causes, each end of an edge has its own meaning ("Bayes Nets", the IC* algorithm; Pearl 2000,
section 2.6; Richardson and Spirtes 2002). Of the edge between a and b,

  an arrowhead at b   says that b is not a cause of a,
  a tail at b         says that b is a cause of a, directly or indirectly,
  a circle at b       says that the independences do not determine it.

``_head_masks[i]`` are the nodes whose edge to node i has an arrowhead at i, ``_tail_masks[i]`` those with a tail at i.

Maximal ancestral graphs, for observed nodes with hidden common causes, and m-separation in them.

A path between x and y is m-connecting given Z if none of its non-colliders is in Z, and each collider *→ v ←* is in Z
or has a descendant in Z: d-separation with ↔ edges (Richardson and Spirtes 2002). Every DAG with hidden nodes has one
MAG of the observed nodes with the same independences:

  x and y are adjacent if no set of observed nodes separates them;
  the end of the edge at x is a tail if x is an ancestor of y in the DAG, else an arrowhead.

Partial ancestral graphs: what independences imply about causes with hidden common causes.

Many graphs with hidden nodes show the same independences among the observed ones. A PAG is what they have in common: an
edge where all have one, a tail or an arrowhead where all agree, a circle where they do not (Richardson 1996; Spirtes,
Glymour and Scheines 2000; Zhang 2008). It is for hidden causes what a CPDAG is without.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import combinations, combinations_with_replacement
from typing import Any, Self, get_args

import numpy as np
from numpy.typing import NDArray

from deciban.errors import CycleError, GraphError, NoExtensionError
from deciban.nets.graphs import orientation
from deciban.nets.graphs.bits import bits, components, mask_of, reach, reordered, transposed
from deciban.nets.graphs.dag import DAG
from deciban.nets.graphs.drawing import SYMBOLS, Mark, Picture, Stroke
from deciban.nets.graphs.graph import AcyclicGraph, Edge, Graph, Node, cycle_in_words, distinct_nodes, sort_key
from deciban.nets.graphs.graph_text import read_dagitty
from deciban.nets.graphs.orientation import Marks, beyond, close_marks
from deciban.nets.graphs.separation import Nodes, reached, separation_masks

__all__ = ["MAG", "PAG", "MarkedEdge", "MarkedGraph", "m_reached", "m_separated"]


MarkedEdge = tuple[Node, str, Node]

_KINDS: dict[str, tuple[Mark, Mark]] = {
    **{symbol: marks for marks, symbol in SYMBOLS.items()},
    "←": ("arrow", "tail"),
    "←o": ("arrow", "circle"),
    "o—": ("circle", "tail"),
}
_LETTERS = str.maketrans({"→": "->", "←": "<-", "↔": "<->", "—": "-"})
_KINDS |= {kind.translate(_LETTERS): marks for kind, marks in _KINDS.items()}
_KINDS |= {"-->": ("tail", "arrow"), "<--": ("arrow", "tail"), "--": ("tail", "tail"), "---": ("tail", "tail")}
# The marks of a pcalg matrix, by their numbers.
_NUMBERS: tuple[Mark | None, ...] = (None, "circle", "arrow", "tail")


class MarkedGraph(Graph):
    """Named nodes, and at most one edge between two of them, with a mark at each end."""

    _head_masks: tuple[int, ...]
    _tail_masks: tuple[int, ...]

    def __init__(self, edges: Iterable[MarkedEdge] = (), nodes: Iterable[Node] = ()) -> None:
        triples = [_triple(edge) for edge in edges]
        names = distinct_nodes(nodes, (node for a, _, b in triples for node in (a, b)))
        index = {node: number for number, node in enumerate(names)}
        masks: dict[Mark, list[int]] = {mark: [0] * len(names) for mark in get_args(Mark)}
        seen: set[frozenset[Node]] = set()
        for a, kind, b in triples:
            if frozenset((a, b)) in seen:
                raise GraphError(f"two edges between {a!r} and {b!r}; give one, with a mark at each end")
            seen.add(frozenset((a, b)))
            at_a, at_b = _KINDS[kind]
            masks[at_a][index[a]] |= 1 << index[b]
            masks[at_b][index[b]] |= 1 << index[a]
        self._put(names, masks["arrow"], masks["tail"], masks["circle"])
        self._check()

    def _check(self) -> None:
        """The conditions of a subclass on its edges."""

    @classmethod
    def _marked(cls, nodes: Sequence[Node], heads: Sequence[int], tails: Sequence[int], near: Sequence[int]) -> Self:
        """A graph from masks that are known to be right."""
        graph = object.__new__(cls)
        circles = [mask & ~head & ~tail for mask, head, tail in zip(near, heads, tails, strict=True)]
        graph._put(tuple(nodes), heads, tails, circles)
        return graph

    def _put(self, nodes: tuple[Node, ...], heads: Sequence[int], tails: Sequence[int], circles: Sequence[int]) -> None:
        based = transposed(tails)
        self._fill(
            nodes,
            tuple(head & base for head, base in zip(heads, based, strict=True)),
            tuple(tail & base for tail, base in zip(tails, based, strict=True)),
        )
        near = tuple(head | tail | circle for head, tail, circle in zip(heads, tails, circles, strict=True))
        vars(self).update(_head_masks=tuple(heads), _tail_masks=tuple(tails), _adjacent_masks=near)

    def _reordered(self, nodes: Sequence[Node]) -> Self:
        order = [self._index[node] for node in nodes]
        masks = (self._head_masks, self._tail_masks, self._adjacent_masks)
        return self._marked(nodes, *(reordered(each, order) for each in masks))

    def __reduce__(self) -> tuple[Callable[..., Self], tuple[object, ...]]:
        return type(self)._marked, (self.nodes, self._head_masks, self._tail_masks, self._adjacent_masks)

    @classmethod
    def from_marks(cls, matrix: Any, nodes: Sequence[Node] | None = None) -> Self:
        """A graph from the matrix of its edge marks.

        Parameters
        ----------
        matrix : square array
            [i, j] is the mark at node j of the edge between nodes i and j: "tail", "arrow", "circle" or "" for no edge;
            or the numbers of R's pcalg: 0 no edge, 1 circle, 2 arrowhead, 3 tail.
        nodes : sequence, optional
            The names of the nodes; 0, 1, … by default.

        Returns
        -------
        MAG or PAG
            A graph of the class whose method is called.

        Examples
        --------
        >>> import deciban as db
        >>> db.PAG.from_marks([["", "arrow"], ["circle", ""]], ["smoking", "cancer"])
        PAG(smoking o→ cancer)
        """
        cells = np.asarray(matrix)
        if cells.ndim != 2 or cells.shape[0] != cells.shape[1]:
            raise GraphError(f"a matrix of marks is square; this one has the shape {cells.shape}")
        names: Sequence[Node] = range(len(cells)) if nodes is None else nodes
        if len(set(names)) != len(cells) or len(names) != len(cells):
            raise GraphError(f"{len(cells)} rows of marks for {len(set(names))} different names of {len(names)} nodes")
        marks = [[_read_mark(cell) for cell in row] for row in cells.tolist()]
        edges: list[MarkedEdge] = []
        for i, j in combinations_with_replacement(range(len(cells)), 2):
            at_i, at_j = marks[j][i], marks[i][j]
            if (at_i is None) != (at_j is None) or (i == j and at_i is not None):
                raise GraphError(f"the marks between {names[i]!r} and {names[j]!r} make no edge: give both of its ends")
            if at_i is not None and at_j is not None:
                edges.append((names[i], _symbol(at_i, at_j), names[j]))
        return cls(edges, names)

    @classmethod
    def from_dagitty(cls, text: str) -> Self:
        """A graph from a text in the language of dagitty.

        Parameters
        ----------
        text : str
            Such as ``"mag { A -> B <-> C }"`` or ``"pag { A @-> B @-@ C }"``. Positions, roles and other attributes are
            ignored.

        Returns
        -------
        MAG or PAG
            A graph of the class whose method is called.

        Raises
        ------
        GraphTextError
            If the text cannot be read; the message points at the character.

        Examples
        --------
        >>> import deciban as db
        >>> db.PAG.from_dagitty("pag { smoking @-> tar; tar -> cancer }")
        PAG(tar → cancer, smoking o→ tar)
        """
        nodes, edges = read_dagitty(text)
        return cls([edge[:3] for edge in edges], nodes)

    def marks(self) -> NDArray[np.str_]:
        """The matrix of edge marks.

        Returns
        -------
        array of str, nodes × nodes
            [i, j] is the mark at node j of the edge between i and j: "tail", "arrow", "circle", or "" for no edge.
        """
        matrix = np.full((len(self.nodes), len(self.nodes)), "", dtype="<U6")
        for node, near in enumerate(self._adjacent_masks):
            for other in bits(near):
                matrix[other, node] = self._mark(other, node)
        return matrix

    def mark(self, x: Node, y: Node) -> Mark | None:
        """The mark at y of the edge between x and y.

        Parameters
        ----------
        x, y : node
            The names of two nodes.

        Returns
        -------
        str or None
            "tail", "arrow" or "circle"; None where no edge joins them.
        """
        a, b = self.index(x), self.index(y)
        return self._mark(a, b) if self._adjacent_masks[b] >> a & 1 else None

    def _mark(self, a: int, b: int) -> Mark:
        return "arrow" if self._head_masks[b] >> a & 1 else "tail" if self._tail_masks[b] >> a & 1 else "circle"

    def is_visible(self, x: Node, y: Node) -> bool:
        """Whether x → y excludes a hidden common cause of both: a visible edge (Zhang 2008).

        That is so where some node that is not adjacent to y has an edge into x, or a path into x through colliders that
        are all parents of y.

        Parameters
        ----------
        x, y : node
            The names of two nodes.

        Returns
        -------
        bool
            False also where x → y is not an edge.
        """
        a, b = self.index(x), self.index(y)
        if not self._parent_masks[b] >> a & 1:
            return False
        apart = ~self._adjacent_masks[b] & ~(1 << b)
        return bool(beyond(self._head_masks, self._parent_masks[b], apart, a, 1 << b))

    @cached_property
    def edges(self) -> tuple[MarkedEdge, ...]:
        """All edges as sorted triples such as ``("a", "o→", "b")``, from which the graph can be made again."""
        key, order = sort_key(self.nodes), list(SYMBOLS)
        edges = []
        for b, near in enumerate(self._adjacent_masks):
            for a in bits(near):
                marks = self._mark(b, a), self._mark(a, b)
                if marks in SYMBOLS and (marks[0] != marks[1] or key(self.nodes[a]) < key(self.nodes[b])):
                    edges.append((order.index(marks), key(self.nodes[a]), key(self.nodes[b]), a, b))
        return tuple((self.nodes[a], SYMBOLS[order[kind]], self.nodes[b]) for kind, _, _, a, b in sorted(edges))

    @cached_property
    def bidirected_edges(self) -> tuple[Edge, ...]:
        """The edges a ↔ b, as sorted pairs: neither is a cause of the other, so a hidden cause makes both."""
        return self._of_kind("↔")

    def _of_kind(self, kind: str) -> tuple[Edge, ...]:
        return tuple((a, b) for a, symbol, b in self.edges if symbol == kind)

    def adjacency(self) -> NDArray[np.bool_]:
        """The adjacencies as a matrix.

        Returns
        -------
        array of bool, nodes × nodes
            [a, b] is true for an edge between a and b that is not b → a: an arrow is true one way, others both.
        """
        matrix = np.zeros((len(self.nodes), len(self.nodes)), dtype=np.bool_)
        for node, (near, down) in enumerate(zip(self._adjacent_masks, self._child_masks, strict=True)):
            matrix[list(bits(near & ~down)), node] = True
        return matrix

    def to_networkx(self) -> Any:
        """The graph as a ``networkx.DiGraph``. Needs ``pip install deciban[nets]``.

        Returns
        -------
        networkx.DiGraph
            Two arcs for each edge; the attribute ``mark`` of the arc (a, b) is the mark at b.
        """
        graph = super().to_networkx()
        graph.clear_edges()
        for a, near in enumerate(self._adjacent_masks):
            for b in bits(near):
                graph.add_edge(self.nodes[a], self.nodes[b], mark=self._mark(a, b))
        return graph

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other) or not isinstance(other, MarkedGraph):
            return NotImplemented
        return self._identity == other._identity

    __hash__ = Graph.__hash__

    @cached_property
    def _identity(self) -> tuple[frozenset[object], ...]:
        return frozenset(self.nodes), frozenset(self._joined.items())

    @cached_property
    def _joined(self) -> dict[frozenset[Node], object]:
        joined = super()._joined
        for a, kind, b in self.edges:
            joined.setdefault(frozenset((a, b)), frozenset(zip((a, b), _KINDS[kind], strict=True)))
        return joined

    @cached_property
    def _picture(self) -> Picture:
        index = self._index
        edges = (Stroke(index[a], index[b], *_KINDS[kind]) for a, kind, b in self.edges)
        return Picture(tuple(map(str, self.nodes)), tuple(edges))


def _triple(edge: object) -> MarkedEdge:
    parts = tuple(edge) if isinstance(edge, Iterable) and not isinstance(edge, str) else ()
    if len(parts) != 3:
        raise GraphError(f"an edge is a triple such as ('a', 'o→', 'b'), not {edge!r}")
    a, kind, b = parts
    if a == b:
        raise GraphError(f"the edge {edge!r} joins {a!r} to itself; leave it out")
    if kind not in _KINDS:
        raise GraphError(f"{kind!r} is no kind of edge; there are {', '.join(SYMBOLS.values())}, and o->, <-> …")
    return a, kind, b


def _symbol(at_a: Mark, at_b: Mark) -> str:
    # The symbols come before their spellings in letters, so the first that fits is a symbol.
    return next(kind for kind, marks in _KINDS.items() if marks == (at_a, at_b))


def _read_mark(cell: Any) -> Mark | None:
    if cell == "" or cell is None:
        return None
    if cell in get_args(Mark):
        return cell
    if not isinstance(cell, str) and cell in range(len(_NUMBERS)):
        return _NUMBERS[int(cell)]
    raise GraphError(f"{cell!r} is no mark; there are 'tail', 'arrow', 'circle' and '' (or pcalg's 0, 1, 2 and 3)")


class MAG(MarkedGraph, AcyclicGraph):
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
    >>> from deciban.nets import MAG
    >>> MAG([("a", "→", "x"), ("x", "↔", "y"), ("b", "→", "y")])
    MAG(a → x, b → y, x ↔ y)
    >>> MAG.of_dag(db.DAG([("gene", "smoking"), ("gene", "cancer")]), latent=["gene"])
    MAG(cancer ↔ smoking)
    """

    _DAGITTY = "mag"

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
        if cycle := cycle_in_words(self.nodes, self._parent_masks):
            raise CycleError(f"a MAG has no cycle, but here is one: {cycle}")
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
            # Only a ↔ b ↔ … ↔ c can be the inside of such a path, so its ends point into one component of the ↔ edges.
            around = part
            for node in bits(part if part & (part - 1) else 0):
                around |= self._head_masks[node]
            yield from ((i, j) for i, j in combinations(bits(around), 2) if not self._adjacent_masks[i] >> j & 1)

    def _is_separable(self, x: int, y: int) -> bool:
        ends = 1 << x | 1 << y
        return not m_reached(self, 1 << x, reach(self._parent_masks, ends) & ~ends) >> y & 1


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
    >>> from deciban.nets import MAG, m_separated
    >>> graph = MAG([("a", "→", "x"), ("x", "↔", "y"), ("b", "→", "y")])
    >>> m_separated(graph, "a", "y"), m_separated(graph, "a", "y", given="x")
    (True, False)
    """
    if not isinstance(graph, MAG):
        raise GraphError(f"m-separation needs a MAG, not a {type(graph).__name__}; a PAG has .mag()")
    start, goal, shut = separation_masks(graph, x, y, given)
    return not m_reached(graph, start, shut) & goal


def m_reached(graph: MAG, start: int, shut: int) -> int:
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


class PAG(MarkedGraph):
    r"""A partial ancestral graph: edges with a tail, an arrowhead or a circle at each end.

    It represents all graphs with hidden nodes that have the same independences among the observed nodes: marks that
    all of them share, and circles where they differ.

    =========  ====================================================================================
    edge       meaning
    =========  ====================================================================================
    a → b      a is a cause of b, and b is not a cause of a
    a o→ b     b is not a cause of a; a is a cause of b, or they have a hidden common cause, or both
    a ↔ b      neither is a cause of the other: they have a hidden common cause
    a o—o b    any of these, in either direction
    =========  ====================================================================================

    Parameters
    ----------
    edges : iterable of triples, optional
        Triples such as ``("a", "o→", "b")``. The kinds are →, o→, ↔, o—o, — and —o, also reversed, and also in ASCII:
        ``->``, ``o->``, ``<->``, ``o-o``, ``--``, ``-o``.
    nodes : iterable, optional
        Nodes in the order wanted, also those without an edge.

    Attributes
    ----------
    nodes : tuple
        The nodes, in the order given.

    See Also
    --------
    discover : ``method="fci"`` finds a PAG from a table.
    MAG : One graph of the class.
    CPDAG : A class of graphs without hidden common causes.

    Notes
    -----
    These are the marks of Pearl's IC\* (2000, section 2.6): → is its genuine cause, o→ its potential cause, ↔ its
    spurious association.

    Examples
    --------
    >>> import deciban as db
    >>> g = db.PAG([("smoking", "o→", "tar"), ("tar", "→", "cancer"), ("work", "o->", "tar")])
    >>> g
    PAG(tar → cancer, smoking o→ tar, work o→ tar)
    >>> g.mark("tar", "smoking"), g.directed_edges, g.is_visible("tar", "cancer")
    ('circle', (('tar', 'cancer'),), True)
    >>> db.PAG.of_dag(db.DAG([("rain", "wet"), ("sprinkler", "wet"), ("wet", "slippery")]))
    PAG(wet → slippery, rain o→ wet, sprinkler o→ wet)
    """

    _DAGITTY = "pag"

    @classmethod
    def of_dag(cls, dag: DAG, latent: Iterable[Node] = ()) -> PAG:
        """The PAG of the nodes of a DAG that are not latent: all that their independences determine.

        Parameters
        ----------
        dag, latent
            As of ``MAG.of_dag``.

        Returns
        -------
        PAG
        """
        return cls.of_mag(MAG.of_dag(dag, latent))

    @classmethod
    def of_mag(cls, mag: MAG) -> PAG:
        """The equivalence class of a MAG: the marks that all MAGs with the same independences share.

        Parameters
        ----------
        mag : MAG
            One graph of the class.

        Returns
        -------
        PAG
        """
        heads, adjacent = mag._head_masks, mag._adjacent_masks
        marks = Marks.none(adjacent)
        for b, into in enumerate(heads):
            for a in bits(into):
                if into & marks.apart(a):
                    marks.put(a, b, True, "R0")
        # On a discriminating path the MAG itself says whether b is a collider; from data a separating set has to.
        close_marks(marks, lambda _, a, b, c: bool(heads[b] >> a & heads[b] >> c & 1))
        return cls._marked(mag.nodes, marks.heads, marks.tails, adjacent)

    @cached_property
    def half_directed_edges(self) -> tuple[Edge, ...]:
        """The edges a o→ b, as sorted pairs (a, b): b is not a cause of a."""
        return self._of_kind("o→")

    @cached_property
    def open_edges(self) -> tuple[Edge, ...]:
        """The edges a o—o b, as sorted pairs: no direction is known."""
        return self._of_kind("o—o")

    def mag(self) -> MAG:
        """A MAG of the class (Zhang 2008): o→ become →, and o—o become arrows without new colliders.

        Returns
        -------
        MAG

        Raises
        ------
        NoExtensionError
            Where no MAG fits.
        """
        if any(kind in ("—", "—o") for _, kind, _ in self.edges):
            raise NoExtensionError("a PAG with — or —o edges implies selection bias, which MAGs here do not have")
        masks = zip(self._adjacent_masks, self._head_masks, self._tail_masks, strict=True)
        circles = [near & ~head & ~tail for near, head, tail in masks]
        lines = [at_a & at_b for at_a, at_b in zip(circles, transposed(circles), strict=True)]
        # A DAG of the o—o edges without new colliders, with the arrowheads so far, is a MAG of the class (Zhang 2008).
        parents = orientation.extend([0] * len(circles), lines)
        if parents is None:
            raise NoExtensionError("every direction of its o—o edges makes a cycle or a new collider")
        full = [head | up for head, up in zip(self._head_masks, parents, strict=True)]
        tails = [near & ~head for near, head in zip(self._adjacent_masks, full, strict=True)]
        mag = MAG._marked(self.nodes, full, tails, self._adjacent_masks)
        try:
            mag._check()
        except GraphError as error:
            raise NoExtensionError(f"there is no MAG: {error}") from None
        return mag

    def is_class(self) -> bool:
        """Whether the PAG is complete: exactly the marks that all MAGs of some class share.

        Returns
        -------
        bool
        """
        try:
            return PAG.of_mag(self.mag()) == self
        except NoExtensionError:
            return False
