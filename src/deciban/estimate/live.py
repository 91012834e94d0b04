"""Counters that are updated one value at a time: what a tally keeps of a column, in a form that is cheap to add to.

Columns of labels, normal columns and bins are counted and scored in the core (`CoreColumn`). Other columns collect
values (`CollectedColumn`) and are estimated again when they are first scored after a row was learned. There a value is
first read, which may fail and does not change the counts, and only then added, so that a row is learned as a whole or
not at all. `part` gives what counting all the rows at once would have given.

A column of the core reads the usual values itself: str, int, float, bool and None. All others go to a function of
Python, which also raises the errors. ``tests/reference/rows.py`` says what each column computes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import ClassVar, Generic, NamedTuple, Protocol, TypeVar

import numpy as np

from deciban import _core
from deciban.estimate.likelihood import OneValue
from deciban.estimate.values import Markers, is_missing, marked_numbers, number_reader
from deciban.read import Column, Variable, object_array, plain
from deciban.tallies import Part, Sample, raise_fault
from deciban.types import Codes

__all__ = [
    "BinColumn",
    "CollectedColumn",
    "CoreColumn",
    "Counted",
    "LabelColumn",
    "LiveColumn",
    "LiveRow",
    "LiveRows",
    "NormalColumn",
    "OtherColumn",
    "PresenceColumn",
    "RowColumn",
    "Setting",
    "core_reader",
    "sample_of_codes",
]


Read = TypeVar("Read")
"""What a counter reads from a value."""

# Counting has a fixed cost: values wait until there are so many, or until the counts are asked for.
_MOST_PENDING = 1024
# One row of one class, to check a value before it is learned.
_ONE = Sample(Variable("y", np.array([0]), 1), np.zeros(1, dtype=np.int32), np.array([1]))


class Counted(Protocol):
    """What a counter uses of the distribution of its column."""

    @property
    def missing(self) -> str | None: ...
    def count(self, column: Column, sample: Sample, owner: str) -> Part: ...


class Setting(NamedTuple):
    """The name of a column, the values that are missing there, the model that owns it, and the number of classes."""

    name: str
    markers: Markers
    owner: str
    classes: int

    def is_missing(self, value: object) -> bool:
        """True for a missing value and for a marker of one."""
        return is_missing(value) or plain(value) in self.markers

    def refuse_missing(self) -> None:
        """Raise the error for a missing value."""
        raise_fault(("missing", 0, 0), self.owner, (self.name,))


class LiveColumn(ABC):
    """A counter of one column; `scores` is True where it scores values by itself."""

    scores: ClassVar[bool] = True

    def __init__(self, kind: Counted, setting: Setting) -> None:
        self.kind, self.setting = kind, setting
        self.name, self.markers, self._owner, self._classes = setting

    @property
    def refuse_missing(self) -> Callable[[], None] | None:
        """What raises the error for a missing value; None where it is no error."""
        return self.setting.refuse_missing if self.kind.missing == "error" else None

    @abstractmethod
    def part(self) -> Part:
        """The counts, as a part of a tally."""

    @abstractmethod
    def row_column(self, score: OneValue) -> RowColumn:
        """The column as the core uses it; `score` is for columns that do not score values by themselves."""


class CoreColumn(LiveColumn):
    """A counter that reads, adds and scores values in the core."""

    core: CountedColumn

    def row_column(self, score: OneValue) -> RowColumn:
        return self.core


class CollectedColumn(LiveColumn, Generic[Read]):
    """A counter that collects values."""

    scores = False

    @abstractmethod
    def read(self, value: object) -> Read | None:
        """What `add` takes for a value; None when there is nothing to add. The counts stay as they are."""

    @abstractmethod
    def add(self, read: Read, j: int) -> None:
        """Count what was read in class j."""

    def row_column(self, score: OneValue) -> RowColumn:
        return OtherColumn(self.read, self.add, score)

    def _refuse_missing(self) -> None:
        if self.refuse_missing is not None:
            self.refuse_missing()


class LiveRows(CollectedColumn[object]):
    """For any distribution: values are collected and counted together. Each is counted alone first, to check it."""

    def __init__(self, kind: Counted, part: Part, setting: Setting) -> None:
        super().__init__(kind, setting)
        self._part = part
        self._values: list[object] = []
        self._codes: list[int] = []

    def read(self, value: object) -> object:
        if self.setting.is_missing(value):
            value = np.nan
        self.kind.count(self._column([value]), _ONE, self._owner)
        return value

    def add(self, read: object, j: int) -> None:
        self._values.append(read)
        self._codes.append(j)
        if len(self._values) >= _MOST_PENDING:
            self.part()

    def part(self) -> Part:
        if self._values:
            sample = sample_of_codes(np.array(self._codes, dtype=np.int32), self._classes)
            self._part = self._part + self.kind.count(self._column(self._values), sample, self._owner)
            self._values, self._codes = [], []
        return self._part

    def _column(self, values: list[object]) -> Column:
        return Column.of_values(self.name, object_array(values))


def sample_of_codes(codes: Codes, classes: int) -> Sample:
    """Rows of weight 1 whose classes are these codes."""
    return Sample(Variable("y", np.arange(classes), classes), codes, np.bincount(codes, minlength=classes))


BinColumn = _core.BinColumn
CountedColumn = _core.CountedColumn
LabelColumn = _core.LabelColumn
LiveRow = _core.LiveRow
NormalColumn = _core.NormalColumn
OtherColumn = _core.OtherColumn
PresenceColumn = _core.PresenceColumn
RowColumn = _core.RowColumn


def core_reader(name: str, markers: Markers, refuse_missing: Callable[[], None] | None) -> _core.NumberReader:
    """How the core reads the numbers of a column; `refuse_missing` raises the error where a missing value is one."""
    numbers = np.array(sorted(marked_numbers(markers)), dtype=np.float64)
    return _core.NumberReader(number_reader(name, markers), numbers, refuse_missing)
