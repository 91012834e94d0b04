"""The skeleton: an edge is removed when some set makes its ends independent.

PC-stable (Spirtes and Glymour 1991; Colombo and Maathuis 2014): sets of 0, 1, 2, … nodes adjacent to x or to y, with
the adjacencies as they were at the start of each size. For an edge that is removed, all sets of that size are tested
and the one with the largest p is kept, so nothing depends on the order of columns or threads.

The IC algorithm in its three steps, as the notes have them ("Bayes Nets", inferring causal structure; Pearl 2000).

1. For each pair x, y look for a set S(x, y) that screens one off from the other. Where there is none, join them.
2. For each pair that is not joined and has a common neighbour z: if z is not in S(x, y), make it a common consequence.
3. Direct what can be directed without a cycle or a new v-structure.

Step 1 asks all sets of the other variables, up to a size: readable, and slow. ``method="pc"`` is its fast form.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np

from deciban.errors import ParameterError
from deciban.nets.discovery.engine import Engine, Found, Level, PlainEngine
from deciban.nets.discovery.knowledge import Limits
from deciban.nets.graphs.graph import Node
from deciban.types import AnyArray

__all__ = [
    "Implied",
    "Skeleton",
    "Step",
    "find_screens",
    "find_skeleton",
    "has_sets",
    "note_level",
    "remove",
    "remove_implied",
    "separate_forbidden",
]


_MOST_DETERMINANTS = 3  # as in the core


@dataclass(frozen=True)
class Step:
    """How far a search is: the size of the sets, the tests made with them, and the edges left."""

    size: int
    tests: int
    edges: int


class Implied(NamedTuple):
    """A node that the given set determines, which is adjacent to the other end of the edge."""

    node: int
    given: tuple[int, ...]


@dataclass
class Skeleton:
    """The adjacencies, why the other pairs are apart, and the work that it took.

    ``removed`` has the tests that took edges out, ``screened`` those of pairs that knowledge keeps apart. ``implied``
    has the edges that ``remove_implied`` took out: no test separates their ends. Some sets of
    ``too_large`` nodes, and of more, were not tested because the rows are too few.
    """

    adjacent: AnyArray
    removed: dict[tuple[int, int], Found] = field(default_factory=dict)
    screened: dict[tuple[int, int], Found] = field(default_factory=dict)
    implied: dict[tuple[int, int], Implied] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)
    depth: int = 0
    unsure: int = 0
    screening_tests: int = 0
    too_large: int | None = None

    @property
    def tests(self) -> int:
        """How many tests were made."""
        return sum(step.tests for step in self.steps) + self.screening_tests

    def separation(self, x: int, y: int) -> Found | None:
        """The test that separates x from y, x < y; None where there is none."""
        return self.removed.get((x, y)) or self.screened.get((x, y))


def find_skeleton(
    engine: Engine,
    limits: Limits,
    *,
    max_given: int | None = None,
    fdr: float | None = None,
    progress: Callable[[Step], None] | None = None,
) -> Skeleton:
    """Remove every edge that some set separates; required edges are not tested."""
    out = Skeleton(limits.edges.copy())
    fixed = limits.required | limits.required.T
    weakest: dict[tuple[int, int], Found] = {}
    size = 0
    while max_given is None or size <= max_given:
        edges, pool = out.adjacent & ~fixed, out.adjacent & limits.allowed.T
        if size and not has_sets(edges, pool, size):
            break
        level = engine.level(edges, pool, size, is_all=fdr is not None)
        separated = level.found if fdr is None else _update(weakest, level.found, engine)
        remove(out, separated)
        out.depth = size if separated else out.depth
        if not note_level(out, level, size, progress):
            break
        size += 1
    if fdr is not None:
        remove(out, _false_discoveries(weakest, out, fdr))
    return out


def separate_forbidden(out: Skeleton, engine: Engine, limits: Limits, max_given: int | None) -> None:
    """Find separating sets of the pairs that knowledge separates and that have a common neighbour.

    Knowledge says that there is no edge, but only a separating set says whether the common neighbour is a collider.
    """
    forbidden = ~limits.edges & ~np.eye(len(limits.edges), dtype=bool)
    if not forbidden.any():
        return
    adjacent = out.adjacent.astype(np.float32)  # counts of neighbours are exact, and matrices of floats multiply faster
    waiting = forbidden & (adjacent @ adjacent > 0)
    pool = out.adjacent & limits.allowed.T
    size = 0
    while waiting.any() and (max_given is None or size <= max_given) and (not size or has_sets(waiting, pool, size)):
        level = engine.level(waiting, pool, size, is_all=False)
        out.screened.update(level.found)
        for x, y in level.found:
            waiting[x, y] = waiting[y, x] = False
        out.unsure += level.unsure
        out.screening_tests += level.tests
        size += 1


def remove_implied(out: Skeleton, engine: Engine, fixed: AnyArray) -> None:
    """Remove edges x — y that say nothing new, since x is adjacent to all of a set that determines y.

    y is independent of x given the set, whatever the graph; no test can say more, and a graph without the edge explains
    the same. Only a strict function counts: where y in turn determines a member of the set, as a copy does, the one
    edge is as good as the other, and both stay. Edges are looked at one after the other, so what determines y is left.
    """
    pairs = [(int(x), int(y)) for x, y in np.argwhere(out.adjacent & ~fixed)]
    asked = [(y, tuple(np.flatnonzero(out.adjacent[x] & out.adjacent[y]).tolist())) for x, y in pairs]
    possible = [at for at, (_, near) in enumerate(asked) if near]
    hits = engine.determined([asked[at] for at in possible]) if possible else []
    for at in [at for at, is_hit in zip(possible, hits, strict=True) if is_hit]:
        x, y = pairs[at]
        if not out.adjacent[x, y]:
            continue
        near = np.flatnonzero(out.adjacent[x] & out.adjacent[y]).tolist()
        given = _strict_determinants(y, near, engine)
        if given is not None:
            out.adjacent[x, y] = out.adjacent[y, x] = False
            out.implied[min(x, y), max(x, y)] = Implied(y, given)


def _strict_determinants(y: int, near: Sequence[int], engine: Engine) -> tuple[int, ...] | None:
    """The first of the smallest sets that determine y, and of which y and the rest determine no member."""
    for size in range(1, _MOST_DETERMINANTS + 1):
        sets = list(combinations(near, size))
        for given, is_hit in zip(sets, engine.determined([(y, given) for given in sets]), strict=True):
            if not is_hit:
                continue
            back = [(z, tuple(sorted({*given, y} - {z}))) for z in given]
            if not any(engine.determined(back)):
                return given
    return None


def note_level(out: Skeleton, level: Level, size: int, progress: Callable[[Step], None] | None) -> bool:
    """Keep count of a level that was tested, and say whether larger sets can still be tested."""
    out.unsure += level.unsure
    if level.skipped and out.too_large is None:
        out.too_large = size
    if level.skipped and not level.tests:
        return False
    out.steps.append(Step(size, level.tests, int(out.adjacent.sum()) // 2))
    if progress is not None:
        progress(out.steps[-1])
    return True


def remove(out: Skeleton, separated: dict[tuple[int, int], Found]) -> None:
    """Remove edges, each with its test."""
    for (x, y), found in separated.items():
        out.adjacent[x, y] = out.adjacent[y, x] = False
        out.removed[x, y] = found


def has_sets(edges: AnyArray, pool: AnyArray, size: int) -> bool:
    """Whether some edge has so many nodes around one of its ends."""
    return bool((edges & (pool.sum(axis=1)[:, None] - pool >= size)).any())


def _update(
    weakest: dict[tuple[int, int], Found], found: dict[tuple[int, int], Found], engine: Engine
) -> dict[tuple[int, int], Found]:
    """Keep the largest p of every edge; return the edges to remove."""
    alpha = engine.rules[0]
    for pair, test in found.items():
        if pair not in weakest or test.values[3] > weakest[pair].values[3]:
            weakest[pair] = test
    return {pair: test for pair, test in found.items() if test.values[3] > alpha}


def _false_discoveries(
    weakest: dict[tuple[int, int], Found], out: Skeleton, rate: float
) -> dict[tuple[int, int], Found]:
    """The edges that Benjamini and Hochberg (1995) do not let stand, by the largest p of each pair.

    An edge-specific p is at most the largest p of its tests (Strobl, Spirtes and Visweswaran 2019).
    """
    p = np.sort([test.values[3] for test in weakest.values()])
    passing = np.flatnonzero(p <= rate * np.arange(1, len(p) + 1) / max(len(p), 1))
    limit = p[passing[-1]] if len(passing) else -1.0
    return {pair: test for pair, test in weakest.items() if out.adjacent[pair] and test.values[3] > limit}


_MOST_TESTS = 2_000_000


def find_screens(engine: PlainEngine, limits: Limits, nodes: Sequence[Node], max_given: int | None) -> Skeleton:
    """Step 1: look for a screening set for each pair, small sets first."""
    most = len(nodes) - 2 if max_given is None else min(max_given, len(nodes) - 2)
    _check_cost(len(nodes), most)
    out = Skeleton(limits.edges.copy())
    fixed = limits.required | limits.required.T
    for x, y in combinations(range(len(nodes)), 2):
        if not out.adjacent[x, y] or fixed[x, y]:
            continue
        screen = _screen(engine, x, y, len(nodes), most)
        if screen is not None:
            out.removed[x, y] = screen
            out.adjacent[x, y] = out.adjacent[y, x] = False
    out.depth = max((len(screen.given) for screen in out.removed.values()), default=0)
    out.unsure = engine.unsure
    out.steps.append(Step(max(most, 0), engine.tests, int(np.triu(out.adjacent).sum())))
    return out


def _screen(engine: PlainEngine, x: int, y: int, count: int, most: int) -> Found | None:
    """The first set that screens x off from y, or None."""
    others = [z for z in range(count) if z not in (x, y)]
    for size in range(max(most, 0) + 1):
        for given in combinations(others, size):
            separates, values = engine.separates(x, y, given)
            if separates:
                return Found(given, values)
    return None


def _check_cost(count: int, most: int) -> None:
    tests = comb(count, 2) * sum(comb(max(count - 2, 0), size) for size in range(most + 1))
    if tests > _MOST_TESTS:
        raise ParameterError(
            f"all sets of up to {most} of {count} variables make {tests:,} tests. "
            'Pass a smaller max_given, or method="pc".'
        )
