"""One column in SQL: its value with a fixed type, its state, and its log-probabilities in each class.

log Γ is not part of all dialects, so log Γ(x + r) − log Γ(r) is written out: by Stirling's series, from 10 on, to which
a smaller argument is raised by Γ(z) = Γ(z + 10) / (z·(z + 1)·…·(z + 9)). Where r is large, the difference is expanded,
so that nothing cancels, with log (1 + u) = log w·u / (w − 1), w = 1 + u rounded (Goldberg, 1991).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from datetime import date, datetime
from itertools import pairwise
from typing import Any

import scipy

from deciban.errors import ParameterError
from deciban.estimate.closed_form import NamedFormula
from deciban.estimate.likelihood import Bins, Curve, Labels, Presence, StateLogs
from deciban.export.sql.expressions import Expression, Expressions

__all__ = ["CurveColumn", "SqlColumn", "StateColumn", "column_for"]


_MOST_BRANCHES = 24
"""Labels beyond so many are looked up in a joined table, fewer by CASE."""
# Doubles hold whole numbers up to here; larger labels are compared as integers.
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

    def _number(self, cast: Callable[[Value], Expression]) -> Expression:
        """The column as a double, NULL where it is missing, NaN or a marker of missing values."""
        sql = self.sql
        texts = [sql.text(marker) for marker in sorted(m for m in self.markers if isinstance(m, str))]
        number = sql.without_nan(lambda: cast(self.given))
        # Texts first, since a marker such as "?" is no number, and casting it would be an error of the database.
        if self.is_numeral and texts:
            number = sql.case([(sql.is_in(sql.cast(self.given(), "TEXT"), texts), sql.null())], number)
        for marker in sorted({float(m) for m in self.markers if isinstance(m, int | float)}):
            number = sql.exp.Nullif(this=number, expression=sql.number(marker))
        return number


class CurveColumn(SqlColumn):
    """A number, scored by a curve."""

    def __init__(self, sql: Expressions, held: NamedFormula, index: int, curve: Curve) -> None:
        super().__init__(sql, held, index)
        self.curve = curve

    def faults(self) -> list[Expression]:
        faults = [self.sql.is_infinite(self.read)]
        if self.curve.missing is None:
            faults.append(self.sql.is_null(self.read()))
        if self.curve.is_strict:
            faults += is_outside(self.sql, self.curve, self.read)
        return faults

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
        self.logs = formula.table
        self.unseen, self.missing = formula.code_of_unseen, self.states + 1
        self._null = formula.code_of_missing
        self._labels = formula.states if isinstance(formula.states, Labels) else None
        self._known = [] if self._labels is None else [(code, label) for label, code in self._labels.known().items()]
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
        faults = [sql.is_infinite(self.read)] if self._type == "number" else []
        for is_fault, code in ((self.formula.is_strict, self.unseen), (self.formula.missing is None, self._null)):
            if is_fault:
                faults.append(sql.is_equal(self.at(), sql.integer(code)))
        if self._labels is not None and self._labels.is_coded:
            faults.append(sql.is_less(self.read(), sql.number(0.0)))
        return faults

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


Value = Callable[[], Expression]

# B₂ₖ/(2k·(2k − 1)). The first term that is left out, 3617/(122400·z¹⁵), is 3e-17 at z = 10: nothing to a double.
_STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156)
_SHIFT = 10
_LARGE = 100.0
"""Sizes from here on are expanded."""
# Larger counts are scored as this one: near the largest double log Γ is out of range.
_MOST = 1e300
_HALF_LOG_2PI = 0.5 * math.log(2.0 * math.pi)
_LARGEST = 1.7976931348623157e308


def is_outside(sql: Expressions, curve: Curve, value: Value) -> list[Expression]:
    """Conditions under which a number is not possible."""
    conditions = []
    if curve.lowest > -math.inf:
        kind = sql.exp.LTE if curve.is_open else sql.exp.LT
        conditions.append(sql.binary(kind, value(), sql.number(curve.lowest)))
    if curve.highest < math.inf:
        conditions.append(sql.binary(sql.exp.GT, value(), sql.number(curve.highest)))
    if curve.is_whole:
        conditions.append(sql.binary(sql.exp.NEQ, value(), sql.floor(value())))
    return conditions


def curve_value(sql: Expressions, curve: Curve, j: int, value: Value) -> Expression:
    """The curve of class j at a number; NULL where that is NULL."""
    inner: Value = (lambda: sql.ln(value())) if curve.of_log else value
    terms = [*_squares(sql, curve, j, inner), *_lines(sql, curve, j, inner), *_gammas(sql, curve, j, inner)]
    whole = terms[0] if len(terms) == 1 else sql.add(terms)
    outside = [] if curve.is_strict else is_outside(sql, curve, value)
    return sql.case([(sql.any_of(outside), sql.number(-math.inf))], whole) if outside else whole


def is_null_at_null(curve: Curve, j: int) -> bool:
    """True where `curve_value` is NULL at NULL: it has a term with a finite coefficient."""
    lines = (coefficients[j] for coefficients in (curve.slope, curve.complement) if coefficients is not None)
    has_line = any(slope != 0.0 and not math.isinf(slope) for slope in lines)
    has_square = curve.half is not None and curve.half[j] != 0.0
    return has_line or has_square or (curve.size is not None and not math.isinf(curve.size[j]))


def _squares(sql: Expressions, curve: Curve, j: int, value: Value) -> list[Expression]:
    """constant − half·(t − mean)², or the constant alone."""
    constant = sql.number(float(curve.constant[j]))
    if curve.half is None or curve.mean is None or curve.half[j] == 0.0:
        return [constant]
    mean, half = float(curve.mean[j]), float(curve.half[j])

    def away() -> Expression:
        return sql.minus(value(), sql.number(mean))

    if not sql.is_checked:
        return [sql.minus(constant, sql.times(sql.times(away(), away()), sql.number(half)))]
    # (√half·d)² in place of half·d²: d² alone may be out of range where the product is not.
    root = math.sqrt(half)
    product = sql.times(away(), sql.number(root))
    again = sql.times(away(), sql.number(root))
    near, far = _limits(root)
    is_far = sql.exp.Not(this=_between(sql, value(), mean - far, mean + far))
    branches = [(is_far, sql.number(-math.inf)), (_between(sql, value(), mean - near, mean + near), constant)]
    curved = sql.minus(sql.number(float(curve.constant[j])), sql.times(product, again))
    return [sql.case(branches, curved)]


def _limits(root: float) -> tuple[float, float]:
    """Below which distance a square is as good as 0, and from which on it is out of range."""
    far = 1e153 / root if root > 1e-150 else math.inf
    return min(max(1e-150 / root, 1e-300), _LARGEST), min(far, 1e154)


def _between(sql: Expressions, given: Expression, low: float, high: float) -> Expression:
    ends = (sql.number(min(max(end, -_LARGEST), _LARGEST)) for end in (low, high))
    return sql.exp.Between(this=given, low=next(ends), high=next(ends))


def _lines(sql: Expressions, curve: Curve, j: int, value: Value) -> list[Expression]:
    """slope·t + complement·(1 − t)."""
    terms = []
    if curve.slope is not None:
        terms.append(_line(sql, float(curve.slope[j]), value))
    if curve.complement is not None:
        terms.append(_line(sql, float(curve.complement[j]), lambda: sql.minus(sql.number(1.0), value())))
    return [term for term in terms if term is not None]


def _line(sql: Expressions, slope: float, value: Value) -> Expression | None:
    if slope == 0.0:
        return None
    if math.isinf(slope):  # 0 times infinity is 0
        return sql.case([(sql.is_equal(value(), sql.number(0.0)), sql.number(0.0))], sql.number(slope))
    if not sql.is_checked:
        return sql.times(value(), sql.number(slope))
    most, least = 1e300 / max(abs(slope), 1.0), 1e-300 / min(abs(slope), 1.0)
    branches = [
        (_between(sql, value(), -least, least), sql.number(0.0)),
        (sql.binary(sql.exp.GT, value(), sql.number(most)), sql.number(most * slope)),
        (sql.is_less(value(), sql.number(-most)), sql.number(-most * slope)),
    ]
    return sql.case(branches, sql.times(value(), sql.number(slope)))


def _gammas(sql: Expressions, curve: Curve, j: int, value: Value) -> list[Expression]:
    if curve.size is None or math.isinf(curve.size[j]):
        return []
    size = float(curve.size[j])

    def limited() -> Expression:
        return sql.least([value(), sql.number(_MOST)])

    rising = _expanded(sql, size, limited) if size > _LARGE else _log_gamma_from(sql, size, limited)
    return [sql.times(rising, sql.number(curve.weight))]


def _expanded(sql: Expressions, size: float, x: Value) -> Expression:
    """(r − ½)·log(1 + x/r) + x·(log(x + r) − 1) + the corrections of Stirling's series, as numpy computes it."""

    def ratio() -> Expression:
        return sql.divided(x(), sql.number(size))

    def both() -> Expression:
        return sql.add([x(), sql.number(size)])

    def whole() -> Expression:
        return sql.add([sql.number(1.0), ratio()])

    fraction = sql.divided(sql.times(sql.ln(whole()), ratio()), sql.minus(whole(), sql.number(1.0)))
    log_1p = sql.case([(sql.is_equal(whole(), sql.number(1.0)), ratio())], fraction)
    first = sql.times(sql.number(size - 0.5), log_1p)
    second = sql.times(x(), sql.minus(sql.ln(both()), sql.number(1.0)))
    inverse = sql.divided(sql.number(1.0 / 12.0), both())
    cubes = sql.divided(
        sql.number(1.0 / 360.0), sql.times(sql.times(_near(sql, both), _near(sql, both)), _near(sql, both))
    )
    rest = sql.number(-1.0 / (12.0 * size) + size**-3.0 / 360.0)
    return sql.add([first, second, sql.minus(inverse, cubes), rest])


