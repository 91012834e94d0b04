"""Gaussian naive Bayes: each column is normal within each class (Zhu, item 11).

P(x_i | j) = exp(−(x_i − μ_ji)² / 2σ²_ji) / √(2πσ²_ji)
"""

from __future__ import annotations

from dataclasses import replace
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from deciban.errors import ParameterError
from deciban.estimate import estimate_gaussian, log_norms, log_priors
from deciban.estimate.columns.formulas import Curve
from deciban.models.base import BayesClassifier
from deciban.models.drop_ins.discrete import find_fault
from deciban.models.export.forms import ClosedForm, NamedFormula
from deciban.models.export.onnx.export import to_onnx
from deciban.models.export.onnx.scores import gaussian_scores
from deciban.models.form import Form
from deciban.models.options import SkipOrError
from deciban.models.parts.generative import draw_classes, scored_joint
from deciban.models.parts.to_sql import to_sql
from deciban.read import Matrix
from deciban.tallies import Moments, Sample, Tally, gather_moments
from deciban.tallies.faults import Fault
from deciban.tallies.kernels import Want, Weighing, pack_columns, score_gaussian
from deciban.types import AnyArray, Codes, Floats

__all__ = ["GaussianNB"]


class GaussianNB(BayesClassifier):
    """Gaussian naive Bayes: each column is normal within a class. A drop-in for ``sklearn.naive_bayes.GaussianNB``.

    Beyond scikit-learn: sparse input, missing values, new classes later on, `merge`, `forget`, `evidence` and
    `explain`. The variance floor follows from all rows learned so far, so `partial_fit` row by row equals one `fit`.

    Parameters
    ----------
    priors : array, optional
        The probabilities of the classes; relative frequencies when None.
    var_smoothing : float
        The part of the largest column variance that is added to every variance.
    missing : {"error", "skip"}
        What a missing value (NaN) is: an error, or no evidence.

    Attributes
    ----------
    tally_ : Tally
        The moments that all other attributes follow from.
    classes_ : array
        The labels, sorted.
    class_count_ : array
        The weight of the rows of each class.
    class_prior_ : array
        P(class).
    theta_ : array of shape (n_classes, n_features)
        The mean of each column in each class.
    var_ : array of shape (n_classes, n_features)
        The variance of each column in each class.
    epsilon_ : float
        What was added to the variances.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : array
        The names of the columns, where the rows had names.

    See Also
    --------
    NaiveBayes : For tables with labels, numbers and text.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[-1, -1], [-2, -1], [-3, -2], [1, 1], [2, 1], [3, 2]])
    >>> GaussianNB().fit(X, [1, 1, 1, 2, 2, 2]).predict([[-0.8, -1]]).tolist()
    [1]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BayesClassifier._parameter_constraints,
        "priors": ["array-like", None],
        "var_smoothing": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(self, *, priors: Any = None, var_smoothing: float = 1e-9, missing: SkipOrError = "error") -> None:
        self.priors, self.var_smoothing, self.missing = priors, var_smoothing, missing

    to_onnx = to_onnx
    _onnx_scores = gaussian_scores

    def _count(self, data: Matrix, sample: Sample, form: Form) -> Tally:  # noqa: ARG002
        return sample.tally(gather_moments(data, sample, type(self).__name__, missing_allowed=self.missing == "skip"))

    def _accepted(self, tally: Tally) -> Tally:
        if not tally.parts or not all(isinstance(part, Moments) for part in tally.parts):
            raise ParameterError("GaussianNB takes a tally of moments alone: of float columns.")
        return replace(tally, parts=(Moments.side_by_side(tally.parts),))

    def _estimate(self, tally: Tally, form: Form) -> dict[str, Any]:
        estimate = estimate_gaussian(tally.parts[0], self.var_smoothing)
        prior = log_priors(tally.class_counts, self.priors)
        packed = estimate.mean, 0.5 / estimate.variance, log_norms(estimate.variance)
        return {
            "theta_": estimate.mean.astype(form.dtype),
            "var_": estimate.variance.astype(form.dtype),
            "epsilon_": estimate.floor,
            "class_count_": tally.class_counts.astype(form.dtype),
            "class_prior_": np.exp(prior).astype(form.dtype),
            "_prior": prior,
            "_packed": tuple(pack_columns(table) for table in packed),
        }

    def _scores(self, data: Matrix, want: Want) -> tuple[AnyArray, Fault | None]:
        skips = self.missing == "skip"
        return score_gaussian(data.for_kernel(), self._prior, self._packed, want, missing_allowed=skips)

    _joint = scored_joint

    def _free_parameters(self) -> int:
        return 2 * self.theta_.size

    def _draw(self, n: int, rng: np.random.Generator) -> tuple[Codes, list[Floats]]:
        y, estimate = draw_classes(self, n, rng), estimate_gaussian(self.tally_.parts[0], self.var_smoothing)
        means, widths = estimate.mean, np.sqrt(estimate.variance)
        return y, [means[y, i] + widths[y, i] * rng.standard_normal(n) for i in range(self.n_features_in_)]

    to_sql = to_sql

    def _closed_form(self) -> ClosedForm:
        mean, half, norm = (table[:, : self.n_features_in_] for table in self._packed)
        missing = np.zeros(len(norm)) if self.missing == "skip" else None
        columns = [
            NamedFormula(name, Curve(norm[:, i], missing, mean=mean[:, i], half=half[:, i]))
            for i, name in enumerate(self._names())
        ]
        return ClosedForm(self._start(), self._prior, columns)

    def _column_evidence(self, data: Matrix) -> Floats:
        columns = self.n_features_in_
        mean, half_precision, norm = (table[:, :columns] for table in self._packed)
        x = data.dense()
        fault = find_fault(x, Weighing(lowest=-np.inf, missing_allowed=self.missing == "skip"))
        if fault is not None:
            self._raise(fault, data)
        deviation = x.astype(np.float64)[:, :, None] - mean.T
        evidence = norm.T - deviation * deviation * half_precision.T
        return np.where(np.isnan(evidence), 0.0, evidence)
