"""Text files in blocks of whole rows.

A block ends behind a line end. In a CSV file a line end inside quotes is part of a value: the number of quotes before
it is odd, as each value has two, and a quote inside a value is doubled. So a block ends where their number is even. The
files may be compressed; offsets are those of the text.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from deciban.engines.files.encodings import Converted
from deciban.engines.files.pieces import shares_of
from deciban.errors import DamagedTableError, SourceError
from deciban.limits import in_bytes

__all__ = ["BLOCK", "Block", "TextFile", "count_lines", "text_shares"]

BLOCK = 16 << 20
"""The bytes of a block."""
_LONGEST = 64 << 20
"""The longest row. A quote that does not belong to a pair would make the rest of a file one row."""
_CHUNKS = 64
"""A sample consists of so many runs of rows, spread over a file."""
_RUN = 1 << 14
"""The bytes of a compressed text that are looked at together for a sample."""
_EXPANSION = 5
"""How many times longer a text is than its compressed file, about."""
_QUOTE = ord('"')


@dataclass(frozen=True)
class Block:
    """Some whole rows: the first `size` bytes of `data`, which are at `start` in the text of a file."""

    data: bytes
    size: int
    start: int

    @property
    def end(self) -> int:
        return self.start + self.size

    @property
    def buffer(self) -> pa.Buffer:
        """The rows, without a copy."""
        return pa.py_buffer(self.data).slice(0, self.size)

    @property
    def rows(self) -> bytes:
        return self.data[: self.size]


@dataclass(frozen=True)
class TextFile:
    """A file of lines; `is_quoted` where values in quotes may have line ends in them; an encoding of None is UTF-8."""

    path: Path
    compression: str | None
    is_quoted: bool
    encoding: str | None = None

    def blocks(self, start: int, size: int = BLOCK) -> Iterator[Block]:
        """The rows from an offset on, in blocks of about `size` bytes."""
        try:
            with self._open() as file:
                yield from self._cut(file, start, size)
        except UnicodeError as error:
            why = error.reason if isinstance(error, UnicodeDecodeError) else str(error)
            raise DamagedTableError(f"{self.path} is not in {self.encoding}: {why}. Pass another encoding.") from None
        except (OSError, EOFError, pa.ArrowException) as error:
            raise DamagedTableError(f"{self.path} cannot be read: {str(error).rstrip('.')}.") from None

    def sample(self, start: int, size: int) -> list[bytes]:
        """Runs of whole lines of about `size` bytes in all, spread over the text from `start` on; all where it is less.

        A run may begin inside a value in quotes, so its first rows may not be rows.
        """
        if self._is_seekable and os.path.getsize(self.path) - start > size:
            return list(self._runs(start, size))
        return self._streamed(start, size)

    @property
    def size(self) -> int:
        """The bytes of the text; of a compressed file, an estimate."""
        return os.path.getsize(self.path) * (1 if self.compression is None else _EXPANSION)

    @property
    def row_size(self) -> int:
        """The bytes of a row, by the first rows."""
        first = next(self.blocks(0, 1 << 16), None)
        return 1 if first is None else max(first.size // max(first.rows.count(b"\n"), 1), 1)

    def head(self) -> bytes:
        """The first line, without its end."""
        first = next(self.blocks(0, 1 << 16), None)
        return b"" if first is None else _first_row(first.rows, self.is_quoted)

    def look(self, size: int) -> list[bytes]:
        """Bytes of the file as they are, about so many: the first ones, and others that are spread over it."""
        raw = replace(self, encoding=None)
        try:
            with raw._open() as file:
                first = file.read(size if os.path.getsize(self.path) <= size else min(size, _RUN))
        except (OSError, EOFError, pa.ArrowException) as error:
            raise DamagedTableError(f"{self.path} cannot be read: {str(error).rstrip('.')}.") from None
        if self.compression is None and os.path.getsize(self.path) > size:
            return [first, *raw._runs(0, size)]
        return [first + b"\n"]  # as in `encodings.decoded`

    @property
    def _is_seekable(self) -> bool:
        """Whether an offset of the text is one of the file."""
        return self.compression is None and self.encoding is None

    def _open(self) -> Any:
        if self.compression is None:
            raw: Any = self.path.open("rb", buffering=0)
        else:
            raw = pa.input_stream(str(self.path), compression=self.compression)
        return raw if self.encoding is None else Converted(raw, self.encoding)

    def _streamed(self, start: int, size: int) -> list[bytes]:
        """Runs from a text whose length is not known before all of it has been read."""
        kept: list[bytes] = []
        length, stride = 0, 1
        for i, block in enumerate(self.blocks(start, _RUN)):
            length += block.size
            if length <= size:
                kept.append(block.rows)
                continue
            if length - block.size <= size:
                kept = [self._first_rows(rows, size // _CHUNKS) for rows in kept]
            if i % stride == 0:
                kept.append(self._first_rows(block.rows, size // _CHUNKS))
            if len(kept) >= 2 * _CHUNKS:
                kept, stride = kept[::2], 2 * stride
        return kept

    def _first_rows(self, rows: bytes, size: int) -> bytes:
        first = rows[: max(size, 1)]
        end = row_end(first) if self.is_quoted else first.rfind(b"\n") + 1
        return rows[:end] if end else rows[: len(_first_row(rows, self.is_quoted)) + 1]

    def _runs(self, start: int, size: int) -> Iterator[bytes]:
        """Whole lines at evenly spaced offsets."""
        with self.path.open("rb") as file:
            length, run = os.path.getsize(self.path), size // _CHUNKS
            for i in range(_CHUNKS):
                at = start + i * (length - start) // _CHUNKS
                file.seek(at)
                if i > 0:
                    file.readline()
                yield file.read(run) + file.readline()

    def _cut(self, file: Any, start: int, size: int) -> Iterator[Block]:
        seekable = self._is_seekable
        if seekable:
            file.seek(start)
        else:
            _skip(file, start)
        rest, at, wanted = b"", start, size
        while read := file.read(wanted):
            data = rest + read if rest else read
            end = self._end(data, at)
            if end:
                yield Block(data, end, at)
                at, wanted = at + end, size
            if seekable and end:
                file.seek(at)
                rest = b""
            else:
                rest, wanted = data[end:], size if end else len(data)
        if rest:
            yield Block(rest, len(rest), at)

    def _end(self, data: bytes, at: int) -> int:
        r"""Where the last whole row of the data ends; 0 where more must be read to know."""
        end = row_end(data) if self.is_quoted else data.rfind(b"\n") + 1
        if end or len(data) < _LONGEST:
            return end
        end = data.rfind(b"\n") + 1  # a quote that does not belong to a pair
        if not end:
            raise SourceError(f"{self.path} has a line of more than {in_bytes(_LONGEST)} at byte {at}.")
        return end


def row_end(data: bytes) -> int:
    r"""Where the last whole row of a text that begins with a row ends; 0 where none does.

    >>> row_end(b'a,b\n"c\nd",e\n"f\n'), row_end(b'"a\n')
    (12, 0)
    """
    end = data.rfind(b"\n") + 1
    if b'"' not in data:
        return end
    quotes = np.frombuffer(data, dtype=np.uint8)[:end] == _QUOTE
    is_open = bool(np.count_nonzero(quotes) & 1)
    if not is_open:
        return end
    while is_open and end > 0:  # back to the line end before the last quote, which has one quote less before it
        quote = data.rfind(b'"', 0, end)
        newer = data.rfind(b"\n", 0, quote) + 1
        is_open = (data.count(b'"', newer, end) & 1) == 0
        end = newer
    return end


def _first_row(data: bytes, is_quoted: bool) -> bytes:
    at = 0
    while True:
        at = data.find(b"\n", at) + 1
        if at == 0:
            return data.rstrip(b"\r\n")
        if not is_quoted or data.count(b'"', 0, at) % 2 == 0:
            return data[:at].rstrip(b"\r\n")


def _skip(file: Any, size: int) -> None:
    left = size
    while left > 0:
        read = len(file.read(min(left, 1 << 24)))
        if not read:
            return
        left -= read


def text_shares(texts: Sequence[TextFile], rows: int) -> dict[Path, int]:
    """The bytes of each file in a sample of so many rows, by the length of the first rows.

    The sizes of compressed files are estimates, so where all rows seem to be needed, each file may give all of its own.
    """
    sizes, wanted = {text.path: text.size for text in texts}, rows * texts[0].row_size
    return dict.fromkeys(sizes, wanted) if sum(sizes.values()) <= wanted else shares_of(sizes, wanted)


def count_lines(file: TextFile, end: int) -> int:
    """The number of line ends before an offset."""
    lines = 0
    for block in file.blocks(0):
        if block.start >= end:
            break
        lines += block.data.count(b"\n", 0, min(block.size, end - block.start))
    return lines
