"""The strongest evidence for each class: of single values, and of whole columns.

The weight of a value for a class j is measured against all other classes together,

    10·log10 [P(v | j) / Σ_{k≠j} P(k)·P(v | k) / (1 − P(j))],

in decibans. With two classes this is the weight in the nomogram.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from deciban.estimate.columns.missing import examples
from deciban.types import Codes, Floats
from deciban.units import decibans_from_nats

__all__ = ["ValueEvidence", "column_evidence", "strongest_values"]

_MOST_ROWS = 2_000
_LARGEST = 100.0


class ValueEvidence(NamedTuple):
    """A column's value, its weight for a class against all others, and how many rows have it."""

    name: str
    value: str
    weight_db: float
    rows: float


def strongest_values(model: Any, n: int = 8) -> dict[Any, list[ValueEvidence]]:
    """For each class of a `NaiveBayes`, the n values with the largest weights for it that a hundredth of rows have."""
    model._check_fitted()
    prior, least = model._prior, 0.01 * float(model.tally_.total)
    found: dict[Any, list[ValueEvidence]] = {label: [] for label in model.classes_.tolist()}
    for likelihood, columns in model._estimates.groups:
        plans = [model.schema_.plans[column] for column in columns]
        names = [plan.name for plan in plans]
        for i, (plan, column) in enumerate(zip(plans, columns, strict=True)):
            if plan.distribution.is_ignored:
                continue
            score = likelihood.one(i, names)
            for text, value, rows in examples(plan.distribution, model.tally_.parts[column]):
                if rows >= least:
                    weights = _against_rest(np.array([score(value)]), prior)[0].tolist()
                    for label, weight in zip(found, weights, strict=True):
                        found[label].append(ValueEvidence(plan.name, text, weight, rows))
    return {label: _largest(values, n) for label, values in found.items()}


def column_evidence(model: Any, X: Any, y: Codes) -> dict[str, float]:
    """The mean weight of each column for the true class of a row against all others, in decibans, the largest first.

    `y` are the codes of the true classes. Of more than 2,000 rows, a sample is taken, always the same. Infinite weights
    count as 100 decibans.
    """
    data = model._features(X)
    rows = np.arange(data.shape[0])
    if len(rows) > _MOST_ROWS:
        rows = np.sort(np.random.default_rng(0).choice(len(rows), _MOST_ROWS, replace=False))
    held, own = model._evidence_of(data.take(rows), model._start()), y[rows]
    weights = [_against_rest(held.columns[:, i], held.prior)[np.arange(len(own)), own] for i in range(len(held.names))]
    means = np.clip(weights, -_LARGEST, _LARGEST).mean(axis=1).tolist()
    return dict(sorted(zip(held.names, means, strict=True), key=lambda item: -item[1]))


def _against_rest(logs: Floats, prior: Floats) -> Floats:
    """The weight for each class against the others, in decibans: rows × classes."""
    out = np.zeros_like(logs)
    for j in range(logs.shape[1]):
        others = np.arange(logs.shape[1]) != j
        if not others.any():
            continue
        share = prior[others] - np.logaddexp.reduce(prior[others])
        with np.errstate(invalid="ignore"):
            rest = np.logaddexp.reduce(logs[:, others] + share, axis=1)
            weight = logs[:, j] - rest
        out[:, j] = np.where(np.isnan(weight), 0.0, weight)
    return decibans_from_nats(out)


def _largest(values: list[ValueEvidence], n: int) -> list[ValueEvidence]:
    return sorted((v for v in values if v.weight_db > 0), key=lambda v: -v.weight_db)[:n]
