"""The temperature of a model's evidence: one number that corrects overconfidence, learned by `fit`.

    log P(j | x) = log P(j) + (1/T)·log P(x | j) + a constant

Columns that depend on one another in ways that the model leaves out are counted several times, so that its posteriors
are too close to 0 and 1. T minimizes the log loss of leave-one-out posteriors,

    Σ_r −log P'(y_r | x_r) + ½·(log T)²,

where the last term, and the limits 0.4 and 30, keep it moderate if few rows are misclassified. The loss is that of at
most 2,000 rows, spread evenly over the table: one number needs no more.
"""

from __future__ import annotations

import numpy as np
import scipy

from deciban.types import AnyArray, Codes, Floats

__all__ = ["COLDEST", "HOTTEST", "LEARNED_ROWS", "fit_temperature", "spread_rows"]


LEARNED_ROWS = 2_000
COLDEST, HOTTEST = 0.4, 30.0


def spread_rows(rows: AnyArray, most: int) -> AnyArray:
    """At most so many of the rows, evenly spread.

    >>> spread_rows(np.arange(10), 4).tolist()
    [0, 2, 5, 7]
    """
    return rows if len(rows) <= most else rows[np.arange(most) * len(rows) // most]


def fit_temperature(likelihood: Floats, log_prior: Floats, y: Codes, weights: Floats) -> float:
    """The temperature of least log loss, from log P(row | class) and log P(class) of rows × classes.

    Rows that are impossible in their own class are ignored: no temperature changes them.
    """
    rows = np.arange(len(y))
    used = np.isfinite(likelihood[rows, y]) & np.isfinite(log_prior[rows, y])
    if not used.any() or likelihood.shape[1] < 2:
        return 1.0
    likelihood, log_prior, y, weights = likelihood[used], log_prior[used], y[used], weights[used]

    def loss(log_t: float) -> float:
        joint = log_prior + likelihood * np.exp(-log_t)
        return float(weights @ _log_loss(joint, y)) + 0.5 * log_t * log_t

    bounds = np.log(COLDEST), np.log(HOTTEST)
    return float(np.exp(scipy.optimize.minimize_scalar(loss, bounds=bounds, method="bounded").x))


def _log_loss(joint: Floats, y: Codes) -> Floats:
    """−log P(y | row) of each row, from joint log-probabilities."""
    largest = joint.max(axis=1)
    whole = np.log(np.exp(joint - largest[:, None]).sum(axis=1))
    return largest + whole - joint[np.arange(len(y)), y]
