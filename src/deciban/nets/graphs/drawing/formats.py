"""Graphs as words, Graphviz DOT, Mermaid and SVG."""

from __future__ import annotations

import json
from dataclasses import dataclass
from html import escape
from typing import Literal, NamedTuple

from deciban.choices import counted
from deciban.nets.graphs.drawing.layout import layered

__all__ = ["SYMBOLS", "Mark", "Picture", "Stroke", "in_words", "to_dot", "to_mermaid", "to_svg"]

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
_LETTER, _HEIGHT, _GAP, _STEP, _MARGIN = 7.4, 28, 22, 66, 12
_HEAD = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
    'height="{height:.0f}" font-family="sans-serif" font-size="13" role="img">'
)
_ARROW = (
    '<defs><marker id="deciban-arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" '
    'orient="auto"><path d="M0 0 8 4 0 8z" fill="#666"/></marker></defs>'
)
_MARKER = (
    '<defs><marker id="deciban-{name}" viewBox="0 0 8 8" refX="{at}" refY="4" markerWidth="8" markerHeight="8" '
    'orient="auto">{shape}</marker></defs>'
)
_RING = '<circle cx="4" cy="4" r="2.6" fill="#fff" stroke="#666"/>'
# By the end of the line and the mark there; an arrowhead at the end is in every picture.
_MARKERS: dict[tuple[str, Mark], tuple[str, str]] = {
    ("end", "arrow"): ("arrow", _ARROW),
    ("start", "arrow"): ("back", _MARKER.format(name="back", at=1, shape='<path d="M8 0 0 4 8 8z" fill="#666"/>')),
    ("end", "circle"): ("ring", _MARKER.format(name="ring", at=6.6, shape=_RING)),
    ("start", "circle"): ("ring-back", _MARKER.format(name="ring-back", at=1.4, shape=_RING)),
}
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


@dataclass(frozen=True)
class Picture:
    """The labels of the nodes, and the edges between them."""

    labels: tuple[str, ...]
    edges: tuple[Stroke, ...]


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
    return label.replace("#", "#35;").replace('"', "#quot;").replace("<", "#lt;").replace(">", "#gt;")


def to_svg(picture: Picture) -> str:
    """The graph as a self-contained picture: ovals in layers, arrows downwards."""
    widths = [max(len(label) * _LETTER + 20, 40) for label in picture.labels]
    unit = max(widths, default=40) + _GAP
    # The layout needs a direction for every edge: a symmetric edge starts at the node that comes first.
    edges = [edge.in_place for edge in picture.edges]
    indices, routes = layered(len(widths), [edge[:2] for edge in edges])

    def spot(index: tuple[float, float]) -> tuple[float, float]:
        return index[0] * unit + unit / 2 + _MARGIN, index[1] * _STEP + _HEIGHT / 2 + _MARGIN

    at = {node: spot(index) for node, index in indices.items()}
    spots = [*at.values(), *(spot(index) for route in routes.values() for index in route)]
    width = max((x for x, _ in spots), default=0) + unit / 2 + _MARGIN
    height = max((y for _, y in spots), default=0) + _HEIGHT / 2 + _MARGIN
    parts = [_HEAD.format(width=width, height=height), *_definitions(edges)]
    for a, b, at_a, at_b in edges:
        points = [at[a], *map(spot, routes[a, b]), at[b]]
        points[0] = _border(at[a], points[1], widths[a])
        points[-1] = _border(at[b], points[-2], widths[b])
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        marker = _marker("start", at_a) + _marker("end", at_b)
        parts.append(f'<polyline points="{path}" fill="none" stroke="#666" stroke-width="1.2"{marker}/>')
    for node, label in enumerate(picture.labels):
        parts.append(_oval(at[node], widths[node], label))
    return "\n".join([*parts, "</svg>"]) + "\n"


def _definitions(edges: list[Stroke]) -> list[str]:
    """The marks that the picture uses."""
    used = {key for edge in edges for key in (("start", edge.at_a), ("end", edge.at_b))}
    return [shape for key, (_, shape) in _MARKERS.items() if key in used or key == ("end", "arrow")]


def _marker(end: str, mark: Mark) -> str:
    return f' marker-{end}="url(#deciban-{_MARKERS[end, mark][0]})"' if mark != "tail" else ""


def _oval(centre: tuple[float, float], width: float, label: str) -> str:
    x, y = centre
    return (
        f'<ellipse cx="{x:.1f}" cy="{y:.1f}" rx="{width / 2:.1f}" ry="{_HEIGHT / 2}" fill="#fff" stroke="#666"/>'
        f'<text x="{x:.1f}" y="{y + 4.5:.1f}" text-anchor="middle">{escape(label)}</text>'
    )


def _border(centre: tuple[float, float], towards: tuple[float, float], width: float) -> tuple[float, float]:
    """The point where a line from the centre of an oval leaves it."""
    dx, dy = towards[0] - centre[0], towards[1] - centre[1]
    length = ((dx / (width / 2)) ** 2 + (dy / (_HEIGHT / 2)) ** 2) ** 0.5 or 1.0
    return centre[0] + dx / length, centre[1] + dy / length
