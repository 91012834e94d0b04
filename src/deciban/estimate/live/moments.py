"""Moments that are updated one value at a time.

The values are collected in lists and counted together now and then, so that `part` gives what counting all the rows at
once would have given, with sums in double-double (see `Moments`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from deciban.estimate.columns.values import number_reader
from deciban.estimate.live.base import CollectedColumn, Counted, Setting, sample_of_codes
from deciban.read import Matrix
from deciban.tallies import Moments, gather_moments

__all__ = ["MOST_PENDING", "LiveMoments"]

MOST_PENDING = 4096
"""How many values of a class are collected before they are counted."""


class LiveMoments(CollectedColumn):
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

    def read(self, value: Any) -> float | None:
        number = self._number(value)
        if number is None:
            self._refuse_missing()
            return None
        return number if self._convert is None else self._convert(number, self.name)

    def add(self, read: float, j: int) -> None:
        pending = self._pending[j]
        pending.append(read)
        if len(pending) == MOST_PENDING:
            self.part()

    def part(self) -> Moments:
        if any(self._pending):
            codes = np.repeat(np.arange(self._classes, dtype=np.int32), [len(held) for held in self._pending])
            values = np.concatenate([np.array(held, dtype=np.float64) for held in self._pending])
            sample = sample_of_codes(codes, self._classes)
            matrix = Matrix(values[:, None], self._part.given_names)
            self._begin(self._part + gather_moments(matrix, sample, self._owner, missing_allowed=True))
        return self._part
