"""Counts of a discrete variable within each class.

n_jv = #(class = j, X = v)

The statistics of a column whose missing values are evidence: its part, and how often it is missing.

m_jg = Σ weight of the rows of class j whose value is known (g = 0) or missing (g = 1)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from deciban.errors import ColumnMismatchError
from deciban.limits import check_memory
from deciban.read import Variable
from deciban.storable import check_numbers, require, storable
from deciban.tallies.tally import ClassTable, Part, ShownRow, place_columns, place_rows, subtract
from deciban.types import AnyArray, Ints

__all__ = ["Counts", "WithMissing"]


_LABEL = 100  # bytes, about: a short text, its place in an array, and in the dict of codes


def _check_counts(counts: Counts) -> None:
    """Counts must fit the states of their variable."""
    require(isinstance(counts.variable, Variable), "counts have no variable")
    check_numbers(counts.table, (None, None), "counts")
    # A wide coded variable may list only the states that occurred, or all up to its size.
    require(counts.table.shape[1] in (len(counts.variable), counts.variable.size), "counts do not fit their states")


@storable(check=_check_counts)
@dataclass(frozen=True, eq=False)
class Counts(ClassTable):
    """Class × state counts of one variable: integers, or floats where rows have weights."""

    variable: Variable
    table: AnyArray

    @property
    def names(self) -> tuple[str, ...]:
        return (self.variable.name,)

    def shown(self, most: int) -> Iterator[ShownRow]:
        """Column, state and cells: the rows of a printed tally."""
        for v, label in enumerate(self.variable.labels.tolist()):
            yield self.variable.name if v == 0 else "", str(label), self.table[:, v].tolist()

    def __add__(self, other: Counts) -> Counts:
        a, b = self.aligned(other)
        return Counts(a.variable, a.table + b.table)

    def __sub__(self, other: Counts) -> Counts:
        a, b = self.aligned(other)
        return a.less(b)._trimmed()

    def less(self, other: Counts) -> Counts:
        """self − other, of the same variable; states without a row stay."""

        def where(at: tuple[int, ...]) -> str:
            return f"{self.variable.name!r} = {self.variable.labels.tolist()[at[1]]!r}"

        return Counts(self.variable, subtract(self.table, other.table, where, 0))

    def scaled(self, factor: float) -> Counts:
        return Counts(self.variable, self.table * float(factor))

    def reclassed(self, indices: Ints, classes: int) -> Counts:
        return Counts(self.variable, place_rows(self.table, indices, classes))

    def of_classes(self, kept: AnyArray) -> Counts:
        return Counts(self.variable, self.table[kept])

    def restated(self, variable: Variable) -> Counts:
        """The same counts over a variable that has all the states of this one, and perhaps more."""
        if variable is self.variable or variable == self.variable:
            return self
        indices = variable.encode(self.variable.labels)
        return Counts(variable, place_columns(self.table, indices, len(variable)))

    @property
    def variables(self) -> tuple[Variable, ...]:
        return (self.variable,)

    def read_as(self, known: Counts) -> Counts:
        """The same counts of labels in the type of those that other counts have."""
        variable = self.variable.read_as(known.variable)
        if variable is self.variable:
            return self
        table = np.zeros((len(self.table), len(variable)), dtype=self.table.dtype)
        # Two labels may have become one.
        np.add.at(table.T, variable.encode(self.variable.labels), self.table.T)
        return Counts(variable, table)

    def _trimmed(self) -> Counts:
        """Remove the states that no row has any more."""
        used: AnyArray = np.asarray(self.table.any(axis=0))
        if used.all():
            return self
        variable = self.variable.restricted(used)
        indices = variable.encode(self.variable.labels[used])
        return Counts(variable, place_columns(self.table[:, used], indices, len(variable)))

    def aligned(self, other: Counts) -> tuple[Counts, Counts]:
        if self.variable.name != other.variable.name:
            raise ColumnMismatchError(
                f"column {self.variable.name!r} cannot be joined with column {other.variable.name!r}."
            )
        variable = self.variable.union(other.variable)
        if len(variable) > max(len(self.variable), len(other.variable)):
            # The numbers of an identifier in a large file grow with each batch, until memory is full.
            each = _LABEL if self.variable.labels.dtype.kind == "O" else 8
            what = f"the labels of column {self.variable.name!r}"
            check_memory(what, len(variable), itemsize=each, advice="Leave the column out, or group its rare states.")
        return self.restated(variable), other.restated(variable)


def _check_with_missing(part: WithMissing) -> None:
    """Missing values must be counted for the classes of the column."""
    require(isinstance(part.part, Part) and not isinstance(part.part, WithMissing), "missing values have no column")
    check_numbers(part.presence, (part.part.classes, 2), "numbers of missing values")


@storable(check=_check_with_missing)
@dataclass(frozen=True, eq=False)
class WithMissing(Part):
    """The part of one column, and a table of class × (known, missing)."""

    part: Part
    presence: AnyArray

    @property
    def names(self) -> tuple[str, ...]:
        return self.part.names

    @property
    def variables(self) -> tuple[Variable, ...]:
        return self.part.variables

    def read_as(self, known: WithMissing) -> WithMissing:
        """The same statistics, of labels in the type of those that other ones have."""
        return WithMissing(self.part.read_as(known.part), self.presence)

    @property
    def components(self) -> tuple[Part, ...]:
        return self.part.components

    @property
    def counted_as(self) -> str:
        return f"{self.part.counted_as} and missing values"

    @property
    def classes(self) -> int:
        return len(self.presence)

    def shown(self, most: int) -> Iterator[ShownRow]:
        """The rows of the part in a printed tally, and one more for the missing values."""
        yield from self.part.shown(most)
        yield "", "(missing)", self.presence[:, 1].tolist()

    @property
    def is_empty(self) -> bool:
        return self.part.is_empty and not self.presence.any()

    def __add__(self, other: WithMissing) -> WithMissing:
        self._check(other)
        return WithMissing(self.part + other.part, self.presence + other.presence)

    def __sub__(self, other: WithMissing) -> WithMissing:
        self._check(other)
        return WithMissing(self.part - other.part, subtract(self.presence, other.presence, self._cell, 0))

    def scaled(self, factor: float) -> WithMissing:
        return WithMissing(self.part.scaled(factor), self.presence * float(factor))

    def reclassed(self, indices: Ints, classes: int) -> WithMissing:
        return WithMissing(self.part.reclassed(indices, classes), place_rows(self.presence, indices, classes))

    def of_classes(self, kept: AnyArray) -> WithMissing:
        return WithMissing(self.part.of_classes(kept), self.presence[kept])

    def _check(self, other: WithMissing) -> None:
        if type(self.part) is not type(other.part):
            raise ColumnMismatchError(f"column {self.names[0]!r} is not counted in the same way in both tallies.")

    def _cell(self, at: tuple[int, ...]) -> str:
        return f"{('known', 'missing')[at[1]]} values of {self.names[0]!r}"
