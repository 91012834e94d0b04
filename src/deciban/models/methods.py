"""Learning and forgetting rows: methods of all classifiers of tables.

A model is a function of its tally, so it learns by adding counts and forgets by subtracting them. The functions are
methods of `BayesClassifier`, which has them as attributes.

Predictions for many rows: methods of all classifiers of tables.

The functions are methods of `BayesClassifier`, which has them as attributes.

A classifier as a model of how rows arise: a class is drawn, then the columns given the class (Mukund, lecture 15).

    P(x, j) = P(j)·P(x | j),    P(x) = Σ_j P(j)·P(x | j)

These functions are methods of every classifier. What is learned on top of P(x | j) for better posteriors is not part of
this joint distribution, and is not used here: the weights of columns, temperatures, calibrations, and the `length` of a
text model. A model whose posteriors are not those of a joint distribution refuses, and says why.

A model defines `_free_parameters`, the number of free parameters of P(x | j), `_joint`, which gives log P(x, j) of rows
that were read, and `_draw`, which gives a column for each of its own, given the classes of the rows.

Scoring of Spark frames: a method of all classifiers, which is there once pyspark is imported.

scikit-learn takes every estimator with a `transform` for a transformer: a pipeline would call it for arrays. So the
method exists only where a Spark frame can exist.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, NoReturn, TypeVar, overload

import numpy as np
import scipy
from sklearn.utils.metadata_routing import UNUSED
from sklearn.utils.metaestimators import available_if

from deciban.decide import NO_DECISION
from deciban.engines import spark
from deciban.errors import ColumnMismatchError, InputError, InputTypeError, ParameterError
from deciban.estimate.drawing import RandomState, draw_codes, drawn_table, read_count, read_seed
from deciban.estimate.smoothing import is_estimated
from deciban.explain import Evidence, Explanation
from deciban.explain import explain as explain_evidence
from deciban.limits import check_memory
from deciban.models.decider import labels_of
from deciban.models.form import values_of
from deciban.models.parameters import as_fitted, sees_fitted
from deciban.read import Variable, plain, read_labels, read_target, split_target
from deciban.read.table import read_row
from deciban.read.target import weighted_sum
from deciban.tallies import Tally
from deciban.tallies.arithmetic import check_known
from deciban.turns import turn
from deciban.types import AnyArray, Codes, Floats, Ints

__all__ = [
    "UNROUTED",
    "check_weight",
    "check_within",
    "draw_classes",
    "drawn_sample",
    "evidence",
    "explain",
    "explain_read",
    "fit",
    "forget",
    "known_classes",
    "label_of",
    "log_likelihood",
    "merge",
    "n_parameters_",
    "partial_fit",
    "predict",
    "predict_joint_log_proba",
    "predict_log_proba",
    "predict_one",
    "predict_proba",
    "predict_proba_one",
    "read_lengths",
    "read_one_row",
    "sample",
    "scored_joint",
    "set_output",
    "transform",
    "without_joint",
]


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


def predict_one(self: Any, row: Any) -> Any:
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
    return self._label_of(self._scores_of(self._one_row(row), "best"))


def predict_proba_one(self: Any, row: Any) -> dict[Any, float]:
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
    posterior = self._scores_of(self._one_row(row), "posterior")[0]
    return dict(zip(self.classes_.tolist(), posterior.tolist(), strict=True))


def explain(self: Any, row: Any, against: Any = None) -> Explanation:
    """Show the arithmetic of one row's prediction.

    Parameters
    ----------
    row : mapping, Series, tuple or array
        A mapping of names to values, a pandas Series, a table of one row, a named tuple such as `itertuples` returns,
        or an array or list of values in the order of the columns. Columns that it does not name are missing.
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


