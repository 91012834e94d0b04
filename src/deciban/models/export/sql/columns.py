"""One column in SQL: its value with a fixed type, its state, and its log-probabilities in each class."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from datetime import date, datetime
from itertools import pairwise
from typing import Any

import numpy as np

from deciban.engines.sql.expressions import Expression, Expressions
from deciban.errors import ParameterError
from deciban.estimate.columns.formulas import Bins, Curve, Labels, Presence, StateLogs
from deciban.models.export.forms import NamedFormula
from deciban.models.export.sql.curves import curve_value, is_null_at_null, is_outside
from deciban.read import MISSING_LABEL

__all__ = ["CurveColumn", "SqlColumn", "StateColumn", "column_for"]

_MOST_BRANCHES = 24
"""Labels beyond so many are looked up in a joined table, fewer by CASE."""
_EXACT = 1 << 53


class SqlColumn(ABC):
    """A column of a model in SQL.

    Its stages have three forms: the column of the table, under its own name; its typed value, `value`, NULL where it is
    missing; and what it is scored by, `scored`, which is that value or the code of its state.
    """

    def __init__(self, sql: Expressions, held: NamedFormula, index: int) -> None:
        self.sql, self.name, self.markers, self.is_numeral = sql, held.name, held.markers, held.is_numeral
        self.value, self.scored = f"value_{index}", f"value_{index}"
        self.index = index

    def given(self) -> Expression:
        return self.sql.column(self.name)

    def read(self) -> Expression:
        return self.sql.column(self.value)

    def at(self) -> Expression:
        """What the column is scored by, in the stages after `coded`."""
        return self.sql.column(self.scored)

    def typed(self) -> Expression:
        """The typed value, from the column of the table."""
        return self._number(self.sql.as_double)

    def coded(self) -> Expression:
        """What the column is scored by, from the typed value."""
        return self.read()

    def table(self) -> list[list[Expression]] | None:
        """The rows, label and code, of a table that is joined to find the codes; None where there is none."""
        return None

    @abstractmethod
    def faults(self) -> list[Expression]:
        """Conditions on typed and coded values under which the row cannot be scored."""

    @abstractmethod
    def evidence(self, j: int) -> Expression:
        """log P(value | class j), from what the column is scored by."""

    @abstractmethod
    def evidence_of(self, choice: str) -> Expression:
        """log P(value | class), with the class's index in a column."""

    def _number(self, cast: Any) -> Expression:
        """The column as a double, NULL where it is missing, NaN or a marker of missing values."""
        sql = self.sql
        texts = [sql.text(marker) for marker in sorted(m for m in self.markers if isinstance(m, str))]
        held = sql.without_nan(lambda: cast(self.given))
        if self.is_numeral and texts:
            held = sql.case([(sql.is_in(sql.cast(self.given(), "TEXT"), texts), sql.null())], held)
        for marker in sorted({float(m) for m in self.markers if isinstance(m, int | float)}):
            held = sql.exp.Nullif(this=held, expression=sql.number(marker))
        return held


class CurveColumn(SqlColumn):
    """A number, scored by a curve."""

    def __init__(self, sql: Expressions, held: NamedFormula, index: int, curve: Curve) -> None:
        super().__init__(sql, held, index)
        self.curve = curve

    def faults(self) -> list[Expression]:
        found = [self.sql.is_infinite(self.read)]
        if self.curve.missing is None:
            found.append(self.sql.is_null(self.read()))
        if self.curve.is_strict:
            found += is_outside(self.sql, self.curve, self.read)
        return found

    def evidence(self, j: int) -> Expression:
        sql = self.sql
        missing = sql.number(0.0 if self.curve.missing is None else float(self.curve.missing[j]))
        known = curve_value(sql, self.curve, j, self.at)
        if is_null_at_null(self.curve, j):
            return sql.coalesce(known, missing)
        return sql.case([(sql.is_null(self.at()), missing)], known)

    def evidence_of(self, choice: str) -> Expression:
        classes = range(len(self.curve.constant))
        return self.sql.pick(lambda: self.sql.column(choice), [self.evidence(j) for j in classes])


