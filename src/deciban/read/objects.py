"""Python objects → numbers or labels: the rules for every container whose cells are objects.

===========================================================  ==========================================================
the values that are not missing                              the column
===========================================================  ==========================================================
int, float, Decimal, Fraction (numpy's and Arrow's too)      numbers, NaN where a value is missing
int alone                                                    whole numbers; labels where no 64-bit type holds them all,
                                                             or where some are missing and float64 would round others
anything else: text, bool, dates, tuples, mixed types        labels; a bool is a label, not a number
===========================================================  ==========================================================

Missing are None, NaN, NaT, pandas.NA, numpy.ma.masked and Arrow's nulls.
"""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from deciban.errors import InputError
from deciban.read.scalar import PLAIN, is_missing, plain
from deciban.read.variable import object_array
from deciban.types import AnyArray

__all__ = ["EXACT", "from_objects"]

EXACT = 1 << 53
"""Up to this size float64 holds every whole number."""

_NUMBERS = frozenset({int, float, Decimal, Fraction})
_NONE = type(None)


def from_objects(values: list[Any]) -> tuple[AnyArray, bool]:
    """An array of numbers, or of objects (labels); and whether the numbers are whole.

    >>> from_objects([1, None, 3])
    (array([ 1., nan,  3.]), True)
    >>> from_objects([1, "a", None])
    (array([1, 'a', None], dtype=object), False)
    """
    kinds = set(map(type, values))
    if not kinds <= PLAIN:
        values = [None if is_missing(value) else plain(value) for value in values]
        kinds = set(map(type, values))
    if complex in kinds:
        raise InputError("Complex data not supported: a value is a label or a real number.")
    known = kinds - {_NONE}
    if not known or not known <= _NUMBERS:
        return object_array(values), False
    if known == {int}:
        return _whole(values, is_gapped=_NONE in kinds)
    try:
        return np.array(values, dtype=np.float64), False  # None becomes NaN
    except OverflowError:
        return np.array(list(map(_float, values)), dtype=np.float64), False


def _whole(values: list[Any], *, is_gapped: bool) -> tuple[AnyArray, bool]:
    if is_gapped:
        fits = all(value is None or -EXACT <= value <= EXACT for value in values)
        return (np.array(values, dtype=np.float64), True) if fits else (object_array(values), False)
    for dtype in (np.int64, np.uint64):
        try:
            return np.array(values, dtype=dtype), True
        except OverflowError:
            continue
    return object_array(values), False


def _float(value: Any) -> float:
    try:
        return math.nan if value is None else float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
