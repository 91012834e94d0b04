"""Counts and probabilities of bins, shared by `Binned`, which finds its cuts, and `Cut`.

    P(x | j) = (n_jb + a) / (n_j + a·m),   b the bin of x, of m bins

The column is kept as a `Sketch`. A number at a cut is in the bin below it; numbers beyond those seen are in the first
or the last bin.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Any

import numpy as np

from deciban.estimate.columns.drawing import draw_codes, draw_in_bins
from deciban.estimate.columns.formulas import Bins, StateLogs
from deciban.estimate.columns.likelihood import ColumnLikelihood, OneValue, times
from deciban.estimate.columns.margins import Margins
from deciban.estimate.columns.values import Markers, number_reader, numbers_of
from deciban.estimate.smoothing import Laplace, Smoothing, log_probabilities
from deciban.estimate.tables import for_each_pair, logs_without_own
from deciban.read import MISSING, Column
from deciban.tallies import Sample, Sketch
from deciban.tallies.kernels import add_bins
from deciban.tallies.leave_one_out import own_weights
from deciban.types import AnyArray, Codes, Floats

__all__ = [
    "BinnedLikelihood",
    "add_bin_margins",
    "bin_logs",
    "count_bins",
    "estimate_bins",
    "leave_out_of_bins",
    "logs_given_cuts",
]


def count_bins(part: Sketch, cuts: Floats) -> Floats:
    """Class × bin counts."""
    starts = np.append(0, np.searchsorted(part.values, cuts, side="right"))  # the values are in order
    counts = np.zeros((part.classes, len(starts)))
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
    of_bucket = np.append(np.searchsorted(cuts, part.values), -1)[part.indices(x)]  # the bin of the value's bucket
    own_cells = own * (of_bucket == bins)[:, None]
    return logs_without_own(counts, bins, own, _pseudocounts(counts, smoothing), own_cells)


def add_bin_margins(
    likelihood: BinnedLikelihood,
    parts: Sequence[Sketch],
    columns: Sequence[Column],
    margins: Margins,
    at: Sequence[int],
    smoothing: Smoothing | None,
) -> None:
    """Add the margins of counted rows, each taken out of its bin, with the cuts as they are."""
    for index, part, column, cuts in zip(at, parts, columns, likelihood.cuts, strict=True):
        values, counts = numbers_of(column), count_bins(part, cuts)
        bins = np.searchsorted(cuts, part.bucketed(values))
        codes = np.where(np.isnan(values), MISSING, bins).astype(np.int32)
        margins.add_counts(index, codes, counts, _pseudocounts(counts, smoothing))


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

        def score(value: Any) -> Sequence[float]:
            x = number(value)
            return nothing if x is None else logs[bisect_left(cuts, x)]

        return score


def _pseudocounts(counts: Floats, smoothing: Smoothing | None) -> Floats:
    classes, bins = counts.shape
    return (smoothing or Laplace()).pseudocounts(bins, classes)
