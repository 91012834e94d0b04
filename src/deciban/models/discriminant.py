r"""Gaussian discriminants of tables: numbers and labels together are normal within each class.

    log P(j | x) = log P(j) + (1/T)·log N(z(x); m_j, Σ_j) + a constant

z are the numbers of a row: for each column of numbers the number or its normal score, whichever gives the table the
smaller loss, and for each label of a column 1 or 0. A normal score is Φ⁻¹(rank / n), by lines between 64 quantiles of
the first rows; it makes long tails short.

**Covariances** are shrunk in two ways (Friedman, 1989, "Regularized discriminant analysis"):

    Σ_j(λ, γ) = (1 − γ)·((1 − λ)·C_j + λ·C) / ((1 − λ)·n_j + λ·n) + γ·U

C_j are the sums of the products of deviations from the mean of class j, C their sum over the classes, n_j and n the
numbers of rows, and U the diagonal of variances within the classes, as they were in the first rows. λ = 0 is
quadratic discriminant analysis, with covariances of each class, λ = 1 linear discriminant analysis, with those that all
classes share; γ = 1 has variances alone.

**λ, γ and the temperature T** have the least leave-one-out log loss of the first rows; of losses that differ from the
least by less than half a standard error, that of the largest λ, then γ, is taken. Without a row of weight w and
deviation d from the mean of its class k,

    C_k' = C_k − β·ddᵀ,    C' = C − β·ddᵀ,    m_k' = m_k − d·w/(n_k − w),    β = w·n_k/(n_k − w)

so all covariances lose a product of rank one, and with the eigenvectors of (1 − λ)·C_j + λ·C the densities follow for
every γ without another decomposition (Sherman and Morrison, 1950):

    z'ᵀ(B − b·ddᵀ)⁻¹z' = z'ᵀB⁻¹z' + b·(z'ᵀB⁻¹d)² / (1 − b·dᵀB⁻¹d),    |B − b·ddᵀ| = |B|·(1 − b·dᵀB⁻¹d)

**Missing values** are left out: a row is scored by the density of its known numbers. In the counts, a product of two
numbers needs both of them (`CrossProducts`), and is divided by √(n_a·n_b) of the rows that have each, so that
covariances stay positive.

**The evidence of a column** a is exact and does not depend on the order of the columns. With R the correlations of Σ,

    log N(z) = −½ Σ_a (log 2πσ_a² + (log R)_aa + z_a·(Σ⁻¹z)_a)

where the diagonal of the matrix logarithm sums to log |R|. For a column that is uncorrelated with all others it is its
own normal density, as in naive Bayes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from numbers import Real
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np
import scipy
from sklearn.utils._param_validation import Interval, StrOptions

from deciban.decide import Reject
from deciban.decide.calibration import fit_temperature
from deciban.errors import ColumnMismatchError, ParameterError
from deciban.estimate import Categorical, Gaussian, Ignore, Laplace, settle_priors
from deciban.estimate.values import numbers_of
from deciban.log_sums import log_softmax
from deciban.models.base import Constraints, Rule, SkipOrError, Unseen, words
from deciban.models.leave_one_out import chosen_rows, order_of_rows, prior_of_rows, with_classes_in
from deciban.models.schema import (
    ColumnPlan,
    Defaults,
    Form,
    Schema,
    check_form,
    judge_columns,
    plan_columns,
    wanted_columns,
)
from deciban.models.table_classifier import TABLE_CONSTRAINTS, TableClassifier, check_some_weight, check_values
from deciban.read import MISSING, Column, Table, Variable, number_of
from deciban.storable import check_numbers, require, storable
from deciban.tallies import Sample, Tally, weight_left
from deciban.tallies.products import CrossProducts, count_products
from deciban.ties import exceeds, first_smallest
from deciban.types import AnyArray, Codes, Floats, Ints

__all__ = ["Axis", "Discriminant", "DiscriminantForm", "DiscriminantStructure"]


_SHARES, _FEW_SHARES = (0.0, 0.03, 0.1, 0.3, 0.6, 1.0), (0.0, 0.3, 1.0)
_SHRINKAGES = (1e-4, 1e-3, 1e-2, 0.03, 0.1, 0.3, 0.6, 1.0)
_TEMPERATURES = (1.0, 2.0, 4.0)  # at which λ and γ are compared
_LEAST = 1e-9  # of λ and γ: a class without rows, and a constant number, need covariances too
_KNOTS = 64
_FURTHEST = 16.0  # normal scores beyond are cut off there
_GRID = 2.0**20  # scores are multiples of 1/_GRID, so that the sums of all of them are exact
_LARGEST = 1e100  # numbers beyond, whose squares would overflow, are cut off there
_ROWS, _FEW_ROWS = 20_000, 2_000
_MOST_LABELS = 32
_WORK = 1 << 31  # multiplications of leave-one-out, about
_MOST_DECOMPOSED = 1 << 32  # multiplications of the decompositions of covariances of classes, about
_BLOCK = 1 << 22
_MOST_GROUPS, _MOST_PATTERNS = 8, 8
_CLOSE = 0.5  # standard errors


# The numbers of a row ------------------------------------------------------------------------------------------------


def _check_axis(axis: Axis) -> None:
    require(type(axis.column) is int and axis.column >= 0, "an axis has no column")
    require(len(axis.knots) == len(axis.scores), "scores do not fit their knots")
    check_numbers(np.array([axis.knots, axis.scores], dtype=np.float64), (2, None), "scores", negative=True)
    is_ascending = bool((np.diff(axis.knots) > 0).all() and (np.diff(axis.scores) >= 0).all())
    require(is_ascending, "knots do not ascend")
    require(axis.states is None or isinstance(axis.states, Variable), "an axis has no states")
    size = 0 if axis.states is None else len(axis.states)
    require(all(type(code) is int and 0 <= code < size for code in axis.kept), "a state does not exist")


@storable(check=_check_axis)
@dataclass(frozen=True)
class Axis:
    """The numbers that a column becomes: its score, or 1 for its label and 0 for others.

    Attributes
    ----------
    column : the index of the column
    knots, scores : points between which scores are linear; none for numbers as they are
    states : the labels of the column; None for numbers
    kept : the codes of the labels that have a number of their own
    """

    column: int
    knots: tuple[float, ...] = ()
    scores: tuple[float, ...] = ()
    states: Variable | None = None
    kept: tuple[int, ...] = ()

    @classmethod
    def of_numbers(cls, index: int, column: Column, weights: Floats) -> Axis:
        """Normal scores between quantiles of some rows."""
        numbers = numbers_of(column)
        known = ~np.isnan(numbers)
        values, at = np.unique(numbers[known], return_inverse=True)
        if not len(values):  # no value is known, so none has a rank
            return cls(index, (0.0,), (0.0,))
        counts = np.bincount(at, weights[known], len(values))
        middle = (np.cumsum(counts) - counts / 2) / counts.sum()
        if len(values) > _KNOTS:
            chosen = np.unique(np.searchsorted(middle, np.linspace(middle[0], middle[-1], _KNOTS)))
            values, middle = values[chosen], middle[chosen]
        return cls(index, tuple(values.tolist()), tuple(scipy.special.ndtri(middle).tolist()))

    @classmethod
    def of_labels(cls, index: int, states: Variable, codes: Codes, weights: Floats) -> Axis:
        """A number for each of the most frequent labels of some rows."""
        known = codes >= 0
        counts = np.bincount(codes[known], weights[known], len(states))
        # Of labels that are equally frequent all or none, so that no name decides.
        least = np.sort(counts)[::-1][_MOST_LABELS] if len(counts) > _MOST_LABELS else 0.0
        return cls(index, states=states, kept=tuple(np.flatnonzero(counts > least).tolist()))

    @property
    def width(self) -> int:
        """How many numbers the column becomes."""
        return 1 if self.states is None else len(self.kept)

    def values(self, column: Column, kind: Any, owner: str) -> Floats:
        """Numbers × rows; NaN where the value is not known."""
        if self.states is None:
            return self._scores(_numbers_in(column))[None]
        codes = kind.codes(column, self.states, owner)
        out = (codes == np.array(self.kept, dtype=np.int32)[:, None]).astype(np.float64)
        out[:, (codes == MISSING) | (codes == len(self.states))] = np.nan  # a label that was not there in fit, too
        return out

    def _scores(self, numbers: Floats) -> Floats:
        if not self.knots:
            return np.clip(numbers, -_LARGEST, _LARGEST)
        knots, scores = np.array(self.knots), np.array(self.scores)
        with np.errstate(over="ignore"):
            # Beyond the knots, a line with the slope of all of them.
            slope = (scores[-1] - scores[0]) / (knots[-1] - knots[0]) if len(knots) > 1 else 0.0
            beyond = np.minimum(numbers - knots[0], 0.0) + np.maximum(numbers - knots[-1], 0.0)
            out = np.interp(numbers, knots, scores) + np.clip(beyond * slope, -_FURTHEST, _FURTHEST)
        return np.rint(np.clip(out, -_FURTHEST, _FURTHEST) * _GRID) / _GRID


def _numbers_in(column: Column) -> Floats:
    """The numbers of a column; among labels, as another model may have read it, what spells no number is not known."""
    if column.is_numeric:
        return numbers_of(column)
    spelled = [number_of(state) if isinstance(state, str) else None for state in column.states.tolist()]
    return np.array([np.nan if number is None else number for number in (*spelled, None)])[column.indices]


def _check_structure(structure: DiscriminantStructure) -> None:
    require(all(isinstance(axis, Axis) for axis in structure.axes), "a structure has something that is no axis")
    width = sum(axis.width for axis in structure.axes)
    check_numbers(np.array(structure.units, dtype=np.float64), (width,), "units")
    require(all(unit > 0 for unit in structure.units), "a unit is 0")
    require(0 <= structure.share <= 1 and 0 <= structure.shrinkage <= 1, "shares of covariances are impossible")
    require(0 < structure.temperature < np.inf and 0 <= structure.rows < np.inf, "a structure is impossible")


@storable(check=_check_structure)
@dataclass(frozen=True)
class DiscriminantStructure:
    """What a discriminant takes from its first rows, beside the counts.

    Attributes
    ----------
    axes : the numbers that the columns become
    units : the standard deviations within the classes, of each number
    share : λ, how much of a covariance is that of all classes
    shrinkage : γ, how much of it is the variances of `units`
    temperature : T, by which the evidence is divided
    rows : how many rows these were learned from
    """

    axes: tuple[Axis, ...] = ()
    units: tuple[float, ...] = ()
    share: float = 1.0
    shrinkage: float = 0.0
    temperature: float = 1.0
    rows: float = 0.0

    def numbers(self, data: Table, schema: Schema, owner: str) -> Floats:
        """Numbers × rows; NaN where a value is not known."""
        parts = [
            axis.values(data.columns[axis.column], schema.plans[axis.column].distribution, owner) for axis in self.axes
        ]
        return np.concatenate(parts) if parts else np.empty((0, len(data)))

    def columns(self) -> Ints:
        """The column of each number."""
        return np.repeat([axis.column for axis in self.axes], [axis.width for axis in self.axes]).astype(np.int64)

    def has_same_counts(self, other: DiscriminantStructure) -> bool:
        """True where the counts of both can be added."""
        return self.axes == other.axes

    def merged(self, other: DiscriminantStructure) -> DiscriminantStructure:
        """The same numbers, with what both have learned, averaged by the rows that it was learned from."""
        rows = self.rows + other.rows
        mine = self.rows / rows if rows > 0 else 1.0
        share, shrinkage, log_t = (
            mine * a + (1.0 - mine) * b
            for a, b in (
                (self.share, other.share),
                (self.shrinkage, other.shrinkage),
                (np.log(self.temperature), np.log(other.temperature)),
            )
        )
        return replace(self, share=share, shrinkage=shrinkage, temperature=float(np.exp(log_t)), rows=rows)


def _check_discriminant_form(form: DiscriminantForm) -> None:
    check_form(form)
    axes = form.structure.axes
    require(isinstance(form.structure, DiscriminantStructure), "a form has no structure")
    require(all(axis.column < form.columns for axis in axes), "an axis has no column")
    require(len({axis.column for axis in axes}) == len(axes), "a column has two axes")


@storable(check=_check_discriminant_form)
@dataclass(frozen=True)
class DiscriminantForm(Form):
    """The form of the data, and the structure that was found or given."""

    structure: DiscriminantStructure = DiscriminantStructure()

    @classmethod
    def extend(cls, form: Form, structure: DiscriminantStructure) -> DiscriminantForm:
        return cls(**{field.name: getattr(form, field.name) for field in fields(Form)}, structure=structure)

    def merged(self, other: Form) -> Self:
        both = super().merged(other)
        if not isinstance(other, DiscriminantForm):
            return both
        return replace(both, structure=self.structure.merged(other.structure))


# Densities -----------------------------------------------------------------------------------------------------------


class _Shrunk(NamedTuple):
    """(1 − λ)·C_j + λ·C in units, and what it is divided by, as vectors whose outer product is."""

    cross: Floats
    rows: Floats

    def covariance(self, shrinkage: float) -> Floats:
        scale = np.sqrt((1.0 - shrinkage) / self.rows)
        out = self.cross * (scale[:, None] * scale)
        out[np.diag_indices(len(out))] += shrinkage
        return out


@dataclass(frozen=True, eq=False)
class Densities:
    """Normal densities of all classes, in units of the structure; `weight`, `mean` and `cross` are those of a tally."""

    weight: Floats
    mean: Floats
    cross: Floats
    share: float
    shrinkage: float

    @classmethod
    def of(cls, part: CrossProducts, structure: DiscriminantStructure) -> Densities:
        weight, mean, cross, _ = part.scatter
        units = np.array(structure.units)
        with np.errstate(over="ignore", invalid="ignore"):
            pooled = np.divide(
                (weight * mean).sum(axis=0), weight.sum(axis=0), out=np.zeros(len(units)), where=weight.any(axis=0)
            )
        # A class in which a number is never known has the mean of all.
        middle = np.where(weight > 0, mean, pooled)
        scaled = cross / (units[:, None] * units)
        share, shrinkage = max(structure.share, _LEAST), max(structure.shrinkage, _LEAST)
        return cls(weight, middle / units, scaled, share, shrinkage)

    @property
    def classes(self) -> int:
        return len(self.mean)

    def of_numbers(self, kept: Ints) -> Densities:
        """Those of some of the numbers."""
        cross = self.cross[:, kept][:, :, kept]
        return replace(self, weight=self.weight[:, kept], mean=self.mean[:, kept], cross=cross)

    @property
    def is_shared(self) -> bool:
        return self.share == 1.0

    @cached_property
    def _pooled(self) -> tuple[Floats, Floats]:
        return self.cross.sum(axis=0), self.weight.sum(axis=0)

    def covariance(self, j: int) -> Floats:
        """Σ_j in units."""
        cross, weight = self._pooled
        if not self.is_shared:
            cross = (1.0 - self.share) * self.cross[j] + self.share * cross
            weight = (1.0 - self.share) * self.weight[j] + self.share * weight
        return _Shrunk(cross, np.maximum(weight, np.finfo(np.float64).tiny)).covariance(self.shrinkage)

    @cached_property
    def _whole(self) -> list[tuple[Floats, float]]:
        """For each covariance, of all classes or of each, a root of its inverse, and log |Σ|."""
        return [_root(self.covariance(j)) for j in range(1 if self.is_shared else self.classes)]

    def log_density(self, rows: Floats) -> Floats:
        """log N of rows × numbers: rows × classes; NaN is not known."""
        known = ~np.isnan(rows)
        out = np.empty((len(rows), self.classes))
        for at, kept in _patterns(known):
            out[at] = self._log_density(rows[at], None if kept.all() else np.flatnonzero(kept))
        return out

    def _log_density(self, rows: Floats, kept: Ints | None) -> Floats:
        mean, roots = self.mean, self._whole
        if kept is not None:
            count = 1 if self.is_shared else self.classes
            roots = [_root(self.covariance(j)[np.ix_(kept, kept)]) for j in range(count)]
            mean, rows = mean[:, kept], rows[:, kept]
        out = np.empty((len(rows), self.classes))
        constant = rows.shape[1] * np.log(2.0 * np.pi)
        turned = rows @ roots[0][0] if self.is_shared else None
        for j in range(self.classes):
            root, log_size = roots[0] if self.is_shared else roots[j]
            away = turned - mean[j] @ root if turned is not None else (rows - mean[j]) @ root
            out[:, j] = -0.5 * (np.einsum("ra,ra->r", away, away) + log_size + constant)
        return out

    def evidence(self, rows: Floats, columns: Ints, count: int) -> Floats:
        """What each column adds to log N: rows × columns × classes."""
        known = ~np.isnan(rows)
        out = np.zeros((len(rows), count, self.classes))
        for at, kept in _patterns(known):
            numbers = np.flatnonzero(kept)
            for j in range(self.classes):
                covariance = self.covariance(j)[np.ix_(numbers, numbers)]
                root, log_size = _root(covariance)
                away = rows[np.ix_(at, numbers)] - self.mean[j, numbers]
                terms = away * ((away @ root) @ root.T) + _log_sizes(covariance, log_size) + np.log(2.0 * np.pi)
                for a, number in enumerate(numbers.tolist()):
                    out[at, columns[number], j] -= 0.5 * terms[:, a]
        return out


def _patterns(known: AnyArray) -> Iterator[tuple[AnyArray, AnyArray]]:
    """The rows of each pattern of known numbers, and the pattern."""
    if known.all():
        yield np.arange(len(known)), np.ones(known.shape[1], dtype=bool)
        return
    patterns, which = np.unique(known, axis=0, return_inverse=True)
    order = np.argsort(which.ravel(), kind="stable")
    ends = np.cumsum(np.bincount(which.ravel(), minlength=len(patterns)))
    for pattern, rows in zip(patterns, np.split(order, ends[:-1]), strict=True):
        yield rows, pattern


def _eigen(covariance: Floats) -> tuple[Floats, Floats]:
    """Eigenvalues, none of them 0, and eigenvectors."""
    values, vectors = np.linalg.eigh(covariance)
    return np.maximum(values, 1e-14 * max(float(values.max(initial=0.0)), 1e-300)), vectors


def _root(covariance: Floats) -> tuple[Floats, float]:
    """A square matrix whose product with its own transpose is the inverse, and log |Σ|."""
    values, vectors = _eigen(covariance)
    return vectors / np.sqrt(values), float(np.log(values).sum())


def _log_sizes(covariance: Floats, log_size: float) -> Floats:
    """log σ_a² + (log R)_aa, whose sum is log |Σ|."""
    variances = np.diag(covariance)
    sd = np.sqrt(variances)
    values, vectors = _eigen(covariance / (sd[:, None] * sd))
    sizes: Floats = np.log(variances) + (vectors**2) @ np.log(values)
    # Exact to rounding; where eigenvalues are at their least, the two sums differ by more.
    return sizes + (log_size - sizes.sum()) / max(len(sizes), 1)


# Leave-one-out -------------------------------------------------------------------------------------------------------


class Left(NamedTuple):
    """Counted rows, in units, that are left out one by one: their numbers, classes and weights."""

    rows: Floats
    y: Codes
    own: Floats


def left_out_complete(
    densities: Densities, left: Left, counts: Floats, share: float, shrinkages: Sequence[float]
) -> Floats:
    """log N of rows without missing values, each left out: shrinkages × rows × classes.

    `counts` are the weights of the classes; `densities` have the means and C of all rows.
    """
    rows, y, own = left
    total, pooled = float(counts.sum()), densities.cross.sum(axis=0)
    rest = weight_left(counts[y], own)
    has_others = rest > 0
    safe = np.where(has_others, rest, 1.0)
    growth = np.where(has_others, counts[y] / safe, 0.0)
    deviations = rows - densities.mean[y]
    middle = counts @ densities.mean
    out = np.empty((len(shrinkages), len(rows), densities.classes))
    shared = _eigen(pooled) if share == 1.0 else None
    constant = rows.shape[1] * np.log(2.0 * np.pi)
    for j in range(densities.classes):
        values, vectors = shared or _eigen((1.0 - share) * densities.cross[j] + share * pooled)
        away, removed = (rows - densities.mean[j]) @ vectors, deviations @ vectors
        is_own = y == j
        away[is_own] *= growth[is_own, None]
        lone = is_own & ~has_others
        if lone.any():  # a class without rows has the mean of all
            others = (middle - own[lone, None] * rows[lone]) / max(total - float(own[lone].max()), 1e-300)
            away[lone] = (rows[lone] - others) @ vectors
        strength = own * growth * np.where(is_own, 1.0, share)
        weight = (1.0 - share) * (counts[j] - own * is_own) + share * (total - own)
        weight = np.maximum(weight, _LEAST)
        squares = away * away, away * removed, removed * removed
        for at, units in _groups(weight):
            some = [square[at] for square in squares]
            for g, shrinkage in enumerate(shrinkages):
                scale = (1.0 - shrinkage) / units
                inner = scale[:, None] * values + shrinkage
                inverse = np.broadcast_to(1.0 / inner, some[0].shape)
                plain, mixed, taken = (np.einsum("ra,ra->r", square, inverse) for square in some)
                b = scale * strength[at]
                lost = np.maximum(1.0 - b * taken, 1e-12)
                size = np.log(inner).sum(axis=1) + np.log(lost)
                out[g, at, j] = -0.5 * (plain + b * mixed * mixed / lost + size + constant)
    return out


def _groups(keys: Floats) -> Iterator[tuple[AnyArray, Floats]]:
    """Where each distinct key is, and the key; all at once, each with its own key, where most are distinct."""
    distinct, which = np.unique(keys, return_inverse=True)
    if len(distinct) > _MOST_GROUPS:
        yield np.arange(len(keys)), keys
        return
    for k in range(len(distinct)):
        yield np.flatnonzero(which == k), distinct[k : k + 1]


def left_out_incomplete(part: CrossProducts, structure: DiscriminantStructure, left: Left) -> Floats:
    """The same where values are missing: rows × classes; the rows are not in units, and NaN is not known.

    All estimates are made again for each row, from the sums without it.
    """
    out = np.empty((len(left.y), part.classes))
    step = max(1, _BLOCK // max(1, len(structure.units)) ** 2 // 8)
    rest = _Rest.of(part, structure)
    for j in range(part.classes):
        of_class = np.flatnonzero(left.y == j)
        for first in range(0, len(of_class), step):
            at = of_class[first : first + step]
            out[at] = rest.log_density(left.rows[at], j, left.own[at])
    return out


class _Rest(NamedTuple):
    """The scatter of all rows in units, and the weights of pairs, class × number × number."""

    weight: Floats
    mean: Floats
    cross: Floats
    shifts: Floats
    pairs: Floats
    units: Floats
    share: float
    shrinkage: float

    @classmethod
    def of(cls, part: CrossProducts, structure: DiscriminantStructure) -> _Rest:
        weight, mean, cross, shifts = part.scatter
        units = np.array(structure.units)
        square = cross.shape
        return cls(
            weight,
            mean,
            cross / (units[:, None] * units),
            np.broadcast_to(shifts / units[:, None], square),
            np.broadcast_to(part.weight, square),
            units,
            max(structure.share, _LEAST),
            max(structure.shrinkage, _LEAST),
        )

    def log_density(self, rows: Floats, k: int, own: Floats) -> Floats:
        """log N of rows of class k, each without itself in the sums: rows × classes."""
        known = ~np.isnan(rows)
        mask = known.astype(np.float64)
        taken = own[:, None] * mask
        away = np.where(known, rows - self.mean[k], 0.0) / self.units
        # The sums about the old means without the row; then the means move, by `move`.
        pairs = self.pairs[k] - taken[:, :, None] * mask[:, None, :]
        shifts = self.shifts[k] - (taken * away)[:, :, None] * mask[:, None, :]
        cross = self.cross[k] - (taken * away)[:, :, None] * away[:, None, :]
        weight = weight_left(self.weight[k], taken)
        own_shift = np.diagonal(shifts, axis1=1, axis2=2)
        move = np.divide(own_shift, weight, out=np.zeros_like(own_shift), where=weight > 0)
        across = shifts * move[:, None, :]
        cross = cross - across - across.transpose(0, 2, 1) + move[:, :, None] * move[:, None, :] * pairs
        cross *= (weight > 0)[:, :, None] & (weight > 0)[:, None, :]
        middle = self.mean[k] + move * self.units
        # The mean of all classes without the row, for classes in which a number is never known.
        others = self.weight.sum(axis=0) - self.weight[k]
        whole = others + weight
        rest = (self.weight * self.mean).sum(axis=0) - self.weight[k] * self.mean[k]
        pooled = np.divide(rest + weight * middle, whole, out=np.zeros_like(middle), where=whole > 0)
        total = self.cross.sum(axis=0) - self.cross[k] + cross
        both = mask[:, :, None] * mask[:, None, :]
        out = np.empty((len(rows), len(self.mean)))
        for j in range(len(self.mean)):
            inner, counted = (cross, weight) if j == k else (self.cross[j], self.weight[j])
            mean = np.where(counted > 0, middle if j == k else self.mean[j], pooled)
            rows_of = np.maximum((1.0 - self.share) * counted + self.share * whole, np.finfo(np.float64).tiny)
            scale = np.sqrt((1.0 - self.shrinkage) / rows_of)
            covariance = ((1.0 - self.share) * inner + self.share * total) * (scale[:, :, None] * scale[:, None, :])
            a = np.arange(rows.shape[1])
            # What is not known has the variance 1 and no deviation: it adds nothing.
            covariance = covariance * both
            covariance[:, a, a] += self.shrinkage * mask + (1.0 - mask)
            values, vectors = np.linalg.eigh(covariance)
            values = np.maximum(values, 1e-14 * values[:, -1:])
            deviations = np.where(known, rows - mean, 0.0) / self.units
            turned = np.einsum("rab,ra->rb", vectors, deviations)
            squares = (turned * turned / values).sum(axis=1)
            out[:, j] = -0.5 * (squares + np.log(values).sum(axis=1) + mask.sum(axis=1) * np.log(2.0 * np.pi))
        return out


# The model -----------------------------------------------------------------------------------------------------------


class Discriminant(TableClassifier):
    """Gaussian discriminant analysis of tables: linear, quadratic, and the shrunk models between them.

    Parameters
    ----------
    columns : "auto", mapping or Schema
        The distributions of the columns, "auto" or by name. Numbers are one number of the normal distribution, whatever
        distribution of numbers is named; labels, and numbers that are `Categorical`, have one for each label; columns
        that are `Ignore`, and text, are left out.
    covariance : {"auto", "shared", "by class"} or float
        "shared": all classes have the same covariances (linear discriminant analysis). "by class": each has its own
        (quadratic). A number from 0 to 1 is λ, the share of the common ones. "auto": the share with the least
        leave-one-out log loss.
    shrinkage : "auto" or float
        γ from 0 to 1, the share of variances without covariances: 1 is naive Bayes. "auto": with the least loss.
    normal_scores : "auto" or bool
        Whether numbers are replaced by normal scores of their ranks. "auto": if the loss is smaller with them.
    structure : optional
        `structure_` of another model, whose scores, shares and temperature are then used, so that both can be merged.
    temperature : "auto" or float
        What the evidence is divided by; "auto": with the least leave-one-out log loss.
    priors : "empirical", "uniform", Smoothing, mapping or array
        The class priors: relative frequencies, equal ones, smoothed frequencies, or probabilities by label or in the
        order of the classes.
    missing : {"skip", "error"}
        "skip": a row is scored by the density of its known values.
    unseen : {"smooth", "ignore", "error"}
        What a label is that did not occur in fit: no evidence, or an error.
    na_values : sequence
        Further values that stand for missing ones, like "?".
    rule : {"map", "ml"}
        How to decide: "map" by the posterior; "ml" by the likelihood alone, without the priors.
    loss : array or mapping, optional
        A matrix, truth × decision, or {truth: {decision: cost}}, where costs that are not named are 0 for the right
        decision and 1 for a wrong one. The decision of least expected loss is taken.
    reject : Reject or float, optional
        A `Reject`, or the posterior below which no decision is made: `predict` then returns None.

    Attributes
    ----------
    tally_ : Tally
        The weights, sums and cross-products of the numbers in each class.
    covariance_share_, shrinkage_, temperature_ : float
        λ, γ and T.
    structure_ : value
        The scores, shares and temperature, for the parameter `structure` of another model.
    classes_ : array
        The labels, sorted.
    class_count_ : array
        The weight of the rows of each class.
    class_prior_ : array
        P(class).
    schema_ : Schema
        For each column its name, its distribution and the reason for it; it prints as a table.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : array
        The names of the columns, where the rows had names.

    See Also
    --------
    NaiveBayes : Columns that are independent within each class.
    AutoBayes : Several models, compared and combined.

    Notes
    -----
    Scores, units, λ, γ and T are found from the rows of `fit`, or of the first `partial_fit`, and kept: `partial_fit`,
    `merge` and `forget` change the counts, and with them means and covariances. `merge` averages λ, γ and T of both
    models by the rows that they were learned from.

    Of a column with more than 32 labels, the most frequent ones have numbers of their own, and the others are 0 in all.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> table, grower = load_wine(return_X_y=True, as_frame=True)
    >>> model = Discriminant().fit(table, grower)
    >>> bool(model.loo_predict_proba(table, grower)[range(178), grower].mean() > 0.95)
    True
    """

    _parameter_constraints: ClassVar[Constraints] = {
        **{name: allowed for name, allowed in TABLE_CONSTRAINTS.items() if name != "smoothing"},
        "missing": [words(SkipOrError)],
        "covariance": [StrOptions({"auto", "shared", "by class"}), Interval(Real, 0, 1, closed="both")],
        "shrinkage": [StrOptions({"auto"}), Interval(Real, 0, 1, closed="both")],
        "normal_scores": [StrOptions({"auto"}), "boolean"],
        "temperature": [StrOptions({"auto"}), Interval(Real, 0, None, closed="neither")],
        "structure": [DiscriminantStructure, None],
    }

    schema_: Schema
    structure_: DiscriminantStructure
    covariance_share_: float
    shrinkage_: float
    temperature_: float
    _form: DiscriminantForm
    _densities: Densities

    def __init__(
        self,
        columns: Any = "auto",
        *,
        covariance: Literal["auto", "shared", "by class"] | float = "auto",
        shrinkage: Literal["auto"] | float = "auto",
        normal_scores: Literal["auto"] | bool = "auto",
        structure: DiscriminantStructure | None = None,
        temperature: Literal["auto"] | float = "auto",
        priors: Any = "empirical",
        missing: SkipOrError = "skip",
        unseen: Unseen = "smooth",
        na_values: Sequence[Any] = (),
        rule: Rule = "map",
        loss: Any = None,
        reject: Reject | float | None = None,
    ) -> None:
        self.columns, self.covariance, self.shrinkage = columns, covariance, shrinkage
        self.normal_scores, self.structure, self.temperature = normal_scores, structure, temperature
        self.priors, self.missing, self.unseen, self.na_values = priors, missing, unseen, na_values
        self.rule, self.loss, self.reject = rule, loss, reject

    # Finding the structure -----------------------------------------------------------------------------------------

    def _form_of_sample(self, data: Table, sample: Sample) -> DiscriminantForm:
        check_some_weight(sample)
        schema = self._plan(data, sample)
        form = replace(self._form_of(data), schema=schema)
        structure = self._settings.structure
        if structure is None:
            structure = self._new_structure(data, sample, form)
        elif any(axis.column >= len(schema) for axis in structure.axes):
            raise ColumnMismatchError(f"the structure has more columns than the table, which has {len(schema)}.")
        return DiscriminantForm.extend(form, structure)

    def _plan(self, data: Table, sample: Sample) -> Schema:
        """Each column a number, labels, or left out."""
        given = wanted_columns(self._settings.columns, data.names)
        in_use = self._settings
        defaults = Defaults(Laplace(), in_use.missing, in_use.unseen)
        plans = []
        for plan, column in zip(
            judge_columns(plan_columns(data, in_use.columns, defaults), data, sample, given), data.columns, strict=True
        ):
            kind = plan.distribution
            if kind.is_ignored:
                plans.append(plan)
            elif not kind.values_repeat and not column.is_numeric:
                plans.append(ColumnPlan(plan.name, Ignore(missing="skip"), "text"))
            elif column.is_numeric and not (plan.name in given and isinstance(kind, Categorical)):
                plans.append(
                    ColumnPlan(plan.name, defaults.settle(Gaussian(missing=_missing(kind.missing))), "numbers")
                )
            else:
                unseen = kind.unseen if isinstance(kind, Categorical) else None
                labels = Categorical(missing=_missing(kind.missing), unseen=unseen)
                plans.append(ColumnPlan(plan.name, defaults.settle(labels), plan.reason))
        return Schema(tuple(plans))

    def _new_structure(self, data: Table, sample: Sample, form: Form) -> DiscriminantStructure:
        """The numbers that the columns become, with or without normal scores."""
        rows = sample.weighty()
        at = np.arange(len(data)) if rows is None else np.flatnonzero(rows)
        at = at[:: max(1, -(-len(at) // _ROWS))]
        some, of_some, given = data.take(at), sample.take(at), self._settings.normal_scores
        plain = self._axes(data, some, of_some, form.schema, normal_scores=False)
        if given is False:
            return plain
        scored = self._axes(data, some, of_some, form.schema, normal_scores=True)
        if given is True or plain == scored:
            return scored
        # On some rows and a coarse grid: which of the two is better shows before the best strengths are known.
        few = np.arange(len(at))[:: max(1, -(-len(at) // _FEW_ROWS))]
        some, of_some = some.take(few), of_some.take(few)
        losses = [self._loss_of(structure, some, of_some, form) for structure in (scored, plain)]
        return plain if exceeds(losses[0], losses[1]) else scored

    def _loss_of(self, structure: DiscriminantStructure, data: Table, sample: Sample, form: Form) -> float:
        """The least leave-one-out log loss on a coarse grid."""
        order = order_of_rows(sample.codes, len(sample.classes))
        form = DiscriminantForm.extend(form, structure)
        tally = self._count(data, sample, form)
        if order is not None:
            tally, sample = with_classes_in(order, tally, sample)
        search = _Search.of(tally, form, data, sample, self._settings.priors, type(self).__name__)
        return 0.0 if search is None else search.best(structure, search.affordable(_FEW_SHARES), _SHRINKAGES[1::2])[1]

    def _axes(
        self, data: Table, some: Table, sample: Sample, schema: Schema, *, normal_scores: bool
    ) -> DiscriminantStructure:
        """The numbers of all columns, and the variances of these within the classes, by some rows."""
        weights = np.ones(len(some)) if sample.weights is None else sample.weights
        owner, axes = type(self).__name__, []
        for i, (plan, column) in enumerate(zip(schema, some.columns, strict=True)):
            kind = plan.distribution
            if isinstance(kind, Categorical):
                states = kind.variable(data.columns[i])  # of all rows: labels that are rare in some are known, too
                axes.append(Axis.of_labels(i, states, kind.codes(column, states, owner), weights))
            elif not kind.is_ignored:
                axes.append(Axis.of_numbers(i, column, weights) if normal_scores else Axis(i))
        plain = DiscriminantStructure(tuple(axes))
        numbers = plain.numbers(some, schema, owner)
        return replace(plain, units=tuple(_units(numbers, sample.codes, weights, len(sample.classes)).tolist()))

    def _form_of_tally(self, tally: Tally) -> DiscriminantForm:
        structure = self._settings.structure
        if structure is None or len(structure.units) != len(tally.parts[0].given_names):
            raise ParameterError("a tally does not say what its numbers are. Pass structure=model.structure_.")
        names = self._names_in(tally)
        kinds = [
            Gaussian(missing="skip") if axis.states is None else Categorical(missing="skip") for axis in structure.axes
        ]
        defaults = Defaults(Laplace(), self._settings.missing, self._settings.unseen)
        plans = tuple(
            ColumnPlan(n, defaults.settle(k), "as the tally counts it") for n, k in zip(names, kinds, strict=True)
        )
        axes = tuple(replace(axis, column=i) for i, axis in enumerate(structure.axes))  # no column that is left out
        form = Form(len(names), names, schema=Schema(plans))
        return DiscriminantForm.extend(form, replace(structure, axes=axes))

    def _learn_beyond_counts(
        self, tally: Tally, form: Form, data: Table, sample: Sample
    ) -> tuple[Form, dict[str, object] | None]:
        """The form with λ, γ and T of the least leave-one-out log loss."""
        in_use, form = self._settings, _own(form)
        if in_use.structure is not None:
            return form, None
        order = order_of_rows(sample.codes, len(tally.classes))
        if order is not None:  # the last digits of sums over the classes must not depend on their names
            tally, sample = with_classes_in(order, tally, sample)
        structure = replace(
            form.structure, share=_share(in_use.covariance), shrinkage=_number(in_use.shrinkage), temperature=1.0
        )
        search = _Search.of(tally, form, data, sample, in_use.priors, type(self).__name__)
        if search is not None:
            shares = search.affordable(_SHARES) if in_use.covariance == "auto" else (structure.share,)
            shrinkages = _SHRINKAGES if in_use.shrinkage == "auto" else (structure.shrinkage,)
            structure, _ = search.best(structure, shares, shrinkages)
        if in_use.temperature != "auto":
            structure = replace(structure, temperature=float(in_use.temperature))
        return replace(form, structure=replace(structure, rows=float(tally.total))), None

    def _check_mergeable(self, other: Discriminant) -> None:
        if not self.structure_.has_same_counts(other.structure_):
            raise ColumnMismatchError(
                "the two models have different scores of numbers, or labels. Fit the second with those of the first: "
                "structure=first.structure_."
            )

    # Counting and estimating ---------------------------------------------------------------------------------------

    def _count(self, data: Table, sample: Sample, form: Form) -> Tally:
        owner, structure = type(self).__name__, _own(form).structure
        check_values(data, form.schema, owner)
        names = tuple(form.schema.plans[i].name for i in structure.columns().tolist())
        return sample.tally(count_products(structure.numbers(data, form.schema, owner), sample, names))

    def _parts_in(self, form: Form) -> int:
        """One part has the cross-products of all numbers."""
        return 1

    def _check_fits(self, tally: Tally, form: Form) -> None:
        fits = len(tally.parts) == 1 and isinstance(tally.parts[0], CrossProducts)
        require(
            fits and len(tally.parts[0].given_names) == len(_own(form).structure.units),
            "it counts other numbers than its model",
        )

    def _accepted(self, tally: Tally) -> Tally:
        if len(tally.parts) != 1 or not isinstance(tally.parts[0], CrossProducts):
            raise ParameterError("Discriminant takes the tally of cross-products that such a model makes.")
        return tally

    def _estimate(self, tally: Tally, form: Form) -> dict[str, object]:
        structure = _own(form).structure
        prior = settle_priors(self._settings.priors, tally.class_counts, tally.classes.labels.tolist())
        return {
            "schema_": form.schema,
            "structure_": structure,
            "covariance_share_": structure.share,
            "shrinkage_": structure.shrinkage,
            "temperature_": structure.temperature,
            "class_count_": tally.class_counts.astype(np.float64),
            "class_prior_": np.exp(prior),
            "_prior": prior,
            "_densities": Densities.of(tally.parts[0], structure),
        }

    def _learned_beside_counts(self) -> dict[str, str]:
        learned = {
            "covariance": f"{self.covariance_share_:g} shared",
            "shrinkage": f"{self.shrinkage_:g}",
            "temperature": f"{self.temperature_:.3g}",
        }
        return {**super()._learned_beside_counts(), **learned}

    # Scoring -------------------------------------------------------------------------------------------------------

    def _rows(self, data: Table) -> Floats:
        """Rows × numbers, in units; NaN where a value is not known."""
        numbers = self.structure_.numbers(data, self.schema_, type(self).__name__)
        return np.ascontiguousarray(numbers.T) / np.array(self.structure_.units)

    def _likelihood(self, data: Table) -> Floats:
        out, step = np.empty((len(data), len(self.classes_))), max(1, _BLOCK // max(1, len(self.structure_.units)))
        for first in range(0, len(data), step):
            block = slice(first, first + step)
            out[block] = self._densities.log_density(self._rows(data.take(block)))
        return out / self.temperature_

    def _column_evidence(self, data: Table) -> Floats:
        rows, columns = self._rows(data), self.structure_.columns()
        return self._densities.evidence(rows, columns, self.n_features_in_) / self.temperature_

    def _left_out_likelihood(self, data: Table, y: Codes, weights: Floats) -> Floats:
        """The scores, λ, γ and T stay as they are."""
        structure, part, densities = self.structure_, self.tally_.parts[0], self._densities
        numbers, units = structure.numbers(data, self.schema_, type(self).__name__).T, np.array(structure.units)
        out = np.empty((len(y), len(self.classes_)))
        counted = weights > 0  # a row of weight 0 is in no count, so nothing of it is left out
        out[~counted] = densities.log_density(numbers[~counted] / units)
        left = Left(numbers[counted], y[counted], weights[counted])
        if part.is_complete and not np.isnan(left.rows).any():
            scaled, counts = left._replace(rows=left.rows / units), part.weight[:, 0, 0]
            out[counted] = left_out_complete(densities, scaled, counts, densities.share, [densities.shrinkage])[0]
        else:
            out[counted] = left_out_incomplete(part, structure, left)
        return out / self.temperature_

    _why_no_joint = "it is a distribution of the normal scores of numbers, at a temperature"

    def _free_parameters(self) -> int:
        """The means, and the covariances of all classes together, or of each."""
        numbers, classes = len(self.structure_.units), len(self.classes_)
        covariances = numbers * (numbers + 1) // 2
        return classes * numbers + covariances * (1 if self.structure_.share == 1.0 else classes)


def _own(form: Form) -> DiscriminantForm:
    if not isinstance(form, DiscriminantForm):
        raise ParameterError("the model has no structure of a discriminant.")
    return form


def _missing(given: str | None) -> Any:
    """A state of its own is for distributions of single columns."""
    return None if given in (None, "state") else given


def _share(covariance: str | float) -> float:
    return (
        {"auto": 1.0, "shared": 1.0, "by class": 0.0}[covariance] if isinstance(covariance, str) else float(covariance)
    )


def _number(given: str | float) -> float:
    return 0.1 if isinstance(given, str) else float(given)


def _units(numbers: Floats, y: Codes, weights: Floats, classes: int) -> Floats:
    """The standard deviation within the classes of each number; of all rows where it is constant within them; or 1."""
    sample = Sample(Variable("y", np.arange(classes), classes), y, np.bincount(y, weights, classes), weights)
    weight, mean, cross, _ = count_products(numbers, sample, ("",) * len(numbers)).scatter
    rows = np.maximum(weight.sum(axis=0), 1e-300)
    middle = (weight * mean).sum(axis=0) / rows
    within = np.diagonal(cross, axis1=1, axis2=2).sum(axis=0) / rows
    between = (weight * (mean - middle) ** 2).sum(axis=0) / rows
    variance = np.where(within > 1e-9 * between, within, between)
    return np.sqrt(np.where(variance > 1e-18 * middle**2, variance, 1.0))


class _Search(NamedTuple):
    """Counted rows, and what is needed to score them left out."""

    densities: Densities
    left: Left
    counts: Floats
    prior: Floats
    importance: Floats
    patterns: tuple[tuple[int, Ints], ...]
    """How many of the rows, which are in this order, know which numbers."""

    @classmethod
    def of(
        cls, tally: Tally, form: DiscriminantForm, data: Table, sample: Sample, priors: Any, owner: str
    ) -> _Search | None:
        """None where there is nothing to learn from."""
        classes, structure = len(tally.classes), form.structure
        width = len(structure.units)
        if classes < 2 or not width:
            return None
        at = chosen_rows(sample, width * classes, width)
        work = 2 * classes * width * (width + 4 * len(_SHRINKAGES)) * len(_SHARES)
        at = at[:: max(1, -(-len(at) // max(200, _WORK // work)))]
        y = sample.codes[at]
        importance = np.ones(len(at)) if sample.weights is None else sample.weights[at]
        own = np.minimum(importance, 1.0) if sample.weights is None or not (sample.weights % 1.0).any() else importance
        others = weight_left(tally.class_counts[y], own) > 0
        if not others.any():
            return None
        at, y, own, importance = at[others], y[others], own[others], importance[others]
        rows = structure.numbers(data.take(at), form.schema, owner).T / np.array(structure.units)
        # Only to choose by: rows of the most frequent patterns of missing values.
        patterns = sorted(_patterns(~np.isnan(rows)), key=lambda found: -len(found[0]))[:_MOST_PATTERNS]
        kept = np.concatenate([which for which, _ in patterns])
        rows, y, own, importance = rows[kept], y[kept], own[kept], importance[kept]
        prior = prior_of_rows(priors, tally.class_counts, y, own)
        known = tuple((len(which), np.flatnonzero(pattern)) for which, pattern in patterns)
        counts = tally.class_counts.astype(np.float64)
        densities = Densities.of(tally.parts[0], structure)
        # As if the rows in which a number is known were all: covariances stay the same.
        weight = densities.weight
        ratio = np.sqrt(np.divide(counts[:, None], weight, out=np.zeros_like(weight), where=weight > 0))
        densities = replace(densities, cross=densities.cross * ratio[:, :, None] * ratio[:, None, :])
        return cls(densities, Left(rows, y, own), counts, prior, importance, known)

    def affordable(self, shares: Sequence[float]) -> Sequence[float]:
        """The shares to compare: that of common covariances alone where each class has too many."""
        classes, width = self.densities.mean.shape
        work = classes * len(shares) * len(self.patterns) * width**3
        return shares if work <= _MOST_DECOMPOSED else (1.0,)

    def best(
        self, structure: DiscriminantStructure, shares: Sequence[float], shrinkages: Sequence[float]
    ) -> tuple[DiscriminantStructure, float]:
        """λ, γ and T, and their loss.

        Of losses that differ from the least by less than half a standard error, that of the largest λ, then γ.
        """
        found = []
        for share in reversed(shares):
            likelihoods = self._likelihoods(max(share, _LEAST), [max(g, _LEAST) for g in reversed(shrinkages)])
            for shrinkage, likelihood in zip(reversed(shrinkages), likelihoods, strict=True):
                losses = min((self._losses(likelihood / t) for t in _TEMPERATURES), key=self._mean)
                found.append((share, shrinkage, losses, likelihood))
        least = found[first_smallest([self._mean(losses) for _, _, losses, _ in found])][2]
        share, shrinkage, _, logs = next(one for one in found if self._is_close(one[2], least))
        temperature = fit_temperature(logs, self.prior, self.left.y, self.importance)
        structure = replace(structure, share=share, shrinkage=shrinkage, temperature=temperature)
        return structure, self._mean(self._losses(logs / temperature))

    def _is_close(self, losses: Floats, least: Floats) -> bool:
        gap = losses - least
        mean = self._mean(gap)
        # By weights, so that a weight of 2 is two rows.
        error = (self._mean((gap - mean) ** 2) / float(self.importance.sum())) ** 0.5
        return not exceeds(mean, _CLOSE * error)

    def _mean(self, losses: Floats) -> float:
        return float(np.average(losses, weights=self.importance))

    def _likelihoods(self, share: float, shrinkages: Sequence[float]) -> Floats:
        """Shrinkages × rows × classes."""
        parts, start, (rows, y, own) = [], 0, self.left
        for count, kept in self.patterns:
            some = slice(start, start + count)
            left = Left(rows[some][:, kept], y[some], own[some])
            parts.append(left_out_complete(self.densities.of_numbers(kept), left, self.counts, share, shrinkages))
            start += count
        return np.concatenate(parts, axis=1)

    def _losses(self, likelihood: Floats) -> Floats:
        logs = log_softmax(self.prior + likelihood)[np.arange(len(self.prior)), self.left.y]
        return -np.maximum(logs, -700.0)
