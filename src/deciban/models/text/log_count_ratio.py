"""A linear classifier on log-count ratios: NBSVM (Wang & Manning 2012).

For a class against the rest, with p and q the numbers of documents of the class and of the rest that contain each
token, plus α:

    r = log((p / ‖p‖₁) / (q / ‖q‖₁))

Documents are binary vectors, multiplied by r. A logistic regression or linear SVM gives weights w, and the model
interpolates between it and naive Bayes: w' = (1 − β)·w̄ + β·w, where w̄ is the mean absolute weight; the intercept is
multiplied by β.

Posteriors are a softmax of the decision values, divided by a temperature that minimizes the log loss of a third of the
documents, predicted by a model of the others; decisions do not depend on it.

With tf="log", a token that is present has the value 1 + log(count). Long documents would dominate the linear classifier
where lengths differ much: length="unit" divides the vectors by their norms before they are multiplied by r.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from functools import cached_property
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, NamedTuple, Self, get_args

import numpy as np
import scipy
import scipy.sparse as sp
from sklearn.base import ClassifierMixin
from sklearn.utils._param_validation import Interval, StrOptions

from deciban.decide.calibration import decision_temperature
from deciban.errors import DecibanWarning, InputError, ParameterError, UnfittedError, warn_user
from deciban.explain import DocumentExplanation, TopTokens
from deciban.limits import check_memory
from deciban.log_sums import log_softmax
from deciban.models.base import Estimator
from deciban.models.schema import is_temperature
from deciban.models.text.document_classifier import (
    DOCUMENT_FREQUENCY,
    FEWEST,
    TEMPERATURE,
    DocumentClassifier,
    learned_tokens,
    read_document,
    warn_of_unknown,
)
from deciban.models.text.explain import DocumentCase, explain_document
from deciban.models.text.model import TextModel, top_tokens
from deciban.read import Target, read_target, read_weights
from deciban.read.documents import Documents, read_documents
from deciban.storable import check_numbers, require
from deciban.tallies import Sample, Tally
from deciban.text import kernels
from deciban.text.analyzer import (
    Analyzer,
    AnalyzerChoice,
    StripAccents,
    Tokenizer,
    analyzer_for,
    is_spaceless,
    was_spaceless,
)
from deciban.text.bag import Bag, bag_of_rows, memberships, term_matrix, weighted_documents
from deciban.text.kernels import TokenScores, Vocabulary
from deciban.text.pruning import document_bound
from deciban.types import AnyArray, ArrayLike, Codes, Floats, LabelsLike

__all__ = ["LogCountRatio", "learnable", "log_count_ratios", "presence"]


Linear = Literal["logistic", "svm"]
TermFrequency = Literal["presence", "log"]
VectorLength = Literal["none", "unit"]

_LOOSE = 0.1
"""The tolerance of the linear classifier that a temperature is learned by: one number needs no exact weights."""


class LeftOut(NamedTuple):
    """Documents that a model of the others has predicted: a mask of all, and the log-posteriors of the masked ones."""

    temperature: float
    tested: AnyArray
    log_posterior: Floats


@dataclass(frozen=True)
class RatioSettings:
    """How ratios and weights are computed: parameters of `LogCountRatio`."""

    tf: TermFrequency
    length: VectorLength
    alpha: float
    beta: float
    classifier: Linear
    C: float
    max_iter: int

    def features(self, matrix: sp.csr_matrix) -> sp.csr_matrix:
        """The values of the tokens of each document, as the compiled core computes them for new documents."""
        features = presence(matrix)
        if self.tf == "log":
            features.data += np.log(matrix.data)
        if self.length == "unit":
            rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
            features.data /= np.sqrt(np.bincount(rows, features.data**2, matrix.shape[0]))[rows]
        return features

    def classes(
        self, matrix: sp.csr_matrix, bag: Bag, sample: Sample, *, tolerance: float = 1e-2
    ) -> tuple[Floats, Floats]:
        """Weights and intercepts of each class against the rest, all in one call of the core."""
        # Of two classes, the weights of the first are those of the second with the opposite sign.
        codes = np.arange(len(sample.classes)) if len(sample.classes) > 2 else np.ones(1, dtype=np.int64)
        check_memory("the weights of classes × tokens", len(codes), bag.size, itemsize=24, advice="Raise min_df.")
        ratios = log_count_ratios(bag, codes.tolist(), self.alpha)
        costs = np.full(matrix.shape[0], self.C) if sample.weights is None else self.C * sample.weights
        options = kernels.LinearOptions(self.classifier, tolerance, self.max_iter)
        weights, intercepts, unfinished = kernels.fit_one_vs_rest(
            self.features(matrix), costs, sample.codes, codes, ratios, options
        )
        if unfinished:
            warn_user(
                f"the linear classifiers of {unfinished} classes have not converged in {self.max_iter} iterations: "
                "raise max_iter, or lower C.",
                DecibanWarning,
            )
        for row, ratio in zip(weights, ratios, strict=True):
            row[:] = ratio * ((1 - self.beta) * np.abs(row).mean() + self.beta * row)
        return weights, self.beta * intercepts

    def scores(self, weights: Floats, intercepts: Floats, classes: int) -> TokenScores:
        """The weights by token; of two classes, only those of the second are stored."""
        rows, size = weights.shape
        columns = np.arange(rows, dtype=np.uint16) if rows > 1 else np.ones(1, dtype=np.uint16)
        start = intercepts if rows > 1 else np.array([0.0, intercepts[0]])
        starts = np.arange(size + 1, dtype=np.int64) * rows
        deltas = np.ascontiguousarray(weights.T).ravel()
        table = (start, np.zeros(classes), starts, np.tile(columns, size), deltas)
        tf: Literal["raw", "log"] = "log" if self.tf == "log" else "raw"
        lengths: Literal["none", "l2"] = "l2" if self.length == "unit" else "none"
        return TokenScores(*table, distinct=self.tf == "presence", tf=tf, lengths=lengths)

    def left_out(self, matrix: sp.csr_matrix, sample: Sample, analyzer: Analyzer) -> LeftOut | None:
        """A third of the documents, predicted by a model of the others, and the temperature of least log loss there.

        None where it would have too few documents.
        """
        tested = every_third(sample.codes)
        if np.count_nonzero(tested) < FEWEST:
            return None
        decision = self._held_out_decision(matrix, sample, tested, analyzer)
        weights = None if sample.weights is None else sample.weights[tested]
        temperature = decision_temperature(decision, sample.codes[tested], weights)
        return LeftOut(temperature, tested, log_softmax(decision / temperature))

    def _held_out_decision(self, matrix: sp.csr_matrix, sample: Sample, tested: AnyArray, analyzer: Analyzer) -> Floats:
        """The decision values of the tested documents, by a model of the others."""
        train = matrix[np.flatnonzero(~tested)]
        known = np.bincount(train.indices, minlength=train.shape[1]) > 0  # new documents have no weights for others
        train, test = train[:, known], matrix[np.flatnonzero(tested)][:, known]
        learned = sample.take(~tested)
        bag = bag_of_rows(presence(train), None, memberships(learned), analyzer)
        weights, intercepts = self.classes(train, bag, learned, tolerance=_LOOSE)
        return _of_classes(np.asarray(self.features(test) @ weights.T + intercepts))


@dataclass(frozen=True, eq=False)
class RatioFit:
    """What was learned from documents: their tally, and the weights of the tokens."""

    settings: RatioSettings
    analyzer: Analyzer
    tally: Tally
    coef: Floats
    intercept: Floats
    temperature: float | None

    def __getstate__(self) -> dict[str, object]:
        """Without the scores, which hold arrays of the core and are made again when they are needed."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @property
    def classes(self) -> AnyArray:
        return self.tally.classes.labels

    @cached_property
    def scores(self) -> TokenScores:
        """The weights in the form that the compiled core reads."""
        return self.settings.scores(self.coef, self.intercept, len(self.classes))

    def decision(self, documents: Documents) -> Floats:
        """The decision values of documents; for two classes those of the second."""
        prepared, rules = self.analyzer.prepare(documents.texts), self.analyzer.rules
        advice = "Pass fewer documents at a time."
        check_memory("the scores of documents × classes", len(prepared), len(self.classes), advice=advice)
        index = self.tally.parts[0].vocabulary.index(rules)
        scores, known = kernels.score_documents(index, prepared, rules, self.scores)
        warn_of_unknown([known])
        return scores[:, 1] if len(self.classes) == 2 else scores

    def scaled_decision(self, documents: Documents) -> Floats:
        """The decision values of all classes, divided by the temperature; of two classes, 0 for the first."""
        return _of_classes(self.decision(documents)) / (self.temperature or 1.0)

    def as_text_model(self) -> TextModel:
        """The weights as a text model, which has the same form."""
        return TextModel(self.tally.parts[0], self.scores, self.analyzer, self.settings.alpha, 1.0, 0.0)


