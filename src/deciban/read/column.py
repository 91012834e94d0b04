"""One column of a table: numbers as they are, or distinct values and, for each row, which of them it has."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from deciban.errors import InputError, InputTypeError
from deciban.read.variable import MISSING, Variable, distinct, factorize, object_array
from deciban.types import AnyArray, Codes

__all__ = ["MISSING_LABEL", "Column", "MissingLabel"]


@dataclass(frozen=True)
class MissingLabel:
    """The label of missing values where they are a state of their own: no text that a table may hold equals it."""

    def __str__(self) -> str:
        return "(missing)"

    __repr__ = __str__


MISSING_LABEL = MissingLabel()


@dataclass(frozen=True, eq=False)
class Column:
    """A column's distinct values and each row's place among them; `numbers` when it held numbers.

    `is_whole` when they are of an integer type, also where gaps make them floats here.
    """

    name: str
    states: AnyArray
    places: Codes
    numbers: AnyArray | None = None
    is_whole: bool = False

    @classmethod
    def of_states(cls, name: str, states: AnyArray, places: Codes) -> Column:
        """Make a column from distinct values and places; a state that is None or NaN is missing."""
        gone = np.array([_is_missing(state) for state in states.tolist()], dtype=bool)
        if gone.any():
            places = np.where((places >= 0) & gone[places], MISSING, places).astype(np.int32)
        return cls(name, states, places)

    @classmethod
    def of_values(cls, name: str, values: AnyArray) -> Column:
        """Make a column from plain values, numbers or labels; objects that all are numbers are numbers."""
        if values.dtype.kind == "O" and all(type(v) in (int, float) or isinstance(v, np.number) for v in values):
            values = np.array(values.tolist())
        if values.dtype.kind in "iuf":
            return cls.of_numbers(name, values)
        try:
            states, places = factorize(values)
        except TypeError as error:
            raise InputTypeError(
                f"column {name!r} holds a value that cannot be a category: {error}. "
                "In every cell the argument must be a string or a number."
            ) from error
        return cls.of_states(name, states, places.astype(np.int32))

    @classmethod
    def of_numbers(cls, name: str, values: AnyArray, *, is_whole: bool = False) -> Column:
        """Make a column of numbers; their distinct values are found when they are asked for."""
        is_whole = is_whole or values.dtype.kind in "iu"
        return cls(name, np.empty(0), np.empty(0, dtype=np.int32), values, is_whole)

    def __len__(self) -> int:
        return len(self.places) if self.numbers is None else len(self.numbers)

    def take(self, rows: AnyArray | slice) -> Column:
        """Some of the rows."""
        if self.numbers is not None:
            return Column.of_numbers(self.name, self.numbers[rows], is_whole=self.is_whole)
        return Column(self.name, self.states, self.places[rows])

    @property
    def is_missing(self) -> AnyArray:
        """Of each row, whether its value is missing."""
        if self.numbers is None:
            return self.places == MISSING
        return np.isnan(self.numbers) if self.numbers.dtype.kind == "f" else np.zeros(len(self), dtype=bool)

    @property
    def has_missing(self) -> bool:
        return bool(self.is_missing.any())

    def first_missing(self) -> int:
        """The first row whose value is missing."""
        return int(np.argmax(self.is_missing))

    def with_missing_state(self) -> Column:
        """The same column with one more state, which the rows have whose value is missing."""
        if self.numbers is None:
            states, places = self.states, self.places
        else:
            states, inverse = np.unique(self.numbers, return_inverse=True)
            gone = np.isnan(states) if states.dtype.kind == "f" else np.zeros(len(states), dtype=bool)
            places = np.where(gone[inverse], MISSING, inverse).astype(np.int32)
        if not (places == MISSING).any():
            return Column(self.name, states.astype(object), places)
        known = object_array([*states.tolist(), MISSING_LABEL])
        return Column(self.name, known, np.where(places == MISSING, len(states), places).astype(np.int32))

    def without(self, markers: Collection[Any]) -> Column:
        """The same column, with the values that stand for missing ones taken as missing."""
        if self.numbers is not None:
            wanted = [float(m) for m in markers if isinstance(m, Real) and not isinstance(m, bool)]
            marked = np.isin(self.numbers, wanted)
            if not marked.any():
                return self
            if self.is_whole and np.abs(self.numbers[~marked]).max(initial=0) > 2**53:  # too large for floats to tell
                states, places = np.unique(self.numbers, return_inverse=True)
                return Column(self.name, states.astype(object), np.where(marked, MISSING, places).astype(np.int32))
            return Column.of_numbers(self.name, np.where(marked, np.nan, self.numbers), is_whole=self.is_whole)
        gone = np.array([state in markers for state in self.states.tolist()] + [False], dtype=bool)
        if not gone.any():
            return self
        return Column(self.name, self.states, np.where(gone[self.places], MISSING, self.places).astype(np.int32))

    def is_codes(self) -> bool:
        """True for whole numbers, missing ones aside: values that are their own codes."""
        if self.numbers is None:
            return False
        known = self._known_numbers()
        return bool(known.dtype.kind != "f" or np.all(known == np.floor(known)))

    def occurring(self) -> AnyArray:
        """Which of the states some row has."""
        return np.bincount(self.places + 1, minlength=len(self.states) + 1)[1:] > 0

    def variable(self, *, coded: bool = False) -> Variable:
        """The variable with the states that occur; `coded` where whole numbers are their own codes."""
        if self.numbers is None:
            labels = distinct(self.states[self.occurring()])
            return Variable(self.name, labels, len(labels))
        labels = np.unique(self._known_numbers())
        if not (coded and self.is_codes()):
            return Variable(self.name, labels, len(labels))
        codes = labels.astype(np.int64)
        size = int(codes[-1]) + 1 if len(codes) else 0
        return Variable.of_codes(self.name, size, codes)

    def codes(self, variable: Variable) -> Codes:
        """Each row's code in `variable`."""
        if self.numbers is not None:
            self._known_numbers()
            missing = np.isnan(self.numbers) if self.numbers.dtype.kind == "f" else None
            return variable.encode(self.numbers, missing)
        own = np.append(variable.encode(self.states), np.int32(MISSING))
        return own[self.places].astype(np.int32)  # MISSING is −1: the last

    def value(self, row: int) -> Any:
        """The value of one row, for messages."""
        if self.numbers is not None:
            return self.numbers[row].item()
        return None if self.places[row] == MISSING else self.states[self.places[row]]

    def _known_numbers(self) -> AnyArray:
        numbers = np.asarray(self.numbers)
        if numbers.dtype.kind != "f":
            return numbers
        known = numbers[~np.isnan(numbers)]
        if np.isinf(known).any():
            raise InputError(f"Input X contains infinity or a value too large: column {self.name!r}.")
        return known


def _is_missing(value: Any) -> bool:
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float) and value != value
