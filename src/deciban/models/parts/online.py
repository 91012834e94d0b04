"""Learning and predicting one row at a time, from mappings of names to values.

`learn_one` adds to counts that are kept aside (`Live`). The tally and all that is estimated from it are taken away
meanwhile, and made again when something asks for them: so nothing can read what is out of date, and a stream of rows
that are learned, or predicted and learned, estimates nothing as a whole.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from deciban.decide import NO_DECISION
from deciban.errors import InputError, InputTypeError
from deciban.estimate import Categorical, ColumnDistribution, Gaussian, Likelihood, Smoothing
from deciban.estimate.columns.missing import leave_one_out
from deciban.estimate.columns.values import Markers, is_missing
from deciban.estimate.live.base import Setting
from deciban.limits import check_memory
from deciban.models.form import Form
from deciban.models.parameters import FITTED_WITH, as_fitted, sees_fitted
from deciban.models.parts.live import Live, check_label
from deciban.models.parts.one_row import OneRow, explain_type, posterior_of, scorers_of
from deciban.models.parts.rows import RowClassifier
from deciban.models.parts.weighing import Weighing
from deciban.models.tables.schema import ColumnPlan, Schema, wanted_columns
from deciban.read import Table, generated_names, plain, read_target
from deciban.read.row import read_row
from deciban.tallies import Sample, Tally
from deciban.types import Codes, Floats

__all__ = ["OnlineClassifier"]

_FOLLOWING = ("tally_", "class_count_", "class_prior_", "weights_", "_prior", "_likelihoods")
"""What follows from the rows, and is out of date once another is learned."""


class OnlineClassifier(Weighing, RowClassifier):
    """A model of columns that each have a distribution of their own, for rows that come one by one."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **RowClassifier._parameter_constraints,
        **Weighing._parameter_constraints,
    }

    columns: Any
    priors: Any
    na_values: Any
    smoothing: Smoothing
    unseen: str
    schema_: Schema
    _live: Live
    _likelihoods: list[tuple[Likelihood, list[int]]]

    @sees_fitted
    def learn_one(self, row: Any, label: Any) -> Self:
        """Learn one row, in any form that `explain` takes; what it does not name is missing. Gives the model itself.

        The result is that of `partial_fit` with the same rows; classes and labels may be new at any time. A model that
        has learned nothing yet takes the columns from its first row, and from `columns`, which may name more: a column
        without a distribution there is Gaussian where its value is a number (int or float), else Categorical.

        Examples
        --------
        >>> from deciban import NaiveBayes
        >>> model = NaiveBayes()
        >>> for sky, play in [("sun", "yes"), ("rain", "no"), ("sun", "yes")]:
        ...     _ = model.learn_one({"sky": sky}, play)
        >>> str(model.predict_one({"sky": "sun"})), model.tally_.total
        ('yes', 3)
        """
        held = self.__dict__
        if FITTED_WITH in held:
            return as_fitted(OnlineClassifier.learn_one)(self, row, label)
        if type(row) is not dict:
            row = self._read_row(row)
        live = held.get("_live")
        if live is None:
            if not self._is_fitted():
                return self._learn_first(row, label)
            live = self._make_live()
        code = live.code_of(label)
        if code is None:
            return self._learn_slowly(row, label, self._form)
        live.learn(row, code)
        if "tally_" in held:
            self._set_aside()
        return self

    @sees_fitted
    def predict_proba_one(self, row: Any) -> dict[Any, float]:
        """P(class | row) of one row, in any form that `explain` takes; what it does not name is missing."""
        if FITTED_WITH in self.__dict__:
            return as_fitted(OnlineClassifier.predict_proba_one)(self, row)
        if type(row) is not dict:
            row = self._read_row(row)
        posterior = posterior_of(self._joint(row))
        calibration = self._calibration()
        if calibration is not None:
            posterior = calibration.apply(np.array([posterior]))[0].tolist()
        return dict(zip(self._labels[1], posterior, strict=True))

    @sees_fitted
    def predict_one(self, row: Any) -> Any:
        """The class that the rule chooses for one row, as `predict` does for many; None where it is rejected.

        A row has any form that `explain` takes; a dict of names to values is the fastest.
        """
        if FITTED_WITH in self.__dict__:
            return as_fitted(OnlineClassifier.predict_one)(self, row)
        if type(row) is not dict:
            row = self._read_row(row)
        if self.rule == "map" and self.loss is None and self.reject is None and self._calibration() is None:
            joint = self._joint(row)
            return self._labels[0][joint.index(max(joint))]
        self._check_fitted()
        likelihood = np.array([self._one.sums(row, [0.0] * len(self.classes_))])
        code = int(self._decide(likelihood)[0])
        return None if code == NO_DECISION else self.classes_[code]

    def _read_row(self, row: Any) -> dict[str, Any]:
        return read_row(row, self._names() if self._is_fitted() else None)

    def _left_out_likelihood(self, data: Table, y: Codes, weights: Floats) -> Floats:
        most = max(map(len, self.schema_.by_kind().values()))
        check_memory("leave-one-out", len(y), most, len(self.classes_), itemsize=32, advice="Pass fewer columns.")
        out = np.zeros((len(y), len(self.classes_)))
        for kind, places in self.schema_.by_kind().items():
            parts, columns = [self.tally_.parts[i] for i in places], [data.columns[i] for i in places]
            logs = leave_one_out(kind, parts, columns, (y, weights), self.smoothing)
            out += self._weigh(logs, places).sum(axis=1)
        return out

    # What is kept aside --------------------------------------------------------------------------------------------

    def __getattr__(self, name: str) -> Any:
        if name in _FOLLOWING and "_live" in self.__dict__:
            self._take_in()
            return self.__dict__[name]
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)

    @as_fitted
    def _take_in(self) -> None:
        """Estimate anew from what is kept aside, which goes on learning."""
        super()._adopt(self._live.tally(), self._form)

    def __getstate__(self) -> dict[str, Any]:
        if self._is_fitted():
            self.tally_  # noqa: B018  what is kept aside comes back
        held = super().__getstate__()
        return {name: value for name, value in held.items() if name not in ("_live", "_one", "_labels")}

    def _is_fitted(self) -> bool:
        return "tally_" in self.__dict__ or "_live" in self.__dict__

    def _adopt(self, tally: Tally, form: Form) -> Self:
        super()._adopt(tally, form)
        self.__dict__.pop("_live", None)
        return self

    def _set_aside(self) -> None:
        for name in (*_FOLLOWING, "_one", "calibration_"):
            self.__dict__.pop(name, None)

    def _make_live(self) -> Live:
        self._check_parameters()
        setting = Setting("", self._markers(), type(self).__name__, len(self.classes_))
        self._live = Live(self.tally_, self._form, setting, self.smoothing)
        return self._live

    def _joint(self, row: Mapping[str, Any]) -> list[float]:
        """log P(class, row); the prior where no class can have made the row."""
        held = self.__dict__
        if "tally_" in held or ("_live" in held and self.weights is not None):  # weights follow from all the columns
            one, prior = self._one, self._one.prior
        elif "_live" in held:
            one, prior = self._live.row, self._live.prior(self.priors)
        else:
            self._check_fitted()
        joint = one.sums(row, prior)
        return joint if max(joint) > -math.inf else prior

    @cached_property
    def _one(self) -> OneRow:
        names = self._names()
        return OneRow(
            self._form.allowed(names), scorers_of(names, self._likelihoods, self._markers()), self._prior.tolist()
        )

    @cached_property
    def _labels(self) -> tuple[list[Any], list[Any]]:
        """The classes as `predict` gives them, and as Python's own values."""
        return list(self.classes_), self.classes_.tolist()

    # The first row, and rows of new classes ------------------------------------------------------------------------

    def _learn_first(self, row: Mapping[str, Any], label: Any) -> Self:
        self._check_parameters()
        given = self.columns if isinstance(self.columns, Mapping) else {}
        names = tuple(dict.fromkeys((*row, *given)))
        if not names or not all(isinstance(name, str) for name in names):
            raise InputTypeError(f"the first row names the columns, by text; it names {list(names)}.")
        wanted, markers, defaults = wanted_columns(self.columns, names), self._markers(), self._defaults()
        try:
            plans = [_plan(name, row.get(name), wanted.get(name), markers) for name in names]
        except TypeError as error:
            raise explain_type(row, error) from error
        settled = (replace(plan, distribution=defaults.settle(plan.distribution)) for plan in plans)
        return self._learn_slowly(row, label, Form(len(names), names, schema=Schema(tuple(settled))))

    def _learn_slowly(self, row: Mapping[str, Any], label: Any, form: Form) -> Self:
        """Learn a row as a table of one."""
        names = form.names or generated_names(form.columns)
        data = self._as_table(row, form, names)
        check_label(label := plain(label))
        batch = self._count(data, Sample.of(read_target([label], 1)), form)
        return self._adopt(self.tally_ + batch if self._is_fitted() else batch, form)


def _plan(name: str, value: Any, wanted: ColumnDistribution | None, markers: Markers) -> ColumnPlan:
    """The column of a value in the first row."""
    if wanted is not None:
        return ColumnPlan(name, wanted, "as given")
    value = plain(value)
    if is_missing(value) or value in markers:
        raise InputError(
            f"column {name!r} is missing in the first row, so its type is not known. Name its distribution in columns, "
            "or begin with a row that has it."
        )
    if isinstance(value, int | float) and not isinstance(value, bool):
        return ColumnPlan(name, Gaussian(), "a number in the first row")
    return ColumnPlan(name, Categorical(), "a label in the first row")
