"""Numbers that a column holds as text because of markers of missing values, such as ``["1.5", "?", "2"]``.

A column is read as numbers when the first rows have a marker in it (``na_values=["?"]``) and all its other values are
numbers, or text that spells one. Text with leading zeros, as in postal codes, is a label. The model remembers these
columns, so that later rows are read in the same way; text that is no number is then an error.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from deciban.errors import InputError
from deciban.models.form import Form
from deciban.read import Column, Table, plain

__all__ = ["find_numerals", "read_numerals", "read_row_numerals"]

_WHOLE = re.compile(r"\s*[+-]?(0|[1-9]\d*)\s*", re.ASCII)
_NUMBER = re.compile(r"\s*[+-]?((0|[1-9]\d*)(\.\d*)?|\.\d+)([eE][+-]?\d+)?\s*", re.ASCII)


def find_numerals(table: Table) -> tuple[str, ...]:
    """The names of the columns with markers of missing values whose other values are numbers."""
    return tuple(column.name for column in table.columns if column.is_marked and _holds_numbers(column))


def read_numerals(table: Table, names: Collection[str]) -> Table:
    """The table with these columns as numbers; columns that hold numbers already stay as they are."""
    if not names:
        return table
    columns = (_as_numbers(column) if column.name in names else column for column in table.columns)
    return replace(table, columns=tuple(columns))


def read_row_numerals(row: Mapping[str, Any], form: Form, markers: Collection[Any]) -> dict[str, Any]:
    """The values of one row by name, with text as numbers in the columns where the model reads it so."""

    def read(name: str, value: Any) -> Any:
        held = plain(value)
        if not isinstance(held, str):
            return value
        return None if held in markers else _number(held, name, 0)

    return {name: read(name, value) if name in form.numerals else value for name, value in row.items()}


def _holds_numbers(column: Column) -> bool:
    states = column.states[column.occurring()].tolist() if not column.is_numeric else []
    return bool(states) and all(_is_number(state) for state in states)


def _is_number(state: Any) -> bool:
    if isinstance(state, str):
        return _NUMBER.fullmatch(state) is not None and math.isfinite(float(state))
    return isinstance(state, int | float) and not isinstance(state, bool)


def _as_numbers(column: Column) -> Column:
    if column.is_numeric:
        return column
    occurs = column.occurring()
    numbers = np.full(len(column.states) + 1, np.nan)  # the last, at index −1: missing
    for i in np.flatnonzero(occurs).tolist():
        numbers[i] = _number(column.states[i], column.name, int(np.argmax(column.indices == i)))
    is_whole = all(isinstance(held, int) or _WHOLE.fullmatch(str(held)) for held in column.states[occurs].tolist())
    return replace(Column.of_numbers(column.name, numbers[column.indices], is_whole=is_whole), is_marked=True)


def _number(value: Any, name: str, row: int) -> float:
    try:
        number = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise InputError(
            f"column {name!r} has {value!r} (row {row}), which is not a number, as the values of the first rows are. "
            "Correct it, or list it in na_values."
        )
    return number
