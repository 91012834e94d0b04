"""The scikit-learn shell around a likelihood: reading, learning, predicting, explaining.

A model is a tally and what is estimated from it. A subclass says how rows are counted (`_count`), what is estimated
(`_estimate`), how rows are scored (`_likelihood`; or `_scores`, where a kernel returns posteriors), and what each
column contributes (`_column_evidence`). All that learns goes through one step, `_adopt`, which replaces the tally and
all estimates at once, so a call that fails leaves the model as it was. As a model is a function of its tally, it learns
by adding counts and forgets by subtracting them.

A classifier is also a model of how rows arise: a class is drawn, then the columns given the class (Mukund, lecture 15).

    P(x, j) = P(j)·P(x | j),    P(x) = Σ_j P(j)·P(x | j)

What is learned on top of P(x | j) for better posteriors is not part of this joint distribution, and `log_likelihood`
and `sample` do not use it: the weights of columns, temperatures, calibrations, and the `length` of a text model. A
model whose posteriors are not those of a joint distribution says why in `_why_no_joint`; the others define
`_free_parameters`, the number of free parameters of P(x | j), `_joint`, which gives log P(x, j) of rows that were read,
and `_draw`, which gives a column for each of its own, given the classes of the rows.

**Parameters** can be set at any time in scikit-learn, by `set_params` or as attributes, and take effect at the next
`fit`. A model that read them when it predicts, learns more rows or is saved would mix old and new values. So `fit`
learns in a new instance that has the parameters of that time (`_unfitted`), and the model takes over the result with
these parameters (`_become`). Methods read parameters from `_settings` alone.

**Tables that are not in memory**: `fit` makes the form (the distributions of columns, cuts, weights and temperatures)
and the tally. `fit_files` learns the form from at most 100,000 rows that are spread over the whole source; where the
source has no more rows, it is that of `fit`. The tally is that of all rows, so it is always that of `fit` with this
form.
"""

from __future__ import annotations

import os
import re
import sys
from abc import abstractmethod
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NoReturn, Protocol, Self, TypeVar, get_args, overload

import numpy as np
import scipy
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import Tags
from sklearn.utils._param_validation import InvalidParameterError, StrOptions
from sklearn.utils.metadata_routing import UNUSED
from sklearn.utils.metaestimators import available_if

from deciban.choices import closest, did_you_mean
from deciban.decide import NO_DECISION, Calibration, Reject
from deciban.decide.rules import Beliefs, Decider, Rule, by_blocks, labels_of, share_right
from deciban.engines import spark
from deciban.engines.source import (
    OnBadRow,
    Progress,
    Source,
    SourceCounting,
    is_spark,
    open_source,
    rows_in_memory,
    tally_source,
)
from deciban.errors import ColumnMismatchError, InputError, InputTypeError, ParameterError, UnfittedError
from deciban.estimate.closed_form import ClosedForm
from deciban.estimate.drawing import Drawn, RandomState, drawn_table, read_count, read_seed
from deciban.estimate.smoothing import Smoothing, is_estimated
from deciban.estimate.values import is_missing
from deciban.explain import Evidence, Explanation
from deciban.explain import explain as explain_evidence
from deciban.extras import need
from deciban.limits import check_memory
from deciban.models.schema import Form, Schema, array_of_row, check_names, values_of
from deciban.read import (
    Matrix,
    Table,
    Variable,
    column_of,
    generated_names,
    plain,
    read_labels,
    read_matrix,
    read_row,
    read_target,
    read_weights,
    split_target,
    weighted_sum,
    without_target,
)
from deciban.tallies import Sample, Tally, check_known, raise_fault
from deciban.tallies.kernels import Fault, Want
from deciban.turns import turn
from deciban.types import AnyArray, ArrayLike, Codes, Floats, LabelsLike

if TYPE_CHECKING:
    from deciban.widget.notebook import RowWidget

__all__ = [
    "DECIDER_CONSTRAINTS",
    "SAMPLE",
    "ArrowTable",
    "BayesClassifier",
    "Classifier",
    "Constraints",
    "Estimator",
    "Measure",
    "Missing",
    "MissingOrAuto",
    "ModelCounting",
    "PriorsLike",
    "Rule",
    "SkipOrError",
    "Unseen",
    "check_label",
    "check_parameters",
    "check_weight",
    "check_within",
    "fit_source",
    "form_of",
    "known_classes",
    "schema_of",
    "split_weight",
    "target_in_fit",
    "words",
]


