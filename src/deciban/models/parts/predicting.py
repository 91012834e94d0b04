"""Predictions for many rows: methods of all classifiers of tables.

The functions are methods of `BayesClassifier`, which has them as attributes.
"""

from __future__ import annotations

from typing import Any

from deciban.explain import Evidence
from deciban.limits import check_memory
from deciban.models.parameters import sees_fitted
from deciban.models.parts.decider import labels_of
from deciban.types import AnyArray, Floats

__all__ = ["evidence", "predict", "predict_joint_log_proba", "predict_log_proba", "predict_proba"]


@sees_fitted
def predict(self: Any, X: Any) -> AnyArray:
    """Predict the class of each row.

    It is the class with the largest posterior, the first of several, unless `rule`, `loss` or `reject` of the model
    set another decision.

    Parameters
    ----------
    X : array, sparse matrix or frame of shape (n_samples, n_features)
        The rows, with the columns that the model was fitted on. The column of the labels may be among them, where the
        model was fitted with its name.

    Returns
    -------
    labels : array of shape (n_samples,)
        None where the decision is rejected.
    """
    return labels_of(self._score(X, "best"), self.classes_)


@sees_fitted
def predict_proba(self: Any, X: Any) -> Floats:
    """Compute the posteriors P(class | row).

    Parameters
    ----------
    X : array, sparse matrix or frame of shape (n_samples, n_features)
        The rows; for a model of texts, the documents.

    Returns
    -------
    posteriors : array of shape (n_samples, n_classes)
        The classes are in the order of `classes_`. They are calibrated where the model is.
    """
    return self._score(X, "posterior")


@sees_fitted
def predict_log_proba(self: Any, X: Any) -> Floats:
    """Compute log P(class | row).

    Parameters
    ----------
    X : array, sparse matrix or frame of shape (n_samples, n_features)
        The rows; for a model of texts, the documents.

    Returns
    -------
    log_posteriors : array of shape (n_samples, n_classes)
        The natural logarithms of what `predict_proba` returns.
    """
    return self._score(X, "log_posterior")


@sees_fitted
def predict_joint_log_proba(self: Any, X: Any) -> Floats:
    """Compute log P(class, row): the log prior of each class and the log-likelihoods of the columns, added.

    It is not normalized, and not calibrated.

    Parameters
    ----------
    X : array, sparse matrix or frame of shape (n_samples, n_features)
        The rows; for a model of texts, the documents.

    Returns
    -------
    log_joint : array of shape (n_samples, n_classes)
        In nats.
    """
    return self._score(X, "joint")


def evidence(self: Any, X: Any) -> Evidence:
    """Compute the log-probability that each column adds for each class.

    Parameters
    ----------
    X : array, sparse matrix or frame of shape (n_samples, n_features)
        The rows; for a model of texts, the documents.

    Returns
    -------
    Evidence
        An array of rows × columns × classes, with the log priors. Their sum over columns is
        `predict_joint_log_proba`.

    See Also
    --------
    explain : The same for one row, as a table.

    Examples
    --------
    >>> import deciban as db
    >>> model = db.BernoulliNB().fit([[1, 1], [1, 0], [0, 1]], ["spam", "spam", "ham"])
    >>> model.evidence([[1, 0]]).weights_db("spam", "ham").round(1).tolist()
    [[3.5, 1.8]]
    """
    data = self._features(X)
    self._check_columns(data)
    advice = "Pass fewer rows at a time."
    check_memory("the evidence, rows × columns × classes,", *data.shape, len(self.classes_), advice=advice)
    return self._evidence_of(data, self._start())
