"""Naive Bayes for raw documents: tokens are counted straight into the tally, without a matrix.

    log P(c | document) = log P(c) + Σ_{known tokens t} log P(t | c) + const

Unknown tokens are ignored (Mitchell, table 6.2). P(t | c), and the tokens of a document that count, depend on the event
model (`deciban.models.text.model`).

The classifier of documents behind `TextNB`: single documents, the way from likelihoods to posteriors, explanations.

Decisions are made before the temperature is applied, except where they depend on the probabilities themselves: with a
loss, a rejection or a calibration.

Learning and forgetting documents: methods of `TextNB`.

The counts of documents are added and subtracted as those of rows are (`deciban.models.methods`); in addition, a
temperature is learned from the first documents, because tokens are not independent.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self, TypeVar, get_args

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from deciban.decide import NO_DECISION
from deciban.errors import DecibanWarning, InputError, ParameterError, warn_user
from deciban.estimate import Smoothing, settle_priors
from deciban.explain import DocumentExplanation, TopTokens
from deciban.models import methods as learning
from deciban.models.base import BayesClassifier
from deciban.models.decider import DECIDER_CONSTRAINTS, Decider, by_blocks
from deciban.models.form import Form
from deciban.models.leave_one_out import calibrate, plain_posterior
from deciban.models.methods import check_weight
from deciban.models.single_rows import check_label
from deciban.models.text.counting_in_parts import PendingDocuments, capped_tally, fit_files
from deciban.models.text.document_classifier import (
    BATCH,
    DOCUMENT_FREQUENCY,
    predict_one,
    predict_proba_one,
    read_document,
    tag_documents,
    warn_of_unknown,
)
from deciban.models.text.explain import DocumentCase, explain_document
from deciban.models.text.left_out import held_out_posterior, learned_temperature
from deciban.models.text.model import (
    TextModel,
    class_index,
    document_joint,
    document_weights,
    estimate_text,
    free_parameters,
    sample,
    term_probabilities,
    top_tokens,
)
from deciban.models.text.temperature import TEMPERATURE, TextForm, document_temperatures
from deciban.read import plain, read_target, read_weights
from deciban.read.documents import Documents, read_documents
from deciban.tallies import Sample, Tally
from deciban.tallies.kernels import Fault, Want
from deciban.tallies.tally import is_same_sample
from deciban.text.analyzer import (
    ANALYZER_PARAMETERS,
    Analyzer,
    AnalyzerChoice,
    StripAccents,
    Tokenizer,
    analyzer_for,
    is_spaceless,
    was_spaceless,
)
from deciban.text.bag import Bag
from deciban.text.counting import count_bag, weigh_bag
from deciban.text.pruning import MEASURES, Measure, Pruning
from deciban.turns import turn
from deciban.types import AnyArray, Floats, Ints

__all__ = ["TextNB"]


_WITHOUT_PRIORS = ("complement", "twcnb")
_OUTDATED = ("tally_", "classes_", "_prior", "_model", "vocabulary_", "calibration_")
"""The attributes that follow from the documents: `learn_one` removes them, and they are estimated when next used."""


class TextClassifier(BayesClassifier):
    """A naive Bayes classifier of documents, which learns single ones, too, and whose posteriors have a temperature."""

    n_bits: int | None
    event: str
    temperature: Literal["auto"] | float | None
    rule: Literal["map", "ml"]
    loss: Any
    reject: Any
    _form: TextForm

    # One document ----------------------------------------------------------------------------------------------------

    predict_one = predict_one  # type: ignore[assignment]
    predict_proba_one = predict_proba_one  # type: ignore[assignment]

    @abstractmethod
    def _analyzer(self) -> Analyzer:
        """The analyzer of the learned documents."""

    def learn_one(self, document: Any, label: Any) -> Self:
        """Learn one document. The result is that of `partial_fit` with the same documents.

        A class may be new. It takes time proportional to the length of the document alone; the next prediction
        estimates the model again.

        Parameters
        ----------
        document : str or bytes
            One document.
        label : a class
            Its class.

        Returns
        -------
        self : the model

        Examples
        --------
        >>> from deciban import TextNB
        >>> model = TextNB()
        >>> for document, label in [
        ...     ("free prize", "spam"),
        ...     ("lunch at noon", "ham"),
        ...     ("win a prize", "spam"),
        ... ]:
        ...     _ = model.learn_one(document, label)
        >>> str(model.predict_one("a prize")), model.tally_.total
        ('spam', 3)
        """
        with turn(self):
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
            raise AttributeError(f"this {type(self).__name__} has no fitted attributes before fit.")
        self._adopt(self._pending.total(), self._form)
        return self.__dict__

    def _is_fitted(self) -> bool:
        return "tally_" in self.__dict__ or "_pending" in self.__dict__

    def __sklearn_tags__(self) -> Any:
        return tag_documents(super().__sklearn_tags__())

    # Scoring -------------------------------------------------------------------------------------------------------

    @property
    def temperature_(self) -> float:
        """The temperature of a document of mean length."""
        self._check_fitted()
        given = self._form.temperature if self.temperature == "auto" else self.temperature
        return 1.0 if given is None else float(given)

    def _scores(self, data: Any, want: Want) -> tuple[AnyArray, Fault | None]:
        numbers = []

        def score(documents: Any) -> AnyArray:
            likelihood, known = self._scored(documents)
            numbers.append(known)
            if want == "best":
                return self._codes(likelihood, known)
            return self._beliefs().conclude(self._tempered(likelihood, known), want)

        scores = by_blocks(data, len(self.classes_), score)
        warn_of_unknown(numbers)
        return scores, None

    def _codes(self, likelihood: Floats, known: AnyArray) -> AnyArray:
        """The codes of the classes; only a loss, a rejection and a calibration depend on the temperature."""
        if self.loss is None and self.reject is None and self._calibration() is None:
            return self._decide(likelihood)
        if self.rule == "ml" and self.event not in _WITHOUT_PRIORS:
            return self._decide(likelihood / self._temperatures(known)[:, None])
        return self._decide(self._tempered(likelihood, known))

    def _tempered(self, likelihood: Floats, known: AnyArray) -> Floats:
        """Log-likelihoods that, added to the log-priors, give the joint log-probabilities divided by T."""
        if self.temperature_ == 1.0:
            return likelihood
        prior = np.nan_to_num(self._prior, neginf=0.0)
        return (prior + likelihood) / self._temperatures(known)[:, None] - prior

    def _temperatures(self, known: AnyArray) -> Floats:
        return document_temperatures(self.temperature_, known, self._model.mean_tokens)

    def _likelihood(self, data: Any) -> Floats:
        return self._tempered(*self._scored(data))

    def _scored(self, data: Any) -> tuple[Floats, AnyArray]:
        """Log-likelihoods, and the number of known tokens of each document."""
        likelihood, known = self._model.score(data)
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

    # As a distribution of documents --------------------------------------------------------------------------------

    sample, term_probabilities = sample, term_probabilities
    _free_parameters, _joint = free_parameters, document_joint
    # Explaining ----------------------------------------------------------------------------------------------------

    def explain(self, document: Any, against: Any = None) -> DocumentExplanation:  # type: ignore[override]
        """Show the weight of each token for the predicted class against another.

        The weights, all divided by the document's temperature, sum to the log-odds, before any calibration.
        "complement" and "twcnb" ignore the prior.

        Parameters
        ----------
        document : str or bytes
            One document.
        against : a class, optional
            The class to compare with; the second best when None.

        Returns
        -------
        DocumentExplanation
            The weights in decibans; a notebook colours the tokens of the document.

        Examples
        --------
        >>> from deciban import TextNB
        >>> model = TextNB(smoothing=1, temperature=None).fit(
        ...     ["free prize", "lunch at noon"], ["spam", "ham"]
        ... )
        >>> [
        ...     (reason.token, round(reason.weight_db, 1))
        ...     for reason in model.explain("free lunch, free prize").reasons
        ... ]
        [('free', 3.6), ('prize', 3.6), ('lunch', -2.4)]
        """
        self._check_fitted()
        data = read_document(document, "explain")
        likelihood, known = self._scored(data)
        code, ignored = int(self._codes(likelihood, known)[0]), self._ignored_priors(known)[0]
        prior = self._prior - ignored if self.rule == "map" else np.zeros_like(ignored)
        heat = float(self._temperatures(known)[0])
        scale = float(self._model.length_factor(known)[0]) / heat
        case = DocumentCase(data.texts[0], self.classes_, prior / heat, (likelihood[0] + ignored) / heat, scale)
        return explain_document(self._model, case, None if code == NO_DECISION else plain(self.classes_[code]), against)

    def top_tokens(self, label: Any, against: Any = None, *, n: int = 10) -> TopTokens:
        """List the tokens with the largest weights for a class against another.

        Parameters
        ----------
        label : a class
            The class that the weights are for.
        against : a class, optional
            The class to compare with. When None, it is the other of two classes; with more classes, all others
            together: the mixture of their token probabilities by the classes' priors.
        n : int
            The number of tokens.

        Returns
        -------
        TopTokens
            Tokens and weights in decibans, the largest first; it prints as a table.

        Examples
        --------
        >>> from deciban import TextNB
        >>> model = TextNB(smoothing=1).fit(
        ...     ["free prize", "free lunch", "lunch at noon"], ["spam", "spam", "ham"]
        ... )
        >>> print(model.top_tokens("spam", n=2))
        decibans for spam against ham
        free   +4.26
        prize  +2.50
        """
        self._check_fitted()
        return top_tokens(self._model, self.classes_, label, against, n, self._prior)

    def token_weights(self, document: Any, label: Any, *, against: Any) -> list[tuple[str, int, float]]:
        """List the weight of each known token of a document for a class against another.

        With temperature=None and length="none" they sum to the log-odds that the document adds to those of the priors;
        for "bernoulli", the weight of absent tokens has to be added.

        Parameters
        ----------
        document : str or bytes
            One document.
        label, against : a class
            The two classes.

        Returns
        -------
        weights : list of tuples
            Token, how often it counts, and its weight in decibans; the largest absolute weight first.
        """
        self._check_fitted()
        indices = (class_index(name, self.classes_) for name in (label, against))
        return document_weights(self._model, read_document(document, "token_weights").texts[0], *indices)

    def known_tokens(self, X: Any) -> Ints:
        """Count the known tokens of each document; where there are none, the posterior is the prior.

        Parameters
        ----------
        X : collection of str or bytes
            The documents: a list, a Series, an array or an Arrow column.

        Returns
        -------
        counts : array of shape (n_samples,)
        """
        self._check_fitted()
        return self._model.score(read_documents(X))[1].astype(np.int64)

    # Learning -------------------------------------------------------------------------------------------------------

    def _check_additive(self, what: str) -> None:
        """Refuse to learn in parts where the model cannot."""
        if self.event == "twcnb":
            advice = 'fit them together, or pass event="complement".'
            raise ParameterError(
                f'event="twcnb" weights tokens by all documents at once, so it has no {what}: {advice}'
            )


Model = TypeVar("Model")

_NO_TOKENS = "empty vocabulary: no document has a token. Pass another analyzer, or a smaller `shortest`."
_NO_TOKENS_LEFT = "after pruning, no token remains. Try lower drop_top, min_count and min_df, or a higher max_df."


def fit(self: Model, X: Any, y: Any = None, sample_weight: Any = None) -> Model:
    """Count the documents and estimate the model. What was learned before is forgotten.

    Parameters
    ----------
    X : collection of str or bytes
        The documents: a list, a Series, an array or an Arrow column.
    y : array of shape (n_samples,)
        Their labels.
    sample_weight : array of shape (n_samples,), optional
        How many documents each stands for; none is negative. 1 each when None.

    Returns
    -------
    self : the fitted model
    """
    with turn(self):
        model: Any = self
        model._check_parameters()
        data = read_documents(X)
        sample = model._sample(y, sample_weight, len(data))
        tally = model._counted(data, sample, model._analyzer_of(data))
        check_weight(tally)
        return model._learn_counted(tally, data.texts, sample)


def learn_counted(self: Any, tally: Tally, data: Any, sample: Sample) -> Any:
    """Estimate from the counts of all documents, and learn the temperature from these or some of them."""
    before = self.__dict__.copy()
    try:
        self._adopt(tally, TextForm(1))._check_tokens()
        return self._learn_temperature(data, sample)
    except BaseException:
        self.__dict__ = before
        raise


def check_tokens(self: Any) -> None:
    """Refuse a model without tokens."""
    if self._model.bag.is_empty:
        raise InputError(_NO_TOKENS if self.tally_.parts[0].is_empty else _NO_TOKENS_LEFT)


def partial_fit(self: Model, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None) -> Model:
    """Count more documents. They may have new tokens and new classes.

    Parameters
    ----------
    X : collection of str or bytes
        The documents.
    y : array of shape (n_samples,)
        Their labels.
    classes : array, optional
        All classes of the first call; it may be left out.
    sample_weight : array of shape (n_samples,), optional
        How many documents each stands for; none is negative. 1 each when None.

    Returns
    -------
    self : the model

    Examples
    --------
    >>> from deciban import TextNB
    >>> model = TextNB().partial_fit(["free prize", "lunch at noon"], ["spam", "ham"])
    >>> model.partial_fit(["a new bike"], ["advert"]).classes_.tolist()
    ['advert', 'ham', 'spam']
    """
    with turn(self):
        model: Any = self
        model._check_additive("partial_fit")
        data = read_documents(X).texts
        if classes is None and not model._is_fitted():
            learning.fit(model, data, y, sample_weight)  # the first batch may be without tokens: others follow
        else:
            learning.partial_fit(model, data, y, classes, sample_weight)
        if len(data) >= BATCH and model.tally_.parts[0].is_empty:
            warn_user(f"{_NO_TOKENS} Until then, all posteriors are the prior.", DecibanWarning)
        return model._learn_temperature(data, model._sample(y, sample_weight, len(data)))


def learn_temperature(self: Any, data: Any, sample: Sample) -> Any:
    """Learn the temperature from documents that have just been counted, unless it has been learned."""
    if self.temperature == "auto" and self._form.temperature is None:
        self._form = replace(self._form, temperature=learned_temperature(self, Documents(data), sample))
    return self


def merge(self: Model, other: Any) -> Model:
    """Add what another `TextNB` with the same tokenizer has learned.

    Parameters
    ----------
    other : TextNB
        A fitted model; it is not changed.

    Returns
    -------
    self : the model
    """
    with turn(self):
        model: Any = self
        model._check_additive("merge")
        other._check_fitted()
        rows = (float(model.tally_.total), float(other.tally_.total)) if model._is_fitted() else (0.0, 0.0)
        learning.merge(model, other)
        model._form = model._form.averaged(other._form, *rows)
        return model


def forget(self: Model, X: Any, y: Any = None, *, sample_weight: Any = None) -> Model:
    """Remove documents, as if they had never been learned.

    Parameters
    ----------
    X : collection of str or bytes
        Documents that the model has learned.
    y : array of shape (n_samples,)
        Their labels.
    sample_weight : array of shape (n_samples,), optional
        The weights that they were learned with. 1 each when None.

    Returns
    -------
    self : the model

    Raises
    ------
    InputError
        A document was not learned; the message names a token. The model stays as it was.
    """
    with turn(self):
        model: Any = self
        model._check_additive("forget")
        return learning.forget(model, X, y, sample_weight=sample_weight)


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
        super()._adopt(tally, form)
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
        return self._analyzer_for(was_spaceless(bag.rules))

    def _analyzer_of(self, data: Documents) -> Analyzer:
        """The analyzer of the first documents, by which "auto" is decided."""
        return self._analyzer_for(self.analyzer == "auto" and is_spaceless(data.texts))

    def _analyzer_for(self, spaceless: bool) -> Analyzer:
        return analyzer_for({name: getattr(self, name) for name in ANALYZER_PARAMETERS}, "word_emoji", spaceless)

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
