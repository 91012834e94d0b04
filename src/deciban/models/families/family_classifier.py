"""Classifiers by counts of families, combinations of the values of some columns within each class.

`TAN`, `AODE`, `BayesNetClassifier` and `KDB` are pipelines of the same four values:

=========  =======================================================================  ================================
structure  which columns are counted together, and how their values become codes    `Structure`, in the form
tally      the counts: `Crossed`, a part of the model's tally                       `count_crossed`
tables     the smoothed log-probabilities that follow from the counts               `Tables`, computed when first used
learned    what rows say that counts do not: temperature, weights                   in the form
=========  =======================================================================  ================================

In all but `KDB` each column has one coding, and a temperature corrects overconfidence: these are `CodedClassifier`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from deciban.decide.calibration import LEARNED_ROWS, fit_temperature, spread_rows
from deciban.decide.rules import by_blocks
from deciban.engines.sql.table import DatabaseTable
from deciban.errors import ParameterError
from deciban.estimate import settle_priors
from deciban.estimate.closed_form import NamedFormula
from deciban.estimate.drawing import Drawn
from deciban.models.base import BayesClassifier, check_weight
from deciban.models.families.column_coding import CodedDatabase, check_same_coding, plan_codes, plan_of_variables
from deciban.models.families.family_tables import (
    FactorTables,
    LeftOut,
    NodeTables,
    Strength,
    Tables,
    count_free,
    draw_mixture,
)
from deciban.models.families.structures import ColumnSets, Structure
from deciban.models.leave_one_out import prior_of_rows
from deciban.models.schema import Form
from deciban.models.table_classifier import (
    TABLE_CONSTRAINTS,
    TableClassifier,
    check_some_weight,
    check_values,
    markers_of,
)
from deciban.read import Table, Variable
from deciban.storable import require
from deciban.tallies import Crossed, Sample, Tally
from deciban.tallies.crossed import count_crossed
from deciban.types import AnyArray, ArrayLike, Codes, Floats

__all__ = ["CodedClassifier", "FamilyClassifier", "averaged_form"]


class FamilyClassifier(TableClassifier):
    """A classifier by counts of families: combinations of the values of some columns, within each class.

    Its structure says which columns, and how their values are coded; its tables follow from the counts.
    """

    _tables: Tables

    # What a model defines ------------------------------------------------------------------------------------------

    @abstractmethod
    def _structure(self, form: Form) -> Structure:
        """What is counted."""

    @abstractmethod
    def _made(self, tally: Tally, form: Form) -> dict[str, object]:
        """The fitted attributes that follow from the counts; `_tables` among them."""

    @abstractmethod
    def _codes(self, data: Table) -> AnyArray:
        """The rows as the tables take them."""

    # Counting, estimating and scoring ------------------------------------------------------------------------------

    def _count(self, data: Table, sample: Sample, form: Form) -> Tally:
        owner, structure = type(self).__name__, self._structure(form)
        check_values(data, form.schema, owner)
        whole, rows = sample, sample.weighty()
        if rows is not None:
            data, sample = data.take(rows), sample.take(rows)
        variables = structure.variables(data)
        codes = structure.codes(data, variables, owner)
        return whole.tally(count_crossed(variables, codes, sample, structure.sets()))

    def _parts_in(self, form: Form) -> int:
        """One part has the counts of all families."""
        return 1

    def _check_fits(self, tally: Tally, form: Form) -> None:
        sets = self._structure(form).sets()
        require(np.array_equal(tally.parts[0].sets, sets), "it counts other sets of columns than its model")

    def _accepted(self, tally: Tally) -> Tally:
        if len(tally.parts) != 1 or not isinstance(tally.parts[0], Crossed):
            raise ParameterError(f"{type(self).__name__} takes the tally of sets of columns that such a model makes.")
        return tally

    def _estimate(self, tally: Tally, form: Form) -> dict[str, object]:
        return self._fitted_attributes(tally, form, self._made(tally, form))

    def _fitted_attributes(self, tally: Tally, form: Form, made: dict[str, object]) -> dict[str, object]:
        prior = settle_priors(self._settings.priors, tally.class_counts, tally.classes.labels.tolist())
        return {
            "schema_": form.schema,
            "class_count_": tally.class_counts.astype(np.float64),
            "class_prior_": np.exp(prior),
            "_prior": prior,
            **made,
        }

    def _likelihood(self, data: Table) -> Floats:
        return self._tables.score(self._codes(data))

    def _column_evidence(self, data: Table) -> Floats:
        return self._tables.weigh(self._codes(data))


_MOST_CELLS, _FEWEST_ROWS = 1 << 20, 200
"""What `fit` learns from: at most so many rows × columns × classes, unless these are fewer rows."""


class CodedClassifier(FamilyClassifier):
    """TAN, AODE and nets as classifiers: each column has one coding, and a temperature corrects overconfidence."""

    _parameter_constraints: ClassVar[dict[str, list[object]]] = {
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
        own = np.minimum(weights, 1.0)  # the others of the rows that it stands for stay in the counts
        left = LeftOut(self.tally_, self._codes(data.take(rows)), y, own, self._settings.smoothing)
        return self._learned(form, left, prior_of_rows(self._prior_rule(), self.tally_.class_counts, y, own), weights)

    def _take_learned(self, form: Form) -> None:
        """Store what was learned from rows; the counts and their tables stay."""
        self._form = form
        self.__dict__.update(self._from_form(form))

    def _merged_form(self, other: BayesClassifier) -> Form:
        # Weights are averaged below, in logarithms, and not as those of `NaiveBayes`.
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

    def _check_mergeable(self, other: CodedClassifier) -> None:
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
        columns = zip(self.schema_, codes, variables, strict=True)
        return y, [plan.distribution.draw_values(drawn, variable, rng) for plan, drawn, variable in columns]

    def _column_evidence(self, data: Table) -> Floats:
        return self._cooled(super()._column_evidence(data))

    def _cooled(self, logs: Floats) -> Floats:
        """Log-probabilities at the temperature of the model."""
        return logs if self.temperature_ == 1.0 else logs / self.temperature_

    def _left_out_likelihood(self, data: Table, y: Codes, weights: Floats) -> Floats:
        codes = self._codes(data)
        out = np.empty((len(codes), len(self.classes_)))
        counted = weights > 0  # a row of weight 0 is in no count, so nothing of it is left out
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
        formulas = {}
        for i, (plan, variable) in enumerate(zip(self.schema_, variables, strict=True)):
            states = plan.distribution.states(variable, len(self.classes_))
            if states is not None:
                formulas[i] = NamedFormula(plan.name, states, markers, plan.name in self._form.numerals)
        return formulas


def averaged_form(form: Form, other: Form, rows: float, others: float) -> Form:
    """What two models have learned beside the counts, averaged by their rows, in logarithms."""
    share = float(others / (rows + others)) if rows + others > 0 else 0.0
    temperature, weights = form.temperature, form.weights
    if temperature is not None or other.temperature is not None:
        temperature = float(_between(temperature or 1.0, other.temperature or 1.0, share))
    if weights is not None or other.weights is not None:
        ones = np.ones(form.columns)
        others_weights = ones if other.weights is None else other.weights
        weights = tuple(_between(ones if weights is None else weights, others_weights, share).tolist())
    return replace(form, temperature=temperature, weights=weights)


def _between(first: ArrayLike, second: ArrayLike, share: float) -> Floats:
    """The geometric mean, weighted: temperatures and weights are factors."""
    return np.exp((1.0 - share) * np.log(first) + share * np.log(second))