def log_count_ratios(bag: Bag, classes: Iterable[int], alpha: float) -> Floats:
    """log((p / ‖p‖₁) / (q / ‖q‖₁)) of each token, for each of the classes against the rest."""
    sums = bag.sums(distinct=True)
    # A class contains few of the tokens: all others have the same p, α, and no logarithm of their own.
    elsewhere, everything = np.log(alpha) - np.log(sums + alpha), sums.sum() + 2 * alpha * bag.size
    rows = []
    for j in classes:
        entries = slice(bag.starts[j], bag.starts[j + 1])
        tokens, documents = bag.indices[entries], bag.documents[entries]
        row = elsewhere.copy()
        row[tokens] = np.log(documents + alpha) - np.log(sums[tokens] - documents + alpha)
        mass = documents.sum() + alpha * bag.size
        rows.append(row + np.log(everything - mass) - np.log(mass))
    return np.stack(rows)


def presence(matrix: sp.csr_matrix) -> sp.csr_matrix:
    """1 where a document contains a token."""
    return sp.csr_matrix((np.ones(len(matrix.data)), matrix.indices, matrix.indptr), matrix.shape)


def every_third(y: Codes) -> AnyArray:
    """Every third document of each class: the classes of the others are the same.

    >>> every_third(np.array([0, 1, 0, 0, 1, 0])).tolist()
    [False, False, False, True, False, False]
    """
    order = np.argsort(y, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(y))])
    rank = np.empty(len(y), dtype=np.int64)  # of each document within its class
    rank[order] = np.arange(len(y)) - starts[y[order]]
    return rank % 3 == 2


