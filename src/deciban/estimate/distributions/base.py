"""What a distribution is: how a column is counted, and what its values say for each class once that is estimated.

A `Distribution` is a frozen value that users write, ``Gaussian(tie="class")``. The columns of a table that have equal
distributions are estimated together, because variances may be tied over columns, and scored together.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

import numpy as np

from deciban.errors import InputError, ParameterError
from deciban.estimate.distributions.examples import Example
from deciban.estimate.distributions.values import Markers, is_missing, number_reader
from deciban.estimate.live.base import LiveColumn, LiveRows, Setting
from deciban.read import MISSING, Column, plain
from deciban.read.variable import object_array
from deciban.suggest import did_you_mean
from deciban.tallies import Sample, raise_fault
from deciban.types import AnyArray, Codes, Floats

__all__ = [
    "ColumnLikelihood",
    "Distribution",
    "Likelihood",
    "OneValue",
    "WeightedLikelihood",
    "check_strength",
    "matrix_of",
    "numbers_of",
    "plain_numbers",
    "times",
]


OneValue = Callable[[Any], Sequence[float]]


class Likelihood(ABC):
    """log P(value | class) of some columns."""

    @abstractmethod
    def columns(self, columns: Sequence[Column]) -> Floats:
        """Of each value: rows × columns × classes; 0 where a value is missing."""

    def rows(self, columns: Sequence[Column]) -> Floats:
        """Of each row, summed over these columns: rows × classes."""
        return self.columns(columns).sum(axis=1)

    def one(self, i: int, names: Sequence[str], markers: Markers = frozenset()) -> OneValue:
        """A function of one value of the i-th column that gives its log-likelihoods, without a table around it."""
        others = [Column.of_numbers(name, np.array([np.nan])) for name in names]

        def score(value: Any) -> Sequence[float]:
            held = plain(value)
            known = None if is_missing(held) or held in markers else held
            columns = [*others[:i], Column.of_values(names[i], object_array([known])), *others[i + 1 :]]
            return self.columns(columns)[0, i].tolist()

        return score

    def weighted(self, weights: Floats) -> Likelihood:
        """The same, with each column's log-likelihoods times its weight."""
        return WeightedLikelihood(self, weights)


class WeightedLikelihood(Likelihood):
    """w_i·log P(x_i | class) of some columns."""

    def __init__(self, plain: Likelihood, weights: Floats) -> None:
        self._plain, self._weights = plain, weights

    def columns(self, columns: Sequence[Column]) -> Floats:
        return times(self._weights[:, None], self._plain.columns(columns))

    def one(self, i: int, names: Sequence[str], markers: Markers = frozenset()) -> OneValue:
        score, weight = self._plain.one(i, names, markers), float(self._weights[i])
        if weight == 0.0:
            return lambda value: [0.0] * len(score(value))
        return lambda value: [weight * log for log in score(value)]


class ColumnLikelihood(Likelihood):
    """Columns that are scored one by one."""

    @abstractmethod
    def column(self, i: int, values: Floats) -> Floats:
        """Of each value of the i-th column, none of them missing: values × classes."""

    @property
    @abstractmethod
    def classes(self) -> int: ...

    def columns(self, columns: Sequence[Column]) -> Floats:
        out = np.zeros((len(columns[0]), len(columns), self.classes))
        for i, column in enumerate(columns):
            values = numbers_of(column)
            known = ~np.isnan(values)
            out[known, i] = self.column(i, values[known])
        return out

    def one(self, i: int, names: Sequence[str], markers: Markers = frozenset()) -> OneValue:
        number, nothing = number_reader(names[i], markers), [0.0] * self.classes

        def score(value: Any) -> Sequence[float]:
            x = number(value)
            return nothing if x is None else self.column(i, np.array([x]))[0].tolist()

        return score


def times(weights: Floats, logs: Floats) -> Floats:
    """weights·logs, where 0·(−∞) is 0: what weighs nothing makes nothing impossible."""
    with np.errstate(invalid="ignore"):
        return np.where(weights == 0.0, 0.0, weights * logs)


@dataclass(frozen=True, kw_only=True)
class Distribution(ABC):
    """A column's distribution within each class; `missing` overrides the model's own for this column.

    With "state", that a value is missing is evidence of its own (`deciban.estimate.distributions.missing`).
    """

    missing: str | None = field(default=None)

    def __post_init__(self) -> None:
        if self.missing not in (None, *self.ways_to_miss()):
            ways = ", ".join(map(repr, self.ways_to_miss()))
            raise ParameterError(
                f"missing of a {type(self).__name__} column is one of {ways}, not {self.missing!r}."
                f"{did_you_mean(self.missing, self.ways_to_miss())}"
            )

    @classmethod
    def ways_to_miss(cls) -> tuple[str, ...]:
        return "skip", "error", "state"

    @abstractmethod
    def count(self, column: Column, sample: Sample, owner: str) -> Any:
        """What is kept of a column: a part of a tally."""

    @abstractmethod
    def estimate(self, parts: Sequence[Any]) -> Likelihood:
        """The likelihood of all columns that have this distribution."""

    @abstractmethod
    def leave_one_out(self, parts: Sequence[Any], columns: Sequence[Column], y: Codes, weights: Floats) -> Floats:
        """log P(value | class) of rows that were counted, as if each had not been: rows × columns × classes.

        `y` are the rows' classes and `weights` what they were counted with; a missing value has 0.
        """

    def live(self, part: Any, setting: Setting) -> LiveColumn:
        """A column that goes on learning from `part`, one value at a time."""
        return LiveRows(self, part, setting)

    def examples(self, part: Any) -> list[Example]:  # noqa: ARG002
        """Values that show what the column can say; none where single values say nothing."""
        return []

    def check(self, column: Column, owner: str) -> None:
        """Refuse a column whose missing values are an error."""
        if self.missing == "error" and column.has_missing:
            raise_fault(("missing", column.first_missing(), 0), owner, (column.name,))


def matrix_of(columns: Sequence[Column]) -> Floats:
    """The numbers of several columns: rows × columns."""
    return np.stack([numbers_of(column) for column in columns], axis=1)


def check_strength(strength: Any) -> None:
    """Refuse a strength that is no number from 0 up."""
    if not isinstance(strength, Real) or not 0 <= float(strength) < math.inf:
        raise ParameterError(f"strength must be a number that is not negative, not {strength!r}.")


def numbers_of(column: Column) -> Floats:
    """The numbers of a column, NaN where they are missing; an error where it holds something else, or infinity."""
    numbers = plain_numbers(column)
    if numbers.dtype.kind == "f" and np.isinf(numbers).any():
        raise_fault(("infinite", int(np.argmax(np.isinf(numbers))), 0), "the model", (column.name,))
    return numbers.astype(np.float64, copy=False)


def plain_numbers(column: Column) -> AnyArray:
    """The same in a type that the kernels read, infinities included."""
    if not column.is_numeric:
        if (column.places == MISSING).all():  # nothing is known, not even what type it would have
            return np.full(len(column), np.nan)
        held = column.states[0] if len(column.states) else None
        raise InputError(
            f"column {column.name!r} holds {held!r}, which is not a number. Give it a Categorical() distribution."
        )
    numbers = column.numbers
    is_plain = numbers.dtype.isnative and (numbers.dtype.kind in "iu" or numbers.dtype.itemsize in (4, 8))
    return numbers if is_plain else numbers.astype(np.float64)
