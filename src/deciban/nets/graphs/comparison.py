"""Compare a learned graph with the true one: distance, precision and recall."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from deciban.nets.graphs.base import Graph
from deciban.nets.graphs.equivalence import check_same_nodes

__all__ = ["Comparison", "compare_graphs", "shd"]

T = TypeVar("T")


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
    can be observed, compare classes: ``shd(found.cpdag(), true.cpdag())``, or two PAGs, of which a pair counts when a
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
    """Distance, precision and recall of a learned graph.

    Parameters
    ----------
    found : graph
        The graph that was learned.
    true : graph
        The true graph, with the same nodes. Classes are compared by passing both as CPDAGs.

    Returns
    -------
    Comparison

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
    """
    distance = shd(found, true)
    pairs = [set(each._joined) for each in (found, true)]
    arrows = [set(each.directed_edges) for each in (found, true)]
    return Comparison(distance, *_precision_and_recall(*pairs), *_precision_and_recall(*arrows))


def _precision_and_recall(found: set[T], true: set[T]) -> tuple[float, float]:
    right = len(found & true)
    return right / len(found) if found else 1.0, right / len(true) if true else 1.0


def _harmonic(a: float, b: float) -> float:
    return 2 * a * b / (a + b) if a + b else 0.0
