"""Factors, tables over some nodes, and their operations: slice, multiply, sum out, maximize.

    P(x₁, …, xₙ) = Π φᵢ(xᵢ, parents of xᵢ)

Evidence slices the tables: an observed node is not an axis any more. Every table has a first axis of *cases*, so that
many cases with the same observed nodes share one multiplication; its length is 1 if the table is the same for all. The
nodes of a scope are sorted, so that tables are aligned by inserting axes of length 1, never by transposing. Only floats
are divided or have logarithms taken: with ``Fraction`` entries everything is exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from deciban.types import AnyArray, Floats

__all__ = ["Factor", "aligned", "joined", "product", "rescaled", "sliced", "summed_to"]

_SMALL, _LARGE = 1e-60, 1e60
"""A table is rescaled when its largest entry leaves these bounds."""


class Factor(NamedTuple):
    """A table whose first axis is that of cases, the others the nodes of its scope, sorted."""

    scope: tuple[int, ...]
    table: AnyArray


def sliced(
    factors: Sequence[AnyArray], families: Sequence[Sequence[int]], seen: Mapping[int, AnyArray]
) -> list[Factor]:
    """The tables of some families without the observed nodes (index → a code for each case).

    >>> rain, wet = np.array([0.8, 0.2]), np.array([[0.9, 0.1], [0.2, 0.8]])
    >>> [
    ...     factor.table.tolist()
    ...     for factor in sliced([rain, wet], [(0,), (0, 1)], {1: np.array([1])})
    ... ]
    [[[0.8, 0.2]], [[0.1, 0.8]]]
    """
    return [_sliced(table, tuple(axes), seen) for table, axes in zip(factors, families, strict=True)]


def product(factors: Iterable[Factor]) -> tuple[Factor, Floats | float]:
    """The product of factors, small ones first, and the logarithm of its scale."""
    ordered = sorted(factors, key=lambda factor: factor.table.size // len(factor.table))
    result, log_scale = rescaled(ordered[0]) if ordered else (Factor((), np.ones(1)), 0.0)
    for factor in ordered[1:]:
        result, log_peak = rescaled(joined(result, factor))
        log_scale = log_scale + log_peak
    return result, log_scale


def joined(one: Factor, other: Factor) -> Factor:
    """The product of two factors."""
    scope = one.scope if one.scope == other.scope else tuple(sorted({*one.scope, *other.scope}))
    return Factor(scope, aligned(one, scope) * aligned(other, scope))


def aligned(factor: Factor, scope: Sequence[int]) -> AnyArray:
    """The factor's table with an axis of length 1 for each node of a wider scope that it does not have."""
    if factor.scope == tuple(scope):
        return factor.table
    sizes = dict(zip(factor.scope, factor.table.shape[1:], strict=True))
    return factor.table.reshape(factor.table.shape[0], *(sizes.get(node, 1) for node in scope))


def summed_to(factor: Factor, scope: Iterable[int]) -> Factor:
    """The factor with all nodes but these summed out."""
    kept = set(scope)
    axes = tuple(axis + 1 for axis, node in enumerate(factor.scope) if node not in kept)
    return Factor(tuple(node for node in factor.scope if node in kept), factor.table.sum(axis=axes))


def rescaled(factor: Factor) -> tuple[Factor, Floats | float]:
    """The factor with the largest entry of each case scaled to 1, and the logarithm of the scale.

    Only if some case is near the smallest or largest doubles; a case whose entries are all 0, and exact numbers, stay
    as they are.
    """
    table = factor.table
    if table.dtype == object or (len(table) == 1 and _SMALL < table.max() < _LARGE):
        return factor, 0.0
    peak = table.max(axis=tuple(range(1, table.ndim)), keepdims=True)
    if peak.min() > _SMALL and peak.max() < _LARGE:
        return factor, 0.0
    peak = np.where(peak > 0, peak, 1.0)
    return Factor(factor.scope, table / peak), np.log(peak).reshape(len(peak))


def _sliced(table: AnyArray, axes: tuple[int, ...], seen: Mapping[int, AnyArray]) -> Factor:
    known = [axis for axis, node in enumerate(axes) if node in seen]
    free = sorted((axis for axis, node in enumerate(axes) if node not in seen), key=axes.__getitem__)
    transposed = table.transpose(*known, *free)
    table = transposed[tuple(seen[axes[axis]] for axis in known)] if known else transposed[None]
    return Factor(tuple(axes[axis] for axis in free), table)
