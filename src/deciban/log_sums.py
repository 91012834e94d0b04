"""Sums of probabilities that are given as logarithms, without underflow or overflow.

    log Σ_k exp a_k = m + log Σ_k exp (a_k − m),    m = max_k a_k

The largest term becomes exp 0 = 1, so the sum lies between 1 and the number of terms.
"""

from __future__ import annotations

import numpy as np

from deciban.types import Floats

__all__ = ["log_softmax", "log_sum_and_shares", "log_sum_exp"]


def log_sum_exp(logs: Floats, axis: int = -1) -> Floats:
    """log Σ exp logs along an axis; −∞ where all are −∞.

    >>> np.exp(log_sum_exp(np.log([[0.2, 0.3], [0.1, 0.2]]))).round(3).tolist()
    [0.5, 0.3]
    """
    largest, odds = _odds(logs, axis)
    with np.errstate(divide="ignore"):
        return (largest + np.log(odds.sum(axis=axis, keepdims=True))).squeeze(axis)


def log_sum_and_shares(logs: Floats, axis: int) -> tuple[Floats, Floats]:
    """log Σ exp logs along an axis, and the share of each term in the sum; NaN where all terms are −∞.

    >>> total, shares = log_sum_and_shares(np.log([[[0.2], [0.6]]]), axis=1)
    >>> np.exp(total).round(3).tolist(), shares[0].round(3).tolist()
    ([[0.8]], [[0.25], [0.75]])
    """
    largest, odds = _odds(logs, axis)
    whole = odds.sum(axis=axis, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        odds /= whole
        return (largest + np.log(whole)).squeeze(axis), odds


def log_softmax(logs: Floats) -> Floats:
    """The logarithms of exp logs, divided by their sums over the last axis."""
    # Not logs − log_sum_exp(logs): subtracting the maximum first keeps the digits of values that are close together.
    shifted = logs - logs.max(axis=-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))


def _odds(logs: Floats, axis: int) -> tuple[Floats, Floats]:
    """The largest of the logarithms, and exp of their differences from it."""
    # The sum over nothing is 0, its logarithm −∞.
    largest = logs.max(axis=axis, keepdims=True, initial=-np.inf)
    # −∞ − (−∞) would be NaN.
    return largest, np.exp(logs - np.where(np.isneginf(largest), 0.0, largest))