class Estimator(BaseEstimator):  # type: ignore[misc]
    """An estimator that uses the parameters of its fit until the next fit: the base of all of deciban's."""

    _fitted_with: Self
    """An instance with the parameters of the fit, which is not fitted itself and never changed."""

    def __new__(cls, *args: object, **parameters: object) -> Self:  # noqa: ARG004  the constructor reads them
        for name in parameters:
            # Here, because the TypeError of Python for an unknown keyword names no parameter that is close to it.
            if name not in cls._get_param_names():
                known = did_you_mean(name, cls._get_param_names())
                raise InputTypeError(f"{cls.__name__} has no parameter {name!r}.{known}")
        return super().__new__(cls)

    def set_params(self, **parameters: Any) -> Self:
        """Set parameters, which take effect at the next `fit`.

        Parameters
        ----------
        **parameters
            The parameters and their new values.

        Returns
        -------
        self : the model
        """
        for name in parameters:
            # As in scikit-learn, the name before a double underscore is that of a parameter, the rest one of its own.
            if name.partition("__")[0] not in self._get_param_names():
                close = did_you_mean(name, self._get_param_names())
                raise ParameterError(f"Invalid parameter {name!r} for {type(self).__name__}.{close}")
        super().set_params(**parameters)
        return self

    @property
    def _settings(self) -> Self:
        """The parameters in use: those of the fit, or before it those that are set."""
        return self.__dict__.get("_fitted_with", self)

    def _unfitted(self) -> Self:
        """An instance with the parameters that are set, and nothing learned."""
        # The parameters themselves, not copies as of clone: a Generator goes on drawing where it stopped.
        new = object.__new__(type(self))
        new.__dict__.update({name: getattr(self, name) for name in self._get_param_names()})
        return new

    def _become(self, fitted: Self) -> Self:
        """Take over what another instance with the same parameters has learned, and its parameters as those in use."""
        self._drop_stale()
        # Parameters of `self` stay: they may have been set while `fitted` was learning, and count from the next fit on.
        parameters = set(self._get_param_names())
        self.__dict__.update({name: value for name, value in fitted.__dict__.items() if name not in parameters})
        return self

    def _drop_stale(self) -> None:
        """Forget what was computed from what was learned before."""
        for name in [name for name in self.__dict__ if isinstance(getattr(type(self), name, None), cached_property)]:
            self.__dict__.pop(name, None)  # another thread may have dropped it meanwhile

    def _check_parameters(self) -> None:
        check_parameters(self)

    def _is_fitted(self) -> bool:
        return False

    def __sklearn_is_fitted__(self) -> bool:
        return self._is_fitted()

    def _check_fitted(self) -> None:
        if not self._is_fitted():
            raise UnfittedError(
                f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with appropriate arguments before "
                "using this estimator."
            )


def check_parameters(estimator: BaseEstimator) -> None:
    """Refuse parameters that are outside of `_parameter_constraints`."""
    try:
        estimator._validate_params()
    except InvalidParameterError as error:
        raise ParameterError(_with_hint(str(error), estimator)) from None


def _with_hint(message: str, estimator: BaseEstimator) -> str:
    """scikit-learn's message with the options in order, and the closest option."""
    # scikit-learn prints a set of options, whose order changes from run to run.
    message = re.sub(r"\{('[^{}]*')\}", lambda found: f"{{{', '.join(sorted(found[1].split(', ')))}}}", message)
    name = message.split("'")[1]
    value = getattr(estimator, name)
    if isinstance(value, type):
        return f"{message} Did you mean {value.__name__}()?"
    if not isinstance(value, str):
        return message
    rules = estimator._parameter_constraints[name]
    options = {option for rule in rules for option in getattr(rule, "options", ()) if isinstance(option, str)}
    return message + closest(value, sorted(options))


Missing = Literal["skip", "state", "error"]
"""What a missing value is: no evidence, a state of its own, or an error."""

MissingOrAuto = Literal["auto", "skip", "state", "error"]
"""The same, or "auto": no evidence or a state, as the rows decide."""

SkipOrError = Literal["skip", "error"]
"""What a missing value is in a model without states of missing values."""

Unseen = Literal["smooth", "ignore", "error"]
"""What a label is that did not occur in fit: a state counted 0 times, no evidence, or an error."""

Measure = Literal["mi", "chi2", "su"]
"""A measure of association: mutual information, χ², or symmetrical uncertainty."""


PriorsLike = str | Smoothing | Mapping[object, float] | ArrayLike | None
"""How class priors are estimated: in words, by a smoothing, or given by label or in the order of the classes."""


def words(options: object) -> StrOptions:
    """The constraint that a parameter is one of the words of a `Literal`."""
    return StrOptions(set(get_args(options)))


Constraints = dict[str, list[object]]
"""For each parameter, what it may be: types, words and intervals, in the form of scikit-learn."""

DECIDER_CONSTRAINTS: Constraints = {
    "rule": [words(Rule)],
    "loss": [Mapping, "array-like", None],
    "reject": [Reject, float, None],
}
"""Which values `rule`, `loss` and `reject` take."""


class ArrowTable(Protocol):
    """What models use of an Arrow table; only the layers that read import pyarrow itself."""

    @property
    def column_names(self) -> list[str]: ...
    def __getitem__(self, name: str, /) -> Any: ...
    def column(self, name: str, /) -> Any: ...
    def select(self, names: list[str], /) -> Self: ...
    def append_column(self, name: str, values: list[Any], /) -> Self: ...


class Rows(Protocol):
    """Rows that were read: a `Matrix`, a `Table` or `Documents`."""

    @property
    def shape(self) -> tuple[int, int]: ...
    @property
    def given_names(self) -> tuple[str, ...] | None: ...


class Classifier(Protocol):
    """A fitted classifier: what the models of deciban share, those of documents that have no tally among them."""

    classes_: AnyArray

    def fit(self, X: Any, y: LabelsLike, sample_weight: ArrayLike | None = None, /) -> Self: ...
    def predict(self, X: Any) -> AnyArray: ...
    def predict_proba(self, X: Any) -> Floats: ...
    def predict_one(self, row: Any, /) -> Any: ...
    def predict_proba_one(self, row: Any, /) -> dict[Any, float]: ...
    def set_params(self, **parameters: Any) -> Self: ...
    def _check_fitted(self) -> None: ...
    def __sklearn_tags__(self) -> Tags: ...


def _is_spark_imported(_: object) -> bool:
    return "pyspark" in sys.modules


