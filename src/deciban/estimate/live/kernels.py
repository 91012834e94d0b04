"""The door to the core's classes for single rows: columns that read, count and score one value at a time.

A column reads the usual values itself: str, int, float, bool and None. All others go to a function of Python, which
also raises the errors. ``tests/reference/rows.py`` says what each column computes.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from deciban import _core
from deciban.estimate.columns.values import Markers, marked_numbers, number_reader

__all__ = [
    "BinColumn",
    "CountedColumn",
    "LabelColumn",
    "LiveRow",
    "NormalColumn",
    "OtherColumn",
    "PresenceColumn",
    "RowColumn",
    "core_reader",
]

BinColumn = _core.BinColumn
CountedColumn = _core.CountedColumn
LabelColumn = _core.LabelColumn
LiveRow = _core.LiveRow
NormalColumn = _core.NormalColumn
OtherColumn = _core.OtherColumn
PresenceColumn = _core.PresenceColumn
RowColumn = _core.RowColumn


def core_reader(name: str, markers: Markers, refuse_missing: Callable[[], None] | None) -> _core.NumberReader:
    """How the core reads the numbers of a column; `refuse_missing` raises the error where a missing value is one."""
    numbers = np.array(sorted(marked_numbers(markers)), dtype=np.float64)
    return _core.NumberReader(number_reader(name, markers), numbers, refuse_missing)
