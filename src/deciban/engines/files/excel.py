"""Sheets of Excel and OpenDocument files, by calamine: the first row has the names of the columns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from deciban.choices import counted
from deciban.engines.files.whole import Row
from deciban.errors import DamagedTableError, DecibanWarning, InputError, ParameterError
from deciban.extras import need
from deciban.limits import check_memory
from deciban.notices import warn_user
from deciban.suggest import did_you_mean

__all__ = ["read_sheet"]

_EXPANSION = 40
"""How many times more memory the values of a sheet take than its file, about."""


def read_sheet(file: Path, sheet: str | None) -> list[Row]:
    """The rows of a sheet, with their numbers in it; the first sheet where none is named."""
    calamine = need("python_calamine", "excel", "a table in an Excel file")
    check_memory(f"the values of {file}", file.stat().st_size * _EXPANSION, itemsize=1)
    try:
        book = calamine.CalamineWorkbook.from_path(str(file))
        names = book.sheet_names
        if sheet is not None and sheet not in names:
            raise ParameterError(f"{file} has no sheet {sheet!r}.{did_you_mean(sheet, names)}")
        if not names:
            raise InputError(f"{file} has no sheet with a table.")
        values = book.get_sheet_by_name(sheet or names[0]).to_python(skip_empty_area=False)
    except (calamine.CalamineError, OSError) as error:
        raise DamagedTableError(f"{file} cannot be read as an Excel file: {error}.") from None
    if sheet is None and len(names) > 1:
        warn_user(
            f"{file} has {counted(len(names), 'sheet')}, and the first, {names[0]!r}, is read; sheet= names another: "
            f"{', '.join(map(repr, names[1:9]))}.",
            DecibanWarning,
        )
    return _records(file, values)


def _records(file: Path, values: list[list[Any]]) -> list[Row]:
    """Rows by the names in the first row that has values; rows without any value are left out."""
    rows = [(number, row) for number, row in enumerate(values, start=1) if any(value != "" for value in row)]
    if not rows:
        raise InputError(f"{file} is empty: it has no row with the names of the columns.")
    (_, head), *rest = rows
    names = {at: _name(value) for at, value in enumerate(head) if value != ""}
    seen = list(names.values())
    if len(set(seen)) < len(seen):
        twice = next(name for name in seen if seen.count(name) > 1)
        raise InputError(f"{file} has two columns of the name {twice!r}.")
    for number, row in rest:
        for at, value in enumerate(row):
            if value != "" and at not in names:
                where = f"{file}, row {number}: there is a value in column {_letters(at)}"
                raise InputError(f"{where}, which has no name in row {rows[0][0]}.")
    columns = {name: _alike([_plain(row[at]) for _, row in rest]) for at, name in names.items()}
    return [Row(number, {name: held[i] for name, held in columns.items()}) for i, (number, _) in enumerate(rest)]


def _letters(at: int) -> str:
    """The name that spreadsheets give a column: A to Z, then AA."""
    letters = ""
    at += 1
    while at:
        at, letter = divmod(at - 1, 26)
        letters = chr(ord("A") + letter) + letters
    return letters


def _alike(values: list[Any]) -> list[Any]:
    """Values of one type: texts, where there are texts and others, as in a CSV file."""
    kinds = {type(value) for value in values} - {type(None)}
    if kinds <= {int, float} or len(kinds) < 2:
        return values
    return [None if value is None else str(value) for value in values]


def _name(value: Any) -> str:
    return str(_plain(value))


def _plain(value: Any) -> Any:
    """A value of a cell: whole numbers, which files store as floats, are whole; dates are texts in ISO 8601."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1 << 53:
        return int(value)
    if value == "":
        return None
    return value if isinstance(value, bool | int | float | str) else str(value)