class BayesClassifier(ClassifierMixin, Estimator):  # type: ignore[misc]
    """What all classifiers of deciban share, except `LogCountRatio` and `TextEM`.

    A new model is a subclass: it says how rows are counted and scored, and has all these methods then.

    Parameters
    ----------
    *args, **parameters
        Those of the model.

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

    _parameter_constraints: ClassVar[Constraints] = {"missing": [words(SkipOrError)]}

    _why_no_joint: ClassVar[str] = "it does not define one"

    missing: str
    priors: PriorsLike
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
    def _estimate(self, tally: Tally, form: Form) -> dict[str, object]:
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

    def _scores(self, data: Any, want: Want) -> AnyArray:
        """Score rows that were read; "best" is the code of the class that is decided."""
        self._check_values(data)

        def score(rows: Rows) -> AnyArray:
            likelihood = self._likelihood(rows)
            return self._decide(likelihood) if want == "best" else self._beliefs().conclude(likelihood, want)

        return by_blocks(data, len(self.classes_), score)

    # What a model may define ---------------------------------------------------------------------------------------

    def _read(self, X: Any) -> Any:
        return read_matrix(X)

    def _as_learned(self, data: Any, form: Form | None) -> Any:
        """Data that were read, in the form of what was learned; `form` is None for the first data."""
        return data

    def _read_values(self, row: dict[str, object], names: tuple[str, ...]) -> Any:
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

    def _with_factors(self, plain: Explanation, data: Any, values: list[object]) -> Explanation:
        """The explanation with the factors of the model; `data` and `values` are those of the explained row."""
        return plain

    def _left_out_likelihood(self, data: Any, y: Codes, weights: Floats) -> Floats:
        """log P(row | class) of learned rows, each as if it had not been learned: rows × classes."""
        raise ParameterError(f"{type(self).__name__} has no leave-one-out.")

    def _left_out_posterior(self, X: Any, y: LabelsLike | None, sample_weight: ArrayLike | None) -> Floats:
        """P(class | row) of learned rows, all of them or some, each as if it had not been learned."""
        raise ParameterError(f"{type(self).__name__} has no leave-one-out.")

    def _honest_posterior(
        self, X: Any, y: LabelsLike | None, sample_weight: ArrayLike | None, learned: bool | str
    ) -> Floats:
        """Posteriors to calibrate on, without any calibration: those of rows as if they had not been learned."""
        raise ParameterError(f"{type(self).__name__} has no calibration.")

    def _column_weights(self) -> Mapping[str, object]:
        """The weights of the columns by name, where the model has weights of columns."""
        return {}

    def _learned_beside_counts(self) -> dict[str, str]:
        """What the model has learned besides the counts of columns, by name and in words."""
        calibration = self._calibration()
        return {} if calibration is None else {"calibration": type(calibration).__name__.lower()}

    def _closed_form(self) -> ClosedForm:
        """What the model computes posteriors from, as plain numbers; an error where there is no such form."""
        raise ParameterError(f"{type(self).__name__} has no closed form.")

    def _learn_beyond_counts(
        self,
        tally: Tally,
        form: Form,
        data: Any,
        sample: Sample,
    ) -> tuple[Form, dict[str, object] | None]:
        """The form with what is learned from the first rows, but not from their counts.

        Beside it, what `_estimate` would return, where it was computed on the way.
        """
        return form, None

    def _check_fits(self, tally: Tally, form: Form) -> None:
        """Refuse a tally of a file that does not count what its form describes."""

    def _check_mergeable(self, other: Any) -> None:
        """Refuse a fitted model of the same kind and columns that counts something else."""

    def _parts_in(self, form: Form) -> int:
        """How many parts the tally of the model has: one for each column."""
        return form.columns

    def _prior_rule(self) -> PriorsLike:
        """The parameter that says how class priors are estimated."""
        return self._settings.priors

    # Learning ------------------------------------------------------------------------------------------------------

    def fit(self, X: Any, y: LabelsLike | None = None, sample_weight: ArrayLike | None = None) -> Self:
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
            self._check_parameters()
            new = self._unfitted()
            return self._become(new._learn(*new._rows_of(X, y, sample_weight)))

    def partial_fit(
        self,
        X: Any,
        y: LabelsLike | None = None,
        classes: LabelsLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
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
            if self._is_fitted():
                known_classes(classes, self.tally_.classes)
                # All rows are read and counted before the model changes: an error in them leaves it as it was.
                whole = self.tally_ + self._tally_of(X, y, sample_weight)
                check_weight(whole)
                return self._adopt(whole, self._form)
            self._check_parameters()
            # The first rows are learned as by fit, in a new instance, so that an error leaves nothing behind.
            known, new = known_classes(classes, None), self._unfitted()
            return self._become(new._learn(*new._rows_of(X, y, sample_weight), known))

    def merge(self, other: Any) -> Self:
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
            self._check_fitted()
            other._check_fitted()
            if type(other) is not type(self):
                raise ParameterError(f"a {type(self).__name__} cannot be merged with a {type(other).__name__}.")
            if self._names() != other._names():
                raise ColumnMismatchError(f"the models have different columns: {self._names()} and {other._names()}.")
            self._check_mergeable(other)
            return self._adopt(self.tally_ + self._tally_as_learned(other.tally_), self._merged_form(other))

    def forget(self, X: Any, y: LabelsLike | None = None, *, sample_weight: ArrayLike | None = None) -> Self:
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
            self._check_fitted()
            return self._adopt(self._tally_without(self.tally_, X, y, sample_weight), self._form)

    def fit_files(
        self,
        source: Any,
        *,
        target: str,
        sample_weight: str | None = None,
        schema: Any = None,
        checkpoint: str | os.PathLike[str] | None = None,
        progress: Progress = None,
        on_bad_row: OnBadRow = "error",
        encoding: str | None = None,
        sheet: str | None = None,
        decimal: str | None = None,
    ) -> Self:
        r"""Count the rows of files and estimate the model. What was learned before is forgotten.

        The memory does not depend on the number of rows. The distributions of the columns, and what else `fit` learns
        from rows and not from their counts, are learned from 100,000 rows that are spread over the whole source; the
        counts are those of all rows.

        Parameters
        ----------
        source : str, path, list of these, or Spark frame
            The name of a file (CSV or TSV, JSON Lines or arrays, also with .gz or .zst; Parquet; Arrow or Feather;
            Excel, with ``deciban[excel]``), a glob, a folder, or a list of these, all with the same columns. The rows
            of a Spark frame are counted by its executors.
        target : str
            The name of the column of classes.
        sample_weight : str, optional
            The name of a column of weights, none negative.
        schema : mapping, optional
            The Arrow types of some columns, as a mapping from names to types or their names ("float64", "int64",
            "string", "bool"). The types of other columns in CSV and JSON Lines are found from rows spread over all
            files.
        checkpoint : str or path, optional
            A file that keeps what was counted, so that the same call continues where an interrupted one ended. It is
            removed at the end.
        progress : bool or function, optional
            True for a bar on the standard error, a function of a `ReadingStep`, or False; None for a bar where the
            standard error is a terminal.
        on_bad_row : {"error", "skip"}
            "skip": rows that cannot be read are left out, and a warning names the first ones.
        encoding : str, optional
            The encoding of CSV and JSON files. None: UTF-8, or UTF-16 or Windows-1252 (Latin-1) where the bytes say so,
            with a warning.
        sheet : str, optional
            The sheet of Excel files; the first one when None.
        decimal : {".", ","}, optional
            The decimal mark of numbers in CSV files. None: found from some rows, with a warning where it is a comma.

        Returns
        -------
        self : the fitted model

        Examples
        --------
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> from deciban import NaiveBayes
        >>> with TemporaryDirectory() as folder:
        ...     _ = Path(folder, "days.csv").write_text("sky,play\nsun,yes\nrain,no\nsun,yes\n")
        ...     model = NaiveBayes().fit_files(f"{folder}/*.csv", target="play")
        >>> model.tally_.total
        3
        """
        self._check_parameters()
        opened = open_source(
            source,
            schema=schema,
            checkpoint=checkpoint,
            progress=progress,
            on_bad_row=on_bad_row,
            encoding=encoding,
            sheet=sheet,
            decimal=decimal,
        )
        return fit_source(self, opened, target, sample_weight)

    def _tally_without(self, tally: Tally, X: Any, y: LabelsLike | None, sample_weight: ArrayLike | None) -> Tally:
        """A tally without some of its rows; an error where they were never counted."""
        batch, form = self._tally_of(X, y, sample_weight), self._form
        unknown = batch.classes.labels[tally.classes.encode(batch.classes.labels) == len(tally.classes)]
        if len(unknown):
            raise InputError(f"class {unknown.tolist()[0]!r} was never learned, so it cannot be forgotten.")
        # Every count is checked against falling below 0, which shows rows that were never learned.
        left = tally - batch
        # A difference has no classes without rows; those that partial_fit was told of stay.
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

    def _learn(self, data: Any, sample: Sample, form: Form, known: Variable | None = None) -> Self:
        """Learn the first rows; `known` are the classes that `partial_fit` declares."""
        tally = self._count(data, sample, form)
        if known is not None:
            check_within(tally.classes, known)
        # Before the declared classes are added: a class without rows has no evidence to learn from.
        form, estimates = self._learn_beyond_counts(tally, form, data, sample)
        if known is not None:
            tally, form, estimates = tally.with_classes(known), replace(form, classes=known), None
        check_weight(tally)
        return self._adopt(tally, form, estimates)

    def _tally_of(self, X: Any, y: LabelsLike | None, sample_weight: ArrayLike | None) -> Tally:
        """Count rows as more of those that were learned: the columns must match, and take the names of the form."""
        return self._count(*self._rows_of(X, y, sample_weight, self._form))

    def _rows_of(
        self, X: Any, y: LabelsLike | None, sample_weight: ArrayLike | None, known: Form | None = None
    ) -> tuple[Rows, Sample, Form]:
        """Read rows with their classes, and find their form where none is known."""
        X, y, target = split_target(X, y)
        data = self._read(X if known is None else without_target(X, known.target))
        if known is not None:
            self._check_columns(data)
            data = data.named(known.names)
        data = self._as_learned(data, known)
        labels = read_target(y, data.shape[0], target)
        if self._is_own(known):  # a file may have "1" where the first batch had 1
            labels = labels.read_as(self.tally_.classes)
        sample = Sample.of(labels, read_weights(sample_weight, data.shape[0]))
        form = known or self._form_of_sample(data, sample)
        if known is None and target is not None:
            form = replace(form, target=target)
        return data, sample, form

    def _is_own(self, form: Form | None) -> bool:
        """True for the form of the rows that this model has learned, whose labels are known."""
        # Identity, not equality: the labels that were counted belong to this form, not to one that looks the same.
        return form is not None and form is self.__dict__.get("_form")

    def _form_of_sample(self, data: Any, sample: Sample) -> Form:  # some forms depend on the classes
        return self._form_of(data)

    def _features(self, X: Any) -> Any:
        """Read a table without the target's column, which it may contain where the target was given by name."""
        self._check_fitted()
        return self._as_learned(self._read(without_target(X, self._form.target)), self._form)

    def _adopt(self, tally: Tally, form: Form, estimates: dict[str, object] | None = None) -> Self:
        """Replace the tally and all estimates, at once."""
        if estimates is None:
            estimates = self._estimate(tally, form)
        # Nothing is changed before all estimates are made: an error leaves the model as it was.
        # What is learned later is learned with the parameters of the first fit, whatever is set by now.
        settings = self.__dict__.get("_fitted_with") or self._unfitted()
        self._drop_stale()
        if form.names is not None:
            self.feature_names_in_ = np.array(form.names, dtype=object)
        self.__dict__.update(
            estimates,
            tally_=tally,
            classes_=tally.classes.labels,
            n_features_in_=form.columns,
            _form=form,
            _fitted_with=settings,
        )
        return self

    def _drop_stale(self) -> None:
        super()._drop_stale()
        for name in ("feature_names_in_", "calibration_"):
            self.__dict__.pop(name, None)

    # Predicting ----------------------------------------------------------------------------------------------------

    def predict(self, X: Any) -> AnyArray:
        """Predict the class of each row.

        It is the class with the largest posterior, the first of several, unless `rule`, `loss` or `reject` of the model
        set another decision.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features)
            The rows, with the columns that the model was fitted on. The column of the labels may be among them, where
            the model was fitted with its name.

        Returns
        -------
        labels : array of shape (n_samples,)
            None where the decision is rejected.
        """
        return labels_of(self._score(X, "best"), self.classes_)

    def predict_proba(self, X: Any) -> Floats:
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

    def predict_log_proba(self, X: Any) -> Floats:
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

    def predict_joint_log_proba(self, X: Any) -> Floats:
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

    def evidence(self, X: Any) -> Evidence:
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

    def score(self, X: Any, y: LabelsLike | None = None, sample_weight: ArrayLike | None = None) -> float:
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
        # scikit-learn's accuracy takes no None among labels, which is what a rejected decision is.
        if self._decider().reject is None:
            return float(super().score(X, labels, sample_weight))
        return share_right(self.predict(X), labels, sample_weight)

    def _score(self, X: Any, want: Want) -> AnyArray:
        data = self._features(X)
        self._check_columns(data)
        return self._scores(data, want)

    def _without_fault(self, scored: tuple[AnyArray, Fault | None], data: Matrix | Table) -> AnyArray:
        """The scores of a kernel, or an error for the first value that it cannot use."""
        scores, fault = scored
        if fault is not None:
            self._raise(fault, data)
        return scores

    def _raise(self, fault: Fault, data: Matrix | Table) -> NoReturn:
        _, row, column = fault
        value = data.values[row, column].item() if isinstance(data, Matrix) else data.columns[column].value(row)
        raise_fault(fault, type(self).__name__, self._names(), value)

    def _beliefs(self) -> Beliefs:
        return Beliefs(self._start(), self._prior, self._calibration())

    def _calibration(self) -> Calibration | None:
        return self.__dict__.get("calibration_")

    def _decide(self, likelihood: Floats) -> AnyArray:
        """The code of each row's class; `NO_DECISION` where the decision is rejected."""
        return self._decider().decide(likelihood, self._beliefs(), self.classes_)

    def _evidence_of(self, data: Rows, start: Floats) -> Evidence:
        self._check_values(data)
        return Evidence(self.classes_, (*self._names(), *self._remainders()), start, self._column_evidence(data))

    # One row -------------------------------------------------------------------------------------------------------

    def predict_one(self, row: Any) -> Any:
        """Predict the class of one row.

        Parameters
        ----------
        row : mapping, Series, tuple or array
            One row, in any form that `explain` takes.

        Returns
        -------
        label : the class, or None
            None where the decision is rejected.
        """
        return self._label_of(self._scores(self._one_row(row), "best"))

    def predict_proba_one(self, row: Any) -> dict[Any, float]:
        """Compute P(class | row) of one row.

        Parameters
        ----------
        row : mapping, Series, tuple or array
            One row, in any form that `explain` takes.

        Returns
        -------
        posteriors : dict
            The posterior of each class, by its label.
        """
        posterior = self._scores(self._one_row(row), "posterior")[0]
        return dict(zip(self.classes_.tolist(), posterior.tolist(), strict=True))

    def explain(self, row: Any, against: object = None) -> Explanation:
        """Show the arithmetic of one row's prediction.

        Parameters
        ----------
        row : mapping, Series, tuple or array
            A mapping of names to values, a pandas Series, a table of one row, a named tuple such as `itertuples`
            returns, or an array or list of values in the order of the columns. Columns that it does not name are
            missing.
        against : a class, optional
            The class to compare with; the next best when None.

        Returns
        -------
        Explanation
            The weights of evidence in decibans, which sum to the log-odds of the predicted class against the other.

        Examples
        --------
        >>> import deciban as db
        >>> days = {"sky": ["sun", "sun", "rain"], "wind": ["low", "high", "high"]}
        >>> model = db.NaiveBayes(weights=None).fit(days, ["play", "play", "stay"])
        >>> print(model.explain({"sky": "sun", "wind": "high"}))
        P(play) = 0.771 against P(stay) = 0.229
          column  value  decibans
          prior             +3.01
          sky     sun       +3.52
          wind    high      -1.25
          total             +5.28
        """
        explanation: Explanation = self._explain_read(self._one_row(row), against)
        return explanation

    def widget(self, row: Any, X: Any = None) -> RowWidget:
        """Show a row in a notebook: change a value, and its evidence and the posterior move.

        Needs ``pip install deciban[widget]``.

        Parameters
        ----------
        row : mapping, Series, tuple or array
            The values to begin with, as in `explain`.
        X : table, optional
            Rows, from which sliders get their ranges.

        Returns
        -------
        RowWidget
            Its ``row`` has the values that are shown and its ``posterior`` the probability of each class; other cells
            can read and observe both, and set the row.

        Examples
        --------
        >>> import deciban as db
        >>> days = {"sky": ["sun", "sun", "rain"], "wind": ["low", "high", "high"]}
        >>> model = db.NaiveBayes(weights=None).fit(days, ["play", "play", "stay"])
        >>> widget = model.widget({"sky": "sun", "wind": "high"})
        >>> round(widget.posterior["play"], 3)
        0.771
        """
        self._check_fitted()
        need("anywidget", "widget", "a widget")
        from deciban.widget.notebook import RowWidget  # noqa: PLC0415  a layer above, for those who have the extra

        return RowWidget(self, row, X)

    def _explain_read(self, data: Matrix | Table, against: object = None) -> Explanation:
        """Explain the only row of a table that was read."""
        evidence = self._evidence_of(data, self._decider().start(self._start()))
        label = self._label_of(self._decide(evidence.columns.sum(axis=1)))
        values = values_of(data) + [None] * len(self._remainders())
        # Impossible in every class: prediction falls back to the prior, and the explanation has to say so.
        is_impossible = bool(np.isneginf(evidence.joint).all())
        plain = explain_evidence(evidence, values, label, against, is_impossible=is_impossible)
        explanation: Explanation = self._with_factors(plain, data, values)
        return explanation.with_ignored({plan.name for plan in self._form.schema if plan.distribution.is_ignored})

    def _one_row(self, row: Any) -> Any:
        """One row in any form, as a table of one row."""
        self._check_fitted()
        names = self._names()
        return self._as_learned(self._read_values(read_row(row, names), names), self._form)

    def _label_of(self, codes: AnyArray) -> Any:
        """The label of the only code, as a value of Python."""
        code = int(codes[0])
        return None if code == NO_DECISION else plain(self.classes_[code])

    # A model of how rows arise -------------------------------------------------------------------------------------

    @property
    def n_parameters_(self) -> int:
        """The number of free parameters of P(row, class).

        A distribution over m states has m − 1 of them in each class, a normal column a mean and a variance in each
        class, less what is tied; the priors of J classes have J − 1, or none where they are given or uniform. What is
        chosen before, such as cuts, trees and pseudo-counts, is not counted, nor is what is learned on top for better
        posteriors: weights of columns, temperatures, calibrations.

        Examples
        --------
        Two classes and two columns of three states: naive Bayes has 1 + 2·(2 + 2), the joint table 2·9 − 1.

        >>> from deciban import CategoricalNB, JointBayes
        >>> X, y = [["m", "b"], ["g", "q"], ["h", "s"], ["g", "q"]], ["t", "t", "f", "f"]
        >>> CategoricalNB().fit(X, y).n_parameters_, JointBayes().fit(X, y).n_parameters_
        (9, 17)
        """
        self._check_fitted()
        # The priors sum to 1, so the last one is not free.
        of_priors = len(self.classes_) - 1 if is_estimated(self._prior_rule()) else 0
        return int(of_priors + self._free_parameters())

    @overload
    def log_likelihood(
        self,
        X: Any,
        y: LabelsLike | None = ...,
        *,
        sample_weight: ArrayLike | None = ...,
        per_row: Literal[False] = ...,
    ) -> float: ...

    @overload
    def log_likelihood(
        self, X: Any, y: LabelsLike | None = ..., *, sample_weight: ArrayLike | None = ..., per_row: Literal[True]
    ) -> Floats: ...

    def log_likelihood(
        self, X: Any, y: LabelsLike | None = None, *, sample_weight: ArrayLike | None = None, per_row: bool = False
    ) -> float | Floats:
        """Σ w·log P(row, class), or without `y` Σ w·log P(row), with P(row) = Σ_j P(j)·P(row | j).

        Parameters
        ----------
        X : rows, in any form that `predict` takes
        y : their labels, or the name of the column of X with the labels; a label that was not there in fit has
            probability 0
        sample_weight : how many rows each row stands for
        per_row : whether the logarithm of each row is returned instead of the sum

        Notes
        -----
        The joint distribution is the one that was estimated: weights of columns, temperatures and calibrations, which
        change posteriors, are not used, so it can differ from `predict_joint_log_proba`. A row that is impossible has
        −∞. Missing values are summed out, unless ``missing="state"`` gives them a probability.
        Columns of numbers have densities; a number in a bin has the probability of its bin. Of a row of term counts and
        of a document it is the probability of its known tokens one after the other, given how many there are: that of
        the counts is larger by the multinomial coefficient. A label that was not there in fit has the probability of a
        label counted 0 times, which comes on top of those that sum to 1.

        Examples
        --------
        >>> from deciban import CategoricalNB
        >>> model = CategoricalNB(alpha=0).fit(
        ...     [["sun"], ["sun"], ["rain"], ["rain"]], ["yes", "yes", "yes", "no"]
        ... )
        >>> np.exp(model.log_likelihood([["sun"], ["rain"]], per_row=True)).round(3).tolist()
        [0.5, 0.5]
        >>> np.exp(model.log_likelihood([["sun"], ["rain"]], ["yes", "no"], per_row=True)).round(
        ...     3
        ... ).tolist()
        [0.5, 0.25]
        """
        self._check_fitted()
        X, y, _ = split_target(X, y)
        data = self._features(X)
        self._check_columns(data)
        joint = self._joint(data)
        # In log space: a row of many columns has a density far below the smallest float.
        logs = scipy.special.logsumexp(joint, axis=1) if y is None else _of_labels(self.tally_.classes, joint, y)
        return logs if per_row else weighted_sum(logs, sample_weight)

    def sample(self, n: int, *, random_state: RandomState = None) -> tuple[Any, AnyArray]:
        """Draw rows with their classes: a class by the priors, then the columns given the class.

        Parameters
        ----------
        n : the number of rows
        random_state : an int, a Generator or None; the same int gives the same rows

        Returns
        -------
        X : an Arrow table, whose columns of labels are dictionaries; an array where the model was fitted without the
            names of columns
        y : the labels

        Notes
        -----
        As in `log_likelihood`, weights of columns, temperatures and calibrations are not used. Numbers in bins are
        drawn evenly within their bin; the first and the last bin are taken to be as wide as their neighbours.
        A column that is ignored has missing values only, and so has one with ``missing="state"`` where it draws them.

        Examples
        --------
        >>> from deciban import CategoricalNB
        >>> model = CategoricalNB(alpha=0).fit(
        ...     {"sky": ["sun", "sun", "rain"]}, ["play", "play", "stay"]
        ... )
        >>> X, y = model.sample(4, random_state=0)
        >>> X["sky"].to_pylist(), y.tolist()
        (['sun', 'rain', 'sun', 'rain'], ['play', 'stay', 'play', 'stay'])
        """
        return self._drawn(n, random_state, self._draw)

    def _drawn(
        self, n: int, random_state: RandomState, draw: Callable[[int, np.random.Generator], tuple[Codes, Any]]
    ) -> tuple[Any, AnyArray]:
        """A sample by a function that gives the codes of the classes, and the columns."""
        self._check_fitted()
        rows, rng = read_count(n, "n", 0), np.random.default_rng(read_seed(random_state))
        check_memory("the rows, rows × columns,", rows, self._form.columns, advice="Draw fewer at a time.")
        codes, columns = draw(rows, rng)
        return drawn_table(self._form.names, columns), labels_of(codes, self.classes_)

    def _free_parameters(self) -> int:
        raise self._no_joint()

    def _joint(self, data: Any) -> Floats:
        """log P(row, class) of rows that were read, without anything that is learned on top."""
        raise self._no_joint()

    def _draw(self, n: int, rng: np.random.Generator) -> tuple[Codes, Sequence[Drawn]]:
        """The codes of the classes of n rows, and a column for each of the model's."""
        raise self._no_joint()

    def _no_joint(self) -> ParameterError:
        return ParameterError(f"{type(self).__name__} is not a distribution of rows and classes: {self._why_no_joint}.")

    # Spark -----------------------------------------------------------------------------------------------------------

    __metadata_request__transform = dict.fromkeys(
        ("text", "label_column", "posterior_column", "posteriors_column"), UNUSED
    )  # these arguments of `transform` are no metadata that a pipeline would pass on

    # scikit-learn takes every estimator with a `transform` for a transformer, and a pipeline would call it for arrays:
    # so the method exists only where a Spark frame can exist.
    @available_if(_is_spark_imported)  # type: ignore[untyped-decorator]
    def transform(
        self,
        X: Any,
        *,
        text: str | None = None,
        label_column: str = "label",
        posterior_column: str = "posterior",
        posteriors_column: str | None = None,
    ) -> Any:
        """Score the rows of a Spark frame on its executors. The method exists once pyspark is imported.

        As Spark computes frames when their rows are needed, an error in the rows (an unseen state where
        ``unseen="error"``) shows then, as Spark's `PythonException` with deciban's message.

        Parameters
        ----------
        X : Spark frame
            It has the columns that the model was fitted on; other columns are kept.
        text : str, optional
            For a model of documents, the name of their column.
        label_column : str
            The name of the column with the class that `predict` returns; null where the decision is rejected.
        posterior_column : str
            The name of the column with P(label | row); of the best class where the decision is rejected.
        posteriors_column : str, optional
            The name of a column with P(class | row) of all classes, an array in the order of `classes_`; none when
            None.

        Returns
        -------
        frame : Spark frame
            X with a label and its posterior in each row.
        """
        self._check_fitted()
        if not is_spark(X):
            raise InputTypeError(
                f"transform scores Spark frames; for a {type(X).__name__} there are predict and predict_proba."
            )
        wanted = (text,) if text is not None else self._form.names
        if wanted is None:
            raise ParameterError(
                f"this {type(self).__name__} was fitted without names of columns. Fit it on a frame; or, where X has "
                "documents, name their column: text=…"
            )
        check_known(wanted, X.columns, "column")
        names = [label_column, posterior_column] + ([] if posteriors_column is None else [posteriors_column])
        # The kind of the third column is left over where that column is not wanted.
        kinds = dict(zip(names, (spark.label_kind(self.classes_), "double", "doubles"), strict=False))
        # Equal names are one key of the mapping.
        if len(kinds) < len(names):
            raise ParameterError("the columns of labels and posteriors must have different names.")
        score = RowScores(self, text or wanted, label_column, posterior_column, posteriors_column)
        return spark.add_scores(X, score, kinds)

    def set_output(self, *, transform: Any = None) -> Self:
        """Return the model as it is: its predictions are arrays. Pipelines call this for each step.

        Parameters
        ----------
        transform : ignored
            scikit-learn's name for the format of the output.

        Returns
        -------
        self : the model
        """
        return self

    # Checks --------------------------------------------------------------------------------------------------------

    def _is_fitted(self) -> bool:
        return "tally_" in self.__dict__

    def _check_columns(self, data: Any) -> None:
        check_names(type(self).__name__, self._form.names, data.given_names)
        columns = data.shape[1]
        if columns != self.n_features_in_:
            raise ColumnMismatchError(
                # scikit-learn's words, which its check_estimator looks for.
                f"X has {columns} features, but {type(self).__name__} is expecting {self.n_features_in_} features as "
                "input."
            )

    def _names(self) -> tuple[str, ...]:
        return self._form.names or generated_names(self._form.columns)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        # The parameter that is set, not the one in use: tags are asked of models that are not fitted, too.
        tags.input_tags.allow_nan = self.missing == "skip"
        return tags


