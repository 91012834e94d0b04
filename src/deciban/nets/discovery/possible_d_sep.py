"""Possible-D-SEP: further separating sets if there are hidden causes.

Without hidden causes two nodes that can be separated are separated by neighbours of one of them. With hidden causes
more distant nodes may be needed, on paths on which each inner node is a collider or in a triangle (Possible-D-SEP;
Spirtes, Glymour and Scheines 2000, chapter 6). The paths are those of the graph after the first search, so
the result does not depend on the order of the nodes.
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
    """The matrix [x, z]: whether z may be in a set that separates x from another node."""
    pool = np.zeros((len(adjacent), len(adjacent)), dtype=bool)
    for x in range(len(adjacent)):
        pool[x, list(bits(_around(x, adjacent, heads)))] = True
    return pool


def _around(x: int, adjacent: Sequence[int], heads: Sequence[int]) -> int:
    found, visited = adjacent[x], [0] * len(adjacent)
    waiting = [(x, node) for node in bits(found)]
    for before, node in waiting:
        colliders = heads[node] if heads[node] >> before & 1 else 0
        fresh = adjacent[node] & (colliders | adjacent[before]) & ~(1 << before) & ~visited[node]
        visited[node] |= fresh
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
    """Remove every edge whose ends are separated by a set of the pool of one of them; return the number removed.

    An edge whose ends have only neighbours in their pools was tested with all of them already. With data, if a node has
    more than ``_MOST_SETS`` sets of a size, its sets of this size or larger are not tested, unless max_given is set.
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
    """Which nodes have at most ``_MOST_SETS`` sets of this size and of all smaller ones."""
    counts = [int(count) for count in pool.sum(axis=1)]
    return np.array([comb(count, min(size, count // 2)) <= _MOST_SETS for count in counts], dtype=bool)
