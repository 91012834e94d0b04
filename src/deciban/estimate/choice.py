"""The distribution of a column whose class log-loss is least, and the cuts of a numeric column by the same rule.

Of candidates whose losses are close, the simplest is taken: the first one, in order, whose loss exceeds the least by at
most half a standard error of the difference,

    mean(d) ≤ ½·sd(d) / √n,   d_r = loss_r(candidate) − loss_r(best).

Candidates are compared on rows that they were not estimated from (`ColumnDistribution.left_out`): leave-one-out where
a distribution ignores the classes when it adapts to the column, three folds for cuts that are found with the classes.

The class log-loss of a column's evidence e_rj = log P(x_r | j), each row's from counts without it, is

    L = −Σ_r w_r·log softmax_j(log P_r(j) + e_rj)[y_r] / Σ_r w_r,

where P_r(j) is the share of class j among the other rows. A column without evidence has the loss of the priors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from deciban.estimate.column import ColumnDistribution
from deciban.estimate.distributions.binned import Binned, Cut
from deciban.estimate.missing import left_out_column
from deciban.estimate.smoothing import Laplace, Smoothing
from deciban.log_sums import log_sum_exp
from deciban.read import Column
from deciban.tallies import Sample, own_weights, weight_left
from deciban.ties import exceeds, first_smallest
from deciban.types import AnyArray, Floats

__all__ = ["Choice", "SomeRows", "choose", "cut_or_spread"]


# Standard errors: up to half of one losses are equal; a cut is replaced for two.
_CLOSE, _CLEAR = 0.5, 2.0
# Below so many known values a column keeps no cuts: 10 rows for each of the 5 bins that it might have instead.
_FEWEST = 50
# A comparison costs an estimate of each candidate, so it is made on this many rows at most.
_MOST = 1_000
# Multiples of this number, without their whole parts, are spread evenly, also over rows that repeat in a cycle.
_GOLDEN = 0.6180339887498949


class Choice(NamedTuple):
    """A chosen candidate and its loss, in nats a row; and the best of the others, if there are others."""

    best: int
    loss: float
    other: int | None = None
    other_loss: float = np.nan


def choose(
    candidates: Sequence[ColumnDistribution],
    column: Column,
    rows: SomeRows,
    smoothing: Smoothing,
    *,
    close: float = _CLOSE,
) -> Choice:
    """Compare distributions of a column.

    The candidates are in order, the simplest first; losses that differ by `close` standard errors or less are equal.
    """
    part = rows.take(column)
    losses = [rows.losses(left_out_column(kind, part, rows.sample, smoothing)) for kind in candidates]
    means = [rows.mean(of_rows) for of_rows in losses]
    least = first_smallest(means)
    chosen = next(i for i, of_rows in enumerate(losses) if i == least or _is_close(of_rows, losses[least], close))
    others = [i for i in range(len(losses)) if i != chosen]
    other = others[first_smallest([means[i] for i in others])] if others else None
    return Choice(chosen, means[chosen], other, np.nan if other is None else means[other])


def _is_close(losses: Floats, best: Floats, close: float) -> bool:
    # Of two infinite losses the difference is NaN, which exceeds nothing: they are equal.
    with np.errstate(invalid="ignore"):
        difference = losses - best
        return not exceeds(difference.mean(), close * difference.std() / np.sqrt(len(difference)))


def cut_or_spread(cut: Cut, column: Column, sample: Sample) -> tuple[Cut, str]:
    """A `Cut` without cuts becomes 5 bins of equal frequency where these have a clearly smaller class log-loss.

    Clearly is by more than two standard errors of the difference: cuts by description length are the better ones for
    tables of several columns, but a column must not vanish that predicts the class.
    """
    rows = SomeRows(sample)
    is_open = not cut.at and len(rows.sample.classes) > 1 and int((~rows.take(column).is_missing).sum()) >= _FEWEST
    spread = Binned(how="frequency", bins=5, missing=cut.missing, smoothing=cut.smoothing)
    # Missing values say the same under both.
    plain = [replace(kind, missing=None) for kind in (cut, spread)]
    if not is_open or choose(plain, column, rows, cut.smoothing or Laplace(), close=_CLEAR).best == 0:
        return cut, ""
    return spread.with_fixed_states(column, sample)


class SomeRows:
    """At most 1,000 rows of a sample, spread over all of it; all rows where there are fewer.

    Rows of weight 0 are left out. Classes without rows here are left out, too, so classes have other codes than in
    the whole sample.
    """

    def __init__(self, sample: Sample, most: int = _MOST) -> None:
        weighty = sample.weighty()
        self._rows = _spread(len(sample.codes) if weighty is None else int(weighty.sum()), most)
        if weighty is not None:
            kept = np.flatnonzero(weighty)
            self._rows = kept if self._rows is None else kept[self._rows]
        self.sample = _with_rows(sample if self._rows is None else sample.take(self._rows))

    def take(self, column: Column) -> Column:
        """The values of these rows."""
        return column if self._rows is None else column.take(self._rows)

    @cached_property
    def weights(self) -> Floats:
        """The weight of each row."""
        weights = self.sample.weights
        return np.ones(len(self.sample.codes)) if weights is None else weights

    def losses(self, evidence: Floats) -> Floats:
        """The loss of each row, in nats, times its weight: `evidence` is rows × classes.

        The loss is 0 for the only row of a class, which no evidence from other rows can predict.
        """
        joint = self._log_prior + evidence
        # As in prediction: a row that is impossible in every class says nothing.
        impossible = np.isneginf(joint).all(axis=1)
        if impossible.any():
            joint[impossible] = self._log_prior[impossible]
        own = joint[np.arange(len(joint)), self.sample.codes]
        return np.where(self._is_alone, 0.0, log_sum_exp(joint) - own) * self.weights

    def mean(self, losses: Floats) -> float:
        """The mean loss of a row."""
        return float(losses.sum() / self.weights.sum())

    @cached_property
    def _log_prior(self) -> Floats:
        """log P(class) of each row, from the others."""
        left = weight_left(self.sample.counts, own_weights(self.sample.codes, self.weights, len(self.sample.counts)))
        left[left.sum(axis=1) == 0.0] = 1.0
        with np.errstate(divide="ignore"):
            return np.log(left) - np.log(left.sum(axis=1, keepdims=True))

    @cached_property
    def _is_alone(self) -> AnyArray:
        own = self._log_prior[np.arange(len(self.sample.codes)), self.sample.codes]
        return np.isneginf(own)


def _spread(rows: int, most: int) -> AnyArray | None:
    """Numbers of rows: one from each of `most` ranges of equal length, at changing positions; None for all rows."""
    if rows <= most:
        return None
    each = np.arange(most)
    return ((each + each * _GOLDEN % 1.0) * (rows / most)).astype(np.int64)


def _with_rows(sample: Sample) -> Sample:
    """The same sample without classes that have no rows."""
    used = np.bincount(sample.codes, minlength=len(sample.classes)) > 0
    if used.all():
        return sample
    codes = (np.cumsum(used, dtype=np.int32) - np.int32(1))[sample.codes]
    return Sample(sample.classes.restricted(used), codes, sample.counts[used], sample.weights)
