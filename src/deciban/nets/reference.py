"""The readable twins of the core's tests and searches: slow, in plain Python, and the same numbers.

``level_of`` and ``weigh_triples`` also serve tests that the core does not know.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from scipy.special import chdtrc

from deciban.types import AnyArray, Floats

__all__ = ["Evidence", "Found", "Values", "correlations", "counts_test", "fisher_z", "level_of", "weigh_triples"]

Values = tuple[float, float, float, float]
"""Statistic, degrees of freedom, rows, p."""

Separates = Callable[[int, int, Sequence[int]], tuple[bool, Values]]


def counts_test(
    rows: Iterable[Sequence[int | None]],
    sizes: Sequence[int],
    x: int,
    y: int,
    given: Sequence[int],
    *,
    is_chi: bool = False,
    is_full: bool = False,
    is_corrected: bool = True,
    weights: Iterable[float] | None = None,
) -> Values:
    """G² or χ² of x and y in the strata of given; None is a missing value."""
    cells: dict[tuple[int | None, ...], Counter[tuple[int, int]]] = defaultdict(Counter)
    for row, weight in zip(rows, weights or iter(lambda: 1.0, None), strict=False):
        a, b, stratum = row[x], row[y], tuple(row[z] for z in given)
        if a is not None and b is not None and None not in stratum:
            cells[stratum][a, b] += weight  # type: ignore[assignment]
    found = [_stratum(table, is_chi) for table in cells.values()]
    statistic = sum(part[0] for part in found)
    df = float(sum(part[1] for part in found))
    total = sum(part[2] for part in found)
    if is_full:
        df = float((sizes[x] - 1) * (sizes[y] - 1) * math.prod(sizes[z] for z in given))
    elif is_corrected and not _is_harmless(
        total, df, sum(part[1] for table, part in zip(cells.values(), found, strict=True) if _is_small(table))
    ):
        tested = [
            _moments(table) if _is_small(table) else (part[0], part[1], 2.0 * part[1])
            for table, part in zip(cells.values(), found, strict=True)
        ]
        value, mean, variance = (sum(column) for column in zip(*tested, strict=True))
        if variance <= 1e-9 * mean:
            return statistic, 0.0, total, 1.0
        return statistic, df, total, float(chdtrc(2 * mean**2 / variance, 2 * mean / variance * max(value, 0.0)))
    return statistic, df, total, float(chdtrc(df, statistic)) if df > 0 else 1.0


def _margins(table: Counter[tuple[int, int]]) -> tuple[list[float], list[float]]:
    """The totals above 0 of both variables."""
    sides: tuple[Counter[int], Counter[int]] = (Counter(), Counter())
    for pair, n in table.items():
        for side, state in zip(sides, pair, strict=True):
            side[state] += n
    rows, columns = ([float(n) for n in side.values() if n > 0] for side in sides)
    return rows, columns


def _is_harmless(rows: float, df: float, small_df: float) -> bool:
    """Whether there are rows enough, and small counts add less than two standard deviations to G²."""
    return small_df == 0 or (rows >= 15 * df and small_df / 7 <= 2 * math.sqrt(2 * df))


def _is_small(table: Counter[tuple[int, int]]) -> bool:
    """Whether some expected count is below 5."""
    rows, columns = _margins(table)
    return len(rows) > 1 and len(columns) > 1 and min(rows) * min(columns) < 5 * sum(rows)


def _moments(table: Counter[tuple[int, int]]) -> tuple[float, float, float]:
    """χ², and its mean and variance given the margins (Haldane 1940; Dawson 1954)."""
    rows, columns = _margins(table)
    n, r, c = sum(rows), len(rows), len(columns)
    value, df, _ = _stratum(table, is_chi=True)
    most = n * (min(r, c) - 1)
    if n <= 1:
        return value, 0.0, 0.0
    mean = min(df * n / (n - 1), most)
    if n <= 2:
        return value, mean, 0.0
    w = [max(sum(n / total for total in side) - len(side) ** 2, 0.0) / (n - 2) for side in (rows, columns)]
    variance = n**2 / (n - 1) * w[0] * w[1]
    if n > 3:
        v = [(size - 1) * (n - size) / (n - 1) for size in (r, c)]
        variance += 2 * n / (n - 3) * max(v[0] - w[0], 0.0) * max(v[1] - w[1], 0.0)
    return value, mean, min(variance, most**2 / 4)


def _stratum(table: Counter[tuple[int, int]], is_chi: bool) -> tuple[float, int, float]:
    rows: Counter[int] = Counter()
    columns: Counter[int] = Counter()
    for (a, b), n in table.items():
        rows[a] += n
        columns[b] += n
    whole = float(rows.total())
    active = [sum(n > 0 for n in margin.values()) for margin in (rows, columns)]
    if whole == 0:
        return 0.0, 0, 0.0
    statistic = 0.0
    for a in rows:
        for b in columns:
            n, expected = table[a, b], rows[a] * columns[b] / whole
            if is_chi:
                statistic += (n - expected) ** 2 / expected if expected > 0 else 0.0
            elif n > 0:
                statistic += 2 * n * math.log(n / expected)
    return statistic, (active[0] - 1) * (active[1] - 1), whole


def correlations(values: Floats, weights: Floats | None = None) -> tuple[Floats, float]:
    """The matrix of correlations, 0 where a column is constant, and the weight of the rows."""
    share = np.ones(len(values)) if weights is None else weights
    whole = float(share.sum())
    centred = values - (share @ values) / whole if whole else values * 0.0
    centred -= (share @ centred) / whole if whole else 0.0  # what rounding left of a large mean
    spread = np.sqrt(share @ centred**2)
    is_constant = spread <= 1e-12 * np.sqrt(whole) * np.maximum(np.abs(values).max(axis=0, initial=0), 1e-300)
    scaled = np.where(is_constant, 0.0, centred / np.where(is_constant, 1.0, spread))
    matrix = (scaled * share[:, None]).T @ scaled
    np.fill_diagonal(matrix, np.where(is_constant, 0.0, 1.0))
    return np.ascontiguousarray(matrix), whole


def fisher_z(values: Floats, weights: Floats | None, x: int, y: int, given: Sequence[int]) -> Values:
    """Fisher's z, squared, on the rows that have all the values."""
    used = [x, y, *given]
    known = ~np.isnan(values[:, used]).any(axis=1)
    matrix, whole = correlations(values[known][:, used], None if weights is None else weights[known])
    freedom = whole - len(given) - 3
    if freedom <= 0:
        return 0.0, 0.0, whole, 1.0
    inner = np.linalg.pinv(matrix[2:, 2:], hermitian=True) if given else np.zeros((0, 0))
    left = matrix[:2, :2] - matrix[:2, 2:] @ inner @ matrix[2:, :2]
    scale = math.sqrt(max(left[0, 0], 0.0) * max(left[1, 1], 0.0))
    if scale < 1e-12:
        return 0.0, 1.0, whole, 1.0
    r = min(max(left[0, 1] / scale, -1.0), 1.0)
    z = math.inf if abs(r) == 1.0 else math.atanh(r) * math.sqrt(freedom)
    return z * z, 1.0, whole, math.erfc(abs(z) / math.sqrt(2))


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
            if (separates or is_all) and (known is None or (-values[3], given) < (-known.values[3], known.given)):
                best[x, y] = Found(given, values)
    return best


