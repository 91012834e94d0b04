"""The shell of models that count combinations of columns: reading, coding, learning, scoring.

A subclass says which sets of columns it counts (`_sets`) and which tables it makes of the counts (`_made`); the tables
score coded rows.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from numbers import Real
from typing import Any, ClassVar, Protocol, Self

import numpy as np
from sklearn.utils._param_validation import Interval

from deciban.errors import InputError, ParameterError
from deciban.estimate import Smoothing, settle_priors
from deciban.models.base import BayesClassifier
from deciban.models.form import Form
from deciban.models.lazy import Lazy
from deciban.models.nets.coding import check_same_coding, plan_codes, plan_of_variables
from deciban.models.nets.leave_one_out import LeftOut
from deciban.models.options import Rule
from deciban.models.parts.calibration import calibrate, honest_posterior
from deciban.models.parts.decider import Decider
from deciban.models.parts.leave_one_out import loo_predict_proba
from deciban.models.parts.tables import (
    TABLE_CONSTRAINTS,
    check_values,
    column_defaults,
    read_marked_row,
    read_marked_table,
    table_as_learned,
    tag_table,
)
from deciban.models.tables.schema import Schema
from deciban.read import Table
from deciban.tallies import Crossed, Sample, Tally
from deciban.tallies.crossed import count_crossed, narrow_codes
from deciban.types import AnyArray, Codes, Floats

__all__ = ["CodedClassifier"]


class Tables(Protocol):
    """Tables of log-probabilities that score coded rows."""

    def score(self, codes: Codes) -> Floats:
        """log P(row | class): rows × classes."""

    def weigh(self, codes: Codes) -> Floats:
        """The evidence of each column: rows × columns (and remainders) × classes; it sums to `score`."""


class CodedClassifier(BayesClassifier):
    """What TAN, AODE and nets as classifiers share."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **TABLE_CONSTRAINTS,
        "strength": [Interval(Real, 0, None, closed="left")],
    }

    columns: Any
    smoothing: Smoothing
    strength: float
    unseen: str
    na_values: Any
    rule: Rule
    loss: Any
    reject: Any
    schema_: Schema
    _tables: Lazy[Any]

    calibrate = calibrate
    loo_predict_proba = loo_predict_proba
    _honest_posterior = honest_posterior

    # What a model defines ------------------------------------------------------------------------------------------

    @abstractmethod
    def _sets(self, form: Form) -> AnyArray:
        """The sets of columns that are counted."""

    @abstractmethod
    def _made(self, tally: Tally, form: Form) -> dict[str, Any]:
        """The fitted attributes that follow from the counts; `_tables` is computed when rows are first scored."""

    @abstractmethod
    def _score_left_out(self, left: LeftOut) -> Floats:
        """log P(row | class) of counted rows, each without its own counts."""

    # Learning ------------------------------------------------------------------------------------------------------

    _read = read_marked_table
    _as_learned = table_as_learned
    _read_values = read_marked_row
    _defaults = column_defaults

    def _form_of_sample(self, data: Table, sample: Sample) -> Form:
        _check_weights(sample)
        return replace(self._form_of(data), schema=plan_codes(data, self.columns, self._defaults(), sample))

    def _count(self, data: Table, sample: Sample, form: Form) -> Tally:
        _check_weights(sample)
        check_values(data, form.schema, type(self).__name__)
        whole, rows = sample, sample.weighty()
        if rows is not None:
            data, sample = data.take(rows), sample.take(rows)
        pairs = list(zip(form.schema, data.columns, strict=True))
        variables = tuple(plan.distribution.variable(column) for plan, column in pairs)
        codes = (  # one column at a time, so that only narrow codes are stored
            plan.distribution.codes(column, variable, type(self).__name__)
            for (plan, column), variable in zip(pairs, variables, strict=True)
        )
        narrow = narrow_codes(codes, [len(variable) for variable in variables], len(data))
        return whole.tally(count_crossed(variables, narrow, sample, self._sets(form)))

    def _accepted(self, tally: Tally) -> Tally:
        if len(tally.parts) != 1 or not isinstance(tally.parts[0], Crossed):
            raise ParameterError(f"{type(self).__name__} takes the tally of sets of columns that such a model makes.")
        return tally

    def _form_of_tally(self, tally: Tally) -> Form:
        schema = plan_of_variables(tally.parts[0].variables, self.columns, self._defaults())
        return replace(super()._form_of_tally(tally), schema=schema)

    def merge(self, other: BayesClassifier) -> Self:
        if isinstance(other, CodedClassifier) and self._is_fitted() and other._is_fitted():
            check_same_coding(self.schema_, other.schema_)
        return super().merge(other)

    def _estimate(self, tally: Tally, form: Form) -> dict[str, Any]:
        prior = settle_priors(self.priors, tally.class_counts, tally.classes.labels.tolist())
        return {
            "schema_": form.schema,
            "class_count_": tally.class_counts.astype(np.float64),
            "class_prior_": np.exp(prior),
            "_prior": prior,
            **self._made(tally, form),
        }

    # Scoring -------------------------------------------------------------------------------------------------------

    def _likelihood(self, data: Table) -> Floats:
        return self._scoring_tables().score(self._codes(data))

    def _column_evidence(self, data: Table) -> Floats:
        return self._scoring_tables().weigh(self._codes(data))

    def _left_out_likelihood(self, data: Table, y: Codes, weights: Floats) -> Floats:
        codes = self._codes(data)
        out = np.empty((len(codes), len(self.classes_)))
        counted = weights > 0
        if not counted.all():
            out[~counted] = self._scoring_tables().score(codes[~counted])
        rows = codes[counted], y[counted], weights[counted]
        out[counted] = self._score_left_out(LeftOut(self.tally_.parts[0], *rows, self.smoothing, float(self.strength)))
        return out

    def _scoring_tables(self) -> Tables:
        tables: Tables = self._tables.get()
        return tables

    def _codes(self, data: Table) -> Codes:
        """Rows × columns: states, −1 where missing, and the number of states for a label that was not there in fit."""
        variables = self.tally_.parts[0].variables
        out = np.empty((len(data), len(variables)), dtype=np.int32)
        for i, (plan, column) in enumerate(zip(self.schema_, data.columns, strict=True)):
            out[:, i] = plan.distribution.codes(column, variables[i], type(self).__name__)
        return out

    def _check_values(self, data: Table) -> None:
        check_values(data, self.schema_, type(self).__name__)

    def _decider(self) -> Decider:
        return Decider(self.rule, self.loss, self.reject)

    def __sklearn_tags__(self) -> Any:
        return tag_table(super().__sklearn_tags__(), self.missing)


def _check_weights(sample: Sample) -> None:
    if sample.weights is not None and not sample.weights.any():
        raise InputError("all sample weights are zero: there is nothing to learn. Give a row a weight above 0.")
