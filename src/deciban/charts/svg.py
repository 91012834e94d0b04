"""Elements of SVG as text. Colours are classes, which the style sheet of a page gives, in light and dark.

A picture that stands alone, as a notebook shows it, brings its own style: text and lines have the colour of the text
around them, since neither the picture nor the operating system knows whether the notebook is light or dark, and shapes
have colours that stand out from white and from black alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Literal

__all__ = [
    "AGAINST",
    "FOR",
    "Anchor",
    "Point",
    "circle",
    "drawing",
    "line",
    "n",
    "path",
    "polyline",
    "rectangle",
    "words",
]

Point = tuple[float, float]
Anchor = Literal["start", "middle", "end"]

FOR, AGAINST = "#2b7bba", "#c44e52"
"""Evidence for a class, and against it: colours of at least 3 : 1 on white and on black."""

_ALONE = 'xmlns="http://www.w3.org/2000/svg" class="deciban-chart" style="max-width:100%;height:auto"'
# Styles inside a picture hold for the whole page that shows it, so all begin with a class of their own.
_STYLE = "<style>{}</style>".format(
    "".join(
        f".deciban-chart {what}{{{looks}}}"
        for what, looks in {
            "text": "fill:currentColor;font:12px system-ui,sans-serif",
            ".tick": "font-size:11px;fill-opacity:.8",
            ".name": "fill-opacity:.8",
            ".strong": "font-weight:600",
            ".grid": "stroke:currentColor;stroke-opacity:.14",
            ".axis": "stroke:currentColor;stroke-opacity:.6",
            ".guide": "stroke:currentColor;stroke-opacity:.6;stroke-dasharray:3 4",
            ".scale": "stroke:currentColor;stroke-opacity:.3;stroke-width:2;stroke-linecap:round",
            ".for,.deciban-chart .dot,.deciban-chart .bar": f"fill:{FOR}",
            ".against": f"fill:{AGAINST}",
            ".line,.deciban-chart .whisker": f"fill:none;stroke:{FOR};stroke-width:1.5",
        }.items()
    )
)


def n(number: float) -> str:
    """A coordinate in few digits.

    >>> n(12.0), n(0.26)
    ('12', '0.3')
    """
    return f"{number:.1f}".removesuffix(".0")


def drawing(
    width: float,
    height: float,
    shapes: Iterable[str],
    *,
    title: str,
    description: str = "",
    is_alone: bool = False,
) -> str:
    """The shapes as a picture with a name, and a description for those who cannot see it.

    A picture that `is_alone` brings its own style; others have that of the page around them.
    """
    described = f"<desc>{escape(description)}</desc>" if description else ""
    opening = f"<svg {_ALONE} " if is_alone else "<svg "
    return (
        f'{opening}viewBox="0 0 {n(width)} {n(height)}" width="{n(width)}" height="{n(height)}" role="img" '
        f'aria-label="{escape(title)}"><title>{escape(title)}</title>{described}{_STYLE if is_alone else ""}'
        f"{''.join(shapes)}</svg>"
    )


def line(start: Point, end: Point, kind: str) -> str:
    """A straight line."""
    (x1, y1), (x2, y2) = start, end
    return f'<line x1="{n(x1)}" y1="{n(y1)}" x2="{n(x2)}" y2="{n(y2)}" class="{kind}"/>'


def polyline(points: Sequence[Point], kind: str) -> str:
    """A line through points."""
    return f'<polyline points="{" ".join(f"{n(x)},{n(y)}" for x, y in points)}" class="{kind}"/>'


def path(points: Sequence[Point], kind: str) -> str:
    """An area: the points and the way back to the first."""
    return f'<polygon points="{" ".join(f"{n(x)},{n(y)}" for x, y in points)}" class="{kind}"/>'


def rectangle(x: float, y: float, width: float, height: float, kind: str) -> str:
    """A rectangle by its upper left corner; a negative size is 0."""
    return f'<rect x="{n(x)}" y="{n(y)}" width="{n(max(width, 0.0))}" height="{n(max(height, 0.0))}" class="{kind}"/>'


def circle(centre: Point, radius: float, kind: str, title: str = "") -> str:
    """A circle; its title is shown when the pointer is on it."""
    x, y = centre
    held = f"<title>{escape(title)}</title></circle>" if title else ""
    return f'<circle cx="{n(x)}" cy="{n(y)}" r="{n(radius)}" class="{kind}"{">" + held if held else "/>"}'


def words(at: Point, text: str, kind: str = "", anchor: Anchor = "start") -> str:
    """A line of text, with its baseline at the point."""
    where = f'x="{n(at[0])}" y="{n(at[1])}"'
    side = f' text-anchor="{anchor}"' if anchor != "start" else ""
    style = f' class="{kind}"' if kind else ""
    return f"<text {where}{side}{style}>{escape(text)}</text>"
