"""Functions on frames. They import `frame.py`, and with it pyarrow, only when a frame is read: that takes long."""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import scipy.sparse as sp

from deciban.errors import DecibanError
from deciban.types import AnyArray

if TYPE_CHECKING:
    from deciban.read.column import Column

__all__ = [
    "arrow_table",
    "column_from_series",
    "column_names",
    "columns_from_frame",
    "drop_column",
    "frame_from_codes",
    "is_frame",
    "is_series",
    "labels_of_columns",
    "make_frame",
    "make_series",
    "numbers_from_frame",
    "split_frame",
    "table_of_stream",
    "with_columns",
]


def is_frame(X: Any) -> bool:
    """True for a table of named columns; a mapping of names to columns is one too."""
    if sp.issparse(X):  # one kind of sparse matrix is a mapping
        return False
    # A Series has a dtype, an Arrow array a type; a DuckDB relation has a type too, but also columns.
    is_column = hasattr(X, "dtype") or (hasattr(X, "type") and not hasattr(X, "columns"))
    speaks_arrow = hasattr(X, "__arrow_c_stream__") and not is_column
    return isinstance(X, Mapping) or hasattr(X, "__dataframe__") or speaks_arrow


def numbers_from_frame(X: Any) -> tuple[AnyArray, tuple[str, ...] | None] | None:
    """All columns as one array of numbers, and their names; None where a column does not hold plain numbers."""
    from deciban.read import frame

    return frame.numbers_from_frame(X)


def column_names(X: Any) -> tuple[str, ...] | None:
    """The names of the columns, or None where they have none."""
    from deciban.read import frame

    return frame.column_names(X)


def labels_of_columns(X: Any) -> tuple[Any, ...]:
    """The names of the columns as the frame has them: those of pandas need not be text."""
    from deciban.read import frame

    return frame.labels_of_columns(X)


def columns_from_frame(X: Any, only: Collection[str] | None = None) -> tuple[list[Column], bool]:
    """Each column by itself, or those of some names; and whether they have names of their own."""
    from deciban.read import frame

    return frame.columns_from_frame(X, only)


def column_from_series(y: Any, name: str | None = None) -> Column:
    """A column that stands alone, under its own name or another."""
    from deciban.read import frame

    return frame.column_from_series(y, name)


def frame_from_codes(names: Sequence[Any], states: Sequence[Sequence[Any]], codes: Sequence[AnyArray]) -> Any:
    """A table of labels from the states of each column and the codes of its rows."""
    from deciban.read import frame

    return frame.frame_from_codes(names, states, codes)


def arrow_table(names: Sequence[str], columns: Sequence[Any]) -> Any:
    """An Arrow table of arrays, and of pairs of labels and codes."""
    from deciban.read import frame

    return frame.arrow_table(names, columns)


def is_series(y: Any) -> bool:
    """True for a column that stands alone: a Series of pandas or polars, or an Arrow array."""
    if hasattr(y, "__arrow_array__") or hasattr(y, "__arrow_c_array__") or hasattr(y, "__arrow_c_stream__"):
        return True
    kind = getattr(sys.modules.get("pandas"), "Series", None)  # before pandas 3, a Series has no interface of Arrow
    return isinstance(kind, type) and isinstance(y, kind)


def table_of_stream(X: Any) -> Any:
    """The Arrow table that a stream gives."""
    from deciban.read import frame

    return frame.table_of_stream(X)


def split_frame(X: Any, name: str) -> tuple[Any, Any]:
    """A frame without one column, and that column; an error where it has no column of that name."""
    from deciban.read import frame

    return frame.split_frame(X, name)


def drop_column(X: Any, name: str) -> Any:
    """A frame without the column of that name, if it has one."""
    from deciban.read import frame

    return frame.drop_column(X, name)


def make_frame(columns: Mapping[str, Any], backend: str) -> Any:
    """A frame of named columns, of any kind that narwhals knows by name."""
    from deciban.read import frame as making

    return making.make_frame(columns, backend)


def make_series(values: AnyArray, index: Sequence[Any], name: str) -> Any:
    """A pandas Series."""
    try:
        import pandas as pd
    except ImportError:
        raise DecibanError("a Series needs pandas: pip install pandas. items() and as_array() need nothing.") from None
    return pd.Series(values, index=pd.Index(index, dtype=object), name=name)


def with_columns(X: Any, columns: Mapping[str, Sequence[Any]]) -> Any:
    """A table of the same kind with some columns replaced or added."""
    from deciban.read import frame as making

    return making.with_columns(X, columns)
