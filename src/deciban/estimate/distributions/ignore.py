"""A column that is left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from deciban.estimate.distributions.base import Distribution, Likelihood, OneValue
from deciban.estimate.distributions.values import Markers
from deciban.estimate.live.base import LiveColumn, Setting
from deciban.read import Column, Variable
from deciban.tallies import Counts, Sample
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

    def live(self, part: Counts, setting: Setting) -> LiveColumn:
        return _NothingLearned(self, part, setting)

    def estimate(self, parts: Sequence[Counts]) -> Likelihood:
        return _Nothing(len(parts[0].table))


class _Nothing(Likelihood):
    def __init__(self, classes: int) -> None:
        self._classes = classes

    def columns(self, columns: Sequence[Column]) -> Floats:
        return np.zeros((len(columns[0]), len(columns), self._classes))

    def one(self, i: int, names: Sequence[str], markers: Markers = frozenset()) -> OneValue:  # noqa: ARG002
        nothing = [0.0] * self._classes
        return lambda _: nothing


class _NothingLearned(LiveColumn):
    scores = True

    def __init__(self, kind: Ignore, part: Counts, setting: Setting) -> None:
        super().__init__(kind, setting)
        self._part, self._nothing = part, [0.0] * setting.classes

    def read(self, value: Any) -> None:
        """Look at nothing."""

    def add(self, read: None, j: int) -> None:
        """Count nothing."""

    def part(self) -> Counts:
        return self._part

    def score(self, value: Any) -> Sequence[float]:  # noqa: ARG002
        return self._nothing
