"""What the models of counts share: `alpha`, the class priors, and weights that score a row in one product."""

from __future__ import annotations

from functools import cached_property
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from deciban.errors import ParameterError
from deciban.estimate import log_priors, log_probabilities
from deciban.estimate.columns.formulas import Curve
from deciban.models.base import BayesClassifier
from deciban.models.export.forms import ClosedForm, NamedFormula
from deciban.models.form import Form
from deciban.models.parts.to_sql import to_sql
from deciban.notices import warn_user
from deciban.read import Matrix
from deciban.tallies import Sample, Tally, Terms, sum_columns
from deciban.tallies.faults import Fault
from deciban.tallies.kernels import Want, Weighing, pack_classes, pack_logs, score_linear
from deciban.types import AnyArray, Floats

__all__ = [
    "COUNT_CONSTRAINTS",
    "DiscreteNB",
    "check_alpha",
    "find_fault",
    "packed_log_probabilities",
    "prior_rule",
]

COUNT_CONSTRAINTS: dict[str, list[Any]] = {
    "alpha": [Interval(Real, 0, None, closed="left"), "array-like"],
    "fit_prior": ["boolean"],
    "class_prior": ["array-like", None],
    "force_alpha": ["boolean"],
}
"""Which values the parameters take that all models of counts have."""

_SMALLEST_ALPHA = 1e-10


class DiscreteNB(BayesClassifier):
    """A model whose log-likelihood is linear in the columns: log P(x | j) = b_j + Σ_k amount(x_k)·w_jk."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BayesClassifier._parameter_constraints,
        **COUNT_CONSTRAINTS,
    }

    alpha: Any
    force_alpha: bool
    fit_prior: bool
    class_prior: Any
    _weight: Floats  # w: columns × padded classes
    _at_missing: Floats | None  # what a missing value adds, laid out like w
    _base: Floats  # the log prior plus b

    def _check_alpha(self, columns: int | None = None) -> Any:
        columns = getattr(self, "n_features_in_", 0) if columns is None else columns
        return check_alpha(self.alpha, columns, force=self.force_alpha)

    def _log_prior(self, tally: Tally) -> Floats:
        return log_priors(tally.class_counts, self.class_prior, uniform=not self.fit_prior)

    def _prior_rule(self) -> Any:
        return prior_rule(self)

    def _free_parameters(self) -> int:
        """The probabilities of the terms sum to 1 in each class."""
        return len(self.classes_) * (self.n_features_in_ - 1)

    def _weighing(self) -> Weighing:
        return Weighing(missing_allowed=self.missing == "skip")

    def _count(self, data: Matrix, sample: Sample, form: Form) -> Tally:  # noqa: ARG002
        return sample.tally(sum_columns(data, sample, type(self).__name__, self._weighing()))

    def _accepted(self, tally: Tally) -> Tally:
        if len(tally.parts) != 1 or not isinstance(tally.parts[0], Terms):
            raise ParameterError(f"{type(self).__name__} takes a tally of term sums alone.")
        return tally

    def _scores(self, data: Matrix, want: Want) -> tuple[AnyArray, Fault | None]:
        return score_linear(
            data.for_kernel(), self._base, self._prior, self._weight, want, self._weighing(), self._at_missing
        )

    def _start(self) -> Floats:
        return self._base

    def _column_evidence(self, data: Matrix) -> Floats:
        weight = self._weight[:, : len(self.classes_)]
        x = self._checked(data)
        amount = np.nan_to_num(self._weighing().amount(x), nan=0.0)[:, :, None]
        with np.errstate(invalid="ignore"):
            evidence = np.where(amount == 0, 0.0, amount * weight)  # 0·log 0 is 0
        if self._at_missing is not None:
            evidence += np.isnan(x)[:, :, None] * self._at_missing[:, : len(self.classes_)]
        return evidence

    to_sql = to_sql

    def _closed_form(self) -> ClosedForm:
        classes = len(self.classes_)
        columns = [
            NamedFormula(name, self._curve(self._weight[i, :classes], np.zeros(classes)))
            for i, name in enumerate(self._names())
        ]
        return ClosedForm(self._start(), self._prior, columns)

    def _curve(self, slope: Floats, constant: Floats) -> Curve:
        """The log-likelihood of a count or an amount."""
        missing, limits = np.zeros(len(slope)) if self.missing == "skip" else None, self._weighing()
        return Curve(constant, missing, slope=slope, lowest=limits.lowest, highest=limits.highest, is_strict=True)

    def _checked(self, data: Matrix) -> AnyArray:
        """The values of all rows, or an error where one of them cannot be used."""
        x = data.dense()
        fault = find_fault(x, self._weighing())
        if fault is not None:
            self._raise(fault, data)
        return x

    @cached_property
    def class_count_(self) -> Floats:
        """The weight of the rows of each class."""
        return self.tally_.class_counts.astype(np.float64)

    @cached_property
    def feature_count_(self) -> Floats:
        """The sum of each column in each class, classes × columns."""
        return np.asarray(self.tally_.parts[0].sums, dtype=np.float64)


def prior_rule(model: Any) -> Any:
    """How the priors are estimated, in the words of `priors`."""
    if model.class_prior is not None:
        return model.class_prior
    return "empirical" if model.fit_prior else "uniform"


def check_alpha(given: Any, columns: int, *, force: bool) -> Any:
    """`alpha` as it is used: as given, or raised to 1e-10 unless it is forced."""
    alpha = given
    if not isinstance(given, Real):
        alpha = np.asarray(given, dtype=np.float64)
        if alpha.shape != (columns,):
            raise ParameterError(
                f"When alpha is an array, it should contains `n_features`. Got {alpha.shape[0]} elements instead "
                f"of {columns}."
            )
        if alpha.min() < 0:
            raise ParameterError("All values in alpha must be greater than 0.")
    if np.min(alpha) < _SMALLEST_ALPHA and not force:
        warn_user(
            f"alpha too small will result in numeric errors, setting alpha = {_SMALLEST_ALPHA:.1e}. Use "
            "`force_alpha=True` to keep alpha unchanged."
        )
        return np.maximum(alpha, _SMALLEST_ALPHA)
    return alpha


def find_fault(x: AnyArray, weighing: Weighing) -> Fault | None:
    """The first value that cannot be used, row by row, as the kernels report it."""
    largest = np.finfo(np.float64).max
    with np.errstate(invalid="ignore"):
        kinds = {
            "infinite": np.abs(x) > largest,
            "negative": x < weighing.lowest,
            "outside": x > weighing.highest,
        }
    if not weighing.missing_allowed:
        kinds["missing"] = np.isnan(x)
    found = [(*np.argwhere(wrong)[0].tolist(), kind) for kind, wrong in kinds.items() if wrong.any()]
    if not found:
        return None
    row, column, _ = min(found)
    kind = next(kind for kind, wrong in kinds.items() if wrong[row, column])
    return kind, row, column


def packed_log_probabilities(counts: AnyArray, pseudo: Any, whole: AnyArray, states: int | None = None) -> Floats:
    """log (n + a) − log whole, packed for scoring; all states are equally likely where nothing was counted."""
    if whole.shape[1] == 1 and (whole > 0).all():
        return pack_logs(counts, pseudo, np.asarray(whole[:, 0], dtype=np.float64))
    return pack_classes(log_probabilities(counts, pseudo, whole, states))
