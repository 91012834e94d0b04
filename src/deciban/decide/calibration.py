"""Calibration of posteriors. Naive Bayes is overconfident, because it counts shared evidence twice.

    temperature  P'(c | x) ∝ P(c | x)^(1/T), with T of least log loss: one number, the best class stays the best
    isotonic     each class's posterior is mapped by the monotone step function of least squared error, then all are
                 divided by their sum. A step is the share k/n of the class among n rows; where that is 0 or 1, it is
                 (k + ½)/(n + 1) instead: n rows do not show that a class is impossible, or certain

Both are fitted on posteriors of rows that were not learned: leave-one-out ones, or those of a held-out sample.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from deciban.choices import did_you_mean
from deciban.decide.temperature import posterior_temperature
from deciban.errors import ParameterError
from deciban.log_sums import log_sum_exp
from deciban.storable import check_numbers, require, storable
from deciban.types import Codes, Floats

__all__ = ["Calibration", "Isotonic", "Temperature", "fit_calibration"]


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
        for j, given in enumerate(posterior.T):
            fit = IsotonicRegression().fit(given, y == j, weights)
            rows = np.ones(len(y)) if weights is None else weights
            points.append((fit.X_thresholds_, _within(fit.y_thresholds_, fit.predict(given), rows)))
        return cls(tuple(points))

    def apply(self, posterior: Floats) -> Floats:
        mapped = np.column_stack([np.interp(p, *points) for p, points in zip(posterior.T, self.points, strict=True)])
        whole = mapped.sum(axis=1, keepdims=True)
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
    low, high = min(low, inner.min(initial=0.5)), max(1.0 - high, inner.max(initial=0.5))
    return np.where(steps <= 0.0, low, np.where(steps >= 1.0, high, steps))


def _logs(posterior: Floats) -> Floats:
    return np.log(np.maximum(posterior, np.finfo(np.float64).tiny))
