"""What a live picture of a net shows, and where: boxes with a row for each state, and edges, as plain JSON.

Nodes and states are named by their indices, so that a name can be anything. Of a net with many nodes a part is drawn:
the nodes around one of them.
"""

from __future__ import annotations

from typing import Any

from deciban.nets import BayesNet
from deciban.nets.graphs.bits import bits
from deciban.nets.graphs.drawing import central_nodes
from deciban.nets.graphs.layout import boxes
from deciban.nets.graphs.scene import text_width

__all__ = ["net_scene"]

_MOST, _AROUND = 250, 40
"""A net with more nodes is drawn in part, so many of them."""

_ROWS, _LONGEST = 12, 24
"""The most states in a box, and the most letters of a name."""

# As in assets/live.js: the height of a row, a title and a curve, and the widths of a bar, its number and the margins.
_ROW, _TITLE, _CURVE, _FIXED, _PAD = 17, 24, 46, 64 + 40, 9
_LETTER = 6.9


def net_scene(net: BayesNet, centre: int | None = None) -> dict[str, Any]:
    """The nodes, with their boxes, and the edges; of a large net those around the node with the index `centre`."""
    names = [str(node) for node in net.nodes]
    chosen, note = list(range(len(names))), ""
    if len(names) > _MOST:
        chosen = _around(net, centre)
        note = (
            f"{len(chosen)} of {len(names):,} nodes: {names[chosen[0]]} and the nearest. Find another node by its name."
        )
        chosen.sort()
    states = [[str(state) for state in net.states[node]] if node in net.states else None for node in net.nodes]
    shown = {index: _shown(states[index]) for index in chosen}
    width = max((_width(names[index], states[index], shown[index]) for index in chosen), default=60.0)
    heights = [_height(states[index], shown[index]) for index in chosen]
    at = {index: number for number, index in enumerate(chosen)}
    pairs = [(net.dag.index(a), net.dag.index(b)) for a, b in net.dag.directed_edges]
    drawn = [(edge, a, b) for edge, (a, b) in enumerate(pairs) if a in at and b in at]
    laid = boxes([(at[a], at[b]) for _, a, b in drawn], width, heights)
    nodes = [
        {
            "index": index,
            "name": names[index],
            "states": states[index],
            "shown": shown[index],
            "x": round(x, 1),
            "y": round(y, 1),
            "width": round(width, 1),
            "height": height,
            "letters": _LONGEST,
            "stateLetters": max(int((width - _FIXED - 3 * _PAD) / _LETTER), 4),
        }
        for index, height, (x, y) in zip(chosen, heights, laid.corners, strict=True)
    ]
    edges = [
        {"index": edge, "from": a, "to": b, "points": [[round(x, 1), round(y, 1)] for x, y in points]}
        for (edge, a, b), points in zip(drawn, laid.edges, strict=True)
    ]
    return {
        "names": names,
        "nodes": nodes,
        "edges": edges,
        "width": round(laid.width, 1),
        "height": round(laid.height, 1),
        "note": note,
    }


def _around(net: BayesNet, centre: int | None) -> list[int]:
    """A node and those nearest to it, breadth first; the node with the most neighbours where none is asked for."""
    adjacent = net.dag._adjacent_masks
    if centre is None:
        return central_nodes(adjacent, _AROUND)
    found, place = [centre], 0
    while place < len(found) < _AROUND:
        found += [node for node in bits(adjacent[found[place]]) if node not in found][: _AROUND - len(found)]
        place += 1
    return found


def _shown(states: list[str] | None) -> list[int]:
    return list(range(min(len(states), _ROWS))) if states else []


def _width(name: str, states: list[str] | None, shown: list[int]) -> float:
    title = text_width(name[:_LONGEST], 13.5) + 2 * _PAD
    if states is None:
        return max(title, 150.0)
    widest = max((text_width(states[state][:_LONGEST], 12.5) for state in shown), default=0.0)
    return float(max(title, min(widest, 120.0) + _FIXED + 3 * _PAD))


def _height(states: list[str] | None, shown: list[int]) -> float:
    if states is None:
        return float(_TITLE + _CURVE + 24)
    return float(_TITLE + _ROW * (len(shown) + (len(shown) < len(states))) + 7)
