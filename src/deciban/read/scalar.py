"""Single values: the plain value that a scalar of numpy or Arrow holds, and which values are missing.

>>> (
...     plain(np.int64(3)),
...     plain(np.str_("sun")),
...     plain(np.bool_(True)),
...     plain(np.datetime64("2020-01-02")),
... )
(3, 'sun', True, datetime.date(2020, 1, 2))
>>> is_missing(None), is_missing(float("nan")), is_missing("")
(True, True, False)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

__all__ = ["PLAIN", "is_missing", "plain", "plain_keys", "plain_values"]

PLAIN = frozenset({str, int, float, bool, bytes, type(None)})
"""The types of values that are plain as they are."""

_NO_VALUE = frozenset({"NAType", "NaTType", "MaskedConstant"})
"""The names of the types of pandas.NA, pandas.NaT and numpy.ma.masked."""


def plain(value: Any) -> Any:
    """The value that a scalar of numpy, Arrow or a masked array holds; None for a null; other values as they are."""
    if type(value) in PLAIN:
        return value
    if type(value).__name__ in _NO_VALUE:
        return None
    if isinstance(value, np.generic):
        return _from_numpy(value)
    if hasattr(value, "as_py"):
        return value.as_py()
    if isinstance(value, np.ndarray) and value.ndim == 0:
        return plain(value[()])
    return value


def plain_values(given: Mapping[Any, Any]) -> dict[Any, Any]:
    """The same mapping with plain values."""
    return {key: plain(value) for key, value in given.items()}


def plain_keys(given: Mapping[Any, Any]) -> dict[Any, Any]:
    """The same mapping with plain keys."""
    return {plain(key): value for key, value in given.items()}


def is_missing(value: Any) -> bool:
    """True for None, NaN, NaT, pandas.NA, numpy.ma.masked and the nulls of Arrow."""
    kind = type(value)
    if kind in PLAIN:
        return value is None or value != value
    if kind.__name__ in _NO_VALUE:
        return True
    if hasattr(value, "as_py"):
        return is_missing(value.as_py())
    try:
        return bool(value != value)
    except (TypeError, ValueError):  # arrays compare element by element
        return False


def _from_numpy(value: np.generic) -> Any:
    if isinstance(value, np.datetime64 | np.timedelta64):
        finest = np.datetime_data(value.dtype)[0] in ("ns", "ps", "fs", "as")
        return value.astype(f"{value.dtype.kind}8[us]").item() if finest else value.item()
    return float(value) if isinstance(value, np.floating) else value.item()
