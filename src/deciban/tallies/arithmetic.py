"""The parts of a tally; adding and taking out counts: exact for integers, and never below zero."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Self

import numpy as np

from deciban.choices import did_you_mean
from deciban.errors import ColumnMismatchError, NegativeCountError, ParameterError
from deciban.limits import check_memory
from deciban.read import Variable
from deciban.storable import ByFields
from deciban.types import AnyArray, Ints

__all__ = ["ClassTable", "Part", "check_factor", "check_known", "place_columns", "place_rows", "subtract"]

_ROUNDING = 1e-9


class Part(ByFields, ABC):
    """What a tally keeps of some columns: a frozen dataclass.

    `classes` is the number of classes; `shown` gives the rows of a printed tally: column, state, and a cell a class;
    the first `most` of them where there may be very many. A part of several columns also has `of_columns(kept)`: the
    same statistics of some of them, by index.
    """

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...]: ...
    @property
    @abstractmethod
    def classes(self) -> int: ...
    @property
    @abstractmethod
    def is_empty(self) -> bool: ...
    @abstractmethod
    def __add__(self, other: Self, /) -> Self: ...
    @abstractmethod
    def __sub__(self, other: Self, /) -> Self: ...
    @abstractmethod
    def scaled(self, factor: float) -> Self: ...
    @abstractmethod
    def reclassed(self, indices: Ints, classes: int) -> Self: ...
    @abstractmethod
    def of_classes(self, kept: AnyArray) -> Self: ...
    @abstractmethod
    def shown(self, most: int) -> Iterator[tuple[str, str, list[Any]]]: ...

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables whose states were counted; none of numbers."""
        return ()

    @property
    def counted_as(self) -> str:
        """How the columns were counted, in words."""
        return type(self).__name__

    def read_as(self, known: Self) -> Self:
        """The same statistics, of labels in the type of those of another part; numbers have one type."""
        return self

    def without(self, other: Self, labels: AnyArray) -> Self:
        """self − other; an error names the class by its label."""
        try:
            return self - other
        except NegativeCountError as error:
            raise _labelled(error, labels) from None


class ClassTable(Part):
    """A part of a tally that is a table with a row for each class."""

    table: AnyArray

    @property
    def classes(self) -> int:
        return len(self.table)

    @property
    def is_empty(self) -> bool:
        return not self.table.any()


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
    tally that knows it has seen the error (`Part.without`).
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


def _labelled(error: NegativeCountError, labels: AnyArray) -> NegativeCountError:
    """The error with the label of the class instead of its index."""
    if error.cell is None:
        return error
    what, index, left = error.cell
    return NegativeCountError(_message(what, labels.tolist()[index], left))


def _message(what: str, label: Any, left: Any) -> str:
    where = what if label is None else f"{what} in class {label!r}"
    return f"the count of {where} would be {left.item():g}: what is taken out was never counted."
