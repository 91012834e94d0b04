"""Counts of labels that are updated and scored one value at a time.

P(v | j) = (n_jv + a_v) / (n_j + Σa), from the counts as they are now
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from deciban.errors import InputError
from deciban.estimate.columns.values import is_missing
from deciban.estimate.live.base import CoreColumn, Counted, Setting
from deciban.estimate.live.kernels import LabelColumn, PresenceColumn
from deciban.estimate.smoothing import Laplace, Smoothing
from deciban.read import MISSING_LABEL, Variable, distinct, plain
from deciban.read.spelling import KnownLabels
from deciban.read.variable import label_array
from deciban.tallies import Counts, raise_fault
from deciban.types import AnyArray, Floats

__all__ = ["LiveCounts", "LivePresence"]

_UNKNOWN: Any = object()


class _Smoothed(Counted, Protocol):
    """What the counter uses of `Categorical`."""

    @property
    def smoothing(self) -> Smoothing | None: ...


class _Thresholded(_Smoothed, Protocol):
    """What the counter uses of `Bernoulli`."""

    @property
    def threshold(self) -> float: ...
    def is_present(self, value: Any, name: str) -> bool: ...


class LiveCounts(CoreColumn):
    """A categorical column: the counts of each label in the classes."""

    core: LabelColumn

    def __init__(self, kind: _Smoothed, part: Counts, setting: Setting, unseen: str | None) -> None:
        super().__init__(kind, setting)
        self._base = part
        self._labels: list[Any] = part.variable.labels.tolist()
        reader = _LabelReader(self._labels, kind, setting, unseen)
        table, pseudocounts = _floats(part.table.T), _pseudocounts(self._labels, kind.smoothing, setting)
        self.core = LabelColumn(
            table, part.variable.size, reader.codes, self._labels, pseudocounts, reader.read, reader.look_up
        )

    def part(self) -> Counts:
        base, table = self._base.variable, self.core.counts().astype(self._base.table.dtype)
        if len(self._labels) == len(base) and not base.is_coded:
            return Counts(base, np.ascontiguousarray(table.T))
        variable = Variable(self.name, distinct(held := label_array(self._labels)), len(held))
        ordered = np.zeros((self._classes, len(held)), dtype=table.dtype)
        ordered[:, variable.encode(held)] = table.T
        return Counts(variable, ordered)


class LivePresence(CoreColumn):
    """A column that is present or not."""

    core: PresenceColumn

    def __init__(self, kind: _Thresholded, part: Counts, setting: Setting) -> None:
        super().__init__(kind, setting)
        self._base = part
        labels: list[Any] = part.variable.labels.tolist()
        codes, reader = (labels.index(False), labels.index(True)), _PresenceReader(kind, setting)
        table, pseudocounts = _floats(part.table.T), _pseudocounts(labels, kind.smoothing, setting)
        self.core = PresenceColumn(
            table, codes, float(kind.threshold), bool(setting.markers), pseudocounts, reader.read, reader.look_up
        )

    def part(self) -> Counts:
        table = self.core.counts().T.astype(self._base.table.dtype)
        return Counts(self._base.variable, np.ascontiguousarray(table))


class _LabelReader:
    """Gives values their codes: `codes` has those of labels and markers, the methods take the other values."""

    def __init__(self, labels: list[Any], kind: _Smoothed, setting: Setting, unseen: str | None) -> None:
        self.codes: dict[Any, int | None] = {label: code for code, label in enumerate(labels)}
        self._labels, self._setting, self._unseen = labels, setting, unseen
        self._missing, self._smoothing = kind.missing, kind.smoothing or Laplace()
        self._known = len(labels), KnownLabels(labels)
        for value in (None, *setting.markers):
            self.codes.pop(value, None)
            if self._missing == "skip":
                self.codes[value] = None

    def read(self, value: Any) -> int | tuple[Any] | None:
        """The code of a label that is in another form, or of a missing value; a new label as a tuple."""
        held = self._typed(value)
        if held is not value and (found := self.codes.get(held, _UNKNOWN)) is not _UNKNOWN:
            return found
        if self._setting.is_missing(held):
            if self._missing == "error":
                self._setting.refuse_missing()
            if self._missing != "state":
                return None
            held = MISSING_LABEL
            if held in self.codes:
                return self.codes[held]
        if isinstance(held, float) and math.isinf(held):
            raise InputError(f"Input X contains infinity or a value too large: column {self._setting.name!r}.")
        self._smoothing.pseudocounts(len(self._labels) + 1)  # an error where a rule is for fewer labels
        return (held,)

    def look_up(self, value: Any) -> int | None:
        """The code of a value that is scored; that after the last one for an unseen label, None for no evidence."""
        held = self._typed(value)
        if held is not value and (found := self.codes.get(held, _UNKNOWN)) is not _UNKNOWN:
            return found
        unseen = None if self._unseen == "ignore" else len(self._labels)
        if self._setting.is_missing(held):
            return self.codes.get(MISSING_LABEL, unseen) if self._missing == "state" else None
        if self._unseen == "error":
            raise_fault(("unseen", 0, 0), "the model", (self._setting.name,), held)
        return unseen

    def _typed(self, value: Any) -> Any:
        """The value that a scalar holds, in the type of the labels so far."""
        held = plain(value)
        if is_missing(held):
            return held
        if self._known[0] != len(self._labels):
            self._known = len(self._labels), KnownLabels(self._labels)
        return self._known[1].typed(held)


class _PresenceReader:
    """Says of values other than floats and booleans whether they are present; None for a missing one."""

    def __init__(self, kind: _Thresholded, setting: Setting) -> None:
        self._kind, self._setting = kind, setting

    def read(self, value: Any) -> bool | None:
        if self._kind.missing == "error" and self._setting.is_missing(value):
            self._setting.refuse_missing()
        return self.look_up(value)

    def look_up(self, value: Any) -> bool | None:
        return None if self._setting.is_missing(value) else self._kind.is_present(value, self._setting.name)


def _pseudocounts(labels: list[Any], rule: Smoothing | None, setting: Setting) -> Callable[[int], Floats]:
    """The pseudo-counts of so many states, in the order of `labels`; a rule has those of sorted labels."""
    smoothing = rule or Laplace()

    def pseudocounts(states: int) -> Floats:
        if smoothing.is_even:
            return np.full(states, smoothing.pseudocount(states, setting.classes) if states else 0.0)
        held = label_array(labels)
        return smoothing.pseudocounts(states, setting.classes)[Variable("", distinct(held), states).encode(held)]

    return pseudocounts


def _floats(table: AnyArray) -> Floats:
    return np.ascontiguousarray(table, dtype=np.float64)
