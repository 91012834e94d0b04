"""Beliefs over the graph: a box for each node, a bar for each of its states, causes above effects.

Where something is known, a filled bar is what is believed now and a hollow one behind it what was believed before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from deciban.nets.graphs.base import Node
from deciban.nets.graphs.drawing.layout import layered
from deciban.nets.graphs.drawing.scene import Arrow, Box, Scene, Words
from deciban.nets.graphs.graph import DAG
from deciban.nets.inference.distribution import Distribution

__all__ = ["Drawn", "draw", "shown_states"]

_LETTER, _BAR, _NUMBER, _ROW, _TITLE, _PAD, _GAP, _STEP = 6.2, 72, 38, 15, 20, 8, 26, 36
_STATES = 6
_LONGEST = 18
_NOW, _SEEN, _BEFORE = "#2b7bba", "#d98c00", "#8a8a8a"
_PLAIN, _LIT, _HEARD = ("#fff", "#999"), ("#fff3d6", "#d98c00"), ("#fffaf0", "#d98c00")

Place = tuple[float, float]


@dataclass(frozen=True)
class Drawn:
    """What is drawn: some nodes of a graph, what is believed of them, and what was; observed and heard-of nodes."""

    dag: DAG
    nodes: tuple[Node, ...]
    now: Mapping[Node, Distribution] = field(default_factory=dict)
    before: Mapping[Node, Distribution] = field(default_factory=dict)
    observed: frozenset[Node] = frozenset()
    heard: frozenset[Node] = frozenset()
    note: str = ""


def draw(drawn: Drawn) -> Scene:
    """The boxes in layers, arrows between them, and a note below."""
    place = {node: number for number, node in enumerate(drawn.nodes)}
    edges = [(place[a], place[b]) for a, b in drawn.dag.directed_edges if a in place and b in place]
    places, routes = layered(len(place), edges)
    width, heights = _width(drawn), [_height(drawn, node) for node in drawn.nodes]
    tops, bottoms = _layers(places, heights)
    middle = {number: at[0] * (width + _GAP) + width / 2 + _PAD for number, at in places.items()}
    top = {number: tops[int(at[1])] for number, at in places.items()}
    shapes: list[Box | Words | Arrow] = []
    for a, b in edges:
        through = [
            (at[0] * (width + _GAP) + width / 2 + _PAD, y)
            for at in routes[a, b]
            for y in (tops[int(at[1])], bottoms[int(at[1])])
        ]
        leave = bottoms[int(places[a][1])]
        shapes.append(_arrow((middle[a], top[a] + heights[a]), leave, through, (middle[b], top[b]), width))
    for number, node in enumerate(drawn.nodes):
        shapes += _box(drawn, node, middle[number] - width / 2, top[number], width, heights[number])
    turns = [x for shape in shapes if isinstance(shape, Arrow) for x, _ in shape.points]
    right = max([*middle.values(), *turns], default=0.0)
    bottom = max(bottoms, default=0.0) + _PAD
    if drawn.note:
        shapes.append(Words(_PAD, bottom + _ROW, drawn.note))
    wide = max(right + width / 2 + _PAD, len(drawn.note) * _LETTER)
    return Scene(wide, bottom + (_ROW + _PAD if drawn.note else 0), tuple(shapes))


def shown_states(beliefs: Distribution, most: int) -> list[int]:
    """The places of the states that are shown: all, or the most probable, in their order.

    >>> shown_states(Distribution("n", "abcd", [0.1, 0.5, 0.1, 0.3]), 2)
    [1, 3]
    """
    return sorted(np.argsort(-beliefs.as_array(), kind="stable")[:most].tolist())


def _layers(places: Mapping[int, Place], heights: Sequence[float]) -> tuple[list[float], list[float]]:
    """Where each layer begins and ends."""
    count = int(max((at[1] for at in places.values()), default=-1)) + 1
    tops, bottoms, y = [], [], float(_PAD)
    for layer in range(count):
        tops.append(y)
        y += max((heights[number] for number, at in places.items() if int(at[1]) == layer), default=0.0)
        bottoms.append(y)
        y += _STEP
    return tops, bottoms


def _width(drawn: Drawn) -> float:
    titles = [_wide(_cut(node)) * 1.15 for node in drawn.nodes]
    rows = [
        _wide(_cut(held.states[place])) + _BAR + _NUMBER + _PAD
        for held in (drawn.now[node] for node in drawn.nodes if node in drawn.now)
        for place in shown_states(held, _STATES)
    ]
    return max([60.0, *titles, *rows]) + 2 * _PAD


def _height(drawn: Drawn, node: Node) -> float:
    if node not in drawn.now:
        return float(_TITLE + 4)
    states = len(drawn.now[node])
    return float(_TITLE + _ROW * (min(states, _STATES) + (states > _STATES)) + 6)


def _box(drawn: Drawn, node: Node, x: float, y: float, width: float, height: float) -> list[Box | Words | Arrow]:
    is_seen = node in drawn.observed
    fill, stroke = _LIT if is_seen else _HEARD if node in drawn.heard else _PLAIN
    shapes: list[Box | Words | Arrow] = [
        Box(x, y, width, height, fill, stroke, 4),
        Words(x + width / 2, y + 14, _cut(node), "middle", 12, is_bold=is_seen),
    ]
    held = drawn.now.get(node)
    if held is None:
        return shapes
    shown = shown_states(held, _STATES)
    left = x + width - _PAD - _NUMBER - _BAR
    for row, place in enumerate(shown):
        top, now = y + _TITLE + row * _ROW, float(held.as_array()[place])
        shapes.append(Words(x + _PAD, top + 10.5, _cut(held.states[place])))
        if node in drawn.before:
            before = float(drawn.before[node].as_array()[place])
            shapes.append(Box(left, top + 1.5, _BAR * before, 11, stroke=_BEFORE))
        shapes.append(Box(left, top + 3.5, _BAR * now, 7, _SEEN if is_seen else _NOW))
        shapes.append(Words(x + width - _PAD, top + 10.5, f"{now:.3f}", "end"))
    if len(shown) < len(held):
        shapes.append(Words(x + _PAD, y + _TITLE + len(shown) * _ROW + 10.5, f"… {len(held) - len(shown)} more"))
    return shapes


def _arrow(start: Place, leave: float, through: Sequence[Place], end: Place, width: float) -> Arrow:
    """From the lower edge of a box, down to where its layer ends, to the upper edge of another.

    It leaves and arrives on the side of the way between, and crosses no taller box of the layer that it leaves.
    """
    towards, back = (through[0] if through else end), (through[-1] if through else start)
    reach = width / 3
    first = start[0] + min(max((towards[0] - start[0]) / 4, -reach), reach)
    last = end[0] + min(max((back[0] - end[0]) / 4, -reach), reach)
    down = [(first, leave)] if leave > start[1] else []
    return Arrow(((first, start[1]), *down, *through, (last, end[1])))


def _wide(text: str) -> float:
    """About how wide a text is, in the units of the picture."""
    return sum(_LETTER + 1.6 * letter.isupper() for letter in text)


def _cut(name: object) -> str:
    text = str(name)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
