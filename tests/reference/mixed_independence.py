"""Tests and scores of categories and numbers, by their definitions: rows are mappings from columns to values.

Categories are text, numbers are floats. No cell may have few rows, and no number may be a function of others: what the
kernels do there has tests of its own.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from scipy.special import chdtrc, digamma

Table = dict[str, np.ndarray]

__all__ = ["bic_of_category", "bic_of_set", "logistic", "number_and_category", "two_categories", "two_numbers"]


def is_number(column: np.ndarray) -> bool:
    return column.dtype.kind == "f"


def cells(table: Table, columns: Sequence[str]) -> Iterator[np.ndarray]:
    """The rows of each configuration of the categories among some columns."""
    rows = len(next(iter(table.values())))
    found = defaultdict(list)
    for row in range(rows):
        found[tuple(table[name][row] for name in columns if not is_number(table[name]))].append(row)
    for key in sorted(found):
        yield np.array(found[key])


def residual_sum(y: np.ndarray, regressors: np.ndarray) -> float:
    """What the regression with an intercept leaves."""
    design = np.column_stack([np.ones(len(y)), regressors])
    rest = y - design @ np.linalg.lstsq(design, y, rcond=None)[0]
    return float(rest @ rest)


def numbers_of(table: Table, given: Sequence[str], rows: np.ndarray) -> np.ndarray:
    columns = [table[name][rows] for name in given if is_number(table[name])]
    return np.column_stack(columns) if columns else np.zeros((len(rows), 0))


def scaled(statistic: float, expected: float, df: float) -> tuple[float, float, float]:
    """The statistic with the mean of χ², its degrees of freedom, and p."""
    value = statistic * df / expected
    return value, df, float(chdtrc(df, value))


def two_numbers(table: Table, x: str, y: str, given: Sequence[str]) -> tuple[float, float, float]:
    """Σ −n·log(1 − r²), of which the mean is n·(ψ(f/2) − ψ((f − 1)/2)) in a cell with f rows left over."""
    statistic = expected = df = 0.0
    for rows in cells(table, given):
        others = numbers_of(table, given, rows)
        without = residual_sum(table[x][rows], others)
        with_y = residual_sum(table[x][rows], np.column_stack([others, table[y][rows]]))
        left = len(rows) - 1 - others.shape[1]
        statistic += len(rows) * math.log(without / with_y)
        expected += len(rows) * float(digamma(left / 2) - digamma((left - 1) / 2))
        df += 1
    return scaled(statistic, expected, df)


def number_and_category(table: Table, x: str, y: str, given: Sequence[str]) -> tuple[float, float, float]:
    """One regression of x in each cell of given, against one in each cell of given and y: slopes, then variances."""
    means, variances = np.zeros(3), np.zeros(3)  # statistic, its expectation, degrees of freedom
    powers = np.zeros(2)
    for rows in cells(table, given):
        others, n = numbers_of(table, given, rows), len(rows)
        design = np.column_stack([np.ones(n), others])
        rest = table[x][rows] - design @ np.linalg.lstsq(design, table[x][rows], rcond=None)[0]
        powers += (n * np.mean(rest**4) / np.mean(rest**2) ** 2, n)
        parts = []
        for state in np.unique(table[y][rows]):
            own = rows[table[y][rows] == state]
            parts.append((residual_sum(table[x][own], numbers_of(table, given, own)), len(own)))
        terms, within = others.shape[1] + 1, sum(left for left, _ in parts)
        means += (
            n * math.log(float(rest @ rest) / within),
            n * float(digamma((n - terms) / 2) - digamma((n - len(parts) * terms) / 2)),
            (len(parts) - 1) * terms,
        )
        variances += (
            n * math.log(within / n) - sum(m * math.log(left / m) for left, m in parts),
            n * (float(digamma((n - len(parts) * terms) / 2)) - math.log(n / 2))
            - sum(m * (float(digamma((m - terms) / 2)) - math.log(m / 2)) for _, m in parts),
            len(parts) - 1,
        )
    n = powers[1]
    kurtosis = 3 + (n - 1) / ((n - 2) * (n - 3)) * ((n + 1) * (powers[0] / n - 3) + 6)
    value = means[0] * means[2] / means[1] + variances[0] * variances[2] / variances[1] / max((kurtosis - 1) / 2, 0.25)
    df = float(means[2] + variances[2])
    return float(value), df, float(chdtrc(df, value))


def logistic(is_state: np.ndarray, terms: np.ndarray, ridge: float = 1e-4) -> np.ndarray:
    """The probabilities of a logistic regression, by Newton's method; the first term is the intercept."""
    slopes = np.zeros(terms.shape[1])
    slopes[0] = math.log(is_state.mean() / (1 - is_state.mean()))
    least = ridge * len(terms) * (np.arange(len(slopes)) > 0)
    for _ in range(50):
        p = 1 / (1 + np.exp(-terms @ slopes))
        gradient = terms.T @ (is_state - p) - least * slopes
        slopes += np.linalg.solve(terms.T @ (terms * (p * (1 - p))[:, None]) + np.diag(least), gradient)
    return np.asarray(1 / (1 + np.exp(-terms @ slopes)))


