"""Readable references: tables of families by counting rows one by one, and expected counts by listing completions.

A row is a list of codes, None where a value is missing. With weights and tables of ``Fraction`` the results are exact.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import product
from math import prod
from typing import Any

__all__ = ["count_family", "expected_family", "grouped_sums"]

Row = Sequence[int | None]
Cell = tuple[int, ...]


def count_family(rows: Sequence[Row], family: Sequence[int], weights: Sequence[Any] | None = None) -> Counter[Cell]:
    """The count, or weight, of each combination of the family's states in the rows without missing values in it."""
    counts: Counter[Cell] = Counter()
    for index, row in enumerate(rows):
        cell = tuple(code for code in (row[member] for member in family) if code is not None)
        if len(cell) == len(family):
            counts[cell] += 1 if weights is None else weights[index]
    return counts


def expected_family(
    rows: Sequence[Row], which: int, families: Sequence[Sequence[int]], tables: Sequence[Mapping[Cell, Any]]
) -> dict[Cell, Any]:
    """Σ_rows P(family = cell | row): every completion of a row counts for its share of the row's probability."""
    sizes = [1 + max(cell[-1] for cell in table) for table in tables]
    counts: dict[Cell, Any] = {}
    for row in rows:
        whole = [
            completion
            for completion in product(*map(range, sizes))
            if all(known is None or known == code for known, code in zip(row, completion, strict=True))
        ]
        shares = [_probability(completion, families, tables) for completion in whole]
        for completion, share in zip(whole, shares, strict=True):
            cell = tuple(completion[member] for member in families[which])
            counts[cell] = counts.get(cell, 0) + share / sum(shares)
    return counts


def _probability(row: Cell, families: Sequence[Sequence[int]], tables: Sequence[Mapping[Cell, Any]]) -> Any:
    """Π P(node | parents)."""
    return prod(table[tuple(row[member] for member in family)] for family, table in zip(families, tables, strict=True))


def grouped_sums(
    rows: Sequence[Sequence[Any]], numbers: Sequence[int], groups: Sequence[int], weights: Sequence[Any] | None = None
) -> dict[Cell, tuple[Any, list[Any], list[list[Any]]]]:
    """For each combination of the states of `groups`: Σw, Σ w·x and Σ w·x·xᵀ of the columns `numbers`.

    A row with a missing value (None) in one of these columns does not count.
    """
    sums: dict[Cell, tuple[Any, list[Any], list[list[Any]]]] = {}
    for index, row in enumerate(rows):
        x, cell = [row[column] for column in numbers], tuple(row[column] for column in groups)
        if None in x or None in cell:
            continue
        w = 1 if weights is None else weights[index]
        none = (0, [0] * len(x), [[0] * len(x) for _ in x])
        total, first, second = sums.get(cell, none)
        sums[cell] = (
            total + w,
            [s + w * a for s, a in zip(first, x, strict=True)],
            [[s + w * a * b for s, b in zip(of_row, x, strict=True)] for of_row, a in zip(second, x, strict=True)],
        )
    return sums
