"""The terms of a `Curve` in SQL.

log Γ is not part of all dialects, so log Γ(x + r) − log Γ(r) is written out: by Stirling's series, from 10 on, to which
a smaller argument is raised by Γ(z) = Γ(z + 10) / (z·(z + 1)·…·(z + 9)). Where r is large, the difference is expanded,
so that nothing cancels, with log (1 + u) = log w·u / (w − 1), w = 1 + u rounded (Goldberg, 1991).
"""

from __future__ import annotations

import math
from collections.abc import Callable

import scipy

from deciban.engines.sql.expressions import Expression, Expressions
from deciban.estimate.columns.formulas import Curve

__all__ = ["curve_value", "is_null_at_null", "is_outside"]

Value = Callable[[], Expression]

_STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156)
_SHIFT = 10
_LARGE = 100.0
"""Sizes from here on are expanded."""
_MOST = 1e300
_HALF_LOG_2PI = 0.5 * math.log(2.0 * math.pi)
_LARGEST = 1.7976931348623157e308


def is_outside(sql: Expressions, curve: Curve, value: Value) -> list[Expression]:
    """Conditions under which a number is not possible."""
    found = []
    if curve.lowest > -math.inf:
        kind = sql.exp.LTE if curve.is_open else sql.exp.LT
        found.append(sql.binary(kind, value(), sql.number(curve.lowest)))
    if curve.highest < math.inf:
        found.append(sql.binary(sql.exp.GT, value(), sql.number(curve.highest)))
    if curve.is_whole:
        found.append(sql.binary(sql.exp.NEQ, value(), sql.floor(value())))
    return found


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
    root = math.sqrt(half)
    product = sql.times(away(), sql.number(root))
    again = sql.times(away(), sql.number(root))
    near, far = _limits(root)
    is_far = sql.exp.Not(this=_between(sql, value(), mean - far, mean + far))
    branches = [(is_far, sql.number(-math.inf)), (_between(sql, value(), mean - near, mean + near), constant)]
    held = sql.minus(sql.number(float(curve.constant[j])), sql.times(product, again))
    return [sql.case(branches, held)]


def _limits(root: float) -> tuple[float, float]:
    """Below which distance a square is as good as 0, and from which on it is out of range."""
    far = 1e153 / root if root > 1e-150 else math.inf
    return min(max(1e-150 / root, 1e-300), _LARGEST), min(far, 1e154)


def _between(sql: Expressions, given: Expression, low: float, high: float) -> Expression:
    low, high = (sql.number(min(max(end, -_LARGEST), _LARGEST)) for end in (low, high))
    return sql.exp.Between(this=given, low=low, high=high)


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
