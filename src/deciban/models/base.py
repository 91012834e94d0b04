"""The scikit-learn shell around a likelihood: reading, learning, predicting, explaining.

A model is a tally and what is estimated from it. A subclass says how rows are counted (`_count`), what is estimated
(`_estimate`), how rows are scored (`_likelihood`; or `_scores`, where a kernel returns posteriors), and what each
column contributes (`_column_evidence`). All that learns goes through one step, `_adopt`, which replaces the tally and
all estimates at once, so a call that fails leaves the model as it was.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar, NoReturn, Self

import numpy as np
from sklearn.base import ClassifierMixin

from deciban.decide import Calibration
from deciban.errors import ColumnMismatchError, InputError, ParameterError
from deciban.estimate.closed_form import ClosedForm
from deciban.explain import Evidence, Explanation
from deciban.models.decider import Beliefs, Decider, by_blocks, share_right
from deciban.models.form import Form, array_of_row, check_names
from deciban.models.from_source import fit_files
from deciban.models.methods import (
    UNROUTED,
    evidence,
    explain,
    explain_read,
    fit,
    forget,
    label_of,
    log_likelihood,
    merge,
    n_parameters_,
    partial_fit,
    predict,
    predict_joint_log_proba,
    predict_log_proba,
    predict_one,
    predict_proba,
    predict_proba_one,
    read_one_row,
    sample,
    set_output,
    transform,
    without_joint,
)
from deciban.models.parameters import FITTED_WITH, FittedParameters, SkipOrError, words
from deciban.read import (
    Matrix,
    Table,
    generated_names,
    read_labels,
    read_matrix,
    read_target,
    read_weights,
    split_target,
    without_target,
)
from deciban.tallies import Sample, Tally, raise_fault
from deciban.tallies.kernels import Fault, Want
from deciban.types import AnyArray, Codes, Floats

__all__ = ["BayesClassifier"]


class BayesClassifier(ClassifierMixin, FittedParameters):  # type: ignore[misc]
    """What all classifiers of deciban share, except `LogCountRatio` and `TextEM`.

    A new model is a subclass: it says how rows are counted and scored, and has all these methods then.

    Attributes
    ----------
    tally_ : Tally
        The counts that the model was estimated from.
    classes_ : array
        The labels, sorted.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : array
        The names of the columns, where the rows had names.
    calibration_ : Calibration
        What `calibrate` has fitted; absent where the model is not calibrated.

    Examples
    --------
    >>> import deciban as db
    >>> isinstance(db.GaussianNB(), BayesClassifier)
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"missing": [words(SkipOrError)]}

    missing: str
    priors: Any
    tally_: Tally
    _form: Form
    _prior: Floats
    classes_: AnyArray
    n_features_in_: int
    calibration_: Calibration

    # What a model defines ------------------------------------------------------------------------------------------

    @abstractmethod
    def _count(self, data: Any, sample: Sample, form: Form) -> Tally:
        """Count the rows."""

    @abstractmethod
    def _estimate(self, tally: Tally, form: Form) -> dict[str, Any]:
        """The fitted attributes that follow from a tally."""

    @abstractmethod
    def _accepted(self, tally: Tally) -> Tally:
        """The tally in the form that this model makes, or an error when it counts something else."""

    @abstractmethod
    def _column_evidence(self, data: Any) -> Floats:
        """log P(x_i | class) for rows × columns (and `_remainders`) × classes."""

    def _likelihood(self, data: Any) -> Floats:
        """log P(row | class): rows × classes; by default the sum of the columns' evidence."""
        return self._column_evidence(data).sum(axis=1)

    def _scores(self, data: Any, want: Want) -> tuple[AnyArray, Fault | None]:
        """Score rows, and the first value that cannot be used; "best" is the code of the class that is decided."""
        self._check_values(data)

        def score(rows: Any) -> AnyArray:
            likelihood = self._likelihood(rows)
            return self._decide(likelihood) if want == "best" else self._beliefs().conclude(likelihood, want)

        return by_blocks(data, len(self.classes_), score), None

    # What a model may define ---------------------------------------------------------------------------------------

    def _read(self, X: Any) -> Any:
        return read_matrix(X)

    def _as_learned(self, data: Any, form: Form | None) -> Any:  # noqa: ARG002
        """Data that were read, in the form of what was learned; `form` is None for the first data."""
        return data

    def _read_values(self, row: dict[str, Any], names: tuple[str, ...]) -> Any:
        """The values of one row, by name, in the form that `_read` returns."""
        return self._read(array_of_row(row, self._form, names)).named(self._form.names)

    def _check_values(self, data: Any) -> None:
        """Refuse values that the model cannot use."""

    def _start(self) -> Floats:
        """The joint log-probabilities of a row without columns: the log priors."""
        return self._prior

    def _decider(self) -> Decider:
        """The rule by which the model decides."""
        return Decider()

    def _remainders(self) -> tuple[str, ...]:
        """The names of parts of the evidence that belong to no single column."""
        return ()

    def _with_factors(self, plain: Explanation, data: Any, values: list[Any]) -> Explanation:  # noqa: ARG002
        """The explanation with the factors of the model; `data` and `values` are those of the explained row."""
        return plain

    def _left_out_likelihood(self, data: Any, y: Codes, weights: Floats) -> Floats:  # noqa: ARG002
        """log P(row | class) of learned rows, each as if it had not been learned: rows × classes."""
        raise ParameterError(f"{type(self).__name__} has no leave-one-out.")

    def _left_out_posterior(self, X: Any, y: Any, sample_weight: Any) -> Floats:  # noqa: ARG002
        """P(class | row) of learned rows, all of them or some, each as if it had not been learned."""
        raise ParameterError(f"{type(self).__name__} has no leave-one-out.")

    def _honest_posterior(self, X: Any, y: Any, sample_weight: Any, learned: bool | str) -> Floats:  # noqa: ARG002
        """Posteriors to calibrate on, without any calibration: those of rows as if they had not been learned."""
        raise ParameterError(f"{type(self).__name__} has no calibration.")

    def _closed_form(self) -> ClosedForm:
        """What the model computes posteriors from, as plain numbers; an error where there is no such form."""
        raise ParameterError(f"{type(self).__name__} has no closed form.")

    def _learn_beyond_counts(self, tally: Tally, form: Form, data: Any, sample: Sample) -> Form:  # noqa: ARG002
        """The form with what is learned from the first rows and cannot be computed from their counts."""
        return form

    def _check_mergeable(self, other: Any) -> None:
        """Refuse a fitted model of the same kind and columns that counts something else."""

    def _prior_rule(self) -> Any:
        """The parameter that says how class priors are estimated."""
        return self.priors

    # Learning ------------------------------------------------------------------------------------------------------

    fit, partial_fit, merge, forget = fit, partial_fit, merge, forget
    fit_files = fit_files

    def _tally_without(self, tally: Tally, X: Any, y: Any, sample_weight: Any) -> Tally:
        """A tally without some of its rows; an error where they were never counted."""
        batch, form = self._tally_of(X, y, sample_weight, self._form)
        unknown = batch.classes.labels[tally.classes.encode(batch.classes.labels) == len(tally.classes)]
        if len(unknown):
            raise InputError(f"class {unknown.tolist()[0]!r} was never learned, so it cannot be forgotten.")
        left = tally - batch
        return left if form.classes is None else left.with_classes(form.classes.union(left.classes))

    def _estimates_once(self) -> bool:
        """Whether several batches may be counted before the model is estimated, with the same result."""
        return True

    @classmethod
    def from_tally(cls, tally: Tally, **parameters: Any) -> Self:
        """Make a fitted model from a tally, without any rows.

        Parameters
        ----------
        tally : Tally
            Counts in the form that this model makes: those of `db.tally`, or the `tally_` of another model.
        **parameters
            The parameters of the model.

        Returns
        -------
        model : a fitted model
            What a model learns from rows and not from their counts (weights, temperatures) is 1.

        Examples
        --------
        >>> import deciban as db
        >>> counts = db.tally(
        ...     {"sky": ["sun", "rain", "sun"], "play": ["yes", "no", "yes"]}, target="play"
        ... )
        >>> db.NaiveBayes.from_tally(counts).predict({"sky": ["sun"]}).tolist()
        ['yes']
        """
        model = cls(**parameters)
        model._check_parameters()
        accepted = model._accepted(tally)
        return model._adopt(accepted, model._form_of_tally(accepted))

    def _tally_as_learned(self, tally: Tally) -> Tally:
        """The tally of another model with its labels in the types of those of this one."""
        return tally.read_as(self.tally_)

    def _merged_form(self, other: BayesClassifier) -> Form:
        return self._form.merged(other._form)

    def _form_of(self, data: Matrix | Table) -> Form:
        return Form.of(data)

    def _form_of_tally(self, tally: Tally) -> Form:
        names = self._names_in(tally)
        return Form(len(names), names if names != generated_names(len(names)) else None)

    def _names_in(self, tally: Tally) -> tuple[str, ...]:
        return tally.names

    def _tally_of(self, X: Any, y: Any, sample_weight: Any, known: Form | None = None) -> tuple[Tally, Form]:
        """Count rows; where a form is known, the columns must match it and take its names."""
        data, sample, form = self._rows_of(X, y, sample_weight, known)
        tally = self._count(data, sample, form)
        return tally, form if known is not None else self._learn_beyond_counts(tally, form, data, sample)

    def _rows_of(self, X: Any, y: Any, sample_weight: Any, known: Form | None = None) -> tuple[Any, Sample, Form]:
        """Read rows with their classes, and find their form where none is known."""
        X, y, target = split_target(X, y)
        data = self._read(X if known is None else without_target(X, known.target))
        if known is not None:
            self._check_columns(data)
            data = data.named(known.names)
        data = self._as_learned(data, known)
        labels = read_target(y, data.shape[0], target)
        if self._is_own(known):
            labels = labels.read_as(self.tally_.classes)
        sample = Sample.of(labels, read_weights(sample_weight, data.shape[0]))
        form = known or self._form_of_sample(data, sample)
        if known is None and target is not None:
            form = replace(form, target=target)
        return data, sample, form

    def _is_own(self, form: Form | None) -> bool:
        """True for the form of the rows that this model has learned, whose labels are known."""
        return form is not None and form is self.__dict__.get("_form")

    def _form_of_sample(self, data: Any, sample: Sample) -> Form:  # noqa: ARG002  some forms depend on the classes
        return self._form_of(data)

    def _features(self, X: Any) -> Any:
        """Read a table without the target's column, which it may contain where the target was given by name."""
        self._check_fitted()
        return self._as_learned(self._read(without_target(X, self._form.target)), self._form)

    def _adopt(self, tally: Tally, form: Form) -> Self:
        """Replace the tally and all estimates, at once."""
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

    # Predicting ----------------------------------------------------------------------------------------------------

    predict, predict_proba, predict_log_proba = predict, predict_proba, predict_log_proba
    predict_joint_log_proba, evidence = predict_joint_log_proba, evidence
    n_parameters_, log_likelihood, sample = n_parameters_, log_likelihood, sample
    _free_parameters = _joint = _draw = without_joint("it does not define one")

    transform, set_output = transform, set_output
    __metadata_request__transform = UNROUTED

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Compute the accuracy of `predict`.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features)
            The rows.
        y : array of shape (n_samples,), or str
            The true labels; or the name of the column of X with the labels.
        sample_weight : array of shape (n_samples,), optional
            The weights of the rows; 1 each when None.

        Returns
        -------
        accuracy : float
            The share of rows whose predicted class is the true one; a rejected row is wrong.
        """
        X, y, _ = split_target(X, y)
        labels = read_labels(y)
        if self._is_fitted():
            labels = self.tally_.classes.labels_of(labels)
        if self._decider().reject is None:
            return float(super().score(X, labels, sample_weight))
        return share_right(self.predict(X), labels, sample_weight)

    def _score(self, X: Any, want: Want) -> AnyArray:
        return (self._as_fitted() if FITTED_WITH in self.__dict__ else self)._scores_or_raise(X, want)

    def _scores_or_raise(self, X: Any, want: Want) -> AnyArray:
        data = self._features(X)
        self._check_columns(data)
        return self._scores_of(data, want)

    def _scores_of(self, data: Any, want: Want) -> AnyArray:
        scores, fault = self._scores(data, want)
        if fault is not None:
            self._raise(fault, data)
        return scores

    def _raise(self, fault: Fault, data: Any) -> NoReturn:
        is_matrix = isinstance(data, Matrix)
        value = data.values[fault[1], fault[2]].item() if is_matrix else data.columns[fault[2]].value(fault[1])
        raise_fault(fault, type(self).__name__, self._names(), value)

    def _beliefs(self) -> Beliefs:
        return Beliefs(self._start(), self._prior, self._calibration())

    def _calibration(self) -> Calibration | None:
        return self.__dict__.get("calibration_")

    def _decide(self, likelihood: Floats) -> AnyArray:
        """The code of each row's class; `NO_DECISION` where the decision is rejected."""
        return self._decider().decide(likelihood, self._beliefs(), self.classes_)

    def _evidence_of(self, data: Any, start: Floats) -> Evidence:
        self._check_values(data)
        return Evidence(self.classes_, (*self._names(), *self._remainders()), start, self._column_evidence(data))

    # One row -------------------------------------------------------------------------------------------------------

    predict_one, predict_proba_one, explain = predict_one, predict_proba_one, explain
    _explain_read, _one_row, _label_of = explain_read, read_one_row, label_of

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
