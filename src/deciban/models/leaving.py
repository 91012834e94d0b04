"""Leaving one out: what a model would say of each of its own rows if it had not learned it, without a refit.

A tally is a sum over rows, so one row's own part is taken out of it (`Distribution.leave_one_out`).
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from deciban.decide import finish
from deciban.errors import InputError
from deciban.estimate import Smoothing, empirical_priors
from deciban.estimate.distributions.gaps import leave_one_out
from deciban.limits import check_memory
from deciban.models.deciding import DecidingClassifier
from deciban.models.schema import Schema
from deciban.models.weighing import Weighing
from deciban.read import Table, read_target, read_weights
from deciban.tally.leaving import weight_left
from deciban.types import Codes, Floats

__all__ = ["LeavingClassifier"]


class LeavingClassifier(Weighing, DecidingClassifier):
    """`loo_predict_proba`, and calibration on it, for a model of columns with distributions."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **DecidingClassifier._parameter_constraints,
        **Weighing._parameter_constraints,
    }

    priors: Any
    smoothing: Smoothing
    schema_: Schema

    def loo_predict_proba(self, X: Any, y: Any, sample_weight: Any = None) -> Floats:
        """P(class | row) of the rows that were learned, each as if it had not been, without a refit.

        The model must have been fitted on these very rows, with these weights. A row's own counts are taken out of its
        class; the columns' weights stay. `calibrate` fits on such posteriors. They are those of a refit, except that
        `Kernel` columns keep their bandwidths, `Binned` ones by frequency or description length their cuts where the
        column has many values, and `Text` ones the tokens in use where some are dropped, and their α by "loo".
        """
        self._check_fitted()
        data, codes, weights = self._own_rows(X, y, sample_weight)
        if not self._has_learned(codes, weights):
            raise InputError(
                "leaving one out needs the rows that the model was fitted on, all of them, with the weights they had."
            )
        most = max(len(places) for places in self.schema_.by_kind().values())
        check_memory(
            "leaving one out", len(codes), most, len(self.classes_), itemsize=32, advice="Pass fewer rows or columns."
        )
        prior = self._prior_without_own(codes, weights)
        joint = prior.copy()
        for kind, places in self.schema_.by_kind().items():
            parts, columns = [self.tally_.parts[i] for i in places], [data.columns[i] for i in places]
            logs = leave_one_out(kind, parts, columns, (codes, weights), self.smoothing)
            joint += self._weigh(logs, places).sum(axis=1)
        impossible = np.isneginf(joint).all(axis=1)
        joint[impossible] = prior[impossible]
        return finish(joint, self._prior, "posterior")

    def _honest_posterior(self, X: Any, y: Any) -> Floats:
        _, codes, weights = self._own_rows(X, y, None)
        return self.loo_predict_proba(X, y) if self._has_learned(codes, weights) else self.predict_proba(X)

    def _own_rows(self, X: Any, y: Any, sample_weight: Any) -> tuple[Table, Codes, Floats]:
        """The rows, their places among the classes, and their weights."""
        data = self._read(X)
        self._check_columns(data)
        target = read_target(y, len(data))
        weights = read_weights(sample_weight, len(data))
        codes = self.tally_.classes.encode(target.classes.labels)[target.codes]
        return data, codes, np.ones(len(data)) if weights is None else weights

    def _has_learned(self, codes: Codes, weights: Floats) -> bool:
        """True where the classes weigh what the tally counted."""
        counts = np.bincount(codes, weights, len(self.classes_))
        return len(counts) == len(self.classes_) and np.allclose(counts, self.tally_.class_counts, rtol=1e-9)

    def _prior_without_own(self, codes: Codes, weights: Floats) -> Floats:
        """log priors of each row, from the class counts without it."""
        if not isinstance(self.priors, Smoothing) and not (isinstance(self.priors, str) and self.priors == "empirical"):
            return np.tile(self._prior, (len(codes), 1))
        own = np.zeros((len(codes), len(self.classes_)))
        own[np.arange(len(codes)), codes] = weights
        smoothing = self.priors if isinstance(self.priors, Smoothing) else None
        return empirical_priors(weight_left(self.tally_.class_counts, own), smoothing)
