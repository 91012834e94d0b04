"""An order of the variables that depends on the data, not on their names.

Many moves of a search have the same gain, since a → b and b → a alone have the same score, and then the order of the
variables decides. An order by name or by column would give another graph when columns are renamed. So variables are
ordered by what their columns hold: by the score of the variable alone, best first; where that is equal, by the scores
of pairs, by colour refinement (Weisfeiler and Leman 1968). Only columns that are equivalent, such as copies, keep the
order of their names. The order of the rows changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from deciban.nets.graphs.bits import bits
from deciban.nets.scores.protocol import Family, LocalScores
from deciban.ties import settled
from deciban.types import AnyArray, Floats, Ints

__all__ = ["data_order", "in_data_order"]


def in_data_order(scores: LocalScores) -> LocalScores:
    """The same scores with the variables in the order that the data give."""
    order = data_order(scores)
    reordered = getattr(scores, "reordered", None)
    return _Reordered(scores, order.tolist()) if reordered is None else reordered(order)


class _Reordered:
    """Any local scores with the variables in another order."""

    def __init__(self, scores: LocalScores, order: Sequence[int]) -> None:
        self.names = tuple(scores.names[index] for index in order)
        self._scores, self._order = scores, order

    def local(self, families: Sequence[Family]) -> Floats:
        old = [(self._order[child], sum(1 << self._order[up] for up in bits(mask))) for child, mask in families]
        return self._scores.local(old)


def data_order(scores: LocalScores) -> Ints:
    """The indices of the variables in the order that the data give."""
    count = len(scores.names)
    alone = _rounded(scores.local([(v, 0) for v in range(count)]))
    colours = _ranks([(-score,) for score in alone.tolist()])
    if count > 1 and len(set(colours)) < count:
        colours = _refined(colours, _pairs(scores))
    return np.argsort(np.array(colours), kind="stable")


def _pairs(scores: LocalScores) -> AnyArray:
    """The matrix [child, parent] of the scores with one parent."""
    count = len(scores.names)
    families = [(child, 1 << parent) for child in range(count) for parent in range(count) if child != parent]
    matrix = np.zeros((count, count))
    matrix[~np.eye(count, dtype=bool)] = _rounded(scores.local(families))
    return matrix


def _rounded(scores: AnyArray) -> AnyArray:
    """The scores, equal where they differ by rounding: sums in another order of rows differ in their last digits."""
    finite = scores[np.isfinite(scores)]
    return settled(scores, scale=float(np.abs(finite).max(initial=0.0)))


def _refined(colours: list[int], pairs: AnyArray) -> list[int]:
    """Split variables of one colour by the colours and scores of their pairs, until nothing is split."""
    toward, from_ = pairs.tolist(), pairs.T.tolist()
    while True:
        around = [
            (colour, *sorted(zip(colours, to, of, strict=True)))
            for colour, to, of in zip(colours, toward, from_, strict=True)
        ]
        finer = _ranks(around)
        if len(set(finer)) == len(set(colours)):
            return finer
        colours = finer


def _ranks(keys: list[tuple[object, ...]]) -> list[int]:
    rank = {key: number for number, key in enumerate(sorted(set(keys)))}
    return [rank[key] for key in keys]
