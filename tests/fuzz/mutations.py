"""Small changes to bytes, each drawn at random."""

import random
import re
from collections.abc import Callable

__all__ = ["NUMBERS", "mutated"]

NUMBERS = [
    b"0", b"-1", b"2", b"3", b"64", b"65", b"1e3", b"65536", b"2147483648", b"4294967297", b"100000000", b"1e15",
    b"9007199254740991", b"9223372036854775808", b"99999999999999999999999", b"1e308", b"1e400", b"-1e400", b"5e-324",
    b"0.5", b".5", b"1.", b"nan", b"inf", b"-inf", b"NaN", b"Infinity", b"0x10", b"1_000", b"9" * 5000,
]  # fmt: skip
_BYTES = [
    b"\x00",
    b"\xff",
    b"\xc3",
    b"\xef\xbb\xbf",
    b"\xed\xa0\x80",
    b"\n",
    b"\r",
    b" ",
    b"\\",
    b'"',
    b"'",
    b"/*",
    b"//",
]
_NUMBER = re.compile(rb"\d+(?:\.\d+)?(?:e-?\d+)?")
_WORD = re.compile(rb"[A-Za-z_]\w*")

Mutation = Callable[[bytes, random.Random], bytes]


def mutated(raw: bytes, draw: random.Random, words: list[bytes]) -> bytes:
    """The bytes with a few changes; ``words`` may be put into them."""
    for _ in range(draw.choice([1, 1, 1, 2, 3, 8])):
        change = draw.choice(_MUTATIONS)
        raw = change(raw, draw) if change is not _insert else _insert(raw, draw, words)
    return raw


def _piece(raw: bytes, draw: random.Random, most: int = 200) -> tuple[int, int]:
    begin = draw.randint(0, len(raw))
    return begin, min(len(raw), begin + draw.randint(0, draw.choice([1, 4, 30, most])))


def _flip(raw: bytes, draw: random.Random) -> bytes:
    if not raw:
        return raw
    at = draw.randrange(len(raw))
    return raw[:at] + bytes([raw[at] ^ 1 << draw.randrange(8)]) + raw[at + 1 :]


def _delete(raw: bytes, draw: random.Random) -> bytes:
    begin, end = _piece(raw, draw)
    return raw[:begin] + raw[end:]


def _repeat(raw: bytes, draw: random.Random) -> bytes:
    begin, end = _piece(raw, draw)
    return raw[:end] + raw[begin:end] * draw.choice([1, 2, 10, 300]) + raw[end:]


def _move(raw: bytes, draw: random.Random) -> bytes:
    begin, end = _piece(raw, draw)
    rest, at = raw[:begin] + raw[end:], draw.randint(0, len(raw) - (end - begin))
    return rest[:at] + raw[begin:end] + rest[at:]


def _truncate(raw: bytes, draw: random.Random) -> bytes:
    return raw[: draw.randint(0, len(raw))]


def _insert(raw: bytes, draw: random.Random, words: list[bytes] = _BYTES) -> bytes:
    at = draw.randint(0, len(raw))
    return raw[:at] + draw.choice(draw.choice([_BYTES, NUMBERS, words])) * draw.choice([1, 1, 1, 3]) + raw[at:]


def _nest(raw: bytes, draw: random.Random) -> bytes:
    at, depth = draw.randint(0, len(raw)), draw.choice([2, 70, 1200, 20_000])
    left, right = draw.choice([(b"(", b")"), (b"[", b"]"), (b"{", b"}"), (b"<a>", b"</a>"), (b'{"a":', b"}")])
    return raw[:at] + left * depth + right * draw.choice([0, depth]) + raw[at:]


def _replace(pattern: re.Pattern[bytes], raw: bytes, draw: random.Random, by: bytes) -> bytes:
    found = pattern.search(raw, draw.randint(0, len(raw))) or pattern.search(raw)
    return raw if found is None else raw[: found.start()] + by + raw[found.end() :]


def _number(raw: bytes, draw: random.Random) -> bytes:
    return _replace(_NUMBER, raw, draw, draw.choice(NUMBERS))


def _word(raw: bytes, draw: random.Random) -> bytes:
    begin = draw.randint(0, len(raw))
    return _replace(_WORD, raw, draw, draw.choice(_WORD.findall(raw[begin : begin + 500]) or [b"a"]))


def _swap_lines(raw: bytes, draw: random.Random) -> bytes:
    lines = raw.split(b"\n")
    a, b = draw.randrange(len(lines)), draw.randrange(len(lines))
    lines[a], lines[b] = lines[b], lines[a]
    return b"\n".join(lines)


_MUTATIONS: list[Mutation] = [
    _flip, _delete, _repeat, _move, _truncate, _insert, _insert, _nest, _number, _number, _number, _word, _swap_lines,
]  # fmt: skip
