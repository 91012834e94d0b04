"""Distributions of numbers from 0 up whose one parameter is the mean: Poisson and exponential.

    Poisson      P(x | j) = λ_j^x·e^(−λ_j) / x!        x = 0, 1, 2, …
    Exponential  p(x | j) = e^(−x / λ_j) / λ_j         x ≥ 0

λ_j is the mean of the class, shrunk to the mean of the column as if one more row had been seen there, so it is never 0.

Counts that vary more than a Poisson's are negative binomial: a Poisson whose mean is gamma-distributed.

    P(x | j) = Γ(x + r) / (Γ(r)·x!) · (r / (r + m))^r · (m / (r + m))^x,   r = m² / (v − m)

m and v are the mean and variance of the class (the method of moments), with one more row that has the mean and variance
of the whole column, so that neither is ever 0. Where v ≤ m, the counts vary no more than a Poisson's, and the Poisson
distribution is used.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy

from deciban.errors import InputError
from deciban.estimate.likelihood import ColumnLikelihood, Curve
from deciban.estimate.numeric import MomentsDistribution, across
from deciban.estimate.values import Example
from deciban.storable import storable
from deciban.tallies import Moments, Spread, raise_fault
from deciban.types import AnyArray, Codes, Floats

__all__ = [
    "LARGEST_COUNT",
    "Exponential",
    "ExponentialLikelihood",
    "NegativeBinomial",
    "NegativeBinomialLikelihood",
    "Poisson",
    "PoissonLikelihood",
    "check_counts",
    "draw_counts",
    "shrunk_means",
]


# The smallest mean: its logarithm and 1/λ are finite.
_SMALLEST = 1e-300
# The logarithm of the factorial of a larger number is infinite.
_LARGEST = 2.556348e305


class _MeanDistribution(MomentsDistribution):
    """A distribution whose one parameter is the mean."""

    @abstractmethod
    def estimate(self, parts: Sequence[Moments | Spread]) -> _MeanLikelihood: ...

    def n_parameters(self, parts: Sequence[Moments]) -> int:
        return sum(part.classes * len(part.names) for part in parts)

    def _row_by_row(self, x: Floats, left: Spread) -> Floats:
        likelihood = self.estimate([left])
        return likelihood.log_density(x[:, None], likelihood.means.T)


@storable
@dataclass(frozen=True, kw_only=True)
class Poisson(_MeanDistribution):
    """A column of counts: 0, 1, 2 and so on, with a Poisson distribution within each class.

    Parameters
    ----------
    missing : {"skip", "error", "state"}, optional
        What a missing value is: no evidence, an error, or evidence of its own. The model's setting when None.

    See Also
    --------
    NegativeBinomial : For counts whose variance is above their mean.

    Examples
    --------
    >>> from deciban import NaiveBayes
    >>> model = NaiveBayes({"visits": Poisson()}).fit(
    ...     {"visits": [0, 1, 7, 9]}, ["new", "new", "old", "old"]
    ... )
    >>> model.predict({"visits": [5]}).tolist()
    ['old']
    """

    def check_numbers(self, name: str, values: Floats) -> None:
        check_counts(self, name, values)

    def estimate(self, parts: Sequence[Moments | Spread]) -> PoissonLikelihood:
        return PoissonLikelihood(shrunk_means(parts))

    def examples(self, part: Moments) -> list[Example]:
        return _from_zero(across(part, least_step=1.0))


@storable
@dataclass(frozen=True, kw_only=True)
class Exponential(_MeanDistribution):
    """A column of waiting times, or of other sizes from 0 up, with an exponential distribution within each class.

    Parameters
    ----------
    missing : {"skip", "error", "state"}, optional
        What a missing value is: no evidence, an error, or evidence of its own. The model's setting when None.

    Examples
    --------
    >>> from deciban import NaiveBayes
    >>> model = NaiveBayes({"wait": Exponential()}).fit(
    ...     {"wait": [0.1, 0.3, 4.0, 9.0]}, ["bus", "bus", "tram", "tram"]
    ... )
    >>> model.predict({"wait": [3.0]}).tolist()
    ['tram']
    """

    def check_numbers(self, name: str, values: Floats) -> None:
        check_not_negative(self, name, values)

    def estimate(self, parts: Sequence[Moments | Spread]) -> ExponentialLikelihood:
        return ExponentialLikelihood(shrunk_means(parts))

    def examples(self, part: Moments) -> list[Example]:
        return _from_zero(across(part))


class _MeanLikelihood(ColumnLikelihood):
    def __init__(self, means: Floats) -> None:
        self.means = means

    @property
    def classes(self) -> int:
        return len(self.means)

    def column(self, i: int, values: Floats) -> Floats:
        possible = self.is_possible(values)
        density = self.log_density(np.where(possible, values, 0.0)[:, None], self.means[:, i])
        return np.where(possible[:, None], density, -np.inf)

    def is_possible(self, values: Floats) -> AnyArray:
        return np.asarray(values >= 0)

    @abstractmethod
    def log_density(self, values: Floats, means: Floats) -> Floats: ...


class PoissonLikelihood(_MeanLikelihood):
    """Means of several columns of counts."""

    def is_possible(self, values: Floats) -> AnyArray:
        return np.asarray((values >= 0) & (values == np.floor(values)))

    def draw(self, i: int, y: Codes, rng: np.random.Generator) -> Floats:
        return draw_counts(self.means[y, i], rng)

    def log_density(self, values: Floats, means: Floats) -> Floats:
        return values * np.log(means) - means - scipy.special.gammaln(values + 1.0)

    def formula(self, i: int) -> Curve:
        means = self.means[:, i]
        nothing = np.zeros_like(means)
        return Curve(-means, nothing, slope=np.log(means), lowest=0.0, highest=_LARGEST, is_whole=True)


class ExponentialLikelihood(_MeanLikelihood):
    """Means of several columns of waiting times."""

    def draw(self, i: int, y: Codes, rng: np.random.Generator) -> Floats:
        return self.means[y, i] * rng.standard_exponential(len(y))

    def log_density(self, values: Floats, means: Floats) -> Floats:
        return -np.log(means) - values / means

    def formula(self, i: int) -> Curve:
        means = self.means[:, i]
        return Curve(-np.log(means), np.zeros_like(means), slope=-1.0 / means, lowest=0.0)


def shrunk_means(parts: Sequence[Moments | Spread]) -> Floats:
    """Class × column means, each with one more row that has the mean of the column; 1 for a column of zeros."""
    moments = Spread.side_by_side(parts)
    overall = moments.pooled().mean
    means = (moments.mean * moments.weight + overall) / (moments.weight + 1.0)
    # A column of zeros has the same mean in all classes, so that it is no evidence.
    return np.where(overall > 0, np.maximum(means, _SMALLEST), 1.0)


def check_counts(kind: MomentsDistribution, name: str, values: Floats) -> None:
    """Refuse numbers that are negative or not whole."""
    check_not_negative(kind, name, values)
    known = values[~np.isnan(values)]
    if np.any(known != np.floor(known)):
        raise InputError(
            f"column {name!r} is {type(kind).__name__}, but holds numbers that are not whole. Use Gaussian()."
        )


def check_not_negative(kind: MomentsDistribution, name: str, values: Floats) -> None:
    """Refuse negative numbers."""
    if len(values) and np.nanmin(values, initial=0.0) < 0:
        raise_fault(("negative", int(np.nanargmin(values)), 0), type(kind).__name__, (name,))


def _from_zero(examples: list[Example]) -> list[Example]:
    """Those that may occur: none is negative."""
    return [example for example in examples if example.value >= 0]


# The variance of huge counts makes r underflow; log r must be finite.
_LEAST_SIZE = 1e-100
# From here on the first term that the series leaves out, 1/(1260·r⁵), is below 10⁻¹³.
_STIRLING = 100.0
# The logarithm of the factorial of a larger number is out of range.
LARGEST_COUNT = 1e300


@storable
@dataclass(frozen=True, kw_only=True)
class NegativeBinomial(MomentsDistribution):
    """A column of counts, 0, 1, 2 and so on, whose variance may be above its mean.

    Parameters
    ----------
    missing : {"skip", "error", "state"}, optional
        What a missing value is: no evidence, an error, or evidence of its own. The model's setting when None.

    See Also
    --------
    Poisson : For counts whose variance is their mean.

    Examples
    --------
    >>> from deciban import NaiveBayes
    >>> table = {"visits": [0, 0, 1, 2, 20, 60]}
    >>> model = NaiveBayes({"visits": NegativeBinomial()}).fit(
    ...     table, ["new", "new", "new", "old", "old", "old"]
    ... )
    >>> model.predict({"visits": [0, 30]}).tolist()
    ['new', 'old']
    """

    def check_numbers(self, name: str, values: Floats) -> None:
        check_counts(self, name, values)

    def estimate(self, parts: Sequence[Moments | Spread]) -> NegativeBinomialLikelihood:
        with np.errstate(over="ignore"):
            poisson = PoissonLikelihood(np.minimum(shrunk_means(parts), LARGEST_COUNT))
        return NegativeBinomialLikelihood(poisson, _sizes(Spread.side_by_side(parts), poisson.means))

    def n_parameters(self, parts: Sequence[Moments]) -> int:
        return sum(2 * part.classes * len(part.names) for part in parts)

    def _row_by_row(self, x: Floats, left: Spread) -> Floats:
        likelihood = self.estimate([left])
        x, means, sizes = np.minimum(x, LARGEST_COUNT)[:, None], likelihood.means.T, likelihood.sizes.T
        out = PoissonLikelihood(likelihood.means).log_density(x, means)
        wide = np.isfinite(sizes)
        out[wide] = _log_probability(np.broadcast_to(x, out.shape)[wide], means[wide], sizes[wide])
        return out

    def examples(self, part: Moments) -> list[Example]:
        return Poisson().examples(part)


class NegativeBinomialLikelihood(ColumnLikelihood):
    """Means m and sizes r of several columns; where r is infinite, the column is Poisson in that class."""

    def __init__(self, poisson: PoissonLikelihood, sizes: Floats) -> None:
        self.means, self.sizes = poisson.means, sizes
        self._poisson = poisson

    @property
    def classes(self) -> int:
        return len(self.means)

    def formula(self, i: int) -> Curve:
        poisson, mean, size = self._poisson.formula(i), self.means[:, i], self.sizes[:, i]
        wide = np.isfinite(size)
        logs = np.log(np.where(wide, size, 1.0))
        both = np.logaddexp(logs, np.log(mean))
        constant = np.where(wide, np.where(wide, size, 0.0) * (logs - both), poisson.constant)
        slope = np.log(mean) - np.where(wide, both, 0.0)
        return replace(poisson, constant=constant, slope=slope, size=size, highest=np.inf)

    def draw(self, i: int, y: Codes, rng: np.random.Generator) -> Floats:
        """Poisson numbers, whose means are gamma-distributed with shape r and mean m."""
        means, sizes = self.means[y, i], self.sizes[y, i]
        wide = np.isfinite(sizes)
        drawn = means.copy()
        drawn[wide] *= rng.standard_gamma(sizes[wide]) / sizes[wide]
        return draw_counts(drawn, rng)

    def column(self, i: int, values: Floats) -> Floats:
        # Counts repeat, and gamma functions are slow.
        distinct, indices = np.unique(np.minimum(values, LARGEST_COUNT), return_inverse=True)
        out = self._poisson.column(i, distinct)
        wide = np.isfinite(self.sizes[:, i])
        possible = np.isfinite(out).all(axis=1)
        x, mean, size = distinct[possible, None], self.means[wide, i], self.sizes[wide, i]
        out[np.ix_(possible, wide)] = _log_probability(x, mean, size)
        return out[indices]


def _sizes(moments: Spread, means: Floats) -> Floats:
    """r of each class and column; infinite where the variance is not above the mean."""
    weight, pooled = np.broadcast_to(moments.weight, moments.mean.shape), moments.pooled()
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        variance = pooled.deviation / np.maximum(pooled.weight, 1e-300)
        between = (moments.mean - pooled.mean) ** 2 * (weight / (weight + 1.0))
        variance = (moments.deviation + variance + np.where(weight > 0, between, 0.0)) / (weight + 1.0)
        sizes = means / (variance / means - 1.0)
    # False for NaN, after an overflow: the column is Poisson there.
    known = (pooled.mean > 0) & (variance > means)
    return np.where(known, np.maximum(sizes, _LEAST_SIZE), np.inf)


def _log_probability(x: Floats, mean: Floats, size: Floats) -> Floats:
    both = np.logaddexp(np.log(size), np.log(mean))  # log (r + m)
    rising = _log_rising(x, size)
    return rising - scipy.special.gammaln(x + 1.0) + size * (np.log(size) - both) + x * (np.log(mean) - both)


def _log_rising(x: Floats, size: Floats) -> Floats:
    """log Γ(x + r) − log Γ(r); by Stirling's series where r is large, so that nothing cancels."""
    # Both are computed for all and clipped to where they hold, as `np.where` evaluates both sides.
    large = np.maximum(size, _STIRLING)
    series = (large - 0.5) * np.log1p(x / large) + x * (np.log(x + large) - 1.0)
    series += (1.0 / (x + large) - 1.0 / large) / 12.0 - ((x + large) ** -3.0 - large**-3.0) / 360.0
    small = np.minimum(size, _STIRLING)
    return np.where(size > _STIRLING, series, scipy.special.gammaln(x + small) - scipy.special.gammaln(small))


# The largest mean of a Poisson number that numpy draws; beyond it, the normal distribution is as good.
_LARGEST_MEAN = 1e15


def draw_counts(means: Floats, rng: np.random.Generator) -> Floats:
    """Poisson numbers with these means."""
    counts = rng.poisson(np.minimum(means, _LARGEST_MEAN)).astype(np.float64)
    large = means > _LARGEST_MEAN
    counts[large] = np.floor(means[large] + np.sqrt(means[large]) * rng.standard_normal(int(large.sum())))
    return counts
