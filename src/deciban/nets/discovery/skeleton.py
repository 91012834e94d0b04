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

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np

from deciban.errors import ParameterError
from deciban.nets.discovery.engine import Engine, Level, PlainEngine, SeparatingSet
from deciban.nets.discovery.knowledge import Limits
from deciban.nets.graphs.graph import Node
from deciban.nets.independence.independence_test import Outcome, TestResult
from deciban.types import AnyArray

__all__ = [
    "Implied",
    "IndexPair",
    "Skeleton",
    "Step",
    "find_screens",
    "find_skeleton",
    "has_sets",
    "remove_implied",
    "separate_forbidden",
]


IndexPair = tuple[int, int]
"""Two nodes by index, the smaller first."""

_MOST_DETERMINANTS = 3  # as in the core, which looks at no larger sets of categories either

_MOST_TESTS = 2_000_000  # of IC, each a call from Python of some 20 µs or more: about a minute


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


@dataclass(frozen=True)
class Skeleton:
    """The adjacencies, why the other pairs are apart, and the work that it took; each step of a search returns another.

    ``removed`` has the tests that took edges out, ``screened`` those of pairs that knowledge keeps apart. ``implied``
    has the edges that ``remove_implied`` took out: no test separates their ends. Some sets of
    ``too_large`` nodes, and of more, were not tested because the rows are too few.
    """

    adjacent: AnyArray
    removed: Mapping[IndexPair, SeparatingSet] = field(default_factory=dict)
    screened: Mapping[IndexPair, SeparatingSet] = field(default_factory=dict)
    implied: Mapping[IndexPair, Implied] = field(default_factory=dict)
    steps: tuple[Step, ...] = ()
    depth: int = 0
    unsure: int = 0
    screening_tests: int = 0
    too_large: int | None = None

    @property
    def tests(self) -> int:
        """How many tests were made."""
        return sum(step.tests for step in self.steps) + self.screening_tests

    def separation(self, x: int, y: int) -> SeparatingSet | None:
        """The set that separates x from y, x < y; None where there is none."""
        return self.removed.get((x, y)) or self.screened.get((x, y))

    def without(self, separated: Mapping[IndexPair, SeparatingSet]) -> Skeleton:
        """The skeleton without some edges, each removed by its test."""
        if not separated:
            return self
        adjacent = self.adjacent.copy()
        x, y = np.array(list(separated)).T
        adjacent[x, y] = adjacent[y, x] = False
        return replace(self, adjacent=adjacent, removed={**self.removed, **separated})

    def after(self, level: Level, size: int, separated: Mapping[IndexPair, SeparatingSet]) -> Skeleton:
        """The skeleton after a level: without the separated edges, and with its tests counted."""
        left = self.without(separated)
        step = Step(size, level.tests, int(left.adjacent.sum()) // 2)
        return replace(
            left,
            depth=max(left.depth, size) if separated else left.depth,
            unsure=left.unsure + level.unsure,
            too_large=size if level.skipped and left.too_large is None else left.too_large,
            steps=left.steps if level.is_last else (*left.steps, step),
        )

    def results(self, nodes: Sequence[Node], measure: str, rows_per_degree: float) -> tuple[TestResult, ...]:
        """For each pair without an edge the test that separates it, by name."""

        def named(pair: IndexPair, given: Sequence[int]) -> tuple[Node, Node, tuple[Node, ...]]:
            return nodes[pair[0]], nodes[pair[1]], tuple(nodes[z] for z in given)

        results: dict[IndexPair, TestResult] = {}
        for pair, (given, (statistic, df, rows, p)) in self.removed.items():
            # Too few rows, or nothing left to test: the rule for such tests removed the edge, not the data.
            is_sure = rows >= rows_per_degree * df and (df > 0 or not given)
            verdict: Outcome = "independent" if is_sure else "none"
            results[pair] = TestResult(*named(pair, given), statistic, df, rows, p, verdict, measure)
        for pair, (node, given) in self.implied.items():
            results[pair] = TestResult(*named(pair, given), 0.0, 0.0, 0.0, 1.0, "none", measure, (nodes[node],))
        return tuple(result for _, result in sorted(results.items()))


def find_skeleton(
    engine: Engine,
    limits: Limits,
    *,
    max_given: int | None = None,
    fdr: float | None = None,
    progress: Callable[[Step], None] | None = None,
) -> Skeleton:
    """Remove every edge that some set separates; required edges are not tested."""
    skeleton = Skeleton(limits.edges)
    fixed = limits.required | limits.required.T
    weakest: dict[IndexPair, SeparatingSet] = {}
    size = 0
    while max_given is None or size <= max_given:
        # PC-stable: the pool is that before the level, so the edges of one size do not depend on their order.
        edges, pool = skeleton.adjacent & ~fixed, skeleton.adjacent & limits.allowed.T
        if size and not has_sets(edges, pool, size):
            break
        level = engine.level(edges, pool, size, is_all=fdr is not None)
        separated = level.found
        if fdr is not None:  # the level has every edge with its largest p: keep it, and remove those above alpha
            for pair, known in level.found.items():
                if pair not in weakest or known.p > weakest[pair].p:
                    weakest[pair] = known
            separated = {pair: known for pair, known in level.found.items() if known.p > engine.rules.alpha}
        skeleton = skeleton.after(level, size, separated)
        if level.is_last:
            break
        if progress is not None:
            progress(skeleton.steps[-1])
        size += 1
    return skeleton if fdr is None else skeleton.without(_false_discoveries(weakest, skeleton.adjacent, fdr))


def separate_forbidden(skeleton: Skeleton, engine: Engine, limits: Limits, max_given: int | None) -> Skeleton:
    """Find separating sets of the pairs that knowledge separates and that have a common neighbour.

    Knowledge says that there is no edge, but only a separating set says whether the common neighbour is a collider.
    """
    forbidden = ~limits.edges & ~np.eye(len(limits.edges), dtype=bool)
    if not forbidden.any():
        return skeleton
    # Counts of neighbours are exact in single precision, and matrices of floats multiply faster than those of integers.
    adjacent = skeleton.adjacent.astype(np.float32)
    waiting = forbidden & (adjacent @ adjacent > 0)
    pool = skeleton.adjacent & limits.allowed.T
    screened: dict[IndexPair, SeparatingSet] = {}
    size = tests = unsure = 0
    while waiting.any() and (max_given is None or size <= max_given) and (not size or has_sets(waiting, pool, size)):
        level = engine.level(waiting, pool, size, is_all=False)
        screened |= level.found
        for x, y in level.found:
            waiting[x, y] = waiting[y, x] = False
        unsure += level.unsure
        tests += level.tests
        size += 1
    return replace(skeleton, screened=screened, unsure=skeleton.unsure + unsure, screening_tests=tests)


def remove_implied(skeleton: Skeleton, engine: Engine, fixed: AnyArray) -> Skeleton:
    """Remove edges x — y that say nothing new, since x is adjacent to all of a set that determines y.

    y is independent of x given the set, whatever the graph; no test can say more, and a graph without the edge explains
    the same. Only a strict function counts: where y in turn determines a member of the set, as a copy does, the one
    edge is as good as the other, and both stay. Edges are looked at one after the other, so what determines y is left.
    """
    adjacent = skeleton.adjacent.copy()
    implied: dict[IndexPair, Implied] = {}
    pairs = [(int(x), int(y)) for x, y in np.argwhere(adjacent & ~fixed)]
    # Most nodes are not determined by all of the common neighbours together: one question for each pair, all at once.
    asked = [(y, tuple(np.flatnonzero(adjacent[x] & adjacent[y]).tolist())) for x, y in pairs]
    possible = [at for at, (_, near) in enumerate(asked) if near]
    hits = engine.determined([asked[at] for at in possible]) if possible else []
    for at in [at for at, is_hit in zip(possible, hits, strict=True) if is_hit]:
        x, y = pairs[at]
        if not adjacent[x, y]:
            continue
        near = np.flatnonzero(adjacent[x] & adjacent[y]).tolist()
        given = _strict_determinants(y, near, engine)
        if given is not None:
            adjacent[x, y] = adjacent[y, x] = False
            implied[min(x, y), max(x, y)] = Implied(y, given)
    return replace(skeleton, adjacent=adjacent, implied=implied) if implied else skeleton


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


def has_sets(edges: AnyArray, pool: AnyArray, size: int) -> bool:
    """Whether some edge has so many nodes around one of its ends."""
    return bool((edges & (pool.sum(axis=1)[:, None] - pool >= size)).any())


def _false_discoveries(
    weakest: Mapping[IndexPair, SeparatingSet], adjacent: AnyArray, rate: float
) -> dict[IndexPair, SeparatingSet]:
    """The edges that Benjamini and Hochberg (1995) do not let stand, by the largest p of each pair.

    An edge-specific p is at most the largest p of its tests (Strobl, Spirtes and Visweswaran 2019).
    """
    p = np.sort([known.p for known in weakest.values()])
    passing = np.flatnonzero(p <= rate * np.arange(1, len(p) + 1) / max(len(p), 1))
    limit = p[passing[-1]] if len(passing) else -1.0
    return {pair: known for pair, known in weakest.items() if adjacent[pair] and known.p > limit}


def find_screens(engine: PlainEngine, limits: Limits, count: int, max_given: int | None) -> Skeleton:
    """Step 1 of IC: look for a screening set for each pair, small sets first."""
    most = count - 2 if max_given is None else min(max_given, count - 2)
    _check_cost(count, most)
    adjacent = limits.edges
    fixed = limits.required | limits.required.T
    removed: dict[IndexPair, SeparatingSet] = {}
    tests = unsure = 0
    for x, y in combinations(range(count), 2):
        if not adjacent[x, y] or fixed[x, y]:
            continue
        others = [z for z in range(count) if z not in (x, y)]
        for given in (given for size in range(max(most, 0) + 1) for given in combinations(others, size)):
            tested = engine.separates(x, y, given)
            tests += not tested.is_skipped
            unsure += tested.is_unsure
            if tested.separates:
                removed[x, y] = SeparatingSet(given, tested.values)
                break
    step = Step(max(most, 0), tests, int(np.triu(adjacent).sum()) - len(removed))
    depth = max((len(screen.given) for screen in removed.values()), default=0)
    return replace(Skeleton(adjacent).without(removed), depth=depth, unsure=unsure, steps=(step,))


def _check_cost(count: int, most: int) -> None:
    tests = comb(count, 2) * sum(comb(max(count - 2, 0), size) for size in range(most + 1))
    if tests > _MOST_TESTS:
        raise ParameterError(
            f"all sets of up to {most} of {count} variables make {tests:,} tests. "
            'Pass a smaller max_given, or method="pc".'
        )
