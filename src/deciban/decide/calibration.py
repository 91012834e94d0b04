"""Calibration of posteriors. Naive Bayes is overconfident, because it counts shared evidence twice.

    temperature  P'(c | x) ∝ P(c | x)^(1/T), with T of least log loss: one number, the best class stays the best
    isotonic     each class's posterior is mapped by the monotone step function of least squared error, then all are
                 divided by their sum. A step is the share k/n of the class among n rows; where that is 0 or 1, it is
                 (k + ½)/(n + 1) instead: n rows do not show that a class is impossible, or certain

Both are fitted on posteriors of rows that were not learned: leave-one-out ones, or those of a held-out sample.

Models fit temperatures of their own, too. Columns, or tokens, that depend on one another in ways that a model leaves
out make its posteriors too close to 0 and 1; dividing the evidence by T > 1 makes them moderate again. T minimizes a
log loss by Brent's method within bounds, on the scale of log T. What is divided, and what keeps T moderate where few
rows are misclassified, differ:

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
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
import scipy

from deciban.choices import did_you_mean
from deciban.errors import ParameterError
from deciban.log_sums import log_softmax, log_sum_exp
from deciban.storable import check_numbers, require, storable
from deciban.types import AnyArray, Codes, Floats

__all__ = [
    "COLDEST",
    "HOTTEST",
    "LEARNED_ROWS",
    "Calibration",
    "Isotonic",
    "Temperature",
    "decision_temperature",
    "document_temperature",
    "fit_calibration",
    "fit_temperature",
    "posterior_temperature",
    "spread_rows",
]


# One number needs no more rows than these.
LEARNED_ROWS = 2_000

COLDEST, HOTTEST = 0.4, 30.0
_HOTTEST_POSTERIOR = np.log(100.0)
_HOTTEST_TEXT = 1000.0
# An infinite joint log-probability would make the loss infinite, or NaN, at every temperature.
_MOST_NATS = 1e12
# The precision of log T for texts: their loss is a mean over at most 500 documents.
_COARSE = 1e-3


class Calibration(Protocol):
    """A map from posteriors to posteriors, rows × classes."""

    def apply(self, posterior: Floats) -> Floats: ...


def _check_temperature(calibration: Temperature) -> None:
    """A temperature must be positive."""
    require(isinstance(calibration.value, float) and 0 < calibration.value < np.inf, "a temperature is impossible")


@storable(check=_check_temperature)
@dataclass(frozen=True)
class Temperature:
    """Posteriors raised to the power 1/T and divided by their sum.

    >>> Temperature(2.0).apply(np.array([[0.8, 0.2]])).round(3).tolist()
    [[0.667, 0.333]]
    """

    value: float

    @classmethod
    def fit(cls, posterior: Floats, y: Codes, weights: Floats | None = None) -> Temperature:
        """The temperature of least log loss."""
        return cls(posterior_temperature(_logs(posterior), y, weights))

    def apply(self, posterior: Floats) -> Floats:
        scaled = _logs(posterior) / self.value
        return np.exp(scaled - log_sum_exp(scaled)[:, None])


def _check_isotonic(calibration: Isotonic) -> None:
    """The points of each class must ascend."""
    for x, y in calibration.points:
        check_numbers(x, (None,), "points")
        check_numbers(y, (len(x),), "points")
        require(len(x) > 0 and bool((np.diff(x) >= 0).all()), "points do not ascend")


@storable(check=_check_isotonic)
@dataclass(frozen=True, eq=False)
class Isotonic:
    """For each class the points of a monotone function, joined by lines."""

    points: tuple[tuple[Floats, Floats], ...]

    @classmethod
    def fit(cls, posterior: Floats, y: Codes, weights: Floats | None = None) -> Isotonic:
        """The monotone functions of least squared error, one class against the rest."""
        from sklearn.isotonic import IsotonicRegression  # noqa: PLC0415  it takes as long to load as deciban

        points = []
        for j, of_class in enumerate(posterior.T):
            fit = IsotonicRegression().fit(of_class, y == j, weights)
            rows = np.ones(len(y)) if weights is None else weights
            points.append((fit.X_thresholds_, _within(fit.y_thresholds_, fit.predict(of_class), rows)))
        return cls(tuple(points))

    def apply(self, posterior: Floats) -> Floats:
        mapped = np.column_stack([np.interp(p, *points) for p, points in zip(posterior.T, self.points, strict=True)])
        whole = mapped.sum(axis=1, keepdims=True)
        # Steps of a file may be 0 in all classes; such a row keeps its posterior.
        return np.where(whole > 0, mapped / np.where(whole > 0, whole, 1.0), posterior)


_METHODS: dict[str, type[Temperature] | type[Isotonic]] = {"temperature": Temperature, "isotonic": Isotonic}


def fit_calibration(method: str, posterior: Floats, y: Codes, weights: Floats | None = None) -> Calibration:
    """Fit "temperature" or "isotonic"; a row counts by its weight."""
    if method not in _METHODS:
        raise ParameterError(f"method is 'temperature' or 'isotonic', not {method!r}.{did_you_mean(method, _METHODS)}")
    return _METHODS[method].fit(posterior, y, weights)


def _within(steps: Floats, fitted: Floats, weights: Floats) -> Floats:
    """The steps with ½/(n + 1) in place of 0 and (n + ½)/(n + 1) in place of 1, n the rows on the step; monotone."""
    low, high = (0.5 / (float(weights[fitted == end].sum()) + 1.0) for end in (0.0, 1.0))
    inner = steps[(steps > 0.0) & (steps < 1.0)]
    # A narrow first step, of few rows, might rise above the second one: no further than to it.
    low, high = min(low, inner.min(initial=0.5)), max(1.0 - high, inner.max(initial=0.5))
    return np.where(steps <= 0.0, low, np.where(steps >= 1.0, high, steps))


def _logs(posterior: Floats) -> Floats:
    # The logarithm of 0 is −∞ at every temperature, and a loss of ∞ has no minimum.
    return np.log(np.maximum(posterior, np.finfo(np.float64).tiny))


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

    # The search is over log (T − 1), where T = 1 is at −∞: it is compared at the end.
    best = _minimum(loss, (np.log(1e-3), np.log(_HOTTEST_TEXT)), precision=_COARSE)
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
    least = scipy.optimize.minimize_scalar(loss, bounds=bounds, method="bounded", options={"xatol": precision})
    return _Minimum(float(least.x), float(least.fun))


def _log_losses(joint: Floats, y: Codes) -> Floats:
    """−log P(y | row) of each row, from joint log-probabilities."""
    return log_sum_exp(joint) - joint[np.arange(len(y)), y]
