"""Distributions of counts and waiting times whose one parameter is the mean: Poisson and exponential.

    Poisson      P(x | j) = λ_j^x·e^(−λ_j) / x!        x = 0, 1, 2, …
    Exponential  p(x | j) = e^(−x / λ_j) / λ_j         x ≥ 0

λ_j is the class's mean, drawn to the column's mean as if one more row had been seen there, so that it is never 0.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import gammaln

from deciban.errors import InputError
from deciban.estimate.distributions.base import ColumnLikelihood, Distribution, numbers_of
from deciban.estimate.distributions.examples import Example, across
from deciban.estimate.live.base import LiveColumn, Setting
from deciban.estimate.live.moments import LiveMoments
from deciban.read import Column, Matrix
from deciban.tallies import Moments, Sample, Spread, gather_moments, moments_without_each, raise_fault
from deciban.types import Codes, Floats

__all__ = ["Exponential", "Poisson"]

_SMALLEST = 1e-300


@dataclass(frozen=True, kw_only=True)
class _MeanOnly(Distribution):
    _least_step: ClassVar[float] = 0.0

    def count(self, column: Column, sample: Sample, owner: str) -> Moments:
        self.check(column, owner)
        values = numbers_of(column)
        if len(values) and np.nanmin(values, initial=0.0) < 0:
            raise_fault(("negative", int(np.nanargmin(values)), 0), owner, (column.name,))
        self._refuse(column.name, values)
        return gather_moments(Matrix(values[:, None], (column.name,)), sample, owner, missing_allowed=True)

    def leave_one_out(self, parts: Sequence[Moments], columns: Sequence[Column], y: Codes, weights: Floats) -> Floats:
        """Exact, from each class's moments without the row."""
        out = np.zeros((len(y), len(columns), len(parts[0].mean)))
        for i, (part, column) in enumerate(zip(parts, columns, strict=True)):
            values = numbers_of(column)
            known = ~np.isnan(values)
            x = values[known]
            left = moments_without_each(part, x, y[known], weights[known])
            out[known, i] = self._row_by_row(x[:, None], left)
        return out

    def examples(self, part: Moments) -> list[Example]:
        """Numbers that may occur: none is negative."""
        return [example for example in across(part, self._least_step) if example.value >= 0]

    @abstractmethod
    def _row_by_row(self, x: Floats, left: Spread) -> Floats:
        """log P of each of the values, a column, by its own column of class × value moments: values × classes."""

    def live(self, part: Moments, setting: Setting) -> LiveColumn:
        return LiveMoments(self, part, setting, self._checked)

    def _checked(self, number: float, name: str) -> float:
        if number < 0:
            raise_fault(("negative", 0, 0), type(self).__name__, (name,))
        self._refuse(name, np.array([number]))
        return number

    def _refuse(self, name: str, values: Floats) -> None:
        """Refuse numbers that the distribution cannot have made."""


@dataclass(frozen=True, kw_only=True)
class Poisson(_MeanOnly):
    """A column of counts: 0, 1, 2 and so on."""

    _least_step: ClassVar[float] = 1.0

    def estimate(self, parts: Sequence[Moments | Spread]) -> PoissonLikelihood:
        return PoissonLikelihood(_means(parts))

    def _row_by_row(self, x: Floats, left: Spread) -> Floats:
        likelihood = Poisson.estimate(self, [left])
        return likelihood.log_density(x, likelihood.means.T)

    def _refuse(self, name: str, values: Floats) -> None:
        known = values[~np.isnan(values)]
        if np.any(known != np.floor(known)):
            raise InputError(f"column {name!r} is Poisson, but holds numbers that are not whole. Use Gaussian().")


@dataclass(frozen=True, kw_only=True)
class Exponential(_MeanOnly):
    """A column of waiting times, or of other sizes from 0 up."""

    def estimate(self, parts: Sequence[Moments | Spread]) -> ExponentialLikelihood:
        return ExponentialLikelihood(_means(parts))

    def _row_by_row(self, x: Floats, left: Spread) -> Floats:
        likelihood = self.estimate([left])
        return likelihood.log_density(x, likelihood.means.T)


class _MeanLikelihood(ColumnLikelihood):
    def __init__(self, means: Floats) -> None:
        self.means = means

    @property
    def classes(self) -> int:
        return len(self.means)

    def column(self, i: int, values: Floats) -> Floats:
        possible = (values >= 0) & self.is_possible(values)
        density = self.log_density(np.where(possible, values, 0.0)[:, None], self.means[:, i])
        return np.where(possible[:, None], density, -np.inf)

    def is_possible(self, values: Floats) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
        return values >= 0

    @abstractmethod
    def log_density(self, values: Floats, means: Floats) -> Floats: ...


class PoissonLikelihood(_MeanLikelihood):
    """Means of several columns of counts."""

    def is_possible(self, values: Floats) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
        return values == np.floor(values)

    def log_density(self, values: Floats, means: Floats) -> Floats:
        return values * np.log(means) - means - gammaln(values + 1.0)


class ExponentialLikelihood(_MeanLikelihood):
    """Means of several columns of waiting times."""

    def log_density(self, values: Floats, means: Floats) -> Floats:
        return -np.log(means) - values / means


def _means(parts: Sequence[Moments | Spread]) -> Floats:
    moments = Spread.side_by_side(parts)
    overall = moments.pooled().mean
    means = (moments.mean * moments.weight + overall) / (moments.weight + 1.0)
    return np.where(overall > 0, np.maximum(means, _SMALLEST), 1.0)  # a column of zeros says nothing
