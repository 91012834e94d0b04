"""The skeleton: an edge is removed when some set makes its ends independent; and the engines that run the tests.

PC-stable (Spirtes and Glymour 1991; Colombo and Maathuis 2014): sets of 0, 1, 2, … nodes adjacent to x or to y, with
the adjacencies as they were at the start of each size. For an edge that is removed, all sets of that size are tested
and the one with the largest p is kept, so nothing depends on the order of columns or threads.

The IC algorithm in its three steps, as the notes have them ("Bayes Nets", inferring causal structure; Pearl 2000).

1. For each pair x, y look for a set S(x, y) that screens one off from the other. Where there is none, join them.
2. For each pair that is not joined and has a common neighbour z: if z is not in S(x, y), make it a common consequence.
3. Direct what can be directed without a cycle or a new v-structure.

Step 1 tests all sets of the other variables, up to a size: readable, and slow. ``method="pc"`` is its fast form.

An engine answers all questions of one step at a time: the edges of a level, the triples, sets that determine a column.
``CoreEngine`` does so in the compiled core, for tests that the core knows; ``PlainEngine`` calls any other test, one
question at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from math import comb
from typing import NamedTuple, Protocol

import numpy as np

from deciban import _core
from deciban.errors import ParameterError
from deciban.nets.data.samples import MixedSample
from deciban.nets.discovery.knowledge import Limits
from deciban.nets.discovery.separations import IndexPair, SeparatingSet, Separations
from deciban.nets.graphs.bits import bits, masks_of_rows
from deciban.nets.graphs.graph import Node
from deciban.nets.independence.independence_test import Outcome, SourceFacts, TestResult, Values, VerdictRules
from deciban.ties import to_nine_digits
from deciban.types import AnyArray

__all__ = [
    "CoreEngine", "Engine", "Evidence", "Implied", "Level", "Member", "Naming", "Pair", "PlainEngine", "Progress",
    "Query", "Share", "Skeleton", "Step", "Tested", "engine_of", "find_screens", "find_skeleton", "has_sets",
    "remove_implied", "reporting", "separate_forbidden",
]  # fmt: skip

_MOST_DETERMINANTS = 3  # as in the core, which looks at no larger sets of categories either

_MOST_TESTS = 2_000_000  # of IC, each a call from Python of some 20 µs or more: about a minute

# The sets around a triple grow as 2^neighbours. Where there are more than these, the core leaves out the largest sizes;
# without the limit one hub of 40 neighbours would take years.
_MOST_SETS = 1 << 12


@dataclass(frozen=True)
class Step:
    """How far a search is: the size of the sets, the tests made with them, and the edges left.

    Where the share that is done of this size is below 1, no tests are counted yet, and the edges are those before it.
    """

    size: int
    tests: int
    edges: int
    share: float = 1.0


Progress = Callable[[Step], None]
"""Called with each step, also with those that are not done."""

Share = Callable[[float], None]
"""Called with the share of a level that is done."""


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
    removed: Separations = field(default_factory=Separations)
    screened: Separations = field(default_factory=Separations)
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

    def separations(self, pairs: Sequence[IndexPair]) -> dict[IndexPair, SeparatingSet]:
        """The same of many pairs, without those that have none."""
        return {**self.screened.only(pairs), **self.removed.only(pairs)}

    def without(self, separated: Separations) -> Skeleton:
        """The skeleton without some edges, each removed by its test."""
        if not separated:
            return self
        return replace(self, adjacent=separated.taken_from(self.adjacent), removed=self.removed + separated)

    def after(self, level: Level, size: int, separated: Separations) -> Skeleton:
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

    def results(self, naming: Naming) -> tuple[TestResult, ...]:
        """For each pair without an edge the test that separates it, by name."""
        return naming.results({**dict(self.removed.rows()), **self.implied})

    def unsure_results(self, naming: Naming) -> tuple[TestResult, ...]:
        """Those without a verdict."""
        return naming.results({**dict(self.removed.unsure(naming.rows_per_degree).rows()), **self.implied})

    def result(self, pair: IndexPair, naming: Naming) -> TestResult | None:
        """That of one pair; None where no test separates it."""
        found = self.implied.get(pair) or self.removed.get(pair)
        return None if found is None else naming.result(pair, found)


class Naming(NamedTuple):
    """What separations by index need to become results: names, the name of the statistic, the rows for a verdict."""

    nodes: Sequence[Node]
    measure: str
    rows_per_degree: float

    def results(self, found: Mapping[IndexPair, SeparatingSet | Implied]) -> tuple[TestResult, ...]:
        """Those of some pairs, in the order of the nodes."""
        return tuple(self.result(pair, found[pair]) for pair in sorted(found))

    def result(self, pair: IndexPair, found: SeparatingSet | Implied) -> TestResult:
        """That of one pair."""
        nodes = self.nodes
        names = nodes[pair[0]], nodes[pair[1]], tuple(nodes[z] for z in found.given)
        if isinstance(found, Implied):
            return TestResult(*names, 0.0, 0.0, 0.0, 1.0, "none", self.measure, (nodes[found.node],))
        verdict: Outcome = "independent" if found.is_sure(self.rows_per_degree) else "none"
        return TestResult(*names, *found.values, verdict, self.measure)


def find_skeleton(
    engine: Engine,
    limits: Limits,
    *,
    max_given: int | None = None,
    fdr: float | None = None,
    progress: Progress | None = None,
) -> Skeleton:
    """Remove every edge that some set separates; required edges are not tested."""
    skeleton = Skeleton(limits.edges)
    fixed = limits.required | limits.required.T
    levels: list[Separations] = []
    size = 0
    while max_given is None or size <= max_given:
        # PC-stable: the pool is that before the level, so the edges of one size do not depend on their order.
        edges, pool = skeleton.adjacent & ~fixed, skeleton.adjacent & limits.allowed.T
        if size and not has_sets(edges, pool, size):
            break
        level = engine.level(edges, pool, size, is_all=fdr is not None, report=reporting(skeleton, size, progress))
        separated = level.found
        if fdr is not None:  # the level has every edge with its largest p: keep it, and remove those above alpha
            levels.append(level.found)
            separated = level.found.above(engine.rules.alpha)
        skeleton = skeleton.after(level, size, separated)
        if level.is_last:
            break
        if progress is not None:
            progress(skeleton.steps[-1])
        size += 1
    return skeleton if fdr is None else skeleton.without(_false_discoveries(levels, skeleton.adjacent, fdr))


def reporting(skeleton: Skeleton, size: int, progress: Progress | None) -> Share | None:
    """What an engine calls with the share of a level that is done."""
    if progress is None:
        return None
    edges = int(skeleton.adjacent.sum()) // 2
    return lambda share: progress(Step(size, 0, edges, share))


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
    screened = Separations()
    size = tests = unsure = 0
    while waiting.any() and (max_given is None or size <= max_given) and (not size or has_sets(waiting, pool, size)):
        level = engine.level(waiting, pool, size, is_all=False)
        screened += level.found
        waiting = level.found.taken_from(waiting)
        unsure += level.unsure
        tests += level.tests
        size += 1
    return replace(skeleton, screened=screened, unsure=skeleton.unsure + unsure, screening_tests=tests)


def remove_implied(skeleton: Skeleton, engine: Engine, fixed: AnyArray) -> Skeleton:
    """Remove edges x — y that say nothing new, since x is adjacent to all of a set that determines y.

    y is independent of x given the set, whatever the graph; no test can say more, and a graph without the edge explains
    the same. Only a strict function counts: where y in turn determines a member of the set, as a copy does, the one
    edge is as good as the other, and both stay. Edges are looked at one after the other, so what determines y is left.
    Nor does a number imply a category: where the groups of a category have numbers far apart, these tell the groups
    apart although they are the effect, and the edges of the category are its own.
    """
    adjacent = skeleton.adjacent.copy()
    implied: dict[IndexPair, Implied] = {}
    pairs = [(int(x), int(y)) for x, y in np.argwhere(adjacent & ~fixed)]
    # Most nodes are not determined by all of the common neighbours together: one question for each pair, all at once.
    numbers, beside = engine.numbers, masks_of_rows(adjacent)
    asked = [(y, _around(beside, x, y, numbers)) for x, y in pairs]
    possible = [at for at, (_, near) in enumerate(asked) if near]
    hits = engine.determined([asked[at] for at in possible]) if possible else []
    for at in [at for at, is_hit in zip(possible, hits, strict=True) if is_hit]:
        x, y = pairs[at]
        if not adjacent[x, y]:
            continue
        given = _strict_determinants(y, _around(beside, x, y, numbers), engine)
        if given is not None:
            adjacent[x, y] = adjacent[y, x] = False
            beside[x] &= ~(1 << y)
            beside[y] &= ~(1 << x)
            implied[min(x, y), max(x, y)] = Implied(y, given)
    return replace(skeleton, adjacent=adjacent, implied=implied) if implied else skeleton


def _around(beside: Sequence[int], x: int, y: int, numbers: frozenset[int]) -> tuple[int, ...]:
    """The common neighbours that may imply y: of a category other categories only."""
    return tuple(z for z in bits(beside[x] & beside[y]) if y in numbers or z not in numbers)


def _strict_determinants(y: int, near: Sequence[int], engine: Engine) -> tuple[int, ...] | None:
    """The first of the smallest sets that determine y, if y and the rest of the set determine none of its members."""
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
    counts = pool.sum(axis=1)
    return bool(edges[counts > size].any() or (edges & ~pool)[counts == size].any())


def _false_discoveries(levels: Sequence[Separations], adjacent: AnyArray, rate: float) -> Separations:
    """The edges that Benjamini and Hochberg (1995) do not let stand, by the largest p of each pair.

    An edge-specific p is at most the largest p of its tests (Strobl, Spirtes and Visweswaran 2019).
    """
    weakest = Separations.weakest(levels)
    p = np.sort(weakest.p)
    passing = np.flatnonzero(p <= rate * np.arange(1, len(p) + 1) / max(len(p), 1))
    limit = p[passing[-1]] if len(passing) else -1.0  # below every p: no edge stays
    return weakest.above(limit).among(adjacent)


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
    return replace(Skeleton(adjacent).without(Separations.of(removed)), depth=depth, unsure=unsure, steps=(step,))


def _check_cost(count: int, most: int) -> None:
    tests = comb(count, 2) * sum(comb(max(count - 2, 0), size) for size in range(most + 1))
    if tests > _MOST_TESTS:
        raise ParameterError(
            f"all sets of up to {most} of {count} variables make {tests:,} tests. "
            'Pass a smaller max_given, or method="pc".'
        )


Query = tuple[int, int, Sequence[int]]
"""Two variables and a conditioning set, by index."""

Member = tuple[int, Sequence[int]]
"""A variable, and a set that may determine it, by index."""


class Pair(NamedTuple):
    """Two nodes that are not adjacent, and those that are adjacent to both."""

    x: int
    y: int
    middles: tuple[int, ...]


class Level(NamedTuple):
    """The edges to remove, and the number of tests, of tests without verdict, and of sets with too few rows."""

    found: Separations
    tests: int
    unsure: int
    skipped: int = 0

    @property
    def is_last(self) -> bool:
        """Whether no set had rows enough, so that no larger one has."""
        return bool(self.skipped and not self.tests)


class Evidence(NamedTuple):
    """Of a triple x — z — y: the largest p with and without z, and how many sets separate with and without z."""

    p_with: float
    p_without: float
    with_: int
    without: int


class Engine(Protocol):
    """Tests all that a step of the search needs."""

    @property
    def rules(self) -> VerdictRules: ...
    @property
    def numbers(self) -> frozenset[int]:
        """The nodes that are numbers in a table of both kinds."""
        ...

    def level(self, edges: AnyArray, pool: AnyArray, size: int, *, is_all: bool, report: Share | None = None) -> Level:
        """One level of PC-stable; some engines call `report` with the share of the work that is done."""
        ...

    def weigh(self, pairs: Sequence[Pair], pool: AnyArray, depth: int) -> list[list[Evidence]]: ...
    def p_values(self, queries: Sequence[Query]) -> list[float]: ...
    def determined(self, queries: Sequence[Member]) -> list[bool]: ...


def engine_of(facts: SourceFacts, nodes: Sequence[Node], *, is_bounded: bool) -> Engine:
    """The engine for a source; `nodes` are in the order of their indices.

    `is_bounded`: ``max_given`` is set, so all sets up to that size are tested however few rows there are.
    """
    if facts.core is None:
        return PlainEngine(facts, nodes, is_bounded)
    rows_per_df = 0.0 if is_bounded else facts.rows_per_df
    return CoreEngine(facts.core, facts.rules, facts.latent, rows_per_df, _numbers_of(facts, nodes))


def _numbers_of(facts: SourceFacts, nodes: Sequence[Node]) -> frozenset[int]:
    sample = facts.sample
    if not isinstance(sample, MixedSample):
        return frozenset()
    return frozenset(index for index, node in enumerate(nodes) if sample.is_number(node))


@dataclass(frozen=True)
class CoreEngine:
    """On all cores, in the order of nodes whatever the threads do; the last nodes of the source may be hidden."""

    source: _core.Source
    rules: VerdictRules
    hidden: int = 0
    rows_per_df: float = 0.0
    numbers: frozenset[int] = frozenset()

    def _marks(self, matrix: AnyArray) -> AnyArray:
        # Hidden nodes have no edges and are in no set, but the matrices of the core have all nodes of its source.
        marks = np.ascontiguousarray(matrix).view(np.uint8)
        return np.pad(marks, (0, self.hidden)) if self.hidden else marks

    def level(self, edges: AnyArray, pool: AnyArray, size: int, *, is_all: bool, report: Share | None = None) -> Level:
        marks = self._marks(edges), self._marks(pool)
        alpha, rows_per_degree, is_sure = self.rules
        x, y, sets, values, *counts = _core.test_level(
            self.source, *marks, size, alpha, rows_per_degree, is_sure, self.rows_per_df, is_all, report
        )
        return Level(Separations.of_level(x, y, sets, values), *counts)

    def weigh(self, pairs: Sequence[Pair], pool: AnyArray, depth: int) -> list[list[Evidence]]:
        x, y = (np.array([pair[end] for pair in pairs], dtype=np.int64) for end in (0, 1))
        starts = np.cumsum([0, *(len(pair.middles) for pair in pairs)])
        middles = np.array([z for pair in pairs for z in pair.middles], dtype=np.int64)
        p, counts = _core.weigh_triples(
            self.source, x, y, starts, middles, self._marks(pool), depth, _MOST_SETS, *self.rules, self.rows_per_df
        )
        every = [Evidence(*a, *b) for a, b in zip(p.tolist(), counts.tolist(), strict=True)]
        return [every[a:b] for a, b in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)]

    def p_values(self, queries: Sequence[Query]) -> list[float]:
        x, y = (np.array([one[end] for one in queries], dtype=np.int64) for end in (0, 1))
        starts = np.cumsum([0, *(len(given) for _, _, given in queries)])
        sets = np.array([z for _, _, given in queries for z in given], dtype=np.int64)
        return [p for *_, p in _core.test_each(self.source, x, y, starts, sets).tolist()]

    def determined(self, queries: Sequence[Member]) -> list[bool]:
        columns = np.array([column for column, _ in queries], dtype=np.int64)
        starts = np.cumsum([0, *(len(given) for _, given in queries)])
        sets = np.array([z for _, given in queries for z in given], dtype=np.int64)
        return _core.determined_each(self.source, columns, starts, sets).astype(bool).tolist()


class Tested(NamedTuple):
    """One answer of a test: whether the set separates the two, and whether it had no verdict, or was not tested."""

    separates: bool
    values: Values
    is_unsure: bool = False
    is_skipped: bool = False


@dataclass(frozen=True)
class PlainEngine:
    """An object with ``test(x, y, given)``, or only ``independent(x, y, given)``: one call for each question."""

    facts: SourceFacts
    nodes: Sequence[Node]
    is_bounded: bool = False

    @property
    def rules(self) -> VerdictRules:
        return self.facts.rules

    @property
    def numbers(self) -> frozenset[int]:
        return _numbers_of(self.facts, self.nodes)

    def separates(self, x: int, y: int, given: Sequence[int]) -> Tested:
        """Whether the set separates x from y; a set with too few rows does not."""
        facts = self.facts
        names = self.nodes[x], self.nodes[y], [self.nodes[z] for z in given]
        if given and not self.is_bounded and facts.has_rows is not None and not facts.has_rows(*names):
            return Tested(False, (0.0, 0.0, 0.0, 0.0), is_skipped=True)
        if facts.test is None:
            # As of an exact test: p is 1 where the two are independent, else 0 with a statistic beyond all others.
            answer = bool(facts.independent(*names))
            return Tested(answer, (0.0 if answer else float("inf"), 1.0, 0.0, float(answer)))
        result = facts.test(*names)
        if given and not self.is_bounded and 5 * result.rows < facts.rows_per_df * result.df:
            return Tested(False, (0.0, 0.0, 0.0, 0.0), is_skipped=True)
        is_unsure = result.verdict == "none"
        # A test that says nothing of x and y gets a p that never counts; results of other packages have no such field.
        if getattr(result, "determined", ()):
            return Tested(False, (result.statistic, result.df, result.rows, 0.0), is_unsure)
        separates = result.verdict == "independent" or (is_unsure and self.rules.unsure_is_independent)
        return Tested(separates, (result.statistic, result.df, result.rows, result.p), is_unsure)

    def level(self, edges: AnyArray, pool: AnyArray, size: int, *, is_all: bool, report: Share | None = None) -> Level:
        """One level of PC-stable: for each edge the separating set with the largest p; ties go to the smaller set."""
        best: dict[tuple[int, int], SeparatingSet] = {}
        tests = unsure = skipped = 0
        for x, y in combinations(range(len(edges)), 2):
            if not edges[x, y]:
                continue
            for given in _sets_around(pool, x, y, size):
                tested = self.separates(x, y, given)
                tests += not tested.is_skipped
                unsure += tested.is_unsure
                skipped += tested.is_skipped
                one, known = SeparatingSet(given, tested.values), best.get((x, y))
                if (tested.separates or is_all) and (known is None or _rank(one) < _rank(known)):
                    best[x, y] = one
        return Level(Separations.of(best), tests, unsure, skipped)

    def weigh(self, pairs: Sequence[Pair], pool: AnyArray, depth: int) -> list[list[Evidence]]:
        """What all sets of up to `depth` nodes around x and y say of each z between them."""
        out = []
        for x, y, middles in pairs:
            sets = [given for size in range(depth + 1) for given in sorted(_sets_around(pool, x, y, size))]
            tested = [(given, self.separates(x, y, given)) for given in sets]
            out.append([self._evidence(z, tested) for z in middles])
        return out

    def _evidence(self, z: int, tested: Sequence[tuple[tuple[int, ...], Tested]]) -> Evidence:
        sides: tuple[list[Tested], list[Tested]] = ([], [])
        for given, one in tested:
            # A set that determines z conditions on it as well (Geiger, Verma and Pearl 1990).
            is_in = z in given or (one.separates and self.determined([(z, given)])[0])
            sides[0 if is_in else 1].append(one)
        best = [max((one.values[3] for one in side), default=0.0) for side in sides]
        counts = [sum(one.separates for one in side) for side in sides]
        return Evidence(best[0], best[1], counts[0], counts[1])

    def p_values(self, queries: Sequence[Query]) -> list[float]:
        return [self.separates(*query).values[3] for query in queries]

    def determined(self, queries: Sequence[Member]) -> list[bool]:
        determines = self.facts.determines
        if determines is None:
            return [False] * len(queries)
        names = self.nodes
        return [bool(given) and bool(determines([names[z] for z in given], names[column])) for column, given in queries]


def _rank(one: SeparatingSet) -> tuple[float, tuple[int, ...]]:
    # Nine digits: p-values that differ by rounding are equal, so the processor does not choose the set.
    return -to_nine_digits(one.p), one.given


def _sets_around(pool: AnyArray, x: int, y: int, size: int) -> Iterator[tuple[int, ...]]:
    """Every set of `size` nodes from the pool of x without y, or from the pool of y without x, once."""
    sides = [[int(z) for z in np.flatnonzero(pool[a]) if z != b] for a, b in ((x, y), (y, x))]
    yield from dict.fromkeys(given for side in sides for given in combinations(side, size))
