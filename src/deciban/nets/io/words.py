r"""A tokenizer for the text formats of nets.

Words end at whitespace, commas and the marks of the format. A quoted string may contain any character, with the escapes
``\"``, ``\\``, ``\n``, ``\r`` and ``\t``. Consecutive numbers are one token, so that a parser in Python takes few
steps per row. The scanner is compiled (``tests/reference/scan.py`` is its readable twin); only this file calls it.

Names as text, and as the identifiers that some formats require.

Nodes and states that are not strings, such as numbers, are written by ``str`` and read back as strings; only JSON keeps
their types.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cached_property

import numpy as np

from deciban import _core
from deciban.errors import FileError, NetworkError
from deciban.limits import check_memory, memory_limit
from deciban.nets.graphs.graph import Node
from deciban.nets.network import Network
from deciban.types import Floats, Ints

__all__ = ["NUMBERS", "Names", "Tokens", "decoded", "identifiers", "is_identifier", "quoted"]


NUMBERS, _WORD, _STRING, _END = ord("0"), ord("w"), ord('"'), 0
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_UNESCAPED = {escaped: character for character, escaped in _ESCAPES.items()}
_ESCAPE = re.compile(r"\\.", re.DOTALL)
_SEPARATOR = re.compile(rb"[\s,]+")
_LONGEST = 40
_PER_TOKEN = 200
"""The bytes per token: its positions, as arrays and as lists, and its text."""


def quoted(name: str) -> str:
    """A name as a quoted string."""
    return '"' + "".join(_ESCAPES.get(character, character) for character in name) + '"'


def decoded(word: bytes) -> str:
    """The name that a word or a quoted string stands for."""
    if not word.startswith(b'"'):
        return word.decode()
    return _ESCAPE.sub(lambda found: _UNESCAPED.get(found[0], found[0]), word[1:-1].decode())


class Tokens:
    """The tokens of a text in UTF-8, and the index of the next one.

    `marks` are the characters that are tokens by themselves, `comment` begins a comment, and `fail` makes the error
    from a line number and a message.
    """

    def __init__(self, raw: bytes, fail: Callable[[int, str], FileError], marks: str, comment: str) -> None:
        self._raw, self._fail = raw, fail
        try:
            raw.decode()
        except UnicodeDecodeError as error:
            raise self.error_at(
                error.start, f"byte 0x{raw[error.start]:02x} is not UTF-8: save the file as UTF-8"
            ) from None
        most = memory_limit() // _PER_TOKEN
        kinds, starts, ends, firsts, numbers, fault, is_cut = _core.scan_net_text(raw, marks, comment, most)
        if is_cut:
            check_memory("the words and marks of the file, at least", most + 1, itemsize=_PER_TOKEN)
        if fault >= 0:
            what = "a comment" if raw[fault : fault + 1] == b"/" else "a string"
            raise self.error_at(fault, f"{what} begins here and never ends")
        # An end token: a parser can look at the next token without asking whether there is one.
        self.kinds: bytes = kinds + bytes([_END])
        self.starts: list[int] = [*starts.tolist(), len(raw)]
        self.ends: list[int] = [*ends.tolist(), len(raw)]
        self.firsts: list[int] = [*firsts.tolist(), len(numbers)]
        self.numbers: Floats = numbers
        self.at = 0

    @property
    def kind(self) -> int:
        """The kind of the next token; 0 at the end."""
        return self.kinds[self.at]

    @property
    def line(self) -> int:
        """The line of the next token."""
        return self.line_at(self.starts[self.at])

    @cached_property
    def _newlines(self) -> Ints:
        return np.flatnonzero(np.frombuffer(self._raw, dtype=np.uint8) == ord("\n"))

    def line_at(self, offset: int) -> int:
        """The line number of an offset in the text, counted from 1."""
        return int(self._newlines.searchsorted(offset)) + 1

    def raw(self) -> bytes:
        """The text of the next token."""
        return self._raw[self.starts[self.at] : self.ends[self.at]]

    def error_at(self, offset: int, message: str) -> FileError:
        """An error at an offset in the text."""
        return self._fail(self.line_at(offset), message)

    def expected(self, what: str) -> FileError:
        """The error for an unexpected next token."""
        return self._fail(self.line, f"expected {what}, found {self._shown()}")

    def is_mark(self, mark: str) -> bool:
        """Whether the next token is this mark; if so, it is consumed."""
        if self.kinds[self.at] != ord(mark):
            return False
        self.at += 1
        return True

    def mark(self, mark: str, after: str) -> None:
        """Consume a mark, which must be the next token."""
        if not self.is_mark(mark):
            raise self.expected(f"{mark!r} {after}")

    def is_name(self) -> bool:
        """Whether the next token is a name."""
        return self.kinds[self.at] in (_WORD, _STRING, NUMBERS)

    def name(self, what: str) -> str:
        """Consume and return a single name, which must be the next token."""
        if not self.is_name() or (self.kind == NUMBERS and self.firsts[self.at + 1] - self.firsts[self.at] > 1):
            raise self.expected(what)
        self.at += 1
        return decoded(self._raw[self.starts[self.at - 1] : self.ends[self.at - 1]])

    def names(self) -> list[str]:
        """Consume and return all names up to the next token of another kind."""
        names: list[str] = []
        while self.is_name():
            # States such as 0 1 2 are numbers to the scanner, and one token.
            names += map(decoded, _SEPARATOR.split(self.raw()) if self.kind == NUMBERS else [self.raw()])
            self.at += 1
        return names

    def each(self, positions: slice) -> list[bytes]:
        """The text of some tokens."""
        return [self._raw[start:end] for start, end in zip(self.starts[positions], self.ends[positions], strict=True)]

    def pieces(self, mark: str) -> list[bytes]:
        """Consume all names up to a mark, and the mark; return the text of the names."""
        end = self.kinds.find(mark.encode(), self.at)
        if end < 0:
            raise self.expected(f"names and {mark!r}")
        raw, starts, ends, pieces = self._raw, self.starts, self.ends, []
        for position in range(self.at, end):
            piece = raw[starts[position] : ends[position]]
            if self.kinds[position] == NUMBERS:
                pieces += _SEPARATOR.split(piece)
            else:
                pieces.append(piece)
        self.at = end + 1
        return pieces

    def values(self) -> tuple[int, int]:
        """Consume all numbers that follow; return the start and end of their slice of ``numbers``."""
        first = self.firsts[self.at]
        while self.kinds[self.at] == NUMBERS:
            self.at += 1
        return first, self.firsts[self.at]

    def skip(self, mark: str) -> None:
        """Skip all tokens up to a mark, and the mark."""
        start = self.at
        end = self.kinds.find(mark.encode(), start)
        if end < 0:
            raise self.error_at(self.starts[start], f"expected {mark!r} after this, found the end of the file")
        self.at = end + 1

    def _shown(self) -> str:
        if self.kind == _END:
            return "the end of the file"
        shown = self.raw().decode()
        return repr(shown if len(shown) <= _LONGEST else shown[:_LONGEST] + "…")


_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class Names:
    """The nodes and states of a net as text; an error if two of them have the same text."""

    def __init__(self, network: Network) -> None:
        written = _distinct(network.nodes, "nodes")
        self.node: dict[Node, str] = dict(zip(network.nodes, written, strict=True))
        self.states: dict[Node, tuple[str, ...]] = {
            node: _distinct(states, f"states of {node!r}") for node, states in network.states.items()
        }

    def parents(self, network: Network, node: Node) -> list[str]:
        """The parents of a node, in the order of its table."""
        return [self.node[up] for up in network.parents[node]]


def is_identifier(name: str) -> bool:
    """Whether a name is a letter or underscore, and then letters, digits and underscores."""
    return _IDENTIFIER.fullmatch(name) is not None


def identifiers(names: Iterable[str]) -> dict[str, str]:
    """An identifier for each name: the name itself if it is one, else a similar unique one."""
    listed = list(names)
    out = {name: name for name in listed if is_identifier(name)}
    taken = set(out)
    for name in listed:
        if name not in out:
            like = re.sub(r"[^A-Za-z0-9_]", "_", name)
            like = like if is_identifier(like) else f"x{like}"
            number, free = 2, like
            while free in taken:
                free, number = f"{like}_{number}", number + 1
            out[name] = free
            taken.add(free)
    return out


def _distinct(values: Iterable[object], what: str) -> tuple[str, ...]:
    seen: dict[str, object] = {}
    for value in values:
        text = str(value)
        if text in seen:
            raise NetworkError(
                f"two {what} are both written {text!r}: {seen[text]!r} and {value!r}. Rename one, or write JSON."
            )
        if any("\ud800" <= character <= "\udfff" for character in text):
            raise NetworkError(f"one of the {what} is {text!r}, which cannot be written to a text file. Rename it.")
        seen[text] = value
    return tuple(seen)
