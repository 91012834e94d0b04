"""Joint log-probabilities of one row, from a mapping of names to values, without a table around it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from operator import mul
from typing import Any

from deciban.estimate import Likelihood
from deciban.estimate.columns.likelihood import OneValue
from deciban.models.parts.one_row import check_row, type_error

__all__ = ["RowScorer", "posterior_of", "scorers_of"]


class RowScorer:
    """For each column its name, and a function that returns the log-likelihoods of a value, class by class.

    `weights` are those by which the log-likelihoods are multiplied; 1 each when None.
    """

    def __init__(
        self,
        names: frozenset[str],
        scorers: Sequence[tuple[str, OneValue]],
        prior: Sequence[float] = (),
        weights: Sequence[float] | None = None,
    ) -> None:
        self.prior = list(prior)
        self._names = names
        self._scorers = list(scorers)
        self._weights = None
        if weights is not None and any(weight != 1.0 for weight in weights):
            self._weights = list(weights)
            pairs = zip(self._scorers, weights, strict=True)
            self._scorers = [(name, _no_evidence(score) if weight == 0.0 else score) for (name, score), weight in pairs]

    def sums(self, row: Mapping[str, Any], start: Sequence[float]) -> list[float]:
        """start + Σ log P(value | class), class by class; a column that the row does not name is missing."""
        check_row(row, self._names)
        get = row.get
        try:
            logs = [score(get(name)) for name, score in self._scorers]
        except TypeError as error:
            raise type_error(row, error) from error
        weights = self._weights
        if weights is None:
            return list(map(sum, zip(start, *logs, strict=True)))
        of_classes = zip(start, zip(*logs, strict=True), strict=True)
        return [first + sum(map(mul, weights, of_class)) for first, of_class in of_classes]


def _no_evidence(score: OneValue) -> OneValue:
    """Check the value, and return 0 for each class: 0·(−∞) is 0 here."""
    return lambda value: [0.0] * len(score(value))


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
