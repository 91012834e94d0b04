"""Fitting a linear classifier to documents whose tokens are multiplied by their log-count ratios.

For a class against the rest, with p and q the numbers of documents of the class and of the rest that contain each
token, plus α:

    r = log((p / ‖p‖₁) / (q / ‖q‖₁))

Documents are binary vectors, multiplied by r. A logistic regression or linear SVM gives weights w, and the model
interpolates between it and naive Bayes: w' = (1 − β)·w̄ + β·w, where w̄ is the mean absolute weight; the intercept is
multiplied by β.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from sklearn.utils.parallel import Parallel, delayed

from deciban.errors import InputError
from deciban.limits import check_memory
from deciban.models.text.temperature import FEWEST, every_third, softmax_temperature
from deciban.read.documents import Documents
from deciban.tallies import Sample
from deciban.text.analyzer import Analyzer
from deciban.text.bag import Bag
from deciban.text.counting import bag_of_rows, memberships, term_matrix
from deciban.text.kernels import TokenScores
from deciban.text.pruning import document_bound
from deciban.text.vocabulary import Vocabulary
from deciban.types import AnyArray, Floats

__all__ = ["Linear", "RatioFit", "TermFrequency", "VectorLength", "log_count_ratio", "presence", "terms_in_use"]

Linear = Literal["logistic", "svm"]
TermFrequency = Literal["presence", "log"]
VectorLength = Literal["none", "unit"]

_LOOSE = 0.1
"""The tolerance of the linear classifier that a temperature is learned by."""


@dataclass(frozen=True)
class RatioFit:
    """The settings of the fit; they are parameters of `LogCountRatio`."""

    tf: TermFrequency
    length: VectorLength
    alpha: float
    beta: float
    classifier: Linear
    C: float
    max_iter: int
    n_jobs: int | None

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
        """Weights and intercepts of each class; in processes, since liblinear's threads share one random generator."""
        linear, features = self._linear(tolerance), self.features(matrix)
        classes = range(len(sample.classes)) if len(sample.classes) > 2 else (1,)
        check_memory("the weights of classes × tokens", len(classes), bag.size, itemsize=24, advice="Raise min_df.")
        fitted = Parallel(n_jobs=self.n_jobs)(
            delayed(_fit_class)(
                linear, features, log_count_ratio(bag, j, self.alpha), sample.codes == j, sample.weights
            )
            for j in classes
        )
        weights = np.empty((len(classes), bag.size))
        for row, (w, _, ratio) in zip(weights, fitted, strict=True):
            row[:] = ratio * ((1 - self.beta) * np.abs(w).mean() + self.beta * w)
        return weights, np.array([self.beta * intercept for _, intercept, _ in fitted])

    def _linear(self, tolerance: float) -> Any:
        # Imported here because these two modules load slowly and only this model uses them.
        from sklearn.linear_model import LogisticRegression  # noqa: PLC0415
        from sklearn.svm import LinearSVC  # noqa: PLC0415

        shared = {"C": self.C, "dual": True, "tol": tolerance, "max_iter": self.max_iter, "random_state": 0}
        if self.classifier == "svm":
            return LinearSVC(**shared)
        return LogisticRegression(solver="liblinear", **shared)

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

    def temperature(self, matrix: sp.csr_matrix, sample: Sample, analyzer: Analyzer) -> float:
        """The temperature of least log loss on a third of the documents, predicted by the others."""
        tested = every_third(sample.codes)
        if np.count_nonzero(tested) < FEWEST:
            return 1.0
        decision = self._held_out_decision(matrix, sample, tested, analyzer)
        weights = None if sample.weights is None else sample.weights[tested]
        return softmax_temperature(decision, sample.codes[tested], weights)

    def _held_out_decision(self, matrix: sp.csr_matrix, sample: Sample, tested: AnyArray, analyzer: Analyzer) -> Floats:
        """The decision values of the tested documents, by a model of the others."""
        train = matrix[np.flatnonzero(~tested)]
        known = np.bincount(train.indices, minlength=train.shape[1]) > 0
        train, test = train[:, known], matrix[np.flatnonzero(tested)][:, known]
        learned = sample.take(~tested)
        bag = bag_of_rows(presence(train), None, memberships(learned), analyzer)
        weights, intercepts = self.classes(train, bag, learned, tolerance=_LOOSE)
        decision = np.asarray(self.features(test) @ weights.T + intercepts)
        return decision if decision.shape[1] > 1 else np.column_stack([np.zeros(len(decision)), decision])


def log_count_ratio(bag: Bag, j: int, alpha: float) -> Floats:
    """log((p / ‖p‖₁) / (q / ‖q‖₁)) of each token, for class j against the rest."""
    entries = slice(bag.starts[j], bag.starts[j + 1])
    p = np.bincount(bag.indices[entries], bag.documents[entries], bag.size) + alpha
    q = bag.sums(distinct=True) + 2 * alpha - p
    return np.log(p / p.sum()) - np.log(q / q.sum())


def _fit_class(
    linear: Any, features: sp.csr_matrix, ratio: Floats, is_class: AnyArray, weights: Floats | None
) -> tuple[Floats, float, Floats]:
    """The linear classifier's weights and intercept for a class against the rest, and the log-count ratios."""
    scaled = sp.csr_matrix((features.data * ratio[features.indices], features.indices, features.indptr), features.shape)
    linear.fit(scaled, is_class, sample_weight=weights)
    return linear.coef_[0], float(linear.intercept_[0]), ratio


def presence(matrix: sp.csr_matrix) -> sp.csr_matrix:
    """1 where a document contains a token."""
    return sp.csr_matrix((np.ones(len(matrix.data)), matrix.indices, matrix.indptr), matrix.shape)


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
