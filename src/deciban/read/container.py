"""The containers of a table, converted to one of four: a frame, a mapping of columns, an array, a sparse matrix.

======================================================  ================================================================
given                                                   read as
======================================================  ================================================================
a list of mappings, one for each row                    a mapping of columns; what a row leaves out is missing
a list of lists or tuples                               columns, each by the rules of `deciban.read.column`
a masked array                                          an array whose masked values are missing
a structured array                                      a mapping of columns
numpy.matrix                                            an array
a frame of pandas, polars or Arrow, a DuckDB relation,  a frame
and whatever has `__arrow_c_stream__`
======================================================  ================================================================

`deciban.read.frame` is imported where a frame is met, here and elsewhere: with it comes pyarrow, whose import takes
longer than a prediction of one row.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from deciban.choices import did_you_mean
from deciban.errors import ColumnMismatchError, InputError, InputTypeError
from deciban.read.column import Column
from deciban.read.variable import generated_names
from deciban.types import AnyArray

__all__ = [
    "check_lengths",
    "column_of",
    "columns_from",
    "columns_of_rows",
    "container_of",
    "dense_array",
    "is_frame",
    "is_records",
    "is_series",
    "names_of",
    "split_target",
    "take_rows",
    "without_target",
]


def container_of(X: Any) -> Any:
    """The same table in a container that readers know.

    >>> container_of([{"sky": "sun"}, {"wind": 3}])
    {'sky': ['sun', None], 'wind': [None, 3]}
    """
    if isinstance(X, np.ndarray):
        return _from_array(X)
    if is_records(X):
        names = dict.fromkeys(name for row in X for name in row)
        return {name: [row.get(name) for row in X] for name in names}
    if X is None or isinstance(X, str | bytes):
        raise InputError(f"Expected 2D array, got {X!r} instead. A table is a frame, an array or a mapping of columns.")
    if hasattr(X, "collect") and not is_frame(X):
        raise InputTypeError(f"a {type(X).__name__} holds no rows yet. Call its collect() first.")
    if hasattr(X, "__arrow_c_stream__") and not hasattr(X, "shape"):  # a stream, which can be read once
        from deciban.read.frame import table_of_stream  # noqa: PLC0415  brings pyarrow, which takes long to load

        return table_of_stream(X)
    return X


def is_frame(X: Any) -> bool:
    """True for a table of named columns; a mapping of names to columns is one too."""
    if sp.issparse(X):  # one kind of sparse matrix is a mapping
        return False
    # A Series has a dtype, an Arrow array a type; a DuckDB relation has a type too, but also columns.
    is_column = hasattr(X, "dtype") or (hasattr(X, "type") and not hasattr(X, "columns"))
    speaks_arrow = hasattr(X, "__arrow_c_stream__") and not is_column
    return isinstance(X, Mapping) or hasattr(X, "__dataframe__") or speaks_arrow


def is_records(X: Any) -> bool:
    """True for a list of mappings, one for each row."""
    return isinstance(X, list | tuple) and len(X) > 0 and all(isinstance(row, Mapping) for row in X)


def is_series(y: Any) -> bool:
    """True for a column that stands alone: a Series of pandas or polars, or an Arrow array."""
    if hasattr(y, "__arrow_array__") or hasattr(y, "__arrow_c_array__") or hasattr(y, "__arrow_c_stream__"):
        return True
    kind = getattr(sys.modules.get("pandas"), "Series", None)  # before pandas 3, a Series has no interface of Arrow
    return isinstance(kind, type) and isinstance(y, kind)


def columns_of_rows(X: Any) -> list[tuple[Any, ...]] | None:
    """The columns of a list of rows, whose values keep their types; None where the rows are not lists."""
    if not isinstance(X, list | tuple) or not X or not all(isinstance(row, list | tuple) for row in X):
        return None
    wide = len(X[0])
    for i, row in enumerate(X):
        if len(row) != wide:
            raise InputError(f"the rows do not make a table: row {i} has {len(row)} values, and row 0 has {wide}.")
    return list(zip(*X, strict=True))


def dense_array(X: Any) -> AnyArray:
    """The array that numpy makes of rows that are not lists: arrays, or objects with an array interface."""
    try:
        return np.asarray(X)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"the rows do not make a table: {error}") from error


def check_lengths(lengths: Mapping[Any, int]) -> None:
    """Raise an error where the columns differ in length."""
    if len(set(lengths.values())) > 1:
        shown = ", ".join(f"{name!r} has {length}" for name, length in list(lengths.items())[:6])
        raise InputError(f"the columns are not of one length: {shown}{', …' if len(lengths) > 6 else ''}.")


def names_of(given: Sequence[Any]) -> tuple[str, ...] | None:
    """The names of columns, or None where none of them is text; as scikit-learn, an error where only some are."""
    kinds = {"str" if isinstance(name, str) else type(name).__name__ for name in given}
    if "str" in kinds and len(kinds) > 1:
        raise InputTypeError(
            "Feature names are only supported if all input features have string names, but your input has "
            f"{sorted(kinds)} as feature name / column name types."
        )
    return tuple(map(str, given)) if kinds == {"str"} else None


def _from_array(X: AnyArray) -> Any:
    if isinstance(X, np.ma.MaskedArray):
        return _unmasked(X)
    if X.dtype.names is not None and X.ndim == 1:
        return {name: np.asarray(X[name]) for name in X.dtype.names}
    return np.asarray(X)


def _unmasked(X: Any) -> AnyArray:
    """Masked floats become NaN, other masked values None."""
    if not np.ma.is_masked(X):
        return np.asarray(X.data)
    if X.dtype.kind == "f":
        return X.filled(np.nan)
    held = np.asarray(X.data).astype(object)
    held[np.ma.getmaskarray(X)] = None
    return held


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
        from deciban.read.frame import column_from_series  # noqa: PLC0415  brings pyarrow, which takes long to load

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
        from deciban.read.frame import columns_from_frame  # noqa: PLC0415  brings pyarrow, which takes long to load

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
        from deciban.read.frame import split_frame  # noqa: PLC0415  brings pyarrow, which takes long to load

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
    from deciban.read.frame import drop_column  # noqa: PLC0415  brings pyarrow, which takes long to load

    return drop_column(table, name)


def take_rows(X: Any, rows: AnyArray) -> Any:
    """The rows with some indices, in a container of the same kind: a frame, a mapping, an array, a column or a list.

    >>> take_rows({"sky": ["sun", "rain", "sun"]}, np.array([0, 2]))
    {'sky': ['sun', 'sun']}
    """
    if isinstance(X, Mapping):
        return {name: take_rows(held, rows) for name, held in X.items()}
    if isinstance(X, list | tuple):
        return [X[row] for row in rows.tolist()]
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    return X.take(rows) if hasattr(X, "take") and not isinstance(X, np.ndarray) else X[rows]  # Arrow; arrays and polars
