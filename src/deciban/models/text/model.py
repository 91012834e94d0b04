"""An estimated text model: the tokens in use, their scores for each class, and the scoring of documents."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from deciban.errors import ParameterError
from deciban.estimate import Smoothing
from deciban.limits import check_memory
from deciban.models.text.events import (
    bernoulli_scores,
    class_sizes,
    complement_scores,
    discount_scores,
    lidstone_scores,
    with_ignored,
)
from deciban.models.text.smoothing import Discounts, bernoulli_alpha, choose_discounts, lidstone_alpha
from deciban.read.documents import Documents
from deciban.text import kernels
from deciban.text.analyzer import Analyzer
from deciban.text.bag import Bag
from deciban.text.kernels import TokenIndex, TokenScores
from deciban.text.pruning import Pruning
from deciban.types import AnyArray, Floats

__all__ = ["TextModel", "estimate_text"]

_POWERS = {"none": 0.0, "root": 0.5, "mean": 1.0}
_FIXED = {"complement": 1.0, "twcnb": 0.05}


@dataclass(frozen=True, eq=False)
class TextModel:
    """The tokens in use, their scores, the chosen smoothing, and the length that documents are scaled to."""

    bag: Bag
    scores: TokenScores
    analyzer: Analyzer
    smoothing: float | Floats
    mean_length: float
    power: float
    class_scale: Floats | None = None
    counts_absence: bool = False
    discounts: Discounts | None = None
    mean_tokens: float = 1.0
    """The mean number of known tokens of a document."""

    def __getstate__(self) -> dict[str, Any]:
        """Without the compiled core's copy of the scores, which is made again when it is needed."""
        return {**self.__dict__, "scores": replace(self.scores)}

    @property
    def index(self) -> TokenIndex | int:
        """The vocabulary's index, or the number of bits that tokens are hashed to."""
        vocabulary = self.bag.vocabulary
        return self.bag.size.bit_length() - 1 if vocabulary is None else vocabulary.index(self.analyzer.rules)

    def score(self, documents: Documents) -> tuple[Floats, AnyArray]:
        """Log-likelihoods, documents × classes, and the number of known tokens of each document."""
        if len(documents) > 1:
            check_memory("the scores of documents × classes", len(documents), len(self.scores.prior))
        prepared, rules = self.analyzer.prepare(documents.texts), self.analyzer.rules
        likelihood, known = kernels.score_documents(self.index, prepared, rules, self.scores)
        if self.class_scale is not None:
            likelihood *= self.class_scale
        if self.power:
            likelihood *= self.length_factor(known)[:, None]
        return likelihood, known

    def length_factor(self, known: AnyArray) -> Floats:
        """The factor of a document's log-likelihood, by its number of known tokens."""
        return (self.mean_length / np.maximum(known, 1)) ** self.power


def estimate_text(
    whole: Bag,
    class_counts: AnyArray,
    event: str,
    smoothing: Any,
    pruning: Pruning,
    analyzer: Analyzer,
    length: str = "none",
) -> TextModel:
    """Select the tokens, choose the smoothing and compute the tokens' scores."""
    if event == "bernoulli" and length != "none":
        raise ParameterError(
            f'event="bernoulli" scores absent tokens as well, so length="{length}" does not apply to it.'
        )
    kept = pruning.kept(whole, class_counts)
    bag = whole.restricted(kept)
    chosen = _choose_smoothing(smoothing, event, bag, class_counts)
    scores = _scores(event, bag, chosen, class_counts)
    if bag.vocabulary is None and not kept.all():
        scores = with_ignored(scores, np.flatnonzero(~kept & (whole.sums() > 0)))
    rows = max(float(class_counts.sum()), 1e-300)
    mean, mean_tokens = (float(bag.totals(distinct).sum()) / rows or 1.0 for distinct in (scores.distinct, False))
    scale = _class_scale(scores) if event == "twcnb" else None
    discounts = chosen if isinstance(chosen, Discounts) else None
    shown = chosen.taken if isinstance(chosen, Discounts) else chosen
    lengths = mean, _POWERS[length]
    return TextModel(bag, scores, analyzer, shown, *lengths, scale, event == "bernoulli", discounts, mean_tokens)


def _choose_smoothing(smoothing: Any, event: str, bag: Bag, class_counts: AnyArray) -> float | Discounts:
    """The pseudo-count α, or the discounts of each class."""
    if isinstance(smoothing, Smoothing):
        return smoothing.pseudocount(bag.size, bag.classes)
    if not isinstance(smoothing, str):
        return float(smoothing)
    if event in ("multinomial", "boolean"):
        distinct = event == "boolean"
        if smoothing == "loo":
            return lidstone_alpha(bag, distinct)
        return choose_discounts(bag, distinct, class_counts, smoothing)
    if smoothing in ("by-classes", "discount", "kneser-ney"):
        raise ParameterError(f'smoothing="{smoothing}" is for event="boolean" and "multinomial", not "{event}".')
    if event == "bernoulli":
        return bernoulli_alpha(bag, class_counts)
    return lidstone_alpha(bag, distinct=False) if smoothing == "loo" else _FIXED[event]


def _scores(event: str, bag: Bag, chosen: float | Discounts, class_counts: AnyArray) -> TokenScores:
    if isinstance(chosen, Discounts):
        return discount_scores(bag, chosen, event == "boolean")
    match event:
        case "bernoulli":
            return bernoulli_scores(bag, chosen, class_counts)
        case "complement":
            return complement_scores(bag, chosen, class_counts)
        case "twcnb":
            return replace(complement_scores(bag, chosen, class_counts), distinct=True)
    return lidstone_scores(bag, chosen, event == "boolean")


def _class_scale(scores: TokenScores) -> Floats:
    """The factors that make the sums of all classes' weights equal."""
    sizes = class_sizes(scores)
    is_sized = (sizes > 0) & np.isfinite(sizes)
    return np.where(is_sized, sizes[is_sized].mean() if is_sized.any() else 1.0, 1.0) / np.where(is_sized, sizes, 1.0)
