"""A column of free text in a table: its documents are bags of tokens (Mitchell, table 6.2; Metsis et al. 2006).

    log P(document | j) = Σ_{known tokens t} amount_t·log P(t | j)

with amount_t = 1 where the event is "boolean", else how often t occurs. Tokens that no counted document has are left
out, so a document of none that are known says nothing, as a missing one does. The tally keeps a `Bag`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np

from deciban.errors import InputTypeError, ParameterError
from deciban.estimate import ColumnDistribution, Ignore, Likelihood, Smoothing
from deciban.estimate.columns.likelihood import OneValue, Token
from deciban.estimate.columns.values import Markers, is_missing
from deciban.models.text.leave_one_out import leave_documents_out
from deciban.models.text.model import TextModel, estimate_text
from deciban.models.text.weights import class_scores
from deciban.read import Column, plain
from deciban.read.documents import Documents
from deciban.storable import storable
from deciban.tallies import Sample
from deciban.text.analyzer import Analyzer
from deciban.text.bag import Bag
from deciban.text.counting import count_bag
from deciban.text.pruning import Pruning
from deciban.text.rules import TokenRules
from deciban.types import AnyArray, Codes, Floats

__all__ = ["Text", "TextLikelihood"]

_EVENTS = ("boolean", "multinomial")
_SMOOTHINGS = ("auto", "discount", "loo")


@storable
@dataclass(frozen=True, kw_only=True)
class Text(ColumnDistribution):
    """Free text, as a bag of tokens.

    Parameters
    ----------
    event : "boolean": which tokens a document has; "multinomial": every occurrence
    pattern, ngrams, lower, accents, shortest, longest : how documents are cut into tokens, as in `TextNB`
    smoothing : "discount" ("auto" is the same): absolute discounting, and "loo": Lidstone's law, each with its
        parameter chosen by leaving one out; a number, α; or a Smoothing without a prior over states. The model's own
        smoothing is for labels, and not meant for as many tokens
    drop_top, min_count : how many of the most frequent tokens go, and the least number of occurrences of those that
        are used. The tally keeps all of them
    n_bits : hash tokens to 2^n_bits buckets: fixed memory, and no vocabulary; then no token is dropped
    missing : "skip"; "error"; or "state": that there is no text is evidence

    Examples
    --------
    >>> from deciban import NaiveBayes
    >>> table = {"subject": ["win a prize", "lunch today", "free prize"], "links": [9, 0, 7]}
    >>> model = NaiveBayes({"subject": Text()}).fit(table, ["spam", "ham", "spam"])
    >>> model.predict({"subject": ["a prize for you"], "links": [None]}).tolist()
    ['spam']
    """

    event: str = "boolean"
    pattern: Any = "words"
    ngrams: tuple[int, int] = (1, 1)
    lower: bool = True
    accents: str | None = None
    shortest: int | None = None
    longest: int | None = None
    smoothing: Any = "auto"
    drop_top: int = 0
    min_count: float = 1
    n_bits: int | None = None

    part_type: ClassVar[type] = Bag
    values_repeat: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.event not in _EVENTS:
            raise ParameterError(f"event of a Text column is one of 'boolean', 'multinomial', not {self.event!r}.")
        if isinstance(self.ngrams, list):  # a distribution is a key, so its fields must be
            object.__setattr__(self, "ngrams", tuple(self.ngrams))
        _check_smoothing(self.smoothing)
        if self.n_bits is not None and not (isinstance(self.n_bits, Integral) and 1 <= self.n_bits <= 31):
            raise ParameterError(f"n_bits is a whole number from 1 to 31, or None, not {self.n_bits!r}.")
        if not self.pruning.keeps_all and self.n_bits is not None:
            raise ParameterError("hashed tokens are not dropped: leave out n_bits, or drop_top and min_count.")
        self.analyzer  # noqa: B018  refuses what it cannot cut by

    @classmethod
    def of_rules(cls, rules: TokenRules | None, n_bits: int | None = None) -> Self:
        """The column whose documents were cut by these rules."""
        if rules is None:
            raise ParameterError("the tally's tokens were cut by a callable: name it, columns={…: Text(pattern=…)}.")
        sizes = rules.chars if rules.pattern in ("chars", "chars_wb") else rules.ngrams
        cut = {name: getattr(rules, name) for name in ("pattern", "lower", "accents", "shortest", "longest")}
        return cls(**cut, ngrams=sizes, n_bits=n_bits)

    @property
    def analyzer(self) -> Analyzer:
        """What cuts documents into tokens."""
        return Analyzer.of(self.pattern, self.ngrams, self.lower, self.accents, self.shortest, self.longest)

    @property
    def pruning(self) -> Pruning:
        """Which tokens are used."""
        return Pruning(self.drop_top, self.min_count, min_df=0, max_df=math.inf)

    @classmethod
    def of_part(cls, part: object) -> Self | None:
        if not isinstance(part, Bag):
            return None
        return cls.of_rules(part.rules, None if part.vocabulary is not None else part.size.bit_length() - 1)

    def check_part(self, part: Bag) -> None:
        super().check_part(part)
        if part.rules != self.analyzer.rules:
            raise ParameterError(f"the texts of column {part.name!r} were cut by {part.rules}: pass the same settings.")

    def discretized(self) -> Ignore:
        return Ignore(missing="skip")

    def information(self, part: Bag) -> float:
        return part.information()

    def count(self, column: Column, sample: Sample, owner: str) -> Bag:
        self.check(column, owner)
        documents, known = _documents(column)
        return count_bag(documents, sample.take(known), self.analyzer, self.n_bits, column.name)

    def estimate(self, parts: Sequence[Bag]) -> TextLikelihood:
        return TextLikelihood(tuple(self._model(part) for part in parts))

    def leave_one_out(self, parts: Sequence[Bag], columns: Sequence[Column], y: Codes, weights: Floats) -> Floats:
        """That of a refit, but that the tokens in use, discounts and the pseudo-count of "loo" stay as they are."""
        out = np.zeros((len(y), len(columns), len(parts[0].starts) - 1))
        rule = self.smoothing if isinstance(self.smoothing, Smoothing) else None
        for i, (part, column) in enumerate(zip(parts, columns, strict=True)):
            documents, known = _documents(column)
            rows = y[known], weights[known]
            out[known, i] = leave_documents_out(self._model(part), documents, *rows, rule)
        return out

    def _model(self, part: Bag) -> TextModel:
        # No token is chosen by its class here, so how many documents each class has does not matter.
        classes = np.ones(len(part.starts) - 1)
        return estimate_text(part, classes, self.event, self.smoothing, self.pruning, self.analyzer)


class TextLikelihood(Likelihood):
    """Columns of text, each with a model of its own."""

    def __init__(self, models: tuple[TextModel, ...]) -> None:
        self._models = models
        self._classes = len(models[0].scores.prior)

    def columns(self, columns: Sequence[Column]) -> Floats:
        out = np.zeros((len(columns[0]), len(columns), self._classes))
        for i, (model, column) in enumerate(zip(self._models, columns, strict=True)):
            documents, known = _documents(column)
            out[known, i] = model.score(documents)[0]
        return out

    def tokens(self, i: int, j: int, k: int) -> list[Token]:
        model = self._models[i]
        if model.bag.vocabulary is None:
            return []
        mine, theirs = class_scores(model, j), class_scores(model, k)
        with np.errstate(invalid="ignore"):
            ratios = np.where(mine == theirs, 0.0, mine - theirs)
        rows = model.bag.sums(model.scores.distinct)
        used = np.flatnonzero(np.isfinite(ratios) & (rows > 0)).tolist()
        return [Token(model.bag.token(token), float(ratios[token]), float(rows[token])) for token in used]

    def one(self, i: int, names: Sequence[str], markers: Markers = frozenset()) -> OneValue:
        model, nothing = self._models[i], [0.0] * self._classes

        def score(value: Any) -> Sequence[float]:
            held = plain(value)
            if is_missing(held) or held in markers:
                return nothing
            _check_text([held], names[i])
            return model.score(Documents([held]))[0][0].tolist()

        return score


def _documents(column: Column) -> tuple[Documents, AnyArray]:
    """The texts that are known, and of which rows they are."""
    known = ~column.is_missing
    held = column.numbers[known] if column.is_numeric else column.states[column.places[known]]
    _check_text(listed := held.tolist(), column.name)
    return Documents(listed), known


def _check_text(held: list[Any], name: str) -> None:
    strange = [kind for kind in set(map(type, held)) if not issubclass(kind, str | bytes)]
    if strange:
        value = next(value for value in held if type(value) is strange[0])
        raise InputTypeError(f"column {name!r} holds {value!r}, which is not text. Give it another distribution.")


def _check_smoothing(smoothing: Any) -> None:
    if isinstance(smoothing, Smoothing) or (isinstance(smoothing, str) and smoothing in _SMOOTHINGS):
        return
    if isinstance(smoothing, bool) or not (isinstance(smoothing, Real) and 0 <= float(smoothing) < math.inf):
        raise ParameterError(
            f"smoothing is 'auto', 'discount', 'loo', a number from 0 up or a rule like Laplace(), not {smoothing!r}."
        )
