"""Bars inside the cells of a table: the number stands beside them, so they are hidden from screen readers."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from html import escape

from deciban.charts import Anchor, Point, circle, drawing, words
from deciban.nets.graphs.picture import GraphPicture
from deciban.nets.graphs.scene import Look
from deciban.reports.markup import Html, figure, scroll, text
from deciban.ties import first_largest

__all__ = ["belief_bar", "draw_graph", "draw_ring", "heat", "share_bar", "signed_bar"]


_OPEN = '<svg class="cell-bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true" focusable="false">'


def share_bar(share: float, series: int = 0) -> str:
    """A bar from the left, for a number between 0 and 1."""
    return f'{_OPEN}<rect x="0" y="0" width="{_percent(share)}" height="10" class="bar series-{series}"/></svg>'


def signed_bar(weight: float, largest: float) -> str:
    """A bar from the middle: to the right for the class, to the left against it; `largest` fills its half."""
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
    held = svg.replace("<svg ", f'<svg class="graph" style="min-width:{width:.0f}px" ', 1)
    return figure(scroll(held, label), caption)


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
