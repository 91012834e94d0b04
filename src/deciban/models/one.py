"""One row at a time: joint log-probabilities from a mapping of names to values, without a table around it."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from deciban.errors import ColumnMismatchError
from deciban.estimate import Likelihood
from deciban.estimate.distributions.base import OneValue

__all__ = ["OneRow"]


class OneRow:
    """A model made ready for single rows."""

    def __init__(
        self,
        names: Sequence[str],
        prior: Sequence[float],
        groups: Sequence[tuple[Likelihood, Sequence[int]]],
        markers: Collection[Any] = (),
    ) -> None:
        self._prior = list(prior)
        self._markers = frozenset(markers)
        self._names = frozenset(names)
        self._scorers: list[tuple[str, OneValue]] = [
            (names[place], likelihood.one(i, [names[k] for k in places]))
            for likelihood, places in groups
            for i, place in enumerate(places)
        ]

    def joint(self, row: Mapping[str, Any]) -> list[float]:
        """log P(class) + Σ log P(value | class); a column that the row does not have is missing."""
        if not row.keys() <= self._names:
            strange = sorted(map(str, row.keys() - self._names))
            raise ColumnMismatchError(f"there is no column {strange[0]!r}; the columns are {sorted(self._names)}.")
        total, get, markers = self._prior, row.get, self._markers
        for name, score in self._scorers:
            value = get(name)
            if value is not None and value not in markers:
                total = [a + b for a, b in zip(total, score(value), strict=True)]
            else:
                total = [a + b for a, b in zip(total, score(None), strict=True)]
        return total

    def posterior(self, row: Mapping[str, Any]) -> list[float]:
        """P(class | row); the prior where no class can have made the row."""
        joint = self.joint(row)
        largest = max(joint)
        if largest == -math.inf:
            joint, largest = self._prior, max(self._prior)
        odds = [math.exp(value - largest) for value in joint]
        whole = sum(odds)
        return [value / whole for value in odds]
