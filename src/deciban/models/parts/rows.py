"""Single rows of a table: reading them in any form, and explaining what is predicted for them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from deciban.decide import NO_DECISION
from deciban.errors import ParameterError
from deciban.estimate import Smoothing
from deciban.estimate.columns.values import Markers
from deciban.explain import Evidence, Explanation, explain
from deciban.models.form import Form
from deciban.models.parts.leave_one_out import LeavingClassifier
from deciban.models.parts.one_row import check_row
from deciban.models.tables.schema import Defaults
from deciban.read import Column, Table
from deciban.read.row import read_row
from deciban.read.variable import object_array

__all__ = ["RowClassifier"]


class RowClassifier(LeavingClassifier):
    """What models of tables share: `explain`, and the one reader of single rows."""

    columns: Any
    smoothing: Smoothing
    unseen: str
    na_values: Any

    def explain(self, row: Any, against: Any = None) -> Explanation:
        """Show the arithmetic of one row's prediction.

        Parameters
        ----------
        row : a mapping of names to values, a pandas Series, a table of one row, a named tuple, or a list of values in
            the order of the columns; what it does not name is missing
        against : the class to compare with; the next best when None
        """
        self._check_fitted()
        data = self._table_of_row(row)
        names = (*self._names(), *self._remainders())
        start = np.zeros_like(self._prior) if self.rule == "ml" else self._start()  # "ml" leaves the priors out
        evidence = Evidence(self.classes_, names, start, self._column_evidence(data))
        code = int(self._decide(evidence.columns.sum(axis=1))[0])
        label = None if code == NO_DECISION else self.classes_[code]
        values = [column.value(0) for column in data.columns] + [None] * len(self._remainders())
        is_impossible = bool(np.isneginf(evidence.joint).all())
        plain = explain(evidence, values, label, against, is_impossible=is_impossible)
        return self._with_factors(plain, data, values)

    def _with_factors(self, plain: Explanation, data: Table, values: list[Any]) -> Explanation:  # noqa: ARG002
        """The explanation with the factors as the model has them; `data` and `values` are those of the one row."""
        return plain

    def _remainders(self) -> tuple[str, ...]:
        """The names of parts of the evidence that belong to no single column."""
        return ()

    def _table_of_row(self, row: Any) -> Table:
        """One row as a table, checked."""
        names = self._names()
        data = self._as_table(read_row(row, names), self._form, names)
        self._check_values(data)
        return data

    def _as_table(self, row: Mapping[str, Any], form: Form, names: tuple[str, ...]) -> Table:
        check_row(row, form.allowed(names))
        markers = self._markers()
        columns = (Column.of_values(name, object_array([row.get(name)])).without(markers) for name in names)
        return Table(tuple(columns), form.names is not None)

    # Settings ------------------------------------------------------------------------------------------------------

    def _markers(self) -> Markers:
        if self.na_values is None:
            return frozenset()
        try:
            return frozenset((self.na_values,) if isinstance(self.na_values, str) else self.na_values)
        except TypeError:
            raise ParameterError(f"na_values is a list of values, not {self.na_values!r}.") from None

    def _defaults(self) -> Defaults:
        return Defaults(self.smoothing, self.missing, self.unseen)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing != "error"
        tags.input_tags.string = True
        tags.input_tags.categorical = False
        return tags
