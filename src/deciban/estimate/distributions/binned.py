"""A numeric column cut into bins, whose counts are smoothed like those of labels.

    P(x | j) = (n_jb + a) / (n_j + a·m),   b the bin of x, of m bins

Every distinct number is counted; the cuts are chosen from the counts, so that they too never depend on how the rows
came. Cuts by minimum description length (Fayyad and Irani, 1993) split a range of N rows in two at the best place while

    gain > (log₂(N − 1) + log₂(3^k − 2) − (k·H − k₁·H₁ − k₂·H₂)) / N,

where H is the entropy of the classes, and k how many of them there are, in the range and in its halves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from deciban.errors import ParameterError
from deciban.estimate.distributions.base import ColumnLikelihood, Distribution, numbers_of
from deciban.estimate.smoothing import Laplace, Smoothing, log_probabilities
from deciban.read import Column
from deciban.tally import Counts, Sample, count_column
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

    def count(self, column: Column, sample: Sample, owner: str) -> Counts:
        self.check(column, owner)
        return count_column(Column.of_numbers(column.name, numbers_of(column)), sample)

    def estimate(self, parts: Sequence[Counts]) -> BinnedLikelihood:
        cuts = [self.cuts(part) for part in parts]
        tables = [self._logs(part, cut) for part, cut in zip(parts, cuts, strict=True)]
        return BinnedLikelihood(cuts, tables)

    def cuts(self, part: Counts) -> Floats:
        """The numbers between the bins."""
        used: AnyArray = np.asarray(part.table.any(axis=0))
        values = part.variable.labels[used].astype(np.float64)
        if len(values) < 2:
            return np.empty(0)
        return _CUTS[self.how](values, part.table[:, used].astype(np.float64), int(self.bins))

    def binned(self, part: Counts, cuts: Floats | None = None) -> Floats:
        """Class × bin counts."""
        cuts = self.cuts(part) if cuts is None else cuts
        bins = np.searchsorted(cuts, part.variable.labels.astype(np.float64))
        counts = np.zeros((len(cuts) + 1, len(part.table)))
        np.add.at(counts, bins, part.table.T)
        return counts.T

    def _logs(self, part: Counts, cuts: Floats) -> Floats:
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


def _equal_width(values: Floats, counts: Floats, bins: int) -> Floats:  # noqa: ARG001  the range is all that matters
    shares = np.arange(1, bins) / bins
    return np.unique(values[0] * (1.0 - shares) + values[-1] * shares)  # no difference, which may overflow


def _equal_frequency(values: Floats, counts: Floats, bins: int) -> Floats:
    below = np.cumsum(counts.sum(axis=0))
    wanted = below[-1] * np.arange(1, bins) / bins
    ends = np.unique([_first_least(np.abs(below[:-1] - goal), _TIE * below[-1]) for goal in wanted]).astype(np.int64)
    return _between(values, ends)


def _by_description_length(values: Floats, counts: Floats, bins: int) -> Floats:  # noqa: ARG001  the data say how many
    below = np.concatenate([np.zeros((1, len(counts))), np.cumsum(counts.T, axis=0)])
    ends: list[int] = []
    ranges = [(0, len(values))]
    while ranges:
        first, last = ranges.pop()
        end = _best_split(below[first : last + 1] - below[first])
        if end is not None:
            ends.append(first + end)
            ranges += [(first, first + end + 1), (first + end + 1, last)]
    return _between(values, np.sort(np.array(ends, dtype=np.int64)))


def _best_split(below: Floats) -> int | None:
    """The last value of the left half, when a split pays; `below` counts the rows up to each value, class by class."""
    if len(below) < 3:
        return None
    left, whole = below[1:-1], below[-1]
    right = np.maximum(whole - left, 0.0)
    total = whole.sum()
    (entropy, kinds), (h_left, k_left), (h_right, k_right) = map(_entropy, (whole, left, right))
    split = (left.sum(axis=1) * h_left + right.sum(axis=1) * h_right) / total
    best = _first_least(split, _TIE)
    choices = kinds * np.log2(3.0) + np.log1p(-2.0 * 3.0**-kinds) / np.log(2.0)  # log₂(3^k − 2), however large k
    choices -= kinds * entropy - k_left[best] * h_left[best] - k_right[best] * h_right[best]
    price = (np.log2(max(total - 1.0, 1.0)) + choices) / total
    return best if entropy - split[best] > price else None


def _entropy(counts: Floats) -> tuple[Floats, Floats]:
    """Entropy of the classes in bits, and how many classes there are."""
    shares = counts / np.maximum(counts.sum(axis=-1, keepdims=True), 1e-300)
    logs = np.log2(np.where(shares > 0, shares, 1.0))
    return -(shares * logs).sum(axis=-1), (counts > 0).sum(axis=-1).astype(np.float64)


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
