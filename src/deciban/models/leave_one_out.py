"""Leave-one-out: what a model would predict for each of its own rows if it had not learned it, without a refit.

A tally is a sum over rows, so the counts of one row can be subtracted from it. Calibration uses this, because a model
is too confident of rows that it has learned. A model provides log P(row | class) without each row's own counts
(`_left_out_likelihood`).

Calibration of a fitted model's posteriors: on new rows, or on the learned rows by leave-one-out.

Whether a sample contains rows that a model has learned, judged by how many of its values are new.

Among rows that were not learned, the expected share with a value that the model has not counted is, by the estimate of
Good and Turing,

    n_1 / n,    n_1 the number of values that were counted once, n the number of rows.

A sample with far fewer new values contains rows that were learned (Good, 1953).
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from typing import Any, Literal, Self

import numpy as np
import scipy

from deciban.decide import finish, fit_calibration
from deciban.errors import DecibanWarning, InputError, ParameterError, warn_user
from deciban.estimate import Smoothing, empirical_priors
from deciban.estimate.smoothing import is_estimated
from deciban.models.base import BayesClassifier
from deciban.read import plain, read_target, read_weights, split_target
from deciban.tallies import Crossed, Tally, is_same_sample, weight_left
from deciban.types import AnyArray, ArrayLike, Codes, Floats, LabelsLike

__all__ = [
    "CalibratedClassifier",
    "LeaveOneOut",
    "calibrate_left_out",
    "class_codes",
    "class_counts_without_own",
    "left_out_posterior",
    "plain_posterior",
    "prior_of_rows",
    "prior_without_own",
    "warn_of_shared_rows",
]


class CalibratedClassifier(BayesClassifier):
    """A classifier whose posteriors can be calibrated: `_honest_posterior` returns those to calibrate on."""

    def calibrate(
        self,
        X: Any,
        y: LabelsLike | None,
        *,
        method: Literal["temperature", "isotonic"] = "temperature",
        learned: bool | Literal["auto"] = "auto",
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Fit a calibration, which is then applied to all posteriors. Learning more rows removes it.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features)
            All rows that the model has learned, or rows that it has not learned.
        y : array of shape (n_samples,), or str
            Their labels; or the name of the column of X with the labels.
        method : {"temperature", "isotonic"}
            "temperature": P(c | x)^(1/T), divided by the sum over classes. "isotonic": a monotone function for each
            class, never 0 or 1.
        learned : bool or "auto"
            Whether these are the rows that were learned. True: each row is predicted as if it had not been learned
            (exact leave-one-out). False: they are predicted by the model as it is, which is overconfident on rows that
            it has learned. "auto": True where the tally of these rows equals the model's, in all counts, sums and
            moments, else False. Do not pass a sample of which only some rows were learned; "auto" warns where the
            values show it, which needs a column of many distinct labels or binned numbers.
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


class LeaveOneOut(CalibratedClassifier):
    """A classifier that predicts each of its own rows as if it had not learned it (`_left_out_likelihood`)."""

    def loo_predict_proba(self, X: Any, y: LabelsLike | None, *, sample_weight: ArrayLike | None = None) -> Floats:
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
        The posteriors equal those of a refit, except for what is chosen from all rows: the tree of `TAN`,
        the net of `BayesNetClassifier`, the cuts, strengths and temperatures of these and of `AODE`, the columns'
        weights, the bandwidths of `Kernel` columns, the cuts of `Binned` columns by frequency or description length
        where the column has more than a few values, and of `Text` columns the tokens in use where some are dropped, and
        their α by "loo".

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
        batch = self._tally_of(X, y, sample_weight)
        if not is_same_sample(self.tally_, batch):
            raise InputError(
                "leave-one-out needs the rows that the model was fitted on, all of them, with the weights they had."
            )
        return self._left_out_posterior(X, y, sample_weight)

    def _left_out_posterior(self, X: Any, y: LabelsLike | None, sample_weight: ArrayLike | None) -> Floats:
        """The leave-one-out posteriors of rows that are known to be those of the self."""
        codes, given = class_codes(self, X, y, sample_weight)
        weights = np.ones(len(codes)) if given is None else given
        prior = prior_without_own(self._prior_rule(), self._prior, self.tally_.class_counts, codes, weights)
        joint = prior + self._left_out_likelihood(self._features(X), codes, weights)
        impossible = np.isneginf(joint).all(axis=1)
        joint[impossible] = prior[impossible]  # as in predict_proba: evidence against all classes is none
        return finish(joint, self._prior, "posterior")

    def _honest_posterior(
        self, X: Any, y: LabelsLike | None, sample_weight: ArrayLike | None, learned: bool | str
    ) -> Floats:
        """Uncalibrated posteriors of rows as if they had not been learned; those of new rows are plain predictions."""
        if learned is True:
            return self.loo_predict_proba(X, y, sample_weight=sample_weight)
        if learned == "auto":
            batch = self._tally_of(X, y, sample_weight)
            if is_same_sample(self.tally_, batch):
                return self._left_out_posterior(X, y, sample_weight)
            warn_of_shared_rows(self.tally_, batch)
        return plain_posterior(self, X)


def left_out_posterior(
    model: BayesClassifier, X: Any, y: LabelsLike | None, sample_weight: ArrayLike | None = None
) -> Floats:
    """P(class | row) of learned rows, all of them or some, each as if it had not been learned, and calibrated.

    That the rows were learned is not checked: the counts of a row that was not learned are subtracted all the same.
    """
    model._check_fitted()
    posterior = model._left_out_posterior(X, y, sample_weight)
    calibration = model._calibration()
    return posterior if calibration is None else calibration.apply(posterior)


def class_codes(
    model: BayesClassifier, X: Any, y: LabelsLike | None, sample_weight: ArrayLike | None
) -> tuple[Codes, Floats | None]:
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


def calibrate_left_out(
    model: BayesClassifier,
    X: Any,
    y: LabelsLike | None,
    *,
    method: Literal["temperature", "isotonic"] = "temperature",
    sample_weight: ArrayLike | None = None,
) -> BayesClassifier:
    """Fit a calibration on learned rows, all of them or some that are spread over all, by exact leave-one-out.

    With all rows it is ``model.calibrate(X, y, learned=True)``.
    """
    X, y, _ = split_target(X, y)
    codes, weights = class_codes(model, X, y, sample_weight)
    model.calibration_ = fit_calibration(method, model._left_out_posterior(X, y, sample_weight), codes, weights)
    return model


def plain_posterior(model: BayesClassifier, X: Any) -> Floats:
    """Posteriors without calibration."""
    uncalibrated = copy(model)
    uncalibrated.__dict__.pop("calibration_", None)
    return uncalibrated.predict_proba(X)


_IMPROBABLE = 1e-6
"""A warning that is wrong once in a million calls is worth reading."""


def warn_of_shared_rows(learned: Tally, sample: Tally) -> None:
    """Warn where the column with the most values that occur once has improbably few new values in the sample."""
    columns = [
        (name, _expected_new(counted, given), float(given[counted == 0].sum()))
        for name, counted, given in _columns(learned, sample)
    ]
    name, expected, new = max(columns, key=lambda column: column[1], default=("", 0.0, 0.0))
    if expected > 0 and scipy.special.pdtr(new, expected) < _IMPROBABLE:
        warn_user(
            f"some of these rows seem to have been learned: column {name!r} has {new:g} values that the model has not "
            f"seen, where about {expected:.0f} are expected in new rows. Calibrate on all learned rows or on new rows "
            "only; learned=False stops this warning.",
            DecibanWarning,
        )


def _expected_new(counted: AnyArray, given: AnyArray) -> float:
    """The expected number of given rows with a new value (Good and Turing); 0 where weights are not whole numbers."""
    whole = float(counted.sum())
    is_counts = whole > 0 and not (counted % 1).any() and not (given % 1).any()
    return float(given.sum()) * float((counted == 1).sum()) / whole if is_counts else 0.0


def _columns(learned: Tally, sample: Tally) -> Iterator[tuple[str, AnyArray, AnyArray]]:
    """For each column of counted values: how often each value was learned, and how often it is in the sample."""
    for part, other in zip(_single(learned), _single(sample), strict=True):
        if hasattr(part, "table") and hasattr(part, "_aligned"):
            a, b = part._aligned(other)
            yield part.names[0], np.asarray(a.table.sum(axis=0)), np.asarray(b.table.sum(axis=0))


def _single(tally: Tally) -> list[Any]:
    """The parts of a tally, one for each column."""
    parts = [getattr(part, "part", part) for part in tally.parts]
    return [one for part in parts for one in (part.counts if isinstance(part, Crossed) else (part,))]
