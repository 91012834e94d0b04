"""Frames out: made from columns, or those that were read with columns replaced, or with some of the rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa

from deciban.errors import DecibanError, ParameterError, surrogate_error
from deciban.read.container import is_records
from deciban.types import AnyArray

__all__ = ["make_frame", "take_rows", "with_columns"]


def make_frame(columns: Mapping[str, Any], backend: Any) -> Any:
    """A frame of named columns, of any kind that narwhals knows by name.

    >>> make_frame({"sky": ["sun", "rain"]}, "pyarrow").column_names
    ['sky']
    """
    try:
        return nw.from_dict({name: list(held) for name, held in columns.items()}, backend=backend).to_native()
    except (ImportError, ModuleNotFoundError):
        raise DecibanError(f'{backend} is not installed: pip install {backend}, or pass backend="pyarrow"') from None
    except UnicodeEncodeError as error:
        raise surrogate_error(error) from None
    except (TypeError, ValueError, AssertionError) as error:  # some versions of narwhals assert
        raise ParameterError(f"no frame can be made with backend {backend!r}: {error}") from None


def with_columns(X: Any, columns: Mapping[str, Sequence[Any]]) -> Any:
    """A table of the same kind with some columns replaced or added: a frame, a mapping of columns, or records.

    >>> with_columns({"sky": ["sun", None]}, {"sky": ["sun", "rain"]})
    {'sky': ['sun', 'rain']}
    """
    if isinstance(X, Mapping):
        return {**X, **{name: list(held) for name, held in columns.items()}}
    if is_records(X):
        return [{**row, **{name: held[i] for name, held in columns.items()}} for i, row in enumerate(X)]
    try:
        frame = nw.from_native(X, eager_only=True)
    except TypeError:
        frame = nw.from_native(pa.table(X), eager_only=True)
    for name, held in columns.items():
        frame = _with_column(frame, name, held)
    return frame.to_native()


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


def _with_column(frame: nw.DataFrame[Any], name: str, held: Sequence[Any]) -> nw.DataFrame[Any]:
    """Keep the column's type where the values fit it: categories stay categories, whole numbers stay whole."""
    backend = nw.get_native_namespace(frame)
    if name in frame.columns and frame.schema[name] not in (nw.Float32, nw.Float64):
        try:
            return frame.with_columns(nw.new_series(name, list(held), frame.schema[name], backend=backend))
        except Exception:  # noqa: S110  whatever a library says: the values decide the type then
            pass
    plain = np.asarray(held, dtype=object).tolist()
    return frame.with_columns(nw.new_series(name, plain, backend=backend))
