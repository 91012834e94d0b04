"""A column of any shape: a Gaussian kernel density within each class, as klaR's ``usekernel=TRUE``.

    log f(x) = log Σ_k w_k·φ((x − x_k) / h) − log (h·Σ_k w_k)

It is fast where points are dense, and exact where they are sparse. The weight of each point is split between the two
nearest nodes of a grid (linear binning) with 64 nodes to a bandwidth; one FFT convolves the grid with φ; and log f is
interpolated linearly between nodes. With δ = h/64, the error of both steps is at most

    |Δ log f| ≤ δ²/8·(2·|f″/f| + 2/h²) ≤ 8·10⁻⁴    where |f″/f| ≤ 12/h².

The grid is not used where f″/f is larger, where f is below 10⁻⁹ of its maximum, or outside the grid: there the sum is
taken over all points but a share of e⁻³⁰, so log f is finite for every x.

The bandwidth is a number, or follows from the data:

    nrd0  h = 0.9·min(s, IQR / 1.34)·n^(−1/5)                           Silverman (1986), as R's bw.nrd0
    SJ    h = (1 / (2√π·n·S(α(h))))^(1/5),  α(h) = 1.357·(S(a) / T(b))^(1/7)·h^(5/7)
                                                                        Sheather and Jones (1991), as R's bw.SJ

S and T estimate ∫f″² and ∫f‴² from the distances of all pairs, which are counted in 1000 bins. The weight of a value is
the number of rows that have it; quartiles are R's (type 7).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Self

import numpy as np
import scipy

from deciban.errors import ParameterError
from deciban.estimate.column import Margins
from deciban.estimate.drawing import cumulative_ends
from deciban.estimate.likelihood import ColumnLikelihood
from deciban.estimate.numeric import SketchDistribution
from deciban.estimate.values import numbers_of
from deciban.read import Column
from deciban.storable import storable
from deciban.tallies import Sketch, weight_left
from deciban.ties import first_largest
from deciban.types import AnyArray, Codes, Floats, Ints

__all__ = ["Kernel", "KernelDensity", "KernelLikelihood", "nrd0", "sheather_jones"]


# The density is known to 10⁻³: a smaller rest, after a row's own kernel is taken off, may be nothing but error.
_RESOLUTION = 1e-3
# Below the smallest density that has a finite logarithm there is nothing to compare.
_FAINTEST = 1e-300


@storable
@dataclass(frozen=True, kw_only=True)
class Kernel(SketchDistribution):
    """A numeric column of any shape: a Gaussian kernel density within each class.

    Parameters
    ----------
    missing : {"skip", "error", "state"}, optional
        What a missing value is: no evidence, an error, or evidence of its own. The model's setting when None.
    bandwidth : "nrd0", "SJ" or float
        The standard deviation of the kernels: Silverman's rule, Sheather and Jones's, or a number.

    Notes
    -----
    A class in which all values are equal has the bandwidth of the whole column, a class without values its density. Up
    to 4096 distinct values are kept exactly, more of them in buckets (see `Sketch`); the kernels are then at least as
    wide as the buckets are on average. log p is within 10⁻³ of the direct sum over what is kept.

    Leaving a row out removes its own kernel from the sum and keeps the bandwidths: the usual leave-one-out density
    (Silverman, 1986, 3.4.4). Solving "SJ" again for each row would take too long. With a bandwidth that is a number,
    the result is that of a refit.

    Examples
    --------
    >>> from deciban import NaiveBayes
    >>> table = {"hour": [1.0, 2.0, 22.0, 23.0, 11.0, 12.0, 13.0]}
    >>> model = NaiveBayes({"hour": Kernel(bandwidth=1.0)}).fit(
    ...     table, ["night"] * 4 + ["day"] * 3
    ... )
    >>> model.predict({"hour": [0.5, 10.0, 23.5]}).tolist()
    ['night', 'day', 'night']
    """

    bandwidth: Literal["nrd0", "SJ"] | float = "nrd0"

    def __post_init__(self) -> None:
        super().__post_init__()
        is_rule = isinstance(self.bandwidth, str) and self.bandwidth in ("nrd0", "SJ")
        if not is_rule and (isinstance(self.bandwidth, str) or not 0 < self.bandwidth < np.inf):
            raise ParameterError(f"bandwidth is 'nrd0', 'SJ' or a number above 0, not {self.bandwidth!r}.")

    @classmethod
    def of_part(cls, part: object) -> Self | None:
        return cls() if isinstance(part, Sketch) else None

    def estimate(self, parts: Sequence[Sketch]) -> KernelLikelihood:
        return KernelLikelihood([self._densities(part) for part in parts], len(parts[0].table))

    def n_parameters(self, parts: Sequence[Sketch]) -> int:
        raise ParameterError(
            f"column {parts[0].names[0]!r} is Kernel(), a density that grows with the rows: it has no fixed number of "
            "parameters. Use Gaussian() or Binned()."
        )

    def without_own(self, part: Sketch, x: Floats, y: Codes, sample_weight: Floats) -> Floats:
        """By the direct sum over what is kept, given the bandwidths (see Notes).

        A class without other rows has the density of the whole column, which is without the row, too.
        """
        if part.is_empty:
            return np.zeros((len(x), part.classes))
        table = part.table.astype(np.float64)
        points = part.bucketed(x)
        column = self._density(part, table.sum(axis=0)), table.sum(axis=0)
        out = np.empty((len(x), len(table)))
        for j, of_class in enumerate(table):
            own = np.where(y == j, sample_weight, 0.0)
            others = weight_left(of_class.sum(), own) > 0
            if others.any():
                density = self._density(part, of_class, column[0])
                out[others, j] = _without(density, of_class, x[others], points[others], own[others])
            out[~others, j] = _without(*column, x[~others], points[~others], sample_weight[~others])
        return out

    def add_margins(
        self,
        likelihood: KernelLikelihood,
        parts: Sequence[Sketch],
        columns: Sequence[Column],
        margins: Margins,
        at: Sequence[int],
    ) -> None:
        """From the density with the row, less its own kernel; at least 1/1000 remains, which is how exact it is."""
        for i, (index, part, column) in enumerate(zip(at, parts, columns, strict=True)):
            values, logs = numbers_of(column), np.zeros((len(margins), part.classes))
            rows = np.flatnonzero(~np.isnan(values))
            if not part.is_empty:
                logs[rows] = likelihood.column(i, values[rows])
                widths = np.array([density.bandwidth for density in likelihood.densities[i]])
                y, own = margins.y[rows], margins.own[rows] / part.table.sum(axis=1)[margins.y[rows]]
                kernels = own / (widths[y] * np.sqrt(2.0 * np.pi))
                density = np.exp(logs[rows, y])
                left = np.maximum(density - kernels, _RESOLUTION * density) / np.maximum(1.0 - own, _RESOLUTION)
                logs[rows, y] = np.where(own < 1.0, np.log(np.maximum(left, _FAINTEST)), logs[rows, y])
            margins.add_logs(index, logs)

    def _densities(self, part: Sketch) -> list[KernelDensity]:
        """The density of each class; none when nothing is known."""
        if part.is_empty:
            return []
        table = part.table.astype(np.float64)
        whole = self._density(part, table.sum(axis=0))
        return [self._density(part, row, whole) if row.any() else whole for row in table]

    def _density(self, part: Sketch, weights: Floats, whole: KernelDensity | None = None) -> KernelDensity:
        used = weights > 0
        points, weights = part.values[used], weights[used]
        # One value has no spread to take a bandwidth from.
        if whole is not None and len(points) == 1:
            return KernelDensity(points, weights, whole.bandwidth)
        h = self._bandwidth(points, weights)
        if not part.is_exact and isinstance(self.bandwidth, str):
            bucket = float(np.average(part.widths[used], weights=weights))
            # The sum of kernels 1.7 of their widths apart is flat to 0.2 %: narrower ones would show the buckets.
            h = max(h, 0.6 * bucket)
        return KernelDensity(points, weights, h)

    def _bandwidth(self, points: Floats, weights: Floats) -> float:
        if isinstance(self.bandwidth, str):
            return nrd0(points, weights) if self.bandwidth == "nrd0" else sheather_jones(points, weights)
        return float(self.bandwidth)


class KernelLikelihood(ColumnLikelihood):
    """For each column the densities of its classes."""

    def __init__(self, densities: list[list[KernelDensity]], classes: int) -> None:
        self.densities = densities
        self._classes = classes

    @property
    def classes(self) -> int:
        return self._classes

    def draw(self, i: int, y: Codes, rng: np.random.Generator) -> Floats:
        """A point by its weight, and a step from it that is normal with the bandwidth as standard deviation."""
        if not self.densities[i]:
            return np.full(len(y), np.nan)
        uniform, steps, out = rng.random(len(y)), rng.standard_normal(len(y)), np.empty(len(y))
        for j, density in enumerate(self.densities[i]):
            rows = np.flatnonzero(y == j)
            points = density.points[np.searchsorted(cumulative_ends(density.shares), uniform[rows], side="right")]
            out[rows] = points + density.bandwidth * steps[rows]
        return out

    def column(self, i: int, values: Floats) -> Floats:
        if not self.densities[i]:
            return np.zeros((len(values), self._classes))
        return np.stack([density.log_density(values) for density in self.densities[i]], axis=1)


def _without(density: KernelDensity, weights: Floats, x: Floats, points: Floats, own: Floats) -> Floats:
    """log p of each x without the weight `own` of its point; 0 where no weight remains."""
    weights = weights[weights > 0]
    whole = weights.sum()
    left = weight_left(whole, own)
    out = np.zeros(len(x))
    others = own == 0
    out[others] = density.exact_log_density(x[others])
    taken = ~others & (left > 0)
    indices = np.minimum(np.searchsorted(density.points, points[taken]), len(weights) - 1)
    share = weight_left(weights[indices], own[taken]) / whole
    out[taken] = density.log_density_without(x[taken], indices, share) - np.log(left[taken] / whole)
    return out


# The bound on the error in the module's docstring holds for these three.
_PER_BANDWIDTH, _STEEPEST, _FAINTEST_SHARE = 64, 12.0, 1e-9
# A column with far outliers would need a huge grid: it covers the densest range of points that fits.
_MOST_NODES = 1 << 16
# Bandwidths beyond which φ is left out of the convolution: it is below 10⁻¹³ there.
_REACH = 8
# Bandwidths of grid beyond the first and the last point.
_MARGIN = 4
# Distances in bandwidths are cut at this one, whose square does not overflow.
_FURTHEST = 1e150
# Terms of exact sums that are in memory at once: 8 MB for each table of them.
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
        # A node that must not be used is NaN, and so is what is interpolated from it.
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
        while begin < len(values):
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
            # A little further, as rounding must not leave the nearest point out.
            reach = 1e-15 * np.abs(values) + reach * (1.0 + 1e-14)
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
        # Log-sum-exp of each range: far from all points every term alone would underflow.
        largest = np.maximum.reduceat(terms, starts)
        return largest + np.log(np.add.reduceat(np.exp(terms - np.repeat(largest, sizes)), starts))

    def _grid(self, weights: Floats, first: int, last: int) -> Floats:
        """log f at nodes around these points: NaN where it must not be used."""
        position = self._position(self.points[first:last])
        left = position.astype(np.int64)
        share = weights[first:last] * (position - left)
        nodes = int(left[-1]) + 2 + _MARGIN * _PER_BANDWIDTH
        mass: Floats = np.bincount(left, weights[first:last] - share, nodes).astype(np.float64)
        mass += np.bincount(left + 1, share, nodes)
        density = _convolved(mass)
        used = _is_smooth(density)
        # Points that are left out on a side reach into the grid there.
        if first > 0:
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
    # Padded by the reach of φ, as the convolution of an FFT is circular.
    size = scipy.fft.next_fast_len(len(mass) + len(taps), real=True)
    kernel = np.zeros(size)
    kernel[: len(taps)] = taps
    kernel[size - len(taps) + 1 :] = taps[:0:-1]
    return scipy.fft.irfft(scipy.fft.rfft(mass, size) * scipy.fft.rfft(kernel), size)[: len(mass)]


def _is_smooth(density: Floats) -> AnyArray:
    """Where interpolating the logarithm is within the bound."""
    inner = density[1:-1]
    # f″ by the second difference of neighbouring nodes, in units of 1/h².
    bend = np.abs(density[2:] - 2.0 * inner + density[:-2]) * _PER_BANDWIDTH**2
    out = np.zeros(len(density), dtype=bool)
    out[1:-1] = (bend <= _STEEPEST * inner) & (inner > _FAINTEST_SHARE * density.max())
    return out


# As R's bw.SJ, whose results these are to be: its `nb`, and the distance in bandwidths beyond which a pair adds 0.
_BINS, _FAR = 1000, 32.0
# h and 1/h are finite numbers.
_LEAST, _MOST = 1e-300, 1e300


def nrd0(values: Floats, weights: Floats) -> float:
    """Silverman's rule of thumb for sorted values; where they are all equal, as in R: |x_1|, or 1 when that is 0.

    >>> round(nrd0(np.array([1.0, 2.0, 4.0, 7.0]), np.ones(4)), 6)
    1.527028
    """
    unit = _unit(values)
    deviation, quartiles = _spread(values / unit, weights)
    narrow = min(deviation, quartiles / 1.34) or deviation or abs(float(values[0]) / unit) or 1.0 / unit
    # Weights may sum to less than one row, which would widen the bandwidth.
    return float(np.clip(0.9 * narrow * max(float(weights.sum()), 1.0) ** -0.2 * unit, _LEAST, _MOST))


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
    # Sheather and Jones (1991): the pilot bandwidth as a function of h, so that h solves an equation.
    alpha = 1.357 * (second / third) ** (1 / 7)

    def excess(h: float) -> float:
        curvature = _functional(distances, pairs, n, alpha * h ** (5 / 7), order=4)
        return (1 / (2 * np.sqrt(np.pi) * n * curvature)) ** 0.2 - h if curvature > 0 else np.inf

    h = _root(excess, 1.144 * n**-0.2)
    return nrd0(values, weights) if h is None else float(np.clip(h * scale * unit, _LEAST, _MOST))


def _unit(values: Floats) -> float:
    """A unit in which squares neither overflow nor underflow."""
    return float(np.abs(values).max()) or 1.0


def _spread(values: Floats, weights: Floats) -> tuple[float, float]:
    """Standard deviation and interquartile range."""
    n = float(weights.sum())
    mean = float(weights @ values) / n
    # From two rows on the divisor is n − 1; weights may sum to less than one row.
    variance = float(weights @ (values - mean) ** 2) / max(n - 1.0, n / 2.0)
    if len(values) == 1:
        return 0.0, 0.0
    first, third = _quantiles(values, weights, np.array([0.25, 0.75]))
    return float(np.sqrt(variance)), float(third - first)


def _quantiles(values: Floats, weights: Floats, shares: Floats) -> Floats:
    """R's type 7, where each value is repeated as many times as its weight."""
    ends = np.cumsum(weights)
    starts = ends - weights
    positions = np.stack([starts, np.maximum(ends - 1.0, starts)], axis=1).ravel()
    return np.interp(np.maximum((ends[-1] - 1.0) * shares, 0.0), positions, np.repeat(values, 2))


def _pairs(values: Floats, weights: Floats, scale: float) -> tuple[Floats, Floats]:
    """Distances in units of `scale`, and how many pairs of rows are that far apart."""
    width = (values[-1] - values[0]) * 1.01 / _BINS
    rows: Floats = np.bincount(((values - values[0]) / width).astype(np.int64), weights, _BINS).astype(np.float64)
    pairs = np.correlate(rows, rows, "full")[_BINS - 1 :]
    # Within a bin each pair occurs once, and no row with itself.
    pairs[0] = float((rows * np.maximum(rows - 1.0, 0.0)).sum()) / 2.0
    with np.errstate(over="ignore"):
        return np.arange(_BINS) * width / scale, pairs


def _functional(distances: Floats, pairs: Floats, n: float, h: float, *, order: int) -> float:
    """Σ over all pairs, rows with themselves included, of the derivative of this order of the normal density."""
    with np.errstate(over="ignore"):  # a distance beyond the largest float is far
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
