"""Normal distributions between two bounds: how probable the interval is, and the mean and variance within it.

The textbook's formulas, such as Var = s²·(1 + (α·φ(α) − β·φ(β))/P − ((φ(α) − φ(β))/P)²), are differences that cancel
in narrow intervals and far in the tails. The integrals are computed instead, from the most probable point t₀ of the
interval,

    P = φ(t₀) · ∫ exp(−u·(u + 2t₀)/2) du,    t = t₀ + u,

by Gauss–Legendre quadrature over the part of the interval that counts: all terms are positive, and nothing underflows.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import scipy

from deciban.types import Floats

__all__ = ["NODES", "draw_between", "log_interval", "quadrature", "standardized", "truncated"]

NODES = 48
"""The nodes of a quadrature: from 40 on rounding errors are larger than its own."""

_BEYOND = 80.0
"""Twice the nats by which a density has fallen where it no longer counts: e⁻⁴⁰ is below the rounding of 1."""

_LOG_ROOT_TAU = 0.5 * np.log(2 * np.pi)


def truncated(mean: Floats, sd: Floats, low: Floats, high: Floats) -> tuple[Floats, Floats, Floats]:
    """log P(low < x ≤ high) of N(mean, sd²), and the mean and the variance of x in this interval.

    Where the probability is 0 the mean is the nearest bound and the variance 0.

    >>> log_p, mean, variance = truncated(*map(np.array, (0.0, 1.0, 0.0, np.inf)))
    >>> float(np.exp(log_p).round(6)), float(mean.round(6)), float(variance.round(6))
    (0.5, 0.797885, 0.36338)
    """
    mean, sd, low, high = np.broadcast_arrays(mean, sd, low, high)
    log_p, _, expected, spread = _standardized(mean, sd, low, high)
    is_all = np.isneginf(low) & np.isposinf(high)
    # From the bound where that is the most probable point: far from the mean it has more digits than mean + sd·t₀.
    between = np.where(is_all, mean, np.clip(mean, low, high) + sd * expected)
    return log_p, between, sd * sd * spread


def standardized(
    mean: Floats, sd: Floats, low: Floats, high: Floats, *, n: int = NODES
) -> tuple[Floats, Floats, Floats]:
    """log P(low < x ≤ high) of x = mean + sd·u, and the mean and the variance of u in this interval.

    Where sd is 0, u keeps its mean 0 and variance 1: x says nothing about it.
    """
    log_p, t0, expected, spread = _standardized(*np.broadcast_arrays(mean, sd, low, high), n=n)
    return log_p, np.where(sd > 0, t0 + expected, 0.0), np.where(sd > 0, spread, 1.0)


def _standardized(
    mean: Floats, sd: Floats, low: Floats, high: Floats, *, n: int = NODES
) -> tuple[Floats, Floats, Floats, Floats]:
    """log P, the most probable point t₀, E[u] and Var[u] of the deviations u from it."""
    u, t0, shares = quadrature(mean, sd, low, high, n=n)
    total = shares.sum(axis=-1)
    is_normal = (sd > 0) & (total > 0)
    divisor = np.where(is_normal, total, 1.0)
    expected = (shares * u).sum(axis=-1) / divisor
    spread = (shares * (u - expected[..., None]) ** 2).sum(axis=-1) / divisor
    with np.errstate(divide="ignore", over="ignore"):
        log_p = np.minimum(np.log(total) - t0 * t0 / 2 - _LOG_ROOT_TAU, 0.0)
    # A number that is certain lies in the interval or not; bins hold their upper end.
    certain = np.where((low < mean) & (mean <= high), 0.0, -np.inf)
    is_all = np.isneginf(low) & np.isposinf(high)
    log_p = np.where(is_all, 0.0, np.where(is_normal, log_p, np.where(sd > 0, -np.inf, certain)))
    spread = np.where(is_all, 1.0, np.where(is_normal, spread, 0.0))
    return log_p, t0, np.where(is_normal & ~is_all, expected, 0.0), spread


def log_interval(mean: Floats, sd: Floats, low: Floats, high: Floats) -> Floats:
    """log P(low < x ≤ high) of N(mean, sd²): by the distribution function where its difference keeps its digits.

    >>> float(np.exp(log_interval(*map(np.array, (0.0, 1.0, 0.0, np.inf)))))
    0.5
    """
    mean, sd, low, high = np.broadcast_arrays(mean, sd, low, high)
    scale = np.where(sd > 0, sd, 1.0)
    with np.errstate(over="ignore"):
        alpha, beta = (low - mean) / scale, (high - mean) / scale
    # In the lower tail, where the distribution function has all its digits.
    flips = alpha > -beta
    alpha, beta = np.where(flips, -beta, alpha), np.where(flips, -alpha, beta)
    top = scipy.special.ndtr(beta)
    mass = top - scipy.special.ndtr(alpha)
    is_exact = (sd > 0) & (mass > 0.01 * top) & (top > 1e-290)
    out: Floats = np.array(np.log(np.where(is_exact, mass, 1.0)))
    others = ~is_exact
    if others.any():
        out[others] = standardized(mean[others], sd[others], low[others], high[others])[0]
    return out


@lru_cache(maxsize=64)
def _rule(n: int) -> tuple[Floats, Floats]:
    """The points between 0 and 1 of Gauss and Legendre, and their weights."""
    nodes, weights = np.polynomial.legendre.leggauss(n)
    return (nodes + 1) / 2, weights / weights.sum()


def draw_between(rng: np.random.Generator, mean: Floats, sd: Floats, low: Floats, high: Floats) -> Floats:
    """A number from each N(mean, sd²) between bounds, by the inverse of the distribution function."""
    mean, sd, low, high = np.broadcast_arrays(mean, sd, low, high)
    scale = np.where(sd > 0, sd, 1.0)
    with np.errstate(over="ignore"):
        alpha, beta = (low - mean) / scale, (high - mean) / scale
    # In the lower tail, where quantiles of tiny probabilities have all their digits.
    flips = alpha > 0
    alpha, beta = np.where(flips, -beta, alpha), np.where(flips, -alpha, beta)
    u = rng.random(mean.shape)
    with np.errstate(divide="ignore"):
        logs = np.logaddexp(scipy.special.log_ndtr(alpha) + np.log1p(-u), scipy.special.log_ndtr(beta) + np.log(u))
    z = scipy.special.ndtri_exp(logs)
    drawn = np.clip(mean + sd * np.where(flips, -z, z), low, high)
    return np.where(sd > 0, drawn, mean)


def quadrature(
    mean: Floats, sd: Floats, low: Floats, high: Floats, *, n: int = NODES, breaks: Floats | None = None
) -> tuple[Floats, Floats, Floats]:
    """Nodes u and weights for integrals over N(mean, sd²) between bounds: a last axis of nodes.

    Node u is the point t₀ + u in standard deviations from the mean, t₀ the most probable one in the interval; its
    weight has the factor exp(−u·(u + 2t₀)/2), so that the weights times φ(t₀) sum to the probability of the interval.
    ``breaks`` are points, in standard deviations from the mean, between which the integrand is smooth: a last axis.
    There are n nodes between two of them.
    """
    scale = np.where(sd > 0, sd, 1.0)
    with np.errstate(over="ignore", invalid="ignore"):
        alpha, beta = (low - mean) / scale, (high - mean) / scale
        t0 = np.clip(0.0, alpha, beta)
        far = ~np.isfinite(t0)
        t0 = np.where(far, 0.0, t0)
        # Solves u·(u + 2|t₀|) = 80 without the difference −|t₀| + √(t₀² + 80).
        reach = _BEYOND / (np.abs(t0) + np.sqrt(t0 * t0 + _BEYOND))
        first = np.where(alpha >= t0, 0.0, np.maximum(alpha - t0, -reach))
        last = np.where(beta <= t0, 0.0, np.minimum(beta - t0, reach))
    last = np.where(far | ~(last > first), first, last)
    nodes, weights = _rule(n)
    if breaks is None:
        width = (last - first)[..., None]
        u, w = first[..., None] + width * nodes, width * weights
    else:
        inner = np.clip(breaks - t0[..., None], first[..., None], last[..., None])
        ends = np.sort(np.concatenate([first[..., None], inner, last[..., None]], axis=-1), axis=-1)
        width = np.diff(ends)[..., None]
        shape = (*ends.shape[:-1], -1)
        u, w = (ends[..., :-1, None] + width * nodes).reshape(shape), (width * weights).reshape(shape)
    return u, t0, w * np.exp(-u * (u + 2 * t0[..., None]) / 2)
