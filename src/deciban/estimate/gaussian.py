"""Gaussian estimates: mean and variance of each column within each class (Zhu, item 11).

    μ_ji = mean of column i in class j,  σ²_ji = mean squared deviation + ε

ε is scikit-learn's floor, `var_smoothing` times the largest variance of a column over all rows. It is taken from the
tally, not from the last batch, so that learning in parts gives what learning at once gives.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from deciban.tallies import Moments, Spread
from deciban.types import Floats

__all__ = ["GaussianEstimate", "estimate_gaussian", "log_norms"]

_SMALLEST = float(np.finfo(np.float64).tiny)
_LARGEST = float(np.finfo(np.float64).max)


@dataclass(frozen=True)
class GaussianEstimate:
    """Class × column means and variances, and the floor that the variances contain."""

    mean: Floats
    variance: Floats
    floor: float


def estimate_gaussian(moments: Moments, var_smoothing: float = 1e-9) -> GaussianEstimate:
    """Estimate means and variances; a variance is never 0 and never infinite."""
    floor = var_smoothing * _largest(_variance(moments.pooled()))
    variance = np.clip(_variance(moments) + floor, _SMALLEST, _LARGEST)
    return GaussianEstimate(moments.mean, variance, floor)


def log_norms(variance: Floats) -> Floats:
    """−½ log 2πσ²."""
    return -0.5 * (np.log(2.0 * np.pi) + np.log(variance))


def _variance(moments: Moments | Spread) -> Floats:
    known = np.broadcast_to(moments.weight > 0, moments.deviation.shape)
    out = np.zeros_like(moments.deviation)
    return np.divide(moments.deviation, moments.weight, out=out, where=known)


def _largest(variance: Floats) -> float:
    return min(float(variance.max(initial=0.0)), _LARGEST)
