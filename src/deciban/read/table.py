"""Anything tabular → named columns, each with its states and codes.

One row in any form → a mapping of names to values.

A mapping, a pandas Series, a frame of one row, a named tuple, a dataclass or a row of a database names its values; a
list, a tuple or an array has them in the order of the columns.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from deciban.choices import did_you_mean
from deciban.errors import ColumnMismatchError, InputError, InputTypeError
from deciban.limits import check_memory
from deciban.read.column import Column
from deciban.read.container import column_of, columns_from, columns_of_rows, container_of, dense_array, is_frame
from deciban.read.variable import Variable, generated_names
from deciban.types import AnyArray, Codes

__all__ = ["Table", "read_row", "read_table"]


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


def read_row(row: Any, names: Sequence[str] | None = None) -> dict[str, Any]:
    """Read one row; `names` are those of the columns, None where they are not known and the row must name them.

    >>> read_row({"sky": "sun"}), read_row(("sun", 21.5), ["sky", "warm"])
    ({'sky': 'sun'}, {'sky': 'sun', 'warm': 21.5})
    """
    held = _named_values(row, names)
    if held is None and not _is_table(row):
        return _in_order(list(row), names)
    if held is not None and not (held and all(map(_is_column, held.values()))):
        return held
    table = read_table(row if held is None else held)
    if len(table) != 1:
        raise InputError(f"one row is expected, not {len(table)}.")
    values = {column.name: column.value(0) for column in table.columns}
    return values if table.is_named else _in_order(list(values.values()), names)


def _named_values(row: Any, names: Sequence[str] | None) -> dict[Any, Any] | None:
    """The row as a mapping, if it names its values."""
    if isinstance(row, Mapping):
        return dict(row)
    if hasattr(row, "_asdict"):
        return _values_of_tuple(row, names)
    if is_dataclass(row) and not isinstance(row, type):
        return {field.name: getattr(row, field.name) for field in fields(row)}
    if getattr(row, "ndim", 0) == 1 and hasattr(row, "to_dict"):  # a Series of pandas
        held = row.to_dict()
        return held if all(isinstance(name, str) for name in held) else None
    keys = getattr(getattr(row, "dtype", None), "names", None) if isinstance(row, np.void) else _keys(row)
    return None if keys is None else {name: row[name] for name in keys}


def _values_of_tuple(row: Any, names: Sequence[str] | None) -> dict[str, Any]:
    """The values of a named tuple; that of `itertuples` has the index, and renames columns such as "hours per week"."""
    values = dict(row._asdict())
    known = values.keys() if names is None else names
    if names is not None and type(row).__name__ == "Pandas" and "Index" not in known:
        values.pop("Index", None)
    is_renamed = any(re.fullmatch(r"_\d+", name) and name not in known for name in values)
    return dict(zip(known, values.values(), strict=True)) if is_renamed and len(values) == len(known) else values


def _keys(row: Any) -> Any:
    """The names in a record such as a sqlite3.Row."""
    return row.keys() if hasattr(row, "keys") and not is_frame(row) else None


def _is_table(row: Any) -> bool:
    if is_frame(row) or getattr(row, "ndim", 1) == 2:
        return True
    if isinstance(row, str | bytes) or not (hasattr(row, "__len__") and hasattr(row, "__iter__")):
        raise InputTypeError(
            "a row is a mapping of names to values, a table of one row, or a list of values in the order of the "
            f"columns, not a {type(row).__name__}."
        )
    return len(row) == 1 and _is_column(next(iter(row)))


def _is_column(value: Any) -> bool:
    return hasattr(value, "__len__") and not isinstance(value, str | bytes | tuple)


def _in_order(values: list[Any], names: Sequence[str] | None) -> dict[str, Any]:
    if names is None:
        raise InputTypeError("the first row names the columns: pass a mapping of names to values.")
    if len(values) != len(names):
        raise ColumnMismatchError(f"the row has {len(values)} values, but there are {len(names)} columns.")
    return dict(zip(names, values, strict=True))
