"""The shell of models that count combinations of columns: reading, coding, learning over time, explaining.

A subclass says which sets of columns it counts (`_sets`), what it makes of the counts (`_made`), and how coded rows are
scored (`_score_codes`) and weighed (`_weigh_codes`).
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from deciban.decide import NO_DECISION
from deciban.errors import InputError, ParameterError
from deciban.estimate import Smoothing, settle_priors
from deciban.explain import Evidence
from deciban.models.base import BayesClassifier
from deciban.models.form import Form
from deciban.models.lazy import Lazy
from deciban.models.nets.coding import check_same_coding, plan_codes, plan_of_variables
from deciban.models.nets.leave_one_out import LeftOut
from deciban.models.parts.rows import RowClassifier
from deciban.models.tables.schema import Schema
from deciban.read import Table, read_table
from deciban.tallies import Crossed, Sample, Tally
from deciban.tallies.crossed import count_crossed, narrow_codes
from deciban.types import AnyArray, Codes, Floats

__all__ = ["CodedClassifier"]


class CodedClassifier(RowClassifier):
    """What TAN, AODE and nets as classifiers share."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **RowClassifier._parameter_constraints,
        "smoothing": [Smoothing],
        "strength": [Interval(Real, 0, None, closed="left")],
        "missing": [StrOptions({"skip", "state", "error"})],
        "unseen": [StrOptions({"smooth", "ignore", "error"})],
    }

    columns: Any
    smoothing: Smoothing
    strength: float
    priors: Any
    unseen: str
    na_values: Any
    schema_: Schema
    _tables: Lazy

    # What a model says of itself -----------------------------------------------------------------------------------

    @abstractmethod
    def _sets(self, form: Form) -> AnyArray:
        """The sets of columns that are counted."""

    @abstractmethod
    def _made(self, tally: Tally, form: Form) -> dict[str, Any]:
        """The fitted attributes that follow from the counts; `_tables`, when rows are first scored."""

    @abstractmethod
    def _score_codes(self, codes: Codes) -> Floats:
        """log P(row | class) of rows × columns of codes."""

    @abstractmethod
    def _weigh_codes(self, codes: Codes) -> Floats:
        """What each column says: rows × columns (and `_remainders`) × classes; they sum to `_score_codes`."""

    @abstractmethod
    def _score_left_out(self, left: LeftOut) -> Floats:
        """log P(row | class) of counted rows, each without its own counts."""

    # Learning ------------------------------------------------------------------------------------------------------

    def _read(self, X: Any) -> Table:
        table = read_table(X)
        markers = self._markers()
        return replace(table, columns=tuple(column.without(markers) for column in table.columns)) if markers else table

    def _form_of_sample(self, data: Table, sample: Sample) -> Form:
        _check_weights(sample)
        return replace(self._form_of(data), schema=plan_codes(data, self.columns, self._defaults(), sample))

    def _count(self, data: Table, sample: Sample, form: Form) -> Tally:
        _check_weights(sample)
        self._check_kinds(data, form.schema)
        whole, rows = sample, sample.weighty()
        if rows is not None:
            data, sample = data.take(rows), sample.take(rows)
        pairs = list(zip(form.schema, data.columns, strict=True))
        variables = tuple(plan.distribution.variable(column) for plan, column in pairs)
        codes = (  # one column at a time, so that only narrow codes are held
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
        return self._score_codes(self._codes(data))

    def _left_out_likelihood(self, data: Table, y: Codes, weights: Floats) -> Floats:
        codes = self._codes(data)
        out = np.empty((len(codes), len(self.classes_)))
        counted = weights > 0
        if not counted.all():
            out[~counted] = self._score_codes(codes[~counted])
        rows = codes[counted], y[counted], weights[counted]
        out[counted] = self._score_left_out(LeftOut(self.tally_.parts[0], *rows, self.smoothing, float(self.strength)))
        return out

    def _column_evidence(self, data: Table) -> Floats:
        return self._weigh_codes(self._codes(data))

    def _codes(self, data: Table) -> Codes:
        """Rows × columns: states, −1 where missing, and the number of states for a label that fit never saw."""
        variables = self.tally_.parts[0].variables
        out = np.empty((len(data), len(variables)), dtype=np.int32)
        for i, (plan, column) in enumerate(zip(self.schema_, data.columns, strict=True)):
            out[:, i] = plan.distribution.codes(column, variables[i], type(self).__name__)
        return out

    def _check_values(self, data: Table) -> None:
        self._check_kinds(data, self.schema_)

    def _check_kinds(self, data: Table, schema: Schema) -> None:
        for plan, column in zip(schema, data.columns, strict=True):
            plan.distribution.check(column, type(self).__name__)

    def evidence(self, X: Any) -> Evidence:
        """What each column says for each class, in parts that sum to `predict_joint_log_proba`."""
        found = super().evidence(X)
        return replace(found, names=(*found.names, *self._remainders()))

    # One row -------------------------------------------------------------------------------------------------------

    def predict_one(self, row: Any) -> Any:
        """The class that the rule chooses for one row, in any form that `explain` takes; None where it is rejected."""
        code = int(self._decide(self._likelihood(self._checked_row(row)))[0])
        return None if code == NO_DECISION else self.classes_[code]

    def predict_proba_one(self, row: Any) -> dict[Any, float]:
        """P(class | row) of one row, in any form that `explain` takes; what it does not name is missing."""
        posterior = self._conclude(self._likelihood(self._checked_row(row)), "posterior")[0]
        return dict(zip(self.classes_.tolist(), posterior.tolist(), strict=True))

    def _checked_row(self, row: Any) -> Table:
        self._check_fitted()
        return self._table_of_row(row)


def _check_weights(sample: Sample) -> None:
    if sample.weights is not None and not sample.weights.any():
        raise InputError("all sample weights are zero: there is nothing to learn. Give a row a weight above 0.")
