"""A column that is read in batches: its codes or its numbers go to a temporary file, its states are collected.

The codes of a column are as wide as the states so far need, 8 or 16 bits; they are in the order in which the states
were found, and are put into sorted order at the end. Numbers with more different values than can be counted become
64-bit floats: numbers with fractions beyond ``FEW`` different ones, whole numbers beyond ``MOST_STATES``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from deciban.errors import MissingValueError
from deciban.nets.data.kinds import FEW, MOST_STATES, ColumnKind, check_kind, kind_of_counts
from deciban.nets.data.samples import check_numbers, numbers_of_labels
from deciban.nets.data.scratch import ScratchArray
from deciban.nets.data.states import MISSING, States, distinct_values
from deciban.read import MISSING_LABEL, Column, distinct
from deciban.read.variable import object_array
from deciban.types import AnyArray, Floats

__all__ = ["ColumnSpool"]

_MOST_IN_A_BYTE = 255
"""The largest code of a type stands for a missing value."""


class ColumnSpool:
    """The values of one column, batch after batch.

    Parameters
    ----------
    name
        The name of the column.
    is_raw
        Whether numbers are kept as they are from the start, because they will not be counted.
    """

    def __init__(self, name: Any, *, is_raw: bool = False) -> None:
        self.name = name
        self._wants_numbers = is_raw
        self._is_raw = False
        self._held = ScratchArray(np.uint8)
        self._code_of: dict[Any, int] = {}
        self._rows = self._missing = 0
        self._weight = self._missing_weight = 0.0
        self._has_fractions = False
        self._is_numeric = True

    def extend(self, column: Column, sample_weight: Floats | None) -> None:
        """Add the column's values in one batch."""
        is_missing = column.is_missing
        self._rows += len(column)
        self._missing += int(is_missing.sum())
        weights = np.ones(len(column)) if sample_weight is None else sample_weight
        self._weight += float(weights.sum())
        self._missing_weight += float(weights[is_missing].sum())
        self._is_numeric = self._is_numeric and column.is_numeric
        if self._wants_numbers and not self._is_raw and column.is_numeric and not self._code_of:
            self._to_numbers()
        if self._is_raw:
            self._held.extend(self._numbers_of(column))
        else:
            self._add_states(column)

    def _add_states(self, column: Column) -> None:
        values, codes = distinct_values(column)
        if column.is_float and not column.is_codes():
            self._has_fractions = True
        new_codes = [self._code_of.setdefault(value, len(self._code_of)) for value in values]
        if len(self._code_of) > (FEW if self._has_fractions else MOST_STATES):
            self._to_numbers()
            self._held.extend(self._numbers_of(column))
            return
        if len(self._code_of) > _MOST_IN_A_BYTE and self._held.dtype == np.uint8:
            self._recode(np.arange(_MOST_IN_A_BYTE), MISSING, np.uint16)
        self._held.extend(np.array([*new_codes, MISSING])[codes].astype(self._held.dtype))

    def _to_numbers(self) -> None:
        """Keep numbers from here on; labels of which there are too many are an error."""
        self._is_raw = True
        if not self._is_numeric:
            check_kind(self.name, self.kind(), "")
        self._recode(np.array([*map(float, self._code_of)]), np.nan, np.float64)

    def _recode(self, entries: AnyArray, missing: Any, dtype: Any) -> None:
        """Replace every code by its entry."""
        held = ScratchArray(dtype)
        self._look_up(entries, missing, held)
        self._held = held

    def _look_up(self, entries: AnyArray, missing: Any, out: ScratchArray) -> None:
        """Append the entry of every code; the largest code of the type is that of a missing value."""
        most = np.iinfo(self._held.dtype).max
        table = np.full(most + 1, missing).astype(out.dtype)
        table[: min(len(entries), most)] = entries[:most]
        for block in self._held.blocks():
            out.extend(table[block])

    def _numbers_of(self, column: Column) -> Floats:
        return np.asarray(column.numbers if column.is_numeric else numbers_of_labels(self.name, column, ""))

    def kind(self, *, is_weighted: bool = True, with_missing: bool = False) -> ColumnKind:
        """What the column holds.

        `is_weighted`: rows count by their weights. `with_missing`: a missing value is a state, so that the values are
        labels.
        """
        rows, missing = (self._weight, self._missing_weight) if is_weighted else (self._rows, self._missing)
        options = {"is_numeric": self._is_numeric, "has_fractions": self._has_fractions, "is_least": self._is_raw}
        found = kind_of_counts(len(self._code_of), int(rows - missing), **options)
        if not (with_missing and self._missing):
            return found
        check_kind(self.name, found, "fill the missing values")
        return kind_of_counts(len(self._code_of) + 1, int(rows), is_numeric=False, has_fractions=False)

    def states(self, *, with_missing: bool = False) -> States:
        """The states in order; `with_missing` when a missing value is one of them."""
        self.check_values()
        found = list(map(float, self._code_of)) if self._has_fractions else list(self._code_of)
        if with_missing and self._missing:
            found.append(MISSING_LABEL)
        return States(tuple(distinct(object_array(found)).tolist()))

    def write_codes(self, states: States, out: ScratchArray) -> None:
        """Append the codes of these states."""
        code_of = {state: code for code, state in enumerate(states.values)}
        self._look_up(np.array([code_of[value] for value in self._code_of]), code_of.get(MISSING_LABEL, MISSING), out)

    def write_numbers(self, out: ScratchArray, labels: str) -> None:
        """Append the numbers; `labels` says what to use for labels."""
        self.check_values()
        if not self._is_raw:
            self._recode(self._numbers_of_states(labels), np.nan, np.float64)
            self._is_raw = True
        begin = 0
        for block in self._held.blocks():
            check_numbers(self.name, block, first=begin, is_part=True)
            out.extend(block)
            begin += len(block)

    def check_values(self) -> None:
        """Refuse a column without any value."""
        if self._missing == self._rows:
            raise MissingValueError(f"column {self.name!r} has no value at all: every row is missing. Leave it out.")

    def _numbers_of_states(self, labels: str) -> Floats:
        states = object_array(self._code_of)
        column = Column(str(self.name), states, np.arange(len(states), dtype=np.int32))
        return numbers_of_labels(self.name, column, labels)
