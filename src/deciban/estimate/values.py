"""The values of a column: numbers as an array, and single values, with what is missing among them."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Collection, Sequence
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from deciban.errors import InputError
from deciban.read import MISSING, Column, is_missing, not_a_number, number_of, plain
from deciban.tallies import Counts, raise_fault
from deciban.types import AnyArray, Floats

__all__ = [
    "Example",
    "Markers",
    "is_missing",
    "marked_numbers",
    "matrix_of",
    "number_reader",
    "numbers_of",
    "plain_numbers",
    "read_number",
    "short_number",
    "states_of",
]


Markers = frozenset[object]
"""Further values that stand for missing ones."""

# Comparing with it excludes NaN and both infinities at once.
_LARGEST = sys.float_info.max


def numbers_of(column: Column) -> Floats:
    """The numbers of a column, NaN where they are missing; an error where it holds something else, or infinity."""
    numbers = plain_numbers(column)
    if numbers.dtype.kind == "f" and np.isinf(numbers).any():
        raise_fault(("infinite", int(np.argmax(np.isinf(numbers))), 0), "the model", (column.name,))
    return numbers.astype(np.float64, copy=False)


def plain_numbers(column: Column) -> AnyArray:
    """The numbers of a column in a type that the kernels read, infinities included."""
    if not column.is_numeric:
        if (column.indices == MISSING).all():  # all values are missing, so the column has no type
            return np.full(len(column), np.nan)
        other = next((state for state in column.states.tolist() if not _is_number(state)), None)
        raise _not_a_number(f"column {column.name!r} holds {other!r}")
    numbers = column.numbers
    is_plain = numbers.dtype.isnative and (numbers.dtype.kind in "iu" or numbers.dtype.itemsize in (4, 8))
    return numbers if is_plain else numbers.astype(np.float64)


def matrix_of(columns: Sequence[Column]) -> Floats:
    """The numbers of several columns: rows × columns."""
    return np.stack([numbers_of(column) for column in columns], axis=1)


def read_number(value: Any, name: str) -> float:
    """One finite number, also one that a text spells, or an error that names its column."""
    if isinstance(value, str):
        spelled = number_of(value)
        if spelled is None:
            raise InputError(not_a_number(name, value, 0))
        return spelled
    try:
        # `float` would read bytes and booleans; the empty text raises the same error as other values that are none.
        number = float("" if isinstance(value, bytes | bool) else value)
    except (TypeError, ValueError):
        raise _not_a_number(f"column {name!r} is {value!r}") from None
    except OverflowError:  # an integer beyond the largest float
        number = math.inf
    if math.isinf(number):
        raise_fault(("infinite", 0, 0), "the model", (name,))
    return number


def marked_numbers(markers: Collection[object]) -> frozenset[float]:
    """The numbers among the values that stand for missing ones."""
    return frozenset(float(m) for m in markers if isinstance(m, Real) and not isinstance(m, bool))


def number_reader(name: str, markers: Collection[object]) -> Callable[[object], float | None]:
    """A function that gives one value of a column as a number, or None where it is missing."""
    missing = marked_numbers(markers)

    def read(value: Any) -> float | None:
        kind = type(value)
        if (kind is float or kind is int) and -_LARGEST <= value <= _LARGEST:  # the usual case
            number = float(value)
        elif is_missing(value) or (scalar := plain(value)) in markers:
            return None
        else:
            number = read_number(scalar, name)
        # Again, as text may spell a marker: "-999" is −999 in a column of numbers.
        return None if number in missing else number

    return read


def _is_number(value: object) -> bool:
    # Python's bool is a number, but a column of booleans is one of labels.
    return isinstance(value, Real) and not isinstance(value, bool)


def _not_a_number(finding: str) -> InputError:
    return InputError(f"{finding}, which is not a number. Give it a Categorical() distribution.")


class Example(NamedTuple):
    """A value as text, the value itself, and how many rows it represents."""

    text: str
    value: Any
    rows: float


def states_of(part: Counts) -> list[Example]:
    """The states that occurred."""
    rows, labels = part.table.sum(axis=0).tolist(), part.variable.labels.tolist()
    return [Example(str(label), label, count) for label, count in zip(labels, rows, strict=True) if count > 0]


def short_number(number: float) -> str:
    """A number in a few digits.

    >>> short_number(0.123456), short_number(23.0), short_number(1234567.8), short_number(-0.0)
    ('0.1235', '23', '1,234,568', '0')
    """
    # Four digits would write 12,345 as 1.234e+04; from a billion on the power of ten is easier to read.
    is_long = 1e4 <= abs(number) < 1e9
    return f"{number:,.0f}" if is_long else f"{number:z.4g}"
