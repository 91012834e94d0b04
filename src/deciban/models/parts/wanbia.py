"""Weights of columns that maximize the conditional log-likelihood of the classes (WANBIA-CLL).

    maximize  Σ_r log P(y_r | x_r) − ½ Σ_i (w_i − 1)²  over w_i ≥ 0,
    log P(y | x) = −log(1 + Σ_{j≠y} exp m_j),  m_j = log P(j)/P(y) + Σ_i w_i·log P(x_i | j)/P(x_i | y)

with the naive Bayes estimates kept as they are (Zaidi, Cerquides, Carman and Webb, 2013, "Alleviating naive Bayes
attribute independence assumption by attribute weighting"). The likelihood is concave in w, so the maximum is unique.
The penalty, which is ours, shrinks the weights to 1, plain naive Bayes, and keeps them finite where the classes are
separable. The gradient of the loss,

    ∂/∂w_i = −Σ_r Σ_{j≠y} P(j | x)·log P(x_i | j)/P(x_i | y),

is as cheap as the sum itself: both are a product of the same table with a vector. They are computed by `einsum`, not by
BLAS, whose threads wait for one another on a busy machine; in blocks that fit into the cache it is as fast.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize

from deciban.models.base import BayesClassifier
from deciban.read import Table, read_target, read_weights, split_target
from deciban.tallies import Sample
from deciban.types import Floats

__all__ = ["Margins", "conditional_loss", "learn_weights"]

_LOWEST = -700.0
"""Stands for log 0: e^−700 is close to the smallest float."""

_BLOCK = 1 << 21
_IN_CACHE = 1 << 16
_MOST_HELD = 1 << 26
_STEPS = 1000


class Margins(NamedTuple):
    """Log-odds of each other class against a row's own class: of the prior, and of each column.

    Rows × other classes, rows × other classes × columns, and the weights of the rows.
    """

    prior: Floats
    columns: Floats
    rows: Floats


def learn_weights(model: BayesClassifier, X: Any, y: Any, sample_weight: Any = None) -> Floats:
    """The best weights of the columns, for a model that was fitted on these rows.

    Up to 512 MiB of margins are stored; where there are more, each step computes them again, block by block.
    """
    X, y, _ = split_target(X, y)
    data = model._read(X)
    sample = Sample.of(read_target(y, len(data)), read_weights(sample_weight, len(data)))
    rows = sample.weighty()
    if rows is not None:
        data, sample = data.take(rows), sample.take(rows)
    columns, others = data.shape[1], len(model.classes_) - 1
    if others == 0:
        return np.ones(columns)
    held = list(_margins(model, data, sample)) if len(data) * columns * others <= _MOST_HELD else None
    total = float(sample.counts.sum())

    def objective(weights: Floats) -> tuple[float, Floats]:
        loss, gradient = conditional_loss(weights, _margins(model, data, sample) if held is None else held)
        away = weights - 1.0
        return (loss + 0.5 * float(away @ away)) / total, (gradient + away) / total

    bounds = [(0.0, None)] * columns
    return minimize(
        objective, np.ones(columns), jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": _STEPS}
    ).x


def conditional_loss(weights: Floats, blocks: Iterable[Margins]) -> tuple[float, Floats]:
    """−Σ log P(y | x) over all rows, and its gradient.

    >>> margins = Margins(np.zeros((1, 1)), np.log([[[0.5, 0.25]]]), np.ones(1))
    >>> loss, gradient = conditional_loss(np.array([1.0, 0.0]), [margins])
    >>> round(float(np.exp(-loss)), 3), np.exp(3 * gradient).round(3).tolist()  # P(y | x) = 2/3, and 1/3 for the other
    (0.667, [0.5, 0.25])
    """
    loss, gradient = 0.0, np.zeros(len(weights))
    for prior, columns, rows in blocks:
        margin = prior + np.einsum("rji,i->rj", columns, weights)
        top = np.maximum(margin.max(axis=1), 0.0)
        odds = np.exp(margin - top[:, None])
        whole = odds.sum(axis=1) + np.exp(-top)
        loss += float(rows @ (top + np.log(whole)))
        gradient += np.einsum("rj,rji->i", odds * (rows / whole)[:, None], columns)
    return loss, gradient


def _margins(model: BayesClassifier, data: Table, sample: Sample) -> Iterator[Margins]:
    """Blocks that fit into the cache, cut from larger ones."""
    cells = data.shape[1] * len(model.classes_)
    large, small = max(1, _BLOCK // cells), max(1, _IN_CACHE // cells)
    for first in range(0, len(data), large):
        rows = slice(first, min(first + large, len(data)))
        whole = _of_rows(model, data.take(rows), sample, rows)
        for start in range(0, len(whole.rows), small):
            yield Margins(*(part[start : start + small] for part in whole))


def _of_rows(model: BayesClassifier, data: Table, sample: Sample, rows: slice) -> Margins:
    own = sample.codes[rows]
    logs = _finite(model._column_evidence(data)).transpose(0, 2, 1)
    at = np.arange(len(own))
    others = np.argsort(np.arange(logs.shape[1]) == own[:, None], axis=1, kind="stable")[:, :-1]
    columns = logs[at[:, None], others]
    columns -= logs[at, own][:, None]
    prior = _finite(model._start())
    weights = np.ones(len(own)) if sample.weights is None else sample.weights[rows]
    return Margins(prior[others] - prior[own][:, None], columns, weights)


def _finite(logs: Floats) -> Floats:
    return np.nan_to_num(logs, neginf=_LOWEST, posinf=-_LOWEST)