def form_of(model: BayesClassifier) -> Form:
    """The form of a fitted model, for what is built on models."""
    return model._form


def schema_of(model: Classifier) -> Schema | tuple[()]:
    """The plans of the columns of a fitted model; none where its columns have no distributions of their own."""
    return model._form.schema if isinstance(model, BayesClassifier) else ()


def target_in_fit(model: Classifier) -> str | None:
    """The column of the classes, where `fit` was called with its name."""
    return model._form.target if isinstance(model, BayesClassifier) else None


def check_weight(tally: Tally) -> None:
    """Refuse a tally without rows."""
    if not tally.total > 0:
        raise InputError("there is nothing to learn from: X has no rows, or all sample weights are zero.")


def check_label(label: object) -> None:
    """Refuse a label that is missing, or of a type that cannot be one."""
    if not isinstance(label, Hashable):
        raise InputTypeError(f"the label is {label!r}, which cannot be one: use text or a number.")
    if is_missing(label):
        raise InputError(f"the label is {label!r}: every row needs a label.")


def known_classes(classes: Any, learned: Variable | None) -> Variable:
    """The classes that `partial_fit` was called with; `learned` are those of the model, None in the first call."""
    if classes is None:
        if learned is None:
            # The words of scikit-learn, here and below.
            raise ParameterError("classes must be passed on the first call to partial_fit.")
        return learned
    # In any order: classes are compared as a set.
    given = np.sort(read_labels(classes))
    if learned is not None and not np.array_equal(given, learned.labels):
        raise ParameterError(
            f"`classes={classes!r}` is not the same as on last call to partial_fit, was: {learned.labels!r}"
        )
    return Variable.of("y", given)


