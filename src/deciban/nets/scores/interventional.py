"""Scores of rows in some of which nodes were set from outside: each family on the rows in which its child was not.

    score(G) = Σ_v local(v, parents of v; the rows in which v was not set)

In a row in which v was set nothing says what v depends on, while its value is as good as any for the families of other
nodes (Cooper and Yoo, 1999, for BDe; Hauser and Bühlmann, 2015, for BIC). Graphs of one interventional class have the
same score where graphs of one Markov class have the same score without interventions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from typing import TypeVar

import numpy as np

from deciban.nets.graphs.graph import Node
from deciban.nets.scores.protocol import Arrival, Family, LocalScores, gains_of, in_order, scores_over_sets
from deciban.types import Floats, Ints

__all__ = ["InterventionalScores"]

AskedT = TypeVar("AskedT", Family, Arrival)


class InterventionalScores:
    """Any score on rows in some of which nodes were set: each family on the rows where its child was not.

    The score of a family in which the child was set in every row is 0, as these rows say nothing of its parents.
    """

    def __init__(self, names: tuple[Node, ...], parts: Sequence[tuple[tuple[Node, ...], LocalScores | None]]) -> None:
        self.names = names
        index = {name: number for number, name in enumerate(names)}
        self._parts = [([index[name] for name in group], scores) for group, scores in parts]
        self._part_of = self._numbered()

    @property
    def is_additive(self) -> bool:
        """Whether gains are differences of local scores, and not judged each on rows of its own."""
        return not any(hasattr(scores, "gains") for _, scores in self._parts)

    def _numbered(self) -> list[int]:
        of = {child: number for number, (children, _) in enumerate(self._parts) for child in children}
        return [of[child] for child in range(len(self.names))]

    def reordered(self, order: Ints) -> InterventionalScores:
        """The same scores with the variables in another order."""
        new_index = {int(old): new for new, old in enumerate(order)}
        other = copy(self)
        other.names = tuple(self.names[v] for v in order)
        other._parts = [
            ([new_index[child] for child in children], None if scores is None else in_order(scores, order))
            for children, scores in self._parts
        ]
        other._part_of = other._numbered()
        return other

    def local(self, families: Sequence[Family]) -> Floats:
        """The local score of each family."""
        return self._each(families, lambda scores, part: scores.local(part))

    def gains(self, arrivals: Sequence[Arrival]) -> Floats:
        """The gain of each added parent."""
        return self._each(arrivals, gains_of)

    def _each(self, asked: Sequence[AskedT], answer: Callable[[LocalScores, Sequence[AskedT]], Floats]) -> Floats:
        """The answers, each by the scores on the rows of its child, which comes first in what is asked."""
        numbers: list[list[int]] = [[] for _ in self._parts]
        for number, one in enumerate(asked):
            numbers[self._part_of[one[0]]].append(number)
        out = np.zeros(len(asked))
        for (_, scores), own in zip(self._parts, numbers, strict=True):
            if own and scores is not None:
                out[own] = answer(scores, [asked[number] for number in own])
        return out

    def over_sets(self, most: int) -> tuple[list[Floats], int]:
        """All local scores at once, as in ``scores_over_sets``."""
        tables = [np.zeros(1 << (len(self.names) - 1)) for _ in self.names]
        largest = 0
        for children, scores in self._parts:
            if scores is not None:
                made, kept = scores_over_sets(scores, most)
                largest = max(largest, kept)
                for child in children:
                    tables[child] = made[child]
        return tables, largest
