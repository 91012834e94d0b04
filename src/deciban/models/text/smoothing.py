"""Smoothing parameters chosen from the counts by leave-one-out.

**Absolute discounting** subtracts D from each count. The leave-one-out likelihood is maximized near (Ney, Essen &
Kneser 1994; Chen & Goodman 1999)

    Y = n₁ / (n₁ + 2·n₂),  D₁ = Y,  D₂ = 2 − 3·Y·n₃/n₂,  D₃ = 3 − 4·Y·n₄/n₃

for tokens that occur once, twice, and three times or more in class c, where nᵢ of its tokens occur i times; here nᵢ + ½
is used, and no discount is less than the previous one, so that 0 < Dᵢ < i always. Either D₁ is used for all counts or
each count has its own. The discounted mass goes to a background distribution: the mean of the classes' frequencies (not
that of the corpus, which a large class would dominate), or, by Kneser & Ney (1995), in proportion to the number of
classes that a token occurs in. Discounts and background are chosen by the leave-one-out likelihood of the classes,

    Σ_tc n_tc·log P(c | t),

where P(t | c), the background included, is estimated without the occurrence; tokens that occur once are then unknown.

**Lidstone's α** maximizes the leave-one-out likelihood

    Σ_tc n_tc·log((n_tc − 1 + α) / (N_c − 1 + α|V|)),

between 10⁻⁶ and 1; with few short documents the maximum may lie above. For the Bernoulli model it is

    Σ_tc d·log(d − 1 + α) + (D_c − d)·log(D_c − d − 1 + α) − D_c·log(D_c − 1 + 2α).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import scipy

from deciban.tallies.leave_one_out import weight_left
from deciban.text.bag import Bag
from deciban.ties import first_largest
from deciban.types import AnyArray, Floats, Ints

__all__ = [
    "Discounts",
    "background_left",
    "bernoulli_alpha",
    "choose_discounts",
    "discounted",
    "lidstone_alpha",
]

Pair = tuple[Floats, Floats]

_RANGE = (np.log(1e-6), 0.0)


class Discounts(NamedTuple):
    """The discounts, classes × (once, twice, more often), and the background distribution over tokens."""

    taken: Floats
    background: Floats
    is_kneser: bool = False


def choose_discounts(bag: Bag, distinct: bool, class_counts: AnyArray, kind: str = "auto") -> Discounts:
    """The background and the discounts, one or three a class, of the largest leave-one-out likelihood of the classes.

    `kind` is "discount" or "kneser-ney"; "auto" to choose between them; or "by-classes", the rule of older versions:
    "kneser-ney" for two classes, else "discount", and a background that no occurrence is left out of. Hashed tokens
    share buckets, so the number of classes of a bucket says little: "auto" takes the same rule for them.
    """
    is_older = kind == "by-classes"
    if is_older or (kind == "auto" and bag.vocabulary is None):
        kind = "kneser-ney" if np.count_nonzero(bag.totals(distinct)) <= 2 else "discount"
    several = _three_discounts(bag, distinct)
    both = (np.repeat(several[:, :1], 3, axis=1), several)
    backgrounds = []
    if kind != "discount":
        backgrounds.append((_kneser_background(bag), True))
    if kind != "kneser-ney":
        backgrounds.append((_mean_background(bag, distinct), False))
    candidates = [[Discounts(taken, *background) for taken in both] for background in backgrounds]
    occurrences = _Occurrences.of(bag, distinct, class_counts, is_older)
    found = [occurrences.best(of_background) for of_background in candidates]
    return found[first_largest([likelihood for likelihood, _ in found])][1]


def discounted(counts: Floats, rows: Ints, discounts: Floats) -> Floats:
    """The discount of each count."""
    return np.minimum(counts, discounts.ravel()[_discount_index(counts, rows)])


def _discount_index(counts: Floats, rows: Ints) -> Ints:
    """The index of each count's discount among those of all classes, by class."""
    return 3 * rows + np.minimum(np.maximum(np.ceil(counts), 1), 3).astype(np.int64) - 1


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


