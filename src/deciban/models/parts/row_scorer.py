"""Joint log-probabilities of one row, from a mapping of names to values, without a table around it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from deciban.estimate import Likelihood
from deciban.estimate.columns.likelihood import OneValue
from deciban.models.parts.one_row import check_row, type_error

__all__ = ["RowScorer", "posterior_of", "scorers_of"]


class RowScorer:
    """For each column its name, and a function that returns the log-likelihoods of a value, class by class."""

    def __init__(
        self, names: frozenset[str], scorers: Sequence[tuple[str, OneValue]], prior: Sequence[float] = ()
    ) -> None:
        self.prior = list(prior)
        self._names = names
        self._scorers = list(scorers)

    def sums(self, row: Mapping[str, Any], start: Sequence[float]) -> list[float]:
        """start + Σ log P(value | class), class by class; a column that the row does not name is missing."""
        check_row(row, self._names)
        get = row.get
        try:
            logs = [score(get(name)) for name, score in self._scorers]
        except TypeError as error:
            raise type_error(row, error) from error
        return list(map(sum, zip(start, *logs, strict=True)))


def scorers_of(
    names: Sequence[str], groups: Sequence[tuple[Likelihood, Sequence[int]]], markers: frozenset[Any]
) -> list[tuple[str, OneValue]]:
    """For each column of some groups of equal distributions its name and the function that scores a value."""
    return [
        (names[index], likelihood.one(i, [names[k] for k in indices], markers))
        for likelihood, indices in groups
        for i, index in enumerate(indices)
    ]


def posterior_of(joint: Sequence[float]) -> list[float]:
    """P(class | row) of joint log-probabilities, not all of them −∞."""
    largest = max(joint)
    odds = [math.exp(value - largest) for value in joint]
    whole = sum(odds)
    return [value / whole for value in odds]
