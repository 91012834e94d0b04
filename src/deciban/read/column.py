"""One column of a table: numbers as they are, or distinct values and, for each row, which of them it has.

Python objects → numbers or labels: the rules for every container whose cells are objects.

===========================================================  ==========================================================
the values that are not missing                              the column
===========================================================  ==========================================================
int, float, Decimal, Fraction (numpy's and Arrow's too)      numbers, NaN where a value is missing
int alone                                                    whole numbers; labels where no 64-bit type holds them all,
                                                             or where some are missing and float64 would round others
anything else: text, bool, dates, tuples, mixed types        labels; a bool is a label, not a number
===========================================================  ==========================================================

Missing are None, NaN, NaT, pandas.NA, numpy.ma.masked and Arrow's nulls.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from numbers import Real
from typing import Any, Protocol

import numpy as np

from deciban.errors import InputError, InputTypeError
from deciban.read.variable import (
    EXACT,
    MISSING,
    PLAIN,
    Variable,
    distinct,
    factorize,
    is_missing,
    moments_of_python,
    number_of,
    object_array,
    plain,
    whole_number,
)
from deciban.storable import storable
from deciban.types import AnyArray, Codes

__all__ = ["MISSING_LABEL", "Column", "MissingLabel", "Numbers", "from_objects", "not_a_number"]


_LARGEST_CODE = 1 << 62
"""Whole numbers from here on are labels, not codes: so many states cannot be counted with 64 bits."""


@storable
@dataclass(frozen=True)
class MissingLabel:
    """The label of missing values where they are a state of their own: no text that a table may hold equals it."""

    def __str__(self) -> str:
        return "(missing)"

    __repr__ = __str__


MISSING_LABEL = MissingLabel()


class Numbers(Protocol):
    """An array of numbers, or what becomes one when it is read: numbers in chunks are copied only while in use."""

    @property
    def dtype(self) -> np.dtype[Any]: ...
    def __len__(self) -> int: ...
    # As NumPy's stubs have it, which no narrower type fits.
    def __getitem__(self, rows: Any, /) -> Any: ...
    def __array__(self, dtype: Any = ..., /, *, copy: bool | None = ...) -> AnyArray: ...


@dataclass(frozen=True, eq=False)
class Column:
    """A column's distinct values and each row's index among them; or the numbers that it held.

    `is_whole` when they are of an integer type, also where missing values make them floats here; `is_used` when it is
    known that every state has a row; `is_declared` when the states, in their order, came with the column's type, and
    `is_ordered` when that order means something;
    `is_marked` when markers of missing values were taken out of its labels.
    """

    name: str
    states: AnyArray
    indices: Codes
    held: Numbers | None = None
    is_whole: bool = False
    is_used: bool = False
    is_declared: bool = False
    is_ordered: bool = False
    is_marked: bool = False

    @classmethod
    def of_states(cls, name: str, states: AnyArray, indices: Codes, *, is_used: bool = False) -> Column:
        """Make a column from distinct values and indices; a state that is None or NaN is missing."""
        # Looked for among the states, which are few, not among the rows.
        gone = np.array([is_missing(state) for state in states.tolist()], dtype=bool)
        if gone.any():
            indices = np.where((indices >= 0) & gone[indices], MISSING, indices).astype(np.int32)
        return cls(name, states, indices, is_used=is_used and not gone.any())

    @classmethod
    def of_values(cls, name: str, values: AnyArray) -> Column:
        """Make a column from an array of numbers, labels, dates, or objects (`deciban.read.column` has the rules)."""
        if values.dtype.kind in "mM":  # as Python's objects, so that they equal the dates of other containers
            values = object_array(moments_of_python(values).tolist())
        elif values.dtype.kind in "OcV":
            return cls.of_objects(name, values.tolist())
        return cls._of_plain(name, values)

    @classmethod
    def of_objects(cls, name: str, values: list[Any]) -> Column:
        """Make a column from Python's objects, numbers or labels."""
        try:
            array, is_whole = from_objects(values)
        except InputError as error:
            raise InputError(f"column {name!r}: {error}") from None
        return cls._of_plain(name, array, is_whole=is_whole)

    @classmethod
    def _of_plain(cls, name: str, values: AnyArray, *, is_whole: bool = False) -> Column:
        if values.dtype.kind in "iuf":
            return cls.of_numbers(name, _aligned(values), is_whole=is_whole)
        try:
            states, indices = factorize(values)
        except TypeError as error:
            raise InputTypeError(
                f"column {name!r} holds a value that cannot be a category: {error}. "
                "In every cell the argument must be a string or a number."
            ) from error
        return cls.of_states(name, states, indices.astype(np.int32))

    @classmethod
    def of_numbers(cls, name: str, values: Numbers, *, is_whole: bool = False) -> Column:
        """Make a column of numbers; their distinct values are found when they are asked for."""
        is_whole = is_whole or values.dtype.kind in "iu"
        return cls(name, np.empty(0), np.empty(0, dtype=np.int32), values, is_whole)

    def __len__(self) -> int:
        return len(self.indices) if self.held is None else len(self.held)

    @property
    def is_numeric(self) -> bool:
        return self.held is not None

    @property
    def numbers(self) -> AnyArray:
        """The numbers as one array; of numbers in chunks, a new one at each call."""
        return np.asarray(self.held)

    @cached_property
    def extent(self) -> tuple[int, int]:
        """The least and the largest of whole numbers, of which there must be one."""
        numbers = self.numbers
        return int(numbers.min()), int(numbers.max())

    @property
    def is_float(self) -> bool:
        return self.held is not None and self.held.dtype.kind == "f"

    def take(self, rows: AnyArray | slice) -> Column:
        """Some of the rows."""
        if self.held is not None:
            return Column.of_numbers(self.name, self.held[rows], is_whole=self.is_whole)
        return replace(self, indices=self.indices[rows], is_used=False, is_marked=False)

    @property
    def is_missing(self) -> AnyArray:
        """Of each row, whether its value is missing."""
        if self.held is None:
            return self.indices == MISSING
        return np.isnan(self.numbers) if self.is_float else np.zeros(len(self), dtype=bool)

    @property
    def has_missing(self) -> bool:
        if self.is_float:
            return bool(np.isnan(self.numbers.min(initial=0.0)))  # NaN if one is, in one pass
        return self.held is None and bool(self.is_missing.any())

    def first_missing(self) -> int:
        """The first row whose value is missing."""
        return int(np.argmax(self.is_missing))

    def with_missing_state(self) -> Column:
        """The same column with one more state, which the rows have whose value is missing."""
        states, indices = self._states_and_indices()
        if not (indices == MISSING).any():
            return Column(self.name, states.astype(object), indices)
        known = object_array([*states.tolist(), MISSING_LABEL])
        return Column(self.name, known, np.where(indices == MISSING, len(states), indices).astype(np.int32))

    def without(self, markers: Collection[Any]) -> Column:
        """The same column, with the values that stand for missing ones taken as missing."""
        if self.held is not None:
            return self._without_numbers([float(m) for m in markers if isinstance(m, Real) and not isinstance(m, bool)])
        # The last, at index −1, is for missing values, which stay missing.
        gone = np.array([state in markers for state in self.states.tolist()] + [False], dtype=bool)
        if not gone.any():
            return self
        indices = np.where(gone[self.indices], MISSING, self.indices).astype(np.int32)
        return Column(self.name, self.states, indices, is_marked=not self.is_declared)

    def _without_numbers(self, markers: list[float]) -> Column:
        numbers = self.numbers
        marked = np.isin(numbers, markers)
        if not marked.any():
            return self
        # The NaN of a missing value needs float64, which would round such large whole numbers: they become labels.
        if self.is_whole and np.abs(numbers[~marked]).max(initial=0) > EXACT:
            states, indices = np.unique(numbers, return_inverse=True)
            return Column(self.name, states.astype(object), np.where(marked, MISSING, indices).astype(np.int32))
        return Column.of_numbers(self.name, np.where(marked, np.nan, numbers), is_whole=self.is_whole)

    def read_as(self, known: Variable) -> Column:
        """The same column with its values in the type of known labels, where the two differ in type.

        A value that stands for no label becomes what a new label of that type would be (`KnownLabels.typed`).
        """
        if self._has_type_of(known):
            return self
        states, indices = self._states_and_indices()
        labels = states.tolist()
        typed = [known.known_labels.typed(label) for label in labels]
        if all(map(operator.is_, typed, labels)):
            return self
        array, is_whole = from_objects(typed)
        if array.dtype.kind not in "iuf":
            return Column(self.name, array, indices)
        if not (indices == MISSING).any():
            return Column.of_numbers(self.name, array[indices], is_whole=is_whole)
        return Column.of_numbers(self.name, np.append(array.astype(np.float64), np.nan)[indices], is_whole=is_whole)

    def _has_type_of(self, known: Variable) -> bool:
        """True where numbers or text meet labels of the same type, which need no other reading."""
        if not len(known):
            return True
        if self.held is not None:
            return known.labels.dtype.kind in "iuf" or known.kinds <= {int, float, MissingLabel}
        return known.kinds <= {str, MissingLabel} and set(map(type, self.states.tolist())) <= {str}

    def _states_and_indices(self) -> tuple[AnyArray, Codes]:
        """The distinct values that some row has, and each row's index among them."""
        if self.held is None:
            return self.states, self.indices
        states, inverse = np.unique(self.numbers, return_inverse=True)  # all NaNs are one
        gone = np.isnan(states) if states.dtype.kind == "f" else np.zeros(len(states), dtype=bool)
        return states[~gone], np.where(gone[inverse], MISSING, inverse).astype(np.int32)

    def as_numbers(self) -> Column:
        """The same column as numbers; text is the number that it spells, and an error where it spells none."""
        if self.held is not None:
            return self
        numbers = np.full(len(self.states) + 1, np.nan)  # the last, at index −1: missing
        for i in np.flatnonzero(self.occurring()).tolist():
            number = _number(self.states[i])
            if number is None:
                row = int(np.argmax(self.indices == i))
                raise InputError(not_a_number(self.name, self.states[i], row))
            numbers[i] = number
        known = self.states[self.occurring()].tolist()
        is_whole = all(isinstance(state, int) or whole_number(str(state)) is not None for state in known)
        return replace(Column.of_numbers(self.name, numbers[self.indices], is_whole=is_whole), is_marked=self.is_marked)

    def is_codes(self) -> bool:
        """True for whole numbers, missing ones aside: values that are their own codes."""
        if self.held is None:
            return False
        known = self._known_numbers()
        return bool(known.dtype.kind != "f" or np.all(known == np.floor(known)))

    def occurring(self) -> AnyArray:
        """Which of the states some row has."""
        if self.is_used:  # as from Arrow's dictionary_encode: no look at the rows
            return np.ones(len(self.states), dtype=bool)
        return np.bincount(self.indices + 1, minlength=len(self.states) + 1)[1:] > 0

    def variable(self, *, coded: bool = False) -> Variable:
        """The variable with the states that occur; `coded` where whole numbers are their own codes."""
        if self.held is None:
            labels = distinct(self.states[self.occurring()])
            return Variable(self.name, labels, len(labels))
        labels = distinct(self._known_numbers())
        if not (coded and self.is_codes()) or (len(labels) and int(labels[-1]) >= _LARGEST_CODE):
            return Variable(self.name, labels, len(labels))
        codes = labels.astype(np.int64)
        size = int(codes[-1]) + 1 if len(codes) else 0
        return Variable.of_codes(self.name, size, codes)

    def codes(self, variable: Variable) -> Codes:
        """Each row's code in `variable`."""
        if self.held is not None:
            numbers = self.numbers
            if numbers.dtype.kind != "f":
                return variable.encode(numbers)
            self._check_finite(numbers)
            return variable.encode(numbers, np.isnan(numbers))
        code_of = np.append(variable.encode(self.states), np.int32(MISSING))
        return code_of[self.indices]  # MISSING is −1: the last

    def value(self, row: int) -> Any:
        """The value of one row, for messages."""
        if self.held is not None:
            return np.asarray(self.held[row : row + 1]).item()
        return None if self.indices[row] == MISSING else self.states[self.indices[row]]

    def _known_numbers(self) -> AnyArray:
        numbers = self.numbers
        if numbers.dtype.kind != "f":
            return numbers
        self._check_finite(numbers)
        return numbers[~np.isnan(numbers)]

    def _check_finite(self, numbers: AnyArray) -> None:
        if np.isinf(numbers).any():
            raise InputError(f"Input X contains infinity or a value too large: column {self.name!r}.")


