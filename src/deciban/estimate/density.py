"""A Gaussian kernel density of weighted points: fast where points are dense, exact where they are sparse.

log f(x) = log Σ_k w_k·φ((x − x_k) / h) − log (h·Σ_k w_k)

The weight of each point is split between the two nearest nodes of a grid (linear binning) with 64 nodes to a bandwidth;
one FFT convolves the grid with φ; and log f is interpolated linearly between nodes. With δ = h/64, the error of both
steps is at most

    |Δ log f| ≤ δ²/8·(2·|f″/f| + 2/h²) ≤ 8·10⁻⁴    where |f″/f| ≤ 12/h².

The grid is not used where f″/f is larger, where f is below 10⁻⁹ of its maximum, or outside the grid: there the sum is
taken over all points but a share of e⁻³⁰, so log f is finite for every x.
"""

from __future__ import annotations

import numpy as np
import scipy

from deciban.ties import first_largest
from deciban.types import AnyArray, Floats, Ints

__all__ = ["KernelDensity"]

_PER_BANDWIDTH = 64
_MOST_NODES = 1 << 16
_REACH = 8
"""Bandwidths beyond which φ is left out of the convolution: it is below 10⁻¹³ there."""
_MARGIN = 4
_STEEPEST = 12.0
_FAINTEST = 1e-9
_FURTHEST = 1e150
_BLOCK = 1 << 20
_LOG_ROOT_2PI = 0.5 * float(np.log(2.0 * np.pi))


