"""Confidence in an edge: how often it is found in bootstrap samples (Friedman, Goldszmidt and Wyner 1999).

Which edges to keep is estimated from their shares p₁ … p_k themselves, of all pairs of nodes, also of those that were
never found (Scutari and Nagarajan, 2013). If the samples were unanimous, the shares would be 0 or 1, and their
distribution function a constant t between. The best constant is the nearest in L¹ to the function F of the shares,

    t = argmin ∫₀¹ |F(p) − t| dp,        threshold = F⁻¹(t) = inf {p : F(p) ≥ t}

and edges above the threshold are kept. A constant that is nearest to a function in L¹ is its median, and F ascends: so
t = F(½), and the threshold is the largest share that is not above ½. No search for the minimum is needed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from deciban.choices import counted
from deciban.errors import NoExtensionError, ParameterError
from deciban.nets.graphs import drawing
from deciban.nets.graphs.bits import reach
from deciban.nets.graphs.dag import DAG, PDAG
from deciban.nets.graphs.graph import Edge, Graph, Node
from deciban.nets.graphs.marked import MarkedGraph
from deciban.nets.graphs.picture import GraphPicture, picture_of
from deciban.tallies import rows_as_html
from deciban.ties import largest_first

__all__ = ["Confidence"]

_SHOWN = 30
"""How many edges a text shows."""


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
    has_marks : bool
        Whether the graphs have marks, as those of FCI: then their average is not defined here.

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
    Confidence from 20 draws: 1 edge above the threshold of 0.00
    rain — street: 1.00 (rain → street 0.00, street → rain 0.00)
    >>> found.edge("street", "rain"), found.arrow("rain", "street")
    (1.0, 0.0)
    >>> found.averaged()
    PDAG(rain — street)
    """

    nodes: tuple[Node, ...]
    draws: int
    edges: dict[Edge, float]
    arrows: dict[Edge, float]
    has_marks: bool = False

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
        arrows, draws, has_marks = edges.copy(), 0, False
        for graph in graphs:
            has_marks = has_marks or isinstance(graph, MarkedGraph)
            matrix = graph.adjacency()
            edges += matrix | matrix.T
            # An undirected edge is true both ways, so it counts as an edge and as no arrow.
            arrows += matrix & ~matrix.T
            draws += 1
        joined = {(nodes[i], nodes[j]): float(edges[i, j]) / draws for i, j in np.argwhere(np.triu(edges, 1) > 0)}
        directed = {(nodes[i], nodes[j]): float(arrows[i, j]) / draws for i, j in np.argwhere(arrows > 0)}
        return cls(nodes, draws, joined, directed, has_marks)

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

    @property
    def threshold(self) -> float:
        """The largest share of an edge that is not kept, estimated from the shares of all pairs.

        F⁻¹(argmin_t ∫₀¹ abs(F(p) − t) dp) = the largest share up to ½      (Scutari and Nagarajan, 2013)
        """
        return max((share for share in self.edges.values() if share <= 0.5), default=0.0)

    def averaged(self, threshold: float | None = None) -> PDAG:
        """The graph of the edges that are found often, with the directions that are found often.

        An edge is kept if its share is above the threshold. It is directed where more than half of the samples with the
        edge have that arrow. An arrow that would close a cycle of more frequent ones is left undirected:
        ``conflicts`` lists these.

        Parameters
        ----------
        threshold : float, optional
            Keep the edges with a share above it; by default ``self.threshold``.

        Returns
        -------
        PDAG
            Its arrows form no cycle.

        Raises
        ------
        ParameterError
            If the graphs are PAGs.

        See Also
        --------
        Confidence.averaged_dag : All edges directed, to fit a net.

        Examples
        --------
        >>> from deciban.nets import DAG, Confidence
        >>> graphs = [
        ...     DAG([("a", "b"), ("b", "c")]),
        ...     DAG([("a", "b"), ("c", "b")]),
        ...     DAG([("a", "b")], ["a", "b", "c"]),
        ... ]
        >>> Confidence.of(("a", "b", "c"), graphs).averaged()
        PDAG(a → b, b — c)
        """
        parents, neighbours, _ = self._average(threshold)
        return PDAG._made(self.nodes, parents, neighbours)

    def conflicts(self, threshold: float | None = None) -> tuple[str, ...]:
        """The arrows that ``averaged`` leaves undirected, since with more frequent ones they would make a cycle.

        Parameters
        ----------
        threshold : float, optional
            As in ``averaged``.

        Returns
        -------
        tuple of str
        """
        return self._average(threshold)[2]

    def averaged_dag(self, threshold: float | None = None) -> DAG:
        """The averaged graph as a DAG, for ``BayesNet.fit``.

        The undirected edges get directions without a new v-structure where that is possible; else, the most frequent
        first, the direction that is found more often, unless it would close a cycle.

        Parameters
        ----------
        threshold : float, optional
            As in ``averaged``.

        Returns
        -------
        DAG
        """
        graph = self.averaged(threshold)
        try:
            return graph.extension()
        except NoExtensionError:
            parents = list(graph._parent_masks)
        for x, y in self._by_share(graph.undirected_edges):
            a, b = (y, x) if self.arrow(y, x) > self.arrow(x, y) else (x, y)
            if not _direct(parents, graph.index(a), graph.index(b)):
                _direct(parents, graph.index(b), graph.index(a))
        return DAG._made(self.nodes, parents)

    def _by_share(self, edges: Iterable[Edge]) -> list[Edge]:
        # Sorted first, so that equal shares do not follow the order in which the edges were found.
        return largest_first(sorted(edges, key=str), lambda edge: self.edge(*edge))

    def _average(self, threshold: float | None) -> tuple[list[int], list[int], tuple[str, ...]]:
        """The masks of the parents and of the neighbours, and the conflicts."""
        if self.has_marks:
            raise ParameterError(
                "graphs with marks, as those of FCI, have no averaged graph: read the shares of edges."
            )
        kept = self._kept(threshold)
        index = {node: number for number, node in enumerate(self.nodes)}
        either = [edge for x, y in kept for edge in ((x, y), (y, x)) if 2 * self.arrow(*edge) > self.edge(*edge)]
        parents, neighbours, conflicts = [0] * len(index), [0] * len(index), []
        arrows = largest_first(sorted(either, key=str), lambda edge: self.arrow(*edge))
        for a, b in arrows:
            if not _direct(parents, index[a], index[b]):
                conflicts.append(f"{a} → {b} ({self.arrow(a, b):.2f}) would close a cycle of more frequent arrows")
        for a, b in ((index[x], index[y]) for x, y in kept):
            if not (parents[a] >> b | parents[b] >> a) & 1:
                neighbours[a] |= 1 << b
                neighbours[b] |= 1 << a
        return parents, neighbours, tuple(conflicts)

    def _kept(self, threshold: float | None) -> list[Edge]:
        least = self.threshold if threshold is None else threshold
        return [edge for edge, share in self.edges.items() if share > least]

    def to_frame(self, backend: str = "pandas") -> Any:
        """The shares as a frame, those of the most frequent edges first.

        Parameters
        ----------
        backend : str
            "pandas", "polars", "pyarrow" or another library that narwhals knows.

        Returns
        -------
        frame
            A row for each edge that was found: ``x``, ``y``, the share with the ``edge``, with x → y (``forward``),
            with y → x (``backward``), and whether the edge is above the threshold (``is_kept``).
        """
        from deciban.read.frame import make_frame  # noqa: PLC0415  brings pyarrow, which takes long to load

        order = self._by_share(self.edges)
        columns: dict[str, list[Any]] = {
            "x": [x for x, _ in order],
            "y": [y for _, y in order],
            "edge": [self.edges[edge] for edge in order],
            "forward": [self.arrow(x, y) for x, y in order],
            "backward": [self.arrow(y, x) for x, y in order],
            "is_kept": [self.edges[edge] > self.threshold for edge in order],
        }
        return make_frame(columns, backend)

    def to_svg(self, threshold: float | None = None) -> str:
        """The averaged graph as an SVG picture, with edges as thick as they are frequent.

        Parameters
        ----------
        threshold : float, optional
            As in ``averaged``.

        Returns
        -------
        str
        """
        return self._drawn(threshold).to_svg()

    def plot(self, ax: Any = None, *, threshold: float | None = None) -> Any:
        """Draw the averaged graph with matplotlib. Needs ``pip install deciban[plot]``.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; new axes by default.
        threshold : float, optional
            As in ``averaged``.

        Returns
        -------
        matplotlib axes
        """
        return drawing.plot(self._drawn(threshold).picture, ax)

    def _drawn(self, threshold: float | None) -> GraphPicture:
        least = self.threshold if threshold is None else threshold
        # Of graphs with marks the adjacencies.
        graph = PDAG((), self._kept(least), self.nodes) if self.has_marks else self.averaged(least)
        room = max(1.0 - least, 1e-9)
        return picture_of(graph, strength=lambda x, y: (self.edge(x, y) - least) / room)

    @property
    def _title(self) -> str:
        kept = counted(len(self._kept(None)), "edge")
        return f"Confidence from {counted(self.draws, 'draw')}: {kept} above the threshold of {self.threshold:.2f}"

    def __repr__(self) -> str:
        order = self._by_share(self.edges)
        lines = [
            f"{x} — {y}: {self.edges[x, y]:.2f} ({x} → {y} {self.arrow(x, y):.2f}, {y} → {x} {self.arrow(y, x):.2f})"
            for x, y in order[:_SHOWN]
        ]
        more = [f"… {len(order) - _SHOWN} more"] if len(order) > _SHOWN else []
        return "\n".join([self._title, *lines, *more])

    def _repr_html_(self) -> str:
        rows = [
            (f"{x} — {y}", f"{self.edges[x, y]:.2f}", f"{self.arrow(x, y):.2f}", f"{self.arrow(y, x):.2f}")
            for x, y in self._by_share(self.edges)
        ]
        heads = ("edge", "found", "first → second", "second → first")
        return f"{self.to_svg()}{rows_as_html(self._title, heads, rows)}"


def _direct(parents: list[int], tail: int, head: int) -> bool:
    """Add an arrow, unless it would close a cycle; whether it was added."""
    if reach(parents, 1 << tail) >> head & 1:
        return False
    parents[head] |= 1 << tail
    return True
