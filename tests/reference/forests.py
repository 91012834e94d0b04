"""The readable twin of the forest of counts: where rows end, and what counts say without the counts of a row itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from deciban.models.families.trees import Rows, Trees
from deciban.types import AnyArray, Floats

__all__ = ["end_counts", "left_out_evidence", "path", "probabilities"]

_MISSING, _OTHER, _ENDED = 0xFFFF, 0xFFFE, 0xFFFD
_MASK = (1 << 64) - 1


def path(trees: Trees, tree: int, row: list[int]) -> Iterator[int]:
    """The nodes that a row of states passes, from the root to where it ends."""
    node = int(trees.starts[tree])
    while True:
        yield node
        column, low, high, left = trees.splits[node].tolist()
        if column < 0 or row[column] == _ENDED:
            return
        if row[column] >= _OTHER:
            node = left + bool(trees.sides[node] & (1 if row[column] == _MISSING else 2))
        else:
            node = left + (not low <= _rank(trees, tree, column, row[column]) <= high)


def end_counts(trees: Trees, states: AnyArray, y: AnyArray, classes: int) -> AnyArray:
    """How many rows of each class end at each node."""
    out = np.zeros((trees.nodes, classes), dtype=np.int64)
    for row, label in zip(states.T.tolist(), y.tolist(), strict=True):
        for tree in range(trees.count):
            out[list(path(trees, tree, row))[-1], label] += 1
    return out


def probabilities(trees: Trees, nodes: list[int], counts: Callable[[int], Floats]) -> list[Floats]:
    """P(class | node) of the nodes of a path: (n_c + s·P(c | parent)) / (n + s)."""
    out: list[Floats] = []
    for depth, node in enumerate(nodes):
        n = counts(node)
        parent = np.full(len(n), 1.0 / len(n)) if not out else out[-1]
        s = 1.0 if not out else float(trees.strengths[min(depth, len(trees.strengths)) - 1])
        out.append((n + s * parent) / (n.sum() + s))
    return out


def left_out_evidence(trees: Trees, rows: Rows, passing: Floats) -> Floats:
    """log P(c | ends) − log P(c | root), by the trees that were grown without the row, without its own counts."""
    out = np.zeros((len(rows.y), passing.shape[1]))
    for r, row in enumerate(rows.states.T.tolist()):
        own = np.zeros(passing.shape[1])
        own[rows.y[r]] = rows.own[r]
        without = [t for t in range(trees.count) if not _is_in_bag(trees, t, int(rows.keys[r]))]
        for tree in without or range(trees.count):
            nodes = list(path(trees, tree, row))
            found = probabilities(trees, nodes, (passing - own).__getitem__)
            out[r] += found[-1] / len(without or range(trees.count))
        out[r] = np.log(out[r]) - np.log(found[0])
    return out


def _rank(trees: Trees, tree: int, column: int, code: int) -> int:
    """The rank of a label in a tree; bins of numbers are in order."""
    start = int(trees.rank_starts[column])
    of_tree = len(trees.ranks) // trees.count
    return code if start < 0 else int(trees.ranks[tree * of_tree + start + code])


def _is_in_bag(trees: Trees, tree: int, key: int) -> bool:
    seed = _mixed(trees.seed + (tree + 1) * 0x9E3779B97F4A7C15 & _MASK)
    return (_mixed(seed ^ key) >> 11) * 2.0**-53 < trees.share


def _mixed(x: int) -> int:
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & _MASK
    x = (x ^ x >> 27) * 0x94D049BB133111EB & _MASK
    return x ^ x >> 31
