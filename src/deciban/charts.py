"""Charts as SVG: elements as text, and a frame with two axes.

Colours are classes, which the style sheet of a page gives, in light and dark. A picture that stands alone, as a
notebook shows it, brings its own style: text and lines have the colour of the text around them, since neither the
picture nor the operating system knows whether the notebook is light or dark, and shapes have colours that stand out
from white and from black alike.

A `Frame` draws lines, points and bars in the units of the data:

    frame = Frame(Axis("recall", 0, 1), Axis("precision", 0, 1))
    frame.line([(0, 1), (1, 0.5)], series=0, label="spam")
    svg = frame.svg("Precision–recall curve", "…")

Each series has a colour and, as colours alone do not reach every reader, a dash pattern of its own (`style.css`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Literal

import numpy as np

from deciban.types import Floats

__all__ = ["AGAINST", "FOR", "Anchor", "Axis", "Frame", "Point", "circle", "drawing", "line", "thin", "ticks", "words"]


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
            ".area": f"fill:{FOR};fill-opacity:.2",
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
    hint = f"<title>{escape(title)}</title></circle>" if title else ""
    return f'<circle cx="{n(x)}" cy="{n(y)}" r="{n(radius)}" class="{kind}"{">" + hint if hint else "/>"}'


def words(at: Point, text: str, kind: str = "", anchor: Anchor = "start") -> str:
    """A line of text, with its baseline at the point."""
    where = f'x="{n(at[0])}" y="{n(at[1])}"'
    side = f' text-anchor="{anchor}"' if anchor != "start" else ""
    style = f' class="{kind}"' if kind else ""
    return f"<text {where}{side}{style}>{escape(text)}</text>"


# `reports/assets/style.css` has as many colours and dash patterns; further series begin again with the first.
SERIES = 6

_TICK = 5
# The width of a digit of 11 px in most sans-serif fonts: SVG text cannot be measured without a browser.
_LETTER = 6.4
# Times a power of ten: numbers that a reader can add up.
_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)


@dataclass(frozen=True)
class Axis:
    """The name of an axis and its range; `is_percent` writes shares as per cent."""

    name: str
    low: float
    high: float
    is_percent: bool = False

    def share(self, value: float) -> float:
        """Where a value lies between the ends, from 0 to 1."""
        # All values equal: everything is at the low end.
        return (value - self.low) / ((self.high - self.low) or 1.0)

    def label(self, value: float) -> str:
        return f"{value:.0%}" if self.is_percent else f"{value:.10g}"


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Round numbers between the ends.

    >>> ticks(0.0, 1.0), ticks(-3.0, 18.0)
    ([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], [0.0, 5.0, 10.0, 15.0])
    """
    span = high - low
    if not span > 0 or not math.isfinite(span):
        return [low]
    unit = 10.0 ** math.floor(math.log10(span / most))
    step = next(step * unit for step in _STEPS if span / (step * unit) <= most)
    # 1e-9 of a step keeps a tick at an end that rounding has moved just outside.
    first = math.ceil(low / step - 1e-9)
    return [round(k * step, 12) for k in range(first, math.floor(high / step + 1e-9) + 1)]