def _number(value: object) -> float | None:
    """A finite number, also one that a text spells; None for other values, booleans among them."""
    if isinstance(value, str):
        return number_of(value)
    if not isinstance(value, Real) or isinstance(value, bool) or not np.isfinite(number := float(value)):
        return None
    return number


def not_a_number(name: str, value: object, row: int) -> str:
    """The error for a value of a column whose values were numbers in fit."""
    return (
        f"column {name!r} has {value!r} (row {row}), which is not a number, as its values were in fit. Correct it, or "
        "mark it as missing (na_values)."
    )


def _aligned(numbers: AnyArray) -> AnyArray:
    """The numbers as the kernels read them: in this machine's byte order, each at a multiple of its size."""
    if not numbers.dtype.isnative or not numbers.flags.aligned:
        return numbers.astype(numbers.dtype.newbyteorder("="))
    return np.ascontiguousarray(numbers) if numbers.strides[0] % numbers.itemsize else numbers


_NUMBERS = frozenset({int, float, Decimal, Fraction})
_NONE = type(None)


def from_objects(values: list[Any]) -> tuple[AnyArray, bool]:
    """An array of numbers, or of objects (labels); and whether the numbers are whole.

    >>> from_objects([1, None, 3])
    (array([ 1., nan,  3.]), True)
    >>> from_objects([1, "a", None])
    (array([1, 'a', None], dtype=object), False)
    """
    # A loop in C; the one in Python below is for the rare columns that need it.
    kinds = set(map(type, values))
    if not kinds <= PLAIN:
        values = [None if is_missing(value) else plain(value) for value in values]
        kinds = set(map(type, values))
    if complex in kinds:
        raise InputError("Complex data not supported: a value is a label or a real number.")
    known = kinds - {_NONE}
    if not known or not known <= _NUMBERS:
        return object_array(values), False
    if known == {int} and _NONE in kinds:  # only float64 has room for the missing ones
        fits = all(value is None or -EXACT <= value <= EXACT for value in values)
        return (np.array(values, dtype=np.float64), True) if fits else (object_array(values), False)
    if known == {int}:
        for dtype in (np.int64, np.uint64):  # uint64 holds twice as large ones, but none below 0
            with suppress(OverflowError):
                return np.array(values, dtype=dtype), True
        return object_array(values), False
    try:
        return np.array(values, dtype=np.float64), False  # None becomes NaN
    except OverflowError:
        return np.array(list(map(_float, values)), dtype=np.float64), False


def _float(value: float | Decimal | Fraction | None) -> float:
    """NaN for None; an infinity for an int, Decimal or Fraction beyond float64, which an error names later."""
    try:
        return math.nan if value is None else float(value)
    except OverflowError:
        return math.inf if value is not None and value > 0 else -math.inf
