"""One row: its values by name, and the table of one row that they make."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping
from typing import Any

import numpy as np

from deciban.errors import ColumnMismatchError, InputTypeError
from deciban.models.form import Form
from deciban.read import Column, Matrix, Table
from deciban.read.variable import object_array
from deciban.suggest import did_you_mean

__all__ = ["array_of_row", "check_row", "table_of_row", "type_error", "values_of"]


def check_row(row: Mapping[str, Any], names: frozenset[str]) -> None:
    """Refuse a row with a column that the model does not have."""
    if not row.keys() <= names:
        unknown = min(map(str, row.keys() - names))
        raise ColumnMismatchError(f"there is no column {unknown!r}.{did_you_mean(unknown, sorted(names))}")


def table_of_row(row: Mapping[str, Any], form: Form, names: tuple[str, ...], markers: Collection[Any] = ()) -> Table:
    """The row as a table of one row; columns that it does not name are missing, and so are markers of missing values.

    `form` says which names the row may have, and `names` are those of the columns.
    """
    check_row(row, form.allowed(names))
    columns = (Column.of_values(name, object_array([row.get(name)])).without(markers) for name in names)
    return Table(tuple(columns), form.names is not None)


def array_of_row(row: Mapping[str, Any], form: Form, names: tuple[str, ...]) -> Any:
    """The row as an array of one row; columns that it does not name are missing."""
    check_row(row, form.allowed(names))
    values = np.empty((1, len(names)), dtype=object)
    values[0, :] = [row.get(name) for name in names]
    return values


def values_of(data: Matrix | Table) -> list[Any]:
    """The values of the first row of a table or a matrix."""
    if isinstance(data, Table):
        return [column.value(0) for column in data.columns]
    return data.dense()[0].tolist()


def type_error(row: Mapping[str, Any], error: TypeError) -> TypeError:
    """The error for a row with a value that cannot be a label; `error` itself where all values can."""
    wrong = [name for name, value in row.items() if not isinstance(value, Hashable)]
    if not wrong:
        return error
    return InputTypeError(f"column {wrong[0]!r} is {row[wrong[0]]!r}, which is neither a number nor a label.")
