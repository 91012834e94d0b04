"""Tables that cannot be read in pieces, JSON arrays and sheets: their rows are in memory as a whole.

They have values of their own types, so those of each column are found as for JSON Lines: the type of most values, and
a value of another type makes a bad row.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa

from deciban.choices import counted, did_you_mean
from deciban.engines.files.json_lines import json_file, types_of
from deciban.engines.files.pieces import BadRow, Piece, Read, raise_bad_row, shares_of, typed
from deciban.engines.source import OnBadRow
from deciban.errors import DamagedTableError, DecibanWarning, InputError, ParameterError, TooLargeError, warn_user
from deciban.extras import need
from deciban.limits import VARIABLE, check_memory, in_bytes, memory_limit

__all__ = ["Row", "WholeReader", "is_array", "read_array", "read_sheet"]


_EXPANSION = 16
"""How many times more memory the values of a JSON array take than its text, about."""


class Row(NamedTuple):
    """A row: where it is in its file, and its values by the names of the columns."""

    number: int
    values: object


@dataclass(frozen=True)
class WholeReader:
    """Gives the rows of files that have been read as a whole.

    `tables` have the rows of each file, `numbers` where they are in it, and `bad_rows` those that were left out.
    """

    schema: pa.Schema
    tables: Mapping[Path, pa.Table]
    numbers: Mapping[Path, Sequence[int]]
    bad_rows: Mapping[Path, tuple[BadRow, ...]]

    @classmethod
    def of(
        cls, rows: Mapping[Path, Sequence[Row]], given: Mapping[str, pa.DataType] | None, on_bad_row: OnBadRow
    ) -> WholeReader:
        """The reader of files by their rows."""
        types = types_of(row.values for of_file in rows.values() for row in of_file if isinstance(row.values, dict))
        if not types:
            raise InputError(f"{next(iter(rows))} has no rows with values.")
        schema = typed(pa.schema(list(types.items())), given)
        tables, numbers, bad_rows = {}, {}, {}
        for file, of_file in rows.items():
            faults = _faults(of_file, schema)
            bad_rows[file] = tuple(BadRow(str(file), of_file[at].number, faults[at]) for at in sorted(faults))
            if bad_rows[file] and on_bad_row == "error":
                raise_bad_row(bad_rows[file][0])
            kept = [row for at, row in enumerate(of_file) if at not in faults]
            columns = [_array(_column(kept, field.name), field.type) for field in schema]
            tables[file], numbers[file] = pa.table(columns, schema=schema), [row.number for row in kept]
        return cls(schema, tables, numbers, bad_rows)

    def has_at_most(self, files: Sequence[Path], rows: int) -> bool:
        return sum(len(self.tables[file]) for file in files) <= rows

    def shares(self, files: Sequence[Path], rows: int) -> Mapping[Path, int]:
        return shares_of({file: len(self.tables[file]) for file in files}, rows)

    def sample(self, file: Path, share: int, columns: Sequence[str] | None = None) -> pa.Table:
        """Rows at even distances."""
        table = self._selected(file, columns)
        if len(table) <= share:
            return table
        return table.take(pa.array([at * len(table) // share for at in range(share)], pa.int64()))

    def size(self, file: Path) -> int:
        return file.stat().st_size

    def pieces(self, file: Path, start: int, columns: Sequence[str] | None = None) -> Iterator[Piece]:
        """All rows at once."""
        if start == 0:
            read = Read(self._selected(file, columns), self.bad_rows[file], self.numbers[file].__getitem__)
            yield Piece(lambda: [read], 1, self.size(file))

    def _selected(self, file: Path, columns: Sequence[str] | None) -> pa.Table:
        return self.tables[file].select(list(self.schema.names if columns is None else columns))


def is_array(file: Path, encoding: str | None) -> bool:
    """Whether a JSON file is one array, rather than a line for each object."""
    blocks = json_file(file, encoding).blocks(0, 1 << 16)
    starts = (block.rows.lstrip(b"\xef\xbb\xbf \t\r\n") for block in blocks)
    return next((start for start in starts if start), b"").startswith(b"[")


def read_array(file: Path, encoding: str | None) -> list[Row]:
    """The objects of an array, with the lines that they begin in."""
    most = memory_limit() // _EXPANSION
    parts, length = [], 0
    for block in json_file(file, encoding).blocks(0):
        parts.append(block.rows)
        length += block.size
        if length > most:
            raise TooLargeError(
                f"{file} is one JSON array of more than {in_bytes(most)}, which is read as a whole. Write a line for "
                f"each object (JSON Lines), which is read in pieces, or raise the memory limit, {VARIABLE}."
            )
    try:
        return list(_elements(b"".join(parts).decode("utf-8-sig")))
    except RecursionError:
        raise DamagedTableError(f"{file} cannot be read: its JSON is nested too deeply.") from None
    except json.JSONDecodeError as error:
        raise DamagedTableError(f"{file}, line {error.lineno}: this is not valid JSON: {error.msg}.") from None
    except UnicodeDecodeError:
        raise DamagedTableError(f"{file} is not in UTF-8. If it is in another encoding, name it: encoding=…") from None


def _elements(text: str) -> Iterator[Row]:
    """The elements of the array that a text is."""
    decode = json.JSONDecoder().raw_decode
    at, line, last = _behind(text, text.index("[") + 1), 1, 0
    while text[at : at + 1] != "]":
        # Lines are counted from the last element on: from the beginning it would take quadratic time.
        line, last = line + text.count("\n", last, at), at
        value, end = decode(text, at)
        yield Row(line, value)
        at = _behind(text, end)
        if text[at : at + 1] == ",":
            at = _behind(text, at + 1)
        elif text[at : at + 1] != "]":
            raise json.JSONDecodeError("Expecting ',' or ']'", text, at)
    if _behind(text, at + 1) < len(text):
        raise json.JSONDecodeError("Extra data", text, _behind(text, at + 1))


def _behind(text: str, at: int) -> int:
    """The next character that is no white space."""
    while at < len(text) and text[at] in " \t\r\n":
        at += 1
    return at


def _faults(rows: Sequence[Row], schema: pa.Schema) -> dict[int, str]:
    """Why rows cannot be read, by their indices."""
    others = [at for at, row in enumerate(rows) if not isinstance(row.values, dict)]
    faults = {at: f"it is not a JSON object: {_shown(rows[at].values)}" for at in others}
    for field in schema:
        # The whole column first: value by value takes far longer, and few columns have a value that does not fit.
        column = _column(rows, field.name)
        if _fits(column, field.type):
            continue
        for at, value in enumerate(column):
            if not _fits([value], field.type):
                why = f"column {field.name!r} has the value {_shown(value)}, and its type is {field.type}"
                faults.setdefault(at, why)
    return faults


def _column(rows: Sequence[Row], name: str) -> list[object]:
    return [row.values.get(name) if isinstance(row.values, dict) else None for row in rows]


def _fits(column: Sequence[object], kind: pa.DataType) -> bool:
    if pa.types.is_integer(kind) and any(isinstance(value, float) and not value.is_integer() for value in column):
        return False  # pyarrow would cut the fraction off
    try:
        _array(column, kind)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return False
    return True


def _array(column: Sequence[object], kind: pa.DataType) -> pa.Array:
    if pa.types.is_floating(kind):  # pyarrow takes no whole numbers of more than 64 bits
        column = [float(value) if type(value) is int else value for value in column]
    return pa.array(column, kind)


def _shown(value: object) -> str:
    return repr(value)[:80]


_SHEET_EXPANSION = 40
"""How many times more memory the values of a sheet take than its file, about."""


def read_sheet(file: Path, sheet: str | None) -> list[Row]:
    """The rows of a sheet, with their numbers in it; the first sheet where none is named."""
    calamine = need("python_calamine", "excel", "a table in an Excel file")
    check_memory(f"the values of {file}", file.stat().st_size * _SHEET_EXPANSION, itemsize=1)
    try:
        book = calamine.CalamineWorkbook.from_path(str(file))
        names = book.sheet_names
        if sheet is not None and sheet not in names:
            raise ParameterError(f"{file} has no sheet {sheet!r}.{did_you_mean(sheet, names)}")
        if not names:
            raise InputError(f"{file} has no sheet with a table.")
        # With the empty area, so that numbers of rows and letters of columns in errors are those of the sheet.
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


def _records(file: Path, values: list[list[object]]) -> list[Row]:
    """Rows by the names in the first row that has values; rows without any value are left out."""
    rows = [(number, row) for number, row in enumerate(values, start=1) if any(value != "" for value in row)]
    if not rows:
        raise InputError(f"{file} is empty: it has no row with the names of the columns.")
    (_, head), *rest = rows
    names = {at: str(_plain(value)) for at, value in enumerate(head) if value != ""}
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
    return [Row(number, {name: cells[i] for name, cells in columns.items()}) for i, (number, _) in enumerate(rest)]


def _letters(at: int) -> str:
    """The name that spreadsheets give a column: A to Z, then AA."""
    letters = ""
    at += 1
    while at:
        at, letter = divmod(at - 1, 26)
        letters = chr(ord("A") + letter) + letters
    return letters


def _alike(values: list[object]) -> list[object]:
    """Values of one type: texts, where there are texts and others, as in a CSV file."""
    kinds = {type(value) for value in values} - {type(None)}
    if kinds <= {int, float} or len(kinds) < 2:
        return values
    return [None if value is None else str(value) for value in values]


def _plain(value: object) -> object:
    """A value of a cell: whole numbers, which files store as floats, are whole; dates are texts in ISO 8601."""
    # Below 2^53: beyond it a float does not say which whole number was meant.
    if isinstance(value, float) and value.is_integer() and abs(value) < 1 << 53:
        return int(value)
    if value == "":
        return None
    return value if isinstance(value, bool | int | float | str) else str(value)
