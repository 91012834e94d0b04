"""A weighted graph on a circle: the thicker a line, the stronger the tie, by the square root of its strength."""

from __future__ import annotations

import math
from collections.abc import Mapping
from html import escape

from deciban.charts.svg import Anchor, Point, circle, drawing, words
from deciban.ties import first_largest

__all__ = ["draw_ring"]

_WIDTH, _RADIUS, _TOP = 500.0, 125.0, 26.0
_THICKEST = 9.0
_LONGEST = 22


def draw_ring(ties: Mapping[tuple[str, str], float], *, title: str, description: str) -> str:
    """Draw the nodes of the ties on a circle, and the ties between them."""
    nodes = _ordered(ties)
    centre = (_WIDTH / 2, _RADIUS + _TOP)
    angles = {node: 2 * math.pi * k / len(nodes) - math.pi / 2 for k, node in enumerate(nodes)}
    at = {node: _on_circle(centre, _RADIUS, angle) for node, angle in angles.items()}
    strongest = max(ties.values(), default=1.0) or 1.0
    shapes = [_tie(at[a], at[b], centre, f"{a} – {b}: {tie:.3f}", tie / strongest) for (a, b), tie in ties.items()]
    for node in nodes:
        shapes.append(circle(at[node], 5.0, "node"))
        shapes.append(_name(node, centre, angles[node]))
    return drawing(_WIDTH, 2 * (_RADIUS + _TOP), shapes, title=title, description=description)


def _ordered(ties: Mapping[tuple[str, str], float]) -> list[str]:
    """The nodes in an order that keeps the strongest ties short: each after the one it is tied to most."""
    strength: dict[str, dict[str, float]] = {}
    for (a, b), tie in ties.items():
        strength.setdefault(a, {})[b] = tie
        strength.setdefault(b, {})[a] = tie
    left = list(strength)
    order = left[:1]
    while len(order) < len(left):
        outside = [node for node in left if node not in order]
        order.append(outside[first_largest([strength[order[-1]].get(node, 0.0) for node in outside])])
    return order


def _on_circle(centre: Point, radius: float, angle: float) -> Point:
    return centre[0] + radius * math.cos(angle), centre[1] + radius * math.sin(angle)


def _tie(a: Point, b: Point, centre: Point, title: str, share: float) -> str:
    """A line that bends a little towards the centre, so that it does not pass through other nodes."""
    bend = [(p + q) / 2 + 0.35 * (c - (p + q) / 2) for p, q, c in zip(a, b, centre, strict=True)]
    path = f"M{a[0]:.1f} {a[1]:.1f}Q{bend[0]:.1f} {bend[1]:.1f} {b[0]:.1f} {b[1]:.1f}"
    width, opacity = max(_THICKEST * share**0.5, 1.0), 0.45 + 0.5 * share
    style = f'stroke-width="{width:.1f}" stroke-opacity="{opacity:.2f}"'
    return f'<path d="{path}" class="tie" {style}><title>{escape(title)}</title></path>'


def _name(node: str, centre: Point, angle: float) -> str:
    x, y = _on_circle(centre, _RADIUS + 11.0, angle)
    across = math.cos(angle)
    anchor: Anchor = "middle" if abs(across) < 0.2 else "start" if across > 0 else "end"
    shown = node if len(node) <= _LONGEST else f"{node[: _LONGEST - 1]}…"
    return words((x, y + 4.0 + 5.0 * math.sin(angle)), shown, "", anchor)
