"""Rows of CSV files that cannot be read: which they are, where they are, and why."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import pyarrow as pa
from pyarrow import compute

__all__ = [
    "converted_table",
    "converts",
    "decimal_commas",
    "is_text",
    "ragged",
    "row_lines",
    "rows_before",
    "unreadable",
    "without_rows",
]


_WITH_COMMA = r"^\s*[+-]?(\d+(,\d*)?|,\d+)([eE][+-]?\d+)?\s*$"


def ragged(row: Any) -> str:
    """Why a row of another length than the header cannot be read."""
    return f"it has {row.actual_columns} values, and the header has {row.expected_columns}: {row.text[:80]!r}"


def rows_before(at: int, ragged: list[int]) -> int:
    """How many rows of another length come before the row that is the `at`-th of the others."""
    before = 0
    for row in ragged:
        if row - before > at:
            break
        before += 1
    return before


def row_lines(rows: bytes) -> list[int]:
    """The line that each row begins in, from 0; empty lines are no rows."""
    starts, is_open, begins = [], False, 0
    for number, line in enumerate(rows.split(b"\n")):
        if not is_open:
            begins = number
            if line.strip(b"\r"):
                starts.append(begins)
        is_open ^= bool(line.count(b'"') & 1)
    return starts


def unreadable(
    table: pa.Table, schema: pa.Schema, decimal: str = ".", numbers: Collection[str] = ()
) -> list[tuple[int, str]]:
    """The rows of a table of text that have a value that is not of its column's type, and which value it is.

    `numbers` are the columns that were numbers when a model was fitted.
    """
    found: dict[int, str] = {}
    for name in table.column_names:
        kind = schema.field(name).type
        if is_text(kind) or converts(table[name], kind, decimal):
            continue
        for at, value in enumerate(table[name].to_pylist()):
            if (
                at not in found
                and value is not None
                and not converts(pa.chunked_array([[value]], pa.string()), kind, decimal)
            ):
                why = (
                    "which is not a number, as its values were in fit"
                    if name in numbers
                    else f"and its type is {kind} (schema={{{name!r}: …}} gives it another one)"
                )
                found[at] = f"column {name!r} has the value {value!r}, {why}"
    return sorted(found.items())


def converts(values: pa.ChunkedArray, kind: pa.DataType, decimal: str = ".") -> bool:
    """Whether all values, which are text, have a type."""
    try:
        _converted(values, kind, decimal)
    except pa.ArrowException:
        return False
    return True


def converted_table(table: pa.Table, schema: pa.Schema, decimal: str = ".") -> pa.Table:
    """A table of text with the types of its columns."""
    columns = [_converted(table[name], schema.field(name).type, decimal) for name in table.column_names]
    return pa.table(columns, names=table.column_names)


def _converted(values: pa.ChunkedArray, kind: pa.DataType, decimal: str) -> pa.ChunkedArray:
    """Values as text with the type of their column; spaces around a number are no part of it."""
    if is_text(kind):
        return values
    trimmed = compute.utf8_trim_whitespace(values)
    if decimal == "," and pa.types.is_floating(kind):
        no_points = compute.replace_substring(trimmed, ".", "?")  # a point is no part of such a number
        trimmed = compute.replace_substring(no_points, ",", ".")
    return trimmed.cast(kind)


def is_text(kind: pa.DataType) -> bool:
    """True for the types of text."""
    return pa.types.is_string(kind) or pa.types.is_large_string(kind)


def without_rows(table: pa.Table, bad: Collection[int]) -> pa.Table:
    """The table without some rows, by their numbers."""
    return table.take(pa.array([at for at in range(len(table)) if at not in bad], pa.int64()))


def decimal_commas(table: pa.Table) -> dict[str, str]:
    """The columns of text most of whose values are numbers, some with a decimal comma; and one such value of each.

    >>> decimal_commas(pa.table({"x": ["1,5", "2", None], "sky": ["sun", "rain", "fog"]}))
    {'x': '1,5'}
    """
    found: dict[str, str] = {}
    for name in [field.name for field in table.schema if is_text(field.type)]:
        values = table[name].drop_null()
        numbers = values.filter(compute.match_substring_regex(values, _WITH_COMMA))
        marked = numbers.filter(compute.match_substring(numbers, ","))
        if len(marked) and 2 * len(numbers) > len(values):
            found[name] = marked[0].as_py()
    return found
