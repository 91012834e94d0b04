"""Anything tabular → named columns, each with its states and codes."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from deciban.errors import ColumnMismatchError, InputError, InputTypeError
from deciban.limits import check_memory
from deciban.read.column import Column
from deciban.read.columns import column_of, columns_from
from deciban.read.container import columns_of_rows, container_of, dense_array
from deciban.read.frames import is_frame
from deciban.read.variable import Variable, generated_names
from deciban.suggest import did_you_mean
from deciban.types import AnyArray, Codes

__all__ = ["Table", "read_table"]


@dataclass(frozen=True, eq=False)
class Table:
    """Columns of one length; `is_named` when their names came with them."""

    columns: tuple[Column, ...]
    is_named: bool = False

    def __len__(self) -> int:
        return len(self.columns[0])

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    @property
    def given_names(self) -> tuple[str, ...] | None:
        return self.names if self.is_named else None

    @property
    def shape(self) -> tuple[int, int]:
        return len(self), len(self.columns)

    def without(self, name: str) -> tuple[Table, Column]:
        """Take one column out: the rest, and that column."""
        if name not in self.names:
            raise ColumnMismatchError(f"there is no column {name!r}.{did_you_mean(name, self.names)}")
        rest = tuple(column for column in self.columns if column.name != name)
        return Table(rest, self.is_named), self.columns[self.names.index(name)]

    def named(self, names: tuple[str, ...] | None) -> Table:
        """The same columns under other names."""
        used = names or generated_names(len(self.columns))
        columns = (replace(column, name=name) for column, name in zip(self.columns, used, strict=True))
        return Table(tuple(columns), names is not None)

    def take(self, rows: AnyArray | slice) -> Table:
        """Some of the rows."""
        return Table(tuple(column.take(rows) for column in self.columns), self.is_named)

    def codes(self, variables: tuple[Variable, ...]) -> Codes:
        """All columns coded, side by side (column-major)."""
        out = np.empty(self.shape, dtype=np.int32, order="F")
        for i, (column, variable) in enumerate(zip(self.columns, variables, strict=True)):
            out[:, i] = column.codes(variable)
        return out


def read_table(X: Any, names: tuple[str, ...] | None = None, only: Collection[str] | None = None) -> Table:
    """Read any table (`deciban.read.container` lists them); of one with names, perhaps some columns."""
    rows = columns_of_rows(X)
    if rows is not None:
        used = names or generated_names(len(rows))
        return _checked([column_of(name, held) for name, held in zip(used, rows, strict=True)], names is not None)
    X = container_of(X)
    if is_frame(X):
        return _checked(*columns_from(X, only))
    array = _array_from(X)
    if array.shape == (0,):
        raise InputError("Found array with 0 sample(s) (shape=(0,)) while a minimum of 1 is required.")
    if array.ndim != 2:
        raise InputError(f"Expected 2D array, got {array.ndim}D array instead. Reshape your data.")
    if array.dtype.kind == "c":
        raise InputError("Complex data not supported: a category is a label or a real number.")
    if array.dtype.kind == "V":
        raise InputTypeError(f"an array of type {array.dtype} holds no labels or numbers. Pass a frame.")
    if 0 in array.shape:
        what = "sample" if array.shape[0] == 0 else "feature"
        raise InputError(f"Found array with 0 {what}(s) (shape={array.shape}) while a minimum of 1 is required.")
    used = names or generated_names(array.shape[1])
    return _checked([Column.of_values(name, array[:, i]) for i, name in enumerate(used)], names is not None)


def _array_from(X: Any) -> AnyArray:
    if isinstance(X, np.ndarray):
        return X
    if sp.issparse(X):
        matrix: Any = X
        check_memory("the table of a sparse matrix", *matrix.shape, itemsize=matrix.dtype.itemsize)
        return matrix.toarray()
    return dense_array(X)


def _checked(columns: list[Column], is_named: bool) -> Table:
    if not columns or len(columns[0]) == 0:
        what, shape = ("sample", (0, len(columns))) if columns else ("feature", (0, 0))
        raise InputError(f"Found array with 0 {what}(s) (shape={shape}) while a minimum of 1 is required.")
    return Table(tuple(columns), is_named)
