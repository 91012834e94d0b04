"""What the marks of a PAG say, and why they are there, in words."""

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
    """The edge between x and y, what each of its ends says of causes, and where that comes from."""
    a, kind, b = next(edge for edge in graph.edges if {edge[0], edge[2]} == {x, y})
    parts = [f"It is {a} {kind} {b}: {_meaning(graph, a, kind, b)}."]
    for end, other in ((b, a), (a, b)):
        if graph.mark(other, end) != "circle" and (other, end) in reasons:
            parts.append(_why(graph.mark(other, end), reasons[other, end], colliders, other, end))
    return " ".join(parts)


def _meaning(graph: PAG, a: Node, kind: str, b: Node) -> str:
    if kind == "→":
        hidden = "no hidden cause makes both" if graph.is_visible(a, b) else "a hidden cause of both may add to it"
        return f"no arrowhead at {a}, so {a} is a cause of {b}, itself or by way of others; {hidden}"
    if kind == "o→":
        return f"{b} is no cause of {a}; {a} may be a cause of {b}, or may share a hidden cause with it, or both"
    if kind == "↔":
        return "neither is a cause of the other, so they share a hidden cause"
    return f"{a} may be a cause of {b}, or {b} of {a}, or they may share a hidden cause; nothing tells which"


def _why(mark: str | None, reason: str, colliders: Iterable[Any], other: Node, end: Node) -> str:
    what = f"The {'arrowhead' if mark == 'arrow' else 'tail'} at {end}"
    if reason == "knowledge":
        return f"{what} comes from the knowledge."
    own = next((one for one in colliders if one.z == end and other in (one.x, one.y)), None)
    if reason == "R0" and own is not None:
        p = f" (largest p {own.p_without:.2g} without it, {own.p_with:.2g} with it)"
        known = own.p_without == 1 and own.p_with == 0
        return f"{what}: {own.x} and {own.y} meet there, as they are separated without {end}{'' if known else p}."
    return f"{what} follows from other marks (rule {reason[1:]}): {RULES.get(reason, reason)}."
