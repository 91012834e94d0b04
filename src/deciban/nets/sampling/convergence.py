"""Convergence of Gibbs chains: R-hat and the effective sample size.

    R̂² = ((n − 1)/n · W + B/n) / W            ESS = m·n / (1 + 2 Σ ρ̂ₜ)

for m half chains of n rows, with W the variance within them, n·Var(means) = B, and the autocorrelations ρ̂ₜ summed as
long as pairs of them are positive (Gelman et al., *Bayesian Data Analysis*, 3rd edition, 11.4–11.5).
"""

from __future__ import annotations

import numpy as np

from deciban.types import AnyArray, Floats

__all__ = ["convergence"]


def convergence(codes: AnyArray, states: int) -> tuple[float, float]:
    """The largest R-hat and the smallest effective size of a node's state indicators; codes are chains × rows."""
    half = codes.shape[1] // 2
    halves = np.concatenate([codes[:, :half], codes[:, half : 2 * half]])
    found = [_diagnostics(np.asarray(halves == state, dtype=np.float64)) for state in range(states)]
    return max(r_hat for r_hat, _ in found), min(size for _, size in found)


def _diagnostics(x: Floats) -> tuple[float, float]:
    chains, rows = x.shape
    if rows < 2:
        return float("nan"), float("nan")
    within = float(x.var(axis=1, ddof=1).mean())
    between = float(x.mean(axis=1).var(ddof=1))
    total = (rows - 1) / rows * within + between
    if total == 0:  # the same state in every row of every chain
        return 1.0, float(chains * rows)
    if within == 0:
        return float("inf"), float(chains)
    rho = 1 - (within - _autocovariance(x).mean(axis=0)) / total
    pairs = rho[: rows // 2 * 2].reshape(-1, 2).sum(axis=1)
    ends = np.flatnonzero(pairs <= 0)
    used = np.minimum.accumulate(pairs[: ends[0] if len(ends) else None])
    time = max(2 * float(used.sum()) - 1, 1 / np.log10(max(chains * rows, 11)))
    return float(np.sqrt(total / within)), chains * rows / time


def _autocovariance(x: Floats) -> Floats:
    rows = x.shape[1]
    centred = x - x.mean(axis=1, keepdims=True)
    power = np.abs(np.fft.rfft(centred, 2 * rows, axis=1)) ** 2
    return np.fft.irfft(power, axis=1)[:, :rows] / rows
