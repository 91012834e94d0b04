"""Moments of numbers in each configuration of categories, and the regressions of a number from these.

In each configuration j of the categorical parents, of the rows with j,

    W_j = Σ w,    m_j = Σ w·x / W_j,    C_j = Σ w·(x − m_j)(x − m_j)ᵀ,

where x are the numeric parents and the number itself, in double-double. They are added and taken out as those of one
group are (``linear_gaussian``), in all configurations at once.

**Shrinkage.** A configuration with few rows has no regression of its own, or a bad one. So the prior of each is the
regression over all rows (a₀, b₀), as if κ further rows lay on it (normal-inverse-gamma, Gelman et al., *Bayesian Data
Analysis*, 14.8). With e = x − a₀ − b₀·z and z̄, C_zz of all rows,

    minimize  Σ_r w_r·(e_r − α − β·z_r)²  +  λ·((α + β·z̄)² + βᵀ·C_zz·β / W)
    s_j² = (its first sum + κ·s²) / (W_j + κ),         a_j = a₀ + α,  b_j = b₀ + β

s² is the residual variance within configurations, and λ = κ·s² / s₀² with s₀² that of the regression over all rows: the
more configurations differ, the less one says about another, so that the prior always weighs as much as κ rows of noise.
Where neither rows nor prior determine a direction, the deviation from the regression over all rows is 0; so none is
singular. A configuration without rows has the regression over all rows. κ = 0 is plain least squares.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from deciban.errors import NegativeCountError
from deciban.nets.graphs.graph import Node
from deciban.nets.learning.linear_gaussian import (
    NOISE,
    ROUNDING,
    ROUNDING_DOUBLED,
    CrossMoments,
    LinearGaussian,
    Lines,
    RegressionPosterior,
    Variance,
    check_left,
    diagonal,
    least_squares,
    regress,
    without_noise,
)
from deciban.nets.mixed_network import Regressions
from deciban.storable import ByFields, check_numbers, storable
from deciban.tallies.doubled import Doubled
from deciban.types import AnyArray, Floats, Ints

__all__ = ["GroupedMoments", "RegressionPosteriors", "Shrunk", "estimate_regressions", "shrink"]


def _check_moments(moments: GroupedMoments) -> None:
    """Shapes must fit, and weights must not be negative."""
    groups, columns = moments.weight.shape, moments.mean.shape[-1]
    check_numbers(moments.weight, groups, "weights")
    for what, array, shape in (
        ("means", moments.mean, (columns,)),
        ("means", moments.mean_low, (columns,)),
        ("cross-products", moments.cross, (columns, columns)),
        ("cross-products", moments.cross_low, (columns, columns)),
    ):
        check_numbers(array, (*groups, *shape), what, negative=True)


@storable(check=_check_moments)
@dataclass(frozen=True, eq=False)
class GroupedMoments(ByFields):
    """Weight, means and cross-products of some columns in each group, with the low parts of the last two.

    ``weight`` has an axis for each category that makes the groups, ``mean`` one more, ``cross`` two more.
    """

    weight: Floats
    mean: Floats
    cross: Floats
    mean_low: Floats
    cross_low: Floats

    @classmethod
    def empty(cls, groups: Sequence[int], columns: int) -> GroupedMoments:
        """The moments of no rows."""
        mean, cross = np.zeros((*groups, columns)), np.zeros((*groups, columns, columns))
        return cls(np.zeros(tuple(groups)), mean, cross, mean.copy(), cross.copy())

    @classmethod
    def of_sums(cls, sums: Floats, groups: Sequence[int], columns: int, shifts: Floats) -> GroupedMoments:
        """From the sums around `shifts` that the core has made: groups × high and low × terms."""
        groups = tuple(groups)
        high, low = (part.reshape(*groups, -1) for part in np.moveaxis(sums, 1, 0))
        weight, first = Doubled(high[..., :1], low[..., :1]), Doubled(high, low).at((..., slice(1, 1 + columns)))
        rows, cols = np.tril_indices(columns)
        second = Doubled(*(np.empty((*groups, columns, columns)) for _ in range(2)))
        for square, part in zip(second, (high, low), strict=True):
            square[..., rows, cols] = square[..., cols, rows] = part[..., 1 + columns : 1 + columns + len(rows)]
        share = Doubled(np.where(weight.high > 0, weight.high, 1.0), weight.low)
        offset = first / share
        with np.errstate(over="ignore", invalid="ignore"):
            cross = second - _outer(first, offset)
        has_rows = weight.high[..., 0] > 0
        mean = Doubled.of(np.broadcast_to(shifts, offset.high.shape)) + offset
        return cls._made(weight.high[..., 0], _where(has_rows, mean), without_noise(cross, second.high))

    @classmethod
    def _made(cls, weight: Floats, mean: Doubled, cross: Doubled) -> GroupedMoments:
        # Rounding makes the two halves differ in a last bit.
        high, low = ((part + part.swapaxes(-1, -2)) / 2 for part in cross)
        # NumPy gives a scalar for an operation on the weight of a single group, which has no axis.
        return cls(np.asarray(weight), mean.high, high, mean.low, low)

    @property
    def means(self) -> Doubled:
        """The means in double-double."""
        return Doubled(self.mean, self.mean_low)

    @property
    def products(self) -> Doubled:
        """The cross-products in double-double."""
        return Doubled(self.cross, self.cross_low)

    def __add__(self, other: GroupedMoments) -> GroupedMoments:
        weight = self.weight + other.weight
        share = _share(other.weight, weight)
        delta = other.means - self.means
        # An empty group has the mean 0, which says nothing about how far apart the two samples are.
        both = (self.weight > 0) & (other.weight > 0)
        between = _outer(delta, delta) * (Doubled.of(self.weight) * share).at((..., None, None))
        means = self.means + delta * share.at((..., None))
        return self._made(weight, means, self.products + other.products + _where(both, between))

    def __sub__(self, other: GroupedMoments) -> GroupedMoments:
        weight = self.weight - other.weight
        if (weight < -ROUNDING * self.weight).any():
            raise NegativeCountError(
                f"the weight of the rows would be {weight.min():g}: these rows were never counted."
            )
        is_left = weight > ROUNDING * self.weight  # of the other groups all rows are taken out, up to rounding
        weight = np.where(is_left, weight, 0.0)
        delta = self.means - other.means  # the mean of all rows lies between those of the two parts
        share = _share(other.weight, weight)
        between = _outer(delta, delta) * (Doubled.of(self.weight) * share).at((..., None, None))
        mean = _where(is_left, self.means + delta * share.at((..., None)))
        cross = _where(is_left, self.products - other.products - between)
        noise = NOISE * (diagonal(self.cross) + diagonal(other.cross) + diagonal(between.high)) * is_left[..., None]
        return self._made(weight, mean, check_left(cross, noise, weight[..., None] * mean.high**2))

    def scaled(self, factor: float) -> GroupedMoments:
        """The moments of the same rows with another weight."""
        if factor == 0:
            return GroupedMoments.empty(self.weight.shape, self.mean.shape[-1])
        return self._made(self.weight * factor, self.means, self.products * Doubled.of(factor))

    def part(self, axes: Sequence[int], columns: Sequence[int]) -> GroupedMoments:
        """The same moments with the axes of the groups, and the columns, in another order."""
        groups, columns = list(axes), list(columns)
        n = len(groups)
        mean = (part.transpose(*groups, n)[..., columns] for part in self.means)
        cross = (part.transpose(*groups, n, n + 1)[..., columns, :][..., columns] for part in self.products)
        (high, low), (square, square_low) = mean, cross
        return GroupedMoments(self.weight.transpose(*groups), high, square, low, square_low)

    def moved(self, codes: Sequence[Ints], sizes: Sequence[int]) -> GroupedMoments:
        """The same moments, with state i of an axis at codes[axis][i] of other states; −1 where it is dropped."""
        if not codes:
            return self
        kept = [np.flatnonzero(index >= 0) for index in codes]
        targets = np.ix_(*(index[keep] for index, keep in zip(codes, kept, strict=True)))
        source = np.ix_(*kept)
        out = GroupedMoments.empty(sizes, self.mean.shape[-1])
        for name in ("weight", "mean", "cross", "mean_low", "cross_low"):
            getattr(out, name)[targets] = getattr(self, name)[source]
        return out

    def total(self) -> CrossMoments:
        """The moments of all groups together."""
        columns = self.mean.shape[-1]
        weights = Doubled.of(self.weight.reshape(-1))
        means = Doubled(*(part.reshape(-1, columns) for part in self.means))
        products = Doubled(*(part.reshape(-1, columns, columns) for part in self.products))
        weight = _total(weights.at((slice(None), None))).at(0)
        if not weight.high > 0:
            return CrossMoments(0.0, np.zeros(columns), np.zeros((columns, columns)))
        # Around the mean of the groups' means by weight, in double-double: no digits are lost.
        mean = _total(means * weights.at((slice(None), None))) / weight
        delta = means - mean
        cross = _total(products + _outer(delta, delta) * weights.at((slice(None), None, None)))
        return CrossMoments(float(weight.high), mean.high, cross.high, mean.low, cross.low)

    def group(self, index: tuple[int, ...]) -> CrossMoments:
        """The moments of one group."""
        arrays = (self.mean, self.cross, self.mean_low, self.cross_low)
        return CrossMoments(float(self.weight[index]), *(array[index] for array in arrays))


def _share(part: Floats, whole: Floats) -> Doubled:
    """part / whole, 0 where the whole is 0."""
    safe = np.where(whole > 0, whole, 1.0)
    return Doubled.of(np.where(whole > 0, part, 0.0)) / Doubled.of(safe)


def _outer(a: Doubled, b: Doubled) -> Doubled:
    return a.at((..., slice(None), None)) * b.at((..., None, slice(None)))


def _where(groups: AnyArray, values: Doubled) -> Doubled:
    """The values of some groups, and 0 for the others."""
    kept = groups.reshape(*groups.shape, *[1] * (values.high.ndim - groups.ndim))
    return Doubled(np.where(kept, values.high, 0.0), np.where(kept, values.low, 0.0))


def _total(parts: Doubled) -> Doubled:
    """The sum over the first axis, halves by halves: in an order that depends on their number alone."""
    while len(parts.high) > 1:
        half = len(parts.high) // 2
        joined = parts.at(slice(half)) + parts.at(slice(half, 2 * half))
        if len(parts.high) % 2:
            last = parts.at(slice(2 * half, None))
            joined = Doubled(*(np.concatenate(pair) for pair in zip(joined, last, strict=True)))
        parts = joined
    return parts.at(0)


def estimate_regressions(
    moments: GroupedMoments,
    categories: tuple[Node, ...],
    numbers: tuple[Node, ...],
    node: Node,
    *,
    shrinkage: float,
    variance: Variance = "ml",
) -> Regressions:
    """The regression of the last column on the others in each group, shrunk towards that over all groups."""
    if moments.weight.size == 1:
        line = regress(moments.group((0,) * moments.weight.ndim), numbers, node, variance)
        shape = moments.weight.shape
        slopes = np.array([*line.coefficients.values()]).reshape(*shape, len(numbers))
        return Regressions(categories, numbers, np.full(shape, line.intercept), slopes, np.full(shape, line.variance))
    fit = shrink(moments, numbers, node, shrinkage=shrinkage)
    line, lines, seen = fit.whole, fit.deviations, moments.weight > 0
    slope = np.array([*line.coefficients.values()])
    variances = (lines.left + shrinkage * fit.within) / np.where(seen, moments.weight + shrinkage, 1.0)
    return Regressions(
        categories,
        numbers,
        np.where(seen, line.intercept + lines.intercepts, line.intercept),
        np.where(seen[..., None], slope + lines.slopes, slope),
        np.where(seen, variances, line.variance),
    )


class Shrunk(NamedTuple):
    """The regression over all groups, the deviations of each group from it, and what they were estimated from.

    ``rows`` are the moments of z and of e in each group, with those of the prior where there is one (``has_prior``);
    ``within`` is the residual variance within groups.
    """

    whole: LinearGaussian
    deviations: Lines
    within: float
    rows: GroupedMoments
    has_prior: bool


def shrink(moments: GroupedMoments, numbers: tuple[Node, ...], node: Node, *, shrinkage: float) -> Shrunk:
    """The deviations of each group from the regression over all groups, shrunk towards 0."""
    whole = moments.total()
    line = regress(whole, numbers, node)  # an error where no row is whole
    slope, weight = np.array([*line.coefficients.values()]), moments.weight
    errors = _deviations(moments, line.intercept, slope)
    own = least_squares(errors.means, errors.products)
    # Of s², each group has used up its rank and an intercept.
    free = np.maximum(weight - own.ranks - 1, 0.0)
    within = float(own.left[free > 0].sum() / free.sum()) if (free > 0).any() else line.variance
    within = min(within, line.variance)
    strength = shrinkage * within / line.variance if line.variance > 0 else 0.0
    if strength == 0:
        return Shrunk(line, own, within, errors, has_prior=False)
    prior = whole.scaled(strength / whole.weight)
    both = _with_prior(errors, prior)
    lines = least_squares(both.means, both.products)
    # The rows alone say how far they scatter: a group far from all others would have its distance in its variance.
    centre = lines.intercepts + lines.slopes @ prior.mean[:-1]
    of_prior = prior.weight * centre**2 + ((lines.slopes @ prior.cross[:-1, :-1]) * lines.slopes).sum(axis=-1)
    lines = lines._replace(left=np.maximum(lines.left - of_prior, own.left))
    return Shrunk(line, lines, within, both, has_prior=True)


class RegressionPosteriors:
    """The posterior of the regression in each group, from its own rows and from those of the prior.

    With a prior of κ rows it has the variance that was estimated, and W_j + κ degrees of freedom.
    """

    def __init__(self, moments: GroupedMoments, table: Regressions, node: Node, *, shrinkage: float) -> None:
        self._moments, self._variances, self._shrinkage = moments, table.variances, shrinkage
        self._fit = None if moments.weight.size == 1 else shrink(moments, table.numbers, node, shrinkage=shrinkage)

    def __getitem__(self, group: tuple[int, ...]) -> RegressionPosterior:
        if self._fit is None or not self._fit.has_prior:
            return RegressionPosterior.of(self._moments.group(group))
        degrees = float(self._moments.weight[group]) + self._shrinkage
        return RegressionPosterior(self._fit.rows.group(group), float(self._variances[group]), degrees)


def _deviations(moments: GroupedMoments, intercept: float, slope: Floats) -> GroupedMoments:
    """The moments of z and of e = x − intercept − slope·z."""
    slopes, seen = Doubled.of(slope), moments.weight > 0
    means, products = moments.means, moments.products
    inner, across = products.at((..., slice(-1), slice(-1))), products.at((..., slice(-1), -1))
    with_error = across - (inner * slopes.at((None, slice(None)))).sum()
    of_error = products.at((..., -1, -1)) - (slopes * (across + with_error)).sum()
    # What rounding left of an error that is constant.
    is_flat = of_error.high <= ROUNDING_DOUBLED * products.high[..., -1, -1]
    mean = means.at((..., -1)) - (slopes * means.at((..., slice(-1)))).sum() - Doubled.of(intercept)
    out = GroupedMoments.empty(moments.weight.shape, len(slope) + 1)
    np.copyto(out.weight, moments.weight)
    for to, old, new in ((out.mean, means.high, mean.high), (out.mean_low, means.low, mean.low)):
        to[..., :-1], to[..., -1] = old[..., :-1], np.where(seen, new, 0.0)
    for part, to in enumerate((out.cross, out.cross_low)):
        to[..., :-1, :-1] = inner[part]
        to[..., :-1, -1] = to[..., -1, :-1] = np.where(is_flat[..., None], 0.0, with_error[part])
        to[..., -1, -1] = np.where(is_flat, 0.0, of_error[part])
    return out


def _with_prior(errors: GroupedMoments, prior: CrossMoments) -> GroupedMoments:
    """The moments of z and e with further rows in each group, whose z are those of the prior, and their e 0."""
    rows = GroupedMoments.empty(errors.weight.shape, errors.mean.shape[-1])
    rows.weight[...] = prior.weight
    for to, part in ((rows.mean, prior.means.high), (rows.mean_low, prior.means.low)):
        to[..., :-1] = part[:-1]
    for to, part in ((rows.cross, prior.products.high), (rows.cross_low, prior.products.low)):
        to[..., :-1, :-1] = part[:-1, :-1]
    return errors + rows
