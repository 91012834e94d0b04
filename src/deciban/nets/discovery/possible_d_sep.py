"""The second look at edges where causes may be hidden: sets beyond the neighbours.

Without hidden causes two nodes that can be separated are separated by neighbours of one of them. With hidden causes
that is not so: a set may be needed that reaches further, along paths on which each inner node is a collider or closes a
triangle (Possible-D-SEP; Spirtes, Glymour and Scheines 2000, chapter 6). These paths are sought in the graph as the
first search left it, so that nothing depends on the order of nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import comb

import numpy as np

from deciban.nets.discovery.engine import Engine
from deciban.nets.discovery.skeleton import Skeleton, Step, has_sets, note_level, remove
from deciban.nets.graphs.bits import bits
from deciban.types import AnyArray

__all__ = ["possible_separators", "thin"]

_MOST_SETS = 1 << 12


def possible_separators(adjacent: Sequence[int], heads: Sequence[int]) -> AnyArray:
    """The matrix [x, z] of the nodes z that a set which separates x from another node may hold."""
    pool = np.zeros((len(adjacent), len(adjacent)), dtype=bool)
    for x in range(len(adjacent)):
        pool[x, list(bits(_around(x, adjacent, heads)))] = True
    return pool


def _around(x: int, adjacent: Sequence[int], heads: Sequence[int]) -> int:
    found, seen = adjacent[x], [0] * len(adjacent)
    waiting = [(x, node) for node in bits(found)]
    for before, node in waiting:
        colliders = heads[node] if heads[node] >> before & 1 else 0
        fresh = adjacent[node] & (colliders | adjacent[before]) & ~(1 << before) & ~seen[node]
        seen[node] |= fresh
        found |= fresh
        waiting.extend((node, after) for after in bits(fresh))
    return found & ~(1 << x)


def thin(
    out: Skeleton,
    engine: Engine,
    fixed: AnyArray,
    pool: AnyArray,
    max_given: int | None,
    is_exact: bool,
    progress: Callable[[Step], None] | None = None,
) -> int:
    """Take out every edge that a set of the pool of one of its ends separates; say how many fell.

    An edge whose ends have no more in their pools than neighbours was tested with all of those already. In a sample, a
    node with more sets of a size than ``_MOST_SETS`` gives none of this size or a larger one, unless max_given is set.
    """
    further: AnyArray = np.any(pool & ~out.adjacent, axis=1)
    is_capped = max_given is None and not is_exact
    before = len(out.removed)
    for size in range(1, (len(pool) if max_given is None else max_given) + 1):
        edges = out.adjacent & ~fixed & (further[:, None] | further[None, :])
        sets = pool & _are_few(pool, size)[:, None] if is_capped else pool
        if not has_sets(edges, sets, size):
            break
        level = engine.level(edges, sets, size, is_all=False)
        remove(out, level.found)
        out.depth = max(out.depth, size) if level.found else out.depth
        if not note_level(out, level, size, progress):
            break
    return len(out.removed) - before


def _are_few(pool: AnyArray, size: int) -> AnyArray:
    """Which nodes have no more sets than may be tested, of this size and of all smaller ones."""
    counts = [int(count) for count in pool.sum(axis=1)]
    return np.array([comb(count, min(size, count // 2)) <= _MOST_SETS for count in counts], dtype=bool)
