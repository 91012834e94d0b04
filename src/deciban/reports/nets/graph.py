"""The section with the graph: the picture, and the edges as text."""

from __future__ import annotations

import re

from deciban.choices import counted
from deciban.nets.graphs.base import Graph
from deciban.nets.graphs.drawing.look import Look
from deciban.nets.graphs.picture import GraphPicture
from deciban.reports.markup import details, note, scroll, text
from deciban.reports.page import Section

__all__ = ["graph_section"]

_COLOURS = {"line": "var(--soft)", "paper": "var(--raised)", "text": "var(--ink)"}
_SHRINK = 0.72
"""How much smaller than drawn a picture may be shown before it scrolls."""

_MOST_EDGES = 300


def graph_section(graph: Graph, drawn: GraphPicture, *, lead: str, caption: str = "") -> Section:
    """The picture of a graph in the colours of the page; a sentence says which part of a large graph it is."""
    svg = drawn.to_svg(Look("net", _COLOURS))
    wide = float(next(iter(re.findall(r'width="(\d+)"', svg)), 0))
    svg = svg.replace("<svg ", f'<svg class="net" style="min-width:{min(wide, wide * _SHRINK):.0f}px" ', 1)
    below = f"<figcaption>{text(caption, 400)}</figcaption>" if caption else ""
    figure = f"<figure>{scroll(svg, 'The graph')}{below}</figure>"
    part = ""
    if drawn.centre is not None:
        shown, all_ = f"{len(drawn.nodes):,}", counted(len(graph.nodes), "node")
        part = note(
            f"The picture shows {shown} of {all_}: {text(drawn.centre)}, which has the most neighbours, and the nodes "
            "nearest to it."
        )
    return Section("Graph", part + figure + _edges_in_words(graph), lead=lead, key="graph")


def _edges_in_words(graph: Graph) -> str:
    """The parents of each node, for readers who do not see the picture."""
    edges = _edges(graph)
    shown = "".join(f"<li>{edge}</li>" for edge in edges[:_MOST_EDGES])
    more = f"<p>and {len(edges) - _MOST_EDGES:,} more edges.</p>" if len(edges) > _MOST_EDGES else ""
    return (
        details(f"The {counted(len(edges), 'edge')} as text", f'<ul class="columns">{shown}</ul>{more}')
        if edges
        else ""
    )


def _edges(graph: Graph) -> list[str]:
    return [f"{text(a)} {kind} {text(b)}" for a, kind, b in graph.edges]
