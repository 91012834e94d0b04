"""Numeric columns, by what a tally keeps of them: moments, or a histogram of the distinct values.

A distribution whose parameters follow from mean and variance extends `MomentsDistribution` and defines `estimate`; it
may refuse numbers that it cannot produce (`check_numbers`). One that needs the values themselves, as quantiles do,
extends `SketchDistribution`.

Values that come one by one are collected and counted together now and then, so that `part` gives what counting all the
rows at once would have given, with sums in double-double (see `Moments`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, ClassVar, TypeVar

import numpy as np

from deciban.errors import DecibanError, ParameterError
from deciban.estimate.association import normal_information
from deciban.estimate.column import ColumnDistribution, Margins
from deciban.estimate.live import CollectedColumn, Counted, LiveColumn, Setting, sample_of_codes
from deciban.estimate.values import Example, number_reader, numbers_of, short_number
from deciban.read import Column, Matrix, Variable
from deciban.tallies import (
    Moments,
    Sample,
    Sketch,
    Spread,
    distinct_rows,
    gather_moments,
    moments_without_each,
    sketch_column,
    weight_left,
)
from deciban.types import Codes, Floats

__all__ = ["LiveMoments", "MomentsDistribution", "SketchDistribution", "across", "check_strength", "quantiles_of"]


_SPREADS = (-1.5, -0.75, 0.0, 0.75, 1.5)
_SHARES = (0.02, 0.25, 0.5, 0.75, 0.98)


Kept = TypeVar("Kept", Moments, Sketch)
"""What a tally keeps of a numeric column."""


@dataclass(frozen=True, kw_only=True)
class MomentsDistribution(ColumnDistribution):
    """A numeric column of which the tally keeps weight, mean and variance in each class.

    A distribution whose parameters follow from mean and variance extends it and defines `estimate`. It may refuse
    numbers that it cannot produce, in `check_numbers`.

    Parameters
    ----------
    missing : {"skip", "error", "state"}, optional
        What a missing value is: no evidence, an error, or evidence of its own. The model's setting when None.

    Examples
    --------
    >>> from deciban import Gaussian
    >>> isinstance(Gaussian(), MomentsDistribution)
    True
    """

    part_type: ClassVar[type] = Moments
    reads_numbers: ClassVar[bool] = True

    def check_numbers(self, name: str, values: Floats) -> None:
        """Refuse numbers that the distribution cannot produce; NaN stands for missing."""

    def as_learned(self, column: Column, variable: Variable | None) -> Column:
        return column.as_numbers()

    def count(self, column: Column, sample: Sample, owner: str) -> Moments:
        self.check(column, owner)
        values = numbers_of(column)
        self.check_numbers(column.name, values)
        return gather_moments(Matrix(values[:, None], (column.name,)), sample, owner, missing_allowed=True)

    def live(self, part: Moments, setting: Setting) -> LiveColumn:
        return LiveMoments(self, part, setting, self._checked)

    def leave_one_out(
        self, parts: Sequence[Moments], columns: Sequence[Column], y: Codes, sample_weight: Floats
    ) -> Floats:
        """Exact, from the moments of each class without the row: each row is a column with moments of its own."""

        def without(part: Moments, x: Floats, y: Codes, weight: Floats) -> Floats:
            return self._row_by_row(x, moments_without_each(part, x, y, weight))

        return _of_known_values(without, parts, columns, y, sample_weight)

    def add_margins(
        self,
        likelihood: Any,
        parts: Sequence[Moments],
        columns: Sequence[Column],
        margins: Margins,
        at: Sequence[int],
    ) -> None:
        """As `leave_one_out`, except that a class has no variance left without a row that has most of it."""

        def without(part: Moments, x: Floats, y: Codes, weight: Floats) -> Floats:
            return self._row_by_row(x, moments_without_each(part, x, y, weight, are_all=False))

        logs = _of_known_values(without, parts, columns, margins.y, margins.own)
        for i, index in enumerate(at):
            margins.add_logs(index, logs[:, i])

    def _row_by_row(self, x: Floats, left: Spread) -> Floats:
        """log P of each value by its own column of class × value moments: values × classes."""
        likelihood = self.estimate([left])
        one_row = [Column.of_numbers(f"x{i}", x[i : i + 1]) for i in range(len(x))]
        return likelihood.columns(one_row)[0] if one_row else np.zeros((0, len(left.mean)))

    def information(self, part: Moments) -> float:
        return normal_information(part)

    def examples(self, part: Moments) -> list[Example]:
        # In steps of 1 if need be: a distribution of counts refuses fractions.
        return max((self._taken(part, across(part, step)) for step in (0.0, 1.0)), key=len)

    def _taken(self, part: Moments, examples: list[Example]) -> list[Example]:
        """The examples that the distribution does not refuse."""
        taken = []
        for example in examples:
            with suppress(DecibanError):
                self.check_numbers(part.names[0], np.array([example.value]))
                taken.append(example)
        return taken

    def _checked(self, number: float, name: str) -> float:
        self.check_numbers(name, np.array([number]))
        return number


@dataclass(frozen=True, kw_only=True)
class SketchDistribution(ColumnDistribution):
    """A numeric column of which the tally keeps a histogram of the distinct values in each class.

    A distribution that needs the values themselves, as quantiles do, extends it and defines `estimate`.

    Parameters
    ----------
    missing : {"skip", "error", "state"}, optional
        What a missing value is: no evidence, an error, or evidence of its own. The model's setting when None.

    Examples
    --------
    >>> from deciban import Kernel
    >>> isinstance(Kernel(), SketchDistribution)
    True
    """

    part_type: ClassVar[type] = Sketch
    reads_numbers: ClassVar[bool] = True

    def as_learned(self, column: Column, variable: Variable | None) -> Column:
        return column.as_numbers()

    def count(self, column: Column, sample: Sample, owner: str) -> Sketch:
        self.check(column, owner)
        return sketch_column(column.name, numbers_of(column), sample)

    def live(self, part: Sketch, setting: Setting) -> LiveColumn:
        return LiveSketch(self, part, setting)

    def leave_one_out(
        self, parts: Sequence[Sketch], columns: Sequence[Column], y: Codes, sample_weight: Floats
    ) -> Floats:
        """By `without_own`, once for each distinct combination of value, class and weight."""

        def without(part: Sketch, x: Floats, y: Codes, weight: Floats) -> Floats:
            rows, indices = distinct_rows(x + 0.0, y, weight)  # −0 is 0
            return self.without_own(part, *rows)[indices]

        return _of_known_values(without, parts, columns, y, sample_weight)

    def without_own(self, part: Sketch, x: Floats, y: Codes, sample_weight: Floats) -> Floats:
        """log P of counted values, each as if it had not been counted: values × classes."""
        rows = zip(x.tolist(), y.tolist(), sample_weight.tolist(), strict=True)
        return np.array([self._without_one(part, *row) for row in rows]).reshape(len(x), part.classes)

    def _without_one(self, part: Sketch, x: float, y: int, weight: float) -> Floats:
        """log P of x by an estimate without it."""
        table = part.table.astype(np.float64)
        bucket = int(part.indices(np.array([x]))[0])
        if bucket < len(part.values):  # else its weight is 0
            table[y, bucket] = weight_left(table[y, bucket], weight)
        left = self.estimate([replace(part, table=table)])
        return left.columns([Column.of_numbers(part.name, np.array([x]))])[0, 0]

    def information(self, part: Sketch) -> float:
        """That of normal densities with the same means and variances."""
        return normal_information(part.spread)

    def examples(self, part: Sketch) -> list[Example]:
        return quantiles_of(part)


def quantiles_of(part: Sketch) -> list[Example]:
    """Values that occurred, from the low end to the high one."""
    rows = part.table.sum(axis=0)
    if not rows.any():
        return []
    at = np.searchsorted(np.cumsum(rows), np.array(_SHARES) * rows.sum())
    return _numbers(part.values[np.minimum(at, len(rows) - 1)].tolist(), float(rows.sum()))


def across(part: Moments, least_step: float = 0.0) -> list[Example]:
    """The mean, and numbers below and above it by up to one and a half standard deviations, rounded to the spread."""
    pooled = part.pooled()
    weight = float(pooled.weight[0, 0])
    mean, spread = float(pooled.mean[0, 0]), math.sqrt(max(float(pooled.deviation[0, 0]), 0.0) / max(weight, 1.0))
    if not weight or not math.isfinite(spread):
        return []
    step = max(10.0 ** math.floor(math.log10(spread / 2.0)) if spread > 0 else 0.0, least_step)
    numbers = [mean + k * spread for k in _SPREADS] if spread > 0 else [mean]
    return _numbers([round(x / step) * step for x in numbers] if step else numbers, weight)


def _numbers(numbers: Iterable[float], rows: float) -> list[Example]:
    distinct = list(dict.fromkeys(numbers))
    return [Example(short_number(number), number, rows / len(distinct)) for number in distinct]


def check_strength(strength: Any) -> None:
    """Refuse a strength that is not a number from 0 up."""
    if not isinstance(strength, Real) or not 0 <= float(strength) < math.inf:
        raise ParameterError(f"strength must be a number that is not negative, not {strength!r}.")


def _of_known_values(
    without: Callable[[Kept, Floats, Codes, Floats], Floats],
    parts: Sequence[Kept],
    columns: Sequence[Column],
    y: Codes,
    sample_weight: Floats,
) -> Floats:
    """The log-probabilities that `without` computes for the values that are not missing; 0 for missing values."""
    out = np.zeros((len(y), len(columns), parts[0].classes))
    for i, (part, column) in enumerate(zip(parts, columns, strict=True)):
        values = numbers_of(column)
        known = ~np.isnan(values)
        out[known, i] = without(part, values[known], y[known], sample_weight[known])
    return out


# How many values of a class, or distinct values, are collected before they are counted.
_MOST_PENDING = 4096


class LiveMoments(CollectedColumn[float]):
    """A numeric column: weight, mean and sum of squared deviations in each class; `convert` checks a number first."""

    def __init__(
        self,
        kind: Counted,
        part: Moments,
        setting: Setting,
        convert: Callable[[float, str], float] | None = None,
    ) -> None:
        super().__init__(kind, setting)
        self._number = number_reader(setting.name, setting.markers)
        self._convert = convert
        self._begin(part)

    def _begin(self, part: Moments) -> None:
        """Continue from these moments."""
        self._part = part
        self._pending: list[list[float]] = [[] for _ in range(self._classes)]

    def read(self, value: object) -> float | None:
        number = self._number(value)
        if number is None:
            self._refuse_missing()
            return None
        return number if self._convert is None else self._convert(number, self.name)

    def add(self, read: float, j: int) -> None:
        pending = self._pending[j]
        pending.append(read)
        if len(pending) == _MOST_PENDING:
            self.part()

    def part(self) -> Moments:
        if any(self._pending):
            codes = np.repeat(np.arange(self._classes, dtype=np.int32), list(map(len, self._pending)))
            values = np.concatenate([np.array(of_class, dtype=np.float64) for of_class in self._pending])
            sample = sample_of_codes(codes, self._classes)
            matrix = Matrix(values[:, None], self._part.given_names)
            self._begin(self._part + gather_moments(matrix, sample, self._owner, missing_allowed=True))
        return self._part


class LiveSketch(CollectedColumn[float]):
    """The values since the sketch was last updated, and how often each occurred in each class."""

    def __init__(self, kind: Counted, part: Sketch, setting: Setting) -> None:
        super().__init__(kind, setting)
        self._number = number_reader(setting.name, setting.markers)
        self._part = part
        self._pending: dict[float, list[int]] = {}

    def read(self, value: object) -> float | None:
        number = self._number(value)
        if number is None:
            self._refuse_missing()
            return None
        return number + 0.0  # −0 is 0

    def add(self, read: float, j: int) -> None:
        counts = self._pending.get(read)
        if counts is None:
            counts = self._pending[read] = [0] * self._classes
        counts[j] += 1
        if len(self._pending) >= _MOST_PENDING:
            self.part()

    def part(self) -> Sketch:
        if self._pending:
            values = sorted(self._pending)
            table = np.array([self._pending[value] for value in values], dtype=np.int64).T
            self._part = self._part + Sketch(self._part.name, np.array(values), np.ascontiguousarray(table))
            self._pending = {}
        return self._part
