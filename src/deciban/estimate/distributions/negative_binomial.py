"""Counts that vary more than a Poisson's: the negative binomial, a Poisson whose mean is gamma-distributed.

    P(x | j) = Γ(x + r) / (Γ(r)·x!) · (r / (r + m))^r · (m / (r + m))^x,   r = m² / (v − m)

m and v are the mean and variance of the class (the method of moments), with one more row that has the mean and variance
of the whole column, so that neither is ever 0. Where v ≤ m, the counts vary no more than a Poisson's, and the Poisson
distribution is used.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy

from deciban.estimate.columns.drawing import draw_counts
from deciban.estimate.columns.examples import Example
from deciban.estimate.columns.formulas import Curve
from deciban.estimate.columns.likelihood import ColumnLikelihood
from deciban.estimate.columns.numeric import MomentsDistribution
from deciban.estimate.distributions.mean_only import Poisson, PoissonLikelihood, check_counts, shrunk_means
from deciban.storable import storable
from deciban.tallies import Moments, Spread
from deciban.types import Codes, Floats

__all__ = ["LARGEST_COUNT", "NegativeBinomial", "NegativeBinomialLikelihood"]

_LEAST_SIZE = 1e-100
_STIRLING = 100.0
LARGEST_COUNT = 1e300
"""The logarithm of the factorial of a larger number is out of range."""


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
        distinct, indices = np.unique(np.minimum(values, LARGEST_COUNT), return_inverse=True)  # counts repeat
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
    known = (pooled.mean > 0) & (variance > means)  # False for NaN, after an overflow
    return np.where(known, np.maximum(sizes, _LEAST_SIZE), np.inf)


def _log_probability(x: Floats, mean: Floats, size: Floats) -> Floats:
    both = np.logaddexp(np.log(size), np.log(mean))  # log (r + m)
    rising = _log_rising(x, size)
    return rising - scipy.special.gammaln(x + 1.0) + size * (np.log(size) - both) + x * (np.log(mean) - both)


def _log_rising(x: Floats, size: Floats) -> Floats:
    """log Γ(x + r) − log Γ(r); by Stirling's series where r is large, so that nothing cancels."""
    large = np.maximum(size, _STIRLING)
    series = (large - 0.5) * np.log1p(x / large) + x * (np.log(x + large) - 1.0)
    series += (1.0 / (x + large) - 1.0 / large) / 12.0 - ((x + large) ** -3.0 - large**-3.0) / 360.0
    small = np.minimum(size, _STIRLING)
    return np.where(size > _STIRLING, series, scipy.special.gammaln(x + small) - scipy.special.gammaln(small))
