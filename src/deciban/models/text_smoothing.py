"""Smoothing that the counts of tokens choose by themselves, by leaving one out.

**Absolute discounting** takes D off each count. Leaving one occurrence out of each in turn, the likelihood is largest
near (Ney, Essen & Kneser 1994)

    D_c = n₁ / (n₁ + 2·n₂),

where n₁ and n₂ of class c's tokens were counted once and twice; here n₁ + ½ and 2·n₂ + ½, so that 0 < D < 1 always.

**Lidstone's α** is where the likelihood of each occurrence, given all others, is largest:

    Σ_tc n_tc·log((n_tc − 1 + α) / (N_c − 1 + α|V|)),

between 10⁻⁶ and 1, which few short documents would exceed. For the Bernoulli model it is

    Σ_tc d·log(d − 1 + α) + (D_c − d)·log(D_c − d − 1 + α) − D_c·log(D_c − 1 + 2α).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.optimize import minimize_scalar

from deciban.text.bag import Bag
from deciban.types import AnyArray, Floats

__all__ = ["bernoulli_alpha", "class_discounts", "discount_of", "lidstone_alpha"]

_RANGE = (np.log(1e-6), 0.0)


def class_discounts(bag: Bag, distinct: bool) -> Floats:
    """Each class's discount; where documents have weights, counts up to 1 and up to 2 stand for once and twice."""
    counts, classes = bag.counts(distinct), len(bag.starts) - 1
    once = np.bincount(bag.rows, counts <= 1, classes)
    twice = np.bincount(bag.rows, (counts > 1) & (counts <= 2), classes)
    return discount_of(once, twice)


def discount_of(once: AnyArray, twice: AnyArray) -> Floats:
    """The discount, by how many tokens were counted once and twice."""
    return (once + 0.5) / (once + 2 * twice + 1.0)


def lidstone_alpha(bag: Bag, distinct: bool) -> float:
    """The pseudo-count under which each occurrence is best told from the others."""
    counts, many = np.unique(bag.counts(distinct), return_counts=True)
    totals = bag.totals(distinct)
    totals = totals[totals > 0]

    def likelihood(alpha: float) -> float:
        told = many * counts * np.log(np.maximum(counts - 1.0, 0.0) + alpha)
        return float(told.sum() - np.sum(totals * np.log(np.maximum(totals - 1.0, 0.0) + alpha * bag.size)))

    return _largest(likelihood) if len(totals) else 1.0


def bernoulli_alpha(bag: Bag, class_counts: AnyArray) -> float:
    """The pseudo-count under which each document's tokens are best told from the other documents."""
    rows = class_counts.astype(np.float64)
    d = bag.documents.astype(np.float64)
    absent = np.maximum(rows[bag.rows] - d, 0.0)
    never = bag.size - np.diff(bag.starts)  # tokens that no document of the class has

    def likelihood(alpha: float) -> float:
        known = d * _log(d - 1.0, alpha) + absent * _log(absent - 1.0, alpha)
        unseen = never * rows * _log(rows - 1.0, alpha)
        return float(known.sum() + unseen.sum() - bag.size * np.sum(rows * _log(rows - 1.0, 2 * alpha)))

    return _largest(likelihood) if bag.size and rows.any() else 1.0


def _log(n: Floats, alpha: float) -> Floats:
    return np.log(np.maximum(n, 0.0) + alpha)


def _largest(likelihood: Callable[[float], float]) -> float:
    found = minimize_scalar(lambda x: -likelihood(float(np.exp(x))), bounds=_RANGE, method="bounded")
    return float(np.exp(found.x))
