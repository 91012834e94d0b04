"""The values that are the strongest evidence for each class.

The weight of a value for a class j is measured against all other classes together,

    10·log10 [P(v | j) / Σ_{k≠j} P(k)·P(v | k) / (1 − P(j))],

in decibans. With two classes this is the weight in the nomogram.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from deciban.estimate.columns.missing import examples
from deciban.ties import exceeds, largest_first
from deciban.types import Floats
from deciban.units import decibans_from_nats

__all__ = ["ValueEvidence", "strongest_values"]


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
    return largest_first((v for v in values if exceeds(v.weight_db, 0.0)), lambda v: v.weight_db)[:n]
