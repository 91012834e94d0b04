"""The base class of all graphs: nodes, edges, adjacency, conversion and drawing.

A graph is immutable and hashable. Two graphs are equal if they are of the same kind and have the same nodes and edges,
in any order. Internally, node i is bit i of a mask (``deciban.nets.graphs.bits``): ``_parent_masks[i]`` are the parents
of node i, ``_child_masks[i]`` its children, ``_neighbour_masks[i]`` the nodes that an undirected edge joins to it. The
algorithms of ``deciban.nets`` work on these masks; ``_mask(names)`` and ``_names(mask)`` convert.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Hashable, Iterable, Sequence
from functools import cached_property
from typing import Any, ClassVar, Literal, NoReturn, Self, get_args

import numpy as np
from numpy.typing import NDArray

from deciban.choices import check_choice, closest
from deciban.errors import GraphError, ParameterError, UnknownNodeError
from deciban.extras import need
from deciban.files import as_path, write_whole
from deciban.limits import check_memory
from deciban.nets.graphs import drawing
from deciban.nets.graphs.bits import bits, find_cycle, reach, reordered, topological, transposed
from deciban.nets.graphs.graph_text import write_dagitty

__all__ = [
    "AcyclicGraph", "Edge", "Graph", "Node", "cycle_in_words", "distinct_nodes", "edge_lists", "is_among",
    "opposite_arrows", "sort_key",
]  # fmt: skip


Node = Hashable
ImageFormat = Literal["svg", "png", "pdf"]
Edge = tuple[Node, Node]


class Graph:
    """Named nodes, arrows and undirected edges."""

    _parent_masks: tuple[int, ...]
    _neighbour_masks: tuple[int, ...]
    nodes: tuple[Node, ...]

    _DAGITTY: ClassVar[str] = "graph"
    """The word for this kind of graph in the language of dagitty."""

    # A frozen dataclass does not do: it has one constructor, and each kind of graph takes other arguments; it compares
    # fields, and graphs with their nodes in another order are equal. Cached properties write to ``__dict__`` directly,
    # as ``_fill`` does, so they still work; a change from outside would leave them wrong.
    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a {type(self).__name__} cannot be changed: make another one")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a {type(self).__name__} cannot be changed: make another one")

    @classmethod
    def _made(cls, nodes: Sequence[Node], parents: Sequence[int], neighbours: Sequence[int] | None = None) -> Self:
        """A graph from masks that are known to be valid."""
        graph = object.__new__(cls)
        graph._fill(tuple(nodes), tuple(parents), tuple(neighbours) if neighbours else (0,) * len(nodes))
        return graph

    def _fill(self, nodes: tuple[Node, ...], parents: tuple[int, ...], neighbours: tuple[int, ...]) -> None:
        vars(self).update(nodes=nodes, _parent_masks=parents, _neighbour_masks=neighbours)

    def __reduce__(self) -> tuple[Callable[..., Self], tuple[object, ...]]:
        return type(self)._made, (self.nodes, self._parent_masks, self._neighbour_masks)

    def _reordered(self, nodes: Sequence[Node]) -> Self:
        """The same graph with its nodes in another order."""
        order = [self._index[node] for node in nodes]
        return self._made(nodes, reordered(self._parent_masks, order), reordered(self._neighbour_masks, order))

    @cached_property
    def _index(self) -> dict[Node, int]:
        return {node: index for index, node in enumerate(self.nodes)}

    @cached_property
    def _child_masks(self) -> tuple[int, ...]:
        """For each node its children, as a mask."""
        return tuple(transposed(self._parent_masks))

    @cached_property
    def _adjacent_masks(self) -> tuple[int, ...]:
        """For each node the adjacent nodes, as a mask."""
        masks = zip(self._parent_masks, self._child_masks, self._neighbour_masks, strict=True)
        return tuple(parents | children | neighbours for parents, children, neighbours in masks)

    def index(self, x: Node) -> int:
        """The index of a node in ``nodes``.

        Parameters
        ----------
        x : node
            The name of a node.

        Returns
        -------
        int

        Raises
        ------
        UnknownNodeError
            If there is no such node; the message lists the nodes.
        """
        try:
            return self._index[x]
        except (KeyError, TypeError):
            known = ", ".join(map(repr, self.nodes[:12])) + (", …" if len(self.nodes) > 12 else "")
            meant = closest(x, self.nodes)
            raise UnknownNodeError(f"the graph has no node {x!r}; its nodes are: {known or 'none'}.{meant}") from None

    def _mask(self, xs: Node | Iterable[Node]) -> int:
        """One node or several, as a mask; a tuple that is a node is one node."""
        try:
            return 1 << self._index[xs]  # type: ignore[index]
        except (KeyError, TypeError):
            if isinstance(xs, str) or not isinstance(xs, Iterable):
                return 1 << self.index(xs)
        mask = 0
        for x in xs:
            mask |= 1 << self.index(x)
        return mask

    def _names(self, mask: int) -> frozenset[Node]:
        """The nodes of a mask."""
        return frozenset(self.nodes[index] for index in bits(mask))

    @cached_property
    def directed_edges(self) -> tuple[Edge, ...]:
        """The arrows, as sorted pairs (parent, child)."""
        nodes, key = self.nodes, sort_key(self.nodes)
        pairs = ((nodes[up], nodes[node]) for node, mask in enumerate(self._parent_masks) for up in bits(mask))
        return tuple(sorted(pairs, key=lambda edge: (key(edge[0]), key(edge[1]))))

    @cached_property
    def undirected_edges(self) -> tuple[Edge, ...]:
        """The undirected edges, as sorted pairs, the smaller name first."""
        nodes, key = self.nodes, sort_key(self.nodes)
        pairs = ((nodes[a], nodes[b]) for a, mask in enumerate(self._neighbour_masks) for b in bits(mask))
        ordered = (pair for pair in pairs if key(pair[0]) < key(pair[1]))
        return tuple(sorted(ordered, key=lambda edge: (key(edge[0]), key(edge[1]))))

    def parents(self, x: Node) -> frozenset[Node]:
        """The nodes with an arrow to x.

        Parameters
        ----------
        x : node
            The name of a node.

        Returns
        -------
        frozenset
        """
        return self._names(self._parent_masks[self.index(x)])

    def children(self, x: Node) -> frozenset[Node]:
        """The nodes with an arrow from x.

        Parameters
        ----------
        x : node
            The name of a node.

        Returns
        -------
        frozenset
        """
        return self._names(self._child_masks[self.index(x)])

    def neighbours(self, x: Node) -> frozenset[Node]:
        """The nodes that an undirected edge joins to x.

        Parameters
        ----------
        x : node
            The name of a node.

        Returns
        -------
        frozenset
        """
        return self._names(self._neighbour_masks[self.index(x)])

    def adjacent_nodes(self, x: Node) -> frozenset[Node]:
        """The nodes that an edge of any kind joins to x.

        Parameters
        ----------
        x : node
            The name of a node.

        Returns
        -------
        frozenset
        """
        return self._names(self._adjacent_masks[self.index(x)])

    def is_adjacent(self, x: Node, y: Node) -> bool:
        """Whether an edge of any kind joins x and y.

        Parameters
        ----------
        x, y : node
            The names of two nodes.

        Returns
        -------
        bool
        """
        return bool(self._adjacent_masks[self.index(x)] >> self.index(y) & 1)

    @property
    def edges(self) -> tuple[tuple[Node, str, Node], ...]:
        """All edges as triples such as ``("a", "→", "b")`` and ``("b", "—", "c")``, the arrows first."""
        arrows = [(a, "→", b) for a, b in self.directed_edges]
        return (*arrows, *((a, "—", b) for a, b in self.undirected_edges))

    def adjacency(self) -> NDArray[np.bool_]:
        """The graph as a matrix.

        Returns
        -------
        array of bool, nodes × nodes
            [i, j] is true where node i is a parent of node j; an undirected edge is true both ways.
        """
        matrix = np.zeros((len(self.nodes), len(self.nodes)), dtype=np.bool_)
        for node, (up, beside) in enumerate(zip(self._parent_masks, self._neighbour_masks, strict=True)):
            matrix[list(bits(up | beside)), node] = True
        return matrix

    def to_networkx(self) -> Any:
        """The graph as a ``networkx.DiGraph``. Needs ``pip install deciban[nets]``.

        Returns
        -------
        networkx.DiGraph
            An undirected edge becomes two arrows.
        """
        nx = need("networkx", "nets", "to_networkx")
        graph = nx.DiGraph()
        graph.add_nodes_from(self.nodes)
        graph.add_edges_from(self.directed_edges)
        graph.add_edges_from(self.undirected_edges)
        graph.add_edges_from((b, a) for a, b in self.undirected_edges)
        return graph

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other) or not isinstance(other, Graph):
            return NotImplemented
        # Masks of the same nodes in the same order can be compared as they are; else the names have to be.
        if self.nodes == other.nodes:
            return self._parent_masks == other._parent_masks and self._neighbour_masks == other._neighbour_masks
        return self._identity == other._identity

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((type(self).__name__, self._identity))

    @cached_property
    def _identity(self) -> tuple[frozenset[object], ...]:
        return frozenset(self.nodes), frozenset(self.directed_edges), frozenset(map(frozenset, self.undirected_edges))

    @cached_property
    def _joined(self) -> dict[frozenset[Node], object]:
        """For each adjacent pair the node that its arrow points to, or "line" for an undirected edge."""
        joined: dict[frozenset[Node], object] = {frozenset(edge): ("to", edge[1]) for edge in self.directed_edges}
        joined.update({frozenset(edge): "line" for edge in self.undirected_edges})
        return joined

    def __repr__(self) -> str:
        return f"{type(self).__name__}({drawing.in_words(self._picture)})"

    def to_dagitty(self) -> str:
        """The graph in the language of dagitty; ``from_dagitty`` reads it back.

        Returns
        -------
        str

        Examples
        --------
        >>> import deciban as db
        >>> print(db.DAG([("rain", "wet")]).to_dagitty())
        dag {
          rain
          wet
          rain -> wet
        }
        """
        return write_dagitty(self._DAGITTY, self.nodes, self.edges)

    def to_dot(self) -> str:
        """The graph in the DOT language of Graphviz.

        Returns
        -------
        str
        """
        return drawing.to_dot(self._picture)

    def to_mermaid(self) -> str:
        """The graph as a Mermaid flowchart, which Markdown renderers draw.

        Returns
        -------
        str

        Examples
        --------
        >>> import deciban as db
        >>> print(db.DAG([("rain", "wet")]).to_mermaid().rstrip())
        flowchart TD
          n0["rain"]
          n1["wet"]
          n0 --> n1
        """
        return drawing.to_mermaid(self._picture)

    def to_svg(self) -> str:
        """The graph as an SVG picture, parents above children.

        Returns
        -------
        str
        """
        return drawing.to_svg(self._picture)

    def plot(self, ax: Any = None) -> Any:
        """Draw the graph with matplotlib. Needs ``pip install deciban[plot]``.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; new axes by default.

        Returns
        -------
        matplotlib axes
        """
        return drawing.plot(self._picture, ax)

    def save(self, path: str | os.PathLike[str], *, format: ImageFormat | None = None) -> None:  # noqa: A002
        """Draw the graph to a file; an existing file is replaced.

        Parameters
        ----------
        path : str or path
            The file: .svg, .png or .pdf. PNG and PDF need ``pip install deciban[plot]``.
        format : {"svg", "png", "pdf"}, optional
            The format, if the suffix does not say it.

        Examples
        --------
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> import deciban as db
        >>> with TemporaryDirectory() as folder:
        ...     db.DAG([("rain", "wet")]).save(Path(folder) / "rain.svg")
        ...     Path(folder, "rain.svg").read_text()[:4]
        '<svg'
        """
        file = as_path(path)
        found = format or file.suffix.lower().removeprefix(".")
        if format is None and found not in get_args(ImageFormat):
            raise ParameterError(
                f"a graph is drawn as svg, png or pdf, and the suffix of {file.name!r} is none of these: pass format=."
            )
        check_choice("format", found, get_args(ImageFormat))
        is_svg = found == "svg"
        image = (
            self.to_svg().encode() if is_svg else drawing.to_image(self._picture, "pdf" if found == "pdf" else "png")
        )
        write_whole(file, image)

    def _repr_html_(self) -> str:
        return self.to_svg()

    @cached_property
    def _picture(self) -> drawing.Picture:
        index = self._index
        edges = [drawing.Stroke(index[a], index[b], "tail", "arrow") for a, b in self.directed_edges]
        edges += [drawing.Stroke(index[a], index[b], "tail", "tail") for a, b in self.undirected_edges]
        return drawing.Picture(tuple(map(str, self.nodes)), tuple(edges))


def sort_key(nodes: Iterable[Node]) -> Callable[[Node], int]:
    """A key to sort nodes by: the nodes themselves where they can be compared, else their type and text.

    It is the rank of a node, so that nodes are compared once, and not each time that their edges are sorted.
    """
    try:
        ranks = {node: rank for rank, node in enumerate(sorted(nodes))}  # type: ignore[type-var]
    except TypeError:
        ordered = sorted(nodes, key=lambda node: (type(node).__name__, repr(node)))
        ranks = {node: rank for rank, node in enumerate(ordered)}
    return ranks.__getitem__


def is_among(name: object, names: Container[Node]) -> bool:
    """Whether a value is one of some names; a list or a set of names is none of them."""
    try:
        return name in names
    except TypeError:  # it cannot be hashed
        return False


def cycle_in_words(nodes: Sequence[Node], parents: Sequence[int]) -> str:
    """A directed cycle, such as "b → a → b"; empty where there is none.

    >>> cycle_in_words("abc", [0b010, 0b001, 0b001])
    'b → a → b'
    """
    cycle = find_cycle(parents)
    return " → ".join(str(nodes[index]) for index in [*cycle, *cycle[:1]])


def distinct_nodes(nodes: Iterable[Node], of_edges: Iterable[Node]) -> tuple[Node, ...]:
    """The nodes that are listed, in their order, then those that only the edges name."""
    if isinstance(nodes, str):
        raise GraphError(f"nodes is the one string {nodes!r}; pass a list of names")
    try:
        return tuple(dict.fromkeys([*nodes, *of_edges]))
    except TypeError as error:
        raise GraphError(f"nodes are names, numbers or other hashable values: {error}") from None


def edge_lists(
    nodes: Iterable[Node], directed: Iterable[Edge], undirected: Iterable[Edge]
) -> tuple[tuple[Node, ...], list[int], list[int]]:
    """Nodes and masks from pairs."""
    arrows, lines = [_pair(edge) for edge in directed], [_pair(edge) for edge in undirected]
    names = distinct_nodes(nodes, (node for edge in [*arrows, *lines] for node in edge))
    index = {node: number for number, node in enumerate(names)}
    # A mask has up to a bit for each node, and there is one for parents and one for children.
    joined = {node for edge in (*arrows, *lines) for node in edge}
    check_memory("the adjacency of the graph, nodes × bytes,", len(joined), len(index) // 8 + 1, itemsize=2)
    parents, neighbours = [0] * len(index), [0] * len(index)
    for a, b in arrows:
        parents[index[b]] |= 1 << index[a]
    for a, b in lines:
        neighbours[index[a]] |= 1 << index[b]
        neighbours[index[b]] |= 1 << index[a]
    return names, parents, neighbours


def _pair(edge: object) -> Edge:
    ends = tuple(edge) if isinstance(edge, Iterable) and not isinstance(edge, str) else ()
    if len(ends) != 2:
        raise GraphError(f"an edge is a pair of nodes (parent, child), not {edge!r}")
    if ends[0] == ends[1]:
        raise GraphError(f"the edge {edge!r} joins {ends[0]!r} to itself; leave it out")
    return ends


def opposite_arrows(parents: Sequence[int]) -> list[int]:
    """For each node the nodes that have an arrow both from and to it."""
    return [up & down for up, down in zip(parents, transposed(parents), strict=True)]


class AcyclicGraph(Graph):
    """A graph whose arrows form no cycle."""

    def ancestors(self, xs: Node | Iterable[Node]) -> frozenset[Node]:
        """The nodes with a directed path to x.

        Parameters
        ----------
        xs : node or iterable of nodes
            A node; of several, the ancestors of any of them.

        Returns
        -------
        frozenset
            The ancestors, without the nodes themselves unless one is an ancestor of another.

        Examples
        --------
        >>> import deciban as db
        >>> sorted(db.DAG([("a", "b"), ("b", "c")]).ancestors("c"))
        ['a', 'b']
        """
        return self._names(reach(self._parent_masks, self._mask(xs)))

    def descendants(self, xs: Node | Iterable[Node]) -> frozenset[Node]:
        """The nodes with a directed path from x.

        Parameters
        ----------
        xs : node or iterable of nodes
            A node; of several, the descendants of any of them.

        Returns
        -------
        frozenset
            The descendants, without the nodes themselves unless one is a descendant of another.
        """
        return self._names(reach(self._child_masks, self._mask(xs)))

    def topological_order(self) -> tuple[Node, ...]:
        """All nodes, parents before children.

        Returns
        -------
        tuple
            The nodes in an order in which every arrow points to a later node.

        Examples
        --------
        >>> import deciban as db
        >>> db.DAG([("rain", "wet"), ("season", "rain")]).topological_order()
        ('season', 'rain', 'wet')
        """
        return tuple(self.nodes[index] for index in topological(self._parent_masks))
