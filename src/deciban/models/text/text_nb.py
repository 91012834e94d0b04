"""Naive Bayes for raw documents: tokens are counted straight into the tally, without a matrix.

    log P(c | document) = log P(c) + Σ_{known tokens t} log P(t | c) + const

Unknown tokens are ignored (Mitchell, table 6.2). P(t | c), and the tokens of a document that count, depend on the event
model (`deciban.models.text.events`).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self, get_args

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from deciban.decide import NO_DECISION
from deciban.errors import InputError, ParameterError
from deciban.estimate import Smoothing, settle_priors
from deciban.explain import DocumentExplanation, TopTokens
from deciban.models.base import BayesClassifier
from deciban.models.form import Form
from deciban.models.parts.calibration import calibrate, plain_posterior
from deciban.models.parts.decider import DECIDER_CONSTRAINTS, Decider
from deciban.models.parts.live_counter import check_label
from deciban.models.text.base import DOCUMENT_FREQUENCY, DocumentClassifier, read_document
from deciban.models.text.calibration import held_out_posterior
from deciban.models.text.explain import DocumentCase, explain_document
from deciban.models.text.model import TextModel, estimate_text
from deciban.models.text.pending import PendingDocuments
from deciban.models.text.weights import class_index, document_weights, top_tokens
from deciban.read import read_target, read_weights
from deciban.read.documents import Documents, read_documents
from deciban.tallies import Sample, Tally
from deciban.text.analyzer import ANALYZER_PARAMETERS, Analyzer, Tokenizer
from deciban.text.bag import Bag
from deciban.text.counting import count_bag, weigh_bag
from deciban.text.pruning import MEASURES, Measure, Pruning
from deciban.text.rules import AnalyzerName, StripAccents
from deciban.types import AnyArray, Floats, Ints

__all__ = ["TextNB"]

Event = Literal["multinomial", "bernoulli", "boolean", "complement", "twcnb"]
SmoothingName = Literal["auto", "discount", "kneser-ney", "loo"]
Length = Literal["none", "mean", "root"]

_NO_TOKENS = "empty vocabulary: no document has a token. Pass another analyzer, or a smaller `shortest`."
_NO_TOKENS_LEFT = "after pruning, no token remains. Try lower drop_top, min_count and min_df, or a higher max_df."
_COUNT = [Interval(Integral, 0, None, closed="left")]
_WITHOUT_PRIORS = ("complement", "twcnb")
_OUTDATED = ("tally_", "classes_", "_prior", "_model", "vocabulary_", "calibration_")
"""The attributes that follow from the documents: `learn_one` removes them, and they are estimated when next used."""


class TextNB(DocumentClassifier, BayesClassifier):
    """Naive Bayes whose X is a collection of documents: a list, Series, array or Arrow column of str or bytes.

    Parameters
    ----------
    event : the event model (`deciban.models.text.events` has the formulas)
        "boolean": each distinct token of a document counts once (Metsis et al. 2006); "multinomial": every occurrence;
        "bernoulli": present and absent tokens; "complement": token probabilities of the other classes; "twcnb": the
        same with log counts, idf and length-normalized training documents (Rennie et al. 2003), and each distinct
        token of a new document counted once; it needs all documents together, so `partial_fit`, `merge` and `forget`
        are errors.
    analyzer : what a token is: "word" (as in scikit-learn), "word_punct" (words and punctuation), "char", "char_wb"
        (n-grams of characters), "unicode_word" (words by UAX 29)
    tokenizer : a callable that takes a document and returns its tokens, instead of those of `analyzer`
    ngram_range : the sizes of n-grams, first and last: of tokens, or for "char" and "char_wb" of characters
    lowercase, strip_accents : convert to lower case; remove accents: None, "unicode" or "ascii"
    shortest, longest : the minimum and maximum length of a token; None: 2 for "word", else 1, without a maximum
    smoothing : "discount": absolute discounting, with the mean of the classes as background; "kneser-ney": the same,
        with tokens by their number of classes as background; "loo": Lidstone's law; each with its parameters chosen by
        leave-one-out; a number, α; or a Smoothing without a prior over states. "auto" for "boolean" and "multinomial"
        is "kneser-ney" where there are two classes and "discount" where there are more; it is "loo" for "bernoulli", 1
        for "complement" and 0.05 for "twcnb".
    priors : "empirical", "uniform", a Smoothing, or probabilities; "complement" and "twcnb" use them only for
        documents without known tokens
    drop_top, min_count, min_df, max_df, select, measure : which tokens are used (`deciban.text.pruning.Pruning`). The
        tally keeps all of them, so none of these needs counting again, and learning in parts stays exact.
    n_bits : hash tokens to 2^n_bits buckets: fixed memory, and no vocabulary
    max_terms : the maximum number of tokens that the tally keeps after each batch; counts may then be too small by
        ``model.tally_.parts[0].error``, and learning in parts is no longer exact.
    temperature : log-likelihoods are divided by it; above 1, posteriors are less extreme
    length : "none"; "mean": documents are weighted as if all had the mean length; "root": the geometric mean of both
    rule, loss, reject : how `predict` decides, as in `NaiveBayes`

    Examples
    --------
    >>> model = TextNB().fit(["free prize now", "lunch at noon", "win a free prize"], ["spam", "ham", "spam"])
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
        "temperature": [Interval(Real, 0, None, closed="neither")],
        "length": [StrOptions(set(get_args(Length)))],
    }
    missing = "error"

    def __init__(
        self,
        event: Event = "boolean",
        *,
        analyzer: AnalyzerName = "word",
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
        temperature: float = 1.0,
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

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Count the documents and estimate; what was learned before is forgotten.

        X are documents, str or bytes, and y their labels, of shape (n_samples,); `sample_weight` is 1 each when None.
        """
        before = self.__dict__.copy()
        super().fit(X, y, sample_weight)
        if self._model.bag.is_empty:
            is_empty = self.tally_.parts[0].is_empty
            self.__dict__ = before
            raise InputError(_NO_TOKENS if is_empty else _NO_TOKENS_LEFT)
        return self

    def partial_fit(self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None) -> Self:
        """Count more documents. They may have new tokens and new classes, so `classes` may be left out."""
        self._check_additive("partial_fit")
        if classes is None and not self._is_fitted():
            return super().fit(X, y, sample_weight)  # the first batch may be without tokens: others follow
        return super().partial_fit(X, y, classes, sample_weight)

    def learn_one(self, document: Any, label: Any) -> Self:
        """Learn one document, str or bytes; returns the model itself.

        The result is that of `partial_fit` with the same documents; a class may be new. It takes time proportional to
        the length of the document alone. The next prediction estimates the model again.

        Examples
        --------
        >>> model = TextNB()
        >>> for document, label in [("free prize", "spam"), ("lunch at noon", "ham"), ("win a prize", "spam")]:
        ...     _ = model.learn_one(document, label)
        >>> str(model.predict_one("a prize")), model.tally_.total
        ('spam', 3)
        """
        self._check_additive("learn_one")
        data = read_document(document, "learn_one")
        check_label(label)
        pending = self.__dict__.get("_pending")
        if pending is None and self._is_fitted():
            pending = PendingDocuments(self.tally_, self._analyzer(), self.n_bits)
        if pending is None or (code := pending.code_of(label)) is None:
            return self.partial_fit(data.texts, [label])
        pending.add(data.texts, code)
        for name in _OUTDATED:
            self.__dict__.pop(name, None)
        self._pending = pending
        return self

    def merge(self, other: BayesClassifier) -> Self:
        """Add what another TextNB with the same tokenizer has learned."""
        self._check_additive("merge")
        return super().merge(other)

    def forget(self, X: Any, y: Any = None, *, sample_weight: Any = None) -> Self:
        """Remove documents, as if they had never been learned; an error names a token that was not learned."""
        self._check_additive("forget")
        return super().forget(X, y, sample_weight=sample_weight)

    def _check_additive(self, what: str) -> None:
        if self.event == "twcnb":
            advice = 'fit them together, or pass event="complement".'
            raise ParameterError(
                f'event="twcnb" weights tokens by all documents at once, so it has no {what}: {advice}'
            )

    def _tally_of(self, X: Any, y: Any, sample_weight: Any, known: Form | None = None) -> tuple[Tally, Form]:
        data = read_documents(X)
        sample = Sample.of(read_target(y, len(data)), read_weights(sample_weight, len(data)))
        return self._count(data, sample, form := known or Form(1)), form

    def _count(self, data: Documents, sample: Sample, form: Form) -> Tally:  # noqa: ARG002
        count = weigh_bag if self.event == "twcnb" else count_bag
        return sample.tally(count(data, sample, self._analyzer(), self.n_bits))

    def _adopt(self, tally: Tally, form: Form) -> Self:
        if self.max_terms is not None:
            tally = Tally(tally.classes, tally.class_counts, tuple(bag.capped(self.max_terms) for bag in tally.parts))
        super()._adopt(tally, form)
        del self.n_features_in_  # documents have no columns to count
        self.__dict__.pop("_pending", None)
        return self

    def _accepted(self, tally: Tally) -> Tally:
        if len(tally.parts) != 1 or not isinstance(tally.parts[0], Bag):
            raise ParameterError("TextNB takes a tally of one column of documents.")
        if tally.parts[0].rules != self._analyzer().rules:
            raise ParameterError(f"the tally was tokenized by {tally.parts[0].rules}: pass the same settings.")
        return tally

    def _form_of_tally(self, tally: Tally) -> Form:  # noqa: ARG002
        return Form(1)

    # Fitted attributes, estimated again after `learn_one` when they are first used ------------------------------------

    @cached_property
    def tally_(self) -> Tally:  # type: ignore[override]
        """The counts of all documents."""
        return self._with_pending()["tally_"]

    @cached_property
    def classes_(self) -> AnyArray:  # type: ignore[override]
        """The labels, in order."""
        return self._with_pending()["classes_"]

    @cached_property
    def _prior(self) -> Floats:  # type: ignore[override]
        return self._with_pending()["_prior"]

    @cached_property
    def _model(self) -> TextModel:
        return self._with_pending()["_model"]

    def _with_pending(self) -> Mapping[str, Any]:
        """The fitted attributes, with the documents of `learn_one` counted."""
        if "_pending" not in self.__dict__:
            raise AttributeError("this TextNB has no fitted attributes before fit.")
        self._adopt(self._pending.total(), self._form)
        return self.__dict__

    def _is_fitted(self) -> bool:
        return "tally_" in self.__dict__ or "_pending" in self.__dict__

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
    def class_log_prior_(self) -> AnyArray:
        self._check_fitted()
        return self._prior

    # Estimating and scoring ----------------------------------------------------------------------------------------

    def _estimate(self, tally: Tally, form: Form) -> dict[str, Any]:  # noqa: ARG002
        prior = settle_priors(self.priors, tally.class_counts, tally.classes.labels.tolist())
        pruning = Pruning(self.drop_top, self.min_count, self.min_df, self.max_df, self.select, self.measure)
        settings = (self.event, self.smoothing, pruning, self._analyzer(), self.length)
        return {"_prior": prior, "_model": estimate_text(tally.parts[0], tally.class_counts, *settings)}

    def _analyzer(self) -> Analyzer:
        return Analyzer.of(**{name: getattr(self, name) for name in ANALYZER_PARAMETERS})

    def _read(self, X: Any) -> Documents:
        return read_documents(X)

    def _check_columns(self, data: Any) -> None:
        """Documents are one column: there is nothing to compare with the fit."""

    def _likelihood(self, data: Any) -> Floats:
        return self._scored(data)[0]

    def _scored(self, data: Any) -> tuple[Floats, AnyArray]:
        """Log-likelihoods, and the number of known tokens of each document."""
        likelihood, known = self._model.score(data)
        if self.temperature != 1.0:
            likelihood /= self.temperature
        if self.event in _WITHOUT_PRIORS:
            likelihood -= self._ignored_priors(known)
        return likelihood, known

    def _ignored_priors(self, known: AnyArray) -> Floats:
        """The log-priors that "complement" and "twcnb" ignore: those of documents with known tokens."""
        is_ignored = self.event in _WITHOUT_PRIORS and len(self.classes_) > 1
        return np.where((known > 0)[:, None] & np.isfinite(self._prior) & is_ignored, self._prior, 0.0)

    def _decide(self, likelihood: Floats) -> AnyArray:
        # The "ml" rule removes the priors, which these events have subtracted already.
        is_without = self.rule == "ml" and self.event in _WITHOUT_PRIORS
        return super()._decide(likelihood + np.nan_to_num(self._prior, neginf=0.0) if is_without else likelihood)

    def _column_evidence(self, data: Documents) -> Floats:
        return self._likelihood(data)[:, None, :]

    def _names(self) -> tuple[str, ...]:
        return ("text",)

    def known_tokens(self, X: Any) -> Ints:
        """The number of known tokens of each document; where it is 0, the posterior is the prior."""
        self._check_fitted()
        return self._model.score(read_documents(X))[1].astype(np.int64)

    # Explaining ----------------------------------------------------------------------------------------------------

    def explain(self, document: Any, against: Any = None) -> DocumentExplanation:  # type: ignore[override]
        """The weight of each token for the predicted class against the second, or against another, in decibans.

        The weights sum to the log-odds, before any calibration. "complement" and "twcnb" ignore the prior.
        """
        self._check_fitted()
        data = read_document(document, "explain")
        likelihood, known = self._scored(data)
        code, ignored = int(self._decide(likelihood)[0]), self._ignored_priors(known)[0]
        prior = self._prior - ignored if self.rule == "map" else np.zeros_like(ignored)
        scale = float(self._model.length_factor(known)[0]) / self.temperature
        case = DocumentCase(data.texts[0], self.classes_, prior, likelihood[0] + ignored, scale)
        return explain_document(self._model, case, None if code == NO_DECISION else self.classes_[code], against)

    def top_tokens(self, label: Any, against: Any = None, *, n: int = 10) -> TopTokens:
        """The n tokens with the largest weights for a class against another, in decibans; prints as a table.

        Without `against`, it is the other of two classes; with more classes, all others together: the mixture of their
        token probabilities by the classes' priors.
        """
        self._check_fitted()
        return top_tokens(self._model, self.classes_, label, against, n, self._prior)

    def token_weights(self, document: Any, label: Any, *, against: Any) -> list[tuple[str, int, float]]:
        """The weight of each known token of a document for a class against another: token, amount, decibans.

        With temperature=1 and length="none" they sum to the log-odds that the document adds to those of the priors; for
        "bernoulli", the weight of absent tokens has to be added.
        """
        self._check_fitted()
        indices = (class_index(name, self.classes_) for name in (label, against))
        return document_weights(self._model, read_document(document, "token_weights").texts[0], *indices)

    def _honest_posterior(self, X: Any, y: Any, sample_weight: Any, learned: bool | str) -> Floats:
        """Posteriors to calibrate on: held out where X, y are all documents that were learned; else plain ones."""
        documents = read_documents(X).to_list()
        if learned is not False and self._tally_of(documents, y, sample_weight, self._form)[0] == self.tally_:
            return held_out_posterior(self, documents, y, sample_weight)
        if learned is True:
            raise InputError("learned=True needs the documents that were learned, all of them, with their weights.")
        return plain_posterior(self, documents)
