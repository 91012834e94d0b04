"""Columns of frames and mappings, and single columns → Column; the target column of a table by its name."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from deciban.errors import ColumnMismatchError, InputError, InputTypeError
from deciban.read.column import Column
from deciban.read.container import check_lengths, container_of, is_records, names_of
from deciban.read.frames import (
    column_from_series,
    columns_from_frame,
    drop_column,
    is_frame,
    is_series,
    split_frame,
)
from deciban.read.variable import generated_names
from deciban.suggest import did_you_mean

__all__ = ["column_of", "columns_from", "split_target", "without_target"]


def column_of(name: Any, values: Any) -> Column:
    """Read a Series, an Arrow array, a one-dimensional array, a sequence of values, or a column that was read.

    >>> column_of("wind", [3, None, 5]).numbers.tolist()
    [3.0, nan, 5.0]
    """
    if isinstance(values, list | tuple):
        return Column.of_objects(str(name), list(values))
    if isinstance(values, Column):
        return replace(values, name=str(name))
    if is_series(values) and not isinstance(values, np.ndarray):
        return column_from_series(values, str(name))
    if isinstance(values, str | bytes | Mapping) or not hasattr(values, "__len__"):
        raise InputTypeError(f"column {name!r} is {values!r}, not a list of values.")
    if not isinstance(values, np.ndarray):
        return Column.of_objects(str(name), list(values))
    array = container_of(values)
    if not isinstance(array, np.ndarray) or array.ndim != 1:
        raise InputError(f"column {name!r} has {values.ndim} dimensions, and a column is a list of values.")
    return Column.of_values(str(name), array)


def columns_from(X: Any, only: Collection[str] | None = None) -> tuple[list[Column], bool]:
    """Each column of a frame or mapping, or those of some names; and whether they have names of their own."""
    if not isinstance(X, Mapping):
        return columns_from_frame(X, only)
    given = names_of(list(X))
    names = given or generated_names(len(X))
    held = {name: values for name, values in zip(names, X.values(), strict=True) if only is None or name in only}
    columns = [column_of(name, values) for name, values in held.items()]
    check_lengths({column.name: len(column) for column in columns})
    return columns, given is not None


def split_target(X: Any, y: Any) -> tuple[Any, Any, str | None]:
    """The table, the labels, and the name of their column where `y` names one; that column leaves the table.

    >>> split_target({"sky": ["sun", "rain"], "play": ["yes", "no"]}, "play")
    ({'sky': ['sun', 'rain']}, ['yes', 'no'], 'play')
    """
    if not isinstance(y, str):
        return X, y, None
    table = container_of(X)
    if not is_frame(table):
        raise InputTypeError(
            f"y is the text {y!r}, which names a column, but X has no column names. Pass a frame, or one label a row."
        )
    if not isinstance(table, Mapping):
        rows, labels = split_frame(table, y)
        has_others = rows.shape[1] > 0
    elif y in table:
        rows, labels = {key: values for key, values in table.items() if key != y}, table[y]
        has_others = bool(rows)
    else:
        raise ColumnMismatchError(f"y names the column {y!r}, and X has none.{did_you_mean(y, table)}")
    if not has_others:
        raise ColumnMismatchError(f"the table has no column beside {y!r}: there is nothing to learn from.")
    return rows, labels, y


def without_target(X: Any, name: str | None) -> Any:
    """The table without the column of its target, where a name is given and the table has it."""
    if name is None or not (is_frame(X) or is_records(X)):
        return X
    table = container_of(X)
    if isinstance(table, Mapping):
        return {key: values for key, values in table.items() if key != name}
    return drop_column(table, name)