def background_left(
    bag: Bag, distinct: bool, discounts: Discounts, tokens: AnyArray, counts: Pair, totals: Pair, lost: AnyArray
) -> Floats:
    """The background of tokens without some of their occurrences in one class; 0 where they are then unknown.

    `counts` are those of each token in this class, before and after, and `totals` those of the class; `lost` is the
    number of tokens that the class no longer contains. With E = Σ K_t, where K_t of the C classes contain token t,

        B'_t = (E·B_t − [n'_t = 0]) / (E − lost)  (Kneser & Ney),  B'_t = (C·B_t − n_t/N + n'_t/N') / C'  (mean).
    """
    share, whole, rest = discounts.background[tokens], *totals
    if discounts.is_kneser:
        size, removed = len(bag.indices), ((counts[0] > 0) & (counts[1] <= 0)).astype(np.float64)
        size_left = half = np.maximum(size - lost, 1)
    else:
        before, after = (
            np.divide(n, total, out=np.zeros(len(total)), where=total > 0)
            for n, total in zip(counts, totals, strict=True)
        )
        size, removed = max(int(np.count_nonzero(np.diff(bag.starts))), 1), before - after
        size_left = np.maximum(size - ((whole > 0) & (rest <= 0)), 1)
        half = np.maximum(bag.totals(distinct).sum() - (whole - rest), 1)
    left = weight_left(size * share, removed) / size_left
    return left if bag.vocabulary is not None else np.where(left > 0, left, 0.5 / half)


class _Occurrences(NamedTuple):
    """The entries of a bag whose tokens are known without one of their occurrences, and what is left of each."""

    bag: Bag
    distinct: bool
    weight: Floats  # a class's documents, divided by its tokens
    tokens: AnyArray
    rows: Ints
    counts: Floats
    others: Floats
    indices_of_discounts: tuple[Ints, Ints]  # of the discounts of both counts
    keeps_background: bool

    @classmethod
    def of(cls, bag: Bag, distinct: bool, class_counts: AnyArray, keeps_background: bool) -> _Occurrences:
        counts, totals = bag.counts(distinct), bag.totals(distinct).astype(np.float64)
        weight = np.divide(class_counts, totals, out=np.zeros(len(totals)), where=totals > 0)
        known = np.ones(len(counts), dtype=bool)
        if bag.vocabulary is not None and not keeps_background:
            known = weight_left(bag.sums(distinct)[bag.indices], np.minimum(counts, 1)) > 0
        tokens, rows, counts = bag.indices[known], bag.rows[known], counts[known].astype(np.float64)
        others = np.maximum(counts - 1, 0)
        indices_of_discounts = _discount_index(counts, rows), _discount_index(others, rows)
        return cls(bag, distinct, weight, tokens, rows, counts, others, indices_of_discounts, keeps_background)

    def best(self, candidates: Sequence[Discounts]) -> tuple[float, Discounts]:
        """The largest Σ n·log P(c | t), where P(t | c) is estimated from the other occurrences; one background."""
        totals = self.bag.totals(self.distinct).astype(np.float64)[self.rows]
        left = self.counts, self.others
        pairs = left, (totals, np.maximum(totals - np.minimum(self.counts, 1), 0))
        if self.keeps_background:
            shares = candidates[0].background[self.tokens]
        else:
            shares = background_left(self.bag, self.distinct, candidates[0], self.tokens, *pairs, self.others <= 0)
        likelihoods = [self._likelihood(one, shares) for one in candidates]
        best = first_largest(likelihoods)
        return likelihoods[best], candidates[best]

    def _likelihood(self, discounts: Discounts, shares: Floats) -> float:
        bag, flat = self.bag, discounts.taken.ravel()
        whole = bag.counts(self.distinct).astype(np.float64)
        freed = np.bincount(bag.rows, discounted(whole, bag.rows, discounts.taken), len(self.weight))
        rest = self.weight * freed  # before it is divided among the tokens
        weight = self.weight[self.rows]
        kept = weight * (self.counts - np.minimum(self.counts, flat[self.indices_of_discounts[0]]))
        left = weight * (self.others - np.minimum(self.others, flat[self.indices_of_discounts[1]]))
        others = np.bincount(self.tokens, kept, bag.size)[self.tokens] - kept + left
        logs = np.log((rest[self.rows] * shares + left) / (rest.sum() * shares + others))
        return float(np.sum(self.counts * logs))


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
    found = scipy.optimize.minimize_scalar(lambda x: -likelihood(float(np.exp(x))), bounds=_RANGE, method="bounded")
    return float(np.exp(found.x))
