"""G² and χ² of two variables given others, by their definitions."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import combinations

import numpy as np
from scipy.special import chdtrc

from deciban.nets.independence.independence_test import Values, VerdictRules
from deciban.ties import to_nine_digits
from deciban.types import AnyArray, Floats

__all__ = ["counts_test", "fisher_z", "gaussian_level", "partial_correlation"]


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
    """Whether there are enough rows, and small counts add less than two standard deviations to G²."""
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


def partial_correlation(rows: Sequence[Sequence[float]], x: int, y: int, given: Sequence[int]) -> float:
    """The correlation of x and y given others, by the recursion over the last of them.

    r_xy.S = (r_xy.T − r_xz.T·r_yz.T) / √((1 − r_xz.T²)(1 − r_yz.T²)),    T = S without z
    """
    if not given:
        means = [sum(row[i] for row in rows) / len(rows) for i in (x, y)]
        pairs = [(row[x] - means[0], row[y] - means[1]) for row in rows]
        return sum(a * b for a, b in pairs) / math.sqrt(sum(a * a for a, _ in pairs) * sum(b * b for _, b in pairs))
    *rest, z = given
    xy, xz, yz = (partial_correlation(rows, a, b, rest) for a, b in ((x, y), (x, z), (y, z)))
    return (xy - xz * yz) / math.sqrt((1 - xz * xz) * (1 - yz * yz))


def fisher_z(rows: Sequence[Sequence[float]], x: int, y: int, given: Sequence[int]) -> Values:
    """Fisher's z, squared: z = √(n − |S| − 3)·artanh r; p is the two-sided tail of a standard normal."""
    z = math.sqrt(len(rows) - len(given) - 3) * math.atanh(partial_correlation(rows, x, y, given))
    return z * z, 1.0, float(len(rows)), math.erfc(abs(z) / math.sqrt(2))


_LEAST = 1e-10  # with less of its variance left, a column is a function of those that are given


def gaussian_level(
    correlation: Floats, rows: float, rules: VerdictRules, edges: AnyArray, pool: AnyArray, size: int, *, is_all: bool
) -> tuple[dict[tuple[int, int], tuple[tuple[int, ...], Values]], int, int]:
    """A level of PC: of each edge the set that separates it with the largest p; how many tests, and without verdict."""
    best: dict[tuple[int, int], tuple[tuple[int, ...], Values]] = {}
    tests = unsure = 0
    for x, y in combinations(range(len(edges)), 2):
        sides = [[z for z in np.flatnonzero(pool[a]).tolist() if z != b] for a, b in ((x, y), (y, x))]
        for given in sorted({set_ for side in sides for set_ in combinations(side, size)}) if edges[x, y] else []:
            values, is_determined = _of_correlations(correlation, rows, x, y, given)
            tests += 1
            none = is_determined or rows < rules.rows_per_degree * values[1] or (values[1] == 0 and size > 0)
            unsure += none
            separates = rules.unsure_is_independent if none else values[3] > rules.alpha
            is_better = (x, y) not in best or to_nine_digits(values[3]) > to_nine_digits(best[x, y][1][3])
            if not is_determined and (separates or is_all) and is_better:
                best[x, y] = given, values
    return best, tests, unsure


def _of_correlations(correlation: Floats, rows: float, x: int, y: int, given: Sequence[int]) -> tuple[Values, bool]:
    """Fisher's z of what is left of the correlations after each column of the set is swept out."""
    left = correlation
    for z in given:
        if left[z, z] >= _LEAST:
            left = left - np.outer(left[z] / left[z, z], left[z])
    freedom = rows - len(given) - 3
    if freedom <= 0:
        return (0.0, 0.0, rows, 1.0), False
    gone = [a for a in (x, y) if left[a, a] < _LEAST]
    if gone:
        is_determined = any(correlation[a, a] > 0 for a in gone)
        return (0.0, 0.0 if is_determined else 1.0, rows, 1.0), is_determined
    r = min(max(left[x, y] / math.sqrt(left[x, x] * left[y, y]), -1.0), 1.0)
    z = math.inf if abs(r) == 1.0 else math.atanh(r) * math.sqrt(freedom)
    return (z * z, 1.0, rows, math.erfc(abs(z) / math.sqrt(2))), False
