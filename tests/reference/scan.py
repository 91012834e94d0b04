"""The readable twin of the core's scanner: one regular expression, token by token."""

from __future__ import annotations

import re

import numpy as np

from deciban.types import Floats, Ints

__all__ = ["scan_net_text"]

_NUMBER = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


Scanned = tuple[bytes, Ints, Ints, Ints, Floats, int, bool]


def scan_net_text(text: bytes, marks: str, comment: str, most: int) -> Scanned:
    """Kinds, starts, ends, first numbers, numbers, ``fault`` and ``is_cut``.

    ``fault`` is the start of an unterminated string or comment, or −1. Only the first ``most`` tokens are returned;
    ``is_cut`` is True if there are more.
    """
    kinds, starts, ends, firsts, numbers = bytearray(), list[int](), list[int](), list[int](), list[float]()
    at, is_run, pattern = 0, False, _pattern(marks, comment)
    while at < len(text):
        found = pattern.match(text, at)
        if found is None or found.lastgroup == "open":
            break
        at, word = found.end(), found.group()
        if found.lastgroup == "blank":
            continue
        is_number = found.lastgroup == "word" and _NUMBER.fullmatch(word) is not None
        if is_number and is_run:
            ends[-1] = at
        elif found.lastgroup != "comment" and len(kinds) == most:
            return _arrays(kinds, starts, ends, firsts, numbers, -1, is_cut=True)
        elif found.lastgroup != "comment":
            kinds.append(ord("0") if is_number else ord("w") if found.lastgroup == "word" else word[0])
            starts.append(found.start())
            ends.append(at)
            firsts.append(len(numbers))
        if is_number:
            numbers.append(float(word))
        is_run = is_number
    fault = at if at < len(text) else -1
    return _arrays(kinds, starts, ends, firsts, numbers, fault, is_cut=False)


def _arrays(
    kinds: bytearray,
    starts: list[int],
    ends: list[int],
    firsts: list[int],
    numbers: list[float],
    fault: int,
    *,
    is_cut: bool,
) -> Scanned:
    arrays = (np.array(list_, dtype=np.int64) for list_ in (starts, ends, [*firsts, len(numbers)]))
    return bytes(kinds), *arrays, np.array(numbers, dtype=np.float64), fault, is_cut  # type: ignore[return-value]


def _pattern(marks: str, comment: str) -> re.Pattern[bytes]:
    is_long = comment == "//"
    begin, own = re.escape(comment.encode()), re.escape(marks.encode())
    kinds = {
        "blank": rb"[\s,]+",
        "comment": begin + rb"[^\n]*\n?" + (rb"|/\*.*?\*/" if is_long else b""),
        "mark": b"[" + own + b"]" if marks else b"(?!)",
        "string": rb'"(?:[^"\\]|\\.)*"',
        "open": rb'"|/\*' if is_long else b'"',
        "word": b"(?:(?!" + begin + (rb"|/\*" if is_long else b"") + rb')[^\s,"' + own + b"])+",
    }
    return re.compile(b"|".join(b"(?P<%s>%s)" % (kind.encode(), found) for kind, found in kinds.items()), re.DOTALL)
