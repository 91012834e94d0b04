"""Counts of labels that are updated and scored one value at a time.

P(v | j) = (n_jv + a) / (n_j + a·m), from the counts as they are now
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from deciban.errors import InputError
from deciban.estimate.live.base import Counted, LiveColumn, Setting
from deciban.estimate.smoothing import Laplace, Smoothing
from deciban.read import MISSING_LABEL, Variable, distinct, plain
from deciban.read.variable import object_array
from deciban.tallies import Counts, raise_fault
from deciban.types import AnyArray

__all__ = ["LiveCounts", "LivePresence"]

Cell = list[float]
"""How often one label was counted, class by class."""

_UNKNOWN: Any = object()


class _Smoothed(Counted, Protocol):
    """What the counter uses of `Categorical`."""

    @property
    def smoothing(self) -> Smoothing | None: ...


class _Thresholded(_Smoothed, Protocol):
    """What the counter uses of `Bernoulli`."""

    def is_present(self, value: Any, name: str) -> bool: ...


class LiveCounts(LiveColumn):
    """A categorical column: the counts of each label in the classes."""

    def __init__(self, kind: _Smoothed, part: Counts, setting: Setting, unseen: str | None) -> None:
        super().__init__(kind, setting)
        self._base, self._unseen = part, unseen
        self._cells: dict[Any, Cell] = dict(zip(part.variable.labels.tolist(), part.table.T.tolist(), strict=True))
        self._totals: Cell = part.table.sum(axis=1).tolist()
        self._nothing = [0.0] * self._classes
        self._fresh: tuple[Any, Cell] = (None, [])
        self._smoothing: Smoothing = kind.smoothing or Laplace()
        self.scores = self._smoothing.is_even
        self._settle()
        self._known: dict[Any, Cell | None] = dict(self._cells)
        for value in (None, *setting.markers):
            self._known.pop(value, None)
            if kind.missing == "skip":
                self._known[value] = None

    def read(self, value: Any) -> Cell | None:
        found = self._known.get(value, _UNKNOWN)
        return found if found is not _UNKNOWN else self._read_other(value)

    def add(self, read: Cell, j: int) -> None:
        if read is self._fresh[1]:
            label = self._fresh[0]
            self._cells[label] = self._known[label] = read
            self._fresh = (None, [])
            self._settle()
        read[j] += 1
        self._totals[j] += 1

    def part(self) -> Counts:
        labels, table = list(self._cells), np.array(list(self._cells.values())).reshape(-1, self._classes)
        base = self._base.variable
        if len(labels) == len(base) and not base.is_coded:
            return Counts(base, np.ascontiguousarray(table.T))
        held = _array_of(labels)
        variable = Variable(self.name, distinct(held), len(labels))
        ordered = np.zeros((self._classes, len(labels)), dtype=table.dtype)
        ordered[:, variable.encode(held)] = table.T
        return Counts(variable, ordered)

    def score(self, value: Any) -> Sequence[float]:
        cell = self._known.get(value, _UNKNOWN)
        if cell is _UNKNOWN:
            cell = self._cell_of(value)
        return self._nothing if cell is None else self._logs(cell)

    def _logs(self, cell: Cell) -> list[float]:
        a, added = self._pseudo, self._added
        if a > 0 and self._classes == 2:  # the usual number, for which a loop costs more than the logarithms
            (n0, n1), (total0, total1) = cell, self._totals
            return [math.log((n0 + a) / (total0 + added)), math.log((n1 + a) / (total1 + added))]
        if a > 0:
            return [math.log((n + a) / (total + added)) for n, total in zip(cell, self._totals, strict=True)]
        flat = -math.log(max(len(self._cells), 1))
        return [
            math.log(n / total) if n > 0 else -math.inf if total > 0 else flat
            for n, total in zip(cell, self._totals, strict=True)
        ]

    def _settle(self) -> None:
        """Compute the pseudo-counts, which depend on the number of labels."""
        states = len(self._cells)
        self._pseudo = self._smoothing.pseudocount(states, self._classes) if states and self.scores else 0.0
        self._added = self._pseudo * states

    def _read_other(self, value: Any) -> Cell | None:
        """A new label, a missing value, or a scalar of numpy or Arrow that holds one of these."""
        held = plain(value)
        if held is not value:
            return self.read(held)
        if self._is_missing(value):
            self._refuse_missing()
            if self.kind.missing != "state":
                return None
            value = MISSING_LABEL
            if value in self._cells:
                return self._cells[value]
        if isinstance(value, float) and math.isinf(value):
            raise InputError(f"Input X contains infinity or a value too large: column {self.name!r}.")
        self._smoothing.pseudocounts(len(self._cells) + 1)  # an error where a rule is for fewer labels
        self._fresh = (value, [0] * self._classes)
        return self._fresh[1]

    def _cell_of(self, value: Any) -> Cell | None:
        """The counts of an unseen label or a missing value; None where it is no evidence."""
        held = plain(value)
        if held is not value:
            found = self._known.get(held, _UNKNOWN)
            return self._cell_of(held) if found is _UNKNOWN else found
        if self._is_missing(value):
            if self.kind.missing != "state":
                return None
            return self._cells.get(MISSING_LABEL, None if self._unseen == "ignore" else self._nothing)
        if self._unseen == "error":
            raise_fault(("unseen", 0, 0), "the model", (self.name,), value)
        return None if self._unseen == "ignore" else self._nothing


class LivePresence(LiveCounts):
    """A column that is present or not."""

    kind: _Thresholded

    def read(self, value: Any) -> Cell | None:
        if self._is_missing(value):
            self._refuse_missing()
            return None
        return self._cells[self.kind.is_present(value, self.name)]

    def score(self, value: Any) -> Sequence[float]:
        if self._is_missing(value):
            return self._nothing
        return self._logs(self._cells[self.kind.is_present(value, self.name)])


def _array_of(labels: list[Any]) -> AnyArray:
    """Labels as a column of a table would hold them: as numbers where all are numbers and stay distinct."""
    if all(type(label) in (int, float) for label in labels):
        numbers = np.array(labels)
        if numbers.dtype.kind in "iuf" and len(np.unique(numbers)) == len(labels):
            return numbers
    return object_array(labels)