def _near(sql: Expressions, value: Value) -> Expression:
    """A number whose third power is in range; the correction of larger numbers is 0 to all digits."""
    return sql.least([value(), sql.number(1e50)])


def _log_gamma_from(sql: Expressions, size: float, x: Value) -> Expression:
    """log Γ(x + r) − log Γ(r)."""

    def z() -> Expression:
        return sql.add([x(), sql.number(size)])

    def raised() -> Expression:
        return sql.add([x(), sql.number(size + _SHIFT)])

    product = sql.times(z(), sql.add([x(), sql.number(size + 1.0)]))
    for k in range(2, _SHIFT):
        product = sql.times(product, sql.add([x(), sql.number(size + k)]))
    small = sql.minus(_stirling(sql, raised), sql.ln(product))
    is_small = sql.is_less(z(), sql.number(float(_SHIFT)))
    whole = sql.case([(is_small, small)], _stirling(sql, z))
    return sql.minus(whole, sql.number(float(scipy.special.gammaln(size))))


def _stirling(sql: Expressions, z: Value) -> Expression:
    """log Γ(z), z from 10 on: (z − ½)·log z − z + ½·log 2π + Σ c_k / z^(2k−1), by Horner's rule in 1/z²."""

    def inverse() -> Expression:
        return sql.divided(sql.number(1.0), _near(sql, z))

    series = sql.number(_STIRLING[-1])
    for c in reversed(_STIRLING[:-1]):
        series = sql.add([sql.number(c), sql.times(series, sql.times(inverse(), inverse()))])
    first = sql.times(sql.minus(z(), sql.number(0.5)), sql.ln(z()))
    return sql.add([sql.minus(first, z()), sql.number(_HALF_LOG_2PI), sql.times(series, inverse())])
