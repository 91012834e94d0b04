"""Conditional probabilities that back off: P(v | parents, class) is shrunk to the level below it.

    P(v | u, j) = (n_juv + s·P(v | j)) / (n_ju + s)

with s virtual rows, which is a number, or chosen for each column and its parents ("auto"): the s that maximizes the
leave-one-out likelihood of the counted rows,

    Σ_j,u,v n_juv·log ((n_juv − 1 + s·P'(v | j)) / (n_ju − 1 + s)),

where P' is P without the row itself. It is a function of the counts alone, so it is the same however the counts were
added up. With two parents and "auto" there is a level between: P(v | u, w, j) is shrunk to P(v | u, j), where u is the
parent with the larger likelihood. (Hierarchical smoothing; Petitjean, Buntine, Webb and Zaidi, 2018, sample such
strengths for a hierarchical Dirichlet process, of which this is the m-estimate.)
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Literal, NamedTuple

import numpy as np

from deciban.estimate import Smoothing, backed_off_logs, column_logs, probabilities_without_own
from deciban.tallies import Counts, Crossed
from deciban.tallies.kernels import best_strength
from deciban.ties import first_largest
from deciban.types import AnyArray, Floats

__all__ = ["BackOff", "Level", "Strength", "chosen_strength"]

Strength = float | Literal["auto"]


class Level(NamedTuple):
    """How the probabilities of a column given others are shrunk: by how many virtual rows, and to which level."""

    strength: float
    below: tuple[int, ...] = ()
    likelihood: float = 0.0


class BackOff:
    """The probabilities of each column given sets of others, by counts of the columns in order.

    `like` has the levels of other counts, which are then used: those of all rows, where `part` leaves one out.
    """

    def __init__(self, part: Crossed, smoothing: Smoothing, strength: Strength, like: BackOff | None = None) -> None:
        self.part, self._smoothing, self._strength = part, smoothing, strength
        self._tables = dict(part.tables())
        self.alone = [column_logs(counts, smoothing) for counts in part.counts]
        self._like, self._levels = like, dict[tuple[tuple[int, ...], int], Level]()
        self._without: dict[int, Floats] = {}

    def logs(self, columns: tuple[int, ...], i: int) -> Floats:
        """log P(v | values of the columns, class): an axis for each of them, then v, unseen last, and the classes."""
        if not columns:
            return self.alone[i]
        level = self.level(columns, i)
        below = self.logs(level.below, i)
        if level.below:
            below = np.expand_dims(below, 1 - columns.index(level.below[0]))
        return backed_off_logs(self.table(columns, i), below, level.strength)

    def level(self, columns: tuple[int, ...], i: int) -> Level:
        """The strength of a column's probabilities given others, and the columns of the level below."""
        if self._strength != "auto":
            return Level(float(self._strength))
        if self._like is not None:
            return self._like.level(columns, i)
        found = self._levels.get((columns, i))
        if found is None:
            found = self._levels[columns, i] = self._chosen(columns, i)
        return found

    def table(self, columns: Sequence[int], i: int) -> AnyArray:
        """The counts: an axis for each of the columns, in order, then that of i, and the classes."""
        if len(columns) == 1:  # the most frequent case: `moveaxis` would take longer than the rest
            return self._tables[columns[0], i] if columns[0] < i else self._tables[i, columns[0]].swapaxes(0, 1)
        among = tuple(sorted((*columns, i)))
        return np.moveaxis(self._tables[among], among.index(i), -2)

    def _chosen(self, columns: tuple[int, ...], i: int) -> Level:
        table = self.table(columns, i)
        if len(columns) == 1:
            strength, likelihood = best_strength(table, self._column_without(i)[None])
            return Level(strength, (), likelihood)
        nearest = columns[first_largest([self.level((c,), i).likelihood for c in columns], table.sum())]
        counts, strength = self.table((nearest,), i), self.level((nearest,), i).strength
        left = np.maximum(counts - 1.0, 0.0) + strength * self._column_without(i)
        prior = left / (np.maximum(counts.sum(axis=1, keepdims=True) - 1.0, 0.0) + strength)
        groups = np.indices(table.shape[:2])[columns.index(nearest)].ravel()
        found, likelihood = best_strength(table.reshape(len(groups), *table.shape[2:]), prior, groups)
        return Level(found, (nearest,), likelihood)

    def _column_without(self, i: int) -> Floats:
        if i not in self._without:
            self._without[i] = probabilities_without_own(self.part.counts[i], self._smoothing)
        return self._without[i]


def chosen_strength(table: AnyArray, counts: Counts, smoothing: Smoothing, strength: Strength) -> float:
    """The number of virtual rows by which a table, … × v × classes, is shrunk to the smoothed counts of the column."""
    if strength != "auto":
        return float(strength)
    flat = table.reshape(prod(table.shape[:-2]), *table.shape[-2:])
    return best_strength(flat, probabilities_without_own(counts, smoothing)[None])[0]
