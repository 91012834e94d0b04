"""Learning from documents without labels, by expectation–maximization (Nigam et al. 2000).

E step: the model gives the posterior of each unlabelled document. M step: the model is estimated from all documents,
the unlabelled ones weighted by their posteriors. It starts from the labelled documents. Each iteration increases

    Σ_labelled log P(c, d) + λ·Σ_unlabelled log Σ_c P(c, d) + α·Σ_tc log P(t | c),

the log-posterior under the prior of the smoothing, where λ is the weight of an unlabelled document.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
import scipy
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils._param_validation import Interval

from deciban.decide import finish
from deciban.errors import InputError, ParameterError, UnfittedError
from deciban.estimate import Smoothing, settle_priors
from deciban.explain import DocumentExplanation, TopTokens
from deciban.limits import check_memory
from deciban.models.base import check_parameters
from deciban.models.text.document_classifier import DocumentClassifier
from deciban.models.text.model import lidstone_alpha
from deciban.models.text.text_nb import TextNB
from deciban.read import Variable, read_labels, read_target
from deciban.read.documents import read_documents
from deciban.tallies import Tally
from deciban.text.analyzer import Analyzer
from deciban.text.bag import bag_of_rows, term_matrix
from deciban.text.kernels import Vocabulary
from deciban.types import AnyArray, Floats, LabelsLike

__all__ = ["TextEM", "is_unlabelled"]


class TextEM(DocumentClassifier, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A `TextNB` that also learns from documents without labels, by expectation-maximization.

    Parameters
    ----------
    model : TextNB, optional
        A TextNB with event="multinomial" or "boolean"; TextNB("multinomial") when None. Its smoothing is a
        pseudo-count; "auto", "discount" and "loo" choose it by leave-one-out on the labelled documents. No temperature
        is learned.
    unlabelled_weight : float
        λ, the weight of an unlabelled document; less than 1 where there are many more of them than of labelled ones, so
        that they do not dominate.
    max_iter : int
        The maximum number of iterations.
    tol : float
        Stop when the relative increase of the log-likelihood is less than this.
    progress : bool or function
        True to print the iterations on the standard error stream, or a function of iteration and log-likelihood.

    Attributes
    ----------
    model_ : TextNB
        The model of all documents; its tally has weighted counts.
    classes_ : array
        The labels, sorted.
    log_likelihoods_ : list of float
        The log-posterior of each iteration, which never decreases.
    n_iter_ : int
        The number of iterations.
    transduction_ : array
        The class of each document in fit, given or predicted.

    Examples
    --------
    >>> X = ["sun and sea", "sea and sand", "rain and wind", "sand", "wind"]
    >>> TextEM().fit(X, ["dry", None, "wet", None, None]).predict(
    ...     ["sand and sea", "wind"]
    ... ).tolist()
    ['dry', 'wet']
    """

    _parameter_constraints: ClassVar[dict[str, list[object]]] = {
        "model": [TextNB, None],
        "unlabelled_weight": [Interval(Real, 0, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "progress": ["boolean", callable],
    }

    def __init__(
        self,
        model: TextNB | None = None,
        *,
        unlabelled_weight: float = 0.1,
        max_iter: int = 50,
        tol: float = 1e-5,
        progress: bool | Callable[[int, float], None] = False,
    ) -> None:
        self.model = model
        self.unlabelled_weight = unlabelled_weight
        self.max_iter = max_iter
        self.tol = tol
        self.progress = progress

    def fit(self, X: Any, y: LabelsLike | None = None) -> Self:
        """Learn from documents with and without labels.

        Parameters
        ----------
        X : collection of str or bytes
            The documents: a list, a Series, an array or an Arrow column.
        y : array of shape (n_samples,)
            The labels; None, −1 or NaN for an unlabelled document.

        Returns
        -------
        self : the fitted model
        """
        self._check_parameters()
        base = clone(self.model) if self.model is not None else TextNB("multinomial")
        base._check_parameters()
        problem = _Problem.read(X, y, base, self.unlabelled_weight)
        reached: list[float] = []
        shares = problem.start()
        for step in range(1, self.max_iter + 1):
            shares, value = problem.step(shares)
            reached.append(value)
            if callable(self.progress):
                self.progress(step, value)
            elif self.progress:
                print(f"iteration {step}: log-likelihood {value:.6g}", file=sys.stderr)
            # The first estimate is that of the labelled documents alone: a small step from it is no convergence.
            if step > 2 and value - reached[-2] <= self.tol * abs(value):
                break
        parameters = {**base.get_params(deep=False), "smoothing": problem.alpha}
        model = TextNB.from_tally(problem.tally(shares), **parameters)
        return self._keep(model, reached, model.classes_[np.asarray(shares.argmax(axis=0)).ravel()])

    def _keep(self, model: TextNB, log_likelihoods: list[float], transduction: AnyArray) -> Self:
        """Take what was learned."""
        self.model_, self.classes_ = model, model.classes_
        self.log_likelihoods_, self.n_iter_, self.transduction_ = log_likelihoods, len(log_likelihoods), transduction
        return self

    def predict(self, X: Any) -> AnyArray:
        """Predict the class of each document.

        Parameters
        ----------
        X : collection of str or bytes
            The documents: a list, a Series, an array or an Arrow column.

        Returns
        -------
        labels : array of shape (n_samples,)
        """
        return self._fitted().predict(X)

    def predict_proba(self, X: Any) -> Floats:
        """Compute the posteriors P(class | document).

        Parameters
        ----------
        X : collection of str or bytes
            The documents: a list, a Series, an array or an Arrow column.

        Returns
        -------
        posteriors : array of shape (n_samples, n_classes)
        """
        return self._fitted().predict_proba(X)

    def predict_log_proba(self, X: Any) -> Floats:
        """Compute log P(class | document).

        Parameters
        ----------
        X : collection of str or bytes
            The documents: a list, a Series, an array or an Arrow column.

        Returns
        -------
        log_posteriors : array of shape (n_samples, n_classes)
        """
        return self._fitted().predict_log_proba(X)

    def predict_joint_log_proba(self, X: Any) -> Floats:
        """Compute log P(class, document), not normalized.

        Parameters
        ----------
        X : collection of str or bytes
            The documents: a list, a Series, an array or an Arrow column.

        Returns
        -------
        log_joint : array of shape (n_samples, n_classes)
        """
        return self._fitted().predict_joint_log_proba(X)

    def explain(self, document: Any, against: object = None) -> DocumentExplanation:
        """Show the weight of each token of a document, as `TextNB.explain` does.

        Parameters
        ----------
        document : str or bytes
            One document.
        against : a class, optional
            The class to compare with; the second best when None.

        Returns
        -------
        DocumentExplanation
        """
        return self._fitted().explain(document, against)

    def top_tokens(self, label: object, against: object = None, *, n: int = 10) -> TopTokens:
        """List the tokens with the largest weights for a class against another, as `TextNB.top_tokens` does.

        Parameters
        ----------
        label : a class
            The class that the weights are for.
        against : a class, optional
            The class to compare with.
        n : int
            The number of tokens.

        Returns
        -------
        TopTokens
        """
        return self._fitted().top_tokens(label, against, n=n)

    def _check_fitted(self) -> None:
        self._fitted()

    def _state(self) -> dict[str, object]:
        """The content of a file besides the parameters."""
        model = self._fitted()
        fitted = {"tally": model.tally_, "fitted": model.get_params(deep=False)}
        return fitted | {name: getattr(self, name) for name in ("log_likelihoods_", "n_iter_", "transduction_")}

    def _restore(self, state: dict[str, Any]) -> None:
        model = TextNB.from_tally(state["tally"], **state["fitted"])
        self._keep(model, state["log_likelihoods_"], state["transduction_"])

    def _check_parameters(self) -> None:
        check_parameters(self)

    def _fitted(self) -> TextNB:
        if "model_" not in self.__dict__:
            raise UnfittedError("This TextEM instance is not fitted yet. Call 'fit' first.")
        return self.model_


@dataclass(frozen=True, eq=False)
class _Problem:
    """The documents as a matrix, the known labels, and the EM steps."""

    base: TextNB
    analyzer: Analyzer
    matrix: sp.csr_matrix  # occurrences or presence, by the event model
    occurrences: sp.csr_matrix
    vocabulary: Vocabulary | None
    classes: Variable
    codes: AnyArray  # −1 for unlabelled documents
    weight: float
    alpha: float

    @classmethod
    def read(cls, X: Any, y: LabelsLike | None, base: TextNB, weight: float) -> _Problem:
        if base.event not in ("multinomial", "boolean") or base.n_bits is not None or base.max_terms is not None:
            raise ParameterError('TextEM takes a TextNB with event="multinomial" or "boolean" and a full vocabulary.')
        data, labels = read_documents(X), read_labels(None if y is None else np.asarray(y, dtype=object))
        if len(labels) != len(data):
            raise InputError(f"X has {len(data)} documents, and y has {len(labels)} labels.")
        unknown = is_unlabelled(labels)
        if unknown.all():
            raise InputError("no document has a label: X is empty, or y is None, −1 or NaN everywhere.")
        # An array that is made of the known labels alone has their type; with None, all were objects.
        target = read_target(np.array(labels[~unknown].tolist()), int((~unknown).sum()))
        codes = np.full(len(data), -1, dtype=np.int64)
        codes[~unknown] = target.codes
        check_memory("the shares of classes × documents", len(target.classes), len(data), itemsize=24)
        analyzer = base._settings_for(data).analyzer
        occurrences, vocabulary = term_matrix(data, analyzer)
        check_memory("the probabilities of classes × tokens", len(target.classes), occurrences.shape[1], itemsize=24)
        if occurrences.nnz == 0:
            raise InputError("empty vocabulary: no document has a token.")
        matrix = occurrences.astype(np.float64)
        if base.event == "boolean":
            matrix.data[:] = 1.0
        problem = cls(base, analyzer, matrix, occurrences, vocabulary, target.classes, codes, weight, 0.0)
        return replace(problem, alpha=problem._pseudocount())

    def _pseudocount(self) -> float:
        """The pseudo-count of a token."""
        smoothing = self.base.smoothing
        if isinstance(smoothing, Smoothing):
            return smoothing.pseudocount(self.matrix.shape[1], len(self.classes))
        if not isinstance(smoothing, str):
            return float(smoothing)
        return lidstone_alpha(self.tally(self.start()).parts[0], self.base.event == "boolean")

    def start(self) -> Floats:
        """Posteriors, classes × documents, of the labelled documents alone."""
        shares = np.zeros((len(self.classes), len(self.codes)))
        known = self.codes >= 0
        shares[self.codes[known], np.flatnonzero(known)] = 1.0
        return shares

    def step(self, shares: Floats) -> tuple[Floats, float]:
        """The next posteriors, and the log-posterior of the estimate from the given ones."""
        weights = np.where(self.codes >= 0, 1.0, self.weight)
        weighted = shares * weights
        counts = (self.matrix.T @ weighted.T).T
        with np.errstate(divide="ignore"):  # α may be 0
            logs = np.log(counts + self.alpha) - np.log(counts.sum(1, keepdims=True) + self.alpha * counts.shape[1])
        sums = weighted.sum(axis=1)
        prior = settle_priors(self.base.priors, sums, self.classes.labels.tolist())
        joint = prior + self.matrix @ logs.T if self.alpha else prior + _product(self.matrix, logs)
        unknown = self.codes < 0
        known = np.flatnonzero(~unknown)
        value = (
            joint[known, self.codes[known]].sum() + self.weight * scipy.special.logsumexp(joint[unknown], axis=1).sum()
        )
        following = self.start()  # labelled documents keep their classes
        following[:, unknown] = finish(joint[unknown], prior, "posterior").T
        return following, float(value + self._penalty(logs, prior))

    def _penalty(self, logs: Floats, prior: Floats) -> float:
        """The log-density of the smoothing's prior, up to a constant: without it, iterations could seem to descend."""
        penalty = self.alpha * float(logs.sum()) if self.alpha else 0.0
        if isinstance(self.base.priors, Smoothing):
            penalty += float(self.base.priors.pseudocounts(len(prior)) @ prior)
        return penalty

    def tally(self, shares: Floats) -> Tally:
        """The tally of all documents, weighted by their posteriors."""
        members = sp.csr_matrix(shares * np.where(self.codes >= 0, 1.0, self.weight))
        bag = bag_of_rows(self.occurrences, self.vocabulary, members, self.analyzer)
        return Tally(self.classes, np.asarray(members.sum(axis=1)).ravel(), (bag,))


def is_unlabelled(labels: AnyArray) -> AnyArray:
    """Where a label is None, −1 or NaN."""
    unlabelled = (
        label is None or (isinstance(label, Real) and (label == -1 or math.isnan(label))) for label in labels.tolist()
    )
    return np.fromiter(unlabelled, dtype=bool, count=len(labels))


def _product(matrix: sp.csr_matrix, logs: Floats) -> Floats:
    """matrix·logsᵀ where logs may be −∞ and 0·−∞ is 0."""
    impossible = np.isinf(logs)
    return np.where(matrix @ impossible.T > 0, -np.inf, matrix @ np.where(impossible, 0.0, logs).T)
