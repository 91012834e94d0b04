"""Text files in blocks of whole rows, and in which encoding they are.

A block ends behind a line end. In a CSV file a line end inside quotes is part of a value: the number of quotes before
it is odd, as each value has two, and a quote inside a value is doubled. So a block ends where their number is even. The
files may be compressed; offsets are those of the text.

The encoding is that which a user names, or else UTF-8, UTF-16 or Windows-1252, as the bytes say. The readers take
UTF-8. Text in another encoding is converted piece by piece while it is read, as a compressed file is decompressed, so
offsets and lines are those of the converted text. Windows-1252 has the characters of Latin-1, and others where Latin-1
has controls that no text uses; it is what most old CSV files and mails are written in.

>>> found_encoding(["naïve".encode()]), found_encoding(["naïve".encode("latin-1")])
(None, 'cp1252')
>>> found_encoding(["naïve".encode("utf-16")])
'utf-16'
"""

from __future__ import annotations

import codecs
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from io import UnsupportedOperation
from pathlib import Path
from typing import Protocol

import numpy as np
import pyarrow as pa

from deciban.choices import counted
from deciban.engines.files.pieces import shares_of
from deciban.errors import DamagedTableError, DecibanWarning, ParameterError, SourceError, warn_user
from deciban.limits import in_bytes

__all__ = [
    "BLOCK",
    "Block",
    "TextFile",
    "check_encoding",
    "count_lines",
    "decoded",
    "encodings_of",
    "text_shares",
    "warn_of",
]


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


class Stream(Protocol):
    """Bytes that are read once, from the first to the last."""

    def read(self, size: int, /) -> bytes: ...
    def seek(self, offset: int, /) -> int: ...
    def close(self) -> None: ...


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
            with closing(self._open()) as file:
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
            with closing(raw._open()) as file:
                first = file.read(size if os.path.getsize(self.path) <= size else min(size, _RUN))
        except (OSError, EOFError, pa.ArrowException) as error:
            raise DamagedTableError(f"{self.path} cannot be read: {str(error).rstrip('.')}.") from None
        if self.compression is None and os.path.getsize(self.path) > size:
            return [first, *raw._runs(0, size)]
        return [first + b"\n"]  # as in `decoded`

    @property
    def _is_seekable(self) -> bool:
        """Whether an offset of the text is one of the file."""
        return self.compression is None and self.encoding is None

    def _open(self) -> Stream:
        raw: Stream
        if self.compression is None:
            # Blocks are larger than any buffer, and go straight into the bytes that are returned.
            raw = self.path.open("rb", buffering=0)
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
            # Every other run is dropped, and half as many are kept from here on: evenly spaced at any length.
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
                if i > 0:  # an offset is in the middle of a line
                    file.readline()
                yield file.read(run) + file.readline()

    def _cut(self, file: Stream, start: int, size: int) -> Iterator[Block]:
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
            # Read again from the end of the last row, rather than joined to it: joining would copy every block.
            if seekable and end:
                file.seek(at)
                rest = b""
            else:
                # Doubled where no row ends, so that a long row takes linear time.
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
    # Counting from the end, since few rows lie behind the last quote.
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


def _skip(file: Stream, size: int) -> None:
    left = size
    while left > 0:
        read = len(file.read(min(left, 1 << 24)))
        if not read:
            return
        left -= read


def have_at_most(texts: Sequence[TextFile], rows: int) -> bool:
    """Whether files have at most so many rows together, by their sizes and the length of the first rows.

    The size of a compressed text is not known, and it may be a hundred times as long: the answer is no.
    """
    is_known = all(text.compression is None for text in texts)
    return is_known and sum(text.size for text in texts) <= rows * texts[0].row_size


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


_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
"""The longer marks first: that of UTF-32 begins with that of UTF-16."""
# Python's names of what the readers take as it is.
_UTF8 = ("utf-8", "utf_8_sig", "utf-8-sig")
_SHOWN = {"cp1252": "Windows-1252 (Latin-1)", "latin-1": "Latin-1"}
# All but white space, the end of a DOS file (0x1a) and escape, which begins the colours of a terminal's log.
_CONTROLS = bytes(byte for byte in range(32) if byte not in b"\t\n\x0b\x0c\r\x1a\x1b")
_ASCII = bytes(range(128))
_PIECE = 1 << 16


def check_encoding(encoding: str | None) -> str | None:
    """The encoding as Python's codecs name it, or None."""
    if encoding is None:
        return None
    try:
        codec = codecs.lookup(encoding)
    except (LookupError, TypeError, ValueError):
        codec = None
    # Python also has codecs from bytes to bytes, such as "zip", and no public way to tell them.
    if codec is None or not codec._is_text_encoding:
        raise ParameterError(
            f'encoding={encoding!r} is none that Python knows. Names are, for example, "utf-8", "utf-16", "latin-1", '
            '"cp1252" and "shift_jis".'
        )
    return codec.name


