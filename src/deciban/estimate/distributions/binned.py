"""A numeric column cut into bins, whose counts are smoothed like those of labels.

    P(x | j) = (n_jb + a) / (n_j + a·m),   b the bin of x, of m bins

The column is kept as a `Sketch`: up to 4096 distinct numbers as they are, more of them to 0.1 % of their size. The cuts
are chosen from it, so that they too never depend on how the rows came. Cuts by minimum description length (Fayyad and
Irani, 1993) split a range of N rows in two at the best place while

    gain > (log₂(N − 1) + log₂(3^k − 2) − (k·H − k₁·H₁ − k₂·H₂)) / N,

where H is the entropy of the classes, and k how many of them there are, in the range and in its halves.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from deciban.errors import ParameterError
from deciban.estimate.distributions.base import (
    ColumnLikelihood,
    Distribution,
    OneValue,
    is_missing,
    numbers_of,
    read_number,
)
from deciban.estimate.smoothing import Laplace, Smoothing, log_probabilities
from deciban.read import Column
from deciban.tally import Sample, Sketch, sketch_column
from deciban.tally.kernels import add_bins, description_cuts
from deciban.types import AnyArray, Floats

__all__ = ["Binned", "BinnedLikelihood"]

_TIE = 1e-9


@dataclass(frozen=True, kw_only=True)
class Binned(Distribution):
    """A numeric column in bins; numbers beyond those seen fall into the end bins, and one at a cut below it.

    Parameters
    ----------
    bins : how many, at most; with "mdl" the data say how many
    how : "width", bins equally wide; "frequency", bins that hold equally many rows, as far as equal numbers allow; or
        "mdl", cuts that tell the classes apart
    smoothing : how counts become probabilities; add-one when None
    """

    bins: int = 10
    how: str = "width"
    smoothing: Smoothing | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.how not in _CUTS:
            raise ParameterError(f"how is one of {', '.join(map(repr, _CUTS))}, not {self.how!r}.")
        if isinstance(self.bins, bool) or not isinstance(self.bins, int | np.integer) or self.bins < 1:
            raise ParameterError(f"bins is a whole number from 1 up, not {self.bins!r}.")

    def count(self, column: Column, sample: Sample, owner: str) -> Sketch:
        self.check(column, owner)
        return sketch_column(column.name, numbers_of(column), sample)

    def estimate(self, parts: Sequence[Sketch]) -> BinnedLikelihood:
        cuts = [self.cuts(part) for part in parts]
        tables = [self._logs(part, cut) for part, cut in zip(parts, cuts, strict=True)]
        return BinnedLikelihood(cuts, tables)

    def cuts(self, part: Sketch) -> Floats:
        """The numbers between the bins."""
        used: AnyArray = np.asarray(part.table.any(axis=0))
        values = part.values[used]
        if len(values) < 2:
            return np.empty(0)
        return _CUTS[self.how](values, part.table[:, used].astype(np.float64), int(self.bins))

    def _logs(self, part: Sketch, cuts: Floats) -> Floats:
        """Bin × class log-probabilities."""
        bins = np.searchsorted(cuts, part.values)
        counts = np.zeros((len(cuts) + 1, len(part.table)))
        np.add.at(counts, bins, part.table.T)
        pseudo = (self.smoothing or Laplace()).pseudocounts(len(counts))
        return log_probabilities(counts.T, pseudo).T


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

    def one(self, i: int, names: Sequence[str]) -> OneValue:
        cuts, logs = self.cuts[i].tolist(), self.tables[i].tolist()
        nothing = [0.0] * self.classes

        def score(value: Any) -> Sequence[float]:
            return nothing if is_missing(value) else logs[bisect_left(cuts, read_number(value, names[i]))]

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
