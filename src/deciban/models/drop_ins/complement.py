"""Complement naive Bayes: a class is scored by the rows of all other classes (Rennie et al. 2003).

θ_jk = (α + Σ_{i ≠ j} T_ik) / (α·|V| + Σ_{i ≠ j} Σ_k T_ik),  score_j(x) = −Σ_k x_k·log θ_jk
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from deciban.models.drop_ins.discrete import DiscreteNB, packed_log_probabilities
from deciban.models.export.onnx.export import to_onnx
from deciban.models.export.onnx.scores import linear_scores
from deciban.models.form import Form
from deciban.models.options import SkipOrError
from deciban.models.parts.generative import without_joint
from deciban.tallies import Tally
from deciban.tallies.kernels import pack_complement
from deciban.types import Floats

__all__ = ["ComplementNB"]


class ComplementNB(DiscreteNB):
    """Complement naive Bayes: the terms of all other classes. A drop-in for ``sklearn.naive_bayes.ComplementNB``.

    Beyond scikit-learn: missing values, new classes later on, `merge`, `forget`, `evidence` and `explain`. A class
    without rows has probability 0, and ``alpha=0`` never gives NaN.

    Parameters
    ----------
    alpha : float or array of shape (n_features,)
        The pseudo-count of each term; 1 is Laplace's law, 0 maximum likelihood.
    force_alpha : bool
        Whether an alpha below 1e-10 is used as given.
    fit_prior : bool
        Whether class priors are relative frequencies; they are used only when there is a single class.
    class_prior : array, optional
        The probabilities of the classes; used only when there is a single class.
    norm : bool
        Whether each class's weights are divided by their sum.
    missing : {"error", "skip"}
        What a missing value (NaN) is: an error, or no evidence.

    Attributes
    ----------
    tally_ : Tally
        The sums of the columns in each class, from which all other attributes follow.
    classes_ : array
        The labels, sorted.
    class_count_ : array
        The weight of the rows of each class.
    class_log_prior_ : array
        log P(class).
    feature_count_ : array of shape (n_classes, n_features)
        The sum of each column in each class.
    feature_all_ : array of shape (n_features,)
        The sum of each column.
    feature_log_prob_ : array of shape (n_classes, n_features)
        The weight of each term in each class.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : array
        The names of the columns, where the rows had names.

    See Also
    --------
    TextNB : For documents, with ``event="complement"``.

    Examples
    --------
    >>> model = ComplementNB().fit([[2, 1, 0], [0, 1, 3]], ["sport", "music"])
    >>> model.predict([[0, 0, 1]]).tolist()
    ['music']
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {**DiscreteNB._parameter_constraints, "norm": ["boolean"]}

    def __init__(
        self,
        *,
        alpha: Any = 1.0,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: Any = None,
        norm: bool = False,
        missing: SkipOrError = "error",
    ) -> None:
        self.alpha, self.force_alpha = alpha, force_alpha
        self.fit_prior, self.class_prior = fit_prior, class_prior
        self.norm = norm
        self.missing = missing

    to_onnx = to_onnx
    _onnx_scores = linear_scores

    _joint = _draw = without_joint("it scores a class by the rows of all other classes")

    def _estimate(self, tally: Tally, form: Form) -> dict[str, Any]:
        alpha = self._check_alpha(form.columns)
        prior = self._log_prior(tally)
        is_empty = (tally.class_counts == 0) & (tally.total > 0)  # of no class is anything known: all are alike
        classes, sums = len(is_empty), tally.parts[0].sums
        weight = self._pack(sums, alpha)
        if self.norm:
            _normalize(weight[:, :classes])
        if np.min(alpha) == 0:
            weight[(classes - 1) * sums.sum(axis=0) == 0] = 0.0  # a term that no other class has is no evidence
        if is_empty.any():
            weight[:, :classes][:, is_empty] = 0.0
        start = prior if classes == 1 else np.where(is_empty, -np.inf, 0.0)
        return {
            "class_log_prior_": prior,
            "_prior": np.where(is_empty, -np.inf, prior),
            "_base": start,
            "_weight": weight,
            "_at_missing": None,
        }

    def _pack(self, sums: Floats, alpha: Any) -> Floats:
        """−log θ, packed for scoring."""
        added = np.sum(np.broadcast_to(alpha, sums.shape[1]))
        totals = np.asarray(sums.sum(axis=1), dtype=np.float64)
        whole = np.maximum(totals.sum() - totals, 0.0) + added
        if np.min(alpha) > 0:
            return pack_complement(sums, alpha, whole)
        others = np.maximum(sums.sum(axis=0) - sums, 0.0)
        return -packed_log_probabilities(others, alpha, whole[:, None])

    @cached_property
    def feature_all_(self) -> Floats:
        """The sum of each column."""
        return self.feature_count_.sum(axis=0)

    @cached_property
    def feature_log_prob_(self) -> Floats:
        """The weight of each term in each class, classes × columns."""
        return np.ascontiguousarray(self._weight[:, : len(self.classes_)].T)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.classifier_tags.poor_score = True
        return tags


def _normalize(logs: Floats) -> None:
    """Divide each class's logs by their sum; infinite ones share the whole, as they do for alpha near 0.

    Logs that are all 0, as those of the only column are, stay 0.
    """
    infinite = np.isinf(logs)
    if not infinite.any():
        sums = logs.sum(axis=0)
        logs /= np.where(sums == 0, 1.0, sums)
        return
    shared = infinite.any(axis=0)
    sums = np.where(shared, 1.0, np.where(infinite, 0.0, logs).sum(axis=0))
    sums = np.where(sums == 0, 1.0, sums)
    logs[:] = np.where(shared, infinite / np.maximum(infinite.sum(axis=0), 1), logs / sums)
