"""Frames: pandas, polars, pyarrow and anything with the Arrow C stream protocol; only here are they imported."""

from __future__ import annotations

import sys
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import narwhals as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import DTypeLike

from deciban.choices import did_you_mean
from deciban.errors import (
    ColumnMismatchError,
    DecibanError,
    InputError,
    InputTypeError,
    ParameterError,
    surrogate_error,
)
from deciban.read.column import Column
from deciban.read.table import is_records, names_of
from deciban.read.variable import EXACT, generated_names, object_array
from deciban.types import AnyArray, Codes

__all__ = [
    "Chunks",
    "arrow_table",
    "column_from_series",
    "column_names",
    "columns_from_frame",
    "drop_column",
    "frame_from_codes",
    "is_readable",
    "labels_of_columns",
    "make_frame",
    "make_series",
    "numbers_from_frame",
    "split_frame",
    "table_of_stream",
    "with_columns",
]


Frame: TypeAlias = nw.DataFrame[Any]  # of any library that narwhals knows
Series: TypeAlias = nw.Series[Any]

# From so many rows on, threads read columns faster than they take to start.
_MANY = 1 << 14
# The states are searched in this many first rows; where they are few, the other rows are likely to have the same.
_FIRST, _FEW = 2_000, 200
_WIDEST = (nw.Int128, nw.UInt128)  # NumPy has no such types
_OBJECTS = (nw.Object, nw.Unknown)
_INFERRED_EXACTLY = (pa.types.is_string, pa.types.is_large_string, pa.types.is_boolean)


def numbers_from_frame(X: Any) -> tuple[AnyArray, tuple[str, ...] | None] | None:
    """All columns as one array of numbers, a view of the frame's own memory where it has such an array; and names.

    None where some column holds something else than numbers that numpy has a type for.
    """
    frame = _frame(X)
    kinds = list(frame.schema.values())
    if not kinds or not all(kind.is_numeric() and not kind.is_decimal() and kind not in _WIDEST for kind in kinds):
        return None
    return frame.to_numpy(), names_of(frame.columns)


def column_names(X: Any) -> tuple[str, ...] | None:
    """The names of the columns, or None where they have none."""
    return names_of(_frame(X).columns)


def labels_of_columns(X: Any) -> tuple[Hashable, ...]:
    """The names of the columns as the frame has them: those of pandas need not be text."""
    return tuple(_frame(X).columns)


def columns_from_frame(X: Any, only: Collection[str] | None = None) -> tuple[list[Column], bool]:
    """Each column with its distinct values and codes, or as numbers; and whether they have names of their own."""
    frame = _frame(X)
    own_names = names_of(frame.columns)
    if only is not None and own_names is not None:
        own_names = tuple(name for name in own_names if name in only)
        frame = frame.select(own_names)
    names = own_names or generated_names(frame.shape[1])
    series = list(frame.iter_columns())
    if len(frame) < _MANY or pa.cpu_count() == 1:
        return list(map(_read_column, names, series)), own_names is not None
    return _read_side_by_side(names, series, pa.cpu_count()), own_names is not None


def _read_side_by_side(names: Sequence[str], series: Sequence[Series], workers: int) -> list[Column]:
    """Read the columns in threads, labels first, as they take longest: Arrow looks them up without the GIL."""
    order = sorted(range(len(names)), key=lambda i: series[i].dtype.is_numeric())
    shares = [share for share in (order[k::workers] for k in range(workers)) if share]
    columns: dict[int, Column] = {}
    with ThreadPoolExecutor(len(shares)) as threads:
        for part in threads.map(lambda share: {i: _read_column(names[i], series[i]) for i in share}, shares):
            columns.update(part)
    return [columns[i] for i in range(len(names))]


def split_frame(X: Any, name: str) -> tuple[Any, Any]:
    """A frame without one column, and that column; an error where it has no column of that name."""
    frame = _frame(X)
    if name not in frame.columns:
        raise ColumnMismatchError(f"y names the column {name!r}, and X has none.{did_you_mean(name, frame.columns)}")
    return frame.drop(name).to_native(), frame[name].to_native()


