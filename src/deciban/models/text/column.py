"""A column of free text in a table: each text is a bag of tokens (Mitchell, table 6.2; Metsis et al. 2006).

    log P(document | j) = Σ_{known tokens t} amount_t·log P(t | j)

with amount_t = 1 where the event is "boolean", else the number of occurrences of t. Unknown tokens are ignored, so a
text without known tokens adds nothing, as a missing one. The tally keeps a `Bag`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from numbers import Integral, Real
from typing import ClassVar, Literal, NoReturn, Self, get_args

import numpy as np

from deciban.choices import check_choice
from deciban.errors import DecibanWarning, InputTypeError, ParameterError, warn_user
from deciban.estimate import ColumnDistribution, Ignore, Likelihood, Smoothing
from deciban.estimate.column import Margins
from deciban.estimate.likelihood import Contest, OneValue, Token, times
from deciban.estimate.values import Markers, is_missing
from deciban.explain import DocumentExplanation
from deciban.models.text.document_classifier import BATCH, warn_of_unknown
from deciban.models.text.explain import DocumentCase, explain_document
from deciban.models.text.model import TextModel, class_scores, difference, estimate_text, leave_documents_out
from deciban.read import Column, plain
from deciban.read.documents import Documents
from deciban.storable import storable
from deciban.tallies import Sample
from deciban.text.analyzer import (
    ANALYZER_PARAMETERS,
    Analyzer,
    AnalyzerChoice,
    StripAccents,
    Tokenizer,
    TokenRules,
    analyzer_for,
    is_spaceless,
    was_spaceless,
)
from deciban.text.bag import Bag, count_bag
from deciban.text.pruning import Pruning
from deciban.types import AnyArray, Codes, Floats

__all__ = ["Text", "TextLikelihood"]

_Event = Literal["boolean", "multinomial"]
_SmoothingName = Literal["auto", "by-classes", "discount", "kneser-ney", "loo"]


@storable
@dataclass(frozen=True, kw_only=True)
class Text(ColumnDistribution):
    """A column of free text, as a bag of tokens.

    Parameters
    ----------
    missing : {"skip", "error", "state"}, optional
        What a missing text is: no evidence, an error, or evidence of its own. The model's setting when None.
    event : {"boolean", "multinomial"}
        "boolean": which tokens a text contains. "multinomial": every occurrence.
    analyzer : {"auto", "word", "word_punct", "char", "char_wb", "unicode_word"}
        What a token is: "word" (as in scikit-learn), "word_punct" (words and punctuation), "char", "char_wb" (n-grams
        of characters), "unicode_word" (words by UAX 29). "auto" is "word", or, where most of the first documents are in
        a script without spaces, "char" with n-grams of up to 3 characters at least; `analyzer_` says which.
    tokenizer : callable, optional
        A function that takes a document and returns its tokens, instead of those of `analyzer`.
    ngram_range : (int, int)
        The sizes of n-grams, first and last: of tokens, or for "char" and "char_wb" of characters.
    lowercase : bool
        Whether to convert to lower case.
    strip_accents : {"unicode", "ascii"}, optional
        How to remove accents; they stay when None.
    shortest, longest : int, optional
        The minimum and maximum length of a token. None: 2 for "word", else 1, without a maximum.
    smoothing : str, float or Smoothing
        As in `TextNB`; the model's own smoothing is meant for labels, not for vocabularies.
    drop_top : int
        The number of most frequent tokens to drop. The tally keeps all tokens.
    min_count : int
        The minimum number of occurrences of a token.
    min_df, max_df : int
        The minimum and maximum number of texts that contain a token; shares of the texts are not supported here, other
        than 1.0, all.
    n_bits : int, optional
        Hash tokens to 2^n_bits buckets: fixed memory, and no vocabulary; then no token is dropped.

    See Also
    --------
    TextNB : For documents alone.

    Examples
    --------
    >>> from deciban import NaiveBayes
    >>> table = {"subject": ["win a prize", "lunch today", "free prize"], "links": [9, 0, 7]}
    >>> model = NaiveBayes({"subject": Text()}).fit(table, ["spam", "ham", "spam"])
    >>> model.predict({"subject": ["a prize for you"], "links": [None]}).tolist()
    ['spam']
    """

    event: _Event = "boolean"
    analyzer: AnalyzerChoice = "auto"
    tokenizer: Tokenizer | None = None
    ngram_range: tuple[int, int] = (1, 1)
    lowercase: bool = True
    strip_accents: StripAccents | None = None
    shortest: int | None = None
    longest: int | None = None
    smoothing: _SmoothingName | float | Smoothing = "auto"
    drop_top: int = 0
    min_count: float = 1
    min_df: int = 1
    max_df: float = 1.0
    n_bits: int | None = None

    part_type: ClassVar[type] = Bag
    values_repeat: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("event of a Text column", self.event, get_args(_Event))
        if isinstance(self.ngram_range, list):  # distributions are hashed, so their fields must be hashable
            object.__setattr__(self, "ngram_range", tuple(self.ngram_range))
        for name in ("min_df", "max_df"):
            _check_documents(name, getattr(self, name))
        _check_smoothing(self.smoothing)
        if self.n_bits is not None and not (isinstance(self.n_bits, Integral) and 1 <= self.n_bits <= 31):
            raise ParameterError(f"n_bits is a whole number from 1 to 31, or None, not {self.n_bits!r}.")
        if not self.pruning.keeps_all and self.n_bits is not None:
            raise ParameterError(
                "hashed tokens cannot be dropped: leave out n_bits, or drop_top, min_count and min_df."
            )
        self._analyzer  # noqa: B018  checks the settings

    @classmethod
    def of_rules(cls, rules: TokenRules | None, n_bits: int | None = None) -> Self:
        """The column whose texts were tokenized by these rules."""
        if rules is None:
            raise ParameterError("the tally's tokens were made by a callable: pass it, columns={…: Text(tokenizer=…)}.")
        return cls(**asdict(rules), n_bits=n_bits)

    @property
    def rules(self) -> TokenRules | None:
        """The settings of the tokenizer; None where a callable splits texts."""
        return self._analyzer.rules

    @property
    def _analyzer(self) -> Analyzer:
        return self._analyzer_for(spaceless=False)

    def _analyzer_for(self, spaceless: bool) -> Analyzer:
        return analyzer_for({name: getattr(self, name) for name in ANALYZER_PARAMETERS}, "word_emoji", spaceless)

    def planned(self, column: Column) -> tuple[Self, str]:
        if self.analyzer != "auto" or not is_spaceless(_documents(column)[0].texts):
            return self, ""
        made = self._made_for_characters()
        return made, "" if made is self else "; n-grams of characters, as its script has no spaces"

    def counted(self, part: Bag) -> Self:
        return self._made_for_characters() if self.analyzer == "auto" and was_spaceless(part.rules) else self

    def _made_for_characters(self) -> Self:
        """The column that "auto" means for scripts without spaces."""
        rules = self._analyzer_for(spaceless=True).rules
        if rules is None or not rules.is_of_characters:
            return self
        return replace(self, analyzer=rules.analyzer, ngram_range=rules.ngram_range)

    @property
    def pruning(self) -> Pruning:
        """The selection of the tokens in use."""
        return Pruning(
            self.drop_top, self.min_count, self.min_df, math.inf if isinstance(self.max_df, float) else self.max_df
        )

    @classmethod
    def of_part(cls, part: object) -> Self | None:
        if not isinstance(part, Bag):
            return None
        return cls.of_rules(part.rules, None if part.vocabulary is not None else part.size.bit_length() - 1)

    def check_part(self, part: Bag) -> None:
        super().check_part(part)
        if part.rules != self._analyzer_for(was_spaceless(part.rules)).rules:
            raise ParameterError(
                f"the texts of column {part.name!r} were tokenized by {part.rules}: pass the same settings."
            )

    def discretized(self) -> Ignore:
        return Ignore(missing="skip")

    def information(self, part: Bag) -> float:
        return part.information()

    def count(self, column: Column, sample: Sample, owner: str) -> Bag:
        self.check(column, owner)
        documents, known = _documents(column)
        # `planned` has settled "auto" before: here it would be decided by each batch anew.
        bag = count_bag(documents, sample.take(known), self._analyzer, self.n_bits, column.name)
        if len(documents) >= BATCH and bag.is_empty:
            warn_user(f"column {column.name!r}: no text has a token. Pass another analyzer.", DecibanWarning)
        return bag

    def estimate(self, parts: Sequence[Bag]) -> TextLikelihood:
        return TextLikelihood(tuple(self._model(part) for part in parts))

    def n_parameters(self, parts: Sequence[Bag]) -> int:
        """The probabilities of the tokens in use sum to 1 in each class."""
        return sum(part.classes * max(self._model(part).bag.size - 1, 0) for part in parts)

    @property
    def why_no_probability(self) -> str:
        if self.event == "multinomial":
            return ""
        return 'Text(event="boolean") scores texts, but is not a distribution of texts. Use event="multinomial".'

    def leave_one_out(self, parts: Sequence[Bag], columns: Sequence[Column], y: Codes, sample_weight: Floats) -> Floats:
        """As a refit, except that the tokens in use, the discounts and the pseudo-count of "loo" stay the same."""
        out = np.zeros((len(y), len(columns), len(parts[0].starts) - 1))
        rule = self.smoothing if isinstance(self.smoothing, Smoothing) else None
        for i, (part, column) in enumerate(zip(parts, columns, strict=True)):
            documents, known = _documents(column)
            rows = y[known], sample_weight[known]
            out[known, i], _ = leave_documents_out(self._model(part), documents, *rows, rule)
        return out

    def add_margins(
        self,
        likelihood: TextLikelihood,
        parts: Sequence[Bag],
        columns: Sequence[Column],
        margins: Margins,
        at: Sequence[int],
    ) -> None:
        """As `leave_one_out`."""
        rule = self.smoothing if isinstance(self.smoothing, Smoothing) else None
        for index, model, part, column in zip(at, likelihood.models, parts, columns, strict=True):
            documents, known = _documents(column)
            logs = np.zeros((len(margins), part.classes))
            logs[known], _ = leave_documents_out(model, documents, margins.y[known], margins.own[known], rule)
            margins.add_logs(index, logs)

    def _model(self, part: Bag) -> TextModel:
        # Tokens are not selected by class here, so the number of documents of each class does not matter.
        classes = np.ones(len(part.starts) - 1)
        return estimate_text(part, classes, self.event, self.smoothing, self.pruning, self._analyzer)


class TextLikelihood(Likelihood):
    """Columns of text, one model each."""

    def __init__(self, models: tuple[TextModel, ...]) -> None:
        self.models = models
        self._classes = len(models[0].scores.prior)

    def columns(self, columns: Sequence[Column]) -> Floats:
        out = np.zeros((len(columns[0]), len(columns), self._classes))  # a missing text is no evidence
        for i, (model, column) in enumerate(zip(self.models, columns, strict=True)):
            documents, known = _documents(column)
            out[known, i], numbers = model.score(documents)
            warn_of_unknown([numbers], f"texts of column {column.name!r}")
        return out

    def tokens(self, i: int, j: int, k: int) -> list[Token]:
        model = self.models[i]
        if model.bag.vocabulary is None:
            return []
        mine, theirs = class_scores(model, j), class_scores(model, k)
        ratios = difference(mine, theirs)
        rows = model.bag.sums(model.scores.distinct)
        used = np.flatnonzero(np.isfinite(ratios) & (rows > 0)).tolist()
        return [Token(model.bag.token(token), float(ratios[token]), float(rows[token])) for token in used]

    def explained(self, i: int, value: str | bytes, contest: Contest, weight: float = 1.0) -> DocumentExplanation:
        model = self.models[i]
        likelihood = times(np.asarray(weight), model.score(Documents([value]))[0][0])
        case = DocumentCase(value, contest.classes, contest.known, likelihood, weight, prior_name="not missing")
        return explain_document(model, case, contest.label, contest.against)

    def draw(self, i: int, y: Codes, rng: np.random.Generator) -> NoReturn:
        raise ParameterError("a Text() column says nothing of the length of texts, so none can be drawn. Use Ignore().")

    def one(self, i: int, names: Sequence[str], markers: Markers = frozenset()) -> OneValue:
        model, zeros = self.models[i], [0.0] * self._classes

        def score(value: object) -> Sequence[float]:
            text = plain(value)
            if is_missing(text) or text in markers:
                return zeros
            _check_text([text], names[i])
            return model.score(Documents([text]))[0][0].tolist()

        return score


def _documents(column: Column) -> tuple[Documents, AnyArray]:
    """The texts that are not missing, and the mask of their rows."""
    known = ~column.is_missing
    values = column.numbers[known] if column.is_numeric else column.states[column.indices[known]]
    _check_text(listed := values.tolist(), column.name)
    return Documents(listed), known


def _check_text(values: list[object], name: str) -> None:
    other = [kind for kind in set(map(type, values)) if not issubclass(kind, str | bytes)]
    if other:
        value = next(value for value in values if type(value) is other[0])
        raise InputTypeError(f"column {name!r} has the value {value!r}, which is not text. Use another distribution.")


def _check_documents(name: str, value: object) -> None:
    if name == "max_df" and isinstance(value, float) and value == 1.0:
        return
    if isinstance(value, bool) or not isinstance(value, Integral) or value < 1:  # True is an int in Python
        raise ParameterError(f"{name} of a Text column is a number of texts, an int from 1 up, not {value!r}.")


def _check_smoothing(smoothing: object) -> None:
    if isinstance(smoothing, Smoothing):
        return
    if isinstance(smoothing, str):
        check_choice("smoothing", smoothing, get_args(_SmoothingName), other=", a number or a rule like Laplace()")
        return
    if isinstance(smoothing, bool) or not (isinstance(smoothing, Real) and 0 <= float(smoothing) < math.inf):
        raise ParameterError(
            "smoothing is 'auto', 'by-classes', 'discount', 'kneser-ney', 'loo', a number from 0 up or a rule like "
            f"Laplace(), not {smoothing!r}."
        )