def check_within(batch: Variable, known: Variable) -> None:
    """Refuse classes of a first batch that were not declared."""
    unknown = batch.labels[known.encode(batch.labels) == len(known)]
    if len(unknown):
        raise InputError(
            f"The target label(s) {unknown} in y do not exist in the initial classes {known.labels}. Name all classes "
            "of the first batch; later batches may have new ones."
        )


def _of_labels(classes: Variable, joint: Floats, y: LabelsLike | None) -> Floats:
    """log P(row, class) of each row's own class."""
    target = read_target(y, len(joint))
    codes = classes.encode(target.classes.labels)[target.codes]
    wide = np.column_stack([joint, np.full(len(joint), -np.inf)])  # the last: labels that were not there in fit
    return wide[np.arange(len(wide)), codes]


@dataclass(frozen=True)
class RowScores:
    """Labels and posteriors of the rows of an Arrow table, by the names of their columns."""

    model: BayesClassifier
    columns: str | tuple[str, ...]
    label: str
    posterior: str
    posteriors: str | None

    def __call__(self, table: ArrowTable) -> Mapping[str, AnyArray]:
        # A model of documents reads one column, others a table.
        rows = table.column(self.columns) if isinstance(self.columns, str) else table.select(list(self.columns))
        codes = self.model._score(rows, "best")
        beliefs = self.model._score(rows, "posterior")
        # A rejected row has the code −1, which would index the last class.
        chosen = np.where(codes == NO_DECISION, beliefs.argmax(axis=1), codes)
        scores = {
            self.label: labels_of(codes, self.model.classes_),
            self.posterior: np.take_along_axis(beliefs, chosen[:, None], axis=1)[:, 0],
        }
        return scores if self.posteriors is None else {**scores, self.posteriors: beliefs}