class KernelDensity:
    """The density of sorted distinct points with positive weights and kernels of width `bandwidth`."""

    def __init__(self, points: Floats, weights: Floats, bandwidth: float) -> None:
        self.points = points
        self.bandwidth = bandwidth
        self._logs = np.log(weights) - np.log(weights.sum())
        # Points further from x than √(d² + 2·depth·h²), with d that of the nearest, sum to a share of e⁻³⁰ or less.
        self._depth = 30.0 - float(self._logs.min())
        first, last = self._densest(weights)
        self._first = float(points[first])
        self._nodes = self._grid(weights / weights.sum(), first, last)

    @property
    def shares(self) -> Floats:
        """The share of the weight of each point."""
        return np.exp(self._logs)

    def log_density(self, values: Floats) -> Floats:
        """log f of each value, none of them missing."""
        with np.errstate(over="ignore"):
            position = self._position(values)
        inside = (position >= 0) & (position < len(self._nodes) - 1)
        position = np.where(inside, position, 0.0)
        left = position.astype(np.int64)
        low, high = self._nodes[left], self._nodes[left + 1]
        out = low + (high - low) * (position - left)
        rest = np.flatnonzero(~inside | np.isnan(out))
        out[rest] = self.exact_log_density(values[rest])
        return out

    def exact_log_density(self, values: Floats) -> Floats:
        """The same by summing over the points near each value."""
        right = np.minimum(np.searchsorted(self.points, values), len(self.points) - 1)
        left = np.maximum(right - 1, 0)
        nearest = np.minimum(self._distances(values, left), self._distances(values, right))
        return self._sums(values, *self._window(values, nearest))

    def log_density_without(self, values: Floats, own: Ints, left: Floats) -> Floats:
        """The same, where the point `own[i]` has only the share `left[i]` of the weight for the i-th value.

        This is the density without some rows, before it is normalized again.
        """
        before, after = np.maximum(own - 1, 0), np.minimum(own + 1, len(self.points) - 1)
        nearest = np.full(len(values), np.inf)  # of the points that are not the value's own
        for point in (before, after):
            nearest = np.where(point == own, nearest, np.minimum(nearest, self._distances(values, point)))
        first, last = self._window(values, np.where(nearest < np.inf, nearest, self._distances(values, own)))
        return self._sums(values, np.minimum(first, own), np.maximum(last, own + 1), (own, left))

    def _sums(self, values: Floats, first: Ints, last: Ints, changed: tuple[Ints, Floats] | None = None) -> Floats:
        """log f from a range of points for each value, one of them with another share of the weight."""
        out = np.empty(len(values))
        ends = np.cumsum(last - first)
        begin = 0
        while begin < len(values):  # a block of values at a time, to bound memory
            done = ends[begin - 1] if begin else 0
            end = max(begin + 1, int(np.searchsorted(ends, done + _BLOCK, side="right")))
            rows = slice(begin, end)
            of_rows = None if changed is None else (changed[0][rows], changed[1][rows])
            out[rows] = self._sum(values[rows], first[rows], last[rows], of_rows)
            begin = end
        return out - np.log(self.bandwidth) - _LOG_ROOT_2PI

    def _distances(self, values: Floats, points: Ints) -> Floats:
        with np.errstate(over="ignore"):
            return np.abs(self.points[points] - values)

    def _window(self, values: Floats, nearest: Floats) -> tuple[Ints, Ints]:
        """The first point that contributes to each value, and the one after the last."""
        with np.errstate(over="ignore"):
            reach = np.hypot(nearest, np.sqrt(2.0 * self._depth) * self.bandwidth)
            reach = 1e-15 * np.abs(values) + reach * (1.0 + 1e-14)  # rounding must not leave the nearest out
            first = np.searchsorted(self.points, values - reach, side="left")
            last = np.searchsorted(self.points, values + reach, side="right")
        first = np.minimum(first, len(self.points) - 1)
        return first, np.maximum(last, first + 1)

    def _sum(self, values: Floats, first: Ints, last: Ints, changed: tuple[Ints, Floats] | None) -> Floats:
        """log Σ w·exp(−u²/2) over a range of points for each value."""
        sizes = last - first
        starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        points = np.arange(sizes.sum()) - np.repeat(starts - first, sizes)
        with np.errstate(over="ignore"):
            away = np.abs(self.points[points] - np.repeat(values, sizes)) / self.bandwidth
        terms = self._logs[points] - 0.5 * np.minimum(away, _FURTHEST) ** 2
        if changed is not None:
            own, left = changed
            with np.errstate(divide="ignore"):
                terms[starts + own - first] += np.log(left) - self._logs[own]
        largest = np.maximum.reduceat(terms, starts)
        return largest + np.log(np.add.reduceat(np.exp(terms - np.repeat(largest, sizes)), starts))

    def _grid(self, weights: Floats, first: int, last: int) -> Floats:
        """log f at nodes around these points: NaN where it must not be used."""
        held = self.points[first:last]
        position = self._position(held)
        left = position.astype(np.int64)
        share = weights[first:last] * (position - left)
        nodes = int(left[-1]) + 2 + _MARGIN * _PER_BANDWIDTH
        mass: Floats = np.bincount(left, weights[first:last] - share, nodes).astype(np.float64)
        mass += np.bincount(left + 1, share, nodes)
        density = _convolved(mass)
        used = _is_smooth(density)
        if first > 0:  # points left out on this side reach into the grid
            used[: (_MARGIN + _REACH) * _PER_BANDWIDTH] = False
        if last < len(self.points):
            used[-(_MARGIN + _REACH) * _PER_BANDWIDTH :] = False
        logs = np.log(np.where(used, density, 1.0)) - np.log(self.bandwidth) - _LOG_ROOT_2PI
        return np.where(used, logs, np.nan)

    def _position(self, values: Floats) -> Floats:
        """Positions on the grid, in nodes from its start, which is `_MARGIN` bandwidths below its first point."""
        return ((values - self._first) / self.bandwidth + _MARGIN) * _PER_BANDWIDTH

    def _densest(self, weights: Floats) -> tuple[int, int]:
        """The range of points that a grid of bounded size covers: the one that weighs most."""
        longest = (_MOST_NODES / _PER_BANDWIDTH - 2 * _MARGIN) * self.bandwidth
        with np.errstate(over="ignore"):
            last = np.searchsorted(self.points, self.points + longest, side="right")
        sums = np.concatenate([[0.0], np.cumsum(weights)])
        first = first_largest(sums[last] - sums[:-1], scale=float(sums[-1]))
        return first, int(last[first])


def _convolved(mass: Floats) -> Floats:
    """Σ_g mass_g·exp(−u²/2) at every node, by FFT."""
    taps = np.exp(-0.5 * (np.arange(_REACH * _PER_BANDWIDTH + 1) / _PER_BANDWIDTH) ** 2)
    size = scipy.fft.next_fast_len(len(mass) + len(taps), real=True)
    kernel = np.zeros(size)
    kernel[: len(taps)] = taps
    kernel[size - len(taps) + 1 :] = taps[:0:-1]
    return scipy.fft.irfft(scipy.fft.rfft(mass, size) * scipy.fft.rfft(kernel), size)[: len(mass)]


def _is_smooth(density: Floats) -> AnyArray:
    """Where interpolating the logarithm is within the bound."""
    inner = density[1:-1]
    bend = np.abs(density[2:] - 2.0 * inner + density[:-2]) * _PER_BANDWIDTH**2
    out = np.zeros(len(density), dtype=bool)
    out[1:-1] = (bend <= _STEEPEST * inner) & (inner > _FAINTEST * density.max())
    return out
