"""Likelihoods: log P(value | class) of the values of some columns, by an estimated distribution.

Most have a closed form, so that a model can be written down in another language, such as SQL. A formula gives
log P(value | class) of one column, up to a term that is equal in all classes, and the log-probabilities of a missing
value. There are two kinds:

=========  ===========================================================================================================
StateLogs  the value has one of some states (a label, a bin, present or not), and each has its log-probabilities
Curve      the value is a number, and log p(x | j) is a sum of terms that are linear, quadratic or gamma functions of it
=========  ===========================================================================================================

A likelihood without a closed form, such as a kernel density or that of a text, has no formula.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple, TypeVar

import numpy as np

from deciban.errors import ParameterError
from deciban.estimate.drawing import Drawn
from deciban.estimate.values import Markers, is_missing, number_reader, numbers_of
from deciban.read import MISSING_LABEL, Column, object_array, plain
from deciban.types import AnyArray, Codes, Floats

__all__ = [
    "Bins",
    "ColumnLikelihood",
    "Contest",
    "Curve",
    "Formula",
    "Labels",
    "Likelihood",
    "OneValue",
    "Presence",
    "StateLogs",
    "States",
    "Token",
    "WeightedLikelihood",
    "plain_numbers",
    "times",
]


OneValue = Callable[[object], Sequence[float]]
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
    label: object
    against: object
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

        def score(value: object) -> Sequence[float]:
            scalar = plain(value)
            known = None if is_missing(scalar) or scalar in markers else scalar
            columns = [*others[:i], Column.of_values(names[i], object_array([known])), *others[i + 1 :]]
            return self.columns(columns)[0, i].tolist()

        return score

    def tokens(self, i: int, j: int, k: int) -> list[Token]:
        """The parts of the i-th column's values, with their log-likelihood ratios of class j to class k.

        Empty where a value has no parts that are scored one by one.
        """
        return []

    def explained(self, i: int, value: Any, contest: Contest, weight: float = 1.0) -> object | None:
        """The explanation of one known value of the i-th column, part by part, as a text is explained word by word.

        The evidence is multiplied by the weight. None where a value has no parts.
        """
        return None

    def formula(self, i: int) -> Formula | None:
        """The i-th column's log-likelihood in closed form; None where it has none."""
        return None

    def draw(self, i: int, y: Codes, rng: np.random.Generator) -> Drawn:
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
            # Still scored: a value that is an error stays one.
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

        def score(value: object) -> Sequence[float]:
            x = number(value)
            return nothing if x is None else self.column(i, np.array([x]))[0].tolist()

        return score


def times(weights: Floats, logs: Floats) -> Floats:
    """weights·logs, where 0·(−∞) is 0: a column of weight 0 makes no class impossible."""
    # `np.where` computes 0·(−∞) all the same, and then drops the NaN.
    with np.errstate(invalid="ignore"):
        return np.where(weights == 0.0, 0.0, weights * logs)


class Labels(NamedTuple):
    """The states are labels; with `is_coded`, whole numbers that are their own codes, none of them negative.

    `has_missing` where fit had missing values and took them for a state, which may be among the labels.
    """

    labels: Sequence[Any]
    is_coded: bool = False
    has_missing: bool = False

    @property
    def is_dense(self) -> bool:
        """True where the codes 0 … n − 1 are the labels."""
        return self.is_coded and list(self.labels) == list(range(len(self.labels)))

    def known(self) -> dict[Any, int]:
        """The code of each label that is not a missing value."""
        return {label: code for code, label in enumerate(self.labels) if label != MISSING_LABEL}

    def state(self, value: object) -> int:
        """The code of a value that is not missing; −1 where it is no state."""
        return self.known().get(value, -1)

    def to_plain(self) -> dict[str, object]:
        shown = [None if label == MISSING_LABEL else str(label) for label in self.labels]
        return {"kind": "labels", "labels": shown}


class Bins(NamedTuple):
    """The states are the ranges between cuts; a number at a cut is below it."""

    cuts: Sequence[float]

    def state(self, value: Any) -> float:
        """The number itself: the reader of the plain form finds the bin."""
        return float(value)

    def to_plain(self) -> dict[str, object]:
        return {"kind": "bins", "cuts": plain_numbers(np.asarray(self.cuts, dtype=np.float64))}


class Presence(NamedTuple):
    """The states are absent and present: a boolean, or a number above the threshold."""

    threshold: float

    def state(self, value: Any) -> int:
        """1 where it is present, else 0."""
        return int(float(value) > self.threshold)

    def to_plain(self) -> dict[str, object]:
        return {"kind": "presence", "threshold": self.threshold}


States = Labels | Bins | Presence


