"""Markov equivalence: graphs that no observation can distinguish.

Two causal graphs are compatible with the same distributions if and only if they have the same adjacencies and the same
v-structures: a → c ← b with a and b not adjacent ("Bayes Nets", observational equivalence; Verma and Pearl, 1990).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

from deciban.choices import counted
from deciban.errors import GraphError
from deciban.nets.graphs import drawing
from deciban.nets.graphs.bits import bits
from deciban.nets.graphs.dag import DAG, PDAG
from deciban.nets.graphs.graph import Edge, Graph, Node, sort_key
from deciban.nets.graphs.orientation import close

__all__ = [
    "Comparison",
    "Equivalence",
    "Triple",
    "check_same_nodes",
    "compare_graphs",
    "equivalent",
    "meek_closure",
    "shd",
    "v_structures",
]


Triple = tuple[Node, Node, Node]
T = TypeVar("T")


@dataclass(frozen=True)
class Equivalence:
    """Whether two graphs are equivalent, and how they differ: true if they are.

    Attributes
    ----------
    adjacencies : pair of tuples
        Pairs that are adjacent in the first graph only, and in the second only.
    v_structures : pair of tuples
        Triples (a, collider, b) that are in the first graph only, and in the second only.

    See Also
    --------
    equivalent : Returns it.

    Examples
    --------
    >>> import deciban as db
    >>> found = db.equivalent(
    ...     db.DAG([("a", "c"), ("b", "c")]), db.DAG([("a", "c"), ("c", "b")])
    ... )
    >>> print(found)
    not equivalent: a → c ← b is a v-structure only in the first
    >>> found.v_structures
    ((('a', 'c', 'b'),), ())
    """

    adjacencies: tuple[tuple[Edge, ...], tuple[Edge, ...]]
    v_structures: tuple[tuple[Triple, ...], tuple[Triple, ...]]

    def __bool__(self) -> bool:
        return not any((*self.adjacencies, *self.v_structures))

    def __str__(self) -> str:
        if self:
            return "equivalent: same adjacencies, same v-structures"
        differences = []
        for index, which in enumerate(("first", "second")):
            differences += [f"{a} — {b} is only in the {which}" for a, b in self.adjacencies[index]]
            differences += [
                f"{a} → {c} ← {b} is a v-structure only in the {which}" for a, c, b in self.v_structures[index]
            ]
        return f"not equivalent: {'; '.join(differences)}"


def v_structures(graph: Graph) -> tuple[Triple, ...]:
    """The triples a → c ← b with no edge between a and b; c is the collider.

    Parameters
    ----------
    graph : DAG, PDAG or CPDAG
        The graph.

    Returns
    -------
    tuple of triples
        (a, c, b) with a before b, sorted by the collider.

    See Also
    --------
    equivalent : Equivalent graphs have the same v-structures.

    Examples
    --------
    >>> import deciban as db
    >>> db.v_structures(db.DAG([("GPA", "admission"), ("personality", "admission")]))
    (('GPA', 'admission', 'personality'),)
    """
    nodes, key = graph.nodes, sort_key(graph.nodes)
    triples = [
        (nodes[a], nodes[collider], nodes[b])
        for collider, mask in enumerate(graph._parent_masks)
        for a in bits(mask)
        for b in bits(mask & ~graph._adjacent_masks[a])
        if key(nodes[a]) < key(nodes[b])
    ]
    return tuple(sorted(triples, key=lambda triple: [key(triple[1]), key(triple[0]), key(triple[2])]))


def equivalent(graph: DAG | PDAG, other: DAG | PDAG) -> Equivalence:
    """Whether two graphs have the same adjacencies and v-structures, and how they differ.

    Equivalent graphs are compatible with the same distributions (Verma and Pearl, 1990), so that no observation can
    distinguish them.

    Parameters
    ----------
    graph, other : DAG, PDAG or CPDAG
        Two graphs with the same nodes.

    Returns
    -------
    Equivalence
        True if they are equivalent; it prints the differences.

    See Also
    --------
    DAG.cpdag : The class of all equivalent DAGs.
    shd : The number of differences.

    Examples
    --------
    >>> import deciban as db
    >>> print(db.equivalent(db.DAG([("smoking", "cancer")]), db.DAG([("cancer", "smoking")])))
    equivalent: same adjacencies, same v-structures
    """
    check_same_nodes(graph, other)
    edges = [each.skeleton().undirected_edges for each in (graph, other)]
    colliders = [v_structures(each) for each in (graph, other)]
    return Equivalence(
        (_only(edges[0], edges[1]), _only(edges[1], edges[0])),
        (_only(colliders[0], colliders[1]), _only(colliders[1], colliders[0])),
    )


def meek_closure(graph: PDAG) -> PDAG:
    """Direct every edge whose direction follows from the arrows, by Meek's four rules (1995).

    A direction follows if the other one would make a cycle or a new v-structure. If the arrows contradict each other,
    so may the result; ``extension()`` then raises an error.

    Parameters
    ----------
    graph : PDAG
        A graph with edges that have no direction.

    Returns
    -------
    PDAG

    See Also
    --------
    PDAG.extension : One DAG that fits.

    Examples
    --------
    >>> import deciban as db
    >>> from deciban.nets import meek_closure
    >>> meek_closure(db.PDAG([("rain", "wet")], [("wet", "slippery")]))
    PDAG(rain → wet, wet → slippery)
    """
    return PDAG._from_masks(*close(graph._parent_masks, graph._neighbour_masks), graph.nodes)


def check_same_nodes(graph: Graph, other: Graph) -> None:
    """Raise an error if the graphs do not have the same nodes."""
    different = set(graph.nodes) ^ set(other.nodes)
    if different:
        shown = ", ".join(sorted(map(repr, different))[:5])
        raise GraphError(
            f"the graphs have different nodes: {shown} {'are' if len(different) > 1 else 'is'} in one only"
        )


def _only(ones: tuple[T, ...], others: tuple[T, ...]) -> tuple[T, ...]:
    left = set(others)
    return tuple(one for one in ones if one not in left)


# Colours that differ in hue and in lightness, for eyes that tell few hues apart, and stand out from white and black.
_LOOKS = {
    "common": ("in both", "line"),
    "reversed": ("with another direction in the true graph", "#a463c2"),
    "extra": ("not in the true graph", "#d98c00"),
    "missing": ("of the true graph not found", "#2b7bba"),
}


@dataclass(frozen=True)
class Comparison:
    """A learned graph compared with the true one: the result of ``compare_graphs``.

    If no edge was found, precision is 1; if there is no edge to find, recall is 1.

    Attributes
    ----------
    shd : int
        The structural Hamming distance.
    skeleton_precision, skeleton_recall, skeleton_f1 : float
        The share of the adjacencies found that are true; the share of the true ones that were found; their harmonic
        mean.
    arrow_precision, arrow_recall, arrow_f1 : float
        The same of arrows with their direction.
    found, true : graph
        The graphs.
    common, reversed, extra, missing : tuple of edges
        Edges of the found graph such as ``("a", "→", "b")`` that are the same in the true one; that have another
        direction there, or none; that are not there; and those of the true graph that were not found.

    See Also
    --------
    compare_graphs : Returns it.

    Examples
    --------
    >>> import deciban as db
    >>> db.compare_graphs(db.DAG([("a", "b"), ("b", "c")]), db.DAG([("b", "a"), ("b", "c")]))
    Comparison(shd=1, skeleton_precision=1.0, skeleton_recall=1.0, arrow_precision=0.5, arrow_recall=0.5)
    """

    shd: int
    skeleton_precision: float
    skeleton_recall: float
    arrow_precision: float
    arrow_recall: float
    found: Graph = field(repr=False, compare=False)
    true: Graph = field(repr=False, compare=False)

    @cached_property
    def _edges(self) -> dict[str, tuple[tuple[Node, str, Node], ...]]:
        found, true = self.found._joined, self.true._joined
        kinds: dict[str, list[tuple[Node, str, Node]]] = {"common": [], "reversed": [], "extra": [], "missing": []}
        for edge in self.found.edges:
            pair = frozenset((edge[0], edge[2]))
            kinds["extra" if pair not in true else "common" if found[pair] == true[pair] else "reversed"].append(edge)
        kinds["missing"] = [edge for edge in self.true.edges if frozenset((edge[0], edge[2])) not in found]
        return {kind: tuple(edges) for kind, edges in kinds.items()}

    @property
    def common(self) -> tuple[tuple[Node, str, Node], ...]:
        """The edges that are the same in both graphs."""
        return self._edges["common"]

    @property
    def reversed(self) -> tuple[tuple[Node, str, Node], ...]:
        """The edges of the found graph that have another direction in the true one, or none."""
        return self._edges["reversed"]

    @property
    def extra(self) -> tuple[tuple[Node, str, Node], ...]:
        """The edges of the found graph that are not in the true one."""
        return self._edges["extra"]

    @property
    def missing(self) -> tuple[tuple[Node, str, Node], ...]:
        """The edges of the true graph that were not found."""
        return self._edges["missing"]

    def to_svg(self) -> str:
        """Both graphs in one SVG picture, with the differences in colours and a legend.

        Returns
        -------
        str
        """
        return drawing.to_svg(self._picture)

    def plot(self, ax: Any = None) -> Any:
        """Draw the differences with matplotlib. Needs ``pip install deciban[plot]``.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; new axes by default.

        Returns
        -------
        matplotlib axes
        """
        return drawing.plot(self._picture, ax)

    def _repr_html_(self) -> str:
        return self.to_svg()

    @cached_property
    def _picture(self) -> drawing.Picture:
        strokes, colours, is_weak, legend = [], [], [], []
        marks: dict[str, tuple[drawing.Mark, drawing.Mark]] = {symbol: ends for ends, symbol in drawing.SYMBOLS.items()}
        for kind, (words, colour) in _LOOKS.items():
            edges, is_dashed = self._edges[kind], kind == "missing"
            strokes += [drawing.Stroke(self.found.index(a), self.found.index(b), *marks[k]) for a, k, b in edges]
            colours += [colour] * len(edges)
            is_weak += [is_dashed] * len(edges)
            if edges:
                legend.append(drawing.Key(f"{counted(len(edges), 'edge')} {words}", colour, is_dashed))
        names = tuple(map(str, self.found.nodes))
        return drawing.Picture(
            names, tuple(strokes), is_weak=tuple(is_weak), colours=tuple(colours), legend=tuple(legend)
        )

    @property
    def skeleton_f1(self) -> float:
        """The harmonic mean of ``skeleton_precision`` and ``skeleton_recall``."""
        return _harmonic(self.skeleton_precision, self.skeleton_recall)

    @property
    def arrow_f1(self) -> float:
        """The harmonic mean of ``arrow_precision`` and ``arrow_recall``."""
        return _harmonic(self.arrow_precision, self.arrow_recall)


def shd(graph: Graph, other: Graph) -> int:
    """The structural Hamming distance: the number of pairs that differ (Tsamardinos, Brown and Aliferis, 2006).

    An edge more, an edge less, an arrow reversed and an arrow without its direction count one each. To compare what
    can be observed, compare classes: ``shd(found.cpdag(), true.cpdag())``, or two PAGs, where a pair counts if a
    mark at either end differs.

    Parameters
    ----------
    graph, other : graph
        Two graphs with the same nodes.

    Returns
    -------
    int
        0 if the graphs are the same.

    See Also
    --------
    compare_graphs : With precision and recall.

    Examples
    --------
    >>> import deciban as db
    >>> db.shd(db.DAG([("a", "b"), ("b", "c")]), db.DAG([("b", "a")], nodes=["c"]))
    2
    """
    check_same_nodes(graph, other)
    first, second = graph._joined, other._joined
    return sum(first.get(pair) != second.get(pair) for pair in first.keys() | second.keys())


def compare_graphs(found: Graph, true: Graph) -> Comparison:
    """Distance, precision and recall of a learned graph, and a picture of the differences.

    Parameters
    ----------
    found : graph
        The graph that was learned.
    true : graph
        The true graph, with the same nodes. Classes are compared by passing both as CPDAGs.

    Returns
    -------
    Comparison
        A notebook shows it as a picture; ``to_svg()`` and ``plot()`` draw it.

    See Also
    --------
    shd : The distance alone.

    Examples
    --------
    >>> import deciban as db
    >>> true = db.DAG(
    ...     [("season", "rain"), ("season", "sprinkler"), ("rain", "wet"), ("sprinkler", "wet")]
    ... )
    >>> found = db.DAG([("rain", "season"), ("season", "sprinkler"), ("rain", "wet")])
    >>> compared = db.compare_graphs(found, true)
    >>> compared.shd, compared.skeleton_recall, round(compared.arrow_precision, 3)
    (2, 0.75, 0.667)
    >>> compared.reversed, compared.missing
    ((('rain', '→', 'season'),), (('sprinkler', '→', 'wet'),))
    """
    distance = shd(found, true)
    pairs = [set(each._joined) for each in (found, true)]
    arrows = [set(each.directed_edges) for each in (found, true)]
    return Comparison(distance, *_precision_and_recall(*pairs), *_precision_and_recall(*arrows), found, true)


def _precision_and_recall(found: set[T], true: set[T]) -> tuple[float, float]:
    right = len(found & true)
    return right / len(found) if found else 1.0, right / len(true) if true else 1.0


def _harmonic(a: float, b: float) -> float:
    return 2 * a * b / (a + b) if a + b else 0.0
