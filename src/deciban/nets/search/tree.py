"""The best tree: a maximum spanning tree of the mutual informations (Chow and Liu, 1968).

Among trees the likelihood is largest for the one with the largest sum of mutual informations over its edges. Here a
score is used instead of the likelihood; of equal edges the first in the order of the variables is taken (Kruskal,
1956), and the first variable is the root.
"""

from __future__ import annotations

from itertools import combinations

from deciban.nets.graphs.bits import bits
from deciban.nets.scores.protocol import LocalScores
from deciban.nets.search.climbing import scale_of
from deciban.nets.search.result import Move, Report
from deciban.ties import largest_first

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
    for gain, (a, b) in largest_first(zip(gains, pairs, strict=True), lambda edge: edge[0], scale_of(scores)):
        if part[a] == part[b]:
            continue
        part = [part[a] if p == part[b] else p for p in part]
        beside[a] |= 1 << b
        beside[b] |= 1 << a
        moves.append(Move("add", names[a], names[b], gain))
        report(moves[-1])
    return _rooted(beside), moves


def _rooted(beside: list[int]) -> list[int]:
    """The parents if the first variable is the root."""
    parents = [0] * len(beside)
    walk, visited = [0], 1
    for node in walk:
        for child in bits(beside[node] & ~visited):
            parents[child] = 1 << node
            walk.append(child)
        visited |= beside[node]
    return parents
