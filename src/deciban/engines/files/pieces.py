"""What the readers of all formats share: a piece of a file, and the rows of it that could not be read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import NoReturn, Protocol

import pyarrow as pa
import pyarrow.compute as pc

from deciban.choices import did_you_mean
from deciban.engines.source import OnBadRow
from deciban.errors import ColumnMismatchError, ParameterError, SourceError

__all__ = [
    "BadRow",
    "Piece",
    "Read",
    "Reader",
    "check_same_names",
    "common_type",
    "given_types",
    "raise_bad_row",
    "shares_of",
    "typed",
    "unified",
    "without_missing",
]


@dataclass(frozen=True)
class BadRow:
    """A row that could not be read: the line of the file that it begins in, from 1, and the reason.

    The line is 0 where it is not known, as in formats without lines.
    """

    file: str
    line: int
    reason: str

    def __str__(self) -> str:
        where = f"{self.file}, line {self.line}" if self.line else self.file
        return f"{where}: {self.reason}"


@dataclass(frozen=True)
class Read:
    """Some rows of a piece as an Arrow table, the rows that were left out, and the line of each row of the table."""

    table: pa.Table
    bad_rows: tuple[BadRow, ...] = ()
    line_of: Callable[[int], int] = lambda _row: 0


@dataclass(frozen=True)
class Piece:
    """A part of a file that is read on its own, in any thread, some rows at a time.

    `end` is where the next piece of the file begins, in a unit of the format (bytes, or row groups), and `size` the
    number of bytes of the file up to there, for the progress bar.
    """

    read: Callable[[], Iterable[Read]]
    end: int
    size: int


class Reader(Protocol):
    """Reads the files of one format, all with the same columns."""

    @property
    def schema(self) -> pa.Schema:
        """The names and Arrow types of the columns."""

    def has_at_most(self, files: Sequence[Path], rows: int) -> bool:
        """Whether files have at most so many rows together, about, as is known without reading them."""

    def shares(self, files: Sequence[Path], rows: int) -> Mapping[Path, int]:
        """How much of each file is in a sample of so many rows of all files, in a unit of the format."""

    def sample(self, file: Path, share: int, columns: Sequence[str] | None = None) -> pa.Table:
        """So much of a file, spread over it, as an Arrow table; all of it where it has less."""

    def size(self, file: Path) -> int:
        """The sizes of all pieces of a file together, about."""

    def pieces(self, file: Path, start: int, columns: Sequence[str] | None = None) -> Iterator[Piece]:
        """The pieces from `start` on."""


_MOST_FILES = 64
"""A sample is taken from so many files, evenly spaced in their order."""
_SHOWN = 10
"""The number of rows without a value, in a piece, whose lines are looked up."""


def shares_of(sizes: Mapping[Path, int], wanted: int) -> dict[Path, int]:
    """Shares of `wanted` in proportion to the sizes of files; their whole sizes where these are less together."""
    if sum(sizes.values()) <= wanted:
        return dict(sizes)
    some = list(sizes)[:: -(-len(sizes) // _MOST_FILES)]  # every k-th, k rounded up, so at most so many
    whole = max(sum(sizes[file] for file in some), 1)
    return {file: max(sizes[file] * wanted // whole, 1) for file in some}


def without_missing(read: Read, columns: Sequence[str], file: Path, on_bad_row: OnBadRow) -> Read:
    """Only the rows that have a value in each of some columns; the others are an error, or rows that are left out.

    A column that the table does not have is left to what counts it.
    """
    lacking = [name for name in columns if name in read.table.column_names and read.table[name].null_count]
    if not lacking:
        return read
    missing = {name: read.table[name].is_null() for name in lacking}
    is_bad = reduce(pc.or_, missing.values())
    rows = [row for row, bad in enumerate(is_bad.to_pylist()) if bad]
    names = [next(name for name in lacking if missing[name][row].as_py()) for row in rows]
    if on_bad_row == "error":
        raise_bad_row(BadRow(str(file), read.line_of(rows[0]), _no_value(names[0])))
    # Each line takes a pass over the block, and a file may have very many such rows: a warning names a few.
    lines = [read.line_of(row) if i < _SHOWN else 0 for i, row in enumerate(rows)]
    bad_rows = [BadRow(str(file), line, _no_value(name)) for line, name in zip(lines, names, strict=True)]
    return Read(read.table.filter(pc.invert(is_bad)), (*read.bad_rows, *bad_rows), read.line_of)


def _no_value(name: str) -> str:
    return f"column {name!r} has no value"


def raise_bad_row(row: BadRow) -> NoReturn:
    """The error of a row that cannot be read."""
    raise SourceError(f'{row}. Correct it, or pass on_bad_row="skip" to leave such rows out.')


def given_types(schema: object) -> dict[str, pa.DataType] | None:
    """The types that a user gives: an Arrow schema, or a mapping from names to types or their names."""
    if schema is None:
        return None
    if isinstance(schema, pa.Schema):
        return {field.name: field.type for field in schema}
    if not isinstance(schema, Mapping):
        raise ParameterError(f"schema is a mapping from names of columns to Arrow types, not {schema!r}.")
    return {str(name): _type(name, kind) for name, kind in schema.items()}


def _type(name: object, kind: object) -> pa.DataType:
    try:
        return kind if isinstance(kind, pa.DataType) else pa.type_for_alias(kind)
    except (TypeError, ValueError):
        raise ParameterError(
            f"schema[{name!r}] is {kind!r}, which is no Arrow type. Types are, for example, 'float64', 'int64', "
            "'string' and 'bool'."
        ) from None


def typed(schema: pa.Schema, given: Mapping[str, pa.DataType] | None) -> pa.Schema:
    """The schema with the given types; a column without any value in the rows that were looked at holds text."""
    for name in given or ():
        if name not in schema.names:
            raise ColumnMismatchError(f"schema names {name!r}, which is no column.{did_you_mean(name, schema.names)}")
    # pyarrow would refuse every value of a column of type null that comes later.
    kinds = {field.name: pa.string() if pa.types.is_null(field.type) else field.type for field in schema}
    return pa.schema([(name, (given or {}).get(name, kind)) for name, kind in kinds.items()])


def common_type(kinds: Sequence[pa.DataType]) -> pa.DataType:
    """The type that holds the values of all types: text where no other one does."""
    fields = [pa.schema([("column", kind)]) for kind in kinds]
    try:
        return pa.unify_schemas(fields, promote_options="permissive").field(0).type
    except pa.ArrowException:
        return pa.string()


def check_same_names(names: Mapping[Path, Sequence[str]]) -> None:
    """Raise an error that names the file and the columns, where files have different columns."""
    (first, ours), *others = names.items()
    for file, theirs in others:
        if set(theirs) == set(ours):
            continue
        lacks = [repr(name) for name in ours if name not in theirs]
        has = [repr(name) for name in theirs if name not in ours]
        parts = [f"lacks {', '.join(lacks[:5])}"] * bool(lacks) + [f"also has {', '.join(has[:5])}"] * bool(has)
        raise ColumnMismatchError(f"the files have different columns: {file} {' and '.join(parts)}, unlike {first}.")


def unified(schemas: Mapping[Path, pa.Schema]) -> pa.Schema:
    """The columns of all files: whole numbers and floats together are floats, other mixtures an error."""
    check_same_names({file: schema.names for file, schema in schemas.items()})
    (first, ours), *_ = schemas.items()
    fields = []
    for name in ours.names:
        field = _plain(ours.field(name))
        for file, schema in schemas.items():
            try:
                both = [pa.schema([field]), pa.schema([_plain(schema.field(name))])]
                field = pa.unify_schemas(both, promote_options="permissive").field(0)
            except pa.ArrowException:
                raise ColumnMismatchError(
                    f"column {name!r} is {schema.field(name).type} in {file} and {field.type} in {first}."
                ) from None
        fields.append(field)
    return pa.schema(fields)


def _plain(field: pa.Field) -> pa.Field:
    """A field without metadata; a dictionary is a way to store its values."""
    kind = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
    return pa.field(field.name, kind)
