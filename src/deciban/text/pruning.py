"""Feature selection: the tokens that a model uses, chosen from the counts; the tally keeps all of them.

Tokens may be dropped by rank and number of occurrences (Mitchell, table 6.2, drops the 100 most frequent words and
those that occur less than 3 times), by document frequency, and by the association of a token's presence with the class
(IR-book 13.5), from its 2 × classes table:

    I(T; C) = Σ_c  d_c/D·log(D·d_c / (d·D_c)) + (D_c − d_c)/D·log(D·(D_c − d_c) / ((D − d)·D_c))
    χ²      = D·(q/d + (D − 2d + q)/(D − d) − 1),  q = Σ_c d_c² / D_c

where d_c of class c's D_c documents have the token, d = Σ_c d_c and D = Σ_c D_c.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Literal, get_args

import numpy as np

from deciban.choices import check_choice
from deciban.errors import ParameterError
from deciban.text.bag import Bag
from deciban.types import AnyArray, Floats

__all__ = ["MEASURES", "Measure", "Pruning", "document_bound", "token_scores"]

Measure = Literal["mi", "chi2", "frequency"]
MEASURES: tuple[str, ...] = get_args(Measure)


@dataclass(frozen=True)
class Pruning:
    """How tokens are chosen; the defaults keep all.

    Parameters
    ----------
    drop_top : the number of most frequent tokens to drop; ties are broken alphabetically
    min_count : the minimum number of occurrences
    min_df, max_df : the minimum and maximum number of documents that contain the token; a float is a share of documents
    select : the maximum number of tokens to keep of the remaining ones, or None
    measure : "mi", "chi2" or "frequency": the score by which `select` ranks tokens
    """

    drop_top: int = 0
    min_count: float = 1
    min_df: float = 1
    max_df: float = 1.0
    select: int | None = None
    measure: Measure = "mi"

    def __post_init__(self) -> None:
        check_choice("measure", self.measure, MEASURES)
        for name in ("drop_top", "min_count", "min_df", "max_df", "select"):
            value = getattr(self, name)
            if value is not None and not (isinstance(value, int | float | np.number) and value >= 0):
                raise ParameterError(f"{name} is a number, at least 0, not {value!r}.")

    @property
    def keeps_all(self) -> bool:
        is_any = self.drop_top == 0 and self.min_count <= 1 and _is_one(self.min_df)
        return is_any and _is_whole(self.max_df) and self.select is None

    def kept(self, bag: Bag, class_counts: AnyArray) -> AnyArray:
        """The mask of the tokens to use."""
        if self.keeps_all:
            return np.ones(bag.size, dtype=bool)
        occurrences, documents = bag.sums(), bag.sums(distinct=True)
        rows = float(class_counts.sum())
        kept = (occurrences >= self.min_count) & (documents > 0)  # of hashed tokens, most buckets may be empty
        kept &= (documents >= document_bound(self.min_df, rows)) & (documents <= document_bound(self.max_df, rows))
        if self.drop_top:
            kept[bag.largest(occurrences, int(self.drop_top))] = False
        if self.select is not None and kept.sum() > self.select:
            scores = np.where(kept, token_scores(bag, class_counts, self.measure), -np.inf)
            chosen = np.zeros(bag.size, dtype=bool)
            chosen[bag.largest(scores, int(self.select))] = True
            kept &= chosen
        return kept


def token_scores(bag: Bag, class_counts: AnyArray, measure: Measure = "mi") -> Floats:
    """The association of each token with the class; for "frequency", the number of documents that contain it."""
    check_choice("measure", measure, MEASURES)
    if measure == "frequency":
        return bag.sums(distinct=True).astype(np.float64)
    return (_information if measure == "mi" else _chi_squared)(bag, class_counts.astype(np.float64))


def _information(bag: Bag, rows: Floats) -> Floats:
    whole, d, has = rows.sum(), bag.documents.astype(np.float64), bag.sums(distinct=True).astype(np.float64)
    mine, total = rows[bag.rows], has[bag.indices]
    # Sums of weights may differ in their last digits from the weights of the classes.
    absent, without = np.maximum(mine - d, 0.0), np.maximum(whole - has, 0.0)
    entries = _times_log(d, total * mine / whole) + _times_log(absent, without[bag.indices] * mine / whole)
    elsewhere = whole - np.bincount(bag.indices, mine, bag.size)  # documents of the classes without the token
    share = np.where(without > 0, without / whole, 1.0)
    return (np.bincount(bag.indices, entries, bag.size) - elsewhere * np.log(share)) / whole


def _chi_squared(bag: Bag, rows: Floats) -> Floats:
    whole, has = rows.sum(), bag.sums(distinct=True).astype(np.float64)
    q = np.bincount(bag.indices, bag.documents**2.0 / rows[bag.rows], bag.size)
    is_mixed = (has > 0) & (has < whole)
    d = np.where(is_mixed, has, whole / 2)  # any divisor but 0: these tokens have χ² = 0
    return np.where(is_mixed, whole * (q / d + (whole - 2 * d + q) / (whole - d) - 1), 0.0)


def _times_log(n: Floats, expected: Floats) -> Floats:
    """n·log(n / expected), where 0·log 0 is 0."""
    is_positive = n > 0
    return np.where(is_positive, n * np.log(np.where(is_positive, n, 1.0) / np.where(is_positive, expected, 1.0)), 0.0)


def document_bound(bound: float, rows: float) -> float:
    """`min_df` or `max_df` as a number of documents: an int is that number, a float a share, as in scikit-learn."""
    return float(bound) if isinstance(bound, Integral) else float(bound) * rows


def _is_one(bound: float) -> bool:
    return bound == 0 or (isinstance(bound, Integral) and bound <= 1)


def _is_whole(bound: float) -> bool:
    return not isinstance(bound, Integral) and bound >= 1.0
