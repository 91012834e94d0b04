"""The shell of models that count combinations of columns: reading, coding, learning, scoring.

A subclass says which sets of columns it counts (`_sets`) and which tables it makes of the counts (`_made`); the tables
score coded rows.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from deciban.decide.decider import by_blocks
from deciban.decide.temperature import LEARNED_ROWS, fit_temperature, spread_rows
from deciban.engines.sql.table import DatabaseTable
from deciban.errors import ParameterError
from deciban.estimate.closed_form import NamedFormula
from deciban.estimate.drawing import Drawn
from deciban.models.base import BayesClassifier, check_weight
from deciban.models.families.column_coding import CodedDatabase, check_same_coding, plan_codes, plan_of_variables
from deciban.models.families.family_classifier import FamilyClassifier
from deciban.models.families.family_tables import (
    FactorTables,
    LeftOut,
    NodeTables,
    Strength,
    count_free,
    draw_mixture,
)
from deciban.models.families.structures import ColumnSets
from deciban.models.leave_one_out import prior_of_rows
from deciban.models.schema import Form
from deciban.models.table_classifier import (
    TABLE_CONSTRAINTS,
    check_some_weight,
    markers_of,
)
from deciban.read import Table, Variable
from deciban.tallies import Sample, Tally
from deciban.types import Codes, Floats

__all__ = ["CodedClassifier", "averaged_form"]


_MOST_CELLS, _FEWEST_ROWS = 1 << 20, 200
"""What `fit` learns from: at most so many rows × columns × classes, unless these are fewer rows."""


class CodedClassifier(FamilyClassifier):
    """TAN, AODE and nets as classifiers: each column has one coding, and a temperature corrects overconfidence."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **TABLE_CONSTRAINTS,
        "strength": [Interval(Real, 0, None, closed="left"), StrOptions({"auto"})],
        "temperature": [Interval(Real, 0, None, closed="neither"), StrOptions({"auto"})],
    }

    strength: Strength
    temperature: Strength
    temperature_: float
    _tables: FactorTables

    # What a model defines ------------------------------------------------------------------------------------------

    @abstractmethod
    def _structure(self, form: Form) -> ColumnSets: ...

    def _learned(self, form: Form, left: LeftOut, log_prior: Floats, weights: Floats) -> Form:
        """The form with what is learned from counted rows; a row counts for as many as its weight."""
        scores = self._tables.score_left_out(left, exact=False)
        return replace(form, temperature=fit_temperature(scores, log_prior, left.y, weights))

    def _from_form(self, form: Form) -> dict[str, object]:
        """The fitted attributes that follow from what was learned from rows."""
        learned = 1.0 if form.temperature is None else form.temperature
        return {"temperature_": learned if self._settings.temperature == "auto" else float(self._settings.temperature)}

    def _terms(self, columns: int) -> int:
        """How many log-likelihoods of a row and class `fit` learns from; more of them, fewer rows."""
        return columns

    def _learns(self) -> bool:
        """True where `fit` learns more than counts."""
        return self._settings.temperature == "auto"

    @abstractmethod
    def _nets(self) -> tuple[Sequence[NodeTables], Floats]:
        """The nets over the class and the columns whose mixture the model is, and their shares; at temperature 1."""

    # Learning ------------------------------------------------------------------------------------------------------

    def _learn(self, data: Table, sample: Sample, form: Form, known: Variable | None = None) -> Self:
        super()._learn(data, sample, form, known)
        if known is None and self._learns():  # `partial_fit` learns counts alone: what it begins with may be few rows
            self._take_learned(self._learned_of(form, data, sample))
        return self

    def fit_sql(
        self, data: Any, query: str | None = None, *, target: str, sample_weight: str | None = None,
        dialect: str | None = None,
    ) -> Self:  # fmt: skip
        """Count a table in a database, which counts the sets of columns itself: no row leaves it.

        Parameters
        ----------
        data : connection, DuckDB relation or Ibis table
            As in `db.tally`.
        query : str, optional
            Of a connection: the name of a table, or a SELECT.
        target : str
            The name of the column of classes.
        sample_weight : str, optional
            The name of a column of weights.
        dialect : str, optional
            Of a connection, where its driver does not say it: a dialect of sqlglot, such as "postgres".

        Returns
        -------
        self : the fitted model

        Notes
        -----
        Floats need cuts, in `columns`: `Cut(at=[…])`, or the `schema_` of a model. What `fit` learns from rows beside
        the counts (temperature, weights) stays 1, as in `from_tally`.

        Examples
        --------
        >>> import duckdb
        >>> import deciban as db
        >>> days = duckdb.sql(
        ...     "FROM (VALUES ('sun', 'low', 'yes'), ('rain', 'high', 'no')) AS days(sky, wind, play)"
        ... )
        >>> db.TAN().fit_sql(days, target="play").tally_.total
        2
        """
        self._check_parameters()
        if len(self.na_values):
            raise ParameterError("na_values is for tables in memory. Replace them in the query: NULLIF(column, value).")
        new = self._unfitted()
        table = DatabaseTable.of(data, query, sample_weight=sample_weight, dialect=dialect)
        coded = CodedDatabase(table, target, self.columns, new._defaults(), type(self).__name__)
        form = new._form_of_database(Form(len(coded.names), coded.names, schema=coded.schema, target=target))
        batch = coded.tally(new._structure(form).sets())
        check_weight(batch)
        return self._become(new._adopt(batch, form))

    def _form_of_database(self, form: Form) -> Form:
        """The form of a table in a database."""
        return form

    def _learned_of(self, form: Form, data: Table, sample: Sample) -> Form:
        """Learn from some of the rows; a row of weight w stands for w rows, of which one is left out."""
        counted = sample.weighty()
        all_rows = np.arange(len(data)) if counted is None else np.flatnonzero(counted)
        cells = max(1, self._terms(data.shape[1]) * len(self.classes_))
        rows = spread_rows(all_rows, min(LEARNED_ROWS, max(_FEWEST_ROWS, _MOST_CELLS // cells)))
        y, weights = sample.codes[rows], np.ones(len(rows)) if sample.weights is None else sample.weights[rows]
        own = np.minimum(weights, 1.0)
        left = LeftOut(self.tally_, self._codes(data.take(rows)), y, own, self._settings.smoothing)
        return self._learned(form, left, prior_of_rows(self._prior_rule(), self.tally_.class_counts, y, own), weights)

    def _take_learned(self, form: Form) -> None:
        """Store what was learned from rows; the counts and their tables stay."""
        self._form = form
        self.__dict__.update(self._from_form(form))

    def _merged_form(self, other: BayesClassifier) -> Form:
        plain = replace(super()._merged_form(other), weights=self._form.weights)
        return averaged_form(plain, other._form, self.tally_.total, other.tally_.total)

    def _form_of_sample(self, data: Table, sample: Sample) -> Form:
        check_some_weight(sample)
        return replace(self._form_of(data), schema=plan_codes(data, self._settings.columns, self._defaults(), sample))

    def _count(self, data: Table, sample: Sample, form: Form) -> Tally:
        check_some_weight(sample)
        return super()._count(data, sample, form)

    def _form_of_tally(self, tally: Tally) -> Form:
        schema = plan_of_variables(tally.parts[0].variables, self._settings.columns, self._defaults())
        return replace(super()._form_of_tally(tally), schema=schema)

    def _check_mergeable(self, other: Any) -> None:
        check_same_coding(self.schema_, other.schema_)

    def _estimate(self, tally: Tally, form: Form) -> dict[str, object]:
        return {**super()._estimate(tally, form), **self._from_form(form)}

    # Scoring -------------------------------------------------------------------------------------------------------

    def _likelihood(self, data: Table) -> Floats:
        return self._cooled(super()._likelihood(data))

    def _joint(self, data: Table) -> Floats:
        self._check_values(data)
        return by_blocks(data, len(self.classes_), lambda rows: self._joint_of(self._codes(rows)))

    def _joint_of(self, codes: Codes) -> Floats:
        """log P(row, class) of coded rows, without a temperature."""
        return self._prior + self._tables.score(codes)

    def _free_parameters(self) -> int:
        return count_free(self._nets()[0][0])

    def _draw(self, n: int, rng: np.random.Generator) -> tuple[Codes, list[Drawn]]:
        variables = self.tally_.parts[0].variables
        y, codes = draw_mixture(*self._nets(), len(variables), n, rng)
        held = zip(self.schema_, codes, variables, strict=True)
        return y, [plan.distribution.draw_values(own, variable, rng) for plan, own, variable in held]

    def _column_evidence(self, data: Table) -> Floats:
        return self._cooled(super()._column_evidence(data))

    def _cooled(self, logs: Floats) -> Floats:
        """Log-probabilities at the temperature of the model."""
        return logs if self.temperature_ == 1.0 else logs / self.temperature_

    def _left_out_likelihood(self, data: Table, y: Codes, weights: Floats) -> Floats:
        codes = self._codes(data)
        out = np.empty((len(codes), len(self.classes_)))
        counted = weights > 0
        if not counted.all():
            out[~counted] = self._tables.score(codes[~counted])
        rows = codes[counted], y[counted], weights[counted]
        out[counted] = self._tables.score_left_out(LeftOut(self.tally_, *rows, self._settings.smoothing))
        return self._cooled(out)

    def _codes(self, data: Table) -> Codes:
        """Rows × columns: states, −1 where missing, and the number of states for a label that was not there in fit."""
        variables = self.tally_.parts[0].variables
        out = np.empty((len(data), len(variables)), dtype=np.int32)
        for i, (plan, column) in enumerate(zip(self.schema_, data.columns, strict=True)):
            out[:, i] = plan.distribution.codes(column, variables[i], type(self).__name__)
        return out

    def _state_columns(self) -> dict[int, NamedFormula]:
        """How the values of each column become states, by index; columns that are left out have none."""
        markers, variables = markers_of(self._settings.na_values), self.tally_.parts[0].variables
        found = {}
        for i, (plan, variable) in enumerate(zip(self.schema_, variables, strict=True)):
            states = plan.distribution.states(variable, len(self.classes_))
            if states is not None:
                found[i] = NamedFormula(plan.name, states, markers, plan.name in self._form.numerals)
        return found


def averaged_form(form: Form, other: Form, rows: float, others: float) -> Form:
    """What two models have learned beside the counts, averaged by their rows, in logarithms."""
    share = float(others / (rows + others)) if rows + others > 0 else 0.0
    temperature, weights = form.temperature, form.weights
    if temperature is not None or other.temperature is not None:
        temperature = float(_between(temperature or 1.0, other.temperature or 1.0, share))
    if weights is not None or other.weights is not None:
        ones = np.ones(form.columns)
        found = _between(ones if weights is None else weights, ones if other.weights is None else other.weights, share)
        weights = tuple(found.tolist())
    return replace(form, temperature=temperature, weights=weights)


def _between(first: Any, second: Any, share: float) -> Floats:
    """The geometric mean, weighted."""
    return np.exp((1.0 - share) * np.log(first) + share * np.log(second))
