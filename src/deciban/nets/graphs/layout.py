"""A layered layout: parents above children, neighbours near each other (after Sugiyama, Tagawa and Toda, 1981).

A node's layer is the longest path that leads to it, but a first cause stands just above its first effect, and of a
layer that is too wide some nodes without children are moved down. Edges that pass a layer get a position in it, so that
nodes keep out of their way. Each layer is then sorted by the mean position of the neighbours of its nodes above and
below, a few times, and the columns are the nearest to these means that leave room for every node.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from math import inf

__all__ = ["MARGIN", "BoxLayout", "Layout", "boxes", "layered"]


Arrow = tuple[int, int]
Position = tuple[float, float]
Layout = tuple[dict[int, Position], dict[Arrow, list[Position]]]

_ROUNDS = 8
# An edge that passes a layer needs less room than a node.
_ROOM = 0.35

MARGIN = 8
"""The space around a picture of boxes."""

_GAP, _STEP = 26, 36
_PASS, _WIDEST = 50, 1400


@dataclass(frozen=True)
class BoxLayout:
    """Boxes of one width in layers: their upper left corners, the points of each edge, and the size of all."""

    corners: tuple[Position, ...]
    edges: tuple[tuple[Position, ...], ...]
    width: float
    height: float


def boxes(edges: Sequence[Arrow], width: float, heights: Sequence[float]) -> BoxLayout:
    """Boxes of a width and of these heights, parents above children.

    >>> boxes([(0, 1)], 40, [20, 20]).corners
    ((8.0, 8.0), (8.0, 64.0))
    """
    points, routes = layered(len(heights), edges, widths=[width + _GAP] * len(heights), room=_PASS, widest=_WIDEST)
    left = MARGIN - _GAP / 2
    tops, bottoms = _bands(points, heights)
    middle = {number: at[0] + left for number, at in points.items()}
    top = {number: tops[int(at[1])] for number, at in points.items()}
    lines = []
    for a, b in edges:
        through = [(at[0] + left, y) for at in routes[a, b] for y in (tops[int(at[1])], bottoms[int(at[1])])]
        leave = bottoms[int(points[a][1])]
        lines.append(_line((middle[a], top[a] + heights[a]), leave, through, (middle[b], top[b]), width))
    right = max([*middle.values(), *(x for line in lines for x, _ in line)], default=0.0)
    corners = tuple((middle[number] - width / 2, top[number]) for number in range(len(heights)))
    return BoxLayout(corners, tuple(lines), right + width / 2 + MARGIN, max(bottoms, default=0.0) + MARGIN)


def layered(
    count: int,
    edges: Sequence[Arrow],
    *,
    widths: Sequence[float] | None = None,
    room: float = _ROOM,
    widest: float = inf,
) -> Layout:
    """Positions (column, layer) of nodes 0 … count − 1, and the positions that each edge passes between its ends.

    A column is the distance of a node's centre from the left edge of the picture. An edge counts as pointing down; one
    that would close a cycle is reversed, for the layout only. `widths` are those of the nodes with the space beside
    them, 1 each where not given; `room` is the width of an edge that passes a layer. Nodes without children are moved
    to lower layers until the nodes of a layer are at most `widest`.
    """
    down = _acyclic(count, edges)
    sizes = [1.0] * count if widths is None else list(widths)
    layer = _narrowed(_layers(count, down), down, sizes, widest)
    rows, chains = _with_passes(layer, down)
    _sort(rows, chains)
    column = _columns(rows, chains, sizes, room)
    positions = {node: (column[node], float(row)) for row, members in enumerate(rows) for node in members}
    routes = {}
    for edge in edges:
        chain = chains.get(edge) or chains[edge[::-1]][::-1]
        routes[edge] = [positions[node] for node in chain[1:-1]]
    return {node: positions[node] for node in range(count)}, routes


def _bands(points: Mapping[int, Position], heights: Sequence[float]) -> tuple[list[float], list[float]]:
    """The top and the bottom of each layer."""
    count = int(max((at[1] for at in points.values()), default=-1)) + 1
    tops, bottoms, y = [], [], float(MARGIN)
    for layer in range(count):
        tops.append(y)
        y += max((heights[number] for number, at in points.items() if int(at[1]) == layer), default=0.0)
        bottoms.append(y)
        y += _STEP
    return tops, bottoms


def _line(
    start: Position, leave: float, through: Sequence[Position], end: Position, width: float
) -> tuple[Position, ...]:
    """From the lower edge of a box, down to the end of its layer, to the upper edge of another box.

    It leaves and arrives on the side that faces the other box, and crosses no taller box of its first layer.
    """
    towards, back = (through[0] if through else end), (through[-1] if through else start)
    reach = width / 3
    first = start[0] + min(max((towards[0] - start[0]) / 4, -reach), reach)
    last = end[0] + min(max((back[0] - end[0]) / 4, -reach), reach)
    down = [(first, leave)] if leave > start[1] else []
    return ((first, start[1]), *down, *through, (last, end[1]))


def _acyclic(count: int, edges: Sequence[Arrow]) -> list[Arrow]:
    """The edges, each from the earlier to the later node of an order that agrees with most of them."""
    parents: list[set[int]] = [set() for _ in range(count)]
    for a, b in edges:
        parents[b].add(a)
    rank: dict[int, int] = {}
    while len(rank) < count:
        left = [node for node in range(count) if node not in rank]
        # On a cycle no node is free: the first is taken, and the edges into it are the ones reversed.
        free = [node for node in left if parents[node] <= rank.keys()] or left[:1]
        for node in free:
            rank[node] = len(rank)
    return [(a, b) if rank[a] < rank[b] else (b, a) for a, b in edges]


def _layers(count: int, edges: Sequence[Arrow]) -> list[int]:
    layer, changed = [0] * count, True
    while changed:
        changed = False
        for a, b in edges:
            if layer[b] <= layer[a]:
                layer[b], changed = layer[a] + 1, True
    for cause in {a for a, _ in edges} - {b for _, b in edges}:
        layer[cause] = min(layer[b] for a, b in edges if a == cause) - 1
    return layer


def _narrowed(layer: list[int], edges: Sequence[Arrow], widths: Sequence[float], widest: float) -> list[int]:
    """The layers, with nodes without children moved down from layers that are too wide."""
    parents = {a for a, _ in edges}
    row = 0
    while row <= max(layer, default=-1):
        members = [node for node, depth in enumerate(layer) if depth == row]
        total = sum(widths[node] for node in members)
        # From the right, and never the first: a layer keeps one node however wide it is.
        for node in members[:0:-1]:
            if total > widest and node not in parents:
                layer[node], total = row + 1, total - widths[node]
        row += 1
    return layer


def _with_passes(layer: Sequence[int], edges: Sequence[Arrow]) -> tuple[list[list[int]], dict[Arrow, list[int]]]:
    """Each layer's members, with a dummy node for every edge that passes it; and each edge as the chain of these."""
    rows: list[list[int]] = [[] for _ in range(max(layer, default=-1) + 1)]
    for node, row in enumerate(layer):
        rows[row].append(node)
    chains, fresh = {}, len(layer)
    for a, b in edges:
        passes = range(layer[a] + 1, layer[b])
        for offset, row in enumerate(passes):
            rows[row].append(fresh + offset)
        chains[a, b] = [a, *range(fresh, fresh + len(passes)), b]
        fresh += len(passes)
    return rows, chains


