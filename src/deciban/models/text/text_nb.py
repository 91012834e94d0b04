"""Naive Bayes for raw documents: tokens are counted straight into the tally, without a matrix.

    log P(c | document) = log P(c) + Σ_{known tokens t} log P(t | c) + const

Unknown tokens are ignored (Mitchell, table 6.2). P(t | c), and the tokens of a document that count, depend on the event
model (`deciban.models.text.events`).
"""

from __future__ import annotations

from functools import cached_property
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self, get_args

from sklearn.utils._param_validation import Interval, StrOptions

from deciban.errors import InputError, ParameterError
from deciban.estimate import Smoothing, settle_priors
from deciban.models.form import Form
from deciban.models.parts.calibration import calibrate, plain_posterior
from deciban.models.parts.decider import DECIDER_CONSTRAINTS, Decider
from deciban.models.text.base import DOCUMENT_FREQUENCY
from deciban.models.text.calibration import held_out_posterior
from deciban.models.text.from_files import capped_tally, fit_files
from deciban.models.text.learning import (
    check_tokens,
    fit,
    forget,
    learn_counted,
    learn_temperature,
    merge,
    partial_fit,
)
from deciban.models.text.model import estimate_text
from deciban.models.text.scoring import TextClassifier
from deciban.models.text.temperature import TEMPERATURE, TextForm
from deciban.read import read_target, read_weights
from deciban.read.documents import Documents, read_documents
from deciban.tallies import Sample, Tally
from deciban.tallies.same import is_same_sample
from deciban.text.analyzer import ANALYZER_PARAMETERS, Analyzer, Tokenizer
from deciban.text.bag import Bag
from deciban.text.counting import count_bag, weigh_bag
from deciban.text.pruning import MEASURES, Measure, Pruning
from deciban.text.rules import AnalyzerName, StripAccents
from deciban.text.scripts import AnalyzerChoice, analyzer_for, is_spaceless, usual_words, was_spaceless
from deciban.types import AnyArray, Floats

__all__ = ["TextNB"]

Event = Literal["multinomial", "bernoulli", "boolean", "complement", "twcnb"]
SmoothingName = Literal["auto", "by-classes", "discount", "kneser-ney", "loo"]
Length = Literal["none", "mean", "root"]

_COUNT = [Interval(Integral, 0, None, closed="left")]


