"""Explain the marks of a PAG in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from deciban.choices import counted
from deciban.nets.graphs.base import Edge, Graph, Node
from deciban.nets.graphs.pag import PAG
from deciban.nets.graphs.zhang_rules import RULES

__all__ = ["count_edges", "what_marks_say"]


def count_edges(graph: Graph) -> str:
    """How many edges of each kind there are."""
    if not isinstance(graph, PAG):
        undirected = counted(len(graph.undirected_edges), "undirected edge")
        return f"{counted(len(graph.directed_edges), 'arrow')}, {undirected}"
    halves, doubles = len(graph.half_directed_edges), len(graph.bidirected_edges)
    return f"{len(graph.directed_edges)} →, {halves} o→, {doubles} ↔, {len(graph.open_edges)} o—o"


def what_marks_say(graph: PAG, reasons: Mapping[Edge, str], colliders: Iterable[Any], x: Node, y: Node) -> str:
    """The edge between x and y, the meaning of its marks, and the reason of each."""
    a, kind, b = next(edge for edge in graph.edges if {edge[0], edge[2]} == {x, y})
    parts = [f"It is {a} {kind} {b}: {_meaning(graph, a, kind, b)}."]
    for end, other in ((b, a), (a, b)):
        if graph.mark(other, end) != "circle" and (other, end) in reasons:
            parts.append(_why(graph.mark(other, end), reasons[other, end], colliders, other, end))
    return " ".join(parts)


def _meaning(graph: PAG, a: Node, kind: str, b: Node) -> str:
    if kind == "→":
        hidden = "without a hidden common cause" if graph.is_visible(a, b) else "a hidden common cause is possible"
        return f"no arrowhead at {a}, so {a} is a direct or indirect cause of {b}; {hidden}"
    if kind == "o→":
        return f"{b} is not a cause of {a}; {a} is a cause of {b}, or they have a hidden common cause, or both"
    if kind == "↔":
        return "neither is a cause of the other, so they have a hidden common cause"
    return f"{a} may be a cause of {b}, or {b} of {a}, or they may have a hidden common cause; which is not determined"


def _why(mark: str | None, reason: str, colliders: Iterable[Any], other: Node, end: Node) -> str:
    what = f"The {'arrowhead' if mark == 'arrow' else 'tail'} at {end}"
    if reason == "knowledge":
        return f"{what} comes from background knowledge."
    own = next((one for one in colliders if one.z == end and other in (one.x, one.y)), None)
    if reason == "R0" and own is not None:
        p = f" (largest p {own.p_without:.2g} without it, {own.p_with:.2g} with it)"
        known = own.p_without == 1 and own.p_with == 0
        apart = f"separated without {end}{'' if known else p}"
        return f"{what}: {end} is a collider between {own.x} and {own.y}, which are {apart}."
    return f"{what} follows from other marks (rule {reason[1:]}): {RULES.get(reason, reason)}."
