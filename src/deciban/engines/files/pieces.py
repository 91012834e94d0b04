"""What the readers of all formats share: a piece of a file, and the rows of it that could not be read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Any, NoReturn, Protocol

import pyarrow.compute as pc

from deciban.engines.source import OnBadRow
from deciban.errors import SourceError

__all__ = ["BadRow", "Piece", "Read", "Reader", "raise_bad_row", "shares_of", "without_missing"]


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

    table: Any
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
    def schema(self) -> Any:
        """The names and Arrow types of the columns."""

    def shares(self, files: Sequence[Path], rows: int) -> Mapping[Path, int]:
        """How much of each file is in a sample of so many rows of all files, in a unit of the format."""

    def sample(self, file: Path, share: int, columns: Sequence[str] | None = None) -> Any:
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
    some = list(sizes)[:: -(-len(sizes) // _MOST_FILES)]
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
    lines = [read.line_of(row) if i < _SHOWN else 0 for i, row in enumerate(rows)]
    bad_rows = [BadRow(str(file), line, _no_value(name)) for line, name in zip(lines, names, strict=True)]
    return Read(read.table.filter(pc.invert(is_bad)), (*read.bad_rows, *bad_rows), read.line_of)


def _no_value(name: str) -> str:
    return f"column {name!r} has no value"


def raise_bad_row(row: BadRow) -> NoReturn:
    """The error of a row that cannot be read."""
    raise SourceError(f'{row}. Correct it, or pass on_bad_row="skip" to leave such rows out.')
