"""Weight and sums of numeric columns within each class, from which means and variances follow.

Each cell holds, in double-double (a sum of two doubles, about 106 bits), its weight and sums around a shift s:

    W = Σ w,    S₁ = Σ w·(x − s),    S₂ = Σ w·(x − s)²
    mean = s + S₁/W,    Σ w·(x − mean)² = S₂ − S₁²/W

Samples join by adding their sums, after those of one are moved to the shift of the other,

    S₁' = S₁ + W·δ,    S₂' = S₂ + 2δ·S₁ + W·δ²,    δ = s − s'

and are taken out again by subtracting them. Rounding is about 2⁻¹⁰⁴ of S₂: rows of size 10⁹ can be taken out and leave
rows of size 1 with all their digits. Where rounding could be seen in what is left, as when rows of 10²⁰ are taken out
of rows of size 1, subtracting is an error.

Moments without each of their rows in turn, as leave-one-out needs them:

    n' = n − w,  mean' = mean − (x − mean)·w/n',  M' = M − w·(x − mean)²·n/n'

M' cancels only for a row that has most of the M of its class. At most two rows have (three of equal weight cannot each
have half), so the two that have most are taken out by summing up the others: nothing is lost, and what is constant
without a row is constant to the last bit.

Sums of many like columns within each class: occurrences of terms, or rows in which a term is present.

    T_jk = Σ_{rows of class j} x_k
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from deciban.errors import ColumnMismatchError, NegativeCountError, PrecisionError
from deciban.read import generated_names
from deciban.storable import check_names, check_numbers, require, storable
from deciban.tallies import kernels
from deciban.tallies.tally import Part, ShownRow, place_rows, subtract, weight_left
from deciban.types import AnyArray, Codes, Floats, Ints

__all__ = ["Moments", "Spread", "Terms", "distinct_rows", "mean_and_sd", "moments_without_each"]


_DIGITS = 1e-9
"""How well a standard deviation must be known after rows were taken out, as a share of itself."""

_ROUNDING = 1e-9
# Some units in the last place of a mean, whose rounding does not shrink with the spread of the values.
_UNITS = 64 * float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False)
class Spread:
    """Weight, mean and sum of squared deviations of columns in each class, as arrays of class × column.

    Attributes
    ----------
    weight : array
        The weight of the rows with a value.
    mean : array
        The mean of the values.
    deviation : array
        Σ (x − mean)².

    Examples
    --------
    >>> from deciban import tally
    >>> part = tally({"x": [1.0, 3.0, 7.0], "y": ["a", "a", "b"]}, target="y").parts[0]
    >>> part.spread.mean.tolist(), part.spread.deviation.tolist()
    ([[2.0], [7.0]], [[2.0], [0.0]])
    """

    weight: Floats
    mean: Floats
    deviation: Floats

    @property
    def spread(self) -> Spread:
        """The moments themselves, as `Moments` has them."""
        return self

    @classmethod
    def side_by_side(cls, parts: Sequence[Moments | Spread]) -> Spread:
        """Join the moments of several groups of columns.

        Parameters
        ----------
        parts : sequence of Moments or Spread
            The groups.

        Returns
        -------
        Spread
        """
        spreads = [part.spread for part in parts]
        if len(spreads) == 1:
            return spreads[0]
        weight = np.concatenate([np.broadcast_to(part.weight, part.mean.shape) for part in spreads], axis=1)
        mean = np.concatenate([part.mean for part in spreads], axis=1)
        return cls(weight, mean, np.concatenate([part.deviation for part in spreads], axis=1))

    def pooled(self) -> Spread:
        """Compute the moments of all classes together, as one class.

        Returns
        -------
        Spread
        """
        # Chan, Golub and LeVeque (1983): the deviations within the classes, and those of their means from the mean.
        weight = self.weight.sum(axis=0, keepdims=True)
        mean = (self.mean * _share(self.weight, weight)).sum(axis=0, keepdims=True)
        gap, weights = self.mean - mean, np.broadcast_to(self.weight, self.mean.shape)
        with np.errstate(over="ignore"):
            square = gap * gap
        # 0 where the weight is 0, even if the square overflows: 0·∞ would be NaN.
        between = np.multiply(square, weights, out=np.zeros_like(gap), where=weights > 0).sum(axis=0, keepdims=True)
        return Spread(weight, mean, self.deviation.sum(axis=0, keepdims=True) + between)


def _check_moments(moments: Moments) -> None:
    """Weights, means and deviations must fit each other."""
    check_numbers(moments.mean, (None, None), "means", negative=True)
    classes, columns = moments.mean.shape
    check_numbers(moments.weight, (classes, None), "weights")
    require(moments.weight.shape[1] in (1, columns), "weights do not fit their columns")
    deviation = moments.deviation
    require(deviation.dtype.kind == "f" and deviation.shape == (classes, columns), "deviations do not fit their means")
    # An infinite one is valid: the squares of finite numbers may overflow.
    require(not np.isnan(deviation).any() and not (deviation < 0).any(), "deviations are negative or not numbers")
    check_names(moments.given_names, columns)


@storable(check=_check_moments)
@dataclass(frozen=True, eq=False)
class Moments(Part):
    """Class × column moments; `weight` has one column when no value is missing, else one a column.

    `sums` are six tables of class × column: the shifts, S₁ (high and low part), S₂ (high and low part), and the low
    part of the weight.
    """

    weight: Floats
    sums: Floats
    given_names: tuple[str, ...] | None = None

    @classmethod
    def of(cls, weight: Floats, mean: Floats, deviation: Floats, names: tuple[str, ...] | None = None) -> Moments:
        """The moments that have these means and sums of squared deviations."""
        nothing = np.zeros_like(mean, dtype=np.float64)
        return cls(weight, np.stack([mean, nothing, nothing, deviation, nothing, nothing]), names)

    @property
    def names(self) -> tuple[str, ...]:
        return self.given_names or generated_names(self.sums.shape[2])

    @property
    def classes(self) -> int:
        return int(self.sums.shape[1])

    @property
    def is_empty(self) -> bool:
        return not self.weight.any()

    def shown(self, most: int) -> Iterator[ShownRow]:
        """Column, "mean ± sd" and cells: the rows of a printed tally."""
        for k, name in enumerate(self.names):
            yield name, "mean ± sd", mean_and_sd(self.spread, k)

    @property
    def mean(self) -> Floats:
        return self.spread.mean

    @property
    def deviation(self) -> Floats:
        return self.spread.deviation

    @cached_property
    def spread(self) -> Spread:
        """The means and sums of squared deviations, as doubles."""
        return Spread(self.weight, *kernels.settle_moments(self._weights, self.sums))

    def pooled(self) -> Spread:
        """The moments of all classes together, as one class."""
        return self.spread.pooled()

    @property
    def _weights(self) -> Floats:
        """One weight a cell."""
        return np.ascontiguousarray(np.broadcast_to(self.weight, self.sums.shape[1:]), dtype=np.float64)

    def __add__(self, other: Moments) -> Moments:
        self._check(other)
        sums = kernels.add_moments(self._weights, self.sums, other._weights, other.sums)
        return Moments(self.weight + other.weight, sums, self.given_names)

    def __sub__(self, other: Moments) -> Moments:
        self._check(other)
        weight = subtract(self.weight, other.weight, lambda _: "rows", 0)
        left = np.ascontiguousarray(np.broadcast_to(weight, self.sums.shape[1:]), dtype=np.float64)
        sums, rounding = kernels.subtract_moments(self._weights, self.sums, other._weights, other.sums, left)
        self._settle_doubts(left, sums, rounding)
        return Moments(weight, sums, self.given_names)

    def _settle_doubts(self, weight: Floats, sums: Floats, rounding: Floats) -> None:
        """Check the cells whose deviations are near the rounding error: they are constant, or not known any more."""
        with np.errstate(invalid="ignore", over="ignore"):
            # In doubles this difference is good to about 1e-16 of S₂, so it settles the cells where it is far larger;
            # fractions, which are exact, settle the few others.
            apart = sums[3] - sums[1] * sums[1] / np.where(weight > 0, weight, 1.0)
            clear = (apart > 1e-10 * sums[3]) & (apart > 2.0 * rounding / _DIGITS)
        is_plain = ~sums[1:5].any(axis=0)  # all of them equal the shift
        for j, c in np.argwhere((rounding > 0) & ~clear & ~is_plain).tolist():
            known = _deviation_left(float(weight[j, c]), sums[:, j, c], float(rounding[j, c]), self.names[c])
            if known == 0:
                mean = kernels.settle_moments(weight[j : j + 1, c : c + 1], sums[:, j : j + 1, c : c + 1])[0]
                sums[:5, j, c] = mean[0, 0], 0.0, 0.0, 0.0, 0.0

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Moments):
            return NotImplemented
        return (
            self.given_names == other.given_names
            and self.sums.shape == other.sums.shape
            and np.array_equal(self._weights, other._weights)
            and np.array_equal(self.mean, other.mean)
            and np.array_equal(self.deviation, other.deviation)
        )

    def is_close(self, other: Moments) -> bool:
        """Equal up to rounding, which is measured by the spread and the size of the values."""
        if self.given_names != other.given_names or self.mean.shape != other.mean.shape:
            return False
        # Means are compared on the scale of the spread: near 0 they may differ by all of themselves.
        weight, theirs = (np.broadcast_to(m.weight, m.mean.shape) for m in (self, other))
        spread = np.sqrt(np.maximum(self.deviation, 0.0) * _share(np.ones_like(weight), weight))
        near = _ROUNDING * spread + _UNITS * np.abs(self.mean)
        with np.errstate(over="ignore", invalid="ignore"):
            far = np.abs(self.deviation - other.deviation) > 8.0 * weight * (spread + near) * near
        return not (
            (np.abs(weight - theirs) > _ROUNDING * weight).any()
            or (np.abs(self.mean - other.mean) > near).any()
            or far.any()
        )

    def scaled(self, factor: float) -> Moments:
        factor = float(factor)
        return Moments(self.weight * factor, kernels.scale_moments(self._weights, self.sums, factor), self.given_names)

    def reclassed(self, indices: Ints, classes: int) -> Moments:
        # A shift of 0 suits a class without rows.
        sums = np.zeros((6, classes, self.sums.shape[2]))
        sums[:, indices] = self.sums
        return Moments(place_rows(self.weight, indices, classes), sums, self.given_names)

    def of_classes(self, kept: AnyArray) -> Moments:
        return Moments(self.weight[kept], self.sums[:, kept], self.given_names)

    def of_columns(self, kept: Sequence[int]) -> Moments:
        weight = self.weight if self.weight.shape[1] == 1 else self.weight[:, kept]
        return Moments(weight, self.sums[:, :, kept], tuple(self.names[c] for c in kept))

    @classmethod
    def side_by_side(cls, parts: Sequence[Moments]) -> Moments:
        """The moments of several groups of columns as those of one."""
        if len(parts) == 1:
            return parts[0]
        weight = np.concatenate([part._weights for part in parts], axis=1)
        sums = np.concatenate([part.sums for part in parts], axis=2)
        return cls(weight, sums, tuple(name for part in parts for name in part.names))

    def _check(self, other: Moments) -> None:
        if self.sums.shape[2] != other.sums.shape[2] or self.given_names != other.given_names:
            raise ColumnMismatchError(f"columns {_shown(self.names)} cannot be joined with {_shown(other.names)}.")


def mean_and_sd(spread: Spread, k: int) -> list[str]:
    """The cells of a printed tally: mean and standard deviation of a column in each class."""
    weight = np.broadcast_to(spread.weight, spread.mean.shape)[:, k]
    with np.errstate(over="ignore", invalid="ignore"):
        sd = np.sqrt(spread.deviation[:, k] / np.maximum(weight, 1e-300))
    cells = zip(weight.tolist(), spread.mean[:, k].tolist(), sd.tolist(), strict=True)
    return [f"{mean:z.4g} ± {around:.3g}" if rows else "–" for rows, mean, around in cells]


def _deviation_left(weight: float, sums: AnyArray, rounding: float, name: str) -> Fraction | float:
    """The deviation that is left in a cell: 0 where it is constant to rounding, an error where it is not known."""
    if not np.isfinite([rounding, *sums]).all():
        raise _lost(name)
    _, first, first_low, second, second_low, weight_low = (Fraction(v) for v in sums.tolist())
    whole = Fraction(weight) + weight_low
    exact = second + second_low - (first + first_low) ** 2 / whole
    if exact < -4 * Fraction(rounding):
        raise NegativeCountError(f"the variance of {name!r} would be negative: what is taken out was never counted.")
    mean = Fraction(float(sums[0])) + (first + first_low) / whole
    # What rounding alone can have left counts as 0 where it would be 0 beside the values: a standard deviation of less
    # than 1e-9 of the mean. Beside a mean of 0 nothing says that it is small.
    if exact <= 4 * Fraction(rounding):
        if exact == 0 or Fraction(rounding) <= whole * (Fraction(_DIGITS) * mean) ** 2:
            return 0.0
        raise _lost(name)
    if exact < 2 * Fraction(rounding) / Fraction(_DIGITS):
        raise _lost(name)
    return exact


def _lost(name: str) -> PrecisionError:
    return PrecisionError(
        f"column {name!r}: the values taken out are so much larger than the others that the variance of what is left "
        f"is no longer known to {_DIGITS:g} of itself. Nothing was changed. Fit the rows that remain instead."
    )


def _share(part: Floats, whole: Floats) -> Floats:
    return np.divide(part, whole, out=np.zeros(np.broadcast_shapes(part.shape, whole.shape)), where=whole > 0)


def _shown(names: tuple[str, ...]) -> str:
    return ", ".join(names[:5]) + (", …" if len(names) > 5 else "")


def _check_terms(terms: Terms) -> None:
    """Sums and weights must fit each other."""
    check_numbers(terms.sums, (None, None), "sums")
    check_numbers(terms.known, (len(terms.sums), None), "weights")
    require(terms.known.shape[1] in (1, terms.sums.shape[1]), "weights do not fit their terms")
    check_names(terms.given_names, terms.sums.shape[1])


@storable(check=_check_terms)
@dataclass(frozen=True, eq=False)
class Terms(Part):
    """Class × term sums, and the weight of the rows whose value is known: one column, or one a term."""

    sums: AnyArray
    known: AnyArray
    given_names: tuple[str, ...] | None = None

    @property
    def names(self) -> tuple[str, ...]:
        return self.given_names or generated_names(self.sums.shape[1])

    @property
    def classes(self) -> int:
        return len(self.sums)

    def shown(self, most: int) -> Iterator[ShownRow]:
        """Term, "sum" and cells: the rows of a printed tally."""
        for k, name in enumerate(self.names):
            yield name, "sum", self.sums[:, k].tolist()

    @property
    def is_empty(self) -> bool:
        return not (self.sums.any() or self.known.any())

    def __add__(self, other: Terms) -> Terms:
        self._check(other)
        return Terms(self.sums + other.sums, self.known + other.known, self.given_names)

    def __sub__(self, other: Terms) -> Terms:
        self._check(other)
        known = subtract(self.known, other.known, lambda _: "rows", 0)
        sums = subtract(self.sums, other.sums, lambda at: f"term {self.names[at[1]]!r}", 0)
        return Terms(sums, known, self.given_names)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Terms):
            return NotImplemented
        return (
            self.given_names == other.given_names
            and np.array_equal(self.sums, other.sums)
            and bool(np.all(self.known == other.known))
        )

    def scaled(self, factor: float) -> Terms:
        return Terms(self.sums * float(factor), self.known * float(factor), self.given_names)

    def reclassed(self, indices: Ints, classes: int) -> Terms:
        return Terms(
            place_rows(self.sums, indices, classes), place_rows(self.known, indices, classes), self.given_names
        )

    def of_classes(self, kept: AnyArray) -> Terms:
        return Terms(self.sums[kept], self.known[kept], self.given_names)

    def of_columns(self, kept: Sequence[int]) -> Terms:
        known = self.known if self.known.shape[1] == 1 else self.known[:, kept]
        return Terms(self.sums[:, kept], known, tuple(self.names[c] for c in kept))

    def _check(self, other: Terms) -> None:
        if self.sums.shape[1] != other.sums.shape[1] or self.given_names != other.given_names:
            raise ColumnMismatchError(
                f"{self.sums.shape[1]} terms cannot be joined with {other.sums.shape[1]}: the columns differ."
            )


def moments_without_each(moments: Moments, x: Floats, y: Codes, weights: Floats, *, are_all: bool = True) -> Spread:
    """One column's moments, class × row: each row's column is without it; a missing value (NaN) takes nothing out.

    Rows that have most of their class's M are summed up anew, if all counted rows of the class are given and `are_all`.
    """
    tables = (np.broadcast_to(moments.weight, moments.mean.shape), moments.mean, moments.deviation)
    weight, mean, deviation = (np.repeat(table.astype(np.float64), len(y), axis=1) for table in tables)
    rows = np.flatnonzero(~np.isnan(x) & (weights > 0))
    own = y[rows], rows
    cells = weight[own], mean[own], deviation[own]
    left = _taken_out(cells, x[rows], y[rows], weights[rows], are_all=are_all)
    weight[own], mean[own], deviation[own] = left
    return Spread(weight, mean, deviation)


def distinct_rows(x: Floats, y: Codes, weights: Floats) -> tuple[tuple[Floats, Codes, Floats], AnyArray]:
    """The distinct combinations of value, class and weight, and which of them each row has."""
    if len(x) == 0:
        return (x, y, weights), np.empty(0, dtype=np.int64)
    # Not np.unique(axis=0), for which all three would have to be of one type.
    order = np.lexsort((weights, y, x))
    sorted_rows = x[order], y[order], weights[order]
    is_new = np.ones(len(x), dtype=bool)
    is_new[1:] = np.any([column[1:] != column[:-1] for column in sorted_rows], axis=0)
    indices = np.empty(len(x), dtype=np.int64)
    indices[order] = np.cumsum(is_new) - 1
    values, classes, weights = sorted_rows
    return (values[is_new], classes[is_new], weights[is_new]), indices


def _taken_out(
    cell: tuple[Floats, Floats, Floats], x: Floats, y: Codes, weights: Floats, *, are_all: bool
) -> tuple[Floats, Floats, Floats]:
    """Weight, mean and deviation of each row's own class without it."""
    n, mean, deviation = cell
    left = weight_left(n, weights)
    safe = np.where(left > 0, left, 1.0)
    with np.errstate(over="ignore", invalid="ignore"):
        gap = x - mean
        loss = weights * gap * gap * (n / safe)
        # ∞ − ∞ would be NaN.
        rest = np.where(loss < np.inf, np.maximum(deviation - loss, 0.0), deviation)
        centre = mean - gap * (weights / safe)
    centre, rest = np.where(left > 0, centre, 0.0), np.where(left > 0, rest, 0.0)
    for j in np.unique(y) if are_all else ():
        rows = np.flatnonzero(y == j)
        if abs(weights[rows].sum() - n[rows[0]]) > _ROUNDING * n[rows[0]]:  # some rows of the class are not given
            continue
        lost = loss[rows]
        for at in np.argpartition(lost, -2)[-2:] if len(lost) > 2 else range(len(lost)):
            if left[rows[at]] > 0:
                others = np.delete(rows, at)
                centre[rows[at]], rest[rows[at]] = _summed(x[others], weights[others])
    return left, centre, rest


def _summed(x: Floats, weights: Floats) -> tuple[float, float]:
    """Mean and deviation, from differences to one of the values, so that equal values have none."""
    with np.errstate(over="ignore", invalid="ignore"):
        away = x - x[0]
        # No dot product: its order depends on threads.
        middle = float((weights * away).sum() / weights.sum())
        return float(x[0]) + middle, float((weights * (away - middle) ** 2).sum())
