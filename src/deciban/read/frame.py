"""Frames: pandas, polars, pyarrow and whatever speaks the Arrow C stream protocol. Only this file knows them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from deciban.errors import ColumnMismatchError, InputError, InputTypeError
from deciban.read.column import Column
from deciban.read.variable import generated_names
from deciban.types import AnyArray

__all__ = ["column_from_series", "columns_from_frame", "numbers_from_frame"]


def numbers_from_frame(X: Any) -> tuple[AnyArray, tuple[str, ...] | None]:
    """All columns as one array of numbers, a view of the frame's own memory where it has such an array; and names."""
    frame = _frame(X)
    for name, dtype in frame.schema.items():
        if not (dtype.is_numeric() or dtype in (nw.Boolean, nw.Object)):
            raise InputError(
                f"column {str(name)!r} is of type {dtype}, not a number. Encode it, or use CategoricalNB, "
                "which takes labels as they are."
            )
    return frame.to_numpy(), _names(frame)


def columns_from_frame(X: Any) -> tuple[list[Column], bool]:
    """Each column with its distinct values and codes, or as numbers; and whether they have names of their own."""
    frame = _frame(X)
    given = _names(frame)
    names = given or generated_names(frame.shape[1])
    columns = [_read_column(name, series) for name, series in zip(names, frame.iter_columns(), strict=True)]
    return columns, given is not None


def column_from_series(y: Any) -> Column:
    """A column that stands alone: a Series, or an Arrow array."""
    if isinstance(y, pa.Array):
        y = pa.chunked_array([y])
    series = nw.from_native(y, series_only=True)
    return _read_column(str(series.name or "y"), series)


def _frame(X: Any) -> nw.DataFrame[Any]:
    if isinstance(X, Mapping):
        X = pa.table(dict(X))
    try:
        return nw.from_native(X, eager_only=True)
    except nw.exceptions.DuplicateError as error:
        raise ColumnMismatchError(f"two columns have the same name: {error}") from None
    except TypeError:
        if not hasattr(X, "__arrow_c_stream__"):
            raise InputTypeError(f"cannot read a table from a {type(X).__name__}: it is not an eager frame.") from None
    return nw.from_native(pa.table(X), eager_only=True)


def _names(frame: nw.DataFrame[Any]) -> tuple[str, ...] | None:
    names = tuple(frame.columns)
    kinds = {type(name).__name__ for name in names}
    if "str" in kinds and len(kinds) > 1:
        raise InputTypeError(
            "Feature names are only supported if all input features have string names, but your input has "
            f"{sorted(kinds)} as feature name / column name types."
        )
    return names if kinds == {"str"} else None


def _read_column(name: str, series: nw.Series[Any]) -> Column:
    if series.dtype.is_numeric():
        return Column.of_numbers(name, _numbers(series), is_whole=series.dtype.is_integer())
    try:
        return _from_arrow(name, series.to_arrow())
    except pa.ArrowException:
        return Column.of_values(name, np.asarray(series.to_list(), dtype=object))  # objects of several types


def _numbers(series: nw.Series[Any]) -> AnyArray:
    if not series.is_null().any():
        values = series.to_numpy()
        if values.dtype.kind in "iuf":
            return np.asarray(values)
    return np.asarray(series.cast(nw.Float64).fill_null(float("nan")).to_numpy(), dtype=np.float64)


def _from_arrow(name: str, values: pa.Array | pa.ChunkedArray) -> Column:
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    if isinstance(values, pa.ChunkedArray):  # no rows, no chunk
        values = pa.array([], type=values.type)
    if not pa.types.is_dictionary(values.type):
        values = pc.dictionary_encode(values)
    codes = values.indices.cast(pa.int32()).fill_null(-1).to_numpy(zero_copy_only=False)
    return Column.of_states(name, _labels(values.dictionary), codes)


def _labels(dictionary: pa.Array) -> AnyArray:
    labels = np.empty(len(dictionary), dtype=object)
    labels[:] = dictionary.to_pylist()
    return labels
