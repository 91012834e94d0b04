"""A numeric column cut into bins, whose counts are smoothed like those of labels.

    P(x | j) = (n_jb + a) / (n_j + a·m),   b the bin of x, of m bins

The column is kept as a `Sketch`: up to 4096 distinct numbers as they are, more of them in narrow buckets. The cuts are
chosen from it, so that they too never depend on how the rows came. Cuts by minimum description length (Fayyad and
Irani, 1993) split a range of N rows in two at the best place while

    gain > (log₂(N − 1) + log₂(3^k − 2) − (k·H − k₁·H₁ − k₂·H₂)) / N,

where H is the entropy of the classes, and k how many of them there are, in the range and in its halves.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from deciban.errors import ParameterError
from deciban.estimate.distributions.base import (
    ColumnLikelihood,
    Distribution,
    OneValue,
    numbers_of,
)
from deciban.estimate.distributions.examples import Example, bins_of
from deciban.estimate.distributions.values import Markers, number_reader
from deciban.estimate.live.base import LiveColumn, Setting
from deciban.estimate.live.sketch import LiveSketch
from deciban.estimate.smoothing import Laplace, Smoothing, log_probabilities
from deciban.read import Column
from deciban.suggest import did_you_mean
from deciban.tallies import Sample, Sketch, sketch_column
from deciban.tallies.kernels import add_bins, description_cuts
from deciban.tallies.leave_one_out import distinct_rows, weight_left
from deciban.types import AnyArray, Codes, Floats

__all__ = ["Binned", "BinnedLikelihood"]

_TIE = 1e-9
_MOST_RECUT = 512


@dataclass(frozen=True, kw_only=True)
class Binned(Distribution):
    """A numeric column in bins; numbers beyond those seen fall into the end bins, and one at a cut below it.

    Parameters
    ----------
    bins : how many, at most; with "mdl" the data say how many
    how : "width", bins equally wide; "frequency", bins that hold equally many rows, as far as equal numbers allow; or
        "mdl", cuts that tell the classes apart
    smoothing : how counts become probabilities; add-one when None

    Notes
    -----
    Leaving a row out may move the cuts. They are found again without it wherever they can have moved, but for bins by
    frequency or description length only while rows differ in at most 512 combinations of value, class and weight;
    beyond that leave-one-out is given the cuts: a row is taken out of its bin, and the bins stay.
    """

    bins: int = 10
    how: str = "width"
    smoothing: Smoothing | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.how not in _CUTS:
            raise ParameterError(
                f"how is one of {', '.join(map(repr, _CUTS))}, not {self.how!r}.{did_you_mean(self.how, _CUTS)}"
            )
        if isinstance(self.bins, bool) or not isinstance(self.bins, int | np.integer) or self.bins < 1:
            raise ParameterError(f"bins is a whole number from 1 up, not {self.bins!r}.")

    def count(self, column: Column, sample: Sample, owner: str) -> Sketch:
        self.check(column, owner)
        return sketch_column(column.name, numbers_of(column), sample)

    def live(self, part: Sketch, setting: Setting) -> LiveColumn:
        return LiveSketch(self, part, setting)

    def estimate(self, parts: Sequence[Sketch]) -> BinnedLikelihood:
        cuts = [self.cuts(part) for part in parts]
        tables = [self._logs(part, cut) for part, cut in zip(parts, cuts, strict=True)]
        return BinnedLikelihood(cuts, tables)

    def leave_one_out(self, parts: Sequence[Sketch], columns: Sequence[Column], y: Codes, weights: Floats) -> Floats:
        """Exact where cuts are found again, else given the cuts (see Notes)."""
        out = np.zeros((len(y), len(columns), len(parts[0].table)))
        for i, (part, column) in enumerate(zip(parts, columns, strict=True)):
            values = numbers_of(column)
            known = ~np.isnan(values)
            rows, places = distinct_rows(values[known], y[known], weights[known])
            logs = self._given_cuts(part, *rows)
            for r in self._recut(part, *rows):
                logs[r] = self._without(part, *(of_row[r] for of_row in rows))
            out[known, i] = logs[places]
        return out

    def _recut(self, part: Sketch, x: Floats, y: Codes, weights: Floats) -> AnyArray:  # noqa: ARG002
        """The rows without which cuts are found again."""
        if self.how != "width":
            return np.arange(len(x)) if len(x) <= _MOST_RECUT else np.empty(0, dtype=np.int64)
        sums, places = np.append(part.table.sum(axis=0), 0), part.places(x)
        held = np.flatnonzero(sums)
        alone = weight_left(sums[places], weights) == 0
        at_an_end = np.isin(places, held[[0, -1]]) if len(held) else alone
        return np.flatnonzero(alone & at_an_end)

    def _without(self, part: Sketch, x: AnyArray, y: AnyArray, weight: AnyArray) -> Floats:
        """log P of x by a table that was counted without it."""
        table = part.table.astype(np.float64)
        place = int(part.places(np.reshape(x, 1))[0])
        if place < len(part.values):  # else it had no weight
            table[y, place] = weight_left(table[y, place], weight)
        left = replace(part, table=table)
        cuts = self.cuts(left)
        return self._logs(left, cuts)[np.searchsorted(cuts, x)]

    def _given_cuts(self, part: Sketch, x: Floats, y: Codes, weights: Floats) -> Floats:
        """log P of each x, taken out of its bin."""
        cuts = self.cuts(part)
        counts, bins = self.binned(part, cuts).T, np.searchsorted(cuts, x)
        own = np.zeros((len(y), counts.shape[1]))
        own[np.arange(len(y)), y] = weights
        pseudo = (self.smoothing or Laplace()).pseudocounts(len(counts))
        whole = weight_left(counts.sum(axis=0), own) + pseudo.sum()
        counted = np.append(np.searchsorted(cuts, part.values), -1)[part.places(x)]  # its bucket's bin
        cells = weight_left(counts[bins], own * (counted == bins)[:, None])
        return log_probabilities(cells, pseudo[bins][:, None], whole, states=len(counts))

    def cuts(self, part: Sketch) -> Floats:
        """The numbers between the bins."""
        used: AnyArray = np.asarray(part.table.any(axis=0))
        values = part.values[used]
        if len(values) < 2:
            return np.empty(0)
        return _CUTS[self.how](values, part.table[:, used].astype(np.float64), int(self.bins))

    def examples(self, part: Sketch) -> list[Example]:
        cuts = self.cuts(part)
        return bins_of(cuts, self.binned(part, cuts))

    def binned(self, part: Sketch, cuts: Floats | None = None) -> Floats:
        """Class × bin counts."""
        cuts = self.cuts(part) if cuts is None else cuts
        counts = np.zeros((len(cuts) + 1, len(part.table)))
        np.add.at(counts, np.searchsorted(cuts, part.values), part.table.T)
        return counts.T

    def _logs(self, part: Sketch, cuts: Floats) -> Floats:
        """Bin × class log-probabilities."""
        counts = self.binned(part, cuts)
        pseudo = (self.smoothing or Laplace()).pseudocounts(counts.shape[1])
        return log_probabilities(counts, pseudo).T


class BinnedLikelihood(ColumnLikelihood):
    """The cuts and the tables of several columns."""

    def __init__(self, cuts: list[Floats], tables: list[Floats]) -> None:
        self.cuts, self.tables = cuts, tables

    @property
    def classes(self) -> int:
        return self.tables[0].shape[1]

    def column(self, i: int, values: Floats) -> Floats:
        return self.tables[i][np.searchsorted(self.cuts[i], values)]

    def rows(self, columns: Sequence[Column]) -> Floats:
        out = np.zeros((len(columns[0]), self.classes))
        for column, cuts, table in zip(columns, self.cuts, self.tables, strict=True):
            add_bins(numbers_of(column), cuts, table, out)
        return out

    def one(self, i: int, names: Sequence[str], markers: Markers = frozenset()) -> OneValue:
        cuts, logs = self.cuts[i].tolist(), self.tables[i].tolist()
        number, nothing = number_reader(names[i], markers), [0.0] * self.classes

        def score(value: Any) -> Sequence[float]:
            x = number(value)
            return nothing if x is None else logs[bisect_left(cuts, x)]

        return score


def _equal_width(values: Floats, counts: Floats, bins: int) -> Floats:  # noqa: ARG001  the range is all that matters
    shares = np.arange(1, bins) / bins
    return np.unique(values[0] * (1.0 - shares) + values[-1] * shares)  # no difference, which may overflow


def _equal_frequency(values: Floats, counts: Floats, bins: int) -> Floats:
    below = np.cumsum(counts.sum(axis=0))
    wanted = below[-1] * np.arange(1, bins) / bins
    ends = np.unique([_first_least(np.abs(below[:-1] - goal), _TIE * below[-1]) for goal in wanted]).astype(np.int64)
    return _between(values, ends)


def _by_description_length(values: Floats, counts: Floats, bins: int) -> Floats:  # noqa: ARG001  the data say how many
    return _between(values, description_cuts(counts.T, _TIE))


def _first_least(costs: Floats, tie: float) -> int:
    """The first of the least costs; the same whatever the order in which weights were added up."""
    return int(np.argmax(costs <= costs.min() + tie))


def _between(values: Floats, ends: AnyArray) -> Floats:
    """Halfway from each of these values to the next, and always below the next."""
    low, high = values[ends], values[ends + 1]
    middle = low / 2.0 + high / 2.0
    return np.where((middle >= low) & (middle < high), middle, low)


_CUTS: dict[str, Callable[[Floats, Floats, int], Floats]] = {
    "width": _equal_width,
    "frequency": _equal_frequency,
    "mdl": _by_description_length,
}
