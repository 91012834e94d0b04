"""Distributions of numbers from 0 up whose one parameter is the mean: Poisson and exponential.

    Poisson      P(x | j) = λ_j^x·e^(−λ_j) / x!        x = 0, 1, 2, …
    Exponential  p(x | j) = e^(−x / λ_j) / λ_j         x ≥ 0

λ_j is the mean of the class, shrunk to the mean of the column as if one more row had been seen there, so it is never 0.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from deciban.errors import InputError
from deciban.estimate.columns.drawing import draw_counts
from deciban.estimate.columns.examples import Example, across
from deciban.estimate.columns.formulas import Curve
from deciban.estimate.columns.likelihood import ColumnLikelihood
from deciban.estimate.columns.numeric import MomentsDistribution
from deciban.storable import storable
from deciban.tallies import Moments, Spread, raise_fault
from deciban.types import AnyArray, Codes, Floats

__all__ = ["Exponential", "ExponentialLikelihood", "Poisson", "PoissonLikelihood", "check_counts", "shrunk_means"]

_SMALLEST = 1e-300
_LARGEST = 2.556348e305
"""The logarithm of the factorial of a larger number is infinite."""


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
    return np.where(overall > 0, np.maximum(means, _SMALLEST), 1.0)  # a column of zeros is no evidence


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
