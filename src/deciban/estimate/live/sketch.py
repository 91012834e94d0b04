"""A sketch that is updated one value at a time: w_jv by value, added to the sketch when it is needed."""

from __future__ import annotations

from typing import Any

import numpy as np

from deciban.estimate.columns.values import number_reader
from deciban.estimate.live.base import CollectedColumn, Counted, Setting
from deciban.tallies import Sketch

__all__ = ["LiveSketch"]

_MOST_PENDING = 4096


class LiveSketch(CollectedColumn):
    """The values since the sketch was last updated, and how often each occurred in each class."""

    def __init__(self, kind: Counted, part: Sketch, setting: Setting) -> None:
        super().__init__(kind, setting)
        self._number = number_reader(setting.name, setting.markers)
        self._part = part
        self._pending: dict[float, list[int]] = {}

    def read(self, value: Any) -> float | None:
        number = self._number(value)
        if number is None:
            self._refuse_missing()
            return None
        return number + 0.0  # −0 is 0

    def add(self, read: float, j: int) -> None:
        counts = self._pending.get(read)
        if counts is None:
            counts = self._pending[read] = [0] * self._classes
        counts[j] += 1
        if len(self._pending) >= _MOST_PENDING:
            self.part()

    def part(self) -> Sketch:
        if self._pending:
            values = sorted(self._pending)
            table = np.array([self._pending[value] for value in values], dtype=np.int64).T
            self._part = self._part + Sketch(self._part.name, np.array(values), np.ascontiguousarray(table))
            self._pending = {}
        return self._part
