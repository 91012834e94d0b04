"""Elements of SVG as text. Colours are classes, which the style sheet of the page gives, in light and dark."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Literal

__all__ = ["Anchor", "Point", "circle", "drawing", "line", "n", "path", "polyline", "rectangle", "words"]

Point = tuple[float, float]
Anchor = Literal["start", "middle", "end"]


def n(number: float) -> str:
    """A coordinate in few digits.

    >>> n(12.0), n(0.26)
    ('12', '0.3')
    """
    return f"{number:.1f}".removesuffix(".0")


def drawing(width: float, height: float, shapes: Iterable[str], *, title: str, description: str = "") -> str:
    """The shapes as a picture with a name, and a description for those who cannot see it."""
    described = f"<desc>{escape(description)}</desc>" if description else ""
    return (
        f'<svg viewBox="0 0 {n(width)} {n(height)}" width="{n(width)}" height="{n(height)}" role="img" '
        f'aria-label="{escape(title)}"><title>{escape(title)}</title>{described}{"".join(shapes)}</svg>'
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
