"""Likelihoods: log P(value | class) of the values of some columns, by an estimated distribution."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from deciban.errors import ParameterError
from deciban.estimate.columns.formulas import Formula
from deciban.estimate.columns.values import Markers, is_missing, number_reader, numbers_of
from deciban.read import Column, plain
from deciban.read.drawn import Drawn
from deciban.read.variable import object_array
from deciban.types import AnyArray, Codes, Floats

__all__ = ["ColumnLikelihood", "Contest", "Likelihood", "OneValue", "Token", "WeightedLikelihood", "times"]

OneValue = Callable[[Any], Sequence[float]]
"""One value → its log-likelihood in each class."""


class Token(NamedTuple):
    """A part of a value, such as a word of a text: its log-likelihood ratio in nats, and how many rows have it."""

    text: str
    log_ratio: float
    rows: float


class Contest(NamedTuple):
    """The classes of a model, the one that is explained, and the one that it is compared with.

    `known` is the log-probability of each class that the value is not missing, where that is evidence.
    """

    classes: AnyArray
    label: Any
    against: Any
    known: Floats


class Likelihood(ABC):
    """log P(value | class) of some columns."""

    @abstractmethod
    def columns(self, columns: Sequence[Column]) -> Floats:
        """The log-likelihood of each value: rows × columns × classes; 0 where a value is missing."""

    def rows(self, columns: Sequence[Column]) -> Floats:
        """The sum over these columns: rows × classes."""
        return self.columns(columns).sum(axis=1)

    def one(self, i: int, names: Sequence[str], markers: Markers = frozenset()) -> OneValue:
        """A function that scores one value of the i-th column, without a table around it."""
        others = [Column.of_numbers(name, np.array([np.nan])) for name in names]

        def score(value: Any) -> Sequence[float]:
            held = plain(value)
            known = None if is_missing(held) or held in markers else held
            columns = [*others[:i], Column.of_values(names[i], object_array([known])), *others[i + 1 :]]
            return self.columns(columns)[0, i].tolist()

        return score

    def tokens(self, i: int, j: int, k: int) -> list[Token]:  # noqa: ARG002
        """The parts of the i-th column's values, with their log-likelihood ratios of class j to class k.

        Empty where a value has no parts that are scored one by one.
        """
        return []

    def explained(self, i: int, value: Any, contest: Contest, weight: float = 1.0) -> object | None:  # noqa: ARG002
        """The explanation of one known value of the i-th column, part by part, as a text is explained word by word.

        The evidence is multiplied by the weight. None where a value has no parts.
        """
        return None

    def formula(self, i: int) -> Formula | None:  # noqa: ARG002
        """The i-th column's log-likelihood in closed form; None where it has none."""
        return None

    def draw(self, i: int, y: Codes, rng: np.random.Generator) -> Drawn:  # noqa: ARG002
        """A value of the i-th column for each row, given the classes of the rows."""
        raise ParameterError(f"{type(self).__name__} cannot draw values. Define its method draw(i, y, rng).")

    def weighted(self, weights: Floats) -> Likelihood:
        """The same, with the log-likelihoods of each column multiplied by its weight."""
        return WeightedLikelihood(self, weights)


class WeightedLikelihood(Likelihood):
    """w_i·log P(x_i | class) of some columns."""

    def __init__(self, plain: Likelihood, weights: Floats) -> None:
        self.plain, self.weights = plain, weights

    def columns(self, columns: Sequence[Column]) -> Floats:
        return times(self.weights[:, None], self.plain.columns(columns))

    def one(self, i: int, names: Sequence[str], markers: Markers = frozenset()) -> OneValue:
        score, weight = self.plain.one(i, names, markers), float(self.weights[i])
        if weight == 0.0:
            return lambda value: [0.0] * len(score(value))
        return lambda value: [weight * log for log in score(value)]

    def formula(self, i: int) -> Formula | None:
        plain = self.plain.formula(i)
        return None if plain is None else plain.times(float(self.weights[i]))

    def tokens(self, i: int, j: int, k: int) -> list[Token]:
        weight = float(self.weights[i])
        return [token._replace(log_ratio=weight * token.log_ratio) for token in self.plain.tokens(i, j, k)]

    def explained(self, i: int, value: Any, contest: Contest, weight: float = 1.0) -> object | None:
        return self.plain.explained(i, value, contest, weight * float(self.weights[i]))


class ColumnLikelihood(Likelihood):
    """log P(value | class) of numeric columns that are scored one by one: what `estimate` of a distribution returns.

    A subclass defines `column(i, values)`, the log-likelihood of each value of the i-th column as an array of values ×
    classes, and `classes`, the number of classes.

    Examples
    --------
    >>> from deciban import Poisson, tally
    >>> part = tally({"x": [1.0, 3.0], "y": ["a", "a"]}, target="y").parts[0]
    >>> Poisson().estimate([part]).column(0, np.array([2.0])).round(3).tolist()
    [[-1.307]]
    """

    @abstractmethod
    def column(self, i: int, values: Floats) -> Floats:
        """The log-likelihood of each value of the i-th column, none of them missing: values × classes."""

    @property
    @abstractmethod
    def classes(self) -> int:
        """The number of classes."""

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
    """weights·logs, where 0·(−∞) is 0: a column of weight 0 makes no class impossible."""
    with np.errstate(invalid="ignore"):
        return np.where(weights == 0.0, 0.0, weights * logs)
