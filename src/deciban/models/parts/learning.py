"""Learning and forgetting rows: methods of all classifiers of tables.

A model is a function of its tally, so it learns by adding counts and forgets by subtracting them. The functions are
methods of `BayesClassifier`, which has them as attributes.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from deciban.errors import ColumnMismatchError, InputError, ParameterError
from deciban.read import Variable, read_labels
from deciban.tallies import Tally
from deciban.turns import turn

__all__ = ["check_weight", "check_within", "fit", "forget", "known_classes", "merge", "partial_fit"]

Model = TypeVar("Model")


def fit(self: Model, X: Any, y: Any = None, sample_weight: Any = None) -> Model:
    """Count the rows and estimate the model. What was learned before is forgotten.

    Parameters
    ----------
    X : array, sparse matrix or frame of shape (n_samples, n_features)
        The rows: a NumPy array, a SciPy sparse matrix, a list of rows, a mapping of names to columns, or a pandas,
        polars or Arrow table.
    y : array of shape (n_samples,), or str
        The labels; or the name of the column of X with the labels.
    sample_weight : array of shape (n_samples,), optional
        How many rows each row stands for; none is negative. 1 each when None.

    Returns
    -------
    self : the fitted model

    Examples
    --------
    >>> import deciban as db
    >>> days = {"sky": ["sun", "rain", "sun"], "play": ["yes", "no", "yes"]}
    >>> db.NaiveBayes().fit(days, "play").predict({"sky": ["sun"]}).tolist()
    ['yes']
    """
    with turn(self):
        model: Any = self
        model._check_parameters()
        batch, form = model._tally_of(X, y, sample_weight)
        check_weight(batch)
        return model._adopt(batch, form)


def partial_fit(self: Model, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None) -> Model:
    """Count more rows. The counts are those of one `fit` on all rows.

    Parameters
    ----------
    X : array, sparse matrix or frame of shape (n_samples, n_features)
        The rows, with the columns of the first call.
    y : array of shape (n_samples,), or str
        The labels; or the name of the column of X with the labels.
    classes : array, optional
        All classes of the first call; needed there. Later rows may have new classes.
    sample_weight : array of shape (n_samples,), optional
        How many rows each row stands for; none is negative. 1 each when None.

    Returns
    -------
    self : the model

    See Also
    --------
    forget : Remove rows.
    merge : Add the rows of another model.

    Examples
    --------
    >>> import deciban as db
    >>> model = db.GaussianNB().partial_fit(
    ...     [[1.0], [2.0]], ["low", "low"], classes=["low", "high"]
    ... )
    >>> model.partial_fit([[8.0], [9.0]], ["high", "high"]).predict([[7.5]]).tolist()
    ['high']
    """
    with turn(self):
        model: Any = self
        model._check_parameters()
        first = not model._is_fitted()
        known = known_classes(classes, None if first else model.tally_.classes)
        batch, form = model._tally_of(X, y, sample_weight, None if first else model._form)
        if first:
            check_within(batch.classes, known)
            whole, form = batch.with_classes(known), replace(form, classes=known)
        else:
            whole = model.tally_ + batch
        check_weight(whole)
        return model._adopt(whole, form)


def merge(self: Model, other: Any) -> Model:
    """Add what another model of the same kind has learned, as if this one had learned its rows.

    Parameters
    ----------
    other : a fitted model of the same class
        It has the same columns, and the same distributions, bins or structure of them: pass the `schema_` or
        `structure_` of one model to the other. It is not changed.

    Returns
    -------
    self : the model

    Raises
    ------
    ParameterError
        The models are of different classes, or count different things.
    ColumnMismatchError
        The models have different columns.

    Examples
    --------
    Two parties count their own rows; the merged model is that of all rows.

    >>> import deciban as db
    >>> here = db.CategoricalNB().fit([["sun"], ["rain"]], ["play", "stay"])
    >>> there = db.CategoricalNB().fit([["sun"], ["sun"]], ["play", "play"])
    >>> here.merge(there).tally_.total
    4
    """
    with turn(self):
        model: Any = self
        model._check_fitted()
        other._check_fitted()
        if type(other) is not type(model):
            raise ParameterError(f"a {type(model).__name__} cannot be merged with a {type(other).__name__}.")
        if model._names() != other._names():
            raise ColumnMismatchError(f"the models have different columns: {model._names()} and {other._names()}.")
        model._check_mergeable(other)
        return model._adopt(model.tally_ + model._tally_as_learned(other.tally_), model._merged_form(other))


def forget(self: Model, X: Any, y: Any = None, *, sample_weight: Any = None) -> Model:
    """Remove rows, as if they had never been learned.

    A class without rows is removed, too, unless `partial_fit` was called with it in `classes`.

    Parameters
    ----------
    X : array, sparse matrix or frame of shape (n_samples, n_features)
        Rows that the model has learned.
    y : array of shape (n_samples,), or str
        Their labels; or the name of the column of X with the labels.
    sample_weight : array of shape (n_samples,), optional
        The weights that the rows were learned with. 1 each when None.

    Returns
    -------
    self : the model

    Raises
    ------
    InputError
        The counts show that some of the rows were not learned. The model stays as it was.

    Examples
    --------
    >>> import deciban as db
    >>> model = db.GaussianNB().fit(
    ...     [[1.0], [2.0], [9.0], [8.0], [50.0]], ["a", "a", "b", "b", "b"]
    ... )
    >>> model.forget([[50.0]], ["b"]).theta_.tolist()
    [[1.5], [8.5]]
    """
    with turn(self):
        model: Any = self
        model._check_fitted()
        return model._adopt(model._tally_without(model.tally_, X, y, sample_weight), model._form)


def check_weight(tally: Tally) -> None:
    """Refuse a tally without rows."""
    if not tally.total > 0:
        raise InputError("there is nothing to learn from: X has no rows, or all sample weights are zero.")


def known_classes(classes: Any, learned: Variable | None) -> Variable:
    """The classes that `partial_fit` was called with; `learned` are those of the model, None in the first call."""
    if classes is None:
        if learned is None:
            raise ParameterError("classes must be passed on the first call to partial_fit.")
        return learned
    given = np.sort(read_labels(classes))
    if learned is not None and not np.array_equal(given, learned.labels):
        raise ParameterError(
            f"`classes={classes!r}` is not the same as on last call to partial_fit, was: {learned.labels!r}"
        )
    return Variable.of("y", given)


def check_within(found: Variable, known: Variable) -> None:
    """Refuse classes of a first batch that were not declared."""
    unknown = found.labels[known.encode(found.labels) == len(known)]
    if len(unknown):
        raise InputError(
            f"The target label(s) {unknown} in y do not exist in the initial classes {known.labels}. Name all classes "
            "of the first batch; later batches may have new ones."
        )
