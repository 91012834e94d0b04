"""A column that is left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from deciban.estimate.distributions.base import Distribution, Likelihood
from deciban.read import Column, Variable
from deciban.tally import Counts, Sample
from deciban.types import Codes, Floats

__all__ = ["Ignore"]


@dataclass(frozen=True, kw_only=True)
class Ignore(Distribution):
    """No evidence for any class."""

    def count(self, column: Column, sample: Sample, owner: str) -> Counts:  # noqa: ARG002  nothing is looked at
        return Counts(Variable(column.name, np.empty(0, dtype=object), 0), np.zeros((len(sample.classes), 0), np.int64))

    @classmethod
    def ways_to_miss(cls) -> tuple[str, ...]:
        return "skip", "error"

    def leave_one_out(
        self,
        parts: Sequence[Counts],
        columns: Sequence[Column],
        y: Codes,
        weights: Floats,  # noqa: ARG002  nothing was counted
    ) -> Floats:
        return np.zeros((len(y), len(columns), len(parts[0].table)))

    def check(self, column: Column, owner: str) -> None:
        """Accept whatever the column holds."""

    def estimate(self, parts: Sequence[Counts]) -> Likelihood:
        return _Nothing(len(parts[0].table))


class _Nothing(Likelihood):
    def __init__(self, classes: int) -> None:
        self._classes = classes

    def columns(self, columns: Sequence[Column]) -> Floats:
        return np.zeros((len(columns[0]), len(columns), self._classes))
