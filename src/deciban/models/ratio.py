"""Log-count ratios under a linear classifier: NBSVM (Wang & Manning 2012).

For a class against the rest, with p and q the numbers of documents on either side that have each token, plus α:

    r = log((p / ‖p‖₁) / (q / ‖q‖₁))

Documents are binary vectors times r. A logistic regression or linear SVM gives weights w, and the model is one between
it and naive Bayes: w' = (1 − β)·w̄ + β·w, where w̄ is the mean size of the weights; its constant is β times, too.
"""

from __future__ import annotations

from functools import cached_property
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC
from sklearn.utils._param_validation import Interval, InvalidParameterError, StrOptions

from deciban.errors import InputError, ParameterError, UnfittedError
from deciban.read import Target, read_target, read_weights
from deciban.read.documents import Documents, read_documents
from deciban.tally import Sample, Tally
from deciban.text import kernels
from deciban.text.analyzer import Analyzer
from deciban.text.bag import Bag
from deciban.text.counting import bag_of_rows, memberships, term_matrix, weighty_documents
from deciban.text.kernels import TokenScores
from deciban.text.vocabulary import Vocabulary
from deciban.types import AnyArray, Floats

__all__ = ["LogCountRatio"]


class LogCountRatio(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Log-count ratios from the tally, then a linear classifier on them; several classes one against the rest.

    Parameters
    ----------
    ngrams : the sizes of sequences of tokens, first and last
    alpha : the pseudo-count of a token on either side
    beta : how far to go from naive Bayes (0) to the linear classifier (1)
    classifier : "logistic" (with `predict_proba`) or "svm"
    C : how little the linear classifier is regularized
    pattern, lower, accents : how documents are cut, as in `TextNB`; punctuation counts unless pattern="words"
    min_df : the least number of documents that have a token
    max_iter : the most steps of the linear classifier

    Attributes
    ----------
    tally_ : in how many documents of each class each token is
    classes_ : the labels
    coef_ : the weight of each token for each class; one row for two classes
    intercept_ : the constants beside them

    Examples
    --------
    >>> X = ["good film", "good fun", "bad film", "bad, no fun"]
    >>> LogCountRatio().fit(X, ["pos", "pos", "neg", "neg"]).predict(["good", "bad"]).tolist()
    ['pos', 'neg']
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "alpha": [Interval(Real, 0, None, closed="neither")],
        "beta": [Interval(Real, 0, 1, closed="both")],
        "classifier": [StrOptions({"logistic", "svm"})],
        "C": [Interval(Real, 0, None, closed="neither")],
        "min_df": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    tally_: Tally
    classes_: AnyArray
    coef_: Floats
    intercept_: Floats

    def __init__(
        self,
        *,
        ngrams: tuple[int, int] = (1, 2),
        alpha: float = 1.0,
        beta: float = 0.25,
        classifier: str = "logistic",
        C: float = 1.0,
        pattern: Any = "words+punct",
        lower: bool = True,
        accents: str | None = None,
        min_df: int = 1,
        max_iter: int = 1000,
    ) -> None:
        self.ngrams = ngrams
        self.alpha = alpha
        self.beta = beta
        self.classifier = classifier
        self.C = C
        self.pattern = pattern
        self.lower = lower
        self.accents = accents
        self.min_df = min_df
        self.max_iter = max_iter

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Count the documents' tokens, weigh them by their ratios, and fit the linear classifier."""
        try:
            self._validate_params()
        except InvalidParameterError as error:
            raise ParameterError(str(error)) from None
        data = read_documents(X)
        given = Sample.of(read_target(y, len(data)), read_weights(sample_weight, len(data)))
        held, taken = weighty_documents(data.held, given)
        data, sample = Documents(held), Sample.of(Target(taken.classes, taken.codes), taken.weights)
        if len(data) == 0:
            raise InputError("there is no document to learn from, or all sample weights are zero.")
        if len(sample.classes) < 2:
            raise InputError("a ratio needs at least two classes, and y has one class.")
        matrix, vocabulary, bag = self._present(data, sample)
        ratios = log_count_ratios(bag, self.alpha)
        sides = range(len(sample.classes)) if len(sample.classes) > 2 else (1,)
        fitted = [self._fit_side(matrix, ratios[j], sample.codes == j, sample.weights) for j in sides]
        self.__dict__.pop("_scores", None)
        self._vocabulary = vocabulary
        self.tally_ = sample.tally(bag)
        self.classes_ = sample.classes.labels
        self.coef_ = np.stack([weights for weights, _ in fitted])
        self.intercept_ = np.array([constant for _, constant in fitted])
        return self

    def _present(self, data: Documents, sample: Sample) -> tuple[sp.csr_matrix, Vocabulary, Bag]:
        """Documents × tokens, 1 where present, and the bag of the same tokens."""
        matrix, vocabulary = term_matrix(data, self._analyzer())
        if vocabulary is None:
            raise InputError("there is no vocabulary.")
        matrix.data = np.ones(len(matrix.data))
        kept = np.bincount(matrix.indices, minlength=matrix.shape[1]) >= self.min_df
        if not kept.all():
            matrix, vocabulary = matrix[:, kept], vocabulary.subset(kept)
        if len(vocabulary) == 0:
            raise InputError("no document has a token that is kept: there is nothing to learn from.")
        return matrix, vocabulary, bag_of_rows(matrix, vocabulary, memberships(sample), self._analyzer())

    def _fit_side(
        self, matrix: sp.csr_matrix, ratio: Floats, is_class: AnyArray, weights: Floats | None
    ) -> tuple[Floats, float]:
        """The interpolated weights and the constant of a class against the rest."""
        weighted = matrix.copy()
        weighted.data = ratio[matrix.indices]
        model = self._linear().fit(weighted, is_class, sample_weight=weights)
        w = model.coef_[0]
        weights_between = (1 - self.beta) * np.abs(w).mean() + self.beta * w
        return ratio * weights_between, self.beta * float(model.intercept_[0])

    def _linear(self) -> Any:
        shared = {"C": self.C, "dual": True, "tol": 1e-2, "max_iter": self.max_iter, "random_state": 0}
        if self.classifier == "svm":
            return LinearSVC(**shared)
        return LogisticRegression(solver="liblinear", **shared)

    # Predicting ----------------------------------------------------------------------------------------------------

    def decision_function(self, X: Any) -> Floats:
        """Σ_{tokens present} w'·r + constant: for each class, or for the second of two."""
        if "coef_" not in self.__dict__:
            raise UnfittedError("This LogCountRatio instance is not fitted yet. Call 'fit' first.")
        analyzer = self._analyzer()
        documents = analyzer.prepare(read_documents(X).held)
        index = self._vocabulary.index(analyzer.rules)
        scores, _ = kernels.score_documents(index, documents, analyzer.rules, self._scores)
        return scores[:, 1] if len(self.classes_) == 2 else scores

    def predict(self, X: Any) -> AnyArray:
        """The class with the largest decision."""
        decision = self.decision_function(X)
        return self.classes_[(decision > 0).astype(int) if decision.ndim == 1 else decision.argmax(axis=1)]

    def predict_proba(self, X: Any) -> Floats:
        """Posteriors of the logistic regressions, one against the rest, made to sum to 1."""
        if self.classifier != "logistic":
            raise ParameterError('an SVM has no probabilities: pass classifier="logistic".')
        decision = self.decision_function(X)
        if decision.ndim == 1:
            return np.column_stack([expit(-decision), expit(decision)])
        shares = expit(decision)
        sums = shares.sum(axis=1, keepdims=True)
        return np.where(sums > 0, shares / np.where(sums > 0, sums, 1.0), 1.0 / shares.shape[1])

    @cached_property
    def _scores(self) -> TokenScores:
        """The weights by token; of two classes, only the second's are stored."""
        sides, size = self.coef_.shape
        columns = np.arange(sides, dtype=np.uint16) if sides > 1 else np.ones(1, dtype=np.uint16)
        none = np.zeros(len(self.classes_))
        start = self.intercept_ if sides > 1 else np.array([0.0, self.intercept_[0]])
        starts = np.arange(size + 1, dtype=np.int64) * sides
        deltas = np.ascontiguousarray(self.coef_.T).ravel()
        return TokenScores(start, none, starts, np.tile(columns, size), deltas, distinct=True)

    def __getstate__(self) -> dict[str, Any]:
        """Without what the core has made of the scores, which is made again when it is needed."""
        return {name: value for name, value in super().__getstate__().items() if name != "_scores"}

    def _analyzer(self) -> Analyzer:
        return Analyzer.of(self.pattern, self.ngrams, self.lower, self.accents)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.one_d_array = True
        tags.input_tags.string = True
        return tags


def log_count_ratios(bag: Bag, alpha: float) -> Floats:
    """log((p / ‖p‖₁) / (q / ‖q‖₁)) of each class against the rest: classes × tokens."""
    p = bag.matrix(distinct=True).toarray()
    q = p.sum(axis=0) - p
    p, q = p + alpha, q + alpha
    return np.log(p / p.sum(axis=1, keepdims=True)) - np.log(q / q.sum(axis=1, keepdims=True))
