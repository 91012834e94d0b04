"""The door to frames. What knows them loads pyarrow, which takes longer than all the rest: it waits for a frame."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import scipy.sparse as sp

from deciban.types import AnyArray

if TYPE_CHECKING:
    from deciban.read.column import Column

__all__ = ["columns_from_frame", "is_frame", "numbers_from_frame", "values_from_series"]


def is_frame(X: Any) -> bool:
    """True for a table of named columns; a mapping of names to columns is one too."""
    if sp.issparse(X):  # one kind of sparse matrix is a mapping
        return False
    speaks_arrow = hasattr(X, "__arrow_c_stream__") and not hasattr(X, "dtype")  # a Series has a dtype
    return isinstance(X, Mapping) or hasattr(X, "__dataframe__") or speaks_arrow


def numbers_from_frame(X: Any) -> tuple[AnyArray, tuple[str, ...] | None]:
    """All columns as one array of numbers, and their names."""
    from deciban.read import frame

    return frame.numbers_from_frame(X)


def columns_from_frame(X: Any) -> tuple[list[Column], bool]:
    """Each column by itself, and whether they have names of their own."""
    from deciban.read import frame

    return frame.columns_from_frame(X)


def values_from_series(y: Any) -> AnyArray:
    """A column that stands alone as a numpy array."""
    from deciban.read import frame

    return frame.values_from_series(y)
