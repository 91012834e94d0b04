"""Single values, as a mapping of names to values holds them: which are missing, and which are numbers."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Collection
from numbers import Real
from typing import Any

from deciban.errors import InputError
from deciban.read import is_missing, plain
from deciban.tallies import raise_fault

__all__ = ["Markers", "is_missing", "number_reader", "read_number"]

Markers = frozenset[Any]
"""Further values that stand for missing ones."""

_LARGEST = sys.float_info.max


def read_number(value: Any, name: str) -> float:
    """One finite number, or an error that names its column; text is none, even where it spells one."""
    try:
        number = float("" if isinstance(value, str | bytes | bool) else value)
    except (TypeError, ValueError):
        raise InputError(
            f"column {name!r} is {value!r}, which is not a number. Give it a Categorical() distribution."
        ) from None
    except OverflowError:
        number = math.inf
    if math.isinf(number):
        raise_fault(("infinite", 0, 0), "the model", (name,))
    return number


def number_reader(name: str, markers: Collection[Any]) -> Callable[[Any], float | None]:
    """A function that gives one value of a column as a number, or None where it is missing."""
    gone = frozenset(float(m) for m in markers if isinstance(m, Real) and not isinstance(m, bool))

    def read(value: Any) -> float | None:
        kind = type(value)
        if (kind is float or kind is int) and -_LARGEST <= value <= _LARGEST:  # what most values are
            number = float(value)
        elif is_missing(value):
            return None
        else:
            number = read_number(plain(value), name)
        return None if number in gone else number

    return read
