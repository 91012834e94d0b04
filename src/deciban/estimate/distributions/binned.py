"""A numeric column in bins: `Binned` finds its cuts from the data, `Cut` has given ones.

    P(x | j) = (n_jb + a) / (n_j + a·m),   b the bin of x, of m bins

A number at a cut is in the bin below it; numbers beyond those seen are in the first or the last bin.

The column is kept as a `Sketch`: up to 4096 distinct numbers as they are, more of them in narrow buckets. The cuts are
chosen from it, so they do not depend on the order of the rows or on how they were split into parts. Cuts by minimum
description length (Fayyad and Irani, 1993) split a range of N rows in two at the best cut while

    gain > (log₂(N − 1) + log₂(3^k − 2) − (k·H − k₁·H₁ − k₂·H₂)) / N,

where H is the entropy of the classes and k the number of classes in the range; H₁, k₁, H₂ and k₂ are those of its
halves.

Rows that come one by one are counted and scored in the core, which keeps the column as a `Sketch` does, and finds the
cuts again where the counts have changed.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isfinite
from operator import lt
from typing import ClassVar, Literal, Self, get_args

import numpy as np

from deciban.choices import check_choice
from deciban.errors import ParameterError
from deciban.estimate.column import Margins
from deciban.estimate.drawing import draw_codes
from deciban.estimate.likelihood import Bins, ColumnLikelihood, OneValue, StateLogs, times
from deciban.estimate.live import BinColumn, CoreColumn, LiveColumn, Setting, core_reader, sample_of_codes
from deciban.estimate.numeric import SketchDistribution
from deciban.estimate.smoothing import Laplace, Smoothing, for_each_pair, log_probabilities, logs_without_own
from deciban.estimate.values import Example, Markers, number_reader, numbers_of, short_number
from deciban.read import MISSING, Column, Variable
from deciban.storable import storable
from deciban.tallies import Sample, Sketch, own_weights, sketch_column, weight_left
from deciban.tallies.kernels import add_bins, description_cuts
from deciban.ties import TIE, first_smallest_each
from deciban.types import AnyArray, Codes, Floats, Ints

__all__ = [
    "Binned",
    "BinnedLikelihood",
    "BinningRule",
    "Cut",
    "bin_logs",
    "count_bins",
    "estimate_bins",
    "logs_given_cuts",
]


BinningRule = Literal["width", "frequency", "mdl"]

# Finding the cuts again costs as much as an estimate, for each row that is left out: beyond so many the cuts stay.
_MOST_RECUT = 50
# Cuts by description length follow the classes, so they are compared on rows that they were not found on.
_FOLDS = 3
_MOST_GAPS = 1 << 20


class _Bins(SketchDistribution):
    """A numeric column in bins; subclasses say how their ends are found."""

    smoothing: Smoothing | None

    @abstractmethod
    def _cuts_of(self, part: Sketch) -> Floats:
        """The numbers between the bins."""

    def estimate(self, parts: Sequence[Sketch]) -> BinnedLikelihood:
        return estimate_bins(parts, [self._cuts_of(part) for part in parts], self.smoothing)

    def n_parameters(self, parts: Sequence[Sketch]) -> int:
        return sum(part.classes * len(self._cuts_of(part)) for part in parts)

    def without_own(self, part: Sketch, x: Floats, y: Codes, sample_weight: Floats) -> Floats:
        """Exact where the bins stay."""
        return logs_given_cuts(part, self._cuts_of(part), self.smoothing, (x, y, sample_weight))

    def add_margins(
        self,
        likelihood: BinnedLikelihood,
        parts: Sequence[Sketch],
        columns: Sequence[Column],
        margins: Margins,
        at: Sequence[int],
    ) -> None:
        """Exact where the bins stay: each row is taken out of its bin."""
        for index, part, column, cuts in zip(at, parts, columns, likelihood.cuts, strict=True):
            values, counts = numbers_of(column), count_bins(part, cuts)
            # A row was counted where the midpoint of its bucket lies, which may be another bin than its value's.
            bins = np.searchsorted(cuts, part.bucketed(values))
            codes = np.where(np.isnan(values), MISSING, bins).astype(np.int32)
            margins.add_counts(index, codes, counts, _pseudocounts(counts, self.smoothing))

    def contingency(self, part: Sketch) -> AnyArray:
        return count_bins(part, self._cuts_of(part))

    def examples(self, part: Sketch) -> list[Example]:
        cuts = self._cuts_of(part)
        return bins_of(cuts, count_bins(part, cuts))


@storable
@dataclass(frozen=True, kw_only=True)
class Binned(_Bins):
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

    def _cuts_of(self, part: Sketch) -> Floats:
        return self.cuts(part)

    def live(self, part: Sketch, setting: Setting) -> LiveColumn:
        return LiveBins(self, part, setting, self.how, self.bins)

    def without_own(self, part: Sketch, x: Floats, y: Codes, sample_weight: Floats) -> Floats:
        """Exact where cuts are found again, else given the cuts (see Notes)."""
        logs = super().without_own(part, x, y, sample_weight)
        for r in self._recut(part, x, sample_weight).tolist():
            logs[r] = self._without_one(part, float(x[r]), int(y[r]), float(sample_weight[r]))
        return logs

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
        counted = np.flatnonzero(sums)
        alone = weight_left(sums[buckets], weights) == 0
        # Bins of equal width depend on the lowest and the highest number alone.
        at_an_end = np.isin(buckets, counted[[0, -1]]) if len(counted) else alone
        return np.flatnonzero(alone & at_an_end)


def _equal_width(values: Floats, counts: Floats, bins: int) -> Floats:  # noqa: ARG001  the range is all that matters
    shares = np.arange(1, bins) / bins
    return np.unique(values[0] * (1.0 - shares) + values[-1] * shares)  # no difference, which may overflow


def _equal_frequency(values: Floats, counts: Floats, bins: int) -> Floats:
    below = np.cumsum(counts.sum(axis=0))
    wanted = below[-1] * np.arange(1, bins) / bins
    step = max(1, _MOST_GAPS // len(below))  # goals at a time
    some = (wanted[first : first + step, None] for first in range(0, len(wanted), step))
    ends = [first_smallest_each(np.abs(below[:-1] - goals), below[-1]) for goals in some]
    return _between(values, np.unique(np.concatenate([np.empty(0, dtype=np.int64), *ends])))


def _by_description_length(values: Floats, counts: Floats, bins: int) -> Floats:  # noqa: ARG001  it finds the number
    return _between(values, description_cuts(counts.T, TIE))


def _between(values: Floats, ends: AnyArray) -> Floats:
    """Halfway from each of these values to the next, and always below the next."""
    low, high = values[ends], values[ends + 1]
    # Halved before they are added, as the sum may overflow; between neighbouring floats there is no middle.
    middle = low / 2.0 + high / 2.0
    return np.where((middle >= low) & (middle < high), middle, low)


_CUTS: dict[BinningRule, Callable[[Floats, Floats, int], Floats]] = {
    "width": _equal_width,
    "frequency": _equal_frequency,
    "mdl": _by_description_length,
}


def count_bins(part: Sketch, cuts: Floats) -> Floats:
    """Class × bin counts."""
    starts = np.append(0, np.searchsorted(part.values, cuts, side="right"))  # the values are in order
    counts = np.zeros((part.classes, len(starts)))
    # `reduceat` gives an empty range the value at its start, not 0: only bins that have values are summed.
    filled = np.diff(starts, append=len(part.values)) > 0
    if filled.any():
        counts[:, filled] = np.add.reduceat(part.table, starts[filled], axis=1)
    return counts


def bin_logs(part: Sketch, cuts: Floats, smoothing: Smoothing | None) -> Floats:
    """Bin × class log-probabilities; add-one smoothing when None."""
    counts = count_bins(part, cuts)
    return log_probabilities(counts, _pseudocounts(counts, smoothing)).T


def estimate_bins(parts: Sequence[Sketch], cuts: Sequence[Floats], smoothing: Smoothing | None) -> BinnedLikelihood:
    """The likelihood of columns with these cuts."""
    return BinnedLikelihood(cuts, [bin_logs(part, cut, smoothing) for part, cut in zip(parts, cuts, strict=True)])


def logs_given_cuts(
    part: Sketch, cuts: Floats, smoothing: Smoothing | None, rows: tuple[Floats, Codes, Floats]
) -> Floats:
    """log P(x | class) of counted rows (value, class, weight), each taken out of its bin, with the cuts as they are."""
    x, y, weights = rows
    counts, bins = count_bins(part, cuts), np.searchsorted(cuts, x)
    own = own_weights(y, weights, len(counts))
    # In a coarse sketch a row may have been counted in another bin than its value's, and is not taken out of that.
    of_bucket = np.append(np.searchsorted(cuts, part.values), -1)[part.indices(x)]  # the bin of the value's bucket
    own_cells = own * (of_bucket == bins)[:, None]
    return logs_without_own(counts, bins, own, _pseudocounts(counts, smoothing), own_cells)


def leave_out_of_bins(bins: AnyArray, number: int, sample: Sample, smoothing: Smoothing | None) -> Floats:
    """log P(bin | class) of the rows of a sample, each without its own weight; the bins stay: rows × classes."""
    classes = len(sample.classes)
    cells = np.bincount(bins * classes + sample.codes, sample.weights, number * classes)
    counts = cells.reshape(number, classes).T.astype(np.float64)
    pseudo = _pseudocounts(counts, smoothing)

    def score(states: AnyArray, y: Codes, weights: Floats) -> Floats:
        return logs_without_own(counts, states, own_weights(y, weights, classes), pseudo)

    return for_each_pair(score, bins, sample)


class BinnedLikelihood(ColumnLikelihood):
    """The cuts and the tables of several columns."""

    def __init__(self, cuts: Sequence[Floats], tables: Sequence[Floats]) -> None:
        self.cuts, self.tables = cuts, tables

    @property
    def classes(self) -> int:
        return self.tables[0].shape[1]

    def weighted(self, weights: Floats) -> BinnedLikelihood:
        """Weigh the tables themselves, so that scoring is as fast as without weights."""
        pairs = zip(weights.tolist(), self.tables, strict=True)
        return BinnedLikelihood(self.cuts, [times(np.array(weight), table) for weight, table in pairs])

    def formula(self, i: int) -> StateLogs:
        nothing = np.zeros(self.classes)
        return StateLogs(Bins(self.cuts[i].tolist()), self.tables[i], nothing, nothing)

    def draw(self, i: int, y: Codes, rng: np.random.Generator) -> Floats:
        return draw_in_bins(self.cuts[i], draw_codes(np.exp(self.tables[i]).T, y, rng), rng)

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

        def score(value: object) -> Sequence[float]:
            x = number(value)
            return nothing if x is None else logs[bisect_left(cuts, x)]

        return score


def _pseudocounts(counts: Floats, smoothing: Smoothing | None) -> Floats:
    classes, bins = counts.shape
    return (smoothing or Laplace()).pseudocounts(bins, classes)


@storable
@dataclass(frozen=True, kw_only=True)
class Cut(_Bins):
    """A numeric column in bins with given ends; a number at a cut is in the bin below it.

    Parameters
    ----------
    missing : {"skip", "error", "state"}, optional
        What a missing value is: no evidence, an error, or evidence of its own. The model's setting when None.
    at : sequence of numbers
        The numbers between the bins, in ascending order.
    smoothing : Smoothing, optional
        How counts become probabilities; the model's smoothing when None.

    See Also
    --------
    Binned : Cuts that are found from the data.

    Examples
    --------
    >>> from deciban import NaiveBayes
    >>> model = NaiveBayes({"age": Cut(at=[18, 65])}).fit(
    ...     {"age": [5, 30, 40, 80]}, ["free", "full", "full", "free"]
    ... )
    >>> model.predict({"age": [50]}).tolist()
    ['full']
    """

    at: Sequence[float] = ()
    smoothing: Smoothing | None = None

    has_fixed_bins: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        try:
            ends = tuple(float(end) for end in self.at)
        except (TypeError, ValueError):
            raise ParameterError(f"at is a sequence of numbers, not {self.at!r}.") from None
        if not all(map(isfinite, ends)) or not all(map(lt, ends, ends[1:])):
            raise ParameterError(f"at is a sequence of numbers that rise, not {self.at!r}.")
        # As a tuple of floats: distributions are hashed, and compared by equality.
        object.__setattr__(self, "at", ends)

    def live(self, part: Sketch, setting: Setting) -> LiveColumn:
        return LiveBins(self, part, setting, "given", cuts=self.at)

    def _cuts_of(self, part: Sketch) -> Floats:
        return np.array(self.at, dtype=np.float64)

    def with_fixed_states(self, column: Column, sample: Sample) -> tuple[Self, str]:
        return self, ""

    def variable(self, column: Column) -> Variable:
        return Variable.of_codes(column.name, len(self.at) + 1 + (self.missing == "state"))

    def codes(self, column: Column, variable: Variable, owner: str) -> Codes:
        numbers = numbers_of(column)
        codes = np.searchsorted(self.at, numbers).astype(np.int32)
        is_missing = np.isnan(numbers)
        if is_missing.any():
            codes[is_missing] = len(self.at) + 1 if self.missing == "state" else MISSING
        return codes

    def draw_values(self, codes: Codes, variable: Variable, rng: np.random.Generator) -> Floats:
        is_missing = (codes < 0) | (codes > len(self.at))
        return np.where(is_missing, np.nan, draw_in_bins(np.array(self.at), np.where(is_missing, 0, codes), rng))

    def states(self, variable: Variable, classes: int) -> StateLogs:
        nothing = np.zeros(classes)
        missing = None if self.missing == "error" else nothing
        missing_code = len(self.at) + 1 if self.missing == "state" else len(variable) + 1
        logs = np.zeros((len(variable), classes))
        return StateLogs(Bins(self.at), logs, nothing, missing, len(variable), missing_code)

    @property
    def coding(self) -> str:
        return f"cut at {list(self.at)} (missing={self.missing!r})"


class LiveBins(CoreColumn):
    """A column in bins: `how` they are found, at most how many, or the cuts that are ``"given"``."""

    core: BinColumn

    def __init__(
        self, kind: Binned | Cut, part: Sketch, setting: Setting, how: str, bins: int = 1, cuts: Sequence[float] = ()
    ) -> None:
        super().__init__(kind, setting)
        used: AnyArray = np.asarray(part.table.any(axis=0))
        # Values that no row has any more, as after forgetting, are no values to cut between: the core never sees them.
        self._unused, self._dtype = _some(part, ~used), part.table.dtype
        smoothing, is_whole = kind.smoothing or Laplace(), part.table.dtype.kind in "iu"
        reader = core_reader(self.name, self.markers, self.refuse_missing)

        def pseudocounts(states: int) -> Floats:
            return smoothing.pseudocounts(states, setting.classes)

        self.core = BinColumn(
            *_as_core(_some(part, used)),
            how,
            int(bins),
            np.array(cuts, dtype=np.float64),
            is_whole,
            pseudocounts,
            reader,
        )

    def part(self) -> Sketch:
        """The sketch; values that the core had no room for make it coarser."""
        values, counts, dropped, more, codes = self.core.histogram()
        table = np.ascontiguousarray(counts.T.astype(self._dtype))
        sketch = Sketch(self.name, values, table, is_exact=dropped is None, dropped=dropped)
        if len(more):
            sketch = sketch + sketch_column(self.name, more, sample_of_codes(codes, self._classes))
            self.core.reset(*_as_core(sketch))
        return sketch + self._unused if len(self._unused.values) else sketch


def _some(part: Sketch, kept: AnyArray) -> Sketch:
    """Some of the values."""
    dropped = None if part.dropped is None else part.dropped[kept]
    return Sketch(part.name, part.values[kept], part.table[:, kept], is_exact=part.is_exact, dropped=dropped)


def _as_core(part: Sketch) -> tuple[Floats, Floats, Ints | None]:
    """Values, values × classes counts and dropped bits."""
    return part.values, np.ascontiguousarray(part.table.T, dtype=np.float64), part.dropped


def bins_of(cuts: Floats, counts: Floats) -> list[Example]:
    """The bins that are not empty: up to each cut, and beyond the last."""
    ends = cuts.tolist()
    if not ends:
        return [Example("any", 0.0, float(counts.sum()))]
    texts = [f"≤ {short_number(end)}" for end in ends[:1]]
    texts += [f"{short_number(a)} – {short_number(b)}" for a, b in pairwise(ends)]
    texts += [f"> {short_number(end)}" for end in ends[-1:]]
    # A cut itself is in the bin below it, so the last bin begins just above the last cut.
    inside = [*ends, math.nextafter(ends[-1], math.inf)]
    rows = counts.sum(axis=0).tolist()
    return [Example(*bin_) for bin_ in zip(texts, inside, rows, strict=True) if bin_[2] > 0]


def draw_in_bins(cuts: Floats, bins: AnyArray, rng: np.random.Generator) -> Floats:
    """A number in each of these bins, all equally likely.

    The first and the last bin have no end: they are taken to be as wide as their neighbours, or 1 wide where there is
    no other bin.

    >>> draw_in_bins(
    ...     np.array([0.0, 10.0]), np.array([0, 1, 2]), np.random.default_rng(0)
    ... ).round(1).tolist()
    [-6.4, 7.3, 19.6]
    """
    ends = cuts if len(cuts) else np.zeros(1)
    first, last = (ends[1] - ends[0], ends[-1] - ends[-2]) if len(ends) > 1 else (1.0, 1.0)
    wide = np.concatenate([[ends[0] - first], ends, [ends[-1] + last]])
    low, high = wide[bins], wide[bins + 1]
    share = 1.0 - rng.random(len(low))  # above 0, as a number at a cut is in the bin below it
    return np.minimum(np.maximum(low + share * (high - low), np.nextafter(low, np.inf)), high)
