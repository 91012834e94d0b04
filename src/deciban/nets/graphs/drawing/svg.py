"""A graph as SVG: ovals in layers, arrows downwards, with a title and a description for readers who do not see it."""

from __future__ import annotations

from html import escape

from deciban.choices import counted
from deciban.nets.graphs.drawing.formats import Mark, Picture, Stroke, in_words
from deciban.nets.graphs.drawing.layout import layered
from deciban.nets.graphs.drawing.look import Look, text_width

__all__ = ["to_svg"]

_FONT, _HEIGHT, _GAP, _STEP, _MARGIN = 13, 28, 22, 66, 12
_PASS, _WIDEST = 24, 1000
"""The room of an edge that passes a layer, and the most that a layer is wide if its nodes can be moved down."""

_THIN, _PLAIN, _THICK = 0.9, 1.2, 3.2
"""The widths of an edge of strength 0, of one whose strength is not known, and of strength 1."""

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


def to_svg(picture: Picture, look: Look | None = None) -> str:
    """The graph as a picture that needs nothing else; strong edges are thick, weak edges dashed."""
    look = look or Look()
    widths = [max(text_width(label, _FONT) + 20, 40) for label in picture.labels]
    # The layout needs a direction for every edge: a symmetric edge starts at the node that comes first.
    edges = [edge.in_place for edge in picture.edges]
    apart = [width + _GAP for width in widths]
    positions, routes = layered(len(widths), [edge[:2] for edge in edges], widths=apart, room=_PASS, widest=_WIDEST)
    at = {node: _spot(position) for node, position in positions.items()}
    passed = [_spot(position)[0] + _PASS / 2 for route in routes.values() for position in route]
    width = max([0.0, *passed, *(at[node][0] + own / 2 for node, own in enumerate(apart))]) + _MARGIN
    height = max((y for _, y in at.values()), default=0) + _HEIGHT / 2 + _MARGIN
    head = _HEAD.format(width=width, height=height, font=_FONT, text=look.text)
    parts = [head, *_words(picture), *look.style, *_definitions(edges, look)]
    for number, edge in enumerate(edges):
        points = [at[edge.a], *map(_spot, routes[edge.a, edge.b]), at[edge.b]]
        points[0] = _border(at[edge.a], points[1], widths[edge.a])
        points[-1] = _border(at[edge.b], points[-2], widths[edge.b])
        if edge.at_a == "circle":
            points[0] = _moved(points[0], points[1])
        if edge.at_b == "circle":
            points[-1] = _moved(points[-1], points[-2])
        parts.append(_line(points, edge, _stroke(picture, number), look))
    fills = picture.fills or ("paper",) * len(picture.labels)
    ovals = enumerate(zip(picture.labels, fills, strict=True))
    parts += [_oval(at[node], widths[node], label, look, look.colour(fill)) for node, (label, fill) in ovals]
    return "\n".join([*parts, "</svg>"]) + "\n"


def _spot(position: Point) -> Point:
    """Column and layer as coordinates."""
    return position[0] + _MARGIN, position[1] * _STEP + _HEIGHT / 2 + _MARGIN


def _words(picture: Picture) -> list[str]:
    """The title, and the edges as the description."""
    nodes, edges = counted(len(picture.labels), "node"), counted(len(picture.edges), "edge")
    return [f"<title>Graph with {nodes} and {edges}</title>", f"<desc>{escape(in_words(picture))}</desc>"]


def _definitions(edges: list[Stroke], look: Look) -> list[str]:
    """The marks that the picture uses; an arrowhead is always there."""
    used = {key for edge in edges for key in (("start", edge.at_a), ("end", edge.at_b))}
    colours = {"line": look.colour("line"), "paper": look.colour("paper")}
    return [
        _MARKER.format(name=f"{look.ids}-{name}", at=at, shape=shape.format(**colours))
        for key, (name, at, shape) in _MARKERS.items()
        if key in used or key == ("end", "arrow")
    ]


def _stroke(picture: Picture, number: int) -> str:
    """The width of an edge, and its dashes if it is weak."""
    width = _PLAIN
    if picture.strengths:
        width = _THIN + (_THICK - _THIN) * min(max(picture.strengths[number], 0.0), 1.0)
    dashes = ' stroke-dasharray="5 4"' if picture.is_weak and picture.is_weak[number] else ""
    return f'stroke-width="{width:.2g}"{dashes}'


def _line(points: list[Point], edge: Stroke, stroke: str, look: Look) -> str:
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    marks = _marker("start", edge.at_a, look) + _marker("end", edge.at_b, look)
    return f'<polyline points="{path}" fill="none" stroke="{look.colour("line")}" {stroke}{marks}/>'


def _marker(end: str, mark: Mark, look: Look) -> str:
    return f' marker-{end}="url(#{look.ids}-{_MARKERS[end, mark][0]})"' if mark != "tail" else ""


def _oval(centre: Point, width: float, label: str, look: Look, fill: str) -> str:
    x, y = centre
    shape = f'cx="{x:.1f}" cy="{y:.1f}" rx="{width / 2:.1f}" ry="{_HEIGHT / 2:g}"'
    return (
        f'<ellipse {shape} fill="{fill}" stroke="{look.colour("line")}"/>'
        f'<text x="{x:.1f}" y="{y + 4.5:.1f}" text-anchor="middle">{escape(label)}</text>'
    )


def _border(centre: Point, towards: Point, width: float) -> Point:
    """The point where a line from the centre of an oval leaves it."""
    dx, dy = towards[0] - centre[0], towards[1] - centre[1]
    length = ((dx / (width / 2)) ** 2 + (dy / (_HEIGHT / 2)) ** 2) ** 0.5 or 1.0
    return centre[0] + dx / length, centre[1] + dy / length


def _moved(point: Point, towards: Point) -> Point:
    """The point where a line ends that leaves room for a ring."""
    dx, dy = towards[0] - point[0], towards[1] - point[1]
    share = _RING_WIDTH / max((dx**2 + dy**2) ** 0.5, _RING_WIDTH)
    return point[0] + share * dx, point[1] + share * dy