def two_categories(table: Table, x: str, y: str, given: Sequence[str]) -> tuple[float, float, float]:
    """TᵀV⁻¹T of the products of residuals, in each cell of the categories of given; given has a number."""
    statistic = df = 0.0
    for rows in cells(table, given):
        z = numbers_of(table, given, rows)
        z = (z - z.mean(axis=0)) / z.std(axis=0)
        products = [z[:, i] * z[:, j] for i in range(z.shape[1]) for j in range(i + 1)]
        terms = np.column_stack([np.ones(len(rows)), z, *products])
        residuals: list[list[Any]] = []
        for name in (x, y):
            states, counts = np.unique(table[name], return_counts=True)
            base = states[np.argmax(counts)]
            indicators = [(table[name][rows] == state).astype(float) for state in states if state != base]
            residuals.append([one - logistic(one, terms) for one in indicators])
        both = np.column_stack([a * b for a in residuals[0] for b in residuals[1]])
        total = both.sum(axis=0)
        statistic += float(total @ np.linalg.solve(both.T @ both, total))
        df += both.shape[1]
    return statistic, df, float(chdtrc(df, statistic))


def bic_of_set(table: Table, columns: Sequence[str], penalty: float = 1.0) -> float:
    """ℓ(S) − ½·log n·d(S), with the numbers normal in each cell of the categories."""
    rows = len(next(iter(table.values())))
    value, count = 0.0, sum(is_number(table[name]) for name in columns)
    sizes = [len(np.unique(table[name])) for name in columns if not is_number(table[name])]
    parameters = float(math.prod(sizes) - 1)
    for cell in cells(table, columns):
        n = len(cell)
        value += n * math.log(n / rows)
        if count:
            numbers = numbers_of(table, columns, cell)
            covariance = np.cov(numbers.T, bias=True).reshape(count, count)
            value -= n / 2 * (count * (math.log(2 * math.pi) + 1) + float(np.linalg.slogdet(covariance)[1]))
            parameters += count + count * (count + 1) / 2
    return value - penalty * 0.5 * math.log(rows) * parameters


def bic_of_category(table: Table, child: str, parents: Sequence[str], penalty: float = 1.0) -> float:
    """Logistic regressions in each cell: each state against those that come after it, the most frequent first."""
    states, counts = np.unique(table[child], return_counts=True)
    order = states[np.argsort(-counts, kind="stable")]
    value = parameters = 0.0
    for rows in cells(table, parents):
        z = numbers_of(table, parents, rows)
        terms = np.column_stack([np.ones(len(rows)), (z - z.mean(axis=0)) / z.std(axis=0)])
        left, labels = np.ones(len(rows), dtype=bool), table[child][rows]
        for state in order[:-1]:
            is_state = (labels[left] == state).astype(float)
            # The ridge is in proportion to all rows of the cell.
            p = logistic(is_state, terms[left], 1e-4 * len(rows) / left.sum())
            value += float(np.log(np.where(is_state > 0, p, 1 - p)).sum())
            left &= labels != state
        parameters += (len(states) - 1) * terms.shape[1]
    return value - penalty * 0.5 * math.log(len(table[child])) * parameters