def _of_classes(decision: Floats) -> Floats:
    """The decision values of all classes, where of two classes those of the second are given."""
    rows = decision.reshape(len(decision), -1)
    return rows if rows.shape[1] > 1 else np.column_stack([np.zeros(len(rows)), rows])


def learnable(X: Any, y: LabelsLike | None, sample_weight: ArrayLike | None) -> tuple[Documents, Sample]:
    """The documents that have a weight, and their labels; an error where they have fewer than two classes."""
    documents = read_documents(X)
    whole = Sample.of(read_target(y, len(documents)), read_weights(sample_weight, len(documents)))
    data, taken = weighted_documents(documents, whole)
    sample = Sample.of(Target(taken.classes, taken.codes), taken.weights)  # without classes of weight 0
    if len(data) == 0:
        raise InputError("there are no documents to learn from, or all sample weights are zero.")
    if len(sample.classes) < 2:
        raise InputError("a ratio needs at least two classes, and y has one class.")
    return data, sample


def terms_in_use(data: Documents, analyzer: Analyzer, min_df: float, max_df: float) -> tuple[sp.csr_matrix, Vocabulary]:
    """The counts of documents × tokens, without tokens that too few or too many documents contain."""
    matrix, vocabulary = term_matrix(data, analyzer)
    if vocabulary is None:
        raise InputError("there is no vocabulary.")
    documents = np.bincount(matrix.indices, minlength=matrix.shape[1])
    kept = documents >= document_bound(min_df, len(data))
    kept &= documents <= document_bound(max_df, len(data))
    if not kept.all():
        matrix, vocabulary = matrix[:, kept], vocabulary.subset(kept)
    if len(vocabulary) == 0:
        raise InputError("no token remains: lower min_df, raise max_df, or pass another analyzer.")
    return matrix, vocabulary


