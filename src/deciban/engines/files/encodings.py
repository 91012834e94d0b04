r"""The encodings of text files: that which a user names, or else UTF-8, UTF-16 and Windows-1252 as the bytes say.

The readers take UTF-8. Text in another encoding is converted piece by piece while it is read, as a compressed file is
decompressed, so offsets and lines are those of the converted text. Windows-1252 has the characters of Latin-1, and
others where Latin-1 has controls that no text uses; it is what most old CSV files and mails are written in.

>>> found_encoding(["naïve".encode()]), found_encoding(["naïve".encode("latin-1")])
(None, 'cp1252')
>>> found_encoding(["naïve".encode("utf-16")])
'utf-16'
"""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from deciban.choices import counted
from deciban.errors import DamagedTableError, DecibanWarning, ParameterError
from deciban.notices import warn_user

__all__ = ["Converted", "check_encoding", "decoded", "encodings_of", "found_encoding", "is_binary", "warn_of"]

_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
"""The longer marks first: that of UTF-32 begins with that of UTF-16."""
_OWN = ("utf-8", "utf_8_sig", "utf-8-sig")
_SHOWN = {"cp1252": "Windows-1252 (Latin-1)", "latin-1": "Latin-1"}
_CONTROLS = bytes(byte for byte in range(32) if byte not in b"\t\n\x0b\x0c\r\x1a\x1b")
_ASCII = bytes(range(128))
_PIECE = 1 << 16


def check_encoding(encoding: str | None) -> str | None:
    """The encoding as Python's codecs name it, or None."""
    if encoding is None:
        return None
    try:
        found = codecs.lookup(encoding)
    except (LookupError, TypeError, ValueError):
        found = None
    if found is None or not found._is_text_encoding:
        raise ParameterError(
            f'encoding={encoding!r} is none that Python knows. Names are, for example, "utf-8", "utf-16", "latin-1", '
            '"cp1252" and "shift_jis".'
        )
    return found.name


def encodings_of(looks: Mapping[Path, Sequence[bytes]], given: str | None) -> dict[Path, str]:
    """The encoding of each file that is not in UTF-8, by pieces of it; a warning names those that were found."""
    given = check_encoding(given)
    if given is not None:
        return {} if given in _OWN else dict.fromkeys(looks, given)
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
        files = [file for file, held in found.items() if held == encoding]
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

    def __init__(self, raw: Any, encoding: str) -> None:
        self._raw = raw
        self._decoder = codecs.getincrementaldecoder(encoding)("strict")
        self._held = b""
        self._is_begun = self._is_over = False

    def read(self, size: int) -> bytes:
        """At most so many bytes; none at the end only."""
        parts, length = [self._held], len(self._held)
        while length < size and not self._is_over:
            part = self._next()
            parts.append(part)
            length += len(part)
        whole = b"".join(parts)
        self._held = whole[size:]
        return whole[:size]

    def _next(self) -> bytes:
        piece = self._raw.read(_PIECE)
        self._is_over = not piece
        text = self._decoder.decode(piece, final=self._is_over)
        if text and not self._is_begun:
            text, self._is_begun = text.removeprefix("\ufeff"), True
        return text.encode()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._raw.close()
