"""A numeric column in bins whose cuts are found from the data; `bins` has their probabilities.

The column is kept as a `Sketch`: up to 4096 distinct numbers as they are, more of them in narrow buckets. The cuts are
chosen from it, so they do not depend on the order of the rows or on how they were split into parts. Cuts by minimum
description length (Fayyad and Irani, 1993) split a range of N rows in two at the best cut while

    gain > (log₂(N − 1) + log₂(3^k − 2) − (k·H − k₁·H₁ − k₂·H₂)) / N,

where H is the entropy of the classes and k the number of classes in the range; H₁, k₁, H₂ and k₂ are those of its
halves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from deciban.choices import check_choice
from deciban.errors import ParameterError
from deciban.estimate.columns.examples import Example, bins_of
from deciban.estimate.columns.margins import Margins
from deciban.estimate.columns.numeric import SketchDistribution
from deciban.estimate.columns.values import numbers_of
from deciban.estimate.distributions.bins import (
    BinnedLikelihood,
    add_bin_margins,
    bin_logs,
    count_bins,
    estimate_bins,
    leave_out_of_bins,
    logs_given_cuts,
)
from deciban.estimate.distributions.cut import Cut
from deciban.estimate.live.base import LiveColumn, Setting
from deciban.estimate.live.bins import LiveBins
from deciban.estimate.smoothing import Smoothing
from deciban.read import Column
from deciban.storable import storable
from deciban.tallies import Sample, Sketch, sketch_column
from deciban.tallies.kernels import description_cuts
from deciban.tallies.leave_one_out import weight_left
from deciban.ties import TIE, first_smallest
from deciban.types import AnyArray, Codes, Floats

__all__ = ["Binned", "BinningRule"]

BinningRule = Literal["width", "frequency", "mdl"]

_MOST_RECUT = 50
_FOLDS = 3


@storable
@dataclass(frozen=True, kw_only=True)
class Binned(SketchDistribution):
    """A numeric column in bins whose cuts are found from the data.

    Numbers beyond those seen are in the first or last bin, and a number at a cut is in the bin below it.

    Parameters
    ----------
    missing : {"skip", "error", "state"}, optional
        What a missing value is: no evidence, an error, or evidence of its own. The model's setting when None.
    bins : int
        The largest number of bins; "mdl" chooses the number by itself.
    how : {"width", "frequency", "mdl"}
        "width": bins of equal width. "frequency": bins with equally many rows, as far as equal numbers allow. "mdl":
        cuts that separate the classes, by minimum description length (Fayyad and Irani, 1993).
    smoothing : Smoothing, optional
        How counts become probabilities; the model's smoothing when None.

    See Also
    --------
    Cut : Bins with given ends.

    Notes
    -----
    Leaving a row out may move the cuts. They are found again without it wherever they can have moved, but for bins by
    frequency or description length only while rows differ in at most 50 combinations of value, class and weight. Beyond
    that leave-one-out keeps the cuts: a row is removed from its bin, and the bins stay.

    Examples
    --------
    >>> from deciban import NaiveBayes
    >>> model = NaiveBayes({"age": Binned(bins=2)}).fit(
    ...     {"age": [5, 9, 70, 80]}, ["child", "child", "senior", "senior"]
    ... )
    >>> model.predict({"age": [99]}).tolist()
    ['senior']
    """

    bins: int = 10
    how: BinningRule = "width"
    smoothing: Smoothing | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("how", self.how, get_args(BinningRule))
        if isinstance(self.bins, bool) or not isinstance(self.bins, int | np.integer) or self.bins < 1:
            raise ParameterError(f"bins is a whole number from 1 up, not {self.bins!r}.")

    def cuts(self, part: Sketch) -> Floats:
        """The numbers between the bins."""
        used: AnyArray = np.asarray(part.table.any(axis=0))
        values = part.values[used]
        if len(values) < 2:
            return np.empty(0)
        return _CUTS[self.how](values, part.table[:, used].astype(np.float64), int(self.bins))

    def estimate(self, parts: Sequence[Sketch]) -> BinnedLikelihood:
        return estimate_bins(parts, [self.cuts(part) for part in parts], self.smoothing)

    def n_parameters(self, parts: Sequence[Sketch]) -> int:
        return sum(part.classes * len(self.cuts(part)) for part in parts)

    def live(self, part: Sketch, setting: Setting) -> LiveColumn:
        return LiveBins(self, part, setting, self.how, self.bins)

    def without_own(self, part: Sketch, x: Floats, y: Codes, sample_weight: Floats) -> Floats:
        """Exact where cuts are found again, else given the cuts (see Notes)."""
        logs = logs_given_cuts(part, self.cuts(part), self.smoothing, (x, y, sample_weight))
        for r in self._recut(part, x, sample_weight).tolist():
            logs[r] = self._without_one(part, float(x[r]), int(y[r]), float(sample_weight[r]))
        return logs

    def add_margins(
        self,
        likelihood: Any,
        parts: Sequence[Sketch],
        columns: Sequence[Column],
        margins: Margins,
        at: Sequence[int],
    ) -> None:
        add_bin_margins(likelihood, parts, columns, margins, at, self.smoothing)

    def left_out(self, column: Column, sample: Sample) -> Floats:
        """Leave-one-out with the cuts as they are; three folds by description length, where cuts follow the classes."""
        values = numbers_of(column)
        known = np.flatnonzero(~np.isnan(values))
        out, known_sample = np.zeros((len(values), len(sample.classes))), sample.take(known)
        logs = self._in_folds if self.how == "mdl" else self._given_own_cuts
        out[known] = logs(values[known], known_sample)
        return out

    def _given_own_cuts(self, x: Floats, sample: Sample) -> Floats:
        cuts = self.cuts(sketch_column("", x, sample))
        return leave_out_of_bins(np.searchsorted(cuts, x), len(cuts) + 1, sample, self.smoothing)

    def _in_folds(self, x: Floats, sample: Sample) -> Floats:
        """log P(x | class) of each third of the rows by the cuts and counts of the others."""
        weights = np.ones(len(x)) if sample.weights is None else sample.weights
        order = np.lexsort((weights, x))
        of_class = [order[sample.codes[order] == j] for j in range(len(sample.classes))]
        of_class.sort(key=lambda rows: x[rows].tolist())  # alike, whatever the classes are called
        fold = np.empty(len(x), dtype=np.int64)
        fold[np.concatenate(of_class)] = np.arange(len(x)) % _FOLDS  # alike, whatever the order of the rows
        out = np.zeros((len(x), len(sample.classes)))
        for k in range(_FOLDS):
            others, own = np.flatnonzero(fold != k), fold == k
            part = sketch_column("", x[others], sample.take(others))
            cuts = self.cuts(part)
            out[own] = bin_logs(part, cuts, self.smoothing)[np.searchsorted(cuts, x[own])]
        return out

    def contingency(self, part: Sketch) -> AnyArray:
        return count_bins(part, self.cuts(part))

    def examples(self, part: Sketch) -> list[Example]:
        cuts = self.cuts(part)
        return bins_of(cuts, count_bins(part, cuts))

    def with_fixed_states(self, column: Column, sample: Sample) -> tuple[Cut, str]:
        """The cuts of these rows, for all that is learned later."""
        at = self.cuts(self.count(column, sample, "the model")).tolist()
        cut = Cut(at=tuple(at), missing=self.missing, smoothing=self.smoothing)
        return cut, f"{len(at) + 1} bins by {self.how!r}"

    def _recut(self, part: Sketch, x: Floats, weights: Floats) -> AnyArray:
        """The rows without which cuts are found again."""
        if self.how != "width":
            return np.arange(len(x)) if len(x) <= _MOST_RECUT else np.empty(0, dtype=np.int64)
        sums, buckets = np.append(part.table.sum(axis=0), 0), part.indices(x)
        held = np.flatnonzero(sums)
        alone = weight_left(sums[buckets], weights) == 0
        at_an_end = np.isin(buckets, held[[0, -1]]) if len(held) else alone
        return np.flatnonzero(alone & at_an_end)


def _equal_width(values: Floats, counts: Floats, bins: int) -> Floats:  # noqa: ARG001  the range is all that matters
    shares = np.arange(1, bins) / bins
    return np.unique(values[0] * (1.0 - shares) + values[-1] * shares)  # no difference, which may overflow


def _equal_frequency(values: Floats, counts: Floats, bins: int) -> Floats:
    below = np.cumsum(counts.sum(axis=0))
    wanted = below[-1] * np.arange(1, bins) / bins
    ends = np.unique([first_smallest(np.abs(below[:-1] - goal), below[-1]) for goal in wanted]).astype(np.int64)
    return _between(values, ends)


def _by_description_length(values: Floats, counts: Floats, bins: int) -> Floats:  # noqa: ARG001  it finds the number
    return _between(values, description_cuts(counts.T, TIE))


def _between(values: Floats, ends: AnyArray) -> Floats:
    """Halfway from each of these values to the next, and always below the next."""
    low, high = values[ends], values[ends + 1]
    middle = low / 2.0 + high / 2.0
    return np.where((middle >= low) & (middle < high), middle, low)


_CUTS: dict[BinningRule, Callable[[Floats, Floats, int], Floats]] = {
    "width": _equal_width,
    "frequency": _equal_frequency,
    "mdl": _by_description_length,
}
