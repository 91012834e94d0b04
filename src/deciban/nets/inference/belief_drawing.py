"""A picture of marginals on the graph: a box for each node, a bar for each of its states, parents above children.

Given evidence, a filled bar is P(state | evidence) and the hollow bar behind it P(state).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from deciban.choices import counted
from deciban.nets.graphs.base import Node
from deciban.nets.graphs.drawing.layout import layered
from deciban.nets.graphs.drawing.look import cut, text_width
from deciban.nets.graphs.drawing.scene import Arrow, Box, Scene, Words
from deciban.nets.graphs.graph import DAG
from deciban.nets.inference.distribution import Distribution
from deciban.ties import settled

__all__ = ["BeliefPicture", "draw", "shown_states"]

_BAR, _NUMBER, _ROW, _TITLE, _PAD, _GAP, _STEP = 72, 38, 15, 20, 8, 26, 36
_LEFT, _PASS, _WIDEST = _PAD - _GAP / 2, 50, 1400
_STATES = 6
_PLAIN, _HIGHLIGHT, _UNCERTAIN = ("paper", "frame"), ("highlight", "observed"), ("uncertain", "observed")

Point = tuple[float, float]
Shape = Box | Words | Arrow


@dataclass(frozen=True)
class BeliefPicture:
    """Some nodes of a graph, their probabilities now and before; observed nodes, and those with uncertain evidence."""

    dag: DAG
    nodes: tuple[Node, ...]
    now: Mapping[Node, Distribution] = field(default_factory=dict)
    before: Mapping[Node, Distribution] = field(default_factory=dict)
    observed: frozenset[Node] = frozenset()
    uncertain: frozenset[Node] = frozenset()
    note: str = ""


def draw(picture: BeliefPicture) -> Scene:
    """The boxes in layers, arrows between them, and a note below."""
    index = {node: number for number, node in enumerate(picture.nodes)}
    edges = [(index[a], index[b]) for a, b in picture.dag.directed_edges if a in index and b in index]
    width, heights = _width(picture), [_height(picture, node) for node in picture.nodes]
    apart = [width + _GAP] * len(index)
    points, routes = layered(len(index), edges, widths=apart, room=_PASS, widest=_WIDEST)
    tops, bottoms = _layers(points, heights)
    middle = {number: at[0] + _LEFT for number, at in points.items()}
    top = {number: tops[int(at[1])] for number, at in points.items()}
    shapes: list[Shape] = []
    for a, b in edges:
        through = [(at[0] + _LEFT, y) for at in routes[a, b] for y in (tops[int(at[1])], bottoms[int(at[1])])]
        leave = bottoms[int(points[a][1])]
        shapes.append(_arrow((middle[a], top[a] + heights[a]), leave, through, (middle[b], top[b]), width))
    for number, node in enumerate(picture.nodes):
        shapes += _box(picture, node, middle[number] - width / 2, top[number], width, heights[number])
    bends = [x for shape in shapes if isinstance(shape, Arrow) for x, _ in shape.points]
    right = max([*middle.values(), *bends], default=0.0)
    bottom = max(bottoms, default=0.0) + _PAD
    if picture.note:
        shapes.append(Words(_PAD, bottom + _ROW, picture.note))
    wide = max(right + width / 2 + _PAD, text_width(picture.note))
    return Scene(wide, bottom + (_ROW + _PAD if picture.note else 0), tuple(shapes), _title(picture))


def _title(picture: BeliefPicture) -> str:
    nodes = counted(len(picture.nodes), "node")
    if not picture.now:
        return f"Graph of a Bayes net with {nodes}"
    given = ", ".join(f"{node}={picture.now[node].most_likely()}" for node in picture.nodes if node in picture.observed)
    return f"Probabilities of {nodes} of a Bayes net{f' given {given}' if given else ''}"


def shown_states(beliefs: Distribution, most: int) -> list[int]:
    """The indices of the states that are shown: all, or the most probable, in their order.

    >>> shown_states(Distribution("n", "abcd", [0.1, 0.5, 0.1, 0.3]), 2)
    [1, 3]
    """
    return sorted(np.argsort(-settled(beliefs.as_array()), kind="stable")[:most].tolist())


def _layers(points: Mapping[int, Point], heights: Sequence[float]) -> tuple[list[float], list[float]]:
    """The top and the bottom of each layer."""
    count = int(max((at[1] for at in points.values()), default=-1)) + 1
    tops, bottoms, y = [], [], float(_PAD)
    for layer in range(count):
        tops.append(y)
        y += max((heights[number] for number, at in points.items() if int(at[1]) == layer), default=0.0)
        bottoms.append(y)
        y += _STEP
    return tops, bottoms


def _width(picture: BeliefPicture) -> float:
    titles = [text_width(cut(node), 12.5) for node in picture.nodes]
    rows = [
        text_width(cut(now.states[index])) + _BAR + _NUMBER + _PAD
        for now in (picture.now[node] for node in picture.nodes if node in picture.now)
        for index in shown_states(now, _STATES)
    ]
    return max([60.0, *titles, *rows]) + 2 * _PAD


def _height(picture: BeliefPicture, node: Node) -> float:
    if node not in picture.now:
        return float(_TITLE + 4)
    states = len(picture.now[node])
    return float(_TITLE + _ROW * (min(states, _STATES) + (states > _STATES)) + 6)


def _box(
    picture: BeliefPicture, node: Node, x: float, y: float, width: float, height: float
) -> list[Box | Words | Arrow]:
    is_observed = node in picture.observed
    fill, stroke = _HIGHLIGHT if is_observed else _UNCERTAIN if node in picture.uncertain else _PLAIN
    shapes: list[Shape] = [
        Box(x, y, width, height, fill, stroke, 4),
        Words(x + width / 2, y + 14, cut(node), "middle", 12, is_bold=is_observed),
    ]
    now = picture.now.get(node)
    if now is None:
        return shapes
    shown = shown_states(now, _STATES)
    left = x + width - _PAD - _NUMBER - _BAR
    for row, index in enumerate(shown):
        top, p = y + _TITLE + row * _ROW, float(now.as_array()[index])
        shapes.append(Words(x + _PAD, top + 10.5, cut(now.states[index])))
        if node in picture.before:
            before = float(picture.before[node].as_array()[index])
            shapes.append(Box(left, top + 1.5, _BAR * before, 11, stroke="before"))
        shapes.append(Box(left, top + 3.5, _BAR * p, 7, "observed" if is_observed else "now"))
        shapes.append(Words(x + width - _PAD, top + 10.5, f"{p:.3f}", "end"))
    if len(shown) < len(now):
        shapes.append(Words(x + _PAD, y + _TITLE + len(shown) * _ROW + 10.5, f"… {len(now) - len(shown)} more"))
    return shapes


def _arrow(start: Point, leave: float, through: Sequence[Point], end: Point, width: float) -> Arrow:
    """From the lower edge of a box, down to the end of its layer, to the upper edge of another box.

    It leaves and arrives on the side that faces the other box, and crosses no taller box of its first layer.
    """
    towards, back = (through[0] if through else end), (through[-1] if through else start)
    reach = width / 3
    first = start[0] + min(max((towards[0] - start[0]) / 4, -reach), reach)
    last = end[0] + min(max((back[0] - end[0]) / 4, -reach), reach)
    down = [(first, leave)] if leave > start[1] else []
    return Arrow(((first, start[1]), *down, *through, (last, end[1])))
