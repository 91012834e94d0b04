"""The temperature of posteriors: one number that corrects overconfidence, fitted to rows that were left out.

Columns, or tokens, that depend on one another in ways that a model leaves out are counted several times, so that its
posteriors are too close to 0 and 1. Dividing the evidence by a temperature T > 1 makes them moderate again. T minimizes
a log loss over posteriors of rows that were not learned, by Brent's method within bounds, on the scale of log T. What
is divided, and what keeps T moderate where few rows are misclassified, differ:

========================  ===========================================  ================================================
function                  posteriors                                   kept moderate by
========================  ===========================================  ================================================
`fit_temperature`         log P(j) + (1/T)·log P(x | j)                + ½·(log T)² on the sum of the losses; 0.4 … 30
`posterior_temperature`   (1/T)·log P(j | x)                           1/100 … 100
`document_temperature`    (1/T_d)·log P(j, d), T_d by the length of d  T ≥ 1, and 1 unless the loss is lower than there
`decision_temperature`    softmax of decision values / T               targets (n + 1)/(n + 2) (Platt, 1999)
========================  ===========================================  ================================================

TAN, AODE and Bayes-net classifiers use the first, `calibrate` the second, `TextNB` the third (its formula is in
`deciban.models.text.temperature`) and `LogCountRatio` the last.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import scipy

from deciban.log_sums import log_softmax, log_sum_exp
from deciban.types import AnyArray, Codes, Floats

__all__ = [
    "COLDEST",
    "HOTTEST",
    "LEARNED_ROWS",
    "decision_temperature",
    "document_temperature",
    "fit_temperature",
    "posterior_temperature",
    "spread_rows",
]


LEARNED_ROWS = 2_000
"""From how many rows a temperature is learned: one number needs no more."""

COLDEST, HOTTEST = 0.4, 30.0
_HOTTEST_POSTERIOR = np.log(100.0)
_HOTTEST_TEXT = 1000.0
_MOST_NATS = 1e12
_COARSE = 1e-3
"""The precision of log T for texts: their loss is a mean over at most 500 documents."""


def spread_rows(rows: AnyArray, most: int) -> AnyArray:
    """At most so many of the rows, evenly spread.

    >>> spread_rows(np.arange(10), 4).tolist()
    [0, 2, 5, 7]
    """
    return rows if len(rows) <= most else rows[np.arange(most) * len(rows) // most]


def fit_temperature(likelihood: Floats, log_prior: Floats, y: Codes, weights: Floats) -> float:
    """The temperature of a model's evidence, from log P(row | class) and log P(class) of rows × classes.

        Σ_r −log P'(y_r | x_r) + ½·(log T)²

    Rows that are impossible in their own class are ignored: no temperature changes them.
    """
    rows = np.arange(len(y))
    used = np.isfinite(likelihood[rows, y]) & np.isfinite(log_prior[rows, y])
    if not used.any() or likelihood.shape[1] < 2:
        return 1.0
    likelihood, log_prior, y, weights = likelihood[used], log_prior[used], y[used], weights[used]

    def loss(log_t: float) -> float:
        joint = log_prior + likelihood * np.exp(-log_t)
        return float(weights @ _log_losses(joint, y)) + 0.5 * log_t * log_t

    return float(np.exp(_minimum(loss, (np.log(COLDEST), np.log(HOTTEST))).log))


def posterior_temperature(log_posterior: Floats, y: Codes, weights: Floats | None = None) -> float:
    """The temperature of posteriors, by their mean log loss."""

    def loss(log_t: float) -> float:
        return float(np.average(_log_losses(log_posterior / np.exp(log_t), y), weights=weights))

    return float(np.exp(_minimum(loss, (-_HOTTEST_POSTERIOR, _HOTTEST_POSTERIOR)).log))


def document_temperature(joint: Floats, y: Codes, relative: Floats, weights: Floats) -> float:
    """The T ≥ 1 of least log loss of tempered joint log-probabilities, where T_d = 1 + (T − 1)·relative_d."""
    rows, finite = np.arange(len(y)), np.clip(joint, -_MOST_NATS, _MOST_NATS)

    def loss(log_excess: float) -> float:
        scaled = finite / (1.0 + np.exp(log_excess) * relative)[:, None]
        return -float(np.average(log_softmax(scaled)[rows, y], weights=weights))

    best = _minimum(loss, (np.log(1e-3), np.log(_HOTTEST_TEXT)), precision=_COARSE)  # of T − 1, which is never 0 there
    return 1.0 + float(np.exp(best.log)) if best.loss < loss(-np.inf) else 1.0


def decision_temperature(decision: Floats, y: Codes, weights: Floats | None) -> float:
    """The temperature of decision values; the true class has the probability (n + 1)/(n + 2) of n documents.

    So it stays above 0 where all n documents are decided rightly (Platt 1999).
    """
    rows, classes = np.arange(len(y)), decision.shape[1]
    other = 1.0 / (len(y) + 2) / (classes - 1)

    def loss(log_t: float) -> float:
        logs = log_softmax(decision / np.exp(log_t))
        true = (1.0 - classes * other) * logs[rows, y] + other * logs.sum(axis=1)
        return -float(np.average(true, weights=weights))

    return float(np.exp(_minimum(loss, (np.log(1.0 / _HOTTEST_TEXT), np.log(_HOTTEST_TEXT)), precision=_COARSE).log))


class _Minimum(NamedTuple):
    log: float
    loss: float


def _minimum(loss: Callable[[float], float], bounds: tuple[float, float], *, precision: float = 1e-5) -> _Minimum:
    """Where between two bounds the loss, a function of the logarithm of a temperature, is least."""
    # On the scale of the logarithm T and 1/T are equally far from 1, so that neither direction is searched more finely.
    found = scipy.optimize.minimize_scalar(loss, bounds=bounds, method="bounded", options={"xatol": precision})
    return _Minimum(float(found.x), float(found.fun))


def _log_losses(joint: Floats, y: Codes) -> Floats:
    """−log P(y | row) of each row, from joint log-probabilities."""
    return log_sum_exp(joint) - joint[np.arange(len(y)), y]
