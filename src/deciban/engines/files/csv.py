"""CSV and TSV files, by pyarrow, which reads a block of rows into columns of known types.

The types are found from rows that are spread over all files, unless they are given. A value is missing where it is
empty or one of pyarrow's names for a missing value, such as NA or null. Labels are read as codes and their distinct
values, so that they are not compared again when they are counted.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pc
from pyarrow import compute

from deciban.engines.files.names import format_of
from deciban.engines.files.pieces import BadRow, Piece, Read, check_same_names, common_type, raise_bad_row, typed
from deciban.engines.files.text_files import Block, TextFile, count_lines, have_at_most, text_shares
from deciban.engines.source import OnBadRow
from deciban.errors import ColumnMismatchError, DamagedTableError, DecibanWarning, InputError, SourceError, warn_user

__all__ = ["CsvReader", "text_file"]


_DELIMITERS = ",;\t|"
_SAMPLE = 8 << 20
"""The bytes from which types are found."""
_FILES = 64
"""The number of files that they are from."""
_SHOWN = 10
"""The number of bad rows of a piece whose lines are looked up."""
_ADVICE = "If it is in another encoding, name it: encoding=…"
_BLANK = 1000
"""A block of fewer bytes may have nothing but line ends."""
_ENCODED = pa.dictionary(pa.int32(), pa.string())


@dataclass(frozen=True)
class CsvReader:
    """Reads CSV files with a header line; the values are separated by commas, semicolons, tabs or bars.

    `schema` are the names and types of the columns, `encoded` the names of those that are read as codes, `numbers` of
    those that a model takes as numbers, and `loose` of columns of labels, which are text in a block that has a value of
    another type.
    """

    schema: pa.Schema
    delimiter: str
    encoded: frozenset[str]
    on_bad_row: OnBadRow
    encodings: Mapping[Path, str] = field(default_factory=dict)
    decimal: str = "."
    numbers: frozenset[str] = frozenset()
    loose: frozenset[str] = frozenset()

    @classmethod
    def of(
        cls,
        files: Sequence[Path],
        given: Mapping[str, pa.DataType] | None,
        on_bad_row: OnBadRow,
        encodings: Mapping[Path, str] | None = None,
        decimal: str | None = None,
    ) -> CsvReader:
        """The reader of files that have the same columns; `encodings` are those that are not UTF-8.

        A decimal comma is found where `decimal` is None.
        """
        encodings = encodings or {}
        heads = {file: text_file(file, encodings.get(file)).head() for file in files}
        delimiter = _delimiter(heads[files[0]])
        names = {file: _names(file, head, delimiter) for file, head in heads.items()}
        check_same_names(names)
        reader = cls(pa.schema([]), delimiter, frozenset(), on_bad_row, encodings, decimal or ".")
        typed_names = set(given or ()) & set(names[files[0]])
        some = reader._some_rows(files, names, typed_names)
        if decimal is None and delimiter != "," and _has_decimal_commas(files[0], some, given or {}):
            # Read again, since pyarrow finds types by one decimal mark: columns of such numbers were text until now.
            reader = replace(reader, decimal=",")
            some = reader._some_rows(files, names, typed_names)
        schema = typed(some.schema, given)
        return replace(reader, schema=schema, encoded=_repeating(some, schema))

    def with_types(self, numbers: Collection[str], labels: Collection[str]) -> CsvReader:
        """Read columns of text as numbers, and let columns of labels have values of another type."""
        kinds = {f.name: pa.float64() if f.name in numbers and is_text(f.type) else f.type for f in self.schema}
        schema, encoded = pa.schema(list(kinds.items())), self.encoded - set(numbers)
        return replace(self, schema=schema, encoded=encoded, numbers=frozenset(numbers), loose=frozenset(labels))

    def has_at_most(self, files: Sequence[Path], rows: int) -> bool:
        return have_at_most([self._text_file(file) for file in files], rows)

    def shares(self, files: Sequence[Path], rows: int) -> Mapping[Path, int]:
        return text_shares([self._text_file(file) for file in files], rows)

    def sample(self, file: Path, share: int, columns: Sequence[str] | None = None) -> pa.Table:
        text, names = self._opened(file)
        runs = text.sample(_data_start(text), share)
        return self._without_bad_rows(pa.py_buffer(b"".join(runs)), names, columns)

    def size(self, file: Path) -> int:
        return self._text_file(file).size

    def pieces(self, file: Path, start: int, columns: Sequence[str] | None = None) -> Iterator[Piece]:
        text, names = self._opened(file)
        for block in text.blocks(start or _data_start(text)):
            yield Piece(_Reading(self, text, block, names, columns), block.end, block.size)

    def _text_file(self, file: Path) -> TextFile:
        return text_file(file, self.encodings.get(file))

    def _opened(self, file: Path) -> tuple[TextFile, list[str]]:
        text = self._text_file(file)
        return text, _names(file, text.head(), self.delimiter)

    def read(
        self, rows: pa.Buffer, names: list[str], columns: Sequence[str] | None, skipped: list[pc.InvalidRow]
    ) -> pa.Table:
        """The rows of a buffer; rows of another length are appended to `skipped`."""
        wanted = list(self.schema.names if columns is None else columns)
        types = {name: _ENCODED if name in self.encoded else self.schema.field(name).type for name in wanted}
        return self._parsed(rows, names, wanted, types, skipped)

    def _parsed(
        self,
        rows: pa.Buffer,
        names: list[str],
        wanted: list[str],
        types: Mapping[str, pa.DataType],
        skipped: list[pc.InvalidRow],
    ) -> pa.Table:
        def note(row: pc.InvalidRow) -> str:
            skipped.append(row)
            return "skip"

        # pyarrow refuses a buffer without rows as an empty file.
        if rows.size < _BLANK and not rows.to_pybytes().strip():
            return pa.schema([(name, types.get(name, pa.null())) for name in wanted]).empty_table()
        # One block of its own and one thread: the pieces of a file are what runs in parallel.
        read = pc.ReadOptions(column_names=names, block_size=max(rows.size + 1, 1 << 10), use_threads=False)
        parse = pc.ParseOptions(delimiter=self.delimiter, newlines_in_values=True, invalid_row_handler=note)
        convert = pc.ConvertOptions(
            include_columns=wanted, column_types=types, strings_can_be_null=True, decimal_point=self.decimal
        )
        return pc.read_csv(pa.BufferReader(rows), read_options=read, parse_options=parse, convert_options=convert)

    def as_text(
        self, rows: pa.Buffer, names: list[str], columns: Sequence[str] | None
    ) -> tuple[pa.Table, list[pc.InvalidRow]]:
        """All rows of the right length with their values as text, and the others."""
        skipped: list[pc.InvalidRow] = []
        wanted = list(self.schema.names if columns is None else columns)
        return self._parsed(rows, names, wanted, dict.fromkeys(wanted, pa.string()), skipped), skipped

    def _without_bad_rows(self, rows: pa.Buffer, names: list[str], columns: Sequence[str] | None) -> pa.Table:
        try:
            return self.read(rows, names, columns, [])
        except pa.ArrowException:
            table, _ = self.as_text(rows, names, columns)
            bad = {at for at, _ in unreadable(table, self.schema, self.decimal)}
            return converted_table(without_rows(table, bad), self.schema, self.decimal)

    def fitting(self, table: pa.Table) -> pa.Schema:
        """The types for a table of text: text for columns of labels with a value of another type."""
        kinds = {field.name: field.type for field in self.schema}
        for name in self.loose.intersection(table.column_names):
            if not converts(table[name], kinds[name], self.decimal):
                kinds[name] = pa.string()
        return pa.schema(list(kinds.items()))

    def _some_rows(self, files: Sequence[Path], names: Mapping[Path, list[str]], given: Collection[str]) -> pa.Table:
        """Rows that are spread over the files, with the types that pyarrow finds for them; given types stay text."""
        some = files[:: -(-len(files) // _FILES)]
        wanted, as_text = names[files[0]], dict.fromkeys(given, pa.string())
        tables = []
        for file in some:
            text = self._text_file(file)
            rows = pa.py_buffer(b"".join(text.sample(_data_start(text), _SAMPLE // len(some))))
            tables.append(self._typed_by_values(file, rows, names[file], wanted, as_text))
        kinds = {name: common_type([table.schema.field(name).type for table in tables]) for name in wanted}
        return pa.concat_tables([table.cast(pa.schema(kinds)) for table in tables])

    def _typed_by_values(
        self, file: Path, rows: pa.Buffer, names: list[str], wanted: list[str], types: Mapping[str, pa.DataType]
    ) -> pa.Table:
        try:
            # Rows of another length are no error yet: the sample may begin inside a value in quotes.
            table = self._parsed(rows, names, wanted, types, [])
        except pa.ArrowException as error:
            raise DamagedTableError(f"{file} cannot be read: {str(error).rstrip('.')}.") from None
        # pyarrow takes text that is not UTF-8 for bytes.
        binary = [field.name for field in table.schema if pa.types.is_binary(field.type)]
        if binary:
            raise SourceError(f"{file} cannot be read: column {binary[0]!r} is not text in UTF-8. {_ADVICE}")
        return table


@dataclass(frozen=True)
class _Reading:
    """Reads one block."""

    reader: CsvReader
    text: TextFile
    block: Block
    names: list[str]
    columns: Sequence[str] | None

    def __call__(self) -> Iterator[Read]:
        skipped: list[pc.InvalidRow] = []
        try:
            table = self.reader.read(self.block.buffer, self.names, self.columns, skipped)
        except pa.ArrowException as error:
            yield self._slowly(error)
        else:
            reports = self._reported([(row.number - 1, ragged(row)) for row in skipped])
            yield Read(table, reports, partial(self._line_of, frozenset(row.number - 1 for row in skipped)))

    def _slowly(self, error: Exception) -> Read:
        """Read the values as text, and find those that cannot be converted."""
        try:
            table, skipped = self.reader.as_text(self.block.buffer, self.names, self.columns)
        except pa.ArrowException:
            why = f"at byte {self.block.start}: {str(error).rstrip('.')}. {_ADVICE}"
            raise SourceError(f"{self.text.path} cannot be read {why}") from None
        # pyarrow numbers all rows of the block, and the table lacks the ragged ones: the others are counted past them.
        schema = self.reader.fitting(table)
        bad = dict(unreadable(table, schema, self.reader.decimal, self.reader.numbers))
        others = sorted(row.number - 1 for row in skipped)
        numbered = [(at + rows_before(at, others), reason) for at, reason in bad.items()]
        reports = self._reported(sorted(numbered + [(row.number - 1, ragged(row)) for row in skipped]))
        left_out = frozenset(at for at, _ in numbered).union(others)
        return Read(
            converted_table(without_rows(table, bad), schema, self.reader.decimal),
            reports,
            partial(self._line_of, left_out),
        )

    def _line_of(self, left_out: frozenset[int], row: int) -> int:
        """The line of the file that a row of the table begins in."""
        kept = [line for at, line in enumerate(row_lines(self.block.rows)) if at not in left_out]
        return count_lines(self.text, self.block.start) + 1 + kept[row]

    def _reported(self, rows: list[tuple[int, str]]) -> tuple[BadRow, ...]:
        """The rows that could not be read, with their lines in the file; the first one is an error, unless skipped."""
        if not rows:
            return ()
        first = count_lines(self.text, self.block.start) + 1
        lines = row_lines(self.block.rows)
        name = str(self.text.path)
        bad_rows = [BadRow(name, first + lines[at] if i < _SHOWN else 0, why) for i, (at, why) in enumerate(rows)]
        if self.reader.on_bad_row == "error":
            raise_bad_row(bad_rows[0])
        return tuple(bad_rows)


def _repeating(table: pa.Table, schema: pa.Schema) -> frozenset[str]:
    """The columns of labels whose values repeat: other text is not worth encoding."""
    labels = [field.name for field in schema if is_text(field.type)]
    # At most half of the values are distinct; up to 50 labels are few in any table.
    return frozenset(name for name in labels if 2 * len(table[name].unique()) <= max(len(table), 100))


def text_file(file: Path, encoding: str | None = None) -> TextFile:
    """A CSV file as text."""
    return TextFile(file, format_of(file)[1], is_quoted=True, encoding=encoding)


def _data_start(text: TextFile) -> int:
    """Where the first row begins, behind the header and its line end."""
    first = next(text.blocks(0, 1 << 16), None)
    if first is None:
        return 0
    # By the length of the header, not by the first line end: a name in quotes may have one in it.
    end = len(text.head())
    return min(first.rows.find(b"\n", end) + 1 or first.size, first.size)


def _delimiter(head: bytes) -> str:
    """The separator that is most frequent in the header."""
    # A header of one column has none of them: it is read with commas.
    return max(_DELIMITERS, key=lambda mark: (head.count(mark.encode()), mark == ","))


def _has_decimal_commas(file: Path, rows: pa.Table, given: Mapping[str, pa.DataType]) -> bool:
    """Whether the numbers of a file have decimal commas, by some rows: a warning says so."""
    columns = {name: value for name, value in decimal_commas(rows).items() if not is_text(given.get(name, pa.null()))}
    if not columns:
        return False
    name, value = next(iter(columns.items()))
    points = [field.name for field in rows.schema if pa.types.is_floating(field.type)]
    if points:
        warn_user(
            f"{file}: column {name!r} has decimal commas, as in {value!r}, and column {points[0]!r} has points: "
            f"{name!r} is read as text. Write all numbers in one way.",
            DecibanWarning,
        )
        return False
    warn_user(
        f"{file}: column {name!r} has decimal commas, as in {value!r}, which are read as numbers. If they are labels, "
        f"pass schema={{{name!r}: 'string'}}, or --decimal . to a command.",
        DecibanWarning,
    )
    return True


def _names(file: Path, head: bytes, delimiter: str) -> list[str]:
    if not head.strip():
        raise InputError(f"{file} is empty: it has no header line.")
    try:
        line = pc.read_csv(
            pa.BufferReader(head + b"\n"),
            read_options=pc.ReadOptions(autogenerate_column_names=True),
            parse_options=pc.ParseOptions(delimiter=delimiter, newlines_in_values=True),
            convert_options=pc.ConvertOptions(auto_dict_encode=False, null_values=[], strings_can_be_null=False),
        )
    except pa.ArrowException as error:
        raise DamagedTableError(f"the header of {file} cannot be read: {str(error).rstrip('.')}.") from None
    names = [str(line[name][0].as_py()) for name in line.column_names]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ColumnMismatchError(f"{file} has two columns of the name {twice!r}.")
    return names


_WITH_COMMA = r"^\s*[+-]?(\d+(,\d*)?|,\d+)([eE][+-]?\d+)?\s*$"


def ragged(row: pc.InvalidRow) -> str:
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
        # An odd number of quotes opens or closes a value; a doubled quote inside one changes nothing.
        is_open ^= bool(line.count(b'"') & 1)
    return starts


def unreadable(
    table: pa.Table, schema: pa.Schema, decimal: str = ".", numbers: Collection[str] = ()
) -> list[tuple[int, str]]:
    """The rows of a table of text that have a value that is not of its column's type, and which value it is.

    `numbers` are the columns that were numbers when a model was fitted.
    """
    reasons: dict[int, str] = {}
    for name in table.column_names:
        kind = schema.field(name).type
        if is_text(kind) or converts(table[name], kind, decimal):
            continue
        # Value by value, since pyarrow's error does not say in which row it is; only such columns are read so.
        for at, value in enumerate(table[name].to_pylist()):
            if (
                at not in reasons
                and value is not None
                and not converts(pa.chunked_array([[value]], pa.string()), kind, decimal)
            ):
                why = (
                    "which is not a number, as its values were in fit"
                    if name in numbers
                    else f"and its type is {kind} (schema={{{name!r}: …}} gives it another one)"
                )
                reasons[at] = f"column {name!r} has the value {value!r}, {why}"
    return sorted(reasons.items())


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
    examples: dict[str, str] = {}
    for name in [column.name for column in table.schema if is_text(column.type)]:
        values = table[name].drop_null()
        numbers = values.filter(compute.match_substring_regex(values, _WITH_COMMA))
        marked = numbers.filter(compute.match_substring(numbers, ","))
        if len(marked) and 2 * len(numbers) > len(values):
            examples[name] = marked[0].as_py()
    return examples
