"""Bandwidths of kernel density estimates.

    nrd0  h = 0.9·min(s, IQR / 1.34)·n^(−1/5)                           Silverman (1986), as R's bw.nrd0
    SJ    h = (1 / (2√π·n·S(α(h))))^(1/5),  α(h) = 1.357·(S(a) / T(b))^(1/7)·h^(5/7)
                                                                        Sheather and Jones (1991), as R's bw.SJ

S and T estimate ∫f″² and ∫f‴² from the distances of all pairs, which are counted in 1000 bins. The weight of a value is
the number of rows that have it; quartiles are R's (type 7).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy

from deciban.types import Floats

__all__ = ["nrd0", "sheather_jones"]

_BINS = 1000
_FAR = 32.0
"""Distance in bandwidths beyond which a pair contributes 0, as in R."""
_LEAST, _MOST = 1e-300, 1e300


def nrd0(values: Floats, weights: Floats) -> float:
    """Silverman's rule of thumb for sorted values; where they are all equal, as in R: |x_1|, or 1 when that is 0.

    >>> round(nrd0(np.array([1.0, 2.0, 4.0, 7.0]), np.ones(4)), 6)
    1.527028
    """
    unit = _unit(values)
    deviation, quartiles = _spread(values / unit, weights)
    narrow = min(deviation, quartiles / 1.34) or deviation or abs(float(values[0]) / unit) or 1.0 / unit
    return _within_reach(0.9 * narrow * max(float(weights.sum()), 1.0) ** -0.2 * unit)


def sheather_jones(values: Floats, weights: Floats) -> float:
    """Solve Sheather and Jones's equation; the rule of thumb where the sample is too sparse for it."""
    unit, n = _unit(values), float(weights.sum())
    deviation, quartiles = _spread(values / unit, weights)
    scale = min(deviation, quartiles / 1.349) or deviation
    if not (scale > 0 and n >= 2):
        return nrd0(values, weights)
    distances, pairs = _pairs(values / unit, weights, scale)
    second = _functional(distances, pairs, n, 1.24 * n ** (-1 / 7), order=4)
    third = -_functional(distances, pairs, n, 1.23 * n ** (-1 / 9), order=6)
    if not (third > 0 and second > 0):
        return nrd0(values, weights)
    alpha = 1.357 * (second / third) ** (1 / 7)

    def excess(h: float) -> float:
        curvature = _functional(distances, pairs, n, alpha * h ** (5 / 7), order=4)
        return (1 / (2 * np.sqrt(np.pi) * n * curvature)) ** 0.2 - h if curvature > 0 else np.inf

    h = _root(excess, 1.144 * n**-0.2)
    return nrd0(values, weights) if h is None else _within_reach(h * scale * unit)


def _unit(values: Floats) -> float:
    """A unit in which squares neither overflow nor underflow."""
    return float(np.abs(values).max()) or 1.0


def _within_reach(h: float) -> float:
    return float(np.clip(h, _LEAST, _MOST))


def _spread(values: Floats, weights: Floats) -> tuple[float, float]:
    """Standard deviation and interquartile range."""
    n = float(weights.sum())
    mean = float(weights @ values) / n
    variance = float(weights @ (values - mean) ** 2) / max(n - 1.0, n / 2.0)  # from 2 rows on it is n − 1
    if len(values) == 1:
        return 0.0, 0.0
    first, third = _quantiles(values, weights, np.array([0.25, 0.75]))
    return float(np.sqrt(variance)), float(third - first)


def _quantiles(values: Floats, weights: Floats, shares: Floats) -> Floats:
    """R's type 7, where each value is repeated as often as its weight says."""
    ends = np.cumsum(weights)
    starts = ends - weights
    positions = np.stack([starts, np.maximum(ends - 1.0, starts)], axis=1).ravel()
    return np.interp(np.maximum((ends[-1] - 1.0) * shares, 0.0), positions, np.repeat(values, 2))


def _pairs(values: Floats, weights: Floats, scale: float) -> tuple[Floats, Floats]:
    """Distances in units of `scale`, and how many pairs of rows are that far apart."""
    width = (values[-1] - values[0]) * 1.01 / _BINS
    held: Floats = np.bincount(((values - values[0]) / width).astype(np.int64), weights, _BINS).astype(np.float64)
    pairs = np.correlate(held, held, "full")[_BINS - 1 :]
    pairs[0] = float((held * np.maximum(held - 1.0, 0.0)).sum()) / 2.0
    with np.errstate(over="ignore"):
        return np.arange(_BINS) * width / scale, pairs


def _functional(distances: Floats, pairs: Floats, n: float, h: float, *, order: int) -> float:
    """Σ over all pairs, rows with themselves included, of the derivative of this order of the normal density."""
    with np.errstate(over="ignore"):  # a distance beyond the largest number is far
        square = np.minimum(distances / h, _FAR) ** 2
    if order == 4:
        polynomial, own = square * (square - 6.0) + 3.0, 3.0
    else:
        polynomial, own = square * (square * (square - 15.0) + 45.0) - 15.0, -15.0
    total = 2.0 * float(pairs @ (np.exp(-0.5 * square) * polynomial)) + own * n
    return total / (n * (n - 1.0) * h ** (order + 1) * np.sqrt(2.0 * np.pi))


def _root(excess: Callable[[float], float], highest: float) -> float | None:
    """A root in R's interval, which is widened until it holds one."""
    low, high = 0.1 * highest, highest
    for _ in range(99):
        at_low, at_high = excess(low), excess(high)
        if not np.isfinite([at_low, at_high]).all():
            return None
        if at_low * at_high <= 0:
            return float(scipy.optimize.brentq(excess, low, high))
        low, high = low * 0.9, high * 1.1
    return None
