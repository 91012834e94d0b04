"""How a search runs its tests: in the compiled core where it knows them, else one by one in Python.

An engine answers all questions of one step at a time: the edges of a level, the triples, sets that determine a column.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple, Protocol

import numpy as np

from deciban import _core
from deciban.nets.graphs.graph import Node
from deciban.nets.independence.independence_test import SourceFacts, Values, VerdictRules
from deciban.ties import to_nine_digits
from deciban.types import AnyArray

__all__ = [
    "CoreEngine",
    "Engine",
    "Evidence",
    "Level",
    "Member",
    "Pair",
    "PlainEngine",
    "Query",
    "SeparatingSet",
    "Tested",
    "engine_of",
]


# The sets around a triple grow as 2^neighbours. Where there are more than these, the core leaves out the largest sizes;
# without the limit one hub of 40 neighbours would take years.
_MOST_SETS = 1 << 12


Query = tuple[int, int, Sequence[int]]
"""Two variables and a conditioning set, by index."""

Member = tuple[int, Sequence[int]]
"""A variable, and a set that may determine it, by index."""


class Pair(NamedTuple):
    """Two nodes that are not adjacent, and those that are adjacent to both."""

    x: int
    y: int
    middles: tuple[int, ...]


class SeparatingSet(NamedTuple):
    """What takes an edge out: the set given, and the values of its test."""

    given: tuple[int, ...]
    values: Values

    @property
    def p(self) -> float:
        return self.values[3]


class Level(NamedTuple):
    """The edges to remove, and the number of tests, of tests without verdict, and of sets with too few rows."""

    found: dict[tuple[int, int], SeparatingSet]
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
    def level(self, edges: AnyArray, pool: AnyArray, size: int, *, is_all: bool) -> Level: ...
    def weigh(self, pairs: Sequence[Pair], pool: AnyArray, depth: int) -> list[list[Evidence]]: ...
    def p_values(self, queries: Sequence[Query]) -> list[float]: ...
    def determined(self, queries: Sequence[Member]) -> list[bool]: ...


def engine_of(facts: SourceFacts, nodes: Sequence[Node], *, is_bounded: bool) -> Engine:
    """The engine for a source; `nodes` are in the order of their indices.

    `is_bounded`: ``max_given`` is set, so all sets up to that size are tested however few rows there are.
    """
    if facts.core is None:
        return PlainEngine(facts, nodes, is_bounded)
    return CoreEngine(facts.core, facts.rules, facts.latent, 0.0 if is_bounded else facts.rows_per_df)


@dataclass(frozen=True)
class CoreEngine:
    """On all cores, in the order of nodes whatever the threads do; the last nodes of the source may be hidden."""

    source: _core.Source
    rules: VerdictRules
    hidden: int = 0
    rows_per_df: float = 0.0

    def _marks(self, matrix: AnyArray) -> AnyArray:
        return np.pad(matrix.astype(np.uint8), (0, self.hidden))

    def level(self, edges: AnyArray, pool: AnyArray, size: int, *, is_all: bool) -> Level:
        marks = self._marks(edges), self._marks(pool)
        alpha, rows_per_degree, is_sure = self.rules
        x, y, sets, values, *counts = _core.test_level(
            self.source, *marks, size, alpha, rows_per_degree, is_sure, self.rows_per_df, is_all
        )
        rows = zip(x.tolist(), y.tolist(), sets.tolist(), values.tolist(), strict=True)
        return Level({(a, b): SeparatingSet(tuple(given), tuple(row)) for a, b, given, row in rows}, *counts)

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
    """Any object with ``test(x, y, given)``, or only ``independent(x, y, given)``: one call for each question."""

    facts: SourceFacts
    nodes: Sequence[Node]
    is_bounded: bool = False

    @property
    def rules(self) -> VerdictRules:
        return self.facts.rules

    def separates(self, x: int, y: int, given: Sequence[int]) -> Tested:
        """Whether the set separates x from y; a set with too few rows does not."""
        facts = self.facts
        names = self.nodes[x], self.nodes[y], [self.nodes[z] for z in given]
        if given and not self.is_bounded and facts.has_rows is not None and not facts.has_rows(*names):
            return Tested(False, (0.0, 0.0, 0.0, 0.0), is_skipped=True)
        if facts.test is None:
            answer = bool(facts.independent(*names))
            return Tested(answer, (0.0 if answer else float("inf"), 1.0, 0.0, float(answer)))
        result = facts.test(*names)
        is_unsure = result.verdict == "none"
        if getattr(result, "determined", ()):  # it says nothing of x and y: a p that never counts
            return Tested(False, (result.statistic, result.df, result.rows, 0.0), is_unsure)
        separates = result.verdict == "independent" or (is_unsure and self.rules.unsure_is_independent)
        return Tested(separates, (result.statistic, result.df, result.rows, result.p), is_unsure)

    def level(self, edges: AnyArray, pool: AnyArray, size: int, *, is_all: bool) -> Level:
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
        return Level(best, tests, unsure, skipped)

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