def drop_column(X: Any, name: str) -> Any:
    """A frame without the column of that name, if it has one."""
    frame = _frame(X)
    return frame.drop(name).to_native() if name in frame.columns else frame.to_native()


def column_from_series(y: Any, name: str | None = None) -> Column:
    """A column that stands alone: a Series, an Arrow array, an Index or array of pandas."""
    if isinstance(y, pa.Array):
        y = pa.chunked_array([y])
    elif type(y).__module__.startswith("pandas.") and not hasattr(y, "iloc"):  # an Index, or what Series.array gives
        y = sys.modules["pandas"].Series(y)
    try:
        series: Series = nw.from_native(y, series_only=True)
    except TypeError:
        try:
            # Whatever has __arrow_c_stream__.
            series = nw.from_native(pa.chunked_array(y), series_only=True)
        except (TypeError, ValueError):
            raise InputTypeError(f"cannot read a column from a {type(y).__name__}.") from None
    return _read_column(name or str(series.name or "y"), series)


def frame_from_codes(
    names: Sequence[object], states: Sequence[Sequence[object]], codes: Sequence[AnyArray]
) -> pa.Table:
    """A table of labels from the states of each column and the codes of its rows, without a copy."""
    texts = [str(name) for name in names]
    if len(set(texts)) < len(texts):
        raise InputError('two nodes have the same name as a column. Pass as_="codes".')
    columns = []
    for name, values, indices in zip(texts, states, codes, strict=True):
        labels = _dictionary(values, f'the states of {name!r} are of several types. Pass as_="codes".')
        columns.append(pa.DictionaryArray.from_arrays(pa.array(indices), labels))
    return pa.table(columns, names=texts)


def arrow_table(names: Sequence[str], columns: Sequence[AnyArray | tuple[AnyArray, ...]]) -> pa.Table:
    """A table of arrays, and of pairs of labels and codes, which become dictionaries; a code of −1 is missing."""
    arrays = []
    for name, column in zip(names, columns, strict=True):
        if not isinstance(column, tuple):
            arrays.append(pa.array(column, from_pandas=True))  # NaN is missing
            continue
        states, codes = column
        several = f"the labels of column {name!r} are of several types, which an Arrow table cannot hold."
        labels = _dictionary(states.tolist(), several)
        arrays.append(pa.DictionaryArray.from_arrays(pa.array(codes, mask=codes < 0), labels))
    return pa.table(arrays, names=list(names))


def _dictionary(states: Sequence[object], error: str) -> pa.Array:
    try:
        return pa.array(list(states))
    except UnicodeEncodeError as fault:
        raise surrogate_error(fault) from None
    except (pa.ArrowException, TypeError):
        raise InputError(error) from None


def _frame(X: Any) -> Frame:
    try:
        return nw.from_native(X, eager_only=True)
    except nw.exceptions.DuplicateError as error:
        raise ColumnMismatchError(f"two columns have the same name: {error}") from None
    except TypeError:
        if not hasattr(X, "__arrow_c_stream__"):
            raise InputTypeError(f"cannot read a table from a {type(X).__name__}: it is not an eager frame.") from None
    return nw.from_native(table_of_stream(X), eager_only=True)


def table_of_stream(X: Any) -> pa.Table:
    """The Arrow table that a stream, or a DuckDB relation, gives."""
    try:
        table = pa.table(X)
    except (TypeError, ValueError) as error:
        raise InputTypeError(f"a {type(X).__name__} gives no table: {error}") from None
    if len(set(table.column_names)) < table.num_columns:
        raise ColumnMismatchError(f"two columns have the same name; the names are {', '.join(table.column_names)}.")
    return table


