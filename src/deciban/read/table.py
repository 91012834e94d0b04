"""Anything tabular → named columns, each with its states and codes; and one row in any form → a mapping of its values.

The containers of a table are converted to one of four: a frame, a mapping of columns, an array, a sparse matrix.

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

Of one row, a mapping, a pandas Series, a frame of one row, a named tuple, a dataclass or a row of a database names its
values; a list, a tuple or an array has them in the order of the columns.

`deciban.read.frame` is imported where a frame is met, here and elsewhere: with it comes pyarrow, whose import takes
longer than a prediction of one row.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from deciban.choices import did_you_mean
from deciban.errors import ColumnMismatchError, InputError, InputTypeError
from deciban.limits import check_memory
from deciban.read.column import Column
from deciban.read.variable import Variable, generated_names
from deciban.types import AnyArray, Codes, Ints

__all__ = [
    "Table",
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
    "read_row",
    "read_table",
    "split_target",
    "take_rows",
    "without_target",
]


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
        # Kernels count column by column.
        out = np.empty(self.shape, dtype=np.int32, order="F")
        for i, (column, variable) in enumerate(zip(self.columns, variables, strict=True)):
            out[:, i] = column.codes(variable)
        return out


def read_table(X: Any, names: tuple[str, ...] | None = None, only: Collection[str] | None = None) -> Table:
    """Read any table (the docstring of this module lists them); of one with names, perhaps some columns."""
    rows = columns_of_rows(X)
    if rows is not None:
        used = names or generated_names(len(rows))
        return _checked([column_of(name, row) for name, row in zip(used, rows, strict=True)], names is not None)
    X = container_of(X)
    if is_frame(X):
        return _checked(*columns_from(X, only))
    if sp.issparse(X):
        matrix: Any = X  # SciPy's stubs know no shape here
        check_memory("the table of a sparse matrix", *matrix.shape, itemsize=matrix.dtype.itemsize)
        array = matrix.toarray()
    else:
        array = dense_array(X)
    if array.shape == (0,):
        raise InputError("Found array with 0 sample(s) (shape=(0,)) while a minimum of 1 is required.")
    if array.ndim != 2:
        raise InputError(f"Expected 2D array, got {array.ndim}D array instead. Reshape your data.")
    if array.dtype.kind == "c":
        raise InputError("Complex data not supported: a category is a label or a real number.")
    if array.dtype.kind == "V":
        raise InputTypeError(f"an array of type {array.dtype} holds no labels or numbers. Pass a frame.")
    check_not_empty(array.shape)
    used = names or generated_names(array.shape[1])
    return _checked([Column.of_values(name, array[:, i]) for i, name in enumerate(used)], names is not None)


def _checked(columns: list[Column], is_named: bool) -> Table:
    check_not_empty((len(columns[0]), len(columns)) if columns else (0, 0), what="sample" if columns else "feature")
    return Table(tuple(columns), is_named)


def check_not_empty(shape: tuple[int, ...], *, what: str = "") -> None:
    """Refuse a table without rows or columns, in the words that scikit-learn's checks of estimators expect."""
    if 0 in shape:
        what = what or ("sample" if shape[0] == 0 else "feature")
        raise InputError(f"Found array with 0 {what}(s) (shape={shape}) while a minimum of 1 is required.")


def container_of(X: Any) -> Any:
    """The same table in a container that readers know.

    >>> container_of([{"sky": "sun"}, {"wind": 3}])
    {'sky': ['sun', None], 'wind': [None, 3]}
    """
    if isinstance(X, np.ma.MaskedArray):
        return _unmasked(X)
    if isinstance(X, np.ndarray):
        is_structured = X.dtype.names is not None and X.ndim == 1
        return {name: np.asarray(X[name]) for name in X.dtype.names} if is_structured else np.asarray(X)
    if is_records(X):
        names = dict.fromkeys(name for row in X for name in row)
        return {name: [row.get(name) for row in X] for name in names}
    if X is None or isinstance(X, str | bytes):  # NumPy would make an array of it
        raise InputError(f"Expected 2D array, got {X!r} instead. A table is a frame, an array or a mapping of columns.")
    if hasattr(X, "collect") and not is_frame(X):  # a lazy frame, as of polars
        raise InputTypeError(f"a {type(X).__name__} holds no rows yet. Call its collect() first.")
    if hasattr(X, "__arrow_c_stream__") and not hasattr(X, "shape"):  # a stream, which can be read once
        from deciban.read.frame import table_of_stream  # noqa: PLC0415  brings pyarrow, which takes long to load

        return table_of_stream(X)
    return X


def is_frame(X: object) -> bool:
    """True for a table of named columns; a mapping of names to columns is one too."""
    if sp.issparse(X):  # one kind of sparse matrix is a mapping
        return False
    # A Series has a dtype, an Arrow array a type; a DuckDB relation has a type too, but also columns.
    is_column = hasattr(X, "dtype") or (hasattr(X, "type") and not hasattr(X, "columns"))
    speaks_arrow = hasattr(X, "__arrow_c_stream__") and not is_column
    return isinstance(X, Mapping) or hasattr(X, "__dataframe__") or speaks_arrow


def is_records(X: object) -> bool:
    """True for a list of mappings, one for each row."""
    return isinstance(X, list | tuple) and len(X) > 0 and all(isinstance(row, Mapping) for row in X)


