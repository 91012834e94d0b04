"""Graphs as words, Graphviz DOT, Mermaid and SVG."""

from __future__ import annotations

import json
from dataclasses import dataclass
from html import escape

from deciban.nets.layout import layered

__all__ = ["Picture", "in_words", "to_dot", "to_mermaid", "to_svg"]

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


@dataclass(frozen=True)
class Picture:
    """What is drawn: labels, and pairs of places in them."""

    labels: tuple[str, ...]
    arrows: tuple[tuple[int, int], ...]
    lines: tuple[tuple[int, int], ...]


def in_words(picture: Picture) -> str:
    """The edges, then the nodes without one; a long list is cut."""
    labels = picture.labels
    joined = {place for edge in picture.arrows + picture.lines for place in edge}
    parts = [f"{labels[a]} → {labels[b]}" for a, b in picture.arrows]
    parts += [f"{labels[a]} — {labels[b]}" for a, b in picture.lines]
    parts += [label for place, label in enumerate(labels) if place not in joined]
    if len(parts) > _SHOWN:
        edges = len(picture.arrows) + len(picture.lines)
        parts = [f"{len(labels)} nodes, {edges} edges: {parts[0]}", *parts[1:_SHOWN], "…"]
    return ", ".join(parts)


def to_dot(picture: Picture) -> str:
    """The graph in Graphviz's language."""
    quoted = [json.dumps(label, ensure_ascii=False) for label in picture.labels]
    lines = [f"  {place} [label={label}];" for place, label in enumerate(quoted)]
    lines += [f"  {a} -> {b};" for a, b in picture.arrows]
    lines += [f"  {min(line)} -> {max(line)} [dir=none];" for line in picture.lines]
    return "\n".join(["digraph {", *lines, "}"]) + "\n"


def to_mermaid(picture: Picture) -> str:
    """The graph as a Mermaid flowchart."""
    lines = [f'  n{place}["{_mermaid_text(label)}"]' for place, label in enumerate(picture.labels)]
    lines += [f"  n{a} --> n{b}" for a, b in picture.arrows]
    lines += [f"  n{min(line)} --- n{max(line)}" for line in picture.lines]
    return "\n".join(["flowchart TD", *lines]) + "\n"


def _mermaid_text(label: str) -> str:
    return label.replace("#", "#35;").replace('"', "#quot;").replace("<", "#lt;").replace(">", "#gt;")


def to_svg(picture: Picture) -> str:
    """The graph as a picture that needs nothing else: ovals in layers, arrows down."""
    widths = [max(len(label) * _LETTER + 20, 40) for label in picture.labels]
    unit = max(widths, default=40) + _GAP
    # A line points nowhere; for the layout it points from the node that was named first.
    lines = tuple((min(line), max(line)) for line in picture.lines)
    places, routes = layered(len(widths), picture.arrows + lines)

    def spot(place: tuple[float, float]) -> tuple[float, float]:
        return place[0] * unit + unit / 2 + _MARGIN, place[1] * _STEP + _HEIGHT / 2 + _MARGIN

    at = {node: spot(place) for node, place in places.items()}
    spots = [*at.values(), *(spot(place) for route in routes.values() for place in route)]
    width = max((x for x, _ in spots), default=0) + unit / 2 + _MARGIN
    height = max((y for _, y in spots), default=0) + _HEIGHT / 2 + _MARGIN
    parts = [_HEAD.format(width=width, height=height), _ARROW]
    for edges, marker in ((picture.arrows, ' marker-end="url(#deciban-arrow)"'), (lines, "")):
        for a, b in edges:
            points = [at[a], *map(spot, routes[a, b]), at[b]]
            points[0] = _border(at[a], points[1], widths[a])
            points[-1] = _border(at[b], points[-2], widths[b])
            path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
            parts.append(f'<polyline points="{path}" fill="none" stroke="#666" stroke-width="1.2"{marker}/>')
    for node, label in enumerate(picture.labels):
        parts.append(_oval(at[node], widths[node], label))
    return "\n".join([*parts, "</svg>"]) + "\n"


def _oval(centre: tuple[float, float], width: float, label: str) -> str:
    x, y = centre
    return (
        f'<ellipse cx="{x:.1f}" cy="{y:.1f}" rx="{width / 2:.1f}" ry="{_HEIGHT / 2}" fill="#fff" stroke="#666"/>'
        f'<text x="{x:.1f}" y="{y + 4.5:.1f}" text-anchor="middle">{escape(label)}</text>'
    )


def _border(centre: tuple[float, float], towards: tuple[float, float], width: float) -> tuple[float, float]:
    """Where a line from the centre of an oval to somewhere leaves the oval."""
    dx, dy = towards[0] - centre[0], towards[1] - centre[1]
    length = ((dx / (width / 2)) ** 2 + (dy / (_HEIGHT / 2)) ** 2) ** 0.5 or 1.0
    return centre[0] + dx / length, centre[1] + dy / length
