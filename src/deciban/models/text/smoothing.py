"""Smoothing parameters chosen from the counts by leave-one-out.

**Absolute discounting** subtracts D from each count. The leave-one-out likelihood is maximized near (Ney, Essen &
Kneser 1994; Chen & Goodman 1999)

    Y = n₁ / (n₁ + 2·n₂),  D₁ = Y,  D₂ = 2 − 3·Y·n₃/n₂,  D₃ = 3 − 4·Y·n₄/n₃

for tokens that occur once, twice, and three times or more in class c, where nᵢ of its tokens occur i times; here nᵢ + ½
is used, and no discount is less than the previous one, so that 0 < Dᵢ < i always. Either D₁ is used for all counts or
each count has its own, whichever has the larger leave-one-out likelihood of the classes, Σ_tc n_tc·log P(c | t). The
discounted mass goes to a background distribution: the mean of the classes' frequencies (not that of the corpus, which a
large class would dominate), or, by Kneser & Ney (1995), in proportion to the number of classes that a token occurs in.

**Lidstone's α** maximizes the leave-one-out likelihood

    Σ_tc n_tc·log((n_tc − 1 + α) / (N_c − 1 + α|V|)),

between 10⁻⁶ and 1; with few short documents the maximum may lie above. For the Bernoulli model it is

    Σ_tc d·log(d − 1 + α) + (D_c − d)·log(D_c − d − 1 + α) − D_c·log(D_c − 1 + 2α).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize_scalar

from deciban.text.bag import Bag
from deciban.types import AnyArray, Floats, Ints

__all__ = ["Discounts", "bernoulli_alpha", "choose_discounts", "discounted", "lidstone_alpha"]

_RANGE = (np.log(1e-6), 0.0)


class Discounts(NamedTuple):
    """The discounts, classes × (once, twice, more often), and the background distribution over tokens."""

    taken: Floats
    background: Floats


def choose_discounts(bag: Bag, distinct: bool, class_counts: AnyArray, kind: str = "auto") -> Discounts:
    """One discount for all counts or three, whichever has the larger leave-one-out likelihood of the classes.

    `kind` is "discount", "kneser-ney" or "auto": "kneser-ney" for two classes, where half of the mean of the classes is
    the class itself, else "discount".
    """
    classes = np.count_nonzero(bag.totals(distinct))  # classes with tokens
    is_kneser = kind == "kneser-ney" or (kind == "auto" and classes <= 2)
    background = _kneser_background(bag) if is_kneser else _mean_background(bag, distinct)
    several = _three_discounts(bag, distinct)
    both = [Discounts(taken, background) for taken in (np.repeat(several[:, :1], 3, axis=1), several)]
    return max(both, key=lambda discounts: _class_likelihood(bag, distinct, discounts, class_counts))


def discounted(counts: Floats, rows: Ints, discounts: Floats) -> Floats:
    """The discount of each count."""
    often = np.minimum(np.maximum(np.ceil(counts), 1), 3).astype(np.int64) - 1
    return np.minimum(counts, discounts.ravel()[3 * rows + often])


def _kneser_background(bag: Bag) -> Floats:
    """Proportional to the number of classes that each token occurs in."""
    classes = np.bincount(bag.indices, minlength=bag.size).astype(np.float64)
    classes[classes == 0] = 0.5  # an empty bucket of hashed tokens
    return np.asarray(classes / max(len(bag.indices), 1))


def _mean_background(bag: Bag, distinct: bool) -> Floats:
    """The mean of the classes' frequencies."""
    totals = bag.totals(distinct).astype(np.float64)
    sums = np.bincount(bag.indices, bag.counts(distinct) / totals[bag.rows], bag.size)
    mean = sums / max(int(np.count_nonzero(totals)), 1)
    mean[mean == 0] = 0.5 / max(totals.sum(), 1.0)
    return np.asarray(mean)


def _class_likelihood(bag: Bag, distinct: bool, discounts: Discounts, class_counts: AnyArray) -> float:
    """Σ n·log P(c | t), where P(t | c) is estimated from the other occurrences."""
    counts, totals = bag.counts(distinct).astype(np.float64), bag.totals(distinct).astype(np.float64)
    taken = discounted(counts, bag.rows, discounts.taken)
    weight = np.divide(class_counts, totals, out=np.zeros(len(totals)), where=totals > 0)
    rest = weight * np.bincount(bag.rows, taken, len(totals))  # before it is divided among the tokens
    others = np.maximum(counts - 1, 0)
    kept = weight[bag.rows] * (counts - taken)
    left = weight[bag.rows] * (others - discounted(others, bag.rows, discounts.taken))
    background = discounts.background
    whole = rest.sum() * background + np.bincount(bag.indices, kept, bag.size)
    mine = rest[bag.rows] * background[bag.indices] + left
    return float(counts @ np.log(mine / (whole[bag.indices] - kept + left)))


def _three_discounts(bag: Bag, distinct: bool) -> Floats:
    """D₁, D₂ and D₃ of each class; weighted counts are rounded up."""
    counts, classes = bag.counts(distinct), len(bag.starts) - 1
    often = np.clip(np.ceil(counts), 1, 5).astype(np.int64) - 1
    many = np.bincount(bag.rows * 5 + often, minlength=5 * classes).reshape(classes, 5)[:, :4] + 0.5
    once = many[:, 0] / (many[:, 0] + 2 * many[:, 1])
    times = np.arange(1, 4)
    discounts = times - (times + 1) * once[:, None] * many[:, 1:] / many[:, :-1]
    return np.asarray(np.maximum.accumulate(discounts, axis=1))


def lidstone_alpha(bag: Bag, distinct: bool) -> float:
    """The pseudo-count that maximizes the leave-one-out likelihood of the occurrences."""
    counts, many = np.unique(bag.counts(distinct), return_counts=True)
    totals = bag.totals(distinct)
    totals = totals[totals > 0]

    def likelihood(alpha: float) -> float:
        known = many * counts * np.log(np.maximum(counts - 1.0, 0.0) + alpha)
        return float(known.sum() - np.sum(totals * np.log(np.maximum(totals - 1.0, 0.0) + alpha * bag.size)))

    return _maximize(likelihood) if len(totals) else 1.0


def bernoulli_alpha(bag: Bag, class_counts: AnyArray) -> float:
    """The pseudo-count that maximizes the leave-one-out likelihood of the documents."""
    rows = class_counts.astype(np.float64)
    d = bag.documents.astype(np.float64)
    absent = np.maximum(rows[bag.rows] - d, 0.0)
    never = bag.size - np.diff(bag.starts)  # tokens that occur in no document of the class

    def likelihood(alpha: float) -> float:
        known = d * _log(d - 1.0, alpha) + absent * _log(absent - 1.0, alpha)
        unseen = never * rows * _log(rows - 1.0, alpha)
        return float(known.sum() + unseen.sum() - bag.size * np.sum(rows * _log(rows - 1.0, 2 * alpha)))

    return _maximize(likelihood) if bag.size and rows.any() else 1.0


def _log(n: Floats, alpha: float) -> Floats:
    return np.log(np.maximum(n, 0.0) + alpha)


def _maximize(likelihood: Callable[[float], float]) -> float:
    found = minimize_scalar(lambda x: -likelihood(float(np.exp(x))), bounds=_RANGE, method="bounded")
    return float(np.exp(found.x))
