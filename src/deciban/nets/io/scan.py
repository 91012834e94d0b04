r"""The tokens of a text that describes a net, one after the other.

Words end at blanks, commas and the marks of the format; a string in quotes may hold anything, with ``\"``, ``\\``,
``\n``, ``\r`` and ``\t`` for what cannot stand there. Numbers that follow each other are one token, so that a grammar
in Python costs a few steps a row. The core scans (``scan_reference.py`` says what it does); only this file calls it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property

import numpy as np

from deciban import _core
from deciban.errors import FileError
from deciban.limits import check_memory, memory_limit
from deciban.types import Floats, Ints

__all__ = ["NUMBERS", "Tokens", "decoded", "quoted"]

NUMBERS, _WORD, _STRING, _END = ord("0"), ord("w"), ord('"'), 0
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_MEANT = {written: meant for meant, written in _ESCAPES.items()}
_ESCAPE = re.compile(r"\\.", re.DOTALL)
_GAP = re.compile(rb"[\s,]+")
_LONGEST = 40
_PER_TOKEN = 200
"""The bytes that a word or mark takes: its positions, as arrays and as lists, and its text."""


def quoted(name: str) -> str:
    """A name as a string in quotes."""
    return '"' + "".join(_ESCAPES.get(character, character) for character in name) + '"'


def decoded(word: bytes) -> str:
    """The name that is written as a word or a string."""
    if not word.startswith(b'"'):
        return word.decode()
    return _ESCAPE.sub(lambda found: _MEANT.get(found[0], found[0]), word[1:-1].decode())


class Tokens:
    """A text and the position reached in it.

    Parameters
    ----------
    raw
        The text, in UTF-8.
    fail
        Makes the error from a line and what is wrong with it.
    marks
        The characters that are tokens by themselves.
    comment
        What begins a comment.
    """

    def __init__(self, raw: bytes, fail: Callable[[int, str], FileError], marks: str, comment: str) -> None:
        self._raw, self._fail = raw, fail
        try:
            raw.decode()
        except UnicodeDecodeError as error:
            raise self.error_at(error.start, f"byte 0x{raw[error.start]:02x} is not UTF-8: save it so") from None
        most = memory_limit() // _PER_TOKEN
        kinds, starts, ends, firsts, numbers, fault, is_cut = _core.scan_net_text(raw, marks, comment, most)
        if is_cut:
            check_memory("the words and marks of the file, at least", most + 1, itemsize=_PER_TOKEN)
        if fault >= 0:
            what = "a comment" if raw[fault : fault + 1] == b"/" else "a string"
            raise self.error_at(fault, f"{what} begins here and never ends")
        self.kinds: bytes = kinds + bytes([_END])
        self.starts: list[int] = [*starts.tolist(), len(raw)]
        self.ends: list[int] = [*ends.tolist(), len(raw)]
        self.firsts: list[int] = [*firsts.tolist(), len(numbers)]
        self.numbers: Floats = numbers
        self.at = 0

    @property
    def kind(self) -> int:
        """The kind of the token that comes next; 0 at the end."""
        return self.kinds[self.at]

    @property
    def line(self) -> int:
        """The line of the token that comes next."""
        return self.line_at(self.starts[self.at])

    @cached_property
    def _newlines(self) -> Ints:
        return np.flatnonzero(np.frombuffer(self._raw, dtype=np.uint8) == ord("\n"))

    def line_at(self, offset: int) -> int:
        """The line of a position in the text, from 1 on."""
        return int(self._newlines.searchsorted(offset)) + 1

    def raw(self) -> bytes:
        """The next token as it is written."""
        return self._raw[self.starts[self.at] : self.ends[self.at]]

    def error_at(self, offset: int, message: str) -> FileError:
        """An error at a position in the text."""
        return self._fail(self.line_at(offset), message)

    def expected(self, what: str) -> FileError:
        """The error that something else comes next."""
        return self._fail(self.line, f"expected {what}, found {self._shown()}")

    def is_mark(self, mark: str) -> bool:
        """Whether a mark comes next; it is taken when it does."""
        if self.kinds[self.at] != ord(mark):
            return False
        self.at += 1
        return True

    def mark(self, mark: str, after: str) -> None:
        """Take a mark that must come next."""
        if not self.is_mark(mark):
            raise self.expected(f"{mark!r} {after}")

    def is_name(self) -> bool:
        """Whether a name comes next."""
        return self.kinds[self.at] in (_WORD, _STRING, NUMBERS)

    def name(self, what: str) -> str:
        """Take the one name that must come next."""
        if not self.is_name() or (self.kind == NUMBERS and self.firsts[self.at + 1] - self.firsts[self.at] > 1):
            raise self.expected(what)
        self.at += 1
        return decoded(self._raw[self.starts[self.at - 1] : self.ends[self.at - 1]])

    def names(self) -> list[str]:
        """Take all names that come next."""
        found: list[str] = []
        while self.is_name():
            found += map(decoded, _GAP.split(self.raw()) if self.kind == NUMBERS else [self.raw()])
            self.at += 1
        return found

    def each(self, positions: slice) -> list[bytes]:
        """Some tokens as they are written."""
        return [self._raw[start:end] for start, end in zip(self.starts[positions], self.ends[positions], strict=True)]

    def pieces(self, mark: str) -> list[bytes]:
        """Take all names up to a mark, as they are written, and the mark."""
        end = self.kinds.find(mark.encode(), self.at)
        if end < 0:
            raise self.expected(f"names and {mark!r}")
        raw, starts, ends, found = self._raw, self.starts, self.ends, []
        for position in range(self.at, end):
            piece = raw[starts[position] : ends[position]]
            if self.kinds[position] == NUMBERS:
                found += _GAP.split(piece)
            else:
                found.append(piece)
        self.at = end + 1
        return found

    def values(self) -> tuple[int, int]:
        """Take all numbers that come next: their first and last index in ``numbers``."""
        first = self.firsts[self.at]
        while self.kinds[self.at] == NUMBERS:
            self.at += 1
        return first, self.firsts[self.at]

    def skip(self, mark: str) -> None:
        """Take everything up to a mark, and the mark."""
        start = self.at
        found = self.kinds.find(mark.encode(), start)
        if found < 0:
            raise self.error_at(self.starts[start], f"expected {mark!r} after this, found the end of the file")
        self.at = found + 1

    def _shown(self) -> str:
        if self.kind == _END:
            return "the end of the file"
        shown = self.raw().decode()
        return repr(shown if len(shown) <= _LONGEST else shown[:_LONGEST] + "…")
