"""Adding and taking out counts: exact for integers, and never below zero."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields
from typing import Any, TypeVar

import numpy as np

from deciban.choices import did_you_mean
from deciban.errors import ColumnMismatchError, NegativeCountError, ParameterError
from deciban.limits import check_memory
from deciban.types import AnyArray

__all__ = [
    "ClassTable",
    "add_to_zero",
    "check_factor",
    "check_known",
    "equal_by_value",
    "labelled",
    "part_as",
    "place_columns",
    "place_rows",
    "subtract",
    "variables_of",
]

T = TypeVar("T")

_ROUNDING = 1e-9


class ClassTable:
    """A part of a tally that is a table with a row for each class."""

    table: AnyArray

    @property
    def classes(self) -> int:
        return len(self.table)

    @property
    def is_empty(self) -> bool:
        return not self.table.any()


def add_to_zero(self: T, other: object) -> T:
    """``0 + tally`` is the tally, so that ``sum(tallies)`` adds many."""
    return self if type(other) is int and other == 0 else NotImplemented


def check_factor(factor: float) -> float:
    """The factor by which a tally is scaled, which must be finite and not negative."""
    if not 0 <= factor < np.inf:
        raise ParameterError(f"a tally is scaled by a finite number that is not negative, not {factor}.")
    return float(factor)


def check_known(names: Iterable[Any], known: Sequence[Any], noun: str) -> None:
    """Refuse a name that is not among the known ones."""
    for name in names:
        if name not in known:
            raise ColumnMismatchError(f"there is no {noun} {name!r}.{did_you_mean(name, known)}")


def equal_by_value(self: object, other: object) -> bool:
    """The ``==`` of frozen values that hold arrays: all fields are equal."""
    if type(other) is not type(self):
        return NotImplemented
    kind: Any = type(self)
    names = [field.name for field in fields(kind)]
    return all(_is_equal(getattr(self, name), getattr(other, name)) for name in names)


def variables_of(part: Any) -> tuple[Any, ...]:
    """The variables whose states a part of a tally has counted; none of numbers."""
    return tuple(getattr(part, "variables", ()))


def part_as(part: Any, known: Any) -> Any:
    """A part of a tally with labels in the type of those of another part; numbers have one type."""
    return part.read_as(known) if hasattr(part, "read_as") else part


def _is_equal(a: Any, b: Any) -> bool:
    return np.array_equal(a, b) if isinstance(a, np.ndarray) else bool(a == b)


def place_rows(table: AnyArray, indices: AnyArray, rows: int) -> AnyArray:
    """Put row i of the table at indices[i] of a table of `rows` rows, the others zero."""
    check_memory("the counts of both tallies", rows, *table.shape[1:])
    out = np.zeros((rows, *table.shape[1:]), dtype=table.dtype)
    out[indices] = table
    return out


def place_columns(table: AnyArray, indices: AnyArray, columns: int) -> AnyArray:
    """Put column i of the table at indices[i] of a table of `columns` columns, the others zero."""
    check_memory("the counts of both tallies", table.shape[0], columns)
    out = np.zeros((table.shape[0], columns), dtype=table.dtype)
    out[:, indices] = table
    return out


def subtract(
    a: AnyArray, b: AnyArray, where: Callable[[tuple[int, ...]], str], class_axis: int | None = None
) -> AnyArray:
    """a − b; what rounding alone made negative is 0, a truly negative count an error that says `where`.

    Where one axis is that of the classes, the error also says the class: by its index here, and by its label once the
    tally that knows it has seen the error (`labelled`).
    """
    left = np.asarray(a - b)
    if left.dtype.kind == "f":
        noise = _ROUNDING * np.maximum(np.abs(a), np.abs(b))
        left = np.where(np.abs(left) <= noise, 0.0, left)
    if left.size and left.min() < 0:
        at = tuple(int(i) for i in np.unravel_index(int(left.argmin()), left.shape))
        error = NegativeCountError(_message(where(at), None if class_axis is None else at[class_axis], left[at]))
        error.cell = None if class_axis is None else (where(at), at[class_axis], left[at])
        raise error
    return left


def labelled(error: NegativeCountError, labels: AnyArray) -> NegativeCountError:
    """The error with the label of the class instead of its index."""
    if error.cell is None:
        return error
    what, index, left = error.cell
    return NegativeCountError(_message(what, labels.tolist()[index], left))


def _message(what: str, label: Any, left: Any) -> str:
    where = what if label is None else f"{what} in class {label!r}"
    return f"the count of {where} would be {left.item():g}: what is taken out was never counted."
