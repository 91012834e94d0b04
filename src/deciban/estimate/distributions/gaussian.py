"""A column that is normal within each class, with variances tied or not (Zhu, item 11).

=========  =============================================================  ===================
tie        variance                                                       shared by
=========  =============================================================  ===================
"none"     σ²_ji = (M_ji + k·W_i) / (n_ji + k),  W_i = Σ_j M_ji / Σ_j n_ji  nothing
"class"    σ²_i = W_i                                                     the classes
"feature"  σ²_j = Σ_i M_ji / Σ_i n_ji                                     the columns
"both"     σ² = Σ M / Σ n                                                 classes and columns
=========  =============================================================  ===================

M are sums of squared deviations from the class's mean. Untied variances are drawn to the column's own variance within
classes as if k more rows had been seen there: the posterior of a scaled inverse-χ² prior. The rule has no unit: it
gives the same posteriors whatever a column is measured in, and a class in which a column happens to be constant is not
certain of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from deciban.errors import ParameterError
from deciban.estimate.distributions.base import (
    Distribution,
    Likelihood,
    OneValue,
    check_strength,
    matrix_of,
    numbers_of,
    plain_numbers,
)
from deciban.estimate.distributions.examples import Example, across
from deciban.estimate.distributions.values import Markers, number_reader
from deciban.estimate.gaussian import log_norms
from deciban.estimate.live.base import LiveColumn, Setting
from deciban.estimate.live.moments import LiveGaussian, normal_logs
from deciban.read import Column, Matrix
from deciban.suggest import did_you_mean
from deciban.tallies import Moments, Sample, Spread, gather_moments, moments_without_each, raise_fault
from deciban.tallies.kernels import pack_columns, score_gaussian
from deciban.types import Codes, Floats

__all__ = ["Gaussian", "GaussianLikelihood", "tied_variances"]

_TIES = ("none", "class", "feature", "both")

_FLOOR = 1e-9
_SMALLEST, _LARGEST = float(np.finfo(np.float64).tiny), float(np.finfo(np.float64).max)


@dataclass(frozen=True, kw_only=True)
class Gaussian(Distribution):
    """A normal column.

    Parameters
    ----------
    tie : what variances are shared by: "none", "class", "feature" or "both"
    strength : how many rows the column's variance within classes counts for in that of one class, when not tied
    """

    tie: str = "none"
    strength: float = 10.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.tie not in _TIES:
            raise ParameterError(
                f"tie is one of 'none', 'class', 'feature', 'both', not {self.tie!r}.{did_you_mean(self.tie, _TIES)}"
            )
        check_strength(self.strength)

    def count(self, column: Column, sample: Sample, owner: str) -> Moments:
        self.check(column, owner)
        matrix = Matrix(plain_numbers(column)[:, None], (column.name,))
        return gather_moments(matrix, sample, owner, missing_allowed=True)

    def live(self, part: Moments, setting: Setting) -> LiveColumn:
        return LiveGaussian(self, part, setting)

    def examples(self, part: Moments) -> list[Example]:
        return across(part)

    def leave_one_out(self, parts: Sequence[Moments], columns: Sequence[Column], y: Codes, weights: Floats) -> Floats:
        """Exact; where variances are tied over columns, a row leaves them all at once."""
        x = matrix_of(columns)
        out = np.empty((len(y), len(columns), len(parts[0].mean)))
        together = self.tie in ("feature", "both")
        for group in [range(len(columns))] if together else [range(i, i + 1) for i in range(len(columns))]:
            left = [moments_without_each(parts[i], x[:, i], y, weights) for i in group]
            out[:, group] = self._row_by_row(x[:, group], left)
        return np.where(np.isnan(x)[:, :, None], 0.0, out)

    def _row_by_row(self, x: Floats, left: Sequence[Spread]) -> Floats:
        """The densities of each row's values by its own moments: rows × columns × classes."""
        held = np.stack([[part.weight, part.mean, part.deviation] for part in left], axis=2)
        mean, variance = self._parameters(Spread(held[0], held[1], held[2]))  # class × column × row
        density = log_norms(variance) - (x.T - mean) ** 2 / (2.0 * variance)
        return density.transpose(2, 1, 0)

    def estimate(self, parts: Sequence[Moments | Spread]) -> GaussianLikelihood:
        return GaussianLikelihood(*self._parameters(Spread.side_by_side(parts)))

    def _parameters(self, moments: Moments | Spread) -> tuple[Floats, Floats]:
        """Means and variances, class × column."""
        pooled = moments.pooled()
        mean = np.where(moments.weight > 0, moments.mean, pooled.mean)  # of a class without rows nothing is known
        return mean, tied_variances(moments, self.tie, self.strength)