def is_series(y: object) -> bool:
    """True for a column that stands alone: a Series of pandas or polars, or an Arrow array."""
    if hasattr(y, "__arrow_array__") or hasattr(y, "__arrow_c_array__") or hasattr(y, "__arrow_c_stream__"):
        return True
    # Before pandas 3, a Series has no interface of Arrow.
    kind = getattr(sys.modules.get("pandas"), "Series", None)
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


def names_of(columns: Iterable[object]) -> tuple[str, ...] | None:
    """The names of columns, or None where none of them is text; as scikit-learn, an error where only some are."""
    kinds = {"str" if isinstance(name, str) else type(name).__name__ for name in columns}
    if "str" in kinds and len(kinds) > 1:
        raise InputTypeError(
            "Feature names are only supported if all input features have string names, but your input has "
            f"{sorted(kinds)} as feature name / column name types."
        )
    return tuple(map(str, columns)) if kinds == {"str"} else None


def _unmasked(X: np.ma.MaskedArray[Any, Any]) -> AnyArray:
    """Masked floats become NaN, other masked values None."""
    if not np.ma.is_masked(X):
        return np.asarray(X.data)
    if X.dtype.kind == "f":
        return X.filled(np.nan)
    objects = np.asarray(X.data).astype(object)
    objects[np.ma.getmaskarray(X)] = None
    return objects


def column_of(name: Hashable, values: Any) -> Column:
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
    own_names = names_of(list(X))
    named = zip(own_names or generated_names(len(X)), X.values(), strict=True)
    columns = [column_of(name, values) for name, values in named if only is None or name in only]
    check_lengths({column.name: len(column) for column in columns})
    return columns, own_names is not None


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


def take_rows(X: Any, rows: Ints) -> Any:
    """The rows with some indices, in a container of the same kind: a frame, a mapping, an array, a column or a list.

    >>> take_rows({"sky": ["sun", "rain", "sun"]}, np.array([0, 2]))
    {'sky': ['sun', 'sun']}
    """
    if isinstance(X, Mapping):
        return {name: take_rows(column, rows) for name, column in X.items()}
    if isinstance(X, list | tuple):
        return [X[row] for row in rows.tolist()]
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    # Arrow has a take(), as arrays do, whose index works for polars, too.
    return X.take(rows) if hasattr(X, "take") and not isinstance(X, np.ndarray) else X[rows]


def read_row(row: Any, names: Sequence[str] | None = None) -> dict[str, Any]:
    """Read one row; `names` are those of the columns, None where they are not known and the row must name them.

    >>> read_row({"sky": "sun"}), read_row(("sun", 21.5), ["sky", "warm"])
    ({'sky': 'sun'}, {'sky': 'sun', 'warm': 21.5})
    """
    values = _named_values(row, names)
    if values is None and not _is_table(row):
        return _in_order(list(row), names)
    if values is not None and not (values and all(map(_is_column, values.values()))):
        return values
    table = read_table(row if values is None else values)  # a table of one row
    if len(table) != 1:
        raise InputError(f"one row is expected, not {len(table)}.")
    cells = {column.name: column.value(0) for column in table.columns}
    return cells if table.is_named else _in_order(list(cells.values()), names)


def _named_values(row: Any, names: Sequence[str] | None) -> dict[str, Any] | None:
    """The row as a mapping, if it names its values."""
    if isinstance(row, Mapping):
        return dict(row)
    if hasattr(row, "_asdict"):
        return _values_of_tuple(row, names)
    if is_dataclass(row) and not isinstance(row, type):
        return {field.name: getattr(row, field.name) for field in fields(row)}
    if getattr(row, "ndim", 0) == 1 and hasattr(row, "to_dict"):  # a Series of pandas
        values = row.to_dict()
        return values if all(isinstance(name, str) for name in values) else None
    if isinstance(row, np.void):  # a row of a structured array
        return {name: row[name] for name in row.dtype.names} if row.dtype.names else None
    # A record such as a sqlite3.Row, which is no Mapping.
    return {name: row[name] for name in row.keys()} if hasattr(row, "keys") and not is_frame(row) else None  # noqa: SIM118


def _values_of_tuple(row: Any, names: Sequence[str] | None) -> dict[str, Any]:
    """The values of a named tuple; that of `itertuples` has the index, and renames columns such as "hours per week"."""
    values = dict(row._asdict())
    known = values.keys() if names is None else names
    if names is not None and type(row).__name__ == "Pandas" and "Index" not in known:
        values.pop("Index", None)
    is_renamed = any(re.fullmatch(r"_\d+", name) and name not in known for name in values)
    return dict(zip(known, values.values(), strict=True)) if is_renamed and len(values) == len(known) else values


def _is_table(row: Any) -> bool:
    if is_frame(row) or getattr(row, "ndim", 1) == 2:
        return True
    if isinstance(row, str | bytes) or not (hasattr(row, "__len__") and hasattr(row, "__iter__")):
        raise InputTypeError(
            "a row is a mapping of names to values, a table of one row, or a list of values in the order of the "
            f"columns, not a {type(row).__name__}."
        )
    return len(row) == 1 and _is_column(next(iter(row)))


def _is_column(value: object) -> bool:
    """True for what has several values; a tuple is one state."""
    return hasattr(value, "__len__") and not isinstance(value, str | bytes | tuple)


def _in_order(values: list[Any], names: Sequence[str] | None) -> dict[str, Any]:
    if names is None:
        raise InputTypeError("the first row names the columns: pass a mapping of names to values.")
    if len(values) != len(names):
        raise ColumnMismatchError(f"the row has {len(values)} values, but there are {len(names)} columns.")
    return dict(zip(names, values, strict=True))