@dataclass(frozen=True, eq=False)
class StateLogs:
    """Log-probabilities by state.

    Attributes
    ----------
    states : how a value becomes a state
    logs : states × classes
    unseen : those of a label that is not a state
    missing : those of a missing value; None where it is an error
    unseen_code, missing_code : the index of a label that is not a state, and of a missing value, where these are the
        codes of tables; n and n + 1 for n states when None
    is_strict : True where a label that is not a state is an error; `unseen` is for a reader that cannot raise one
    """

    states: States
    logs: Floats
    unseen: Floats
    missing: Floats | None
    unseen_code: int | None = None
    missing_code: int | None = None
    is_strict: bool = False

    @property
    def code_of_unseen(self) -> int:
        """The index of a label that is not a state."""
        return len(self.logs) if self.unseen_code is None else self.unseen_code

    @property
    def code_of_missing(self) -> int:
        """The index of a missing value."""
        return len(self.logs) + 1 if self.missing_code is None else self.missing_code

    @property
    def table(self) -> Floats:
        """The logs of the states, of an unseen label, and of a missing value, 0 where that is an error."""
        # Two rows more than states, where `code_of_unseen` and `code_of_missing` point unless they say otherwise.
        missing = np.zeros_like(self.unseen) if self.missing is None else self.missing
        return np.concatenate([self.logs, self.unseen[None], missing[None]])

    def times(self, weight: float) -> StateLogs:
        """The log-probabilities multiplied by the weight of the column."""
        logs, unseen = scaled(weight, self.logs), scaled(weight, self.unseen)
        return replace(self, logs=logs, unseen=unseen, missing=scaled(weight, self.missing))

    def with_missing(self, known: Floats, missing: Floats) -> StateLogs:
        """The same, with the log-probabilities that a value is known, and that it is missing."""
        return replace(self, logs=self.logs + known, unseen=self.unseen + known, missing=missing)

    def state(self, value: Any) -> float:
        """A value that is not missing as the plain form takes it."""
        return self.states.state(value)

    def to_plain(self) -> dict[str, object]:
        """As numbers and texts, which JSON can hold."""
        unseen = None if self.is_strict else plain_numbers(self.unseen)
        logs = {"logs": plain_numbers(self.logs), "unseen": unseen, "missing": plain_numbers(self.missing)}
        codes = {"unseen_code": self.unseen_code, "missing_code": self.missing_code}
        return {**self.states.to_plain(), **logs, **codes}


@dataclass(frozen=True, eq=False)
class Curve:
    """A function of a number x, with t = log x where `of_log`, else t = x; one coefficient for each class.

        constant + slope·t + complement·(1 − t) − half·(t − mean)² + weight·(log Γ(t + size) − log Γ(size))

    0 times infinity is 0; a gamma term with an infinite size is left out, and all terms that are None.

    Attributes
    ----------
    missing : the log-probabilities of a missing value; None where it is an error
    lowest, highest : the numbers that are possible; with `is_open` not the lowest itself, with `is_whole` whole
        numbers alone
    is_strict : True where a number that is not possible is an error; else it has probability 0 in all classes
    """

    constant: Floats
    missing: Floats | None
    slope: Floats | None = None
    complement: Floats | None = None
    mean: Floats | None = None
    half: Floats | None = None
    size: Floats | None = None
    weight: float = 1.0
    of_log: bool = False
    lowest: float = -np.inf
    highest: float = np.inf
    is_open: bool = False
    is_whole: bool = False
    is_strict: bool = False

    def times(self, weight: float) -> Curve:
        """The function multiplied by the weight of the column; by 0, no number is impossible."""
        if weight == 0.0:
            nothing = np.zeros_like(self.constant)
            return Curve(nothing, None if self.missing is None else nothing)
        return replace(
            self,
            constant=scaled(weight, self.constant),
            missing=scaled(weight, self.missing),
            slope=scaled(weight, self.slope),
            complement=scaled(weight, self.complement),
            half=scaled(weight, self.half),
            weight=weight * self.weight,
        )

    def with_missing(self, known: Floats, missing: Floats) -> Curve:
        """The same, with the log-probabilities that a value is known, and that it is missing."""
        return replace(self, constant=self.constant + known, missing=missing)

    def state(self, value: Any) -> float:
        """A value that is not missing as the plain form takes it."""
        return float(value)

    def to_plain(self) -> dict[str, object]:
        """As numbers and texts, which JSON can hold."""
        return {"kind": "curve", **{each.name: plain_numbers(getattr(self, each.name)) for each in fields(self)}}


Formula = StateLogs | Curve

Logs = TypeVar("Logs", Floats, Floats | None)


def plain_numbers(value: object) -> object:
    """Numbers and arrays of them as JSON holds them: it has no infinity, which is the text "Infinity"."""
    if isinstance(value, np.ndarray):
        return [plain_numbers(part) for part in (value if value.ndim > 1 else value.tolist())]
    if isinstance(value, float) and not math.isfinite(value):
        return "Infinity" if value > 0 else "-Infinity"
    return value


def scaled(weight: float, logs: Logs) -> Logs:
    """weight·logs, where 0·(−∞) is 0; None stays None."""
    if logs is None:
        return logs
    return np.zeros_like(logs) if weight == 0.0 else weight * logs
