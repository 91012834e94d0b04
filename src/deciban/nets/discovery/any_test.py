"""The searches of a skeleton's level and of triples by any test, in Python: for tests that the core does not know.

The core has the same searches for its own tests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from deciban.nets.tests.results import Values
from deciban.ties import to_nine_digits
from deciban.types import AnyArray

__all__ = ["Evidence", "Found", "level_of", "weigh_triples"]

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
