"""A text model as estimated: the tokens in use, what each adds to the classes' scores, and how documents are scored."""

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
    silenced,
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
    """The tokens in use, their scores, the smoothing that was settled, and the length that documents are scaled to."""

    bag: Bag
    scores: TokenScores
    analyzer: Analyzer
    smoothing: float | Floats
    mean_length: float
    power: float
    class_scale: Floats | None = None
    hears_absence: bool = False

    def __getstate__(self) -> dict[str, Any]:
        """Without what the core has made of the scores, which is made again when it is needed."""
        return {**self.__dict__, "scores": replace(self.scores)}

    @property
    def index(self) -> TokenIndex | int:
        """What looks tokens up, or to how many bits they are hashed."""
        vocabulary = self.bag.vocabulary
        return self.bag.size.bit_length() - 1 if vocabulary is None else vocabulary.index(self.analyzer.rules)

    def score(self, documents: Documents) -> tuple[Floats, AnyArray]:
        """Log-likelihoods, documents × classes, and how many known tokens each document has."""
        if len(documents) > 1:
            check_memory("the scores of documents × classes", len(documents), len(self.scores.prior))
        held, rules = self.analyzer.prepare(documents.held), self.analyzer.rules
        likelihood, known = kernels.score_documents(self.index, held, rules, self.scores)
        if self.class_scale is not None:
            likelihood *= self.class_scale
        if self.power:
            likelihood *= self.length_factor(known)[:, None]
        return likelihood, known

    def length_factor(self, known: AnyArray) -> Floats:
        """What the log-likelihood of a document with so many known tokens is multiplied by."""
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
    """Choose the tokens, settle the smoothing and weigh the tokens."""
    if event == "bernoulli" and length != "none":
        raise ParameterError(f'event="bernoulli" hears absent tokens, too, so length="{length}" means nothing there.')
    kept = pruning.kept(whole, class_counts)
    bag = whole.restricted(kept)
    settled = _settle(smoothing, event, bag, class_counts)
    scores = _weigh(event, bag, settled, class_counts)
    if bag.vocabulary is None and not kept.all():
        scores = silenced(scores, np.flatnonzero(~kept & (whole.sums() > 0)))
    rows = float(class_counts.sum())
    mean = float(bag.totals(scores.distinct).sum()) / rows if rows else 0.0
    scale = _class_scale(scores) if event == "twcnb" else None
    shown = settled.taken if isinstance(settled, Discounts) else settled
    return TextModel(bag, scores, analyzer, shown, mean or 1.0, _POWERS[length], scale, event == "bernoulli")


def _settle(smoothing: Any, event: str, bag: Bag, class_counts: AnyArray) -> float | Discounts:
    """α, or each class's discounts."""
    if isinstance(smoothing, Smoothing):
        return smoothing.pseudocount(bag.size, bag.classes)
    if not isinstance(smoothing, str):
        return float(smoothing)
    if event in ("multinomial", "boolean"):
        distinct = event == "boolean"
        if smoothing == "loo":
            return lidstone_alpha(bag, distinct)
        return choose_discounts(bag, distinct, class_counts, smoothing)
    if smoothing in ("discount", "kneser-ney"):
        raise ParameterError(f'smoothing="{smoothing}" is for event="boolean" and "multinomial", not "{event}".')
    if event == "bernoulli":
        return bernoulli_alpha(bag, class_counts)
    return lidstone_alpha(bag, distinct=False) if smoothing == "loo" else _FIXED[event]


def _weigh(event: str, bag: Bag, settled: float | Discounts, class_counts: AnyArray) -> TokenScores:
    if isinstance(settled, Discounts):
        return discount_scores(bag, settled, event == "boolean")
    match event:
        case "bernoulli":
            return bernoulli_scores(bag, settled, class_counts)
        case "complement":
            return complement_scores(bag, settled, class_counts)
        case "twcnb":
            return replace(complement_scores(bag, settled, class_counts), distinct=True)
    return lidstone_scores(bag, settled, event == "boolean")


def _class_scale(scores: TokenScores) -> Floats:
    """What brings the weights of all classes to one size."""
    sizes = class_sizes(scores)
    is_sized = (sizes > 0) & np.isfinite(sizes)
    return np.where(is_sized, sizes[is_sized].mean() if is_sized.any() else 1.0, 1.0) / np.where(is_sized, sizes, 1.0)
