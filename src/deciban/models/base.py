"""The scikit-learn shell around a likelihood: reading, learning over time, scoring.

A model is a tally and what was estimated from it. A subclass says how its columns are counted (`_count`), what is
estimated (`_estimate`) and how rows are scored (`_scores`). Everything that learns goes through one step, `_adopt`,
which replaces the tally and all estimates at once, so a call that fails leaves the model as it was.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils._param_validation import StrOptions

from deciban.errors import ColumnMismatchError, InputError, ParameterError
from deciban.explain import Evidence
from deciban.limits import check_memory
from deciban.models.form import Form
from deciban.models.names import check_names
from deciban.models.parameters import FITTED_WITH, FittedParameters, sees_fitted
from deciban.read import (
    Matrix,
    Table,
    Variable,
    generated_names,
    read_labels,
    read_matrix,
    read_target,
    read_weights,
    split_target,
    without_target,
)
from deciban.tallies import Sample, Tally, raise_fault
from deciban.tallies.faults import Fault
from deciban.tallies.kernels import Want
from deciban.types import AnyArray, Floats

__all__ = ["BayesClassifier"]


class BayesClassifier(ClassifierMixin, FittedParameters):  # type: ignore[misc]
    """What all models share."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"missing": [StrOptions({"skip", "error"})]}

    missing: str
    tally_: Tally
    _form: Form
    _prior: Floats
    classes_: AnyArray
    n_features_in_: int

    # What a model says of itself -----------------------------------------------------------------------------------

    @abstractmethod
    def _count(self, data: Any, sample: Sample, form: Form) -> Tally:
        """Count the rows."""

    @abstractmethod
    def _estimate(self, tally: Tally, form: Form) -> dict[str, Any]:
        """Give the fitted attributes that follow from a tally."""

    @abstractmethod
    def _scores(self, data: Any, want: Want) -> tuple[AnyArray, Fault | None]:
        """Score rows."""

    @abstractmethod
    def _column_evidence(self, data: Any) -> Floats:
        """log P(x_i | class) for rows × columns × classes."""

    def _read(self, X: Any) -> Any:
        return read_matrix(X)

    # Learning ------------------------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Count the rows and estimate; what was learned before is forgotten.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features)
        y : labels of shape (n_samples,); or the name of the column of X that holds them
        sample_weight : weights of shape (n_samples,), none negative; 1 each when None
        """
        self._check_parameters()
        batch, form = self._tally_of(X, y, sample_weight)
        _check_weight(batch)
        return self._adopt(batch, form)

    def partial_fit(self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None) -> Self:
        """Count more rows. `classes` is needed in the first call; later calls may bring classes of their own."""
        self._check_parameters()
        first = not self._is_fitted()
        known = self._known_classes(classes, first)
        batch, form = self._tally_of(X, y, sample_weight, None if first else self._form)
        if first:
            _check_within(batch.classes, known)
            whole, form = batch.with_classes(known), replace(form, classes=known)
        else:
            whole = self.tally_ + batch
        _check_weight(whole)
        return self._adopt(whole, form)

    def merge(self, other: BayesClassifier) -> Self:
        """Add what another model of the same kind has learned."""
        self._check_fitted()
        other._check_fitted()
        if type(other) is not type(self):
            raise ParameterError(f"a {type(self).__name__} cannot take in a {type(other).__name__}.")
        if self._names() != other._names():
            raise ColumnMismatchError(f"the columns {self._names()} are not {other._names()}.")
        return self._adopt(self.tally_ + other.tally_, self._form.merged(other._form))

    def forget(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Take rows out again, as if they had never been learned. Rows that were not learned are an error.

        A class that no row has any more is gone, too, unless `partial_fit` was called with it in `classes`.
        """
        self._check_fitted()
        batch, form = self._tally_of(X, y, sample_weight, self._form)
        unknown = batch.classes.labels[self.tally_.classes.encode(batch.classes.labels) == len(self.classes_)]
        if len(unknown):
            raise InputError(f"class {unknown.tolist()[0]!r} was never learned, so it cannot be forgotten.")
        left = self.tally_ - batch
        return self._adopt(left if form.classes is None else left.with_classes(form.classes.union(left.classes)), form)

    @classmethod
    def from_tally(cls, tally: Tally, **parameters: Any) -> Self:
        """Make a fitted model from a tally, without seeing a row."""
        model = cls(**parameters)
        model._check_parameters()
        accepted = model._accepted(tally)
        return model._adopt(accepted, model._form_of_tally(accepted))

    @abstractmethod
    def _accepted(self, tally: Tally) -> Tally:
        """The tally in the form that this model makes, or an error when it counts something else."""

    def _form_of(self, data: Matrix | Table) -> Form:
        return Form.of(data)

    def _form_of_tally(self, tally: Tally) -> Form:
        names = self._names_in(tally)
        return Form(len(names), names if names != generated_names(len(names)) else None)

    def _names_in(self, tally: Tally) -> tuple[str, ...]:
        return tally.names

    def _tally_of(self, X: Any, y: Any, weights: Any, known: Form | None = None) -> tuple[Tally, Form]:
        """Count rows; where a form is known, the columns must be the same and are called the same."""
        X, y, target = split_target(X, y)
        data = self._read(X if known is None else without_target(X, known.target))
        if known is not None:
            self._check_columns(data)
            data = data.named(known.names)
        sample = Sample.of(read_target(y, data.shape[0], target), read_weights(weights, data.shape[0]))
        form = known or self._form_of_sample(data, sample)
        if known is None and target is not None:
            form = replace(form, target=target)
        return self._count(data, sample, form), form

    def _form_of_sample(self, data: Any, sample: Sample) -> Form:  # noqa: ARG002  some forms depend on the classes
        return self._form_of(data)

    def _features(self, X: Any) -> Any:
        """Read a table without the target's column, which a table may still have where it was given by its name."""
        self._check_fitted()
        target = self._form.target
        return self._read(X if target is None else without_target(X, target))

    def _adopt(self, tally: Tally, form: Form) -> Self:
        """Replace the tally and all that follows from it, at once."""
        estimates = self._estimate(tally, form)
        stale = [name for name in self.__dict__ if isinstance(getattr(type(self), name, None), cached_property)]
        for name in [*stale, "feature_names_in_", "calibration_", FITTED_WITH]:
            self.__dict__.pop(name, None)
        if form.names is not None:
            self.feature_names_in_ = np.array(form.names, dtype=object)
        self.__dict__.update(
            estimates, tally_=tally, classes_=tally.classes.labels, n_features_in_=form.columns, _form=form
        )
        return self

    def _known_classes(self, classes: Any, first: bool) -> Variable:
        if classes is None:
            if first:
                raise ParameterError("classes must be passed on the first call to partial_fit.")
            return self.tally_.classes
        given = np.sort(read_labels(classes))
        if not first and not np.array_equal(given, self.classes_):
            raise ParameterError(
                f"`classes={classes!r}` is not the same as on last call to partial_fit, was: {self.classes_!r}"
            )
        return Variable.of("y", given)

    # Predicting ----------------------------------------------------------------------------------------------------

    @sees_fitted
    def predict(self, X: Any) -> AnyArray:
        """The class with the largest posterior for each row; the first in class order of equals."""
        return labels_of(self._score(X, "best"), self)

    @sees_fitted
    def predict_proba(self, X: Any) -> Floats:
        """P(class | row), classes in the order of `classes_`."""
        return self._score(X, "posterior")

    @sees_fitted
    def predict_log_proba(self, X: Any) -> Floats:
        """log P(class | row)."""
        return self._score(X, "log_posterior")

    @sees_fitted
    def predict_joint_log_proba(self, X: Any) -> Floats:
        """log P(class, row), not normalized."""
        return self._score(X, "joint")

    def evidence(self, X: Any) -> Evidence:
        """What each column says for each class; the parts sum to `predict_joint_log_proba`."""
        self._check_fitted()
        self._scores_or_raise(X, "best")  # the same checks as for a prediction
        data, advice = self._features(X), "Pass fewer rows at a time."
        check_memory("the evidence, rows × columns × classes,", *data.shape, len(self.classes_), advice=advice)
        return Evidence(self.classes_, self._names(), self._start(), self._column_evidence(data))

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Accuracy: the share of rows that `predict` gives their label; `y` may name the column that holds them."""
        X, y, _ = split_target(X, y)
        return float(super().score(X, read_labels(y), sample_weight))

    def _start(self) -> Floats:
        """The joint log-probabilities of a row without columns: the log priors."""
        return self._prior

    def _score(self, X: Any, want: Want) -> AnyArray:
        return (self._as_fitted() if FITTED_WITH in self.__dict__ else self)._scores_or_raise(X, want)

    def _scores_or_raise(self, X: Any, want: Want) -> AnyArray:
        data = self._features(X)
        self._check_columns(data)
        scores, fault = self._scores(data, want)
        if fault is not None:
            raise_fault(fault, type(self).__name__, self._names(), self._value(data, fault))
        return scores

    def _value(self, data: Any, fault: Fault) -> Any:
        if not isinstance(data, Matrix):
            return data.columns[fault[2]].value(fault[1])
        return data.values[fault[1], fault[2]].item()

    # Checks --------------------------------------------------------------------------------------------------------

    def _is_fitted(self) -> bool:
        return "tally_" in self.__dict__

    def _check_columns(self, data: Any) -> None:
        check_names(type(self).__name__, self._form.names, data.given_names)
        columns = data.shape[1]
        if columns != self.n_features_in_:
            raise ColumnMismatchError(
                f"X has {columns} features, but {type(self).__name__} is expecting {self.n_features_in_} features as "
                "input."
            )

    def _names(self) -> tuple[str, ...]:
        return self._form.names or generated_names(self._form.columns)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self.missing == "skip"
        return tags


def labels_of(codes: AnyArray, model: BayesClassifier) -> AnyArray:
    """The labels of class codes; block by block, so that no copy grows large."""
    block = 1 << 16
    labels = np.empty(len(codes), dtype=model.classes_.dtype)
    for first in range(0, len(codes), block):
        rows = slice(first, first + block)
        model.classes_.take(codes[rows], out=labels[rows], mode="clip")
    return labels


def _check_weight(tally: Tally) -> None:
    if not tally.total > 0:
        raise InputError("there is nothing to learn from: X has no rows, or all sample weights are zero.")


def _check_within(found: Variable, known: Variable) -> None:
    strange = found.labels[known.encode(found.labels) == len(known)]
    if len(strange):
        raise InputError(
            f"The target label(s) {strange} in y do not exist in the initial classes {known.labels}. Name all classes "
            "of the first batch; later batches may bring new ones."
        )