class TextNB(TextClassifier):
    """Naive Bayes for documents, without a vectorizer: X is a list, Series, array or Arrow column of str or bytes.

    Parameters
    ----------
    event : {"boolean", "multinomial", "bernoulli", "complement", "twcnb"}
        The event model. "boolean": each distinct token of a document counts once (Metsis et al. 2006). "multinomial":
        every occurrence. "bernoulli": present and absent tokens. "complement": token probabilities of the other
        classes. "twcnb": the same with log counts, idf and length-normalized training documents (Rennie et al. 2003),
        and each distinct token of a new document counted once; it needs all documents together, so `partial_fit`,
        `merge` and `forget` are errors.
    analyzer : {"auto", "word", "word_emoji", "word_punct", "char", "char_wb", "unicode_word"}
        What a token is: "word" (as in scikit-learn), "word_emoji" (words and emoji), "word_punct" (words and
        punctuation), "char", "char_wb" (n-grams of characters), "unicode_word" (words by UAX 29). "auto" is
        "word_emoji", or, where most of the first documents are in
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
        "discount": absolute discounting, with the mean of the classes as background. "kneser-ney": the same, with
        tokens by their number of classes as background. "loo": Lidstone's law. Each has its parameters chosen by
        leave-one-out. Or a number, α; or a Smoothing without a prior over states. "auto" for "boolean" and
        "multinomial" is "kneser-ney" or "discount", whichever has the larger leave-one-out likelihood of the classes;
        it is "loo" for "bernoulli", 1 for "complement" and 0.05 for "twcnb". "by-classes" is "kneser-ney" for two
        classes and "discount" for more.
    priors : "empirical", "uniform", Smoothing, mapping or array
        The class priors: relative frequencies, equal ones, smoothed frequencies, or probabilities. "complement" and
        "twcnb" use them only for documents without known tokens.
    drop_top : int
        The number of most frequent tokens that are not used. The tally keeps all tokens, so neither this nor the
        following five parameters need counting again, and learning in parts stays exact.
    min_count : float
        The minimum number of occurrences of a token that is used.
    min_df, max_df : int or float
        The minimum and maximum number of documents that contain a token that is used; a float is a share of the
        documents.
    select : int, optional
        The number of tokens that are used, those with the largest `measure`; all when None.
    measure : {"mi", "chi2", "frequency"}
        Mutual information with the class, χ², or the number of documents with the token.
    n_bits : int, optional
        Hash tokens to 2^n_bits buckets: fixed memory, and no vocabulary.
    max_terms : int, optional
        The maximum number of tokens that the tally keeps after each batch, the most frequent ones (up to twice as many
        while `fit_files` counts). Counts may then be too small, by at most ``model.tally_.parts[0].error``, and
        learning in parts is no longer exact.
    temperature : "auto", float or None
        T; posteriors are raised to the power 1/T, which changes no decision, since tokens are not independent. "auto":
        learned in `fit`, from documents that are left out, or in the first batch of `partial_fit` with 20 of them; then
        `partial_fit`, `learn_one` and `forget` keep it, and `merge` takes the mean by documents. A model without it
        ("twcnb", `from_tally`) has T = 1. None is T = 1 as well: naive Bayes as in textbooks. A number is the T of a
        document of mean length.
    length : {"none", "mean", "root"}
        "mean": documents are weighted as if all had the mean length. "root": the geometric mean of both.
    rule : {"map", "ml"}
        How to decide: "map" by the posterior; "ml" by the likelihood alone, without the priors.
    loss : array or mapping, optional
        A matrix, truth × decision, or {truth: {decision: cost}}, where costs that are not named are 0 for the right
        decision and 1 for a wrong one. The decision of least expected loss is taken.
    reject : Reject or float, optional
        A `Reject`, or the posterior below which no decision is made: `predict` then returns None.

    Attributes
    ----------
    tally_ : Tally
        The counts of all tokens in each class.
    classes_ : array
        The labels, sorted.
    class_log_prior_ : array
        log P(class).
    vocabulary_ : dict
        The tokens in use and their ids; empty where tokens are hashed.
    smoothing_ : float or value
        The smoothing in use: α, or the discounts of each class for tokens that occur once, twice and more often.
    analyzer_ : str or None
        The analyzer in use, which "auto" has chosen; None for a callable tokenizer.
    temperature_ : float
        The temperature of a document of mean length.

    See Also
    --------
    TextEM : Learns from documents without labels, too.
    LogCountRatio : A linear classifier on the tokens' log-count ratios.
    Text : Text in a column of a table.

    Examples
    --------
    >>> model = TextNB().fit(
    ...     ["free prize now", "lunch at noon", "win a free prize"], ["spam", "ham", "spam"]
    ... )
    >>> model.predict(["a prize for lunch: free!"]).tolist()
    ['spam']
    >>> model.known_tokens(["a prize for lunch: free!", "quite unknown"]).tolist()
    [3, 0]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **DECIDER_CONSTRAINTS,
        "event": [StrOptions(set(get_args(Event)))],
        "smoothing": [StrOptions(set(get_args(SmoothingName))), Interval(Real, 0, None, closed="left"), Smoothing],
        "drop_top": _COUNT,
        "min_count": [Interval(Real, 0, None, closed="left")],
        "min_df": DOCUMENT_FREQUENCY,
        "max_df": DOCUMENT_FREQUENCY,
        "select": [*_COUNT, None],
        "measure": [StrOptions(set(MEASURES))],
        "n_bits": [Interval(Integral, 1, 31, closed="both"), None],
        "max_terms": [Interval(Integral, 1, None, closed="left"), None],
        "temperature": TEMPERATURE,
        "length": [StrOptions(set(get_args(Length)))],
    }
    missing = "error"

    def __init__(
        self,
        event: Event = "boolean",
        *,
        analyzer: AnalyzerChoice = "auto",
        tokenizer: Tokenizer | None = None,
        ngram_range: tuple[int, int] = (1, 1),
        lowercase: bool = True,
        strip_accents: StripAccents | None = None,
        shortest: int | None = None,
        longest: int | None = None,
        smoothing: SmoothingName | float | Smoothing = "auto",
        priors: Any = "empirical",
        drop_top: int = 0,
        min_count: float = 1,
        min_df: float = 1,
        max_df: float = 1.0,
        select: int | None = None,
        measure: Measure = "mi",
        n_bits: int | None = None,
        max_terms: int | None = None,
        temperature: Literal["auto"] | float | None = "auto",
        length: Length = "none",
        rule: Literal["map", "ml"] = "map",
        loss: Any = None,
        reject: Any = None,
    ) -> None:
        self.event = event
        self.analyzer = analyzer
        self.tokenizer = tokenizer
        self.ngram_range = ngram_range
        self.lowercase = lowercase
        self.strip_accents = strip_accents
        self.shortest = shortest
        self.longest = longest
        self.smoothing = smoothing
        self.priors = priors
        self.drop_top = drop_top
        self.min_count = min_count
        self.min_df = min_df
        self.max_df = max_df
        self.select = select
        self.measure = measure
        self.n_bits = n_bits
        self.max_terms = max_terms
        self.temperature = temperature
        self.length = length
        self.rule = rule
        self.loss = loss
        self.reject = reject

    calibrate = calibrate

    def _decider(self) -> Decider:
        return Decider(self.rule, self.loss, self.reject)

    # Learning ------------------------------------------------------------------------------------------------------

    fit, partial_fit, merge, forget, fit_files = fit, partial_fit, merge, forget, fit_files
    _learn_counted, _learn_temperature, _check_tokens = learn_counted, learn_temperature, check_tokens

    def _estimates_once(self) -> bool:
        """Not where each batch is cut to `max_terms`, or where the next one may give the temperature."""
        is_settled = self.temperature != "auto" or self._form.temperature is not None
        return is_settled and self.max_terms is None and self.event != "twcnb"

    def _tally_of(self, X: Any, y: Any, sample_weight: Any, known: Form | None = None) -> tuple[Tally, Form]:
        data = read_documents(X)
        if known is None:
            return self._counted(data, self._sample(y, sample_weight, len(data)), self._analyzer_of(data)), TextForm(1)
        labels = read_target(y, len(data))
        if self._is_own(known):
            labels = labels.read_as(self.tally_.classes)
        return self._count(data, Sample.of(labels, read_weights(sample_weight, len(data))), known), known

    def _count(self, data: Documents, sample: Sample, form: Form) -> Tally:  # noqa: ARG002
        return self._counted(data, sample, self._analyzer())

    def _counted(self, data: Documents, sample: Sample, analyzer: Analyzer) -> Tally:
        count = weigh_bag if self.event == "twcnb" else count_bag
        return sample.tally(count(data, sample, analyzer, self.n_bits))

    @staticmethod
    def _sample(y: Any, sample_weight: Any, rows: int) -> Sample:
        return Sample.of(read_target(y, rows), read_weights(sample_weight, rows))

    def _adopt(self, tally: Tally, form: Form) -> Self:
        if self.max_terms is not None:
            tally = capped_tally(tally, self.max_terms)
        super()._adopt(tally, TextForm.of_form(form))
        del self.n_features_in_  # documents have no columns to count
        self.__dict__.pop("_pending", None)
        return self

    def _accepted(self, tally: Tally) -> Tally:
        if len(tally.parts) != 1 or not isinstance(tally.parts[0], Bag):
            raise ParameterError("TextNB takes a tally of one column of documents.")
        if tally.parts[0].rules != self._analyzer(tally).rules:
            raise ParameterError(f"the tally was tokenized by {tally.parts[0].rules}: pass the same settings.")
        return tally

    def _form_of_tally(self, tally: Tally) -> Form:  # noqa: ARG002
        return TextForm(1)

    # Fitted attributes ---------------------------------------------------------------------------------------------

    @cached_property
    def vocabulary_(self) -> dict[str, int]:
        """The tokens in use and their ids; empty where tokens are hashed."""
        self._check_fitted()
        return {token: i for i, token in enumerate(self._model.bag.vocabulary or ())}

    @property
    def smoothing_(self) -> Any:
        """The smoothing in use: α, or the discounts of each class for tokens that occur once, twice and more often."""
        self._check_fitted()
        return self._model.smoothing

    @property
    def analyzer_(self) -> str | None:
        """The analyzer in use, which "auto" has chosen; None for a callable tokenizer."""
        self._check_fitted()
        return None if self.tokenizer is not None else self._model.analyzer.settings.analyzer

    @property
    def class_log_prior_(self) -> AnyArray:
        """log P(class)."""
        self._check_fitted()
        return self._prior

    # Estimating and scoring ----------------------------------------------------------------------------------------

    def _estimate(self, tally: Tally, form: Form) -> dict[str, Any]:  # noqa: ARG002
        prior = settle_priors(self.priors, tally.class_counts, tally.classes.labels.tolist())
        pruning = Pruning(self.drop_top, self.min_count, self.min_df, self.max_df, self.select, self.measure)
        settings = (self.event, self.smoothing, pruning, self._analyzer(tally), self.length)
        return {"_prior": prior, "_model": estimate_text(tally.parts[0], tally.class_counts, *settings)}

    def _analyzer(self, tally: Tally | None = None) -> Analyzer:
        """The analyzer by which a tally was counted: that of the model when None."""
        bag = (tally or self.tally_).parts[0]
        return self._analyzer_for(was_spaceless(bag.rules), usual_words(bag.rules))

    def _analyzer_of(self, data: Documents) -> Analyzer:
        """The analyzer of the first documents, by which "auto" is decided."""
        return self._analyzer_for(self.analyzer == "auto" and is_spaceless(data.texts))

    def _analyzer_for(self, spaceless: bool, usual: AnalyzerName = "word_emoji") -> Analyzer:
        return analyzer_for({name: getattr(self, name) for name in ANALYZER_PARAMETERS}, usual, spaceless)

    def _read(self, X: Any) -> Documents:
        return read_documents(X)

    def _check_columns(self, data: Any) -> None:
        """Documents are one column: there is nothing to compare with the fit."""

    def _column_evidence(self, data: Documents) -> Floats:
        return self._likelihood(data)[:, None, :]

    def _names(self) -> tuple[str, ...]:
        return ("text",)

    def _left_out_posterior(self, X: Any, y: Any, sample_weight: Any) -> Floats:
        return held_out_posterior(self, read_documents(X).to_list(), y, sample_weight)

    def _honest_posterior(self, X: Any, y: Any, sample_weight: Any, learned: bool | str) -> Floats:
        """Posteriors to calibrate on: held out where X, y are all documents that were learned; else plain ones."""
        documents = read_documents(X).to_list()
        if learned is not False and is_same_sample(
            self.tally_, self._tally_of(documents, y, sample_weight, self._form)[0]
        ):
            return held_out_posterior(self, documents, y, sample_weight)
        if learned is True:
            raise InputError("learned=True needs the documents that were learned, all of them, with their weights.")
        return plain_posterior(self, documents)
