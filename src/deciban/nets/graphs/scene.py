"""The look of a picture: a colour for each role, and the width of text.

Shapes name roles, not colours: one picture can then be drawn in the colours of a file, of a plot, or of a page that has
a light and a dark scheme (``var(--…)``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Any, Literal

from deciban.extras import need

__all__ = [
    "COLOURS", "INCH", "LETTER", "POINT", "PRINTED", "Arrow", "Box", "Look", "Outline", "Role", "Scene", "Shape",
    "Words", "canvas", "cut", "plot_scene", "scene_svg", "text_width",
]  # fmt: skip


Role = str

COLOURS: Mapping[Role, str] = {
    "line": "currentColor",
    "paper": "none",
    "frame": "#999",
    "now": "#2b7bba",
    "observed": "#d98c00",
    "before": "#8a8a8a",
    "highlight": "#d98c0033",
    "uncertain": "#d98c0014",
    "text": "currentColor",
}
"""The colours of a picture on its own: text and lines have the colour of the text around it, in light and in dark, and
what lies behind text is transparent."""

# A file has no text around it: then the scheme of the reader decides. In a page the picture is not the root.
_STYLE = "<style>@media (prefers-color-scheme: dark) {svg:root {color: #e6e9ec}}</style>"

# Of a font of 11 pixels, a letter on average and what a capital has more: the reader's font is not known.
_LETTER, _CAPITAL = 6.2, 1.6
_LONGEST = 18


@dataclass(frozen=True)
class Look:
    """Colours by role, and the beginning of the ids in a picture, which must differ within one page."""

    ids: str = "deciban"
    colours: Mapping[Role, str] = field(default_factory=lambda: COLOURS)

    def colour(self, role: Role) -> str:
        """The colour of a role; anything else is a colour itself."""
        return self.colours.get(role, role)

    @property
    def text(self) -> str:
        """The attribute of the picture that gives its text a colour."""
        return f' fill="{self.colours["text"]}"' if "text" in self.colours else ""

    @property
    def style(self) -> list[str]:
        """The element that makes text and lines light where the scheme is dark, if the picture has no other colours."""
        return [_STYLE] if self.colours is COLOURS else []


def text_width(text: str, size: float = 11) -> float:
    """The approximate width of a text in a font without serifs."""
    return sum(_LETTER + _CAPITAL * letter.isupper() for letter in text) * size / 11


def cut(name: object, longest: int = _LONGEST) -> str:
    """A name of at most so many letters.

    >>> cut("a very long name of a node"), cut("rain")
    ('a very long name …', 'rain')
    """
    text = str(name)
    return text if len(text) <= longest else text[: longest - 1] + "…"


PRINTED = Look(colours={**COLOURS, "line": "#666", "paper": "#fff"})
"""The colours of matplotlib, which knows no surroundings."""

INCH = 90.0
"""SVG's units in an inch, about as letters come out."""

POINT, LETTER = 72 / INCH, 0.72
"""The points of matplotlib in a unit; of letters fewer, as those of its font are wide."""

_ARROW = (
    '<defs><marker id="{name}-tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" '
    'orient="auto"><path d="M0 0 8 4 0 8z" fill="{colour}"/></marker></defs>'
)


@dataclass(frozen=True)
class Box:
    """A rectangle; its colours are roles of a ``Look``, ``round`` is the radius of its corners."""

    x: float
    y: float
    width: float
    height: float
    fill: str = "none"
    stroke: str = "none"
    round: float = 0.0


@dataclass(frozen=True)
class Words:
    """A line of text with its baseline at y."""

    x: float
    y: float
    text: str
    anchor: Literal["start", "middle", "end"] = "start"
    size: int = 11
    is_bold: bool = False


@dataclass(frozen=True)
class Arrow:
    """A line through points, with an arrowhead at the last."""

    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Outline:
    """A closed line through points; its colours are roles of a ``Look``."""

    points: tuple[tuple[float, float], ...]
    fill: str = "none"
    stroke: str = "none"


Shape = Box | Words | Arrow | Outline


@dataclass(frozen=True)
class Scene:
    """Shapes on a canvas, later ones on top; y grows downwards. The title is for readers who do not see it."""

    width: float
    height: float
    shapes: tuple[Shape, ...]
    title: str = ""


