"""The counting and scoring kernels by their definitions: readable twins for teaching and for tests.

Rows are sequences, classes are codes 0, 1, …, and numbers are anything that adds and multiplies: with integers or
``Fraction`` the counts, means and probabilities are exact. A missing value is None.

>>> count_codes([[0, 1], [1, 1]], [0, 0], classes=1, sizes=[2, 2])
[[[1, 1]], [[0, 2]]]
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import exp, inf, log, log2, pi
from typing import Any

__all__ = [
    "add_bins",
    "class_moments",
    "count_codes",
    "count_sets",
    "count_values",
    "description_cuts",
    "joint_probabilities",
    "log_posterior",
    "loo_log_likelihood",
    "merge_moments",
    "score_averaged",
    "score_gaussian",
    "score_linear",
    "score_table",
    "smooth",
    "sum_terms",
]

Row = Sequence[Any]
Table = list[list[Any]]


def count_codes(
    rows: Sequence[Row], y: Sequence[int], classes: int, sizes: Sequence[int], weights: Sequence[Any] | None = None
) -> list[Table]:
    """n_jv = Σ w over the rows of class j with value v, for each column."""
    counts: list[Table] = [[[0] * size for _ in range(classes)] for size in sizes]
    for r, (row, j) in enumerate(zip(rows, y, strict=True)):
        for column, v in zip(counts, row, strict=True):
            if v is not None:
                column[j][v] += 1 if weights is None else weights[r]
    return counts


def count_sets(
    rows: Sequence[Row],
    y: Sequence[int],
    classes: int,
    sizes: Sequence[int],
    sets: Sequence[Sequence[int]],
    weights: Sequence[Any] | None = None,
) -> list[Table]:
    """n_vj = Σ w over the rows of class j whose columns in the set have the values v, for each set and v in order."""
    tables = []
    for columns in sets:
        cells = {v: [0] * classes for v in product(*(range(sizes[c]) for c in columns))}
        for r, (row, j) in enumerate(zip(rows, y, strict=True)):
            v = tuple(row[c] for c in columns)
            if v in cells:  # not where a value is missing
                cells[v][j] += 1 if weights is None else weights[r]
        tables.append(list(cells.values()))
    return tables


def count_values(
    x: Sequence[Any], y: Sequence[int], classes: int, weights: Sequence[Any] | None = None
) -> tuple[list[Any], Table]:
    """The distinct values in order, and w_jv = Σ w over the rows of class j with value v."""
    table: dict[Any, list[Any]] = {}
    for r, (v, j) in enumerate(zip(x, y, strict=True)):
        w = 1 if weights is None else weights[r]
        if v is not None and w:
            table.setdefault(v, [0] * classes)[j] += w
    values = sorted(table)
    return values, [[table[v][j] for v in values] for j in range(classes)]


def description_cuts(counts: Table, tie: float) -> list[int]:
    """Indices of the last values of bins, by minimum description length (Fayyad and Irani, 1993); counts by value."""
    if len(counts) < 2:
        return []
    whole, halves = _total(counts), [(_total(counts[:i]), _total(counts[i:])) for i in range(1, len(counts))]
    n = sum(whole)
    costs = [(sum(left) * entropy(left) + sum(right) * entropy(right)) / n for left, right in halves]
    best = next(i for i, cost in enumerate(costs) if cost <= min(costs) + tie)
    k, k1, k2 = (sum(c > 0 for c in mix) for mix in (whole, *halves[best]))
    h, h1, h2 = map(entropy, (whole, *halves[best]))
    price = (log2(max(n - 1, 1)) + log2(3**k - 2) - (k * h - k1 * h1 - k2 * h2)) / n
    if h - costs[best] <= price:
        return []
    right = [best + 1 + end for end in description_cuts(counts[best + 1 :], tie)]
    return [*description_cuts(counts[: best + 1], tie), best, *right]


def entropy(counts: Sequence[Any]) -> float:
    """H = −Σ p·log₂ p."""
    n = sum(counts)
    return -sum(c / n * log2(c / n) for c in counts if c > 0)


def _total(rows: Table) -> list[Any]:
    return [sum(column) for column in zip(*rows, strict=True)]


def add_bins(x: Sequence[Any], cuts: Sequence[Any], table: Table) -> Table:
    """The row of the table for the bin of each number; a number equal to a cut is below it."""
    zeros = [0.0] * len(table[0])
    return [zeros if v is None else table[sum(cut < v for cut in cuts)] for v in x]


def sum_terms(rows: Sequence[Row], y: Sequence[int], classes: int, weights: Sequence[Any] | None = None) -> Table:
    """T_jk = Σ w·x_k over the rows of class j."""
    sums: Table = [[0] * len(rows[0]) for _ in range(classes)]
    for r, (row, j) in enumerate(zip(rows, y, strict=True)):
        for k, x in enumerate(row):
            if x is not None:
                sums[j][k] += x if weights is None else x * weights[r]
    return sums


def class_moments(
    rows: Sequence[Row], y: Sequence[int], classes: int, weights: Sequence[Any] | None = None
) -> list[list[tuple[Any, Any, Any]]]:
    """(n, mean, Σ w (x − mean)²) of each class and column, by the definition: in two passes."""
    out: list[list[tuple[Any, Any, Any]]] = []
    for j in range(classes):
        out.append([])
        for k in range(len(rows[0])):
            cell = [
                (1 if weights is None else weights[r], row[k])
                for r, row in enumerate(rows)
                if y[r] == j and row[k] is not None
            ]
            n = sum(w for w, _ in cell)
            mean = sum(w * x for w, x in cell) / _exact(n) if n else 0
            out[j].append((n, mean, sum(w * (x - mean) ** 2 for w, x in cell)))
    return out


def merge_moments(a: tuple[Any, Any, Any], b: tuple[Any, Any, Any]) -> tuple[Any, Any, Any]:
    """Moments of two groups together. Chan, Golub and LeVeque (1979)."""
    n = a[0] + b[0]
    if not n:
        return a
    delta = b[1] - a[1]
    return n, a[1] + delta * b[0] / _exact(n), a[2] + b[2] + delta * delta * a[0] * b[0] / _exact(n)


def smooth(counts: Sequence[Any], pseudo: Any) -> list[Any]:
    """(n + a) / Σ (n + a): Laplace's law for a = 1, Lidstone's for any a."""
    whole = sum(counts) + pseudo * len(counts)
    return [(n + pseudo) / _exact(whole) for n in counts]


def joint_probabilities(row: Row, priors: Sequence[Any], tables: Sequence[Table]) -> list[Any]:
    """P(j)·Π_i P(x_i | j): the product for each class."""
    out = list(priors)
    for table, v in zip(tables, row, strict=True):
        if v is not None:
            out = [p * table[j][v] for j, p in enumerate(out)]
    return out


def score_table(row: Row, log_prior: Sequence[float], tables: Sequence[Table]) -> list[float]:
    """log P(j) + Σ_i log P(x_i | j); tables[i][j][v] are log-probabilities."""
    known = [(table, v) for table, v in zip(tables, row, strict=True) if v is not None]
    return [p + sum(table[j][v] for table, v in known) for j, p in enumerate(log_prior)]


def score_linear(row: Row, log_prior: Sequence[float], weights: Table) -> list[float]:
    """log P(j) + Σ_k x_k·w_jk, where 0·(−∞) is 0."""
    terms = [(k, x) for k, x in enumerate(row) if x]
    return [p + sum(x * w[k] for k, x in terms) for p, w in zip(log_prior, weights, strict=True)]


def score_gaussian(row: Row, log_prior: Sequence[float], mean: Table, variance: Table) -> list[float]:
    """log P(j) + Σ_i log N(x_i; μ_ji, σ²_ji)."""
    known = [(i, x) for i, x in enumerate(row) if x is not None]
    return [
        p - sum(0.5 * log(2 * pi * v[i]) + (x - m[i]) ** 2 / (2 * v[i]) for i, x in known)
        for p, m, v in zip(log_prior, mean, variance, strict=True)
    ]


def loo_log_likelihood(counts: Sequence[Table], prior: Sequence[Table], strength: float) -> float:
    """Σ n·log ((n − 1 + s·q) / (N − 1 + s)) over cells n > 0 of contexts × states × classes, N a context's sum."""
    total = 0.0
    for table, shares in zip(counts, prior, strict=True):
        whole = [sum(of_class) for of_class in zip(*table, strict=True)]
        for row, of_state in zip(table, shares, strict=True):
            for n, q, m in zip(row, of_state, whole, strict=True):
                if n > 0:
                    total += n * log((max(n - 1, 0) + strength * q) / (max(m - 1, 0) + strength))
    return total


def score_averaged(logs: Sequence[Sequence[Sequence[float]]]) -> list[float]:
    """log (1/n)·Σ_p Π_j exp logs[p][j][class]: the mean over parents of a product over children (Webb et al., 2005)."""
    sums = [[sum(of_class) for of_class in zip(*parent, strict=True)] for parent in logs]
    means = [sum(exp(v) for v in of_class) / len(logs) for of_class in zip(*sums, strict=True)]
    return [log(mean) if mean > 0 else -inf for mean in means]


def log_posterior(joint: Sequence[float], log_prior: Sequence[float]) -> list[float]:
    """log P(j | x) = joint_j − log Σ exp joint; a row that is impossible in every class has the prior."""
    if all(v == -inf for v in joint):
        joint = log_prior
    largest = max(joint)
    shift = largest + log(sum(exp(v - largest) for v in joint))
    return [v - shift for v in joint]


def _exact(n: Any) -> Any:
    return Fraction(n) if isinstance(n, int) else n
