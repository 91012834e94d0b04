"""A layered layout: parents above children, neighbours near each other (after Sugiyama, Tagawa and Toda, 1981).

A node's layer is the longest path that leads to it, but a first cause stands just above its first effect. Edges that
pass a layer get a place in it, so that nodes keep out of their way; each layer is then sorted by the mean place of what
its nodes are joined to above and below, a few times.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

__all__ = ["Layout", "layered"]

Arrow = tuple[int, int]
Place = tuple[float, float]
Layout = tuple[dict[int, Place], dict[Arrow, list[Place]]]

_ROUNDS = 8
# An edge that passes a layer needs less room than a node.
_ROOM = 0.35


def layered(count: int, edges: Sequence[Arrow]) -> Layout:
    """Positions (column, layer) of nodes 0 … count − 1, and the positions that each edge passes between its ends.

    An edge counts as pointing down; one that would close a cycle is turned round for the layout only.
    """
    down = _acyclic(count, edges)
    layer = _layers(count, down)
    rows, chains = _with_passes(layer, down)
    _sort(rows, chains)
    column = _columns(count, rows, chains)
    positions = {node: (column[node], float(row)) for row, members in enumerate(rows) for node in members}
    routes = {}
    for edge in edges:
        chain = chains.get(edge) or chains[edge[::-1]][::-1]
        routes[edge] = [positions[node] for node in chain[1:-1]]
    return {node: positions[node] for node in range(count)}, routes


def _acyclic(count: int, edges: Sequence[Arrow]) -> list[Arrow]:
    """The edges, each from the earlier to the later node of an order that agrees with most of them."""
    parents: list[set[int]] = [set() for _ in range(count)]
    for a, b in edges:
        parents[b].add(a)
    rank: dict[int, int] = {}
    while len(rank) < count:
        left = [node for node in range(count) if node not in rank]
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
    for turn in range(_ROUNDS):
        near, sweep = (above, rows) if turn % 2 == 0 else (below, rows[::-1])
        for members in sweep:
            position = {node: spot - len(row) / 2 for row in rows for spot, node in enumerate(row)}
            members.sort(key=lambda node: _mean([position[other] for other in near.get(node, [node])]))


def _columns(count: int, rows: list[list[int]], chains: dict[Arrow, list[int]]) -> dict[int, float]:
    """A column for each node: near the mean of its neighbours, one unit from the next node in its row."""
    near: dict[int, list[int]] = {}
    for chain in chains.values():
        for a, b in pairwise(chain):
            near.setdefault(a, []).append(b)
            near.setdefault(b, []).append(a)
    column = {node: spot - (len(row) - 1) / 2 for row in rows for spot, node in enumerate(row)}
    for turn in range(_ROUNDS):
        for row in rows if turn % 2 == 0 else rows[::-1]:
            wanted = [_mean([column[other] for other in near.get(node, [node])]) for node in row]
            gaps = [1.0 if max(pair) < count else _ROOM if min(pair) >= count else 0.7 for pair in pairwise(row)]
            column.update(zip(row, _spread(wanted, gaps), strict=True))
    least = min(column.values(), default=0.0)
    return {node: at - least for node, at in column.items()}


def _spread(wanted: Sequence[float], gaps: Sequence[float]) -> list[float]:
    """Positions at least these distances apart, in this order, with the same mean as wanted."""
    positions = list(wanted[:1])
    for at, gap in zip(wanted[1:], gaps, strict=True):
        positions.append(max(at, positions[-1] + gap))
    shift = _mean(wanted) - _mean(positions)
    return [at + shift for at in positions]


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
