"""The full joint table: Optimal Bayes (Mukund, lecture 15; the first two tables of the Bayesian classifiers note).

    P(j | x_1, …, x_p) ∝ #(class = j, x_1, …, x_p)

No independence is assumed, so a combination must have been seen to be judged; of one that was not, only the prior is
known.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import StrOptions

from deciban.decide import NO_DECISION, Reject, check_loss, finish, least_loss, most_probable
from deciban.errors import ParameterError
from deciban.estimate import MLE, Smoothing, empirical_priors, log_probabilities
from deciban.models.base import BayesClassifier, Form
from deciban.models.cells import Cells, count_cells
from deciban.read import Table, generated_names, read_table
from deciban.tally import Counts, Sample, Tally
from deciban.tally.faults import Fault
from deciban.tally.kernels import Want
from deciban.types import AnyArray, Floats

__all__ = ["JointBayes"]


class JointBayes(BayesClassifier):
    """Optimal Bayes: classify by the counts of the whole row.

    Parameters
    ----------
    smoothing : how the cells of the joint table are smoothed; `MLE()` counts only what was seen
    prior_smoothing : how the class priors are smoothed
    rule : "map", or "ml", which leaves the priors out
    loss : a matrix, truth × decision; the decision of least expected loss is taken
    reject : a `Reject`, or the posterior below which no decision is made: `predict` then gives None
    missing : "error", or "skip": rows with missing values count for the priors only, and a missing value in a row to be
        classified is summed out

    Examples
    --------
    >>> table = JointBayes().fit([["m", "b"], ["g", "q"], ["g", "q"], ["g", "q"]], ["t", "t", "t", "f"])
    >>> table.predict_proba([["g", "q"]]).round(3).tolist()
    [[0.333, 0.667]]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BayesClassifier._parameter_constraints,
        "smoothing": [Smoothing],
        "prior_smoothing": [Smoothing],
        "rule": [StrOptions({"map", "ml"})],
        "loss": ["array-like", None],
        "reject": [Reject, float, None],
    }

    def __init__(
        self,
        *,
        smoothing: Smoothing = MLE(),
        prior_smoothing: Smoothing = MLE(),
        rule: str = "map",
        loss: Any = None,
        reject: Reject | float | None = None,
        missing: str = "error",
    ) -> None:
        self.smoothing = smoothing
        self.prior_smoothing = prior_smoothing
        self.rule = rule
        self.loss = loss
        self.reject = reject
        self.missing = missing

    def predict(self, X: Any) -> AnyArray:
        """The class that the rule chooses; None where the decision is rejected."""
        self._check_fitted()
        reject = Reject(posterior=self.reject) if isinstance(self.reject, float) else self.reject
        posterior = self._score(X, "posterior")
        if self.rule == "ml":
            codes = most_probable(finish(self._likelihood(self._read(X)), self._prior * 0.0, "posterior"), reject)
        elif self.loss is not None:
            codes = least_loss(posterior, check_loss(self.loss, len(self.classes_)), reject)
        else:
            codes = most_probable(posterior, reject)
        if (codes != NO_DECISION).all():
            return self.classes_.take(codes)
        labels = np.empty(len(self.classes_) + 1, dtype=object)  # the last, where NO_DECISION points, stays None
        labels[:-1] = self.classes_
        return labels.take(codes)

    def _read(self, X: Any) -> Table:
        return read_table(X)

    def _accepted(self, tally: Tally) -> Tally:
        part = tally.parts[0] if len(tally.parts) == 1 else None
        if not isinstance(part, Counts) or not all(isinstance(label, tuple) for label in part.variable.labels):
            raise ParameterError("JointBayes takes a tally of one joint table.")
        return tally

    def _names_in(self, tally: Tally) -> tuple[str, ...]:
        return generated_names(len(tally.parts[0].variable.labels[0]))

    def _count(self, data: Table, sample: Sample) -> Tally:
        return sample.tally(count_cells(data, sample, type(self).__name__, missing_allowed=self.missing == "skip"))

    def _estimate(self, tally: Tally, form: Form) -> dict[str, Any]:
        return {
            "class_count_": tally.class_counts.astype(np.float64),
            "class_log_prior_": (prior := empirical_priors(tally.class_counts, self.prior_smoothing)),
            "_prior": prior,
            "_cells": Cells.of(tally.parts[0], form.columns),
        }

    def _scores(self, data: Table, want: Want) -> tuple[AnyArray, Fault | None]:
        for i, column in enumerate(data.columns):
            if self.missing == "error" and column.has_missing:
                rows = [r for r in range(len(column)) if column.value(r) != column.value(r) or column.value(r) is None]
                return np.empty(0), ("missing", rows[0], i)
        return finish(self._prior + self._likelihood(data), self._prior, want), None

    def _likelihood(self, data: Table) -> Floats:
        """log P(row | class): of each row's cell, or of all cells that agree with what is known of it."""
        counts, states = self._cells.counts_of(data)
        size = float(self._cells.size)
        pseudo = self.smoothing.pseudocount(self._cells.size)
        return log_probabilities(counts, pseudo * states[:, None], self._cells.totals + pseudo * size)

    def _column_evidence(self, data: Table) -> Floats:
        """The joint table weighs the row as a whole: its evidence is shared equally by the columns."""
        whole = self._likelihood(data)[:, None, :]
        return np.repeat(whole / self.n_features_in_, self.n_features_in_, axis=1)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags
