"""Bernoulli naive Bayes: each term is present or absent (Culotta, CS429).

    P(k | j) = (n_jk + α) / (n_j + 2α),  log P(x | j) = Σ_k x_k·log P(k | j) + (1 − x_k)·log P(not k | j)

The counts of rows with the term and of rows without it are both smoothed, so that no logarithm of a difference is
taken.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from deciban.decide import finish
from deciban.errors import InputError
from deciban.estimate import log_probabilities
from deciban.estimate.columns.formulas import Formula, Presence, StateLogs
from deciban.models.drop_ins.discrete import DiscreteNB, packed_log_probabilities
from deciban.models.export.forms import ClosedForm, NamedFormula
from deciban.models.export.onnx.export import to_onnx
from deciban.models.export.onnx.scores import bernoulli_scores
from deciban.models.form import Form
from deciban.models.options import SkipOrError
from deciban.models.parts.generative import draw_classes, scored_joint
from deciban.models.parts.terms import term_probabilities
from deciban.read import Matrix
from deciban.tallies import Tally, Terms
from deciban.tallies.faults import Fault
from deciban.tallies.kernels import Want, Weighing, pack_presence, score_linear
from deciban.types import AnyArray, Codes, Floats, Ints

__all__ = ["BernoulliNB"]

_LARGEST = float(np.finfo(np.float64).max)


class BernoulliNB(DiscreteNB):
    """Bernoulli naive Bayes: each term is present or absent. A drop-in for ``sklearn.naive_bayes.BernoulliNB``.

    Beyond scikit-learn: missing values, new classes later on, `merge`, `forget`, `evidence` and `explain`. No alpha,
    however small, gives NaN.

    Parameters
    ----------
    alpha : float or array of shape (n_features,)
        The pseudo-count of presence and of absence; 1 is Laplace's law.
    force_alpha : bool
        Whether an alpha below 1e-10 is used as given.
    binarize : float, optional
        A value above it is 1, else 0; None when the values lie in [0, 1] already.
    fit_prior : bool
        Whether class priors are relative frequencies; uniform when not.
    class_prior : array, optional
        The probabilities of the classes.
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
        The weight of the rows of each class in which a term is present.
    feature_log_prob_ : array of shape (n_classes, n_features)
        log P(term is present | class).
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : array
        The names of the columns, where the rows had names.

    See Also
    --------
    MultinomialNB : For counts of terms.
    TextNB : For documents, without a vectorizer.

    Examples
    --------
    >>> model = BernoulliNB().fit([[1, 1, 0], [0, 1, 1]], ["sport", "music"])
    >>> model.predict([[0, 0, 1]]).tolist()
    ['music']
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **DiscreteNB._parameter_constraints,
        "binarize": [None, Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        *,
        alpha: Any = 1.0,
        force_alpha: bool = True,
        binarize: float | None = 0.0,
        fit_prior: bool = True,
        class_prior: Any = None,
        missing: SkipOrError = "error",
    ) -> None:
        self.alpha, self.force_alpha = alpha, force_alpha
        self.binarize = binarize
        self.fit_prior, self.class_prior = fit_prior, class_prior
        self.missing = missing

    to_onnx, term_probabilities = to_onnx, term_probabilities
    _onnx_scores = bernoulli_scores

    def _weighing(self) -> Weighing:
        skips = self.missing == "skip"
        if self.binarize is None:
            return Weighing(highest=1.0, missing_allowed=skips)
        return Weighing(lowest=-_LARGEST, missing_allowed=skips, threshold=float(self.binarize))

    def _estimate(self, tally: Tally, form: Form) -> dict[str, Any]:
        alpha = self._check_alpha(form.columns)
        terms, classes = tally.parts[0], len(tally.class_counts)
        prior = self._log_prior(tally)
        if self.missing == "error" and np.min(alpha) > 0:  # in one pass
            weight, none_present = pack_presence(terms.sums, alpha, np.asarray(terms.known[:, 0], dtype=np.float64))
            return {
                "class_log_prior_": prior,
                "_prior": prior,
                "_base": prior + none_present,
                "_weight": weight,
                "_at_missing": None,
                "_sure": None,
            }
        present = packed_log_probabilities(terms.sums, alpha, _whole(terms, alpha), states=2)
        absent, sure = self._log_absent(tally, alpha)
        base = prior + absent.sum(axis=0)[:classes]
        present -= absent
        return {
            "class_log_prior_": prior,
            "_prior": prior,
            "_base": base,
            "_weight": present,
            "_at_missing": -absent if self.missing == "skip" else None,
            "_sure": sure if sure.any() else None,
        }

    def _log_absent(self, tally: Tally, alpha: Any) -> tuple[Floats, AnyArray]:
        """log P(not k | j), packed, with 0 for a term that all rows of a class have; and where that is so."""
        terms, classes = tally.parts[0], len(tally.class_counts)
        absent = packed_log_probabilities(_absent(terms), alpha, _whole(terms, alpha), states=2)
        sure = absent[:, :classes] == -np.inf if np.min(alpha) == 0 else np.zeros((0, classes), dtype=bool)
        if sure.any():
            absent[:, :classes][sure] = 0.0
        return absent, sure

    def _scores(self, data: Matrix, want: Want) -> tuple[AnyArray, Fault | None]:
        if self._sure is None:
            return super()._scores(data, want)
        joint, fault = super()._scores(data, "joint")
        if fault is None:
            joint[self._lacks_sure(data)] = -np.inf
        return finish(joint, self._prior, want), fault

    def _lacks_sure(self, data: Matrix) -> AnyArray:
        """True where a row lacks a term that all rows of a class have, so that P(row | class) is 0: rows × classes."""
        zero = np.zeros(len(self.classes_))
        weight = np.zeros_like(self._weight)
        weight[:, : len(zero)] = self._sure
        at_missing = weight if self.missing == "skip" else None
        found, _ = score_linear(data.for_kernel(), zero, zero, weight, "joint", self._weighing(), at_missing)
        return found < self._sure.sum(axis=0) - 1e-9

    def _joint(self, data: Matrix) -> Floats:
        if self.binarize is None:
            self._check_presence(data)
        return scored_joint(self, data)

    def _check_presence(self, data: Matrix) -> None:
        x = data.dense()
        wrong = np.argwhere((x != 0) & (x != 1) & ~np.isnan(x))
        if len(wrong):
            row, column = wrong[0].tolist()
            name, value = self._names()[column], float(x[row, column])
            raise InputError(f"column {name!r} (row {row}) is {value:g}: a term that is present or not is 0 or 1.")

    def _free_parameters(self) -> int:
        return len(self.classes_) * self.n_features_in_

    def _draw(self, n: int, rng: np.random.Generator) -> tuple[Codes, list[Ints]]:
        y, present = draw_classes(self, n, rng), np.exp(self.feature_log_prob_)
        return y, [(rng.random(n) < present[y, i]).astype(np.int64) for i in range(self.n_features_in_)]

    def _start(self) -> Floats:
        return self._prior

    def _closed_form(self) -> ClosedForm:
        absent, present = self._absent_logs(), self.feature_log_prob_
        pairs = zip(self._names(), absent.T, present.T, strict=True)
        columns = [NamedFormula(name, self._formula(gone, here)) for name, gone, here in pairs]
        return ClosedForm(self._start(), self._prior, columns)

    def _formula(self, absent: Floats, present: Floats) -> Formula:
        """The log-likelihood of a column: by its two states, or of a share between 0 and 1."""
        nothing = np.zeros(len(absent))
        if self.binarize is None:
            return replace(self._curve(present, nothing), complement=absent)
        missing = nothing if self.missing == "skip" else None
        return StateLogs(Presence(float(self.binarize)), np.stack([absent, present]), nothing, missing)

    def _column_evidence(self, data: Matrix) -> Floats:
        absent = self._absent_logs()
        x = self._checked(data)
        amount = self._weighing().amount(np.where(np.isnan(x), 0.0, x))[:, :, None]
        with np.errstate(invalid="ignore"):
            here = np.where(amount == 0, 0.0, amount * self.feature_log_prob_.T)  # 0·log 0 is 0
            gone = np.where(amount == 1, 0.0, (1 - amount) * absent.T)
        return np.where(np.isnan(x)[:, :, None], 0.0, here + gone)

    def _absent_logs(self) -> Floats:
        """log P(absent | class), classes × columns."""
        terms, alpha = self.tally_.parts[0], self._check_alpha()
        return log_probabilities(_absent(terms), alpha, _whole(terms, alpha), states=2)

    @cached_property
    def feature_log_prob_(self) -> Floats:
        """log P(term is present | class), classes × columns."""
        terms, alpha = self.tally_.parts[0], self._check_alpha()
        return log_probabilities(terms.sums, alpha, _whole(terms, alpha), states=2)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags


def _absent(terms: Terms) -> Floats:
    """The weight of the rows without each term."""
    absent = terms.known - terms.sums
    return np.maximum(absent, 0.0, out=absent)


def _whole(terms: Terms, alpha: Any) -> Floats:
    """The weight of the rows whose value is known, with the pseudo-counts of presence and absence."""
    return terms.known + 2.0 * np.asarray(alpha, dtype=np.float64)
