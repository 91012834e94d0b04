"""Log-count ratios under a linear classifier: NBSVM (Wang & Manning 2012).

For a class against the rest, with p and q the numbers of documents on either side that have each token, plus α:

    r = log((p / ‖p‖₁) / (q / ‖q‖₁))

Documents are binary vectors times r. A logistic regression or linear SVM gives weights w, and the model is one between
it and naive Bayes: w' = (1 − β)·w̄ + β·w, where w̄ is the mean size of the weights; its constant is β times, too.

With tf="log" they are vectors of 1 + log(count) where a token is present. Where lengths of documents differ much, the
long ones would rule the linear classifier: length="unit" divides the vectors by their norms before they meet r.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
import scipy.sparse as sp
from scipy.special import expit
from sklearn.base import ClassifierMixin
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.parallel import Parallel, delayed

from deciban.errors import InputError, ParameterError, UnfittedError
from deciban.explain import DocumentExplanation, TopTokens
from deciban.limits import check_memory
from deciban.models.parameters import FITTED_WITH, FittedParameters
from deciban.models.storage.checks import check_weights
from deciban.models.text.explain import DocumentCase, explain_document, read_document
from deciban.models.text.model import TextModel
from deciban.models.text.ratio_side import fit_side, log_count_ratio, presence
from deciban.models.text.tags import tag_documents
from deciban.models.text.weights import top_tokens
from deciban.read import Target, read_target, read_weights
from deciban.read.documents import Documents, read_documents
from deciban.tallies import Sample, Tally
from deciban.text import kernels
from deciban.text.analyzer import Analyzer
from deciban.text.bag import Bag
from deciban.text.counting import bag_of_rows, memberships, term_matrix, weighty_documents
from deciban.text.kernels import TokenScores
from deciban.text.vocabulary import Vocabulary
from deciban.types import AnyArray, Floats

__all__ = ["LogCountRatio"]


class LogCountRatio(ClassifierMixin, FittedParameters):  # type: ignore[misc]
    """Log-count ratios from the tally, then a linear classifier on them; several classes one against the rest.

    Parameters
    ----------
    ngrams : the sizes of sequences of tokens, first and last
    tf : what a token of a document weighs: "presence", 1; or "log", 1 + log(count)
    length : "none"; or "unit": documents are vectors of length 1, so that long ones do not weigh more
    alpha : the pseudo-count of a token on either side
    beta : how far to go from naive Bayes (0) to the linear classifier (1)
    classifier : "logistic" (with `predict_proba`) or "svm"
    C : how little the linear classifier is regularized
    pattern, lower, accents : how documents are cut, as in `TextNB`; punctuation counts unless pattern="words"
    min_df : the least number of documents that have a token
    max_iter : the most steps of the linear classifier
    n_jobs : how many processes fit the classes of more than two, as in scikit-learn

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
        "tf": [StrOptions({"presence", "log"})],
        "length": [StrOptions({"none", "unit"})],
        "alpha": [Interval(Real, 0, None, closed="neither")],
        "beta": [Interval(Real, 0, 1, closed="both")],
        "classifier": [StrOptions({"logistic", "svm"})],
        "C": [Interval(Real, 0, None, closed="neither")],
        "min_df": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "n_jobs": [Integral, None],
    }

    tally_: Tally
    classes_: AnyArray
    coef_: Floats
    intercept_: Floats

    def __init__(
        self,
        *,
        ngrams: tuple[int, int] = (1, 2),
        tf: str = "presence",
        length: str = "none",
        alpha: float = 1.0,
        beta: float = 0.25,
        classifier: str = "logistic",
        C: float = 1.0,
        pattern: Any = "words+punct",
        lower: bool = True,
        accents: str | None = None,
        min_df: int = 1,
        max_iter: int = 1000,
        n_jobs: int | None = None,
    ) -> None:
        self.ngrams = ngrams
        self.tf = tf
        self.length = length
        self.alpha = alpha
        self.beta = beta
        self.classifier = classifier
        self.C = C
        self.pattern = pattern
        self.lower = lower
        self.accents = accents
        self.min_df = min_df
        self.max_iter = max_iter
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Count the documents' tokens, weigh them by their ratios, and fit the linear classifier."""
        self._check_parameters()
        data = read_documents(X)
        given = Sample.of(read_target(y, len(data)), read_weights(sample_weight, len(data)))
        held, taken = weighty_documents(data.held, given)
        data, sample = Documents(held), Sample.of(Target(taken.classes, taken.codes), taken.weights)
        if len(data) == 0:
            raise InputError("there is no document to learn from, or all sample weights are zero.")
        if len(sample.classes) < 2:
            raise InputError("a ratio needs at least two classes, and y has one class.")
        matrix, vocabulary = self._terms(data)
        bag = bag_of_rows(presence(matrix), vocabulary, memberships(sample), self._analyzer())
        sides = range(len(sample.classes)) if len(sample.classes) > 2 else (1,)
        self.coef_, self.intercept_ = self._fit_sides(self._amounts(matrix), bag, sample, sides)
        for name in ("_scores", FITTED_WITH):
            self.__dict__.pop(name, None)
        self._vocabulary = vocabulary
        self.tally_ = sample.tally(bag)
        self.classes_ = sample.classes.labels
        return self

    def _terms(self, data: Documents) -> tuple[sp.csr_matrix, Vocabulary]:
        """Documents × tokens that are kept: counts."""
        matrix, vocabulary = term_matrix(data, self._analyzer())
        if vocabulary is None:
            raise InputError("there is no vocabulary.")
        kept = np.bincount(matrix.indices, minlength=matrix.shape[1]) >= self.min_df
        if not kept.all():
            matrix, vocabulary = matrix[:, kept], vocabulary.subset(kept)
        if len(vocabulary) == 0:
            raise InputError("no document has a token that is kept: there is nothing to learn from.")
        return matrix, vocabulary

    def _amounts(self, matrix: sp.csr_matrix) -> sp.csr_matrix:
        """What the tokens of each document weigh, as the core has it for new documents."""
        features = presence(matrix)
        if self.tf == "log":
            features.data += np.log(matrix.data)
        if self.length == "unit":
            rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
            features.data /= np.sqrt(np.bincount(rows, features.data**2, matrix.shape[0]))[rows]
        return features

    def _fit_sides(
        self, features: sp.csr_matrix, bag: Bag, sample: Sample, sides: Sequence[int]
    ) -> tuple[Floats, Floats]:
        """Weights and constants of each side; in processes, since liblinear's threads would share one generator."""
        check_memory("the weights of classes × tokens", len(sides), bag.size, itemsize=24, advice="Raise min_df.")
        fitted = Parallel(n_jobs=self.n_jobs)(
            delayed(fit_side)(
                self._linear(), features, log_count_ratio(bag, j, self.alpha), sample.codes == j, sample.weights
            )
            for j in sides
        )
        weights = np.empty((len(sides), bag.size))
        for row, (w, _, ratio) in zip(weights, fitted, strict=True):
            row[:] = ratio * ((1 - self.beta) * np.abs(w).mean() + self.beta * w)
        return weights, np.array([self.beta * constant for _, constant, _ in fitted])

    def _linear(self) -> Any:
        # Here, and not above: these two would be a quarter of the time that importing deciban takes.
        from sklearn.linear_model import LogisticRegression  # noqa: PLC0415
        from sklearn.svm import LinearSVC  # noqa: PLC0415

        shared = {"C": self.C, "dual": True, "tol": 1e-2, "max_iter": self.max_iter, "random_state": 0}
        if self.classifier == "svm":
            return LinearSVC(**shared)
        return LogisticRegression(solver="liblinear", **shared)

    # Predicting ----------------------------------------------------------------------------------------------------

    def decision_function(self, X: Any) -> Floats:
        """Σ_tokens weight·w'·r + constant: for each class, or for the second of two."""
        self._check_fitted()
        analyzer = self._analyzer()
        documents = analyzer.prepare(read_documents(X).held)
        advice = "Pass fewer documents at a time."
        check_memory("the scores of documents × classes", len(documents), len(self.classes_), advice=advice)
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

    def predict_one(self, document: Any) -> Any:
        """The class of one document, as `predict` gives it for many."""
        return self.predict(read_document(document, "predict_one").held)[0]

    def predict_proba_one(self, document: Any) -> dict[Any, float]:
        """P(class | document) of one document, as `predict_proba` gives it for many."""
        posterior = self.predict_proba(read_document(document, "predict_proba_one").held)[0]
        return dict(zip(self.classes_.tolist(), posterior.tolist(), strict=True))

    def explain(self, document: Any, against: Any = None) -> DocumentExplanation:
        """What each token says for the predicted class against the next best, or another, in decibans.

        The weights and the constant sum to the difference of the two decisions; of two classes and a logistic
        regression, that is the log-odds.
        """
        self._check_fitted()
        data = read_document(document, "explain")
        decision = self.decision_function(data.held)
        scores = np.array([0.0, decision[0]]) if decision.ndim == 1 else decision[0]
        case = DocumentCase(data.held[0], self.classes_, np.zeros(len(scores)), scores, prior_name="constant")
        return explain_document(self._linear_model(), case, None, against)

    def top_tokens(self, label: Any, against: Any = None, many: int = 10) -> TopTokens:
        """The tokens that speak most for a class against another, and their weights in decibans; prints as a table.

        Without `against`, of two classes it is the other one; of more all the others, which a class is fitted against.
        """
        self._check_fitted()
        return top_tokens(self._linear_model(), self.classes_, label, against, many)

    def _linear_model(self) -> TextModel:
        """The weights as those of a text model, which have the same form."""
        return TextModel(self.tally_.parts[0], self._scores, self._analyzer(), self.alpha, 1.0, 0.0)

    # Keeping -------------------------------------------------------------------------------------------------------

    def _state(self) -> dict[str, Any]:
        """What a file holds beside the parameters."""
        return {"tally": self.tally_, "coef": self.coef_, "intercept": self.intercept_}

    def _restore(self, state: dict[str, Any]) -> None:
        tally: Tally = state["tally"]
        check_weights(state["coef"], state["intercept"], tally)
        self.tally_, self._vocabulary, self.classes_ = tally, tally.parts[0].vocabulary, tally.classes.labels
        self.coef_, self.intercept_ = state["coef"], state["intercept"]

    def _is_fitted(self) -> bool:
        return "coef_" in self.__dict__

    def _check_fitted(self) -> None:
        if not self._is_fitted():
            raise UnfittedError("This LogCountRatio instance is not fitted yet. Call 'fit' first.")

    @cached_property
    def _scores(self) -> TokenScores:
        """The weights by token; of two classes, only the second's are stored."""
        sides, size = self.coef_.shape
        columns = np.arange(sides, dtype=np.uint16) if sides > 1 else np.ones(1, dtype=np.uint16)
        none = np.zeros(len(self.classes_))
        start = self.intercept_ if sides > 1 else np.array([0.0, self.intercept_[0]])
        starts = np.arange(size + 1, dtype=np.int64) * sides
        deltas = np.ascontiguousarray(self.coef_.T).ravel()
        table = (start, none, starts, np.tile(columns, size), deltas)
        tf: Literal["raw", "log"] = "log" if self.tf == "log" else "raw"
        lengths: Literal["none", "l2"] = "l2" if self.length == "unit" else "none"
        return TokenScores(*table, distinct=self.tf == "presence", tf=tf, lengths=lengths)

    def __getstate__(self) -> dict[str, Any]:
        """Without what the core has made of the scores, which is made again when it is needed."""
        return {name: value for name, value in super().__getstate__().items() if name != "_scores"}

    def _analyzer(self) -> Analyzer:
        return Analyzer.of(self.pattern, self.ngrams, self.lower, self.accents)

    def __sklearn_tags__(self) -> Any:
        return tag_documents(super().__sklearn_tags__())
