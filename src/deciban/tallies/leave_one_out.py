"""Moments without each of their rows in turn.

    n' = n − w,  mean' = mean − (x − mean)·w/n',  M' = M − w·(x − mean)²·n/n'

M' cancels only for a row that has most of the M of its class. At most two rows have (three of equal weight cannot each
have half), so the two that have most are taken out by summing up the others: nothing is lost, and what is constant
without a row is constant to the last bit.
"""

from __future__ import annotations

import numpy as np

from deciban.tallies.moments import Moments, Spread
from deciban.types import AnyArray, Codes, Floats

__all__ = ["distinct_rows", "moments_without_each", "own_weights", "weight_left"]

_ROUNDING = 1e-9


def weight_left(whole: AnyArray | float, weights: AnyArray | float) -> Floats:
    """whole − weights; 0 where rounding alone would leave something.

    >>> weight_left(np.array([0.3, 2.0]), np.array([0.1 + 0.2, 1.0])).tolist()
    [0.0, 1.0]
    """
    left = np.asarray(whole - weights, dtype=np.float64)
    return np.where(left <= _ROUNDING * np.abs(whole), 0.0, left)


def own_weights(y: Codes, weights: Floats, classes: int) -> Floats:
    """The weight of each row in its own class, 0 in the others: rows × classes."""
    own = np.zeros((len(y), classes))
    own[np.arange(len(y)), y] = weights
    return own


def moments_without_each(moments: Moments, x: Floats, y: Codes, weights: Floats, *, are_all: bool = True) -> Spread:
    """One column's moments, class × row: each row's column is without it; a missing value (NaN) takes nothing out.

    Rows that have most of their class's M are summed up anew, if all counted rows of the class are given and `are_all`.
    """
    held = (np.broadcast_to(moments.weight, moments.mean.shape), moments.mean, moments.deviation)
    weight, mean, deviation = (np.repeat(table.astype(np.float64), len(y), axis=1) for table in held)
    rows = np.flatnonzero(~np.isnan(x) & (weights > 0))
    own = y[rows], rows
    cells = weight[own], mean[own], deviation[own]
    left = _taken_out(cells, x[rows], y[rows], weights[rows], are_all=are_all)
    weight[own], mean[own], deviation[own] = left
    return Spread(weight, mean, deviation)


def distinct_rows(x: Floats, y: Codes, weights: Floats) -> tuple[tuple[Floats, Codes, Floats], AnyArray]:
    """The distinct combinations of value, class and weight, and which of them each row has."""
    if len(x) == 0:
        return (x, y, weights), np.empty(0, dtype=np.int64)
    order = np.lexsort((weights, y, x))
    sorted_rows = x[order], y[order], weights[order]
    is_new = np.ones(len(x), dtype=bool)
    is_new[1:] = np.any([column[1:] != column[:-1] for column in sorted_rows], axis=0)
    indices = np.empty(len(x), dtype=np.int64)
    indices[order] = np.cumsum(is_new) - 1
    values, classes, held = sorted_rows
    return (values[is_new], classes[is_new], held[is_new]), indices


def _taken_out(
    cell: tuple[Floats, Floats, Floats], x: Floats, y: Codes, weights: Floats, *, are_all: bool
) -> tuple[Floats, Floats, Floats]:
    """Weight, mean and deviation of each row's own class without it."""
    n, mean, deviation = cell
    left = weight_left(n, weights)
    safe = np.where(left > 0, left, 1.0)
    with np.errstate(over="ignore", invalid="ignore"):
        gap = x - mean
        loss = weights * gap * gap * (n / safe)
        rest = np.where(loss < np.inf, np.maximum(deviation - loss, 0.0), deviation)
        centre = mean - gap * (weights / safe)
    centre, rest = np.where(left > 0, centre, 0.0), np.where(left > 0, rest, 0.0)
    for j in np.unique(y) if are_all else ():
        rows = np.flatnonzero(y == j)
        if abs(weights[rows].sum() - n[rows[0]]) > _ROUNDING * n[rows[0]]:  # some rows of the class are not given
            continue
        for at in _two_largest(loss[rows]):
            if left[rows[at]] > 0:
                others = np.delete(rows, at)
                centre[rows[at]], rest[rows[at]] = _summed(x[others], weights[others])
    return left, centre, rest


def _two_largest(loss: Floats) -> AnyArray:
    return np.argpartition(loss, -2)[-2:] if len(loss) > 2 else np.arange(len(loss))


def _summed(x: Floats, weights: Floats) -> tuple[float, float]:
    """Mean and deviation, from differences to one of the values, so that equal values have none."""
    with np.errstate(over="ignore", invalid="ignore"):
        away = x - x[0]
        middle = float((weights * away).sum() / weights.sum())  # no dot product: its order depends on threads
        return float(x[0]) + middle, float((weights * (away - middle) ** 2).sum())