class Frame:
    """The axes, and what is drawn in them."""

    def __init__(self, x: Axis, y: Axis, width: float = 400.0, height: float = 300.0) -> None:
        self.x, self.y, self.width, self.height = x, y, width, height
        self._y_ticks = ticks(y.low, y.high)
        widest = max((len(y.label(value)) for value in self._y_ticks), default=1)
        self._left, self._right, self._top = 32.0 + widest * _LETTER, width - 18.0, 12.0
        self._bottom = height - 42.0
        self._shapes: list[str] = []
        self._labels: list[tuple[int, str]] = []

    def at(self, x: float, y: float) -> Point:
        """The position of a point of the data in the drawing."""
        across = self._left + self.x.share(x) * (self._right - self._left)
        return across, self._bottom - self.y.share(y) * (self._bottom - self._top)

    def line(self, points: Sequence[Point], *, series: int = 0, label: str = "") -> None:
        """A line through points, and its name in the legend."""
        self._shapes.append(polyline([self.at(*point) for point in points], f"line series-{series % SERIES}"))
        if label:
            self._labels.append((series, label))

    def guide(self, start: Point, end: Point) -> None:
        """A thin line to compare with, such as the diagonal."""
        self._shapes.append(line(self.at(*start), self.at(*end), "guide"))

    def points(self, points: Sequence[Point], *, series: int = 0, titles: Sequence[str] = ()) -> None:
        """Dots; `titles` are shown when the pointer is on them."""
        named = titles or [""] * len(points)
        kind = f"dot series-{series % SERIES}"
        self._shapes += [circle(self.at(*at), 4.0, kind, title) for at, title in zip(points, named, strict=True)]

    def whisker(self, x: float, low: float, high: float, *, series: int = 0) -> None:
        """A vertical interval."""
        self._shapes.append(line(self.at(x, low), self.at(x, high), f"whisker series-{series % SERIES}"))

    def band(self, left: float, right: float, height: float, *, series: int = 0) -> None:
        """A vertical bar from the lower end of the axis."""
        (x1, y1), (x2, y2) = self.at(left, height), self.at(right, self.y.low)
        self._shapes.append(rectangle(x1 + 1, y1, x2 - x1 - 2, y2 - y1, f"bar series-{series % SERIES}"))

    def area(self, points: Sequence[Point], *, series: int = 0) -> None:
        """The area between a line and the lower end of the axis."""
        closed = [(points[0][0], self.y.low), *points, (points[-1][0], self.y.low)]
        self._shapes.append(path([self.at(*point) for point in closed], f"area series-{series % SERIES}"))

    def svg(self, title: str, description: str = "", *, is_alone: bool = False) -> str:
        """The chart as SVG, with its legend below where it has more than one named line.

        With `is_alone` it brings its own style, in which all series have one colour.
        """
        legend = self._legend() if len(self._labels) > 1 else []
        height = self.height + (16.0 * math.ceil(len(self._labels) / 2) + 6.0 if legend else 0.0)
        shapes = [*self._axes(), *self._shapes, *legend]
        return drawing(self.width, height, shapes, title=title, description=description, is_alone=is_alone)

    def _axes(self) -> list[str]:
        shapes = []
        for value in self._y_ticks:
            (x, y), (end, _) = self.at(self.x.low, value), self.at(self.x.high, value)
            shapes += [line((x, y), (end, y), "grid"), words((x - 6, y + 4), self.y.label(value), "tick", "end")]
        for value in ticks(self.x.low, self.x.high):
            x, y = self.at(value, self.y.low)
            shapes += [line((x, y), (x, y + _TICK), "axis"), words((x, y + 18), self.x.label(value), "tick", "middle")]
        shapes.append(line(self.at(self.x.low, self.y.low), self.at(self.x.high, self.y.low), "axis"))
        middle = (self._left + self._right) / 2
        shapes.append(words((middle, self._bottom + 36), self.x.name, "name", "middle"))
        upright = (self._top + self._bottom) / 2
        name = words((0, 0), self.y.name, "name", "middle")
        shapes.append(f'<g transform="translate(12 {upright:.1f}) rotate(-90)">{name}</g>')
        return shapes

    def _legend(self) -> list[str]:
        shapes = []
        for k, (series, label) in enumerate(self._labels):
            x, y = self._left + (k % 2) * (self.width - self._left) / 2, self.height + 12.0 + 16.0 * (k // 2)
            shapes.append(line((x, y - 4), (x + 22, y - 4), f"line series-{series % SERIES}"))
            shapes.append(words((x + 28, y), label, "tick"))
        return shapes


def thin(x: Floats, y: Floats, most: int = 160) -> list[Point]:
    """At most so many points of a line, spread evenly along it; the first and the last stay.

    >>> thin(np.linspace(0, 1, 1000), np.zeros(1000), 2)
    [(0.0, 0.0), (1.0, 0.0)]
    """
    if len(x) <= most:
        return list(zip(x.tolist(), y.tolist(), strict=True))
    # By the length of the line, not by index: a curve has most of its points where it hardly moves.
    length = np.append(0.0, np.cumsum(np.hypot(np.diff(x), np.diff(y))))
    kept = np.unique(np.searchsorted(length, np.linspace(0.0, length[-1], most - 1), side="left"))
    kept = np.unique(np.append(np.minimum(kept, len(x) - 1), len(x) - 1))
    return list(zip(x[kept].tolist(), y[kept].tolist(), strict=True))
