"""Whether two tallies count the same rows: exactly for counts, up to rounding for sums of floats."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from deciban.errors import ColumnMismatchError
from deciban.tallies.tally import Tally

__all__ = ["is_same_sample"]

_ROUNDING = 1e-9


def is_same_sample(a: Tally, b: Tally) -> bool:
    """True where all counts are equal and all weighted sums and moments are, up to the order of summation.

    >>> from deciban import tally
    >>> whole = tally({"x": [0.1, 0.2, 0.3], "y": [0, 1, 1]}, target="y")
    >>> parts = tally({"x": [0.3, 0.1], "y": [1, 0]}, target="y") + tally(
    ...     {"x": [0.2], "y": [1]}, target="y"
    ... )
    >>> other = tally({"x": [0.1, 0.2, 0.4], "y": [0, 1, 1]}, target="y")
    >>> is_same_sample(whole, parts), is_same_sample(whole, other)
    (True, False)
    """
    try:
        a, b = a._aligned(b)
    except ColumnMismatchError:
        return False
    return _is_same(a.class_counts, b.class_counts) and all(map(_is_same, a.parts, b.parts))


def _is_same(a: Any, b: Any) -> bool:
    """Compare parts of a tally by their own rule (`is_close`), or else field by field."""
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray):
        return _is_same_array(a, b)
    if isinstance(a, tuple):
        return len(a) == len(b) and all(map(_is_same, a, b))
    if hasattr(a, "is_close"):
        return bool(a.is_close(b))
    if a == b or not is_dataclass(a):
        return bool(a == b)
    return all(_is_same(getattr(a, field.name), getattr(b, field.name)) for field in fields(a))


def _is_same_array(a: Any, b: Any) -> bool:
    if a.shape != b.shape:
        return False
    if (a.dtype.kind in "iub" and b.dtype.kind in "iub") or a.dtype.kind not in "iufb":
        return bool(np.array_equal(a, b))
    return bool((np.abs(a - b) <= _ROUNDING * np.maximum(np.abs(a), np.abs(b))).all())