def scene_svg(scene: Scene, look: Look | None = None) -> str:
    """The scene as SVG.

    >>> print(scene_svg(Scene(20, 10, (Box(1, 2, 3, 4, fill="#fff"),))))
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 10" width="20" height="10" font-family="sans-serif"
    role="img" fill="currentColor">
    <style>@media (prefers-color-scheme: dark) {svg:root {color: #e6e9ec}}</style>
    <rect x="1" y="2" width="3" height="4" fill="#fff"/>
    </svg>
    """
    look = look or Look()
    size = f'viewBox="0 0 {scene.width:.0f} {scene.height:.0f}" width="{scene.width:.0f}" height="{scene.height:.0f}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" role="img"{look.text}>'
    title = [f"<title>{escape(scene.title)}</title>"] if scene.title else []
    has_arrows = any(isinstance(shape, Arrow) for shape in scene.shapes)
    marker = [_ARROW.format(name=look.ids, colour=look.colour("line"))] if has_arrows else []
    return "\n".join([head, *title, *look.style, *marker, *(_element(shape, look) for shape in scene.shapes), "</svg>"])


def canvas(width: float, height: float, ax: Any = None) -> Any:
    """Axes of matplotlib in units of SVG, y downwards and without a frame: those that are given, or new ones."""
    if ax is None:
        plt = need("matplotlib.pyplot", "plot", "a plot, unlike to_svg(),")
        _, ax = plt.subplots(figsize=(width / INCH, height / INCH), layout="constrained")
    ax.set(xlim=(0, width), ylim=(height, 0), aspect="equal")
    ax.axis("off")
    return ax


def plot_scene(scene: Scene, ax: Any = None) -> Any:
    """Draw the scene with matplotlib; returns the axes. Needs ``pip install deciban[plot]``."""
    axes, colour = canvas(scene.width, scene.height, ax), PRINTED.colour
    patches = need("matplotlib.patches", "plot", "a plot, unlike to_svg(),")
    for shape in scene.shapes:
        if isinstance(shape, Words):
            anchor = {"start": "left", "middle": "center", "end": "right"}[shape.anchor]
            weight = "bold" if shape.is_bold else "normal"
            # Names are shown literally: a dollar sign does not start a formula.
            text = axes.text(shape.x, shape.y, shape.text, ha=anchor, fontsize=shape.size * LETTER, fontweight=weight)
            text.set_parse_math(False)
        elif isinstance(shape, Arrow):
            xs, ys = zip(*shape.points, strict=True)
            axes.plot(xs[:-1], ys[:-1], color=colour("line"), linewidth=0.9)
            tip = {"arrowstyle": "-|>", "color": colour("line"), "linewidth": 0.9, "shrinkA": 0, "shrinkB": 0}
            axes.annotate("", shape.points[-1], shape.points[-2], arrowprops=tip)
        elif isinstance(shape, Outline):
            area = patches.Polygon(shape.points, linewidth=0.8)
            area.set(facecolor=colour(shape.fill), edgecolor=colour(shape.stroke))
            axes.add_patch(area)
        else:
            box = patches.Rectangle((shape.x, shape.y), shape.width, shape.height, linewidth=0.8)
            box.set(facecolor=colour(shape.fill), edgecolor=colour(shape.stroke))
            axes.add_patch(box)
    return axes


def _element(shape: Shape, look: Look) -> str:
    if isinstance(shape, Box):
        stroke = f' stroke="{look.colour(shape.stroke)}"' if shape.stroke != "none" else ""
        corner = f' rx="{shape.round:g}"' if shape.round else ""
        where = f'x="{_n(shape.x)}" y="{_n(shape.y)}" width="{_n(shape.width)}" height="{_n(shape.height)}"'
        return f'<rect {where}{corner} fill="{look.colour(shape.fill)}"{stroke}/>'
    if isinstance(shape, Arrow):
        path = " ".join(f"{_n(x)},{_n(y)}" for x, y in shape.points)
        tip = f"url(#{look.ids}-tip)"
        return f'<polyline points="{path}" fill="none" stroke="{look.colour("line")}" marker-end="{tip}"/>'
    if isinstance(shape, Outline):
        path = " ".join(f"{_n(x)},{_n(y)}" for x, y in shape.points)
        return f'<polygon points="{path}" fill="{look.colour(shape.fill)}" stroke="{look.colour(shape.stroke)}"/>'
    anchor = f' text-anchor="{shape.anchor}"' if shape.anchor != "start" else ""
    bold = ' font-weight="bold"' if shape.is_bold else ""
    return (
        f'<text x="{_n(shape.x)}" y="{_n(shape.y)}" font-size="{shape.size}"{anchor}{bold}>{escape(shape.text)}</text>'
    )


def _n(number: float) -> str:
    """A coordinate in as few digits as possible."""
    return f"{number:.1f}".removesuffix(".0")