def explain_read(self: Any, data: Any, against: Any = None) -> Explanation:
    """Explain the only row of a table that was read."""
    evidence = self._evidence_of(data, self._decider().start(self._start()))
    label = self._label_of(self._decide(evidence.columns.sum(axis=1)))
    values = values_of(data) + [None] * len(self._remainders())
    is_impossible = bool(np.isneginf(evidence.joint).all())
    plain = explain_evidence(evidence, values, label, against, is_impossible=is_impossible)
    explanation: Explanation = self._with_factors(plain, data, values)
    schema = getattr(self, "schema_", ())
    return explanation.with_ignored({plan.name for plan in schema if plan.distribution.is_ignored})


def read_one_row(self: Any, row: Any) -> Any:
    """One row in any form, as a table of one row."""
    self._check_fitted()
    names = self._names()
    return self._as_learned(self._read_values(read_row(row, names), names), self._form)


def label_of(self: Any, codes: AnyArray) -> Any:
    """The label of the only code, as a value of Python."""
    code = int(codes[0])
    return None if code == NO_DECISION else plain(self.classes_[code])


@property  # type: ignore[misc]
@as_fitted
def n_parameters_(self: Any) -> int:
    """The number of free parameters of P(row, class).

    A distribution over m states has m − 1 of them in each class, a normal column a mean and a variance in each class,
    less what is tied; the priors of J classes have J − 1, or none where they are given or uniform. What is chosen
    before, such as cuts, trees and pseudo-counts, is not counted, nor is what is learned on top for better
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
    of_priors = len(self.classes_) - 1 if is_estimated(self._prior_rule()) else 0
    return int(of_priors + self._free_parameters())


@overload
def log_likelihood(
    self: Any, X: Any, y: Any = ..., *, sample_weight: Any = ..., per_row: Literal[False] = ...
) -> float: ...
@overload
def log_likelihood(self: Any, X: Any, y: Any = ..., *, sample_weight: Any = ..., per_row: Literal[True]) -> Floats: ...
def log_likelihood(
    self: Any, X: Any, y: Any = None, *, sample_weight: Any = None, per_row: bool = False
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
    change posteriors, are not used, so it can differ from `predict_joint_log_proba`. A row that is impossible has −∞.
    Missing values are summed out, unless ``missing="state"`` gives them a probability. Columns of numbers have
    densities; a number in a bin has the probability of its bin. Of a row of term counts and of a document it is the
    probability of its known tokens one after the other, given how many there are: that of the counts is larger by the
    multinomial coefficient. A label that was not there in fit has the probability of a label counted 0 times, which
    comes on top of those that sum to 1.

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
    logs = scipy.special.logsumexp(joint, axis=1) if y is None else _of_labels(self, joint, y)
    return logs if per_row else weighted_sum(logs, sample_weight)


def sample(self: Any, n: int, *, random_state: RandomState = None) -> tuple[Any, AnyArray]:
    """Draw rows with their classes: a class by the priors, then the columns given the class.

    Parameters
    ----------
    n : the number of rows
    random_state : an int, a Generator or None; the same int gives the same rows

    Returns
    -------
    X : an Arrow table, whose columns of labels are dictionaries; an array where the model was fitted without the names
        of columns
    y : the labels

    Notes
    -----
    As in `log_likelihood`, weights of columns, temperatures and calibrations are not used. Numbers in bins are drawn
    evenly within their bin; the first and the last bin are taken to be as wide as their neighbours. A column that is
    ignored has missing values only, and so has one with ``missing="state"`` where it draws them.

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
    return drawn_sample(self, n, random_state, self._draw)


def drawn_sample(
    model: Any, n: int, random_state: RandomState, draw: Callable[[int, np.random.Generator], tuple[Codes, Any]]
) -> tuple[Any, AnyArray]:
    """A sample by a function that gives the codes of the classes, and the columns."""
    model._check_fitted()
    rows, rng = read_count(n, "n", 0), np.random.default_rng(read_seed(random_state))
    check_memory("the rows, rows × columns,", rows, model._form.columns, advice="Draw fewer at a time.")
    codes, columns = draw(rows, rng)
    return drawn_table(model._form.names, columns), labels_of(codes, model.classes_)


def draw_classes(model: Any, n: int, rng: np.random.Generator) -> Codes:
    """The codes of n classes, by the priors."""
    return draw_codes(np.exp(model._prior)[None], np.zeros(n, dtype=np.int32), rng)


