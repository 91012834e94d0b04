"""Which tokens a model uses, settled from the counts alone: a tally keeps all tokens and nothing is counted again.

The tweaks of Mitchell, table 6.2: the 100 most frequent words go, and all that occur less than 3 times. By document
frequency. And by how much a token's presence says of the class (IR-book 13.5), from its table of 2 × classes:

    I(T; C) = Σ_c  d_c/D·log(D·d_c / (d·D_c)) + (D_c − d_c)/D·log(D·(D_c − d_c) / ((D − d)·D_c))
    χ²      = D·(q/d + (D − 2d + q)/(D − d) − 1),  q = Σ_c d_c² / D_c

where d_c of class c's D_c documents have the token, d = Σ_c d_c and D = Σ_c D_c.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral

import numpy as np

from deciban.errors import ParameterError
from deciban.text.bag import Bag
from deciban.types import AnyArray, Floats

__all__ = ["MEASURES", "Pruning", "token_scores"]

MEASURES = ("mi", "chi2", "frequency")


@dataclass(frozen=True)
class Pruning:
    """How tokens are chosen; the defaults keep all.

    Parameters
    ----------
    drop_top : how many of the most frequent tokens go; of equally frequent ones, those that are first in the alphabet
    min_count : the least number of occurrences
    min_df, max_df : the least and the largest number of documents, or, as a float, their share
    select : how many tokens to keep of those that are left, or None
    measure : "mi", "chi2" or "frequency": which are kept
    """

    drop_top: int = 0
    min_count: float = 1
    min_df: float = 1
    max_df: float = 1.0
    select: int | None = None
    measure: str = "mi"

    def __post_init__(self) -> None:
        if self.measure not in MEASURES:
            raise ParameterError(f"measure is one of {', '.join(map(repr, MEASURES))}, not {self.measure!r}.")
        for name in ("drop_top", "min_count", "min_df", "max_df", "select"):
            value = getattr(self, name)
            if value is not None and not (isinstance(value, int | float | np.number) and value >= 0):
                raise ParameterError(f"{name} is a number that is not negative, not {value!r}.")

    @property
    def keeps_all(self) -> bool:
        is_any = self.drop_top == 0 and self.min_count <= 1 and _is_one(self.min_df)
        return is_any and _is_whole(self.max_df) and self.select is None

    def kept(self, bag: Bag, class_counts: AnyArray) -> AnyArray:
        """The mask of the tokens that are used."""
        if self.keeps_all:
            return np.ones(bag.size, dtype=bool)
        occurrences, documents = bag.sums(), bag.sums(distinct=True)
        rows = float(class_counts.sum())
        kept = (occurrences >= self.min_count) & (documents > 0)
        kept &= (documents >= _documents(self.min_df, rows)) & (documents <= _documents(self.max_df, rows))
        if self.drop_top:
            kept[bag.largest(occurrences, int(self.drop_top))] = False
        if self.select is not None and kept.sum() > self.select:
            scores = np.where(kept, token_scores(bag, class_counts, self.measure), -np.inf)
            chosen = np.zeros(bag.size, dtype=bool)
            chosen[bag.largest(scores, int(self.select))] = True
            kept &= chosen
        return kept


def token_scores(bag: Bag, class_counts: AnyArray, measure: str = "mi") -> Floats:
    """How much each token says of the class; by "frequency", in how many documents it is."""
    if measure not in MEASURES:
        raise ParameterError(f"measure is one of {', '.join(map(repr, MEASURES))}, not {measure!r}.")
    if measure == "frequency":
        return bag.sums(distinct=True).astype(np.float64)
    return (_information if measure == "mi" else _chi_squared)(bag, class_counts.astype(np.float64))


def _information(bag: Bag, rows: Floats) -> Floats:
    whole, d, has = rows.sum(), bag.documents.astype(np.float64), bag.sums(distinct=True).astype(np.float64)
    mine, total = rows[bag.rows], has[bag.indices]
    absent, without = np.maximum(mine - d, 0.0), np.maximum(whole - has, 0.0)
    entries = _times_log(d, total * mine / whole) + _times_log(absent, without[bag.indices] * mine / whole)
    elsewhere = whole - np.bincount(bag.indices, mine, bag.size)  # documents of the classes that never have the token
    share = np.where(without > 0, without / whole, 1.0)
    return (np.bincount(bag.indices, entries, bag.size) - elsewhere * np.log(share)) / whole


def _chi_squared(bag: Bag, rows: Floats) -> Floats:
    whole, has = rows.sum(), bag.sums(distinct=True).astype(np.float64)
    q = np.bincount(bag.indices, bag.documents**2.0 / rows[bag.rows], bag.size)
    is_mixed = (has > 0) & (has < whole)
    d = np.where(is_mixed, has, whole / 2)
    return np.where(is_mixed, whole * (q / d + (whole - 2 * d + q) / (whole - d) - 1), 0.0)


def _times_log(n: Floats, expected: Floats) -> Floats:
    """n·log(n / expected), where 0·log 0 is 0."""
    held = n > 0
    return np.where(held, n * np.log(np.where(held, n, 1.0) / np.where(held, expected, 1.0)), 0.0)


def _documents(bound: float, rows: float) -> float:
    """A number of documents, or a share of them, as scikit-learn reads it."""
    return float(bound) if isinstance(bound, Integral) else float(bound) * rows


def _is_one(bound: float) -> bool:
    return bound == 0 or (isinstance(bound, Integral) and bound <= 1)


def _is_whole(bound: float) -> bool:
    return not isinstance(bound, Integral) and bound >= 1.0