def _sort(rows: list[list[int]], chains: dict[Arrow, list[int]]) -> None:
    links = [link for chain in chains.values() for link in pairwise(chain)]
    above: dict[int, list[int]] = {}
    below: dict[int, list[int]] = {}
    for a, b in links:
        above.setdefault(b, []).append(a)
        below.setdefault(a, []).append(b)
    position = {node: spot - len(row) / 2 for row in rows for spot, node in enumerate(row)}
    for turn in range(_ROUNDS):
        # Down by the neighbours above, then up by those below: the barycentre heuristic of Sugiyama, Tagawa and Toda.
        near, sweep = (above, rows) if turn % 2 == 0 else (below, rows[::-1])
        for members in sweep:
            members.sort(key=lambda node: _mean([position[other] for other in near.get(node, [node])]))
            position.update({node: spot - len(members) / 2 for spot, node in enumerate(members)})


def _columns(
    rows: list[list[int]], chains: dict[Arrow, list[int]], widths: Sequence[float], room: float
) -> dict[int, float]:
    """A column for each node: near the mean of its neighbours, and far enough from the next node in its row."""
    near: dict[int, list[int]] = {}
    for chain in chains.values():
        for a, b in pairwise(chain):
            near.setdefault(a, []).append(b)
            near.setdefault(b, []).append(a)

    def width(node: int) -> float:
        return widths[node] if node < len(widths) else room

    gaps = [[(width(a) + width(b)) / 2 for a, b in pairwise(row)] for row in rows]
    column = {}
    for row, apart in zip(rows, gaps, strict=True):
        at = list(accumulate(apart, initial=0.0))
        column.update({node: x - at[-1] / 2 for node, x in zip(row, at, strict=False)})
    for turn in range(_ROUNDS):
        order = range(len(rows)) if turn % 2 == 0 else range(len(rows) - 1, -1, -1)
        for row, apart in ((rows[number], gaps[number]) for number in order):
            wanted = [_mean([column[other] for other in near.get(node, [node])]) for node in row]
            column.update(zip(row, _spread(wanted, apart), strict=True))
    least = min((x - width(node) / 2 for node, x in column.items()), default=0.0)
    return {node: x - least for node, x in column.items()}


def _spread(wanted: Sequence[float], gaps: Sequence[float]) -> list[float]:
    """The positions nearest to those wanted, by least squares, that are in this order and at least the gaps apart.

    Less the gaps, the positions need only be in order: isotonic regression, by pooling adjacent violators.
    """
    before = list(accumulate(gaps, initial=0.0))
    pools: list[tuple[float, int]] = []  # the sum and the number of positions that are equal, less the gaps
    for at, shift in zip(wanted, before, strict=True):
        total, size = at - shift, 1
        while pools and pools[-1][0] / pools[-1][1] > total / size:
            more, others = pools.pop()
            total, size = total + more, size + others
        pools.append((total, size))
    pooled = [total / size for total, size in pools for _ in range(size)]
    return [at + shift for at, shift in zip(pooled, before, strict=True)]


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
