"""What the readers of all formats share: a piece of a file, and the rows of it that could not be read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NoReturn, Protocol

from deciban.errors import SourceError

__all__ = ["BadRow", "OnBadRow", "Piece", "Read", "Reader", "raise_bad_row", "shares_of"]

OnBadRow = Literal["error", "skip"]


@dataclass(frozen=True)
class BadRow:
    """A row that could not be read: the line of the file that it begins in, from 1, and the reason."""

    file: str
    line: int
    reason: str

    def __str__(self) -> str:
        return f"{self.file}, line {self.line}: {self.reason}"


@dataclass(frozen=True)
class Read:
    """The rows of a piece as an Arrow table, and the rows that were left out."""

    table: Any
    bad_rows: tuple[BadRow, ...] = ()


@dataclass(frozen=True)
class Piece:
    """A part of a file that is read on its own, in any thread.

    `end` is where the next piece of the file begins, in a unit of the format (bytes, or row groups), and `size` the
    number of bytes of the file up to there, for the progress bar.
    """

    read: Callable[[], Read]
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

    def pieces(self, file: Path, start: int, columns: Sequence[str] | None = None) -> Iterator[Piece]:
        """The pieces from `start` on."""


_MOST_FILES = 64
"""A sample is taken from so many files, evenly spaced in their order."""


def shares_of(sizes: Mapping[Path, int], wanted: int) -> dict[Path, int]:
    """Shares of `wanted` in proportion to the sizes of files; their whole sizes where these are less together."""
    if sum(sizes.values()) <= wanted:
        return dict(sizes)
    some = list(sizes)[:: -(-len(sizes) // _MOST_FILES)]
    whole = max(sum(sizes[file] for file in some), 1)
    return {file: max(sizes[file] * wanted // whole, 1) for file in some}


def raise_bad_row(row: BadRow) -> NoReturn:
    """The error of a row that cannot be read."""
    raise SourceError(f'{row}. Correct it, or pass on_bad_row="skip" to leave such rows out.')
