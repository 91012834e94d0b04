"""Single rows of naive Bayes: `learn_one`, `predict_one` and `predict_proba_one`.

A live counter holds the counts of all rows (`LiveCounter`). It is made when a single row is first learned or predicted,
and dropped when anything else is learned. After `learn_one` the tally and the estimates are out of date: they are
removed, and made again when they are next used, so a stream of rows that are predicted and learned never estimates the
whole model.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import numpy as np

from deciban.estimate.live.base import Setting
from deciban.models.form import Form
from deciban.models.parameters import FITTED_WITH, FittedParameters, as_fitted, sees_fitted
from deciban.models.parts.column_weights import follow_counts
from deciban.models.parts.rows.first_row import form_of_first_row
from deciban.models.parts.rows.live_counter import LiveCounter, check_label
from deciban.models.parts.rows.one_row import table_of_row
from deciban.models.parts.tables import markers_of
from deciban.read import generated_names, plain, read_target
from deciban.read.row import read_row
from deciban.tallies import Sample
from deciban.turns import turn

__all__ = ["learn_one", "predict_one", "predict_proba_one"]

Model = TypeVar("Model", bound=FittedParameters)

_FROM_COUNTS = ("tally_", "class_count_", "class_prior_", "weights_", "_prior", "_estimates", "calibration_")
"""What follows from the counts, and is out of date after `learn_one`."""


@sees_fitted
def learn_one(self: Model, row: Any, label: Any) -> Model:
    """Learn one row. The result is that of `partial_fit` with the same rows.

    New classes and labels may come at any time. A model that has learned nothing yet takes its columns from the first
    row, and from `columns`, which may name more: a column without a distribution there is Gaussian where its value is a
    number (int or float), else Categorical.

    Parameters
    ----------
    row : mapping, Series, tuple or array
        One row, in any form that `explain` takes; columns that it does not name are missing. A dict of names to values
        is the fastest form.
    label : a class
        The class of the row.

    Returns
    -------
    self : the model

    Examples
    --------
    >>> from deciban import NaiveBayes
    >>> model = NaiveBayes()
    >>> for sky, play in [("sun", "yes"), ("rain", "no"), ("sun", "yes")]:
    ...     _ = model.learn_one({"sky": sky}, play)
    >>> str(model.predict_one({"sky": "sun"})), model.tally_.total
    ('yes', 3)
    """
    with turn(self):
        held = self.__dict__
        if FITTED_WITH in held:
            return as_fitted(learn_one)(self, row, label)
        if type(row) is not dict:
            row = _row_values(self, row)
        live = held.get("_live")
        if live is None:
            if not self._is_fitted():
                _learn_first(self, row, label)
                return self
            live = _make_live(self)
        code = live.code_of(label)
        if code is None:
            _learn_as_table(self, row, label, held["_form"])
            return self
        live.learn(row, code)
        if "tally_" in held:
            for name in _FROM_COUNTS:
                held.pop(name, None)
        return self


@sees_fitted
def predict_one(self: Any, row: Any) -> Any:
    """Predict the class of one row.

    Parameters
    ----------
    row : mapping, Series, tuple or array
        One row, in any form that `explain` takes. A dict of names to values is the fastest form.

    Returns
    -------
    label : the class, or None
        None where the decision is rejected.
    """
    if FITTED_WITH in self.__dict__:
        return as_fitted(predict_one)(self, row)
    if type(row) is not dict:
        row = _row_values(self, row)
    live = _live_of(self)
    if self.rule == "map" and self.loss is None and self.reject is None and self._calibration() is None:
        return self._labels[live.best(row)]
    return self._label_of(self._decide(np.array([live.likelihood(row)])))


@sees_fitted
def predict_proba_one(self: Any, row: Any) -> dict[Any, float]:
    """Compute P(class | row) of one row.

    Parameters
    ----------
    row : mapping, Series, tuple or array
        One row, in any form that `explain` takes. A dict of names to values is the fastest form.

    Returns
    -------
    posteriors : dict
        The posterior of each class, by its label.
    """
    if FITTED_WITH in self.__dict__:
        return as_fitted(predict_proba_one)(self, row)
    if type(row) is not dict:
        row = _row_values(self, row)
    posterior = _live_of(self).posterior(row)
    calibration = self._calibration()
    if calibration is not None:
        posterior = calibration.apply(np.array([posterior]))[0].tolist()
    return dict(zip(self._labels, posterior, strict=True))


def _row_values(model: Any, row: Any) -> dict[str, Any]:
    return read_row(row, model._names() if model._is_fitted() else None)


def _live_of(model: Any) -> LiveCounter:
    """The counter, with weights that follow from the present counts."""
    held = model.__dict__
    live: LiveCounter | None = held.get("_live")
    if live is None:
        model._check_fitted()
        return _make_live(model)
    if "tally_" not in held and follow_counts(model.weights):
        live.weigh(model._estimates.weights)
    return live


def _make_live(model: Any) -> LiveCounter:
    model._check_parameters()
    setting = Setting("", markers_of(model.na_values), type(model).__name__, len(model.classes_))
    model._live = LiveCounter(model.tally_, model._form, setting, model.smoothing, model.priors, model._estimates)
    return model._live


def _learn_first(model: Any, row: Mapping[str, Any], label: Any) -> None:
    model._check_parameters()
    form = form_of_first_row(row, model.columns, markers_of(model.na_values), model._defaults())
    _learn_as_table(model, row, label, form)


def _learn_as_table(model: Any, row: Mapping[str, Any], label: Any, form: Form) -> None:
    """Learn a row as a table of one row: the first row, and rows of new classes."""
    names = form.names or generated_names(form.columns)
    data = model._as_learned(table_of_row(row, form, names, markers_of(model.na_values)), form)
    check_label(label := plain(label))
    target = read_target([label], 1)
    if model._is_fitted():
        target = target.read_as(model.tally_.classes)
    batch = model._count(data, Sample.of(target), form)
    model._adopt(model.tally_ + batch if model._is_fitted() else batch, form)
