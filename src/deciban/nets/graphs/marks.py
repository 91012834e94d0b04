"""Graphs whose edges have a mark at each end: a tail, an arrowhead or a circle.

With hidden common causes, each end of an edge has its own meaning ("Bayes Nets", the IC* algorithm; Pearl 2000,
section 2.6; Richardson and Spirtes 2002). Of the edge between a and b,

  an arrowhead at b   says that b is not a cause of a,
  a tail at b         says that b is a cause of a, directly or indirectly,
  a circle at b       says that the independences do not determine it.

``_head_masks[i]`` are the nodes whose edge to node i has an arrowhead at i, ``_tail_masks[i]`` those with a tail at i.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from itertools import combinations_with_replacement
from typing import Any, Self, get_args

import numpy as np
from numpy.typing import NDArray

from deciban.errors import GraphError
from deciban.nets.graphs.base import Edge, Graph, Node, sort_key
from deciban.nets.graphs.bits import bits, transposed
from deciban.nets.graphs.drawing.formats import SYMBOLS, Mark, Picture, Stroke

__all__ = ["MarkedEdge", "MarkedGraph"]

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
        if isinstance(nodes, str):
            raise GraphError(f"nodes is the one string {nodes!r}; pass a list of names")
        triples = [_triple(edge) for edge in edges]
        try:
            names = tuple(dict.fromkeys([*nodes, *(node for a, _, b in triples for node in (a, b))]))
        except TypeError as error:
            raise GraphError(f"nodes are names, numbers or other hashable values: {error}") from None
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
        """What a subclass asks of its edges."""

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

    def __reduce__(self) -> tuple[Callable[..., Self], tuple[Any, ...]]:
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

    @cached_property
    def edges(self) -> tuple[MarkedEdge, ...]:
        """All edges as sorted triples such as ``("a", "o→", "b")``, of which the graph can be made again."""
        key, order = sort_key(self.nodes), list(SYMBOLS)
        found = []
        for b, near in enumerate(self._adjacent_masks):
            for a in bits(near):
                marks = self._mark(b, a), self._mark(a, b)
                if marks in SYMBOLS and (marks[0] != marks[1] or key(self.nodes[a]) < key(self.nodes[b])):
                    found.append((order.index(marks), key(self.nodes[a]), key(self.nodes[b]), a, b))
        return tuple((self.nodes[a], SYMBOLS[order[kind]], self.nodes[b]) for kind, _, _, a, b in sorted(found))

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
    def _identity(self) -> tuple[frozenset[Any], ...]:
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


def _triple(edge: Any) -> MarkedEdge:
    if not isinstance(edge, str):
        try:
            a, kind, b = edge
        except (TypeError, ValueError):
            pass
        else:
            if a == b:
                raise GraphError(f"the edge {edge!r} joins {a!r} to itself; leave it out")
            if kind in _KINDS:
                return a, kind, b
            raise GraphError(f"{kind!r} is no kind of edge; there are {', '.join(SYMBOLS.values())}, and o->, <-> …")
    raise GraphError(f"an edge is a triple such as ('a', 'o→', 'b'), not {edge!r}")


def _symbol(at_a: Mark, at_b: Mark) -> str:
    return next(kind for kind, marks in _KINDS.items() if marks == (at_a, at_b))


def _read_mark(cell: Any) -> Mark | None:
    if cell == "" or cell is None:
        return None
    if cell in get_args(Mark):
        return cell
    if not isinstance(cell, str) and cell in range(len(_NUMBERS)):
        return _NUMBERS[int(cell)]
    raise GraphError(f"{cell!r} is no mark; there are 'tail', 'arrow', 'circle' and '' (or pcalg's 0, 1, 2 and 3)")
