"""A positive column whose logarithm is normal: sizes and sums of money.

p(x | j) = N(log x; μ_j, σ²_j) / x
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from deciban.errors import InputError
from deciban.estimate.column import Margins
from deciban.estimate.distributions.gaussian import Gaussian, GaussianLikelihood
from deciban.estimate.likelihood import ColumnLikelihood, Curve
from deciban.estimate.live import LiveColumn, Setting
from deciban.estimate.numeric import LiveMoments, MomentsDistribution, across, check_strength
from deciban.estimate.values import Example, matrix_of, numbers_of, short_number
from deciban.read import Column
from deciban.storable import storable
from deciban.tallies import Moments, Sample
from deciban.types import Codes, Floats

__all__ = ["LogNormal", "LogNormalLikelihood"]


@storable
@dataclass(frozen=True, kw_only=True)
class LogNormal(MomentsDistribution):
    """A column of positive numbers whose logarithm is normal within each class: sizes and sums of money.

    Parameters
    ----------
    missing : {"skip", "error", "state"}, optional
        What a missing value is: no evidence, an error, or evidence of its own. The model's setting when None.
    strength : float
        How many rows the variance of the column within classes counts for in that of one class.

    Examples
    --------
    >>> from deciban import NaiveBayes
    >>> table = {"price": [1.0, 2.0, 3.0, 200.0, 900.0]}
    >>> model = NaiveBayes({"price": LogNormal()}).fit(
    ...     table, ["book", "book", "book", "bike", "bike"]
    ... )
    >>> model.predict({"price": [5.0, 100.0]}).tolist()
    ['book', 'bike']
    """

    strength: float = 10.0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_strength(self.strength)

    def count(self, column: Column, sample: Sample, owner: str) -> Moments:
        self.check(column, owner)
        values = numbers_of(column)
        if len(values) and np.nanmin(values, initial=np.inf) <= 0:
            row = int(np.nanargmin(values))
            raise InputError(f"column {column.name!r} (row {row}) is {values[row]:g}: LogNormal takes numbers above 0.")
        return Gaussian().count(Column.of_numbers(column.name, np.log(values)), sample, owner)

    def live(self, part: Moments, setting: Setting) -> LiveColumn:
        return LiveMoments(self, part, setting, _logarithm)

    def estimate(self, parts: Sequence[Moments]) -> LogNormalLikelihood:
        return LogNormalLikelihood(Gaussian(strength=self.strength).estimate(parts))

    def n_parameters(self, parts: Sequence[Moments]) -> int:
        return Gaussian().n_parameters(parts)

    def examples(self, part: Moments) -> list[Example]:
        numbers = [(math.exp(example.value), example.rows) for example in across(part)]
        return [Example(short_number(number), number, rows) for number, rows in numbers]

    def leave_one_out(
        self, parts: Sequence[Moments], columns: Sequence[Column], y: Codes, sample_weight: Floats
    ) -> Floats:
        """Exact: that of the logarithms, less log x."""
        logs = np.log(matrix_of(columns))
        of_logs = [Column.of_numbers(column.name, logs[:, i]) for i, column in enumerate(columns)]
        density = Gaussian(strength=self.strength).leave_one_out(parts, of_logs, y, sample_weight)
        return density - np.nan_to_num(logs)[:, :, None]

    def add_margins(
        self,
        likelihood: LogNormalLikelihood,
        parts: Sequence[Moments],
        columns: Sequence[Column],
        margins: Margins,
        at: Sequence[int],
    ) -> None:
        """Those of the logarithms: log x is the same in all classes."""
        of_logs = [Column.of_numbers(column.name, np.log(numbers_of(column))) for column in columns]
        Gaussian(strength=self.strength).add_margins(likelihood.of_logs, parts, of_logs, margins, at)


class LogNormalLikelihood(ColumnLikelihood):
    """The normal likelihood of the logarithms, and the −log x that makes it a density of x."""

    def __init__(self, of_logs: GaussianLikelihood) -> None:
        self.of_logs = of_logs

    @property
    def classes(self) -> int:
        return len(self.of_logs.mean)

    def formula(self, i: int) -> Curve:
        return replace(self.of_logs.formula(i), of_log=True, lowest=0.0, is_open=True)

    def draw(self, i: int, y: Codes, rng: np.random.Generator) -> Floats:
        return np.exp(self.of_logs.draw(i, y, rng))

    def column(self, i: int, values: Floats) -> Floats:
        positive = values > 0
        logs = np.log(np.where(positive, values, 1.0))[:, None]
        mean, variance = self.of_logs.mean[:, i], self.of_logs.variance[:, i]
        density = -0.5 * np.log(2 * np.pi * variance) - (logs - mean) ** 2 / (2 * variance) - logs
        return np.where(positive[:, None], density, -np.inf)


def _logarithm(number: float, name: str) -> float:
    if number <= 0:
        raise InputError(f"column {name!r} is {number:g}: LogNormal takes numbers above 0.")
    return math.log(number)