def _read_column(name: str, series: Series) -> Column:
    """Read a column by its type; where Arrow cannot represent it, by the rules for objects."""
    kind = series.dtype  # pandas takes long to name it
    try:
        if kind.is_numeric():
            return _number_column(name, series, kind)
        values = series.to_arrow()
        # Of objects, Arrow infers text or booleans only where all are; any other type may have changed some of them.
        if kind in _OBJECTS and not any(is_type(values.type) for is_type in _INFERRED_EXACTLY):
            return Column.of_objects(name, series.to_list())
        column = _from_arrow(name, values)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return Column.of_objects(name, series.to_list())
    # What polars lists of plain categories depends on other columns; the categories of pandas are declared.
    is_ordered = pa.types.is_dictionary(values.type) and values.type.ordered
    is_declared = is_ordered or (kind == nw.Categorical and series.implementation.is_pandas_like())
    return replace(column, is_declared=True, is_ordered=is_ordered) if is_declared else column


def _number_column(name: str, series: Series, kind: nw.dtypes.DType) -> Column:
    is_whole = kind.is_integer()
    native = series.to_native()
    if isinstance(native, pa.ChunkedArray) and is_readable(native):  # as it is: one array of it would be a copy
        return Column.of_numbers(name, Chunks(native), is_whole=is_whole)
    if kind in _WIDEST:  # Python's integers have room for them
        return Column.of_objects(name, series.to_list())
    if not series.is_null().any():
        values = series.to_numpy()
        if values.dtype.kind in "iuf":
            return Column.of_numbers(name, np.asarray(values), is_whole=is_whole)
    lowest, highest = (series.min(), series.max()) if is_whole else (None, None)
    # float64, which has room for missing values, would round such large whole numbers.
    if lowest is not None and highest is not None and (int(lowest) < -EXACT or int(highest) > EXACT):
        return Column.of_objects(name, series.to_list())
    numbers = series.cast(nw.Float64).fill_null(float("nan")).to_numpy()
    return Column.of_numbers(name, np.asarray(numbers, dtype=np.float64), is_whole=is_whole)


def _from_arrow(name: str, values: pa.Array | pa.ChunkedArray) -> Column:
    if pa.types.is_dictionary(values.type):  # coded already; but a state of it may have no row
        if isinstance(values.type.value_type, pa.BaseExtensionType):
            # Caught in `_read_column`.
            raise TypeError("a category that is not a plain value")
        return Column.of_states(name, *_encoded(values))
    return Column.of_states(name, *_states_and_codes(values), is_used=True)


def _states_and_codes(values: pa.Array | pa.ChunkedArray) -> tuple[AnyArray, Codes]:
    with suppress(pa.ArrowNotImplementedError):  # views of strings can be encoded, but not looked up
        known = pc.unique(values.slice(0, _FIRST)).drop_null()
        if len(known) <= _FEW:
            return _looked_up(values, known)
    return _encoded(pc.dictionary_encode(values))


def _looked_up(values: pa.Array | pa.ChunkedArray, known: pa.Array) -> tuple[AnyArray, Codes]:
    """States and codes: the states of the first rows are looked up, which is faster than finding them row by row."""
    found = pc.index_in(values, value_set=known)
    codes = _codes(found)
    if found.null_count == values.null_count:
        return object_array(known.to_pylist()), codes
    # States that only later rows have come behind the others.
    unknown = pc.and_(pc.is_null(found), pc.is_valid(values))
    states, indices = _encoded(pc.dictionary_encode(values.filter(unknown)))
    # A view of Arrow's memory is read-only.
    codes = codes if codes.flags.writeable else codes.copy()
    codes[unknown.to_numpy(zero_copy_only=False)] = indices + np.int32(len(known))
    return np.concatenate([object_array(known.to_pylist()), states]), codes


def _encoded(values: pa.DictionaryArray | pa.ChunkedArray) -> tuple[AnyArray, Codes]:
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    if isinstance(values, pa.ChunkedArray):  # no rows, no chunk
        return np.empty(0, dtype=object), np.empty(0, dtype=np.int32)
    return object_array(values.dictionary.to_pylist()), _codes(values.indices)


def _codes(indices: pa.Array | pa.ChunkedArray) -> Codes:
    """Indices as codes, −1 where there is none."""
    codes = indices if indices.type == pa.int32() else indices.cast(pa.int32())
    codes = codes if codes.null_count == 0 else codes.fill_null(-1)
    return np.asarray(codes.to_numpy() if isinstance(codes, pa.ChunkedArray) else codes.to_numpy(zero_copy_only=False))


