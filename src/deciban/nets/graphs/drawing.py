"""Graphs as words, Graphviz DOT, Mermaid, SVG, and drawn with matplotlib."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape
from io import BytesIO
from itertools import compress
from typing import Any, Literal, NamedTuple

from deciban.choices import counted
from deciban.extras import need
from deciban.nets.graphs.bits import bits
from deciban.nets.graphs.layout import layered
from deciban.nets.graphs.scene import INCH, LETTER, POINT, PRINTED, Look, canvas, text_width

__all__ = [
    "SYMBOLS",
    "Key",
    "Mark",
    "Picture",
    "Stroke",
    "central_nodes",
    "in_words",
    "part_of_picture",
    "plot",
    "to_dot",
    "to_image",
    "to_mermaid",
    "to_svg",
]


Mark = Literal["tail", "arrow", "circle"]

SYMBOLS: dict[tuple[Mark, Mark], str] = {
    ("tail", "arrow"): "→",
    ("circle", "arrow"): "o→",
    ("arrow", "arrow"): "↔",
    ("circle", "circle"): "o—o",
    ("tail", "tail"): "—",
    ("tail", "circle"): "—o",
}
"""The symbol of an edge by the marks at its ends; other combinations are these reversed."""

_SHOWN = 30
_DOT: dict[Mark, str] = {"tail": "none", "arrow": "normal", "circle": "odot"}
_MERMAID: dict[tuple[Mark, Mark], str] = {
    ("tail", "arrow"): "-->",
    ("arrow", "arrow"): "<-->",
    ("circle", "circle"): "o--o",
    ("tail", "tail"): "---",
    ("tail", "circle"): "--o",
    # Mermaid cannot draw a circle at one end and an arrowhead at the other: the symbol is the label of the edge.
    ("circle", "arrow"): '-->|"o→"|',
}


class Stroke(NamedTuple):
    """An edge between two labels, by their indices, and the marks at its ends."""

    a: int
    b: int
    at_a: Mark
    at_b: Mark

    @property
    def in_place(self) -> Stroke:
        """A symmetric edge starts at the node that comes first."""
        return self._replace(a=min(self[:2]), b=max(self[:2])) if self.at_a == self.at_b else self


class Key(NamedTuple):
    """A line of a legend: what edges of a colour are, and whether they are dashed."""

    text: str
    colour: str
    is_weak: bool = False


@dataclass(frozen=True)
class Picture:
    """The labels of the nodes, and the edges between them.

    If known, also how strong each edge is, from 0 to 1, and whether it is weak, which makes it a dashed line; the
    colour of each node, by its role in a ``Look``; the colour of each edge; and what the colours of edges mean.
    """

    labels: tuple[str, ...]
    edges: tuple[Stroke, ...]
    strengths: tuple[float, ...] = ()
    is_weak: tuple[bool, ...] = ()
    fills: tuple[str, ...] = ()
    colours: tuple[str, ...] = ()
    legend: tuple[Key, ...] = ()


def in_words(picture: Picture) -> str:
    """The edges, then the nodes without one; a long list is shortened."""
    labels = picture.labels
    joined = {index for edge in picture.edges for index in edge[:2]}
    parts = [f"{labels[a]} {SYMBOLS[at_a, at_b]} {labels[b]}" for a, b, at_a, at_b in picture.edges]
    parts += [label for index, label in enumerate(labels) if index not in joined]
    if len(parts) > _SHOWN:
        parts = [
            f"{counted(len(labels), 'node')}, {counted(len(picture.edges), 'edge')}: {parts[0]}",
            *parts[1:_SHOWN],
            "…",
        ]
    return ", ".join(parts)


def to_dot(picture: Picture) -> str:
    """The graph in the DOT language of Graphviz."""
    quoted = [json.dumps(label, ensure_ascii=False) for label in picture.labels]
    lines = [f"  {index} [label={label}];" for index, label in enumerate(quoted)]
    for edge in picture.edges:
        a, b, at_a, at_b = edge.in_place
        marks = f" [dir=both, arrowtail={_DOT[at_a]}, arrowhead={_DOT[at_b]}]"
        plain = {("tail", "arrow"): "", ("tail", "tail"): " [dir=none]"}
        lines.append(f"  {a} -> {b}{plain.get((at_a, at_b), marks)};")
    return "\n".join(["digraph {", *lines, "}"]) + "\n"


def to_mermaid(picture: Picture) -> str:
    """The graph as a Mermaid flowchart."""
    lines = [f'  n{index}["{_mermaid_text(label)}"]' for index, label in enumerate(picture.labels)]
    for a, b, at_a, at_b in (edge.in_place for edge in picture.edges):
        lines.append(f"  n{a} {_MERMAID[at_a, at_b]} n{b}")
    return "\n".join(["flowchart TD", *lines]) + "\n"


def _mermaid_text(label: str) -> str:
    # "#" first: the codes of the others begin with it.
    return label.replace("#", "#35;").replace('"', "#quot;").replace("<", "#lt;").replace(">", "#gt;")


def central_nodes(adjacent: Sequence[int], most: int) -> list[int]:
    """Indices of at most so many nodes, by breadth-first search from the node with the most neighbours, which is first.

    Where its component has fewer nodes, the first of the others are added. `adjacent` are the neighbours as masks.

    >>> central_nodes([0b0010, 0b0101, 0b0010, 0b0000], 2)
    [1, 0]
    """
    centre = max(range(len(adjacent)), key=lambda index: adjacent[index].bit_count())
    order = {centre: None}
    waiting = [centre]
    for index in waiting:
        fresh = [near for near in bits(adjacent[index]) if near not in order]
        order.update(dict.fromkeys(fresh))
        waiting += fresh
        if len(order) >= most:
            break
    rest = (index for index in range(len(adjacent)) if index not in order)
    return [*order, *rest][:most]


def part_of_picture(picture: Picture, nodes: Sequence[int]) -> Picture:
    """Some nodes of a picture, in its order, and the edges between them."""
    index = {old: new for new, old in enumerate(sorted(nodes))}
    is_kept = [edge.a in index and edge.b in index for edge in picture.edges]
    edges = [edge._replace(a=index[edge.a], b=index[edge.b]) for edge in compress(picture.edges, is_kept)]
    return replace(
        picture,
        labels=tuple(picture.labels[old] for old in index),
        edges=tuple(edges),
        strengths=tuple(compress(picture.strengths, is_kept)),
        is_weak=tuple(compress(picture.is_weak, is_kept)),
        fills=tuple(picture.fills[old] for old in index) if picture.fills else (),
        colours=tuple(compress(picture.colours, is_kept)),
    )


_FONT, _HEIGHT, _GAP, _STEP, _MARGIN = 13, 28, 22, 66, 12
_PASS, _WIDEST = 24, 1000
"""The room of an edge that passes a layer, and the most that a layer is wide if its nodes can be moved down."""

_DPI = 200

_THIN, _PLAIN, _BOLD, _THICK = 0.9, 1.2, 1.8, 3.2
"""The widths of an edge of strength 0, of one whose strength is not known, of one with a colour, and of strength 1."""

_KEY, _KEY_LINE = 20, 30
"""The height of a line of the legend, and the width of the edge in it."""

_HEAD = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
    'height="{height:.0f}" font-family="sans-serif" font-size="{font}" role="img"{text}>'
)
_MARKER = (
    '<defs><marker id="{name}" viewBox="0 0 8 8" refX="{at}" refY="4" markerWidth="10" markerHeight="10" '
    'markerUnits="userSpaceOnUse" orient="auto">{shape}</marker></defs>'
)
_RING = '<circle cx="4" cy="4" r="2.6" fill="{paper}" stroke="{line}"/>'
_RING_WIDTH = 6.5
"""The width of a ring as it is drawn. The line ends before it, as a ring may be transparent."""

# By the end of the line and the mark there: name, position of the end of the line, shape.
_MARKERS: dict[tuple[str, Mark], tuple[str, float, str]] = {
    ("end", "arrow"): ("arrow", 7, '<path d="M0 0 8 4 0 8z" fill="{line}"/>'),
    ("start", "arrow"): ("back", 1, '<path d="M8 0 0 4 8 8z" fill="{line}"/>'),
    ("end", "circle"): ("ring", 1.4, _RING),
    ("start", "circle"): ("ring-back", 6.6, _RING),
}

Point = tuple[float, float]


@dataclass(frozen=True)
class _Line:
    """An edge as a line through points, from one oval to another, with marks at its ends."""

    points: tuple[Point, ...]
    edge: Stroke
    width: float
    is_weak: bool
    colour: str


@dataclass(frozen=True)
class _Oval:
    """A node: its centre, its width, its label and the role of its colour."""

    centre: Point
    width: float
    label: str
    fill: str


@dataclass(frozen=True)
class _Key:
    """A line of the legend: a piece of such an edge, and the text beside it."""

    line: _Line
    text: str
    at: Point


@dataclass(frozen=True)
class _Laid:
    """A picture with positions: y grows downwards."""

    width: float
    height: float
    lines: tuple[_Line, ...]
    ovals: tuple[_Oval, ...]
    keys: tuple[_Key, ...] = ()


def _laid(picture: Picture) -> _Laid:
    widths = [max(text_width(label, _FONT) + 20, 40) for label in picture.labels]
    # The layout needs a direction for every edge: a symmetric edge starts at the node that comes first.
    edges = [edge.in_place for edge in picture.edges]
    apart = [width + _GAP for width in widths]
    positions, routes = layered(len(widths), [edge[:2] for edge in edges], widths=apart, room=_PASS, widest=_WIDEST)
    at = {node: _spot(position) for node, position in positions.items()}
    passed = [_spot(position)[0] + _PASS / 2 for route in routes.values() for position in route]
    width = max([0.0, *passed, *(at[node][0] + own / 2 for node, own in enumerate(apart))]) + _MARGIN
    height = max((y for _, y in at.values()), default=0) + _HEIGHT / 2 + _MARGIN
    lines = []
    for number, edge in enumerate(edges):
        points = [at[edge.a], *map(_spot, routes[edge.a, edge.b]), at[edge.b]]
        points[0] = _border(at[edge.a], points[1], widths[edge.a])
        points[-1] = _border(at[edge.b], points[-2], widths[edge.b])
        if edge.at_a == "circle":
            points[0] = _moved(points[0], points[1])
        if edge.at_b == "circle":
            points[-1] = _moved(points[-1], points[-2])
        is_weak = bool(picture.is_weak) and picture.is_weak[number]
        colour = picture.colours[number] if picture.colours else "line"
        lines.append(_Line(tuple(points), edge, _stroke_width(picture, number), is_weak, colour))
    fills = picture.fills or ("paper",) * len(picture.labels)
    ovals = tuple(_Oval(at[n], widths[n], *one) for n, one in enumerate(zip(picture.labels, fills, strict=True)))
    keys, width, height = _legend(picture.legend, width, height)
    return _Laid(width, height, tuple(lines), ovals, keys)


def _legend(legend: Sequence[Key], width: float, height: float) -> tuple[tuple[_Key, ...], float, float]:
    """The lines of the legend under the picture, and its size with them."""
    keys = []
    for key in legend:
        y = height + _KEY / 2
        ends = ((_MARGIN, y), (_MARGIN + _KEY_LINE, y))
        line = _Line(ends, Stroke(0, 0, "tail", "tail"), _BOLD, key.is_weak, key.colour)
        start = _MARGIN + _KEY_LINE + 8.0
        keys.append(_Key(line, key.text, (start, y)))
        width, height = max(width, start + text_width(key.text, _FONT) + _MARGIN), height + _KEY
    return tuple(keys), width, height + (_MARGIN / 2 if keys else 0)


def to_svg(picture: Picture, look: Look | None = None) -> str:
    """The graph as a picture that needs nothing else; strong edges are thick, weak edges dashed."""
    look, laid = look or Look(), _laid(picture)
    head = _HEAD.format(width=laid.width, height=laid.height, font=_FONT, text=look.text)
    parts = [head, *_words(picture), *look.style, *_definitions(laid.lines, look)]
    parts += [_line(line, look) for line in (*laid.lines, *(key.line for key in laid.keys))]
    parts += [_oval(oval, look) for oval in laid.ovals]
    parts += [f'<text x="{k.at[0]:.1f}" y="{k.at[1] + 4.5:.1f}">{escape(k.text)}</text>' for k in laid.keys]
    return "\n".join([*parts, "</svg>"]) + "\n"


def plot(picture: Picture, ax: Any = None) -> Any:
    """Draw the graph with matplotlib, as `to_svg` does; returns the axes. Needs ``pip install deciban[plot]``."""
    laid, colour = _laid(picture), PRINTED.colour
    axes = canvas(laid.width, laid.height, ax)
    patches = need("matplotlib.patches", "plot", "a plot, unlike to_svg(),")
    for line in (*laid.lines, *(key.line for key in laid.keys)):
        look = {
            "color": colour(line.colour),
            "linewidth": line.width * POINT,
            "linestyle": (0, (5, 4)) if line.is_weak else "-",
        }
        axes.plot(*zip(*line.points, strict=True), solid_capstyle="butt", **look)
        ends = ((line.edge.at_a, line.points[1], line.points[0]), (line.edge.at_b, line.points[-2], line.points[-1]))
        for mark, before, end in ends:
            if mark == "arrow":
                axes.add_patch(patches.Polygon(_head(before, end), color=colour(line.colour), linewidth=0))
            elif mark == "circle":
                centre = _onward(before, end, _RING_WIDTH / 2)
                ring = patches.Circle(centre, _RING_WIDTH / 2, linewidth=POINT)
                ring.set(facecolor=colour("paper"), edgecolor=colour(line.colour))
                axes.add_patch(ring)
    for oval in laid.ovals:
        shape = patches.Ellipse(oval.centre, oval.width, _HEIGHT, linewidth=POINT)
        shape.set(facecolor=colour(oval.fill), edgecolor=colour("line"))
        axes.add_patch(shape)
        text = axes.text(*oval.centre, oval.label, ha="center", va="center", fontsize=_FONT * LETTER)
        text.set_parse_math(False)  # a dollar sign does not start a formula
    for key in laid.keys:
        axes.text(*key.at, key.text, va="center", fontsize=_FONT * LETTER)
    return axes


def to_image(picture: Picture, format: Literal["png", "pdf"]) -> bytes:  # noqa: A002
    """The graph as a file that matplotlib draws."""
    figure = need("matplotlib.figure", "plot", f"a {format}, unlike an svg,").Figure()
    laid = _laid(picture)
    figure.set_size_inches(laid.width / INCH, laid.height / INCH)
    plot(picture, figure.add_axes((0, 0, 1, 1)))
    file = BytesIO()
    # Without a date or a version in it, so that the same graph gives the same file.
    figure.savefig(
        file, format=format, dpi=_DPI, metadata={"Software": None} if format == "png" else {"CreationDate": None}
    )
    return file.getvalue()


def _spot(position: Point) -> Point:
    """Column and layer as coordinates."""
    return position[0] + _MARGIN, position[1] * _STEP + _HEIGHT / 2 + _MARGIN


def _words(picture: Picture) -> list[str]:
    """The title, and the edges as the description."""
    nodes, edges = counted(len(picture.labels), "node"), counted(len(picture.edges), "edge")
    return [f"<title>Graph with {nodes} and {edges}</title>", f"<desc>{escape(in_words(picture))}</desc>"]


def _definitions(lines: Sequence[_Line], look: Look) -> list[str]:
    """The marks that the picture uses, in each colour; a plain arrowhead is always there."""
    used = {(line.colour, key) for line in lines for key in (("start", line.edge.at_a), ("end", line.edge.at_b))}
    used.add(("line", ("end", "arrow")))
    colours = sorted({colour for colour, _ in used}, key=lambda colour: (colour != "line", colour))
    return [
        _MARKER.format(
            name=_marker_id(key, colour, look),
            at=at,
            shape=shape.format(line=look.colour(colour), paper=look.colour("paper")),
        )
        for colour in colours
        for key, (_, at, shape) in _MARKERS.items()
        if (colour, key) in used
    ]


def _marker_id(key: tuple[str, Mark], colour: str, look: Look) -> str:
    coloured = "" if colour == "line" else f"-{colour.removeprefix('#')}"
    return f"{look.ids}-{_MARKERS[key][0]}{coloured}"


def _stroke_width(picture: Picture, number: int) -> float:
    if not picture.strengths:
        return _BOLD if picture.colours else _PLAIN
    return _THIN + (_THICK - _THIN) * min(max(picture.strengths[number], 0.0), 1.0)


def _line(line: _Line, look: Look) -> str:
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in line.points)
    marks = "".join(
        f' marker-{end}="url(#{_marker_id((end, mark), line.colour, look)})"'
        for end, mark in (("start", line.edge.at_a), ("end", line.edge.at_b))
        if mark != "tail"
    )
    stroke = f'stroke-width="{line.width:.2g}"' + (' stroke-dasharray="5 4"' if line.is_weak else "")
    return f'<polyline points="{path}" fill="none" stroke="{look.colour(line.colour)}" {stroke}{marks}/>'


def _oval(oval: _Oval, look: Look) -> str:
    x, y = oval.centre
    shape = f'cx="{x:.1f}" cy="{y:.1f}" rx="{oval.width / 2:.1f}" ry="{_HEIGHT / 2:g}"'
    return (
        f'<ellipse {shape} fill="{look.colour(oval.fill)}" stroke="{look.colour("line")}"/>'
        f'<text x="{x:.1f}" y="{y + 4.5:.1f}" text-anchor="middle">{escape(oval.label)}</text>'
    )


def _border(centre: Point, towards: Point, width: float) -> Point:
    """The point where a line from the centre of an oval leaves it."""
    dx, dy = towards[0] - centre[0], towards[1] - centre[1]
    length = ((dx / (width / 2)) ** 2 + (dy / (_HEIGHT / 2)) ** 2) ** 0.5 or 1.0  # 1 where the two points are one
    return centre[0] + dx / length, centre[1] + dy / length


def _moved(point: Point, towards: Point) -> Point:
    """The point where a line ends that leaves room for a ring."""
    dx, dy = towards[0] - point[0], towards[1] - point[1]
    share = _RING_WIDTH / max((dx**2 + dy**2) ** 0.5, _RING_WIDTH)  # at most 1: a short line must not turn round
    return point[0] + share * dx, point[1] + share * dy


def _onward(before: Point, end: Point, distance: float) -> Point:
    """The point so far beyond the end of a line."""
    dx, dy = end[0] - before[0], end[1] - before[1]
    share = distance / ((dx**2 + dy**2) ** 0.5 or 1.0)
    return end[0] + share * dx, end[1] + share * dy


def _head(before: Point, end: Point) -> list[Point]:
    """The triangle of an arrowhead, as the marker in SVG has it: 10 units long and wide, its tip just past the end."""
    tip, base = _onward(before, end, 1.25), _onward(before, end, -8.75)
    dx, dy = (tip[0] - base[0]) / 2, (tip[1] - base[1]) / 2
    return [tip, (base[0] - dy, base[1] + dx), (base[0] + dy, base[1] - dx)]
