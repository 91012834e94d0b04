"""Summing missing columns out of a product of factors, many rows at a time (variable elimination; Zhang, Poole, 1994).

Rows that miss the same columns, of those that matter, are summed out together. What does not matter is left out first:
missing columns of which no descendant is known, since their families sum to 1, and whatever no path through missing
columns joins to the class.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from deciban.models.net_form import Families
from deciban.types import AnyArray, Codes, Floats

__all__ = ["Factor", "Network"]

_CHUNK = 1 << 20
_ROW, _CLASS = -2, -1

Term = tuple[tuple[int, ...], Floats]
"""Axes (columns, _ROW or _CLASS) and numbers."""


@dataclass(frozen=True, eq=False)
class Factor:
    """log-probabilities with an axis for each of some columns, and the classes last where `has_class`.

    On each axis the last state is one that was never seen.
    """

    columns: tuple[int, ...]
    logs: Floats
    has_class: bool

    def given(self, codes: Codes, missing: frozenset[int]) -> Term:
        """The factor for the known values of some rows: exp of its logs, the missing columns' states seen alone."""
        kept = [c for c in self.columns if c in missing]
        known = [c for c in self.columns if c not in missing]
        front = np.moveaxis(self.logs, [self.columns.index(c) for c in known], range(len(known)))
        part = front[tuple(codes[:, c] for c in known)] if known else front
        seen = (slice(None),) * bool(known) + tuple(slice(0, -1) for _ in kept)
        axes = (*((_ROW,) if known else ()), *kept, *((_CLASS,) if self.has_class else ()))
        return axes, np.exp(part[seen])


class Network:
    """All factors, and which of them a pattern of missing columns calls for."""

    def __init__(self, of_class: Factor, of_columns: Sequence[Factor], families: Families) -> None:
        self._of_class, self._of_columns = of_class, list(of_columns)
        self._children: list[list[int]] = [[] for _ in of_columns]
        for i, ups in enumerate(families.of_columns):
            for up in ups:
                self._children[up].append(i)
        self._classes = of_class.logs.shape[-1]

    def sum_out(self, codes: Codes) -> Floats:
        """log Σ over the missing columns of the product of all factors: rows × classes."""
        patterns, which = np.unique(codes < 0, axis=0, return_inverse=True)
        plans = [self._plan(frozenset(np.flatnonzero(pattern).tolist())) for pattern in patterns]
        groups: dict[frozenset[int], list[int]] = {}
        for i, (missing, _) in enumerate(plans):
            groups.setdefault(missing, []).append(i)
        out = np.empty((len(codes), self._classes))
        for missing, members in groups.items():
            rows = np.flatnonzero(np.isin(which.ravel(), members))
            factors = plans[members[0]][1]
            step = max(1, _CHUNK // max(factor.logs.size for factor in factors))
            for first in range(0, len(rows), step):
                some = rows[first : first + step]
                out[some] = self._summed(codes[some], missing, factors)
        return out

    def _plan(self, missing: frozenset[int]) -> tuple[frozenset[int], list[Factor]]:
        """The missing columns that matter, and the factors of their families and the class's."""
        silent = self._silent(missing)
        factors = [factor for i, factor in enumerate(self._of_columns) if i not in silent]
        used = [self._of_class, *(factor for factor in factors if factor.has_class)]
        rest = [factor for factor in factors if not factor.has_class]
        reached: set[int] = set()
        while True:
            found = {c for factor in used for c in factor.columns if c in missing} - reached
            if not found:
                return frozenset(reached), used
            reached |= found
            joined = [factor for factor in rest if found & set(factor.columns)]
            used += joined
            rest = [factor for factor in rest if factor not in joined]

    def _silent(self, missing: frozenset[int]) -> set[int]:
        """Missing columns without a known descendant; the class counts as one that is asked for."""
        loud = {c for c in range(len(self._of_columns)) if c not in missing} | set(self._of_class.columns)
        while True:
            more = {c for c in missing - loud if any(child in loud for child in self._children[c])}
            if not more:
                return set(missing - loud)
            loud |= more

    def _summed(self, codes: Codes, missing: frozenset[int], factors: Sequence[Factor]) -> Floats:
        terms = [factor.given(codes, missing) for factor in factors]
        left = set(missing)
        while left:
            column = min(left, key=lambda c: (_size_without(terms, c), c))
            touched = [term for term in terms if column in term[0]]
            terms = [term for term in terms if column not in term[0]]
            terms.append(_multiplied(touched, column))
            left.remove(column)
        out = np.zeros((len(codes), self._classes))
        with np.errstate(divide="ignore"):
            for axes, numbers in terms:
                logs = np.log(numbers)
                out += logs[:, None] if axes == (_ROW,) else logs
        return out


def _size_without(terms: Sequence[Term], column: int) -> int:
    """How large the factor is that summing a column out leaves."""
    sizes: dict[int, int] = {}
    for axes, numbers in terms:
        if column in axes:
            sizes.update(zip(axes, numbers.shape, strict=True))
    return int(np.prod([size for axis, size in sizes.items() if axis not in (column, _ROW)], dtype=np.int64))


def _multiplied(terms: Sequence[Term], column: int) -> Term:
    """The product of some terms with one column summed out of it."""
    axes, numbers = terms[0]
    for k, (more, others) in enumerate(terms[1:], 2):
        is_last = k == len(terms)
        both = sorted({*axes, *more} - ({column} if is_last else set()))
        numbers = _einsum(axes, numbers, more, others, both)
        axes = tuple(both)
    if len(terms) == 1:
        numbers = numbers.sum(axis=axes.index(column))
        axes = tuple(axis for axis in axes if axis != column)
    return axes, numbers


def _einsum(a: Sequence[int], x: AnyArray, b: Sequence[int], y: AnyArray, out: Sequence[int]) -> Floats:
    label = {axis: i for i, axis in enumerate({*a, *b})}
    return np.einsum(x, [label[i] for i in a], y, [label[i] for i in b], [label[i] for i in out])