def read_lengths(n_tokens: Any, rows: int, mean: float) -> Ints:
    """How many tokens each row has: as given, or the mean of the learned rows.

    >>> read_lengths(None, 2, 3.4).tolist(), read_lengths([1, 0], 2, 3.4).tolist()
    ([3, 3], [1, 0])
    """
    given = np.asarray(round(mean) if n_tokens is None else n_tokens)
    if given.dtype.kind not in "iu" or given.shape not in ((), (rows,)) or (given.size and given.min() < 0):
        raise ParameterError(f"n_tokens is a whole number from 0 on, or one for each of {rows} rows, not {n_tokens!r}.")
    return np.broadcast_to(given, rows).astype(np.int64)


def scored_joint(self: Any, data: Any) -> Floats:
    """log P(row, class) of a model whose scores are just that."""
    joint: Floats = self._scores_of(data, "joint")
    return joint


def without_joint(reason: str) -> Callable[..., Any]:
    """A method that refuses, for a model that is not a distribution of rows."""

    def refuse(self: Any, *_: Any) -> NoReturn:
        raise ParameterError(f"{type(self).__name__} is not a distribution of rows and classes: {reason}.")

    return refuse


def _of_labels(model: Any, joint: Floats, y: Any) -> Floats:
    target = read_target(y, len(joint))
    codes = model.tally_.classes.encode(target.classes.labels)[target.codes]
    wide = np.column_stack([joint, np.full(len(joint), -np.inf)])  # the last: labels that were not there in fit
    return wide[np.arange(len(wide)), codes]


UNROUTED = dict.fromkeys(("text", "label_column", "posterior_column", "posteriors_column"), UNUSED)
"""The arguments of `transform` are no metadata that a pipeline would pass on."""


@dataclass(frozen=True)
class RowScores:
    """Labels and posteriors of the rows of an Arrow table, by the names of their columns."""

    model: Any
    columns: str | tuple[str, ...]
    label: str
    posterior: str
    posteriors: str | None

    def __call__(self, table: Any) -> Mapping[str, AnyArray]:
        rows = table.column(self.columns) if isinstance(self.columns, str) else table.select(list(self.columns))
        codes = self.model._score(rows, "best")
        beliefs = self.model._score(rows, "posterior")
        chosen = np.where(codes == NO_DECISION, beliefs.argmax(axis=1), codes)
        scores = {
            self.label: labels_of(codes, self.model.classes_),
            self.posterior: np.take_along_axis(beliefs, chosen[:, None], axis=1)[:, 0],
        }
        return scores if self.posteriors is None else {**scores, self.posteriors: beliefs}


def _is_spark_imported(_: Any) -> bool:
    return "pyspark" in sys.modules


@available_if(_is_spark_imported)  # type: ignore[untyped-decorator]
def transform(
    self: Any,
    X: Any,
    *,
    text: str | None = None,
    label_column: str = "label",
    posterior_column: str = "posterior",
    posteriors_column: str | None = None,
) -> Any:
    """Score the rows of a Spark frame on its executors. The method exists once pyspark is imported.

    As Spark computes frames when their rows are needed, an error in the rows (an unseen state where ``unseen="error"``)
    shows then, as Spark's `PythonException` with deciban's message.

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
        The name of a column with P(class | row) of all classes, an array in the order of `classes_`; none when None.

    Returns
    -------
    frame : Spark frame
        X with a label and its posterior in each row.
    """
    self._check_fitted()
    if not spark.is_spark(X):
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
    kinds = dict(zip(names, (spark.label_kind(self.classes_), "double", "doubles"), strict=False))
    if len(kinds) < len(names):
        raise ParameterError("the columns of labels and posteriors must have different names.")
    score = RowScores(self, text or wanted, label_column, posterior_column, posteriors_column)
    return spark.add_scores(X, score, kinds)


def set_output(self: Any, *, transform: Any = None) -> Any:  # noqa: ARG001
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