def encodings_of(looks: Mapping[Path, Sequence[bytes]], given: str | None) -> dict[Path, str]:
    """The encoding of each file that is not in UTF-8, by pieces of it; a warning names those that were found."""
    given = check_encoding(given)
    if given is not None:
        return {} if given in _UTF8 else dict.fromkeys(looks, given)
    found: dict[Path, str] = {}
    for file, pieces in looks.items():
        encoding = found_encoding(pieces)
        if encoding is not None:
            found[file] = encoding
        elif is_binary(pieces):
            raise DamagedTableError(f"{file} cannot be read: it is not text.")
    warn_of(found)
    return found


def warn_of(found: Mapping[Path, str]) -> None:
    """Say in which encodings files are read that are not in UTF-8."""
    for encoding in dict.fromkeys(found.values()):
        files = [file for file, name in found.items() if name == encoding]
        which = f"{files[0]} is" if len(files) == 1 else f"{counted(len(files), 'file')}, {files[0]} the first, are"
        shown = _SHOWN.get(encoding, encoding.upper())
        warn_user(f"{which} not in UTF-8 and read as {shown}; encoding= names another encoding.", DecibanWarning)


def found_encoding(pieces: Iterable[bytes]) -> str | None:
    """The encoding of a text, by the first bytes of it and others; None for UTF-8, and for what is no text."""
    pieces = list(pieces)
    first = pieces[0] if pieces else b""
    for mark, name in _MARKS:
        if first.startswith(mark):
            return name
    wide = _wide(first)
    if wide is not None:
        return wide
    if not _mostly_single_bytes(pieces) or is_binary(pieces):
        return None
    # Five bytes are no character of Windows-1252: a text that has one is taken for Latin-1, where every byte is.
    try:
        codecs.decode(b"".join(pieces), "cp1252")
    except UnicodeDecodeError:
        return "latin-1"
    return "cp1252"


def is_binary(pieces: Iterable[bytes]) -> bool:
    """Whether there are control characters that no text has."""
    return any(len(piece.translate(None, _CONTROLS)) < len(piece) for piece in pieces)


def _wide(first: bytes) -> str | None:
    """UTF-16 without a mark: the first character is ASCII, and nothing is a null character."""
    name = {(False, True): "utf-16-le", (True, False): "utf-16-be"}.get((first[:1] == b"\0", first[1:2] == b"\0"))
    if name is None:
        return None
    try:
        text = codecs.getincrementaldecoder(name)("strict").decode(first[: len(first) // 2 * 2])
    except UnicodeDecodeError:
        return None
    return None if is_binary([text.encode()]) else name


def _mostly_single_bytes(pieces: Iterable[bytes]) -> bool:
    """Whether most bytes beyond ASCII are malformed as UTF-8: a damaged UTF-8 file has few that are."""
    malformed = high = 0
    for piece in pieces:
        if not piece.isascii():
            high += len(piece.translate(None, _ASCII))
            malformed += _malformed(piece)
    return 2 * malformed > high


def _malformed(piece: bytes) -> int:
    decoder = codecs.getincrementaldecoder("utf-8")  # the last character of a piece may be cut
    try:
        decoder("strict").decode(piece)
    except UnicodeDecodeError:
        return decoder("replace").decode(piece).count("\ufffd")
    return 0


def decoded(raw: bytes, encoding: str | None) -> tuple[str, str | None]:
    r"""The text of a whole file, and its encoding where that was found and is not UTF-8.

    >>> decoded(b"caf\xe9", None), decoded("café".encode(), None)
    (('café', 'cp1252'), ('café', None))
    """
    if encoding is not None:
        return raw.decode(encoding, "replace").removeprefix("\ufeff"), None
    found = found_encoding([raw + b"\n"])  # so that a character that is cut at the end counts as malformed
    return raw.decode(found or "utf-8-sig", "replace").removeprefix("\ufeff"), found


class Converted:
    """A stream of bytes in some encoding, read as UTF-8; a mark at its beginning is left out."""

    def __init__(self, raw: Stream, encoding: str) -> None:
        self._raw = raw
        self._decoder = codecs.getincrementaldecoder(encoding)("strict")
        self._rest = b""
        self._is_begun = self._is_over = False

    def read(self, size: int, /) -> bytes:
        """At most so many bytes; none at the end only."""
        parts, length = [self._rest], len(self._rest)
        while length < size and not self._is_over:
            part = self._next()
            parts.append(part)
            length += len(part)
        whole = b"".join(parts)
        self._rest = whole[size:]
        return whole[:size]

    def _next(self) -> bytes:
        piece = self._raw.read(_PIECE)
        self._is_over = not piece
        text = self._decoder.decode(piece, final=self._is_over)
        if text and not self._is_begun:
            text, self._is_begun = text.removeprefix("\ufeff"), True
        return text.encode()

    def seek(self, offset: int, /) -> int:
        raise UnsupportedOperation("seek")  # a character of the encoding may begin anywhere

    def close(self) -> None:
        self._raw.close()
