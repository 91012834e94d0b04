"""Some rows of a sample, on which distributions of a column are compared.

The class log-loss of a column's evidence e_rj = log P(x_r | j), each row's from counts without it, is

    L = −Σ_r w_r·log softmax_j(log P_r(j) + e_rj)[y_r] / Σ_r w_r,

where P_r(j) is the share of class j among the other rows. A column without evidence has the loss of the priors.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from deciban.read import Column
from deciban.tallies import Sample
from deciban.tallies.leave_one_out import own_weights, weight_left
from deciban.types import AnyArray, Floats

__all__ = ["SomeRows"]

_MOST = 1_000
_GOLDEN = 0.6180339887498949
"""Multiples of this number, without their whole parts, are spread evenly, also over rows that repeat in a cycle."""


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
        given = self.sample.weights
        return np.ones(len(self.sample.codes)) if given is None else given

    def losses(self, evidence: Floats) -> Floats:
        """The loss of each row, in nats, times its weight: `evidence` is rows × classes.

        The loss is 0 for the only row of a class, which no evidence from other rows can predict.
        """
        joint = self._log_prior + evidence
        impossible = np.isneginf(joint).all(axis=1)
        if impossible.any():
            joint[impossible] = self._log_prior[impossible]
        top = joint.max(axis=1)
        whole = top + np.log(np.exp(joint - top[:, None]).sum(axis=1))
        own = joint[np.arange(len(joint)), self.sample.codes]
        return np.where(self._is_alone, 0.0, whole - own) * self.weights

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