class LogCountRatio(DocumentClassifier, ClassifierMixin, Estimator):  # type: ignore[misc]
    """A linear classifier of documents on the tokens' log-count ratios (NBSVM, Wang & Manning 2012).

    More than two classes are fitted one against the rest.

    Parameters
    ----------
    ngram_range : (int, int)
        The sizes of n-grams of tokens, first and last.
    tf : {"presence", "log"}
        The value of a token that is present: 1, or 1 + log(count).
    length : {"none", "unit"}
        "unit": documents are vectors of length 1, so that long ones do not dominate.
    alpha : float
        The pseudo-count of a token in the class and in the rest.
    beta : float
        The interpolation between naive Bayes (0) and the linear classifier (1).
    temperature : "auto", float or None
        The decision values are divided by it before they become posteriors, which changes no decision. "auto": learned
        in `fit`, on a third of the documents, by a model of the others; 1 where that third has fewer than 20. None: the
        posteriors of the regressions, one against the rest, normalized.
    classifier : {"logistic", "svm"}
        The linear classifier; only "logistic" has `predict_proba`.
    C : float
        The inverse of the linear classifier's regularization strength.
    analyzer : {"auto", "word", "word_emoji", "word_punct", "char", "char_wb", "unicode_word"}
        What a token is, as in `TextNB`; "auto" is "word_punct", in which punctuation counts, or n-grams of characters
        for scripts without spaces.
    tokenizer : callable, optional
        A function that takes a document and returns its tokens, instead of those of `analyzer`.
    lowercase : bool
        Whether to convert to lower case.
    strip_accents : {"unicode", "ascii"}, optional
        How to remove accents; they stay when None.
    min_df, max_df : int or float
        The minimum and maximum number of documents that contain a token; a float is a share of the documents.
    max_iter : int
        The maximum number of iterations of the linear classifier.

    Attributes
    ----------
    tally_ : Tally
        The number of documents of each class that contain each token.
    classes_ : array
        The labels, sorted.
    coef_ : array of shape (n_classes, n_tokens)
        The weight of each token for each class; one row for two classes.
    intercept_ : array
        The intercept of each row.
    temperature_ : float or None
        The temperature in use; None where there is none.
    analyzer_ : str or None
        The analyzer in use, which "auto" has chosen; None for a callable tokenizer.

    See Also
    --------
    TextNB : Naive Bayes, which also learns in parts.

    Examples
    --------
    >>> X = ["good film", "good fun", "bad film", "bad, no fun"]
    >>> LogCountRatio().fit(X, ["pos", "pos", "neg", "neg"]).predict(["good", "bad"]).tolist()
    ['pos', 'neg']
    """

    _parameter_constraints: ClassVar[dict[str, list[object]]] = {
        "tf": [StrOptions(set(get_args(TermFrequency)))],
        "length": [StrOptions(set(get_args(VectorLength)))],
        "alpha": [Interval(Real, 0, None, closed="neither")],
        "beta": [Interval(Real, 0, 1, closed="both")],
        "temperature": TEMPERATURE,
        "classifier": [StrOptions(set(get_args(Linear)))],
        "C": [Interval(Real, 0, None, closed="neither")],
        "min_df": DOCUMENT_FREQUENCY,
        "max_df": DOCUMENT_FREQUENCY,
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    _fitted: RatioFit | None = None

    def __init__(
        self,
        *,
        ngram_range: tuple[int, int] = (1, 2),
        tf: TermFrequency = "presence",
        length: VectorLength = "none",
        alpha: float = 1.0,
        beta: float = 0.25,
        temperature: Literal["auto"] | float | None = "auto",
        classifier: Linear = "logistic",
        C: float = 1.0,
        analyzer: AnalyzerChoice = "auto",
        tokenizer: Tokenizer | None = None,
        lowercase: bool = True,
        strip_accents: StripAccents | None = None,
        min_df: float = 1,
        max_df: float = 1.0,
        max_iter: int = 1000,
    ) -> None:
        self.analyzer, self.tokenizer, self.ngram_range = analyzer, tokenizer, ngram_range
        self.lowercase, self.strip_accents = lowercase, strip_accents
        self.min_df, self.max_df = min_df, max_df
        self.tf, self.length, self.alpha, self.beta = tf, length, alpha, beta
        self.temperature, self.classifier, self.C = temperature, classifier, C
        self.max_iter = max_iter

    def fit(self, X: Any, y: LabelsLike | None = None, sample_weight: ArrayLike | None = None) -> Self:
        """Count the tokens, compute their log-count ratios, and fit the linear classifier.

        Parameters
        ----------
        X : collection of str or bytes
            The documents: a list, a Series, an array or an Arrow column.
        y : array of shape (n_samples,)
            Their labels.
        sample_weight : array of shape (n_samples,), optional
            The weights of the documents; 1 each when None.

        Returns
        -------
        self : the fitted model
        """
        self._check_parameters()
        self._learn(*learnable(X, y, sample_weight))
        return self

    def _learn(self, data: Documents, sample: Sample) -> LeftOut | None:
        """Fit; returns the documents that the temperature was learned from, if there are any."""
        analyzer = self._analyzer(self.analyzer == "auto" and is_spaceless(data.texts))
        matrix, vocabulary = terms_in_use(data, analyzer, self.min_df, self.max_df)
        bag = bag_of_rows(presence(matrix), vocabulary, memberships(sample), analyzer)
        settings, left_out = self._ratio_settings(), None
        temperature = None if self.temperature is None or self.temperature == "auto" else float(self.temperature)
        if self.temperature == "auto" and self.classifier == "logistic":
            left_out = settings.left_out(matrix, sample, analyzer)
            temperature = 1.0 if left_out is None else left_out.temperature
        coef, intercept = settings.classes(matrix, bag, sample)
        self._fitted_with = self._unfitted()
        self._fitted = RatioFit(settings, analyzer, sample.tally(bag), coef, intercept, temperature)
        return left_out

    def _ratio_settings(self) -> RatioSettings:
        how = self.tf, self.length, self.alpha, self.beta, self.classifier, self.C, self.max_iter
        return RatioSettings(*how)

    def _analyzer(self, spaceless: bool) -> Analyzer:
        names = ("analyzer", "tokenizer", "ngram_range", "lowercase", "strip_accents")
        return analyzer_for({name: getattr(self, name) for name in names}, "word_punct", spaceless)

    # Fitted attributes ---------------------------------------------------------------------------------------------

    def _is_fitted(self) -> bool:
        return self._fitted is not None

    def _current(self) -> RatioFit:
        """What was learned."""
        if self._fitted is None:
            raise UnfittedError("This LogCountRatio instance is not fitted yet. Call 'fit' first.")
        return self._fitted

    def _check_fitted(self) -> None:
        self._current()

    @property
    def tally_(self) -> Tally:
        """The number of documents of each class that contain each token."""
        return self._current().tally

    @property
    def classes_(self) -> AnyArray:
        """The labels, sorted."""
        return self._current().classes

    @property
    def coef_(self) -> Floats:
        """The weight of each token for each class; one row for two classes."""
        return self._current().coef

    @property
    def intercept_(self) -> Floats:
        """The intercept of each row."""
        return self._current().intercept

    @property
    def temperature_(self) -> float | None:
        """The temperature in use; None where there is none."""
        return self._current().temperature

    @property
    def analyzer_(self) -> str | None:
        """The analyzer in use, which "auto" has chosen; None for a callable tokenizer."""
        analyzer = self._current().analyzer
        return None if analyzer.tokenizer is not None else analyzer.settings.analyzer

    @property
    def n_parameters_(self) -> int:
        """The number of free parameters: the weights of the tokens and the intercepts."""
        fitted = self._current()
        return int(fitted.coef.size + fitted.intercept.size)

    def _learned_beside_counts(self) -> dict[str, str]:
        return learned_tokens(self.tally_.parts[0].size, self.analyzer_, self.temperature_)

    # Predicting ----------------------------------------------------------------------------------------------------

    def decision_function(self, X: Any) -> Floats:
        """Compute the decision values: Σ_tokens value·w'·r + intercept.

        Parameters
        ----------
        X : collection of str or bytes
            The documents: a list, a Series, an array or an Arrow column.

        Returns
        -------
        values : array of shape (n_samples, n_classes)
            For two classes those of the second, of shape (n_samples,).
        """
        return self._current().decision(read_documents(X))

    def predict(self, X: Any) -> AnyArray:
        """Predict the class with the largest value of `decision_function`.

        Parameters
        ----------
        X : collection of str or bytes
            The documents: a list, a Series, an array or an Arrow column.

        Returns
        -------
        labels : array of shape (n_samples,)
        """
        decision = self.decision_function(X)
        return self.classes_[(decision > 0).astype(int) if decision.ndim == 1 else decision.argmax(axis=1)]

    def predict_proba(self, X: Any) -> Floats:
        """Compute the softmax of the decision values, divided by the temperature.

        With temperature=None, they are the posteriors of the logistic regressions, one against the rest, normalized.

        Parameters
        ----------
        X : collection of str or bytes
            The documents: a list, a Series, an array or an Arrow column.

        Returns
        -------
        posteriors : array of shape (n_samples, n_classes)

        Raises
        ------
        ParameterError
            The classifier is an SVM, which has no probabilities.
        """
        fitted = self._current()
        if fitted.settings.classifier != "logistic":
            raise ParameterError('an SVM has no probabilities: pass classifier="logistic".')
        decision = fitted.decision(read_documents(X))
        if decision.ndim == 1:
            decision = decision / (fitted.temperature or 1.0)
            # 1 − expit(d) would lose the digits of small posteriors.
            return np.column_stack([scipy.special.expit(-decision), scipy.special.expit(decision)])
        if fitted.temperature is not None:
            return np.exp(log_softmax(decision / fitted.temperature))
        shares = scipy.special.expit(decision)
        sums = shares.sum(axis=1, keepdims=True)
        # All shares may underflow to 0: then nothing is known of the class.
        return np.where(sums > 0, shares / np.where(sums > 0, sums, 1.0), 1.0 / shares.shape[1])

    def explain(self, document: Any, against: object = None) -> DocumentExplanation:
        """Show the weight of each token for the predicted class against another.

        The weights and the intercept, divided by the temperature where there is one, sum to the difference of the two
        decision values. That is the log-odds of a logistic regression, except with temperature=None and more than two
        classes.

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
        """
        model, case = self._case(read_document(document, "explain"))
        return explain_document(model, case, None, against)

    def _case(self, data: Documents) -> tuple[TextModel, DocumentCase]:
        """The weights and one document, to be explained."""
        fitted = self._current()
        scores, heat = fitted.scaled_decision(data)[0], fitted.temperature or 1.0
        prior = np.zeros(len(scores))  # the intercepts are in the scores
        case = DocumentCase(data.texts[0], fitted.classes, prior, scores, 1.0 / heat, prior_name="intercept")
        return fitted.as_text_model(), case

    def _log_posterior(self, data: Documents) -> Floats:
        """The logarithms of `predict_proba`, with a temperature."""
        return log_softmax(self._current().scaled_decision(data))

    def top_tokens(self, label: object, against: object = None, *, n: int = 10) -> TopTokens:
        """List the tokens with the largest weights for a class against another.

        Parameters
        ----------
        label : a class
            The class that the weights are for.
        against : a class, optional
            The class to compare with. When None, it is the other of two classes; with more classes, the rest, which a
            class is fitted against.
        n : int
            The number of tokens.

        Returns
        -------
        TopTokens
            Tokens and weights in decibans, the largest first; it prints as a table.
        """
        fitted = self._current()
        return top_tokens(fitted.as_text_model(), fitted.classes, label, against, n)

    # Storing -------------------------------------------------------------------------------------------------------

    def _state(self) -> dict[str, object]:
        """The content of a file besides the parameters."""
        fitted = self._current()
        weights = {"coef": fitted.coef, "intercept": fitted.intercept, "temperature": fitted.temperature}
        return {"tally": fitted.tally, **weights}

    def _restore(self, state: dict[str, Any]) -> None:
        tally: Tally = state["tally"]
        coef, intercept, temperature = state["coef"], state["intercept"], state["temperature"]
        is_bag = isinstance(tally, Tally) and len(tally.parts) == 1 and isinstance(tally.parts[0], Bag)
        require(is_bag and tally.parts[0].vocabulary is not None, "it holds no tally of documents")
        sides = 1 if len(tally.classes) == 2 else len(tally.classes)
        check_numbers(coef, (sides, tally.parts[0].size), "weights", negative=True)
        check_numbers(intercept, (sides,), "constants", negative=True)
        require(coef.dtype == intercept.dtype == np.float64, "weights are of another precision")
        require(is_temperature(temperature), "a temperature is impossible")
        analyzer = self._analyzer(was_spaceless(tally.parts[0].rules))
        self._fitted = RatioFit(self._ratio_settings(), analyzer, tally, coef, intercept, temperature)
