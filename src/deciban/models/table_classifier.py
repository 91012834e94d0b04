"""What models of tables share: options for missing and unseen values, markers of missing values, tags.

Markers of missing values, as in ``["1.5", "?", "2"]``, make a column of numbers one of text. It is read as numbers when
the first rows have a marker in it (``na_values=["?"]``) and all its other values are numbers, or text that spells one.
Text with leading zeros, as in postal codes, is a label. Later rows are read in the same way: text that is no number is
then an error.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sklearn.utils import Tags

from deciban.decide import Reject
from deciban.decide.rules import Decider
from deciban.errors import InputError, ParameterError
from deciban.estimate import Smoothing
from deciban.estimate.values import Markers
from deciban.models.base import (
    DECIDER_CONSTRAINTS,
    BayesClassifier,
    Constraints,
    Missing,
    MissingOrAuto,
    Rule,
    Unseen,
    words,
)
from deciban.models.leave_one_out import LeaveOneOut
from deciban.models.schema import ColumnPlan, Defaults, Form, Schema, table_of_row, wanted_columns
from deciban.read import Column, Table, Variable, number_of, read_table
from deciban.tallies import Sample

__all__ = [
    "TABLE_CONSTRAINTS",
    "TableClassifier",
    "as_counted",
    "check_some_weight",
    "check_values",
    "known_labels",
    "markers_of",
    "read_marked",
]


TABLE_CONSTRAINTS: Constraints = {
    **DECIDER_CONSTRAINTS,
    "smoothing": [Smoothing],
    "missing": [words(Missing)],
    "unseen": [words(Unseen)],
}
"""Which values the parameters take that all models with a schema have."""


class TableClassifier(LeaveOneOut):
    """A classifier of tables whose columns have distributions of their own, and markers of missing values."""

    columns: Any
    smoothing: Smoothing
    missing: MissingOrAuto
    unseen: Unseen
    na_values: Any
    rule: Rule
    loss: Any
    reject: Reject | float | None
    schema_: Schema

    def _read(self, X: Any) -> Table:
        return read_marked(X, markers_of(self._settings.na_values))

    def _read_values(self, row: dict[str, object], names: tuple[str, ...]) -> Table:
        return table_of_row(row, self._form, names, markers_of(self._settings.na_values))

    def _as_learned(self, data: Table, form: Form | None) -> Table:
        """The table with its columns in the types that they had in fit, by the distributions and the known labels.

        Of the first data, columns with markers of missing values are read as numbers where their other values are
        numbers; a column whose distribution is given, if the distribution takes numbers.
        """
        if form is not None:
            return as_counted(data, form.schema, known_labels(self, form), markers_of(self._settings.na_values))
        numerals = [column.name for column in data.columns if column.is_marked and _holds_numbers(column)]
        if not numerals:
            return data
        given = wanted_columns(self._settings.columns, data.names)
        # A distribution of labels that the user named gets the text as it is.
        read = {name for name in numerals if name not in given or given[name].reads_numbers}
        columns = (column.as_numbers() if column.name in read else column for column in data.columns)
        return replace(data, columns=tuple(columns))

    def _defaults(self) -> Defaults:
        """The settings that the columns take over where they have none of their own."""
        return Defaults(self._settings.smoothing, self._settings.missing, self._settings.unseen)

    def _check_values(self, data: Table) -> None:
        check_values(data, self.schema_, type(self).__name__)

    def _decider(self) -> Decider:
        return Decider(self._settings.rule, self._settings.loss, self._settings.reject)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing != "error"
        tags.input_tags.string = True
        tags.input_tags.categorical = False
        return tags


def markers_of(na_values: Any) -> Markers:
    """The values that stand for missing ones, as a set."""
    if na_values is None:
        return frozenset()
    try:
        return frozenset((na_values,) if isinstance(na_values, str) else na_values)
    except TypeError:
        raise ParameterError(f"na_values is a list of values, not {na_values!r}.") from None


def read_marked(X: Any, markers: Markers) -> Table:
    """Read a table in which markers stand for missing values."""
    table = read_table(X)
    return replace(table, columns=tuple(column.without(markers) for column in table.columns)) if markers else table


def as_counted(data: Table, schema: Schema, known: Mapping[str, Variable], markers: Markers) -> Table:
    """The table with each column in the type in which its distribution counted it.

    A value that is a marker of a missing value in that type is missing, too.
    """

    def read(plan: ColumnPlan, column: Column) -> Column:
        learned = plan.distribution.as_learned(column, known.get(plan.name))
        return learned if learned is column or not markers else learned.without(markers)

    if len(schema) != len(data.columns):  # an error that is raised where the columns are compared
        return data
    columns = tuple(read(plan, column) for plan, column in zip(schema, data.columns, strict=True))
    # The same object where nothing changed: most tables are read in the types of the fit.
    return data if all(map(operator.is_, columns, data.columns)) else replace(data, columns=columns)


def known_labels(model: BayesClassifier, form: Form) -> dict[str, Variable]:
    """The labels that a model has counted of each column, of data in this form; none where it has counted others."""
    if not model._is_own(form):
        return {}
    return {variable.name: variable for part in model.tally_.parts for variable in part.variables}


def check_some_weight(sample: Sample) -> None:
    """Refuse rows of which none has a weight."""
    if sample.weights is not None and not sample.weights.any():
        raise InputError("all sample weights are zero: there is nothing to learn. Give a row a weight above 0.")


def check_values(data: Table, schema: Schema, owner: str) -> None:
    """Refuse values that a column's distribution cannot have."""
    for plan, column in zip(schema, data.columns, strict=True):
        plan.distribution.check(column, owner)


_PADDED = re.compile(r"\s*[+-]?0\d")
"""Text with leading zeros is a label."""


def _holds_numbers(column: Column) -> bool:
    states = column.states[column.occurring()].tolist() if not column.is_numeric else []
    return bool(states) and all(_is_number(state) for state in states)


def _is_number(state: object) -> bool:
    if isinstance(state, str):
        # A postal code such as 01067 is spelt like a number.
        return number_of(state) is not None and _PADDED.match(state) is None
    # In Python a bool is an int, but True and False are labels.
    return isinstance(state, int | float) and not isinstance(state, bool)
