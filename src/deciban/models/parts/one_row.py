"""One row at a time: joint log-probabilities from a mapping of names to values, without a table around it."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from deciban.errors import ColumnMismatchError, InputTypeError
from deciban.estimate import Likelihood
from deciban.estimate.columns.likelihood import OneValue
from deciban.suggest import did_you_mean

__all__ = ["OneRow", "check_row", "explain_type", "posterior_of", "scorers_of"]


class OneRow:
    """Columns made ready for single rows: of each its name, and what gives the log-likelihoods of a value."""

    def __init__(
        self, names: frozenset[str], scorers: Sequence[tuple[str, OneValue]], prior: Sequence[float] = ()
    ) -> None:
        self.prior = list(prior)
        self._names = names
        self._scorers = list(scorers)

    def sums(self, row: Mapping[str, Any], start: Sequence[float]) -> list[float]:
        """start + Σ log P(value | class), class by class; a column that the row does not have is missing."""
        check_row(row, self._names)
        get = row.get
        try:
            logs = [score(get(name)) for name, score in self._scorers]
        except TypeError as error:
            raise explain_type(row, error) from error
        return list(map(sum, zip(start, *logs, strict=True)))


def scorers_of(
    names: Sequence[str], groups: Sequence[tuple[Likelihood, Sequence[int]]], markers: frozenset[Any]
) -> list[tuple[str, OneValue]]:
    """What gives the log-likelihoods of a value, for each column of likelihoods that were estimated."""
    return [
        (names[place], likelihood.one(i, [names[k] for k in places], markers))
        for likelihood, places in groups
        for i, place in enumerate(places)
    ]


def posterior_of(joint: Sequence[float]) -> list[float]:
    """P(class | row) of joint log-probabilities, not all of them −∞."""
    largest = max(joint)
    odds = [math.exp(value - largest) for value in joint]
    whole = sum(odds)
    return [value / whole for value in odds]


def check_row(row: Mapping[str, Any], names: frozenset[str]) -> None:
    """Refuse columns that are not there."""
    if not row.keys() <= names:
        strange = min(map(str, row.keys() - names))
        raise ColumnMismatchError(f"there is no column {strange!r}.{did_you_mean(strange, sorted(names))}")


def explain_type(row: Mapping[str, Any], error: TypeError) -> TypeError:
    """The error to raise for a row some value of which can be no label; `error` itself when none is to blame."""
    wrong = [name for name, value in row.items() if not isinstance(value, Hashable)]
    if not wrong:
        return error
    return InputTypeError(f"column {wrong[0]!r} is {row[wrong[0]]!r}, which is neither a number nor a label.")
