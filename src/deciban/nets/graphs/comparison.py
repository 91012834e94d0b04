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
    """A learned graph compared with the true one.

    Attributes
    ----------
    shd
        The structural Hamming distance.
    skeleton_precision, skeleton_recall, skeleton_f1
        Of the pairs found to be adjacent, how many are; of those that are, how many were found; their harmonic mean.
    arrow_precision, arrow_recall, arrow_f1
        The same of arrows with their direction.

    Where nothing was found, nothing found is wrong: precision is 1; where there is nothing to find, recall is.
    """

    shd: int
    skeleton_precision: float
    skeleton_recall: float
    arrow_precision: float
    arrow_recall: float

    @property
    def skeleton_f1(self) -> float:
        return _harmonic(self.skeleton_precision, self.skeleton_recall)

    @property
    def arrow_f1(self) -> float:
        return _harmonic(self.arrow_precision, self.arrow_recall)


def shd(graph: Graph, other: Graph) -> int:
    """The structural Hamming distance: the number of pairs that differ (Tsamardinos, Brown and Aliferis, 2006).

    An edge more, an edge less, an arrow turned round and an arrow made a line count one each. To compare what can be
    observed, compare classes: ``shd(found.cpdag(), true.cpdag())``, or two PAGs, of which a pair counts when a mark at
    either end differs.

    >>> from deciban.nets import DAG
    >>> shd(DAG([("a", "b"), ("b", "c")]), DAG([("b", "a")], nodes=["c"]))
    2
    """
    check_same_nodes(graph, other)
    first, second = graph._joined, other._joined
    return sum(first.get(pair) != second.get(pair) for pair in first.keys() | second.keys())


def compare_graphs(found: Graph, true: Graph) -> Comparison:
    """Distance, precision and recall of a learned graph; classes are compared by passing both as CPDAGs."""
    distance = shd(found, true)
    pairs = [set(each._joined) for each in (found, true)]
    arrows = [set(each.directed_edges) for each in (found, true)]
    return Comparison(distance, *_precision_and_recall(*pairs), *_precision_and_recall(*arrows))


def _precision_and_recall(found: set[T], true: set[T]) -> tuple[float, float]:
    right = len(found & true)
    return right / len(found) if found else 1.0, right / len(true) if true else 1.0


def _harmonic(a: float, b: float) -> float:
    return 2 * a * b / (a + b) if a + b else 0.0
