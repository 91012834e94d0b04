"""How a search runs its tests: in the compiled core where it knows them, else one by one in Python.

The searches of a skeleton's level and of triples by any test, in Python: for tests that the core does not know.

The core has the same searches for its own tests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations
from typing import Any, NamedTuple, Protocol

import numpy as np

from deciban import _core
from deciban.nets.graphs.graph import Node
from deciban.nets.independence.independence_test import Values
from deciban.ties import to_nine_digits
from deciban.types import AnyArray

__all__ = ["CoreEngine", "Engine", "Evidence", "Found", "Level", "Pair", "PlainEngine", "Query", "engine_of"]


_MOST_SETS = 1 << 12
"""Sets tested for a triple; where there are more, sets of the largest sizes are left out."""


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

    found: dict[tuple[int, int], Found]
    tests: int
    unsure: int
    skipped: int = 0


class Engine(Protocol):
    """Tests all that a step of the search needs."""

    @property
    def rules(self) -> tuple[float, float, bool]: ...
    def level(self, edges: AnyArray, pool: AnyArray, size: int, *, is_all: bool) -> Level: ...
    def weigh(self, pairs: Sequence[Pair], pool: AnyArray, depth: int) -> list[list[Evidence]]: ...
    def p_values(self, queries: Sequence[Query]) -> list[float]: ...
    def determined(self, queries: Sequence[Member]) -> list[bool]: ...


def engine_of(test: Any, nodes: Sequence[Node], *, is_bounded: bool) -> Engine:
    """The engine for a test; `nodes` are in the order of their indices.

    `is_bounded`: ``max_given`` is set, so all sets up to that size are tested however few rows there are.
    """
    source = getattr(test, "source", None)
    if source is not None:
        rows_per_df = 0.0 if is_bounded else float(getattr(test, "rows_per_df", 0.0))
        return CoreEngine(source, test.rules, len(getattr(test, "latent", ())), rows_per_df)
    return PlainEngine(test, nodes, is_bounded=is_bounded)


class CoreEngine:
    """On all cores, in the order of nodes whatever the threads do; the last nodes of the source may be hidden."""

    def __init__(
        self, source: Any, rules: tuple[float, float, bool], hidden: int = 0, rows_per_df: float = 0.0
    ) -> None:
        self.source = source
        self.rules = rules
        self.hidden = hidden
        self.rows_per_df = rows_per_df

    def _marks(self, matrix: AnyArray) -> AnyArray:
        return np.pad(matrix.astype(np.uint8), (0, self.hidden))

    def level(self, edges: AnyArray, pool: AnyArray, size: int, *, is_all: bool) -> Level:
        marks = self._marks(edges), self._marks(pool)
        alpha, power, is_sure = self.rules
        x, y, sets, values, *counts = _core.test_level(
            self.source, *marks, size, alpha, power, is_sure, self.rows_per_df, is_all
        )
        rows = zip(x.tolist(), y.tolist(), sets.tolist(), values.tolist(), strict=True)
        return Level({(a, b): Found(tuple(given), tuple(row)) for a, b, given, row in rows}, *counts)

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


class PlainEngine:
    """Any object with ``test(x, y, given)``, or only ``independent(x, y, given)``."""

    def __init__(self, test: Any, nodes: Sequence[Node], *, is_bounded: bool = False) -> None:
        self.test = test
        self.rules = getattr(test, "rules", (0.5, 0.0, False))
        self.nodes = nodes
        self.has_rows = None if is_bounded else getattr(test, "has_rows", None)
        self.tests = 0
        self.unsure = 0
        self.skipped = 0

    def separates(self, x: int, y: int, given: Sequence[int]) -> tuple[bool, Values]:
        """Whether the set separates x from y, and the values of the test; a set with too few rows does not."""
        names = self.nodes[x], self.nodes[y], [self.nodes[z] for z in given]
        if given and self.has_rows is not None and not self.has_rows(*names):
            self.skipped += 1
            return False, (0.0, 0.0, 0.0, 0.0)
        self.tests += 1
        if not hasattr(self.test, "test"):
            answer = bool(self.test.independent(*names))
            return answer, (0.0 if answer else float("inf"), 1.0, 0.0, float(answer))
        found = self.test.test(*names)
        values = (found.statistic, found.df, found.rows, found.p)
        self.unsure += found.verdict == "none"
        if getattr(found, "determined", ()):  # it says nothing of x and y: a p that never counts
            return False, (found.statistic, found.df, found.rows, 0.0)
        return found.verdict == "independent" or (found.verdict == "none" and self.rules[2]), values

    def level(self, edges: AnyArray, pool: AnyArray, size: int, *, is_all: bool) -> Level:
        self.tests = self.unsure = self.skipped = 0
        found = level_of(self.separates, edges, pool, size, is_all=is_all)
        return Level(found, self.tests, self.unsure, self.skipped)

    def weigh(self, pairs: Sequence[Pair], pool: AnyArray, depth: int) -> list[list[Evidence]]:
        return weigh_triples(self.separates, pairs, pool, depth, self._determines)

    def p_values(self, queries: Sequence[Query]) -> list[float]:
        return [self.separates(*one)[1][3] for one in queries]

    def determined(self, queries: Sequence[Member]) -> list[bool]:
        return [self._determines(given, column) for column, given in queries]

    def _determines(self, given: Sequence[int], column: int) -> bool:
        if not given or not hasattr(self.test, "determines"):
            return False
        return bool(self.test.determines([self.nodes[z] for z in given], self.nodes[column]))


Separates = Callable[[int, int, Sequence[int]], tuple[bool, Values]]
Determines = Callable[[Sequence[int], int], bool]


class Found(NamedTuple):
    """What takes an edge out: the set given, and its test."""

    given: tuple[int, ...]
    values: Values


def level_of(
    test: Separates, open_: AnyArray, pool: AnyArray, size: int, *, is_all: bool = False
) -> dict[tuple[int, int], Found]:
    """One level of PC-stable: for each edge the separating set with the largest p; ties go to the smaller set."""
    best: dict[tuple[int, int], Found] = {}
    for x, y in combinations(range(len(open_)), 2):
        if not open_[x, y]:
            continue
        for given in _sets_around(pool, x, y, size):
            separates, values = test(x, y, given)
            known = best.get((x, y))
            if (separates or is_all) and (known is None or _rank(values, given) < _rank(known.values, known.given)):
                best[x, y] = Found(given, values)
    return best


def _rank(values: Values, given: tuple[int, ...]) -> tuple[float, tuple[int, ...]]:
    return -to_nine_digits(values[3]), given


class Evidence(NamedTuple):
    """Of a triple x — z — y: the largest p with and without z, and how many sets separate with and without z."""

    p_with: float
    p_without: float
    with_: int
    without: int


def weigh_triples(
    test: Separates,
    pairs: Iterable[tuple[int, int, Sequence[int]]],
    pool: AnyArray,
    depth: int,
    determines: Determines = lambda _given, _z: False,
) -> list[list[Evidence]]:
    """What all sets of up to `depth` nodes around x and y say of each z between them.

    A set that determines z conditions on it as well (Geiger, Verma and Pearl 1990).
    """
    out = []
    for x, y, middles in pairs:
        tested = [
            (given, *test(x, y, given)) for size in range(depth + 1) for given in sorted(_sets_around(pool, x, y, size))
        ]
        out.append([_evidence(z, tested, determines) for z in middles])
    return out


def _evidence(z: int, tested: Sequence[tuple[tuple[int, ...], bool, Values]], determines: Determines) -> Evidence:
    sides: tuple[list[tuple[bool, float]], list[tuple[bool, float]]] = ([], [])
    for given, ok, values in tested:
        is_in = z in given or (ok and determines(given, z))
        sides[0 if is_in else 1].append((ok, values[3]))
    best = [max((p for _, p in side), default=0.0) for side in sides]
    counts = [sum(ok for ok, _ in side) for side in sides]
    return Evidence(best[0], best[1], counts[0], counts[1])


def _sets_around(pool: AnyArray, x: int, y: int, size: int) -> Iterator[tuple[int, ...]]:
    """Every set of `size` nodes from the pool of x without y, or from the pool of y without x, once."""
    sides = [[int(z) for z in np.flatnonzero(pool[a]) if z != b] for a, b in ((x, y), (y, x))]
    yield from dict.fromkeys(given for side in sides for given in combinations(side, size))
