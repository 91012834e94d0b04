"""Pieces of HTML that all reports share: tables, figures, notes, bars inside cells, and text in its safe form.

Arguments that are called `…html` are HTML already; all others are plain values, which are escaped here. A bar in a cell
is hidden from screen readers: its number stands beside it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

from deciban.explain.document import shown_text
from deciban.nets.graphs.picture import GraphPicture
from deciban.nets.graphs.scene import Look

__all__ = [
    "Cell",
    "Html",
    "assigned",
    "belief_bar",
    "code",
    "details",
    "draw_graph",
    "figure",
    "grid",
    "heat",
    "listed",
    "note",
    "number",
    "paragraph",
    "probability",
    "scroll",
    "share_bar",
    "signed",
    "signed_bar",
    "table",
    "text",
]


_LONGEST = 80
_OF_COLUMN, _OF_ROW = ' scope="col"', ' scope="row"'


@dataclass(frozen=True)
class Html:
    """HTML that is not escaped again: the content of a cell, with an optional class."""

    html: str
    kind: str = ""


Cell = Html | str | int | float | None


def text(value: object, longest: int = _LONGEST) -> str:
    """object value as escaped text: control characters replaced, and cut where it is too long."""
    plain = shown_text(str(value))
    return escape(plain if len(plain) <= longest else f"{plain[: longest - 1].rstrip()}…")


def number(shown: str) -> Html:
    """A cell with a number that is already written, or the head of a column of numbers."""
    return Html(escape(shown), "number")


def signed(weight: float, digits: int = 2) -> str:
    """A weight with its sign.

    >>> signed(2.0), signed(-0.456), signed(-math.inf), signed(-0.001)
    ('+2.00', '−0.46', '−∞', '+0.00')
    """
    if not math.isfinite(weight):
        return "+∞" if weight > 0 else "−∞"
    # "z": what rounds to 0 has no minus sign; the minus of typography is as wide as a plus, so that columns align
    return f"{weight:+z.{digits}f}".replace("-", "−")


def probability(p: float) -> str:
    """A probability with three digits, never shown as 0 or 1 where it is not.

    >>> probability(0.5), probability(0.99999), probability(0.00001), probability(1.0)
    ('0.500', 'more than 0.999', 'less than 0.001', '1')
    """
    if p in (0.0, 1.0):
        return f"{p:.0f}"
    # what three digits would show as 1.000 or 0.000
    return "more than 0.999" if p > 0.9995 else "less than 0.001" if p < 0.0005 else f"{p:.3f}"


def assigned(name: object, value: str, longest: int = 30) -> str:
    """A column and its value, as escaped text: "age = 30", "age > 30".

    >>> assigned("sky", "sun"), assigned("age", "≤ 25")
    ('sky = sun', 'age ≤ 25')
    """
    joint = " " if value.startswith(("≤", ">")) else " = "
    return f"{text(name, longest)}{escape(joint)}{text(value, longest)}"


def paragraph(*sentences_html: str) -> str:
    """A paragraph."""
    return f"<p>{' '.join(sentences_html)}</p>"


def note(html: str, kind: str = "") -> str:
    """A remark beside the content; `kind` "warning" sets it apart."""
    return f'<p class="note {kind}">{html}</p>' if kind else f'<p class="note">{html}</p>'


def listed(items_html: Iterable[str]) -> str:
    """A list."""
    return f"<ul>{''.join(f'<li>{item}</li>' for item in items_html)}</ul>"


def code(source: str) -> str:
    """Lines of code."""
    return f'<pre tabindex="0"><code>{escape(source)}</code></pre>'


def details(summary: str, html: str) -> str:
    """What is shown after a click; it needs no script."""
    return f"<details><summary>{text(summary)}</summary>{html}</details>"


def grid(*parts_html: str) -> str:
    """Parts beside each other where the page is wide enough, else one below the other."""
    return f'<div class="grid">{"".join(parts_html)}</div>'


def scroll(html: str, label: str) -> str:
    """What may be wider than the page: it scrolls by itself, by the keyboard, too."""
    return f'<div class="scroll" role="region" aria-label="{escape(label)}" tabindex="0">{html}</div>'


def figure(svg: str, caption: str = "", kind: str = "") -> str:
    """A drawing with its caption."""
    below = f"<figcaption>{text(caption, 400)}</figcaption>" if caption else ""
    return f'<figure class="{kind}">{svg}{below}</figure>' if kind else f"<figure>{svg}{below}</figure>"


def table(heads: Sequence[Cell], rows: Iterable[Sequence[Cell]], *, caption: str, kind: str = "") -> str:
    """A table: the first cell of each row is its header. Numbers are aligned to the right.

    Floats are shown with four digits after the point; pass text for another form.
    """
    head = "".join(_cell("th", cell, _OF_COLUMN) for cell in heads)
    body = "".join(_row(first, rest) for first, *rest in rows)
    opening = f'<table class="{kind}">' if kind else "<table>"
    above = f"<caption>{text(caption, 400)}</caption><thead><tr>{head}</tr></thead>"
    whole = f"{opening}{above}<tbody>{body}</tbody></table>"
    return scroll(whole, caption)


def _row(first: Cell, rest: Sequence[Cell]) -> str:
    return f"<tr>{_cell('th', first, _OF_ROW)}{''.join(_cell('td', cell) for cell in rest)}</tr>"


def _cell(tag: str, cell: Cell, scope: str = "") -> str:
    if isinstance(cell, Html):
        kind = f' class="{cell.kind}"' if cell.kind else ""
        return f"<{tag}{kind}{scope}>{cell.html}</{tag}>"
    if isinstance(cell, int | float) and not isinstance(cell, bool):  # a bool is an int, and shown as a word
        return f'<{tag} class="number"{scope}>{_number(cell)}</{tag}>'
    if cell in ("", None) and tag == "th":  # an empty header is no header
        return "<td></td>"
    return f"<{tag}{scope}>{'' if cell is None else text(cell)}</{tag}>"


def _number(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:.4f}"


_OPEN = '<svg class="cell-bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true" focusable="false">'


def share_bar(share: float, series: int = 0) -> str:
    """A bar from the left, for a number between 0 and 1."""
    return f'{_OPEN}<rect x="0" y="0" width="{_percent(share)}" height="10" class="bar series-{series}"/></svg>'


def signed_bar(weight: float, largest: float) -> str:
    """A bar from the middle: to the right for the class, to the left against it; `largest` fills its half."""
    # an infinite weight fills its half
    width = 50.0 if not math.isfinite(weight) else 50.0 * min(abs(weight) / (largest or 1.0), 1.0)
    left, kind = (50.0, "for") if weight >= 0 else (50.0 - width, "against")
    bar = f'<rect x="{left:.1f}" y="0" width="{width:.1f}" height="10" class="{kind}"/>'
    return f'{_OPEN}{bar}<line x1="50" y1="-2" x2="50" y2="12" class="axis"/></svg>'


def belief_bar(now: float, before: float | None = None, *, is_observed: bool = False) -> str:
    """The probability of a state as a bar; the outline is its probability before the evidence."""
    kind = "observed" if is_observed else "bar series-0"
    outline = "" if before is None else f'<rect x="0" y="0" width="{_percent(before)}" height="10" class="before"/>'
    return f'{_OPEN}<rect x="0" y="1.5" width="{_percent(now)}" height="7" class="{kind}"/>{outline}</svg>'


def _percent(share: float) -> str:
    return f"{100.0 * min(max(share, 0.0), 1.0):.1f}"


def heat(shown: str, share: float, kind: str = "good") -> Html:
    """A cell with a text and a shade from 0, none, to 1, the strongest; `kind` is "good" or "bad"."""
    shade = min(max(share, 0.0), 1.0)
    return Html(f'<span class="heat {kind}" style="--heat:{shade:.3f}">{text(shown)}</span>', "number")


_COLOURS = {"line": "var(--soft)", "paper": "var(--raised)", "text": "var(--ink)"}
_SHRINK = 0.72
"""How much smaller than drawn a picture may be shown before it scrolls."""

_PAGE = 880
"""The width of the text on a wide screen."""


def draw_graph(drawn: GraphPicture, key: str, *, label: str, caption: str = "") -> str:
    """The picture in a region that scrolls, with its caption below; the key must be unique in the page."""
    svg = drawn.to_svg(Look(key, _COLOURS))
    width = _SHRINK * float(re.findall(r'width="(\d+)"', svg)[0])
    if width > _PAGE:
        caption = f"{caption} Scroll sideways to see all of it.".strip()
    sized = svg.replace("<svg ", f'<svg class="graph" style="min-width:{width:.0f}px" ', 1)
    return figure(scroll(sized, label), caption)
