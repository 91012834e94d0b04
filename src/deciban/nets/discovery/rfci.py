"""RFCI: causal discovery with hidden common causes among hundreds of variables (Colombo et al., 2012).

FCI looks for separating sets far from two nodes (Possible-D-SEP), which are too many where a graph has hundreds of
nodes. RFCI leaves that step out, and instead tests what each mark rests on before it is set:

1. Find the adjacencies and separating sets as PC does.
2. A triple x — z — y, x and y not adjacent, is used only if x and z are dependent given S = S(x, y) without z, and so
   are y and z. Where two of them are independent, their edge is removed, with the smallest part of S that separates
   them.
3. Apply Zhang's rules. A discriminating path for b between d and c is used only if no part of S(d, c) separates two
   nodes that are adjacent on it. Where one does, the edge is removed, and the orientation starts again.

An edge says that no set of neighbours separates its ends, so some edges may be left that FCI removes. Every arrowhead
and tail says of causes what it says in the graph of FCI: an arrow a → b, that a is a cause of b, an arrowhead at a,
that a is not a cause of b. Each step looks at all triples, or paths, at once, so that the result does not depend on
their order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import chain, combinations, pairwise

import numpy as np

from deciban.nets.discovery.fci import Judge, free_of_forbidden, misfits, with_colliders
from deciban.nets.discovery.knowledge import Limits
from deciban.nets.discovery.orient import ColliderRule, Judged, Oriented, judge_triples, unshielded
from deciban.nets.discovery.separations import Separations
from deciban.nets.discovery.skeleton import Engine, Skeleton, Step, find_skeleton, remove_implied
from deciban.nets.graphs.bits import bits
from deciban.nets.graphs.graph import Node
from deciban.nets.graphs.marked import PAG
from deciban.nets.graphs.orientation import Marks, close_marks
from deciban.types import AnyArray

__all__ = ["find_marks_locally"]

_MOST_PARTS = 10
"""All parts of a larger separating set would be too many tests: of these the set itself is tested, and its pairs."""


def find_marks_locally(
    engine: Engine,
    limits: Limits,
    nodes: Sequence[Node],
    rule: ColliderRule,
    max_given: int | None,
    progress: Callable[[Step], None] | None,
) -> tuple[Skeleton, list[Judged], Oriented]:
    """The three steps, in this order."""
    free = free_of_forbidden(limits)
    fixed = limits.required | limits.required.T
    skeleton = find_skeleton(engine, free, max_given=max_given, progress=progress)
    skeleton = remove_implied(skeleton, engine, fixed)
    search = _Local(engine, fixed)
    while True:
        skeleton = search.with_sound_triples(skeleton)
        judged = judge_triples(engine, skeleton, free, rule, max_given)
        marks, colliders, conflicts = with_colliders(skeleton.adjacent, judged, limits, nodes)
        judge = _PathJudge(Judge(skeleton, engine), skeleton, search, marks)
        close_marks(marks, judge)
        if not judge.separated:
            break
        skeleton = skeleton.without(judge.separated)
    graph = PAG._marked(nodes, marks.heads, marks.tails, marks.adjacent)
    conflicts += [(None, words) for words in misfits(marks, judged, nodes)]
    return search.counted(skeleton), judged, Oriented(graph, colliders, conflicts, marks.reasons)


class _Local:
    """Tests of adjacent pairs given parts of the separating sets of others; none is made twice."""

    def __init__(self, engine: Engine, fixed: AnyArray) -> None:
        self.engine, self.fixed = engine, fixed
        self.tests = 0
        self._known: dict[tuple[int, int, tuple[int, ...]], bool] = {}

    def with_sound_triples(self, skeleton: Skeleton) -> Skeleton:
        """Remove the edges of triples whose ends are independent of the middle, until there is none."""
        while True:
            asked = []
            for x, y, middles in unshielded(skeleton.adjacent):
                if (known := skeleton.separation(x, y)) is None:  # only what is implied separates them
                    continue
                for z in middles:
                    given = tuple(node for node in known.given if node != z)
                    asked += [(x, z, given), (y, z, given)]
            separated = self.separations(asked, skeleton)
            if not separated:
                return skeleton
            skeleton = skeleton.without(separated)

    def separations(self, asked: Iterable[tuple[int, int, tuple[int, ...]]], skeleton: Skeleton) -> Separations:
        """For each pair that one of its sets separates, the best of the smallest parts of these sets that do so."""
        queries = dict.fromkeys((min(x, y), max(x, y), given) for x, y, given in asked if not self.fixed[x, y])
        new = [query for query in queries if query not in self._known]
        if new:
            alpha = self.engine.rules.alpha
            self.tests += len(new)
            for query, p in zip(new, self.engine.p_values(new), strict=True):
                self._known[query] = p > alpha
        pools: dict[tuple[int, int], set[int]] = {}
        for x, y, given in queries:
            if self._known[x, y, given] and skeleton.adjacent[x, y]:
                pools.setdefault((x, y), set()).update(given)
        return sum((self._smallest(x, y, pool) for (x, y), pool in sorted(pools.items())), Separations())

    def _smallest(self, x: int, y: int, pool: set[int]) -> Separations:
        """The separating set of a pair among those of a pool, by size."""
        count = len(self.fixed)
        edges, sets = np.zeros((count, count), dtype=bool), np.zeros((count, count), dtype=bool)
        edges[x, y] = edges[y, x] = True
        sets[x, list(pool)] = True
        for size in range(len(pool) + 1):
            level = self.engine.level(edges, sets, size, is_all=False)
            self.tests += level.tests
            if level.found:
                return level.found
        return Separations()

    def counted(self, skeleton: Skeleton) -> Skeleton:
        """The skeleton with the number of these tests."""
        return replace(skeleton, screening_tests=skeleton.screening_tests + self.tests)


class _PathJudge:
    """Whether the node b is a collider on a discriminating path d … a, b, c, where no edge of the path is doubtful."""

    def __init__(self, judge: Judge, skeleton: Skeleton, search: _Local, marks: Marks) -> None:
        self.judge, self.skeleton, self.search, self.marks = judge, skeleton, search, marks
        self.separated = Separations()

    def __call__(self, d: int, a: int, b: int, c: int) -> bool | None:
        is_collider = self.judge(d, a, b, c)
        if is_collider is None:
            return None
        given = self.judge.sets[min(d, c), max(d, c)]
        path = [*_shortest(self.marks, d, a, b, c), b, c]
        asked = [(r, q, part) for r, q in pairwise(path) for part in _parts(given - {r, q})]
        found = self.search.separations(asked, self.skeleton)
        self.separated += found
        return None if found else is_collider


def _parts(given: frozenset[int]) -> Iterable[tuple[int, ...]]:
    """All parts of a set, the smallest first."""
    nodes = sorted(given)
    sizes = range(len(nodes) + 1) if len(nodes) <= _MOST_PARTS else (0, 1, 2, len(nodes))
    return chain.from_iterable(combinations(nodes, size) for size in sizes)


def _shortest(marks: Marks, d: int, a: int, b: int, c: int) -> list[int]:
    """The nodes from d to a on a shortest path whose inner nodes are colliders and parents of c."""
    parents = marks.parents[c]
    before: dict[int, int] = {}
    waiting, visited = [a], 1 << a | 1 << b
    for node in waiting:
        if marks.heads[node] >> d & 1:
            path = [d, node]
            while path[-1] != a:
                path.append(before[path[-1]])
            return path
        for peer in bits(marks.heads[node] & parents & ~visited):
            if marks.heads[peer] >> node & 1:
                visited |= 1 << peer
                before[peer] = node
                waiting.append(peer)
    return [d, a]
