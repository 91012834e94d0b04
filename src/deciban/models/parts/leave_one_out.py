"""Leave-one-out: what a model would predict for each of its own rows if it had not learned it, without a refit.

A tally is a sum over rows, so one row's own part is taken out of it. Calibration rests on this: a model is too sure of
rows that it has learned.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from deciban.decide import finish
from deciban.errors import InputError
from deciban.estimate import Smoothing, empirical_priors
from deciban.models.parts.deciding import DecidingClassifier
from deciban.models.parts.sharing import warn_of_shared_rows
from deciban.read import split_target
from deciban.tallies.leave_one_out import weight_left
from deciban.tallies.same import is_same_sample
from deciban.types import Codes, Floats

__all__ = ["LeavingClassifier"]


class LeavingClassifier(DecidingClassifier):
    """`loo_predict_proba`, and calibration on it, for a model that can take a row's own counts out."""

    priors: Any

    @abstractmethod
    def _left_out_likelihood(self, data: Any, y: Codes, weights: Floats) -> Floats:
        """log P(row | class) of learned rows, each as if it had not been: rows × classes."""

    def loo_predict_proba(self, X: Any, y: Any, sample_weight: Any = None) -> Floats:
        """P(class | row) of the rows that were learned, each as if it had not been, without a refit.

        The model must have been fitted on these very rows, with these weights. A row's own counts are taken out of its
        class. `calibrate` fits on such posteriors. They are those of a refit, except for what is chosen from all rows:
        the tree of `TAN`, the net of `BayesNetClassifier` and the cuts of both, the columns' weights, the bandwidths of
        `Kernel` columns, the cuts of `Binned` ones by frequency or description length where the column has many values,
        and of `Text` ones the tokens in use where some are dropped, and their α by "loo".
        """
        self._check_fitted()
        X, y, _ = split_target(X, y)
        batch, _ = self._tally_of(X, y, sample_weight, self._form)
        if not is_same_sample(self.tally_, batch):
            raise InputError(
                "leave-one-out needs the rows that the model was fitted on, all of them, with the weights they had."
            )
        return self._left_out_posterior(X, y, sample_weight)

    def _honest_posterior(self, X: Any, y: Any, sample_weight: Any, learned: bool | str) -> Floats:
        if learned is True:
            return self.loo_predict_proba(X, y, sample_weight)
        if learned == "auto":
            batch, _ = self._tally_of(X, y, sample_weight, self._form)
            if is_same_sample(self.tally_, batch):
                return self._left_out_posterior(X, y, sample_weight)
            warn_of_shared_rows(self.tally_, batch)
        return super()._honest_posterior(X, y, sample_weight, learned)

    def _left_out_posterior(self, X: Any, y: Any, sample_weight: Any) -> Floats:
        codes, given = self._read_rows(X, y, sample_weight)
        weights = np.ones(len(codes)) if given is None else given
        prior = self._prior_without_own(codes, weights)
        joint = prior + self._left_out_likelihood(self._features(X), codes, weights)
        impossible = np.isneginf(joint).all(axis=1)
        joint[impossible] = prior[impossible]
        return finish(joint, self._prior, "posterior")

    def _prior_rule(self) -> Any:
        """The parameter that says how class priors are estimated."""
        return self.priors

    def _prior_without_own(self, codes: Codes, weights: Floats) -> Floats:
        """log priors of each row, from the class counts without it."""
        rule = self._prior_rule()
        if not isinstance(rule, Smoothing) and not (isinstance(rule, str) and rule == "empirical"):
            return np.tile(self._prior, (len(codes), 1))
        return empirical_priors(
            self._classes_without_own(codes, weights), rule if isinstance(rule, Smoothing) else None
        )

    def _classes_without_own(self, codes: Codes, weights: Floats) -> Floats:
        """The class counts without each row: rows × classes."""
        own = np.zeros((len(codes), len(self.classes_)))
        own[np.arange(len(codes)), codes] = weights
        return weight_left(self.tally_.class_counts, own)
