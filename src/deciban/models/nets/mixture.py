"""Weights of the models that `AODE` averages, learned together with the temperature of the average.

    log P(j | x) = log P(j) + (1/T)·log (Σ_p w_p·P_p(x | j) / Σ_p w_p) + a constant

A parent has the weight w_p = exp θ_i of its column, and a pair of parents exp (θ_i + θ_k). θ and T minimize the log
loss of leave-one-out posteriors,

    Σ_r −log P'(y_r | x_r) + ½·Σ θ² + ½·(log T)²,

by BFGS from θ = 0, the plain average, and T = 1. The gradient of the average's logarithm by θ_p is the share of
model p in it. (Weighted averages of one-dependence models: Jiang and Zhang, 2006, by mutual information; Cerquides and
López de Mántaras, 2005, by the conditional likelihood.)
"""

from __future__ import annotations

import numpy as np
import scipy

from deciban.models.nets.temperature import COLDEST, HOTTEST, fit_temperature
from deciban.types import Codes, Floats

__all__ = ["fit_mixture", "log_average"]

_STEPS = 60
_SLOPE = 0.05
_FARTHEST = 8.0
_LOWEST = -1e4
"""Stands for log 0 in differences."""


def fit_mixture(
    logs: Floats, columns: Floats, log_prior: Floats, y: Codes, weights: Floats, temperature: float | None = None
) -> tuple[Floats, float]:
    """The logarithms of the columns' weights, and the temperature, unless that is given.

    `logs` are log P(row | class) by each model, rows × models × classes, −∞ where a model is not used, and `columns`
    the model × column matrix of its parents.
    """
    at = np.arange(len(y))
    used = np.isfinite(logs[at, :, y]).any(axis=1) & np.isfinite(log_prior[at, y])
    if not used.any() or logs.shape[2] < 2:
        return np.zeros(columns.shape[1]), temperature or 1.0
    loss = _Loss(np.maximum(logs[used], _LOWEST), columns, log_prior[used], y[used], weights[used])
    heat = temperature or fit_temperature(loss.average(np.zeros(columns.shape[1]))[0], log_prior[used], *loss.rows)
    start = np.append(np.zeros(columns.shape[1]), -np.log(heat))
    is_free = np.ones(len(start), dtype=bool)
    is_free[-1] = temperature is None

    def objective(point: Floats) -> tuple[float, Floats]:
        value, gradient = loss.at(np.where(is_free, np.clip(point, -_FARTHEST, _FARTHEST), start))
        return value, np.where(is_free, gradient, 0.0)

    # BFGS is plain numpy; L-BFGS-B would call BLAS, whose threads wait for one another on a busy machine.
    found = scipy.optimize.minimize(
        objective, start, jac=True, method="BFGS", options={"maxiter": _STEPS, "gtol": _SLOPE}
    ).x
    heat = temperature or float(np.clip(np.exp(-found[-1]), COLDEST, HOTTEST))
    return np.clip(found[:-1], -_FARTHEST, _FARTHEST), heat


def log_average(logs: Floats) -> tuple[Floats, Floats]:
    """log Σ_p exp logs of rows × models × classes, and the share of each model in the sum; −∞ where all are.

    >>> average, shares = log_average(np.log([[[0.2], [0.6]]]))
    >>> np.exp(average).round(3).tolist(), shares[0].round(3).tolist()
    ([[0.8]], [[0.25], [0.75]])
    """
    largest = logs.max(axis=1, keepdims=True, initial=-np.inf)
    odds = np.exp(logs - np.where(np.isneginf(largest), 0.0, largest))
    whole = odds.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        odds /= whole
        return (largest + np.log(whole))[:, 0], odds


class _Loss:
    """The penalized log loss of weights and temperature."""

    def __init__(self, logs: Floats, columns: Floats, log_prior: Floats, y: Codes, weights: Floats) -> None:
        self._logs, self._columns, self._prior = logs, columns, log_prior
        self.rows = y, weights

    def average(self, theta: Floats) -> tuple[Floats, Floats]:
        """log Σ_p w_p·P_p(x | j), and the share of each model in the sum."""
        return log_average(self._logs + (self._columns @ theta)[:, None])

    def at(self, point: Floats) -> tuple[float, Floats]:
        """The loss, and its gradient, at θ and the logarithm of 1/T."""
        (y, weights), exponent = self.rows, np.exp(point[-1])
        average, shares = self.average(point[:-1])
        joint = self._prior + exponent * average
        joint -= joint.max(axis=1, keepdims=True)
        posterior = np.exp(joint)
        whole, at = posterior.sum(axis=1), np.arange(len(y))
        value = float(weights @ (np.log(whole) - joint[at, y]) + 0.5 * point @ point)
        posterior /= whole[:, None]
        posterior[at, y] -= 1.0
        slope = exponent * weights[:, None] * posterior
        by_model = np.einsum("rpc,rc->p", shares, slope)
        return value, np.append(by_model @ self._columns, (slope * average).sum()) + point