class Evidence(NamedTuple):
    """Of a triple x — z — y: the largest p with and without z, and how many sets separate with and without z."""

    p_with: float
    p_without: float
    with_: int
    without: int


def weigh_triples(
    test: Separates, pairs: Iterable[tuple[int, int, Sequence[int]]], pool: AnyArray, depth: int
) -> list[list[Evidence]]:
    """What all sets of up to `depth` nodes around x and y say of each z between them."""
    out = []
    for x, y, middles in pairs:
        tested = [
            (given, *test(x, y, given)) for size in range(depth + 1) for given in sorted(_sets_around(pool, x, y, size))
        ]
        out.append([_evidence(z, tested) for z in middles])
    return out


def _evidence(z: int, tested: Sequence[tuple[tuple[int, ...], bool, Values]]) -> Evidence:
    sides = [[(ok, values[3]) for given, ok, values in tested if (z in given) == is_in] for is_in in (True, False)]
    best = [max((p for _, p in side), default=0.0) for side in sides]
    counts = [sum(ok for ok, _ in side) for side in sides]
    return Evidence(best[0], best[1], counts[0], counts[1])


def _sets_around(pool: AnyArray, x: int, y: int, size: int) -> Iterator[tuple[int, ...]]:
    """Every set of `size` nodes from the pool of x without y, or from the pool of y without x, once."""
    sides = [[int(z) for z in np.flatnonzero(pool[a]) if z != b] for a, b in ((x, y), (y, x))]
    yield from dict.fromkeys(given for side in sides for given in combinations(side, size))
