"""Write the scanner's tables of Unicode, as the Python that runs this has them: ``python make_tables.py FILE``.

So the core lower-cases, classifies and decomposes as ``str.lower``, ``re`` and ``unicodedata`` of that Python do. Which
characters are cased or case-ignorable has no accessor and is found from how ``str.lower`` treats a final sigma.
A table has two levels: blocks of 128 code points, equal ones stored once.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from unicodedata import combining, normalize, unidata_version

from emoji import is_emoji, is_emoji_part
from word_break import CLASSES, word_break

BLOCK = 128
WORD, SPACE, CASED, IGNORABLE, LOWERS_TO_MANY, EMOJI, EMOJI_PART = 1, 2, 4, 8, 16, 32, 64
HANGUL = range(0xAC00, 0xD7A4)
MOST_PARTS = 24  # of one code point; the scanner reserves memory for this many


def main(path: str) -> None:
    """Write the header file."""
    characters = [chr(code) for code in range(sys.maxunicode + 1)]
    kinds, kind_of = numbered(kind(c) for c in characters)
    parts, parts_of = numbered(decomposed(c) for c in characters)
    starts = [0]
    for sequence in parts:
        starts.append(starts[-1] + len(sequence))
    many = [(ord(c), *map(ord, c.lower())) for c in characters if len(c.lower()) > 1]
    if any(len(row) != 3 for row in many) or max(map(len, parts)) > MOST_PARTS:
        raise SystemExit("this Unicode needs a wider table; see core/text/unicode/characters.hpp")
    text = HEADER + "".join([
        f'inline constexpr char version[] = "{unidata_version}";\n',
        f"enum WordBreak : std::uint8_t {{ {', '.join('wb_' + name.lower() for name in CLASSES)} }};\n",
        array("Kind", "kinds", map(braced, kinds)),
        two_levels("kind", kind_of),
        array("char32_t", "parts", (code for sequence in parts for code in sequence)),
        array("std::uint16_t", "part_starts", starts),
        two_levels("part", parts_of),
        array("LowersToTwo", "lowers_to_two", map(braced, many)),
        "}  // namespace deciban::tables\n",
    ])  # fmt: skip
    Path(path).write_text(text, encoding="ascii")


HEADER = """// Made by core/unicode/make_tables.py; not to be edited.
#pragma once
#include <cstdint>
namespace deciban::tables {
struct Kind {
  std::uint8_t flags;
  std::uint8_t word_break;
  std::int32_t lower;  // to add
};
struct LowersToTwo {
  char32_t code, first, second;
};
"""


def kind(c: str) -> tuple[int, int, int]:
    """Flags, word-break class and the distance to the lower case."""
    lower = c.lower()
    is_cased = ("aΣ" + c).lower()[1] == "σ"
    is_ignorable = not is_cased and ("aΣ" + c + "a").lower()[1] == "σ"
    flags = WORD * (c.isalnum() or c == "_") + SPACE * c.isspace() + CASED * is_cased + IGNORABLE * is_ignorable
    flags += EMOJI * is_emoji(c) + EMOJI_PART * is_emoji_part(c)
    if len(lower) > 1:
        return flags + LOWERS_TO_MANY, CLASSES.index(word_break(c)), 0
    return flags, CLASSES.index(word_break(c)), ord(lower) - ord(c)


def decomposed(c: str) -> tuple[int, ...]:
    """The code points of NFKD that do not combine; (0,) stands for a code point that is its own."""
    if ord(c) in HANGUL:
        return (0,)
    kept = tuple(ord(part) for part in normalize("NFKD", c) if not combining(part))
    return (0,) if kept == (ord(c),) else kept


def numbered(rows: Iterable[tuple[int, ...]]) -> tuple[list[tuple[int, ...]], list[int]]:
    """Distinct rows in order of appearance, and the number of each row."""
    numbers: dict[tuple[int, ...], int] = {}
    order = [numbers.setdefault(row, len(numbers)) for row in rows]
    return list(numbers), order


def two_levels(name: str, cells: Sequence[int]) -> str:
    """The block of each 128 code points, and the cells of each block."""
    blocks, block_of = numbered(tuple(cells[at : at + BLOCK]) for at in range(0, len(cells), BLOCK))
    flat = [cell for block in blocks for cell in block]
    return array(width(block_of), f"{name}_blocks", block_of) + array(width(flat), f"{name}_cells", flat)


def width(values: Sequence[int]) -> str:
    """The least type that holds all values."""
    return "std::uint8_t" if max(values) < 1 << 8 else "std::uint16_t"


def array(kind_of_cell: str, name: str, cells: Iterable[object]) -> str:
    """The definition of an array."""
    return f"inline constexpr {kind_of_cell} {name}[] = {{{','.join(map(str, cells))}}};\n"


def braced(row: Iterable[int]) -> str:
    """The initializer of a struct."""
    return "{" + ", ".join(map(str, row)) + "}"


if __name__ == "__main__":
    main(sys.argv[1])