SAMPLE = 100_000
"""The number of rows from which the form of a model is learned."""


M = TypeVar("M", bound=BayesClassifier)


@dataclass(frozen=True)
class ModelCounting(SourceCounting[Tally]):
    """Counts batches in the way of a fitted model."""

    model: BayesClassifier
    target: str
    sample_weight: str | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        weight = () if self.sample_weight is None else (self.sample_weight,)
        return (*self.model._form.column_names, self.target, *weight)

    @property
    def required(self) -> tuple[str, ...]:
        return (self.target,) if self.sample_weight is None else (self.target, self.sample_weight)

    @property
    def described(self) -> str:
        # A checkpoint is continued by equal countings only: tallies of another form do not add up.
        settings = repr((sorted(self.model.get_params().items(), key=str), self.model._form))
        return f"{type(self.model).__name__} of {self.target!r} ({sha256(settings.encode()).hexdigest()[:16]})"

    def __call__(self, batch: ArrowTable) -> Tally:
        rows, weights = split_weight(batch, self.sample_weight)
        tally: Tally = self.model._tally_of(rows, self.target, weights)
        return tally


def fit_source(
    model: M,
    source: Source,
    target: str,
    sample_weight: str | None = None,
    *,
    in_memory: tuple[ArrowTable, bool] | None = None,
) -> M:
    """Fit a model on all rows of a source; `in_memory` are those that its form is learned from, and if these are all.

    The model has the columns of the rows in memory, which may lack some of the source's.
    """
    if in_memory is None:
        in_memory = rows_in_memory(source, SAMPLE, (target,) if sample_weight is None else (target, sample_weight))
    table, is_whole = in_memory
    rows, weights = split_weight(table, sample_weight)
    # A clone, so that the model stays as it was until all rows of the source are counted.
    fitted = clone(model).fit(rows, target, weights)
    if not is_whole:
        fitted._adopt(tally_source(source, ModelCounting(fitted, target, sample_weight)), fitted._form)
    return model._become(fitted)


def split_weight(batch: ArrowTable, name: str | None) -> tuple[ArrowTable, AnyArray | None]:
    """The table without the column of the weights, and the weights; None where no column is named."""
    if name is None:
        return batch, None
    rows, weights, _ = split_target(batch, name)
    return rows, column_of(name, weights).numbers