class StateColumn(SqlColumn):
    """A value that has one of some states: 0 … n − 1, n for an unseen label and n + 1 for a missing value."""

    def __init__(self, sql: Expressions, held: NamedFormula, index: int, formula: StateLogs) -> None:
        super().__init__(sql, held, index)
        self.formula, self.scored, self.states = formula, f"state_{index}", len(formula.logs)
        nothing = np.zeros((1, formula.logs.shape[1]))
        unseen, missing = (nothing if each is None else each[None] for each in (formula.unseen, formula.missing))
        self.logs = np.concatenate([formula.logs, unseen, missing])
        self.unseen = self.states if formula.unseen_code is None else formula.unseen_code
        self.missing = self.states + 1
        self._null = self.missing if formula.missing_code is None else formula.missing_code
        self._labels = formula.states if isinstance(formula.states, Labels) else None
        listed = self._labels.labels if self._labels is not None else ()
        self._known = [(code, label) for code, label in enumerate(listed) if label != MISSING_LABEL]
        self._type = "number" if self._labels is None else _type_of([label for _, label in self._known], held.name)

    def typed(self) -> Expression:
        sql = self.sql
        if self._type == "number":
            states = self.formula.states
            is_coded = isinstance(states, Labels) and states.is_coded
            is_boolean = bool(self._known) and all(isinstance(label, bool) for _, label in self._known)
            is_either = isinstance(states, Presence) or is_coded or is_boolean
            return self._number(sql.number_or_boolean if is_either else sql.as_double)
        if self._type in ("DATE", "TIMESTAMP"):
            return sql.as_moment(self.given(), self._type)
        if self._type == "integer":
            return self.given()
        text = sql.cast(self.given(), "TEXT")
        markers = [sql.text(marker) for marker in sorted(m for m in self.markers if isinstance(m, str))]
        if not markers:
            return text
        return sql.case([(sql.is_in(sql.cast(self.given(), "TEXT"), markers), sql.null())], text)

    def table(self) -> list[list[Expression]] | None:
        is_long = len(self._known) > _MOST_BRANCHES and not self._is_range()
        return [[self.label(label), self.sql.integer(code)] for code, label in self._known] if is_long else None

    def label(self, label: Any) -> Expression:
        """A label as the typed value is written."""
        return self.sql.number(float(label)) if self._type == "number" else self.sql.literal(label)

    def coded(self) -> Expression:
        sql = self.sql
        is_missing = [(sql.is_null(self.read()), sql.integer(self._null))]
        states = self.formula.states
        if isinstance(states, Presence):
            is_above = sql.binary(sql.exp.GT, self.read(), sql.number(states.threshold))
            return sql.case([*is_missing, (is_above, sql.integer(1))], sql.integer(0))
        if isinstance(states, Bins):
            bins = [sql.integer(code) for code in range(len(states.cuts) + 1)]
            return sql.case(is_missing, sql.below(self.read, states.cuts, bins))
        other = sql.case(is_missing, sql.integer(self.unseen))
        if self.table() is not None:
            return sql.coalesce(sql.column(f"code_{self.index}"), other)
        if self._is_range():
            return sql.case([(self._in_range(), self._offset())], other)
        branches = [(self.label(label), sql.integer(code)) for code, label in self._known]
        return sql.match(self.read(), branches, other)

    def faults(self) -> list[Expression]:
        sql = self.sql
        found = [sql.is_infinite(self.read)] if self._type == "number" else []
        for log, code in ((self.formula.unseen, self.unseen), (self.formula.missing, self._null)):
            if log is None:
                found.append(sql.is_equal(self.at(), sql.integer(code)))
        if self._labels is not None and self._labels.is_coded:
            found.append(sql.is_less(self.read(), sql.number(0.0)))
        return found

    def evidence(self, j: int) -> Expression:
        return self.sql.lookup(self.logs[:, j].tolist(), self.at)

    def evidence_of(self, choice: str) -> Expression:
        sql, classes = self.sql, self.logs.shape[1]

        def index() -> Expression:
            return sql.add([sql.times(self.at(), sql.integer(classes)), sql.column(choice)])

        return sql.lookup(self.logs.ravel().tolist(), index)

    def _is_range(self) -> bool:
        """True for whole numbers one after the other, which need no comparison each."""
        labels = [label for _, label in self._known]
        if self._type != "number" or len(labels) < 3 or len(labels) < self.states:
            return False
        return float(labels[0]).is_integer() and all(b - a == 1 for a, b in pairwise(labels))

    def _in_range(self) -> Expression:
        sql = self.sql
        low, high = sql.number(float(self._known[0][1])), sql.number(float(self._known[-1][1]))
        is_whole = sql.is_equal(self.read(), sql.floor(self.read()))
        return sql.all_of([sql.exp.Paren(this=sql.exp.Between(this=self.read(), low=low, high=high)), is_whole])

    def _offset(self) -> Expression:
        first = float(self._known[0][1])
        return self.sql.cast(self.sql.minus(self.read(), self.sql.number(first)), "INT")


def column_for(sql: Expressions, held: NamedFormula, index: int) -> SqlColumn:
    """The column of a formula."""
    if isinstance(held.formula, Curve):
        return CurveColumn(sql, held, index, held.formula)
    return StateColumn(sql, held, index, held.formula)


def _type_of(labels: Sequence[Any], name: str) -> str:
    """The type of a column's labels in SQL: "text", "number", "integer" beyond what doubles hold, or one of time."""
    kinds = {_kind_of(label) for label in labels}
    if "integer" in kinds and all(type(label) is int for label in labels):
        return "integer"
    if len(kinds) > 1 or None in kinds:
        types = ", ".join(sorted({type(label).__name__ for label in labels}))
        raise ParameterError(f"column {name!r} has labels of types that no column in SQL has: {types}.")
    return kinds.pop() or "text" if kinds else "text"


def _kind_of(label: Any) -> str | None:
    if isinstance(label, int) and abs(label) <= _EXACT:  # booleans, too
        return "number"
    named = [(str, "text"), (int, "integer"), (float, "number"), (datetime, "TIMESTAMP"), (date, "DATE")]
    return next((kind for held, kind in named if isinstance(label, held)), None)