def tied_variances(moments: Moments | Spread, tie: str, strength: float = 0.0) -> Floats:
    """Class × column variances, none of them 0 or infinite; 1 for a constant column, which says nothing.

    A Spread may have a third axis, of several samples.
    """
    weight = np.broadcast_to(moments.weight, moments.mean.shape)
    pooled = moments.pooled()
    floor = _FLOOR * _ratio(pooled.deviation, pooled.weight)[0]
    within = np.maximum(_ratio(moments.deviation.sum(axis=0), weight.sum(axis=0)), floor)
    if tie == "class":
        variance = np.broadcast_to(within, weight.shape)
    elif tie == "none":
        variance = _ratio(moments.deviation + strength * within, weight + strength, within, floor)
    else:
        axis = 1 if tie == "feature" else (0, 1)
        deviation, whole = (table.sum(axis=axis, keepdims=True) for table in (moments.deviation, weight))
        shared = _ratio(deviation, whole, within.mean(axis=0), floor.max(axis=0, initial=0.0))
        variance = np.broadcast_to(shared, weight.shape)
    return _usable(variance, floor)


def _usable(variance: Floats, floor: Floats) -> Floats:
    return np.where((floor > 0) & (variance > 0), np.clip(variance, _SMALLEST, _LARGEST), 1.0)


class GaussianLikelihood(Likelihood):
    """Means and variances of several columns, scored by one kernel."""

    def __init__(self, mean: Floats, variance: Floats) -> None:
        self.mean, self.variance = mean, variance
        self._norm = log_norms(variance)
        self._packed = pack_columns(mean), pack_columns(0.5 / variance), pack_columns(self._norm)

    def rows(self, columns: Sequence[Column]) -> Floats:
        zero = np.zeros(len(self.mean))
        numbers = [plain_numbers(column) for column in columns]
        joint, fault = score_gaussian(numbers, zero, self._packed, "joint", missing_allowed=True)
        if fault is not None:
            raise_fault(fault, "the model", [column.name for column in columns])
        return joint

    def one(self, i: int, names: Sequence[str], markers: Markers = frozenset()) -> OneValue:
        of_class = list(zip(self.mean[:, i], 0.5 / self.variance[:, i], self._norm[:, i], strict=True))
        parameters = [(float(m), float(h), float(n)) for m, h, n in of_class]
        nothing = [0.0] * len(parameters)
        number = number_reader(names[i], markers)

        def score(value: Any) -> Sequence[float]:
            is_plain = not markers and type(value) is float and value - value == 0.0  # finite: what most values are
            x = value if is_plain else number(value)
            return nothing if x is None else normal_logs(parameters, x)

        return score

    def columns(self, columns: Sequence[Column]) -> Floats:
        values = np.stack([numbers_of(column) for column in columns], axis=1)[:, :, None]
        evidence = self._norm.T - (values - self.mean.T) ** 2 / (2.0 * self.variance.T)
        return np.where(np.isnan(values), 0.0, evidence)


def _ratio(part: Floats, whole: Floats, otherwise: Floats | float = 0.0, least: Floats | float = 0.0) -> Floats:
    """part / whole, `otherwise` where the whole is 0, and nowhere below `least`."""
    safe = np.where(whole > 0, whole, 1.0)
    return np.maximum(np.where(whole > 0, part / safe, otherwise), least)
