"""Leave-one-out: what a model would predict for each of its own rows if it had not learned it, without a refit.

A tally is a sum over rows, so the counts of one row can be subtracted from it. Calibration uses this, because a model
is too confident of rows that it has learned. A model provides log P(row | class) without each row's own counts
(`_left_out_likelihood`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from deciban.decide import finish
from deciban.errors import InputError
from deciban.estimate import Smoothing, empirical_priors
from deciban.estimate.priors import is_estimated
from deciban.models.base import BayesClassifier
from deciban.read import plain, read_target, read_weights, split_target
from deciban.tallies.leave_one_out import weight_left
from deciban.tallies.same import is_same_sample
from deciban.types import AnyArray, Codes, Floats

__all__ = [
    "class_codes",
    "class_counts_without_own",
    "left_out_posterior",
    "loo_posterior",
    "loo_predict_proba",
    "prior_of_rows",
    "prior_without_own",
]


def loo_predict_proba(self: BayesClassifier, X: Any, y: Any, *, sample_weight: Any = None) -> Floats:
    """Compute P(class | row) of the learned rows, each as if it had not been learned, without a refit.

    Each row's own counts are subtracted from those of its class.

    Parameters
    ----------
    X : array, sparse matrix or frame of shape (n_samples, n_features)
        The rows that the model was fitted on, all of them.
    y : array of shape (n_samples,), or str
        Their labels; or the name of the column of X with the labels.
    sample_weight : array of shape (n_samples,), optional
        The weights that they were learned with.

    Returns
    -------
    posteriors : array of shape (n_samples, n_classes)
        The leave-one-out posteriors, without any calibration.

    Raises
    ------
    InputError
        The rows are not those of `tally_`.

    Notes
    -----
    The posteriors equal those of a refit, except for what is chosen from all rows: the tree of `TAN`, the net of
    `BayesNetClassifier`, the cuts, strengths and temperatures of these and of `AODE`, the columns' weights, the
    bandwidths of `Kernel` columns, the cuts of `Binned` columns by frequency or description length where the column has
    more than a few values, and of `Text` columns the tokens in use where some are dropped, and their α by "loo".

    Examples
    --------
    >>> import deciban as db
    >>> X, y = [["sun"], ["sun"], ["rain"], ["rain"]], ["play", "play", "stay", "stay"]
    >>> model = db.NaiveBayes(weights=None).fit(X, y)
    >>> (
    ...     model.predict_proba(X)[:, 0].round(2).tolist(),
    ...     model.loo_predict_proba(X, y)[:, 0].round(2).tolist(),
    ... )
    ([0.75, 0.75, 0.25, 0.25], [0.57, 0.57, 0.43, 0.43])
    """
    self._check_fitted()
    X, y, _ = split_target(X, y)
    batch, _ = self._tally_of(X, y, sample_weight, self._form)
    if not is_same_sample(self.tally_, batch):
        raise InputError(
            "leave-one-out needs the rows that the model was fitted on, all of them, with the weights they had."
        )
    return loo_posterior(self, X, y, sample_weight)


def left_out_posterior(model: BayesClassifier, X: Any, y: Any, sample_weight: Any = None) -> Floats:
    """P(class | row) of learned rows, all of them or some, each as if it had not been learned, and calibrated.

    That the rows were learned is not checked: the counts of a row that was not learned are subtracted all the same.
    """
    model._check_fitted()
    posterior = model._left_out_posterior(X, y, sample_weight)
    calibration = model._calibration()
    return posterior if calibration is None else calibration.apply(posterior)


def loo_posterior(model: BayesClassifier, X: Any, y: Any, sample_weight: Any) -> Floats:
    """The leave-one-out posteriors of rows that are known to be those of the model."""
    codes, given = class_codes(model, X, y, sample_weight)
    weights = np.ones(len(codes)) if given is None else given
    prior = prior_without_own(model._prior_rule(), model._prior, model.tally_.class_counts, codes, weights)
    joint = prior + model._left_out_likelihood(model._features(X), codes, weights)
    impossible = np.isneginf(joint).all(axis=1)
    joint[impossible] = prior[impossible]
    return finish(joint, model._prior, "posterior")


def class_codes(model: BayesClassifier, X: Any, y: Any, sample_weight: Any) -> tuple[Codes, Floats | None]:
    """The code of each row's class, which must be one of the model's, and the weights of the rows."""
    rows = model._features(X).shape[0]
    target, weights = read_target(y, rows), read_weights(sample_weight, rows)
    codes = model.tally_.classes.encode(target.classes.labels)[target.codes]
    unknown = codes == len(model.classes_)
    if unknown.any():
        label = target.classes.labels[target.codes[unknown][0]]
        raise InputError(f"y has the class {plain(label)!r}, which the model has not learned.")
    return codes, weights


def class_counts_without_own(class_counts: AnyArray, codes: Codes, weights: Floats) -> Floats:
    """The class counts without each row: rows × classes."""
    own = np.zeros((len(codes), len(class_counts)))
    own[np.arange(len(codes)), codes] = weights
    return weight_left(class_counts, own)


def prior_without_own(rule: Any, prior: Floats, class_counts: AnyArray, codes: Codes, weights: Floats) -> Floats:
    """The log priors of each row, from the class counts without it: rows × classes.

    `prior` are those of all rows, which stay where the `rule` does not depend on the counts.
    """
    if not is_estimated(rule):
        return np.tile(prior, (len(codes), 1))
    return prior_of_rows(rule, class_counts, codes, weights)


def prior_of_rows(rule: Any, class_counts: AnyArray, codes: Codes, weights: Floats) -> Floats:
    """The log priors to learn weights and temperatures with: the class shares among the other rows, rows × classes.

    Priors that are given, or uniform, say how frequent the classes will be in rows to be classified. With them, what is
    learned would compensate for the difference from the shares of the classes in the learned rows.
    """
    counts = class_counts_without_own(class_counts, codes, weights)
    return empirical_priors(counts, rule if isinstance(rule, Smoothing) else None)
