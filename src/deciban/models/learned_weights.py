"""Weights of columns that are learned from leave-one-out evidence.

    minimize  −Σ_r log P'(y_r | x_r) + ½ Σ_i (w_i − 1)²  over w_i ≥ 0,
    log P'(j | x_r) = log P'(j) + Σ_i w_i·log P'(x_ri | j) + a constant,

where P' is estimated without row r: exactly from the counts, for bins with the cuts as they are. The priors P'(j) are
the shares of the classes among the other rows, whatever priors new rows have. The estimates stay as they are; at
prediction, the evidence from all rows is weighed. This is WANBIA-CLL (Zaidi, Cerquides, Carman and Webb, 2013,
"Alleviating naive Bayes attribute independence assumption by attribute weighting"), except for two changes of ours. On
the counts with the row in them, a column that identifies rows looks perfect, and its weight grows; without the row, it
says nothing. The penalty shrinks the weights to 1, plain naive Bayes, and keeps them finite where the classes are
separable. The objective is convex, so the minimum is unique.

Weights below 1 correct for evidence that is counted several times, because columns repeat one another; a column that
misleads gets 0. Of all rows up to 8,192 are used, and at most so many that the margins, rows × columns × other classes,
are a fifth of the cells of the table, but from 2²⁰ to 2²³. The table is cut into as many stretches of equal length, and
one row is used at a pseudo-random index of each.

Where columns say nearly the same, a sum in another order, which differs in its last digits, leads to weights that
differ in the third, and evidence of millions of decibans makes another posterior of that. So the classes are taken in
the order of their first rows: whatever they are called, the weights are the same to the last bit.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from deciban.estimate import Smoothing
from deciban.estimate.column import Margins
from deciban.estimate.missing import add_margins
from deciban.models.estimates import Estimates
from deciban.models.form import Form
from deciban.models.leave_one_out import prior_of_rows
from deciban.read import Table
from deciban.tallies import Sample, Tally, weight_left
from deciban.types import AnyArray, Codes, Floats, Ints

__all__ = ["Rows", "best_weights", "chosen_rows", "learn_weights", "minimize_from", "order_of_rows", "with_classes_in"]


# With fewer rows the weights stay 1; of more, some are used.
_FEWEST_ROWS, _MOST_ROWS = 100, 1 << 13
# The margins take 8 to 64 MB, whatever the shape of the table.
_FEWEST_CELLS, _MOST_CELLS = 1 << 20, 1 << 23
# Ten pairs are the usual memory of L-BFGS; 2^−40 of a step no longer changes a weight.
_STEPS, _MEMORY, _HALVES = 200, 10, 40
_FLAT, _NEGLIGIBLE = 1e-9, 1e-5


class Rows(NamedTuple):
    """The rows of a fit: their columns, and their classes and weights."""

    data: Table
    sample: Sample


def learn_weights(
    estimates: Estimates, tally: Tally, form: Form, rows: Rows, *, smoothing: Smoothing, priors: Any
) -> Floats | None:
    """The best weights of the columns; None where there is nothing to learn them from.

    That is so where the rows are of one class, where each is the only one of its class, and where fewer than 100 rows
    may be used of a table because it has so many columns and classes.

    Parameters
    ----------
    estimates : what was estimated from the tally, without weights
    tally, form : what was counted, and the distributions of the columns
    rows : the rows that were counted, all of them
    smoothing, priors : the parameters of the model
    """
    classes, columns = len(tally.classes), form.columns
    at = chosen_rows(rows.sample, columns * (classes - 1), columns) if classes > 1 else np.empty(0, dtype=np.int64)
    y = rows.sample.codes[at]
    importance = np.ones(len(at)) if rows.sample.weights is None else rows.sample.weights[at]
    own = _left_out(rows.sample.weights, importance)
    has_others = weight_left(tally.class_counts[y], own) > 0
    if not has_others.any():
        return None
    if not has_others.all():
        at, y, importance, own = at[has_others], y[has_others], importance[has_others], own[has_others]
    margins, prior = Margins(y, own, classes, columns), Margins(y, own, classes, 1)
    prior.add_logs(0, prior_of_rows(priors, tally.class_counts, y, own))
    data = rows.data.take(at)
    for (kind, indices), (likelihood, _) in zip(form.schema.by_kind().items(), estimates.groups, strict=True):
        parts, some = [tally.parts[i] for i in indices], [data.columns[i] for i in indices]
        add_margins(kind, likelihood, parts, some, margins, indices, smoothing)
    return best_weights(margins, prior, importance, np.ones(columns))


def order_of_rows(codes: Codes, classes: int) -> Ints | None:
    """The classes in the order of their first rows, those without rows last; None where that is their order already.

    >>> order_of_rows(np.array([1, 1, 0]), 3).tolist()
    [1, 0, 2]
    """
    first = np.full(classes, len(codes))
    found, at = np.unique(codes, return_index=True)
    first[found] = at
    order = np.argsort(first, kind="stable")
    return None if (order == np.arange(classes)).all() else order


def with_classes_in(order: Ints, tally: Tally, sample: Sample) -> tuple[Tally, Sample]:
    """The same tally and sample with the classes in another order, of what one sums over classes."""
    index = np.argsort(order)
    classes = replace(tally.classes, labels=tally.classes.labels[order])
    parts = tuple(part.reclassed(index, len(order)) for part in tally.parts)
    codes = index.astype(sample.codes.dtype)[sample.codes]
    return (
        Tally(classes, tally.class_counts[order], parts),
        Sample(classes, codes, sample.counts[order], sample.weights),
    )


def best_weights(
    margins: Margins, prior: Margins, importance: Floats, center: Floats, *, penalty: float = 1.0
) -> Floats:
    """The minimum of the loss and of half the squared distance from `center`, multiplied by the penalty.

    Each weight is measured in units of 1/√(curvature of the loss), which halves the number of steps.
    """
    _, _, curvature = margins.loss(center, prior, importance, with_curvature=True)
    unit = 1.0 / np.sqrt(penalty + np.asarray(curvature))

    def objective(scaled: Floats) -> tuple[float, Floats]:
        weights = scaled * unit
        loss, gradient, _ = margins.loss(weights, prior, importance)
        away = weights - center
        return loss + 0.5 * penalty * _dot(away, away), (gradient + penalty * away) * unit

    return minimize_from(center / unit, objective, negligible=_NEGLIGIBLE) * unit


def minimize_from(
    start: Floats, objective: Callable[[Floats], tuple[float, Floats]], *, negligible: float = 1e-7
) -> Floats:
    """Minimize a convex function of numbers from 0 up, given with its gradient, by projected L-BFGS.

    Directions are those of L-BFGS (Nocedal, 1980) among the numbers that are above 0 or should rise; steps are cut off
    at 0 (Bertsekas, 1982). The last step is one that lowers the value by `negligible` of itself or less. scipy's
    L-BFGS-B uses BLAS, whose threads wait for one another on a busy machine.

    >>> minimize_from(
    ...     np.ones(2), lambda x: (x[0] ** 2 + (x[1] - 3) ** 2, 2 * (x - [0, 3]))
    ... ).round(6).tolist()
    [0.0, 3.0]
    """
    x, (value, gradient) = start, objective(start)
    history: deque[tuple[Floats, Floats]] = deque(maxlen=_MEMORY)
    for _ in range(_STEPS):
        free = (x > 0) | (gradient < 0)  # a weight at 0 that would fall stays there
        if not (gradient[free] ** 2).sum() > _FLAT:
            break
        step = _direction(np.where(free, gradient, 0.0), history, free)
        found = _search(objective, x, value, gradient, step)
        if found is None:
            break
        new, lower, slope = found
        history.append((new - x, slope - gradient))
        is_done = value - lower <= negligible * max(abs(value), 1.0)
        x, value, gradient = new, lower, slope
        if is_done:
            break
    return x


def _direction(gradient: Floats, history: Iterable[tuple[Floats, Floats]], free: AnyArray) -> Floats:
    """−H·gradient, H the inverse Hessian that L-BFGS estimates from the last steps; 0 where not free."""
    pairs = [(np.where(free, s, 0.0), np.where(free, y, 0.0)) for s, y in history]
    # Without curvature along a step, the update would divide by about 0 and leave no direction of descent.
    pairs = [(s, y) for s, y in pairs if _dot(s, y) > _FLAT * _dot(y, y)]
    q, shares = -gradient, []
    for s, y in reversed(pairs):
        shares.append(_dot(s, q) / _dot(s, y))
        q = q - shares[-1] * y
    if pairs:
        s, y = pairs[-1]
        q = q * (_dot(s, y) / _dot(y, y))
    for (s, y), share in zip(pairs, reversed(shares), strict=True):
        q = q + (share - _dot(y, q) / _dot(s, y)) * s
    return q


def _search(
    objective: Callable[[Floats], tuple[float, Floats]], x: Floats, value: float, gradient: Floats, step: Floats
) -> tuple[Floats, float, Floats] | None:
    """The next point, its value and gradient: the whole step, or the first of its halves that lowers the value."""
    for _ in range(_HALVES):
        new = np.maximum(x + step, 0.0)
        lower, slope = objective(new)
        if lower <= value + 1e-4 * _dot(gradient, new - x):  # Armijo's condition, with the usual constant
            return new, lower, slope
        step = step * 0.5
    return None


def _dot(a: Floats, b: Floats) -> float:
    return float((a * b).sum())


def chosen_rows(sample: Sample, cells: int, columns: int) -> AnyArray:
    """The indices of the rows that are used; rows of weight 0 are not.

    `cells` is what one row takes. One row is drawn from each of some stretches of equal length, so that neither a table
    in the order of its classes nor one in which they take turns is sampled unevenly.
    """
    weighty = sample.weighty()
    rows = np.arange(len(sample.codes)) if weighty is None else np.flatnonzero(weighty)
    most = min(max(len(rows) * columns // 5, _FEWEST_CELLS), _MOST_CELLS) // max(cells, 1)
    most = min(most, _MOST_ROWS)
    if len(rows) <= most:
        return rows
    if most < _FEWEST_ROWS:
        return rows[:0]
    within = np.random.Generator(np.random.PCG64(0)).random(most)  # fixed: the same table has the same weights
    return rows[((np.arange(most) + within) * (len(rows) / most)).astype(np.int64)]


def _left_out(weights: Floats | None, importance: Floats) -> Floats:
    """What is left out of the counts for each row.

    Weights that are all whole numbers are numbers of equal rows, of which one is left out; other weights are those of
    single rows.
    """
    is_counts = weights is not None and not (weights % 1.0).any()
    return np.minimum(importance, 1.0) if is_counts else importance
