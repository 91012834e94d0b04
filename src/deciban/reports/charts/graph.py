"""Graphs in the colours of the page. A graph that is wider than the page scrolls."""

from __future__ import annotations

import re

from deciban.nets.graphs.drawing.look import Look
from deciban.nets.graphs.picture import GraphPicture
from deciban.reports.markup import figure, scroll

__all__ = ["draw_graph"]

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
