"""A text whose tokens are shaded by their weights, as HTML or for a terminal.

Evidence for the class is blue, evidence against it red; the larger the weight, the stronger the shade. Documents may
contain any character: control characters are replaced by their Unicode symbols, and HTML is escaped.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from io import StringIO

__all__ = ["Mark", "shade_html", "shade_terminal", "shown_text"]

_FOR, _AGAINST = (43, 123, 186), (196, 78, 82)
_STRONGEST = 0.65
"""The strongest shade: black and white letters have a contrast of at least 5.7 on it."""
_PICTURES = {code: 0x2400 + code for code in range(32) if chr(code) not in "\n\t"} | {0x7F: 0x2421}
_PICTURES |= dict.fromkeys([*range(0x80, 0xA0), *range(0xD800, 0xE000)], 0xFFFD)  # more controls, lone surrogates
_UNKNOWN = "border-bottom:1px dotted grey"


@dataclass(frozen=True)
class Mark:
    """A span of a text, its weight, and whether the model knows its token."""

    start: int
    end: int
    weight_db: float
    is_known: bool = True


def shown_text(text: str) -> str:
    r"""The text with control characters and lone surrogates replaced, of the same length.

    >>> shown_text("a\x1b[31mred")
    'a␛[31mred'
    """
    return text.translate(_PICTURES)


def shade_html(text: str, marks: Sequence[Mark]) -> str:
    """The text as HTML; the tooltip of each mark shows its decibans."""
    largest = _largest(marks)
    pieces = [_span(shown_text(piece), mark, largest) for piece, mark in _pieces(text, marks)]
    return f'<div style="white-space:pre-wrap">{"".join(pieces)}</div>'


def shade_terminal(text: str, marks: Sequence[Mark]) -> str:
    """The text with escape sequences for colours, unless NO_COLOR is set."""
    from rich.console import Console  # noqa: PLC0415  slow to import, and rarely needed
    from rich.text import Text  # noqa: PLC0415

    largest = _largest(marks)
    shaded = Text()
    for piece, mark in _pieces(text, marks):
        shaded.append(shown_text(piece), style=_style(mark, largest))
    console = Console(file=StringIO(), force_terminal=True, color_system="256", highlight=False)
    with console.capture() as captured:
        console.print(shaded, soft_wrap=True, end="")
    return captured.get()


def _pieces(text: str, marks: Sequence[Mark]) -> Iterator[tuple[str, Mark | None]]:
    """The text in pieces, with or without a mark; where marks overlap, the first one counts."""
    at = 0
    for mark in _joined(marks):
        if mark.start > at:
            yield text[at : mark.start], None
        yield text[max(at, mark.start) : mark.end], mark
        at = mark.end
    if at < len(text):
        yield text[at:], None


def _joined(marks: Sequence[Mark]) -> list[Mark]:
    """The marks by position; one inside another, as the 2 of ½, is added to its weight."""
    joined: list[Mark] = []
    for mark in sorted(marks, key=lambda mark: (mark.start, -mark.end)):
        if joined and mark.end <= joined[-1].end:
            last = joined.pop()
            weight, is_known = last.weight_db + mark.weight_db, last.is_known or mark.is_known
            joined.append(Mark(last.start, last.end, 0.0 if math.isnan(weight) else weight, is_known))
        else:
            joined.append(mark)
    return joined


def _span(piece: str, mark: Mark | None, largest: float) -> str:
    if mark is None:
        return escape(piece)
    if not mark.is_known:
        return f'<span style="{_UNKNOWN}" title="unknown">{escape(piece)}</span>'
    red, green, blue = _FOR if mark.weight_db >= 0 else _AGAINST
    style = f"background:rgba({red},{green},{blue},{_strength(mark, largest):.2f})"
    return f'<span style="{style}" title="{mark.weight_db:+z.2f} decibans">{escape(piece)}</span>'


def _style(mark: Mark | None, largest: float) -> str:
    """Rich's style of a mark: a background between black and the colour, and white letters."""
    if mark is None:
        return ""
    if not mark.is_known:
        return "dim underline"
    strength = _strength(mark, largest)
    if strength < 0.05:
        return ""
    red, green, blue = (round(c * strength) for c in (_FOR if mark.weight_db >= 0 else _AGAINST))
    return f"white on rgb({red},{green},{blue})"


def _strength(mark: Mark, largest: float) -> float:
    if not math.isfinite(mark.weight_db):
        return _STRONGEST
    return _STRONGEST * abs(mark.weight_db) / largest if largest else 0.0


def _largest(marks: Sequence[Mark]) -> float:
    return max((abs(mark.weight_db) for mark in marks if math.isfinite(mark.weight_db)), default=0.0)
