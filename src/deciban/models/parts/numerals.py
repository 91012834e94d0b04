"""Numbers that a column holds as text because of markers of missing values, such as ``["1.5", "?", "2"]``.

A column is read as numbers when the first rows have a marker in it (``na_values=["?"]``) and all its other values are
numbers, or text that spells one. Text with leading zeros, as in postal codes, is a label. Later rows are read in the
same way (`deciban.models.parts.tables`): text that is no number is then an error.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace
from typing import Any

from deciban.read import Column, Table
from deciban.read.spelling import number_of

__all__ = ["find_numerals", "read_numerals"]

_PADDED = re.compile(r"\s*[+-]?0\d")
"""Text with leading zeros is a label."""


def find_numerals(table: Table) -> tuple[str, ...]:
    """The names of the columns with markers of missing values whose other values are numbers."""
    return tuple(column.name for column in table.columns if column.is_marked and _holds_numbers(column))


def read_numerals(table: Table, names: Collection[str]) -> Table:
    """The table with these columns as numbers; columns that hold numbers already stay as they are."""
    if not names:
        return table
    columns = (column.as_numbers() if column.name in names else column for column in table.columns)
    return replace(table, columns=tuple(columns))


def _holds_numbers(column: Column) -> bool:
    states = column.states[column.occurring()].tolist() if not column.is_numeric else []
    return bool(states) and all(_is_number(state) for state in states)


def _is_number(state: Any) -> bool:
    if isinstance(state, str):
        return number_of(state) is not None and _PADDED.match(state) is None
    return isinstance(state, int | float) and not isinstance(state, bool)