@dataclass(frozen=True, eq=False)
class Chunks:
    """Chunks of numbers without gaps; reading copies, so a table of them never lies in memory twice.

    >>> chunks = Chunks(pa.chunked_array([[1, 2], [3]]))
    >>> chunks[1:].tolist(), len(chunks), chunks.dtype
    ([2, 3], 3, dtype('int64'))
    """

    values: pa.ChunkedArray

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(self.values.type.to_pandas_dtype())

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, rows: AnyArray | slice) -> AnyArray:
        if not isinstance(rows, slice) or rows.step not in (None, 1):
            return np.asarray(self)[rows]
        first, last, _ = rows.indices(len(self))
        return _array(self.values.slice(first, max(last - first, 0)))

    def __array__(self, dtype: DTypeLike | None = None, *, copy: bool | None = None) -> AnyArray:
        return _array(self.values).astype(dtype or self.dtype, copy=False)


def is_readable(values: pa.ChunkedArray) -> bool:
    """True for several chunks of integers or floats, without gaps."""
    is_number = pa.types.is_integer(values.type) or pa.types.is_floating(values.type)
    return is_number and values.num_chunks > 1 and values.null_count == 0


def _array(values: pa.ChunkedArray) -> AnyArray:
    if values.num_chunks == 1:  # a view of it
        return np.asarray(values.chunk(0).to_numpy())
    return np.asarray(values.to_numpy())


def make_frame(columns: Mapping[str, Iterable[object]], backend: Any) -> Any:
    """A frame of named columns, of any kind that narwhals knows by name.

    >>> make_frame({"sky": ["sun", "rain"]}, "pyarrow").column_names
    ['sky']
    """
    try:
        return nw.from_dict({name: list(values) for name, values in columns.items()}, backend=backend).to_native()
    except (ImportError, ModuleNotFoundError):
        raise DecibanError(f'{backend} is not installed: pip install {backend}, or pass backend="pyarrow"') from None
    except UnicodeEncodeError as error:
        raise surrogate_error(error) from None
    except (TypeError, ValueError, AssertionError) as error:  # some versions of narwhals assert
        raise ParameterError(f"no frame can be made with backend {backend!r}: {error}") from None


def make_series(values: AnyArray, index: Sequence[Any], name: str) -> Any:
    """A pandas Series."""
    try:
        import pandas as pd  # noqa: PLC0415  not every user has it
    except ImportError:
        raise DecibanError("a Series needs pandas: pip install pandas. items() and as_array() need nothing.") from None
    return pd.Series(values, index=pd.Index(index, dtype=object), name=name)


def with_columns(X: Any, columns: Mapping[str, Sequence[object]]) -> Any:
    """A table of the same kind with some columns replaced or added: a frame, a mapping of columns, or records.

    >>> with_columns({"sky": ["sun", None]}, {"sky": ["sun", "rain"]})
    {'sky': ['sun', 'rain']}
    """
    if isinstance(X, Mapping):
        return {**X, **{name: list(values) for name, values in columns.items()}}
    if is_records(X):
        return [{**row, **{name: values[i] for name, values in columns.items()}} for i, row in enumerate(X)]
    try:
        frame = nw.from_native(X, eager_only=True)
    except TypeError:
        frame = nw.from_native(pa.table(X), eager_only=True)
    for name, values in columns.items():
        frame = _with_column(frame, name, values)
    return frame.to_native()


def _with_column(frame: Frame, name: str, values: Sequence[object]) -> Frame:
    """Keep the column's type where the values fit it: categories stay categories, whole numbers stay whole."""
    backend = nw.get_native_namespace(frame)
    if name in frame.columns and frame.schema[name] not in (nw.Float32, nw.Float64):
        try:
            return frame.with_columns(nw.new_series(name, list(values), frame.schema[name], backend=backend))
        except Exception:  # noqa: S110  whatever a library says: the values decide the type then
            pass
    # An array's numbers become Python's, which every backend takes.
    plain = np.asarray(values, dtype=object).tolist()
    return frame.with_columns(nw.new_series(name, plain, backend=backend))
