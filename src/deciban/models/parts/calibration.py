"""Calibration of a fitted model's posteriors: on new rows, or on the learned rows by leave-one-out.

`calibrate` is a method of the classifiers that have it as an attribute. A model's `_honest_posterior` returns the
posteriors to calibrate on; `honest_posterior` is that method for models with leave-one-out.
"""

from __future__ import annotations

from copy import copy
from typing import Any, Literal, TypeVar

from deciban.decide import fit_calibration
from deciban.errors import InputError, ParameterError
from deciban.models.base import BayesClassifier
from deciban.models.parts.leave_one_out import class_codes, loo_posterior, loo_predict_proba
from deciban.models.parts.shared_rows import warn_of_shared_rows
from deciban.read import split_target
from deciban.tallies.same import is_same_sample
from deciban.types import Floats

__all__ = ["calibrate", "calibrate_left_out", "honest_posterior", "plain_posterior"]

Model = TypeVar("Model", bound=BayesClassifier)


def calibrate(
    self: Model,
    X: Any,
    y: Any,
    *,
    method: Literal["temperature", "isotonic"] = "temperature",
    learned: bool | Literal["auto"] = "auto",
    sample_weight: Any = None,
) -> Model:
    """Fit a calibration, which is then applied to all posteriors. Learning more rows removes it.

    Parameters
    ----------
    X : array, sparse matrix or frame of shape (n_samples, n_features)
        All rows that the model has learned, or rows that it has not learned.
    y : array of shape (n_samples,), or str
        Their labels; or the name of the column of X with the labels.
    method : {"temperature", "isotonic"}
        "temperature": P(c | x)^(1/T), divided by the sum over classes. "isotonic": a monotone function for each class,
        never 0 or 1.
    learned : bool or "auto"
        Whether these are the rows that were learned. True: each row is predicted as if it had not been learned (exact
        leave-one-out). False: they are predicted by the model as it is, which is overconfident on rows that it has
        learned. "auto": True where the tally of these rows equals the model's, in all counts, sums and moments, else
        False. Do not pass a sample of which only some rows were learned; "auto" warns where the values show it, which
        needs a column of many distinct labels or binned numbers.
    sample_weight : array of shape (n_samples,), optional
        The weights of the rows; for learned rows, the weights that they were learned with.

    Returns
    -------
    self : the model
        `calibration_` is the fitted calibration.

    Raises
    ------
    InputError
        `learned` is True, and the rows are not those of `tally_`; or all weights are 0.

    Examples
    --------
    A column and its copy count twice in naive Bayes, so that it is overconfident.

    >>> import deciban as db
    >>> X, y = (
    ...     [["sun", "sun"]] * 4 + [["rain", "rain"]] * 4,
    ...     ["play"] * 3 + ["stay"] + ["play"] + ["stay"] * 3,
    ... )
    >>> model = db.NaiveBayes(weights=None).fit(X, y)
    >>> sure = model.predict_proba([["sun", "sun"]])[0, 0]
    >>> bool(model.calibrate(X, y).predict_proba([["sun", "sun"]])[0, 0] < sure)
    True
    """
    self._check_fitted()
    if learned not in (True, False, "auto"):
        raise ParameterError(f"learned is True, False or 'auto', not {learned!r}.")
    X, y, _ = split_target(X, y)
    codes, weights = class_codes(self, X, y, sample_weight)
    if weights is not None and not weights.any():
        raise InputError("all sample weights are zero: there is nothing to calibrate on.")
    posterior = self._honest_posterior(X, y, sample_weight, learned)
    self.calibration_ = fit_calibration(method, posterior, codes, weights)
    return self


def calibrate_left_out(
    model: Model,
    X: Any,
    y: Any,
    *,
    method: Literal["temperature", "isotonic"] = "temperature",
    sample_weight: Any = None,
) -> Model:
    """Fit a calibration on learned rows, all of them or some that are spread over all, by exact leave-one-out.

    With all rows it is ``model.calibrate(X, y, learned=True)``.
    """
    X, y, _ = split_target(X, y)
    codes, weights = class_codes(model, X, y, sample_weight)
    model.calibration_ = fit_calibration(method, model._left_out_posterior(X, y, sample_weight), codes, weights)
    return model


def honest_posterior(self: BayesClassifier, X: Any, y: Any, sample_weight: Any, learned: bool | str) -> Floats:
    """Uncalibrated posteriors of rows as if they had not been learned; those of new rows are plain predictions."""
    if learned is True:
        return loo_predict_proba(self, X, y, sample_weight=sample_weight)
    if learned == "auto":
        batch, _ = self._tally_of(X, y, sample_weight, self._form)
        if is_same_sample(self.tally_, batch):
            return loo_posterior(self, X, y, sample_weight)
        warn_of_shared_rows(self.tally_, batch)
    return plain_posterior(self, X)


def plain_posterior(model: BayesClassifier, X: Any) -> Floats:
    """Posteriors without calibration."""
    uncalibrated = copy(model)
    uncalibrated.__dict__.pop("calibration_", None)
    return uncalibrated.predict_proba(X)
