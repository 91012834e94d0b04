"""The tree that keeps most of what variables say of one another (Chow and Liu, 1968).

Among trees the likelihood is largest where the sum of the mutual informations of its edges is: a maximum spanning tree.
A score takes the place of the likelihood here; of equal edges the first in the order of names is taken (Kruskal, 1956),
and arrows lead away from the first variable.
"""

from __future__ import annotations

from itertools import combinations

from deciban.nets.graphs.bits import bits
from deciban.nets.scores.protocol import LocalScores
from deciban.nets.search.result import Move, Report

__all__ = ["chow_liu"]


def chow_liu(scores: LocalScores, report: Report) -> tuple[list[int], list[Move]]:
    """The parents in the tree, and its edges from the strongest to the weakest."""
    names = scores.names
    pairs = list(combinations(range(len(names)), 2))
    if not pairs:
        return [0] * len(names), []
    alone = scores.local([(b, 0) for _, b in pairs])
    gains = (scores.local([(b, 1 << a) for a, b in pairs]) - alone).tolist()
    part = list(range(len(names)))
    beside = [0] * len(names)
    moves = []
    for gain, (a, b) in sorted(zip(gains, pairs, strict=True), key=lambda edge: (-round(edge[0], 8), edge[1])):
        if part[a] == part[b]:
            continue
        part = [part[a] if p == part[b] else p for p in part]
        beside[a] |= 1 << b
        beside[b] |= 1 << a
        moves.append(Move("add", names[a], names[b], gain))
        report(moves[-1])
    return _rooted(beside), moves


def _rooted(beside: list[int]) -> list[int]:
    """The parents when arrows lead away from the first variable."""
    parents = [0] * len(beside)
    walk, seen = [0], 1
    for node in walk:
        for child in bits(beside[node] & ~seen):
            parents[child] = 1 << node
            walk.append(child)
        seen |= beside[node]
    return parents
