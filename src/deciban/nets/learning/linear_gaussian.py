"""The families of a Gaussian net: weight, means and cross-products of each, and its regression from these.

    W = Σ w,    m = Σ w·x / W,    C = Σ w·(x − m)(x − m)ᵀ

in double-double (about 106 bits), so that large means, or parents that explain nearly all variance, do not lose digits.
Two samples are merged by

    W = W_a + W_b,  δ = m_b − m_a,  m = m_a + δ·W_b/W,  C = C_a + C_b + δδᵀ·W_a·W_b/W      (Chan, Golub, LeVeque, 1979)

and one is removed by the same formula solved for a; it is an error if too little precision would be left.

The regression of a node on its parents follows from the moments of its family:

    x_v = b₀ + Σ_p b_p·x_p + ε,    ε ~ N(0, s²),    b = C_pp⁻¹·C_pv,    s² = (C_vv − b·C_pv) / d

d is W, the weight of the rows, for the likelihood's maximum (``variance="ml"``), or W − rank − 1
(``variance="unbiased"``). For collinear parents the solution with the smallest coefficients, in units of the
parents' standard deviations, is taken; if the parents determine the node, s² is 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

import numpy as np

from deciban import _core
from deciban.choices import counted
from deciban.errors import ColumnMismatchError, InputError, NegativeCountError, PrecisionError
from deciban.nets.data.interventions import Interventions
from deciban.nets.graphs.dag import DAG
from deciban.nets.graphs.graph import Node
from deciban.nets.inference.normal import MultivariateNormal
from deciban.nets.learning.families import NetTally, closed_part, families_of
from deciban.storable import storable
from deciban.tallies import check_factor
from deciban.tallies.doubled import Doubled
from deciban.types import AnyArray, Floats

__all__ = [
    "NOISE",
    "NO_PART",
    "ROUNDING",
    "ROUNDING_DOUBLED",
    "SINGULAR",
    "CrossMoments",
    "GaussianTally",
    "LinearGaussian",
    "Lines",
    "Variance",
    "check_left",
    "diagonal",
    "joint_normal",
    "least_squares",
    "regress",
    "without_noise",
]


ROUNDING = 1e-9
"""The share of a weight that may be a rounding error: weights are summed in floats, in batches of any size."""

NOISE = 2.0**-99
"""The relative error of a sum of squares in double-double, which has about 106 bits."""

_DIGITS = 1e-9
"""The largest allowed relative error of a standard deviation after rows were removed."""


@storable
@dataclass(frozen=True, eq=False)
class CrossMoments:
    """Weight, means and cross-products of some columns; `mean_low` and `cross_low` are the low parts, None for 0."""

    weight: float
    mean: Floats
    cross: Floats
    mean_low: Floats | None = None
    cross_low: Floats | None = None

    @classmethod
    def of(cls, values: Floats, weights: Floats | None = None) -> CrossMoments:
        """The moments of the rows without missing values."""
        return moments_of_families(values, weights, [range(values.shape[1])])[0]

    @classmethod
    def _made(cls, weight: float, mean: Doubled, cross: Doubled) -> CrossMoments:
        both = Doubled(*((part + part.T) / 2 for part in cross))  # rounding makes the two halves differ in a last bit
        return cls(weight, mean.high, both.high, mean.low, both.low)

    @property
    def means(self) -> Doubled:
        """The means in double-double."""
        return Doubled.of(self.mean, self.mean_low)

    @property
    def products(self) -> Doubled:
        """The cross-products in double-double."""
        return Doubled.of(self.cross, self.cross_low)

    def __add__(self, other: CrossMoments) -> CrossMoments:
        if not other.weight > 0 or not self.weight > 0:  # an empty sample has no mean: δ·W_b/W would be 0/0
            return self if self.weight > 0 else other
        weight = self.weight + other.weight
        delta = other.means - self.means
        share = Doubled.of(other.weight) / Doubled.of(weight)
        between = delta.outer(delta) * (Doubled.of(self.weight) * share)
        return self._made(weight, self.means + delta * share, self.products + other.products + between)

    def __sub__(self, other: CrossMoments) -> CrossMoments:
        weight = self.weight - other.weight
        if weight < -ROUNDING * self.weight:
            raise NegativeCountError(f"the weight of the rows would be {weight:g}: these rows were never counted.")
        if weight <= ROUNDING * self.weight:  # all rows were taken out, up to rounding
            return CrossMoments(0.0, np.zeros_like(self.mean), np.zeros_like(self.cross))
        if not other.weight > 0:
            return self
        delta = self.means - other.means  # the mean of all rows lies between those of the two parts
        share = Doubled.of(other.weight) / Doubled.of(weight)
        between = delta.outer(delta) * (Doubled.of(self.weight) * share)
        mean, cross = self.means + delta * share, self.products - other.products - between
        noise = NOISE * (np.diag(self.cross) + np.diag(other.cross) + np.diag(between.high))
        return self._made(weight, mean, check_left(cross, noise, weight * mean.high**2))

    def scaled(self, factor: float) -> CrossMoments:
        return self._made(self.weight * factor, self.means, self.products * Doubled.of(factor))

    def part(self, indices: Sequence[int]) -> CrossMoments:
        """The moments of some of the columns."""
        mean, cross = self.means.at(list(indices)), self.products.at(np.ix_(indices, indices))
        return CrossMoments(self.weight, mean.high, cross.high, mean.low, cross.low)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CrossMoments):
            return NotImplemented
        return (
            self.weight == other.weight
            and np.array_equal(self.mean, other.mean)
            and np.array_equal(self.cross, other.cross)
        )

    __hash__ = None  # type: ignore[assignment]


def moments_of_families(
    values: Floats, weights: Floats | None, families: Sequence[Sequence[int]]
) -> list[CrossMoments]:
    """For each family of columns the moments of the rows without missing values in it."""
    if weights is not None and not (weights > 0).all():
        kept = weights > 0  # a row of weight 0 is not there: its values must not choose the shift
        values, weights = values[kept], weights[kept]
    columns = np.ascontiguousarray(values.T)  # no copy where columns lie together
    ranges = _core.column_ranges(columns)
    is_whole = ~np.isnan(ranges[0])
    whole = [index for index, family in enumerate(families) if is_whole[list(family)].all()]
    out = dict(zip(whole, _moments_of_whole(columns, ranges, weights, [families[i] for i in whole]), strict=True))
    for index in set(range(len(families))) - out.keys():
        part = columns[list(families[index])]
        known = ~np.isnan(part).any(axis=0)
        out[index] = CrossMoments.of(part[:, known].T, None if weights is None else weights[known])
    return [out[index] for index in range(len(families))]


def _moments_of_whole(
    columns: Floats, ranges: Floats, weights: Floats | None, families: Sequence[Sequence[int]]
) -> list[CrossMoments]:
    """The same of columns without missing values: each product of two columns is summed up once."""
    count, rows = columns.shape
    weight = float(rows) if weights is None else fsum(weights.tolist())
    if not weight > 0 or not families:
        return [CrossMoments(0.0, np.zeros(len(family)), np.zeros((len(family),) * 2)) for family in families]
    width = count + 1  # the last column is the number 1
    own = [np.array(family, dtype=np.int64) for family in families]
    squares = [np.maximum.outer(each, each) * width + np.minimum.outer(each, each) for each in own]
    used = np.unique(np.concatenate(own))
    keys, where = np.unique(
        np.concatenate([used * width + count, used * width + used, *map(np.ravel, squares)]), return_inverse=True
    )
    left, right = np.divmod(keys, width)
    shifts = _shifts(*ranges)
    starts = np.searchsorted(left, np.arange(width))
    sums = Doubled(*_core.cross_sums(columns, shifts, starts, right.astype(np.int32), weights))
    offset = Doubled.of(np.zeros(width), np.zeros(width))
    for part, total in zip(offset, sums.at(where[: len(used)]) / Doubled.of(weight), strict=True):
        part[used] = total
    with np.errstate(over="ignore", invalid="ignore"):
        # Shifted data (Chan, Golub, LeVeque, 1983): sums about a number near the mean, so little cancels here.
        cross = sums - offset.at(left) * offset.at(right) * Doubled.of(weight)
    mean = Doubled.of(np.append(shifts, 0.0)) + offset
    flat = np.ones(width, dtype=bool)
    own_square = where[len(used) : 2 * len(used)]
    flat[used] = _is_noise(cross.high[own_square], sums.high[own_square])
    cross = _kept(cross, ~(flat[left] | flat[right]))
    out, start = [], 2 * len(used)
    for each, square in zip(own, squares, strict=True):
        m, c = mean.at(each), cross.at(where[start : start + square.size].reshape(square.shape))
        out.append(CrossMoments(weight, m.high, c.high, m.low, c.low))
        start += square.size
    return out


def _shifts(low: Floats, high: Floats) -> Floats:
    """For each column its number nearest to 0, if all are within a factor of 2 of it: differences are exact; else 0."""
    out = np.where((low > 0) & (high <= 2 * low), low, 0.0)
    return np.where((high < 0) & (low >= 2 * high), high, out)


def diagonal(square: AnyArray) -> AnyArray:
    """The diagonals of square matrices."""
    return np.diagonal(square, axis1=-2, axis2=-1)


def without_noise(cross: Doubled, size: Floats) -> Doubled:
    """The cross-products with zeros for columns whose squared deviations are rounding errors: they are constant."""
    return _without(cross, _is_noise(diagonal(cross.high), diagonal(size)))


def _is_noise(squares: Floats, size: Floats) -> AnyArray:
    is_noise: AnyArray = squares <= 2.0**-100 * size
    return is_noise


def check_left(cross: Doubled, noise: Floats, size: Floats) -> Doubled:
    """The cross-products after rows were removed; an error if a variance is negative or too inaccurate."""
    left = diagonal(cross.high)
    if (left < -4 * noise - 1e-300).any():
        raise NegativeCountError("a variance would be negative: what is taken out was never counted.")
    is_zero = (left == 0) & (diagonal(cross.low) == 0)  # rounding would have left something
    flat = is_zero | ((left <= 4 * noise) & (noise <= _DIGITS**2 * size + 1e-300))
    if not np.isfinite(cross.high).all() or (~flat & (left * _DIGITS < 2 * noise)).any():
        raise PrecisionError(
            "the values taken out are so much larger than the others that the variances of what is left are no longer "
            f"known to {_DIGITS:g} of themselves. Nothing was changed. Fit the rows that remain instead."
        )
    return _without(cross, flat)


def _without(cross: Doubled, flat: AnyArray) -> Doubled:
    """The cross-products with zeros for some columns."""
    return _kept(cross, ~(flat[..., :, None] | flat[..., None, :]))


def _kept(cross: Doubled, kept: AnyArray) -> Doubled:
    return Doubled(np.where(kept, cross.high, 0.0), np.where(kept, cross.low, 0.0))


class GaussianTally(NetTally):
    """The moments of a Gaussian net: weight, means and cross-products of each family.

    A family is the parents of a node, in the order of the graph's nodes, and the node itself last. Tallies of the same
    graph form a group: ``a + b`` is the tally of both samples, ``a - b`` removes one, ``a.scaled(w)`` weights it.

    Parameters
    ----------
    dag : DAG
        The graph.
    moments : mapping
        Node → the moments of its family.
    rows : int or float
        The number of rows, or their weight.

    See Also
    --------
    GaussianNet.from_tally : A net from moments.
    FamilyTally : The counts of a net of categories.

    Examples
    --------
    >>> import deciban as db
    >>> net = db.GaussianNet([("height", "weight")])
    >>> net.fit({"height": [150, 160, 170, 180], "weight": [52, 58, 72, 78]}).tally_
    GaussianTally(4 rows, 2 families)
    """

    _HEADS = ("node", "given", "mean", "sd")

    def __init__(self, dag: DAG, moments: Mapping[Node, CrossMoments], rows: float | int) -> None:
        self.dag = dag
        self.rows = rows
        self._moments = {node: moments[node] for node in dag.nodes}

    @classmethod
    def of(
        cls, dag: DAG, values: Floats, weights: Floats | None, interventions: Interventions | None = None
    ) -> GaussianTally:
        """The tally of an array; each family from the rows in which it is complete and its node was not set.

        Parameters
        ----------
        dag : DAG
            The graph.
        values : array, rows × nodes
            Numbers, NaN where one is missing.
        weights : array or None
            How many rows each row stands for.
        interventions : Interventions or None
            Which nodes were set in which rows.

        Returns
        -------
        GaussianTally
        """
        rows = len(values) if weights is None else float(weights.sum())
        families = dict(zip(dag.nodes, families_of(dag), strict=True))
        parts = [(dag.nodes, None)] if interventions is None else interventions.by_rows(dag.nodes)
        moments = dict[Node, CrossMoments]()
        for nodes, kept in parts:
            part = values if kept is None else values[kept]
            weighed = weights if kept is None or weights is None else weights[kept]
            of_part = moments_of_families(part, weighed, [families[node] for node in nodes])
            moments |= zip(nodes, of_part, strict=True)
        return cls(dag, moments, rows)

    @classmethod
    def of_whole(cls, dag: DAG, whole: CrossMoments, rows: float | int) -> GaussianTally:
        """The tally from the moments of all nodes together.

        Parameters
        ----------
        dag : DAG
            The graph.
        whole : CrossMoments
            The moments of all nodes, in the order of the graph.
        rows : int or float
            The number of rows, or their weight.

        Returns
        -------
        GaussianTally
        """
        families = zip(dag.nodes, families_of(dag), strict=True)
        return cls(dag, {node: whole.part(family) for node, family in families}, rows)

    @property
    def is_empty(self) -> bool:
        """Whether no rows were counted."""
        return not (self.rows or any(moments.weight > 0 for moments in self._moments.values()))

    @property
    def moments(self) -> Mapping[Node, CrossMoments]:
        """For each node the moments of its family."""
        return MappingProxyType(self._moments)

    def __getitem__(self, node: Node) -> CrossMoments:
        self.dag.index(node)
        return self._moments[node]

    def __add__(self, other: GaussianTally) -> GaussianTally:
        peer = other._ordered_as(self.dag)
        moments = {node: family + peer._moments[node] for node, family in self._moments.items()}
        return GaussianTally(self.dag, moments, self.rows + other.rows)

    def __sub__(self, other: GaussianTally) -> GaussianTally:
        peer = other._ordered_as(self.dag)
        if other.rows > self.rows * (1 + ROUNDING):
            raise NegativeCountError(f"{other.rows:,} rows cannot be taken out of {self.rows:,}.")
        moments = {node: family - peer._moments[node] for node, family in self._moments.items()}
        return GaussianTally(self.dag, moments, max(self.rows - other.rows, 0))

    def scaled(self, factor: float) -> GaussianTally:
        """The tally of a sample with another weight.

        Parameters
        ----------
        factor : float
            By how much the weight is multiplied; 0 or more.

        Returns
        -------
        GaussianTally
        """
        factor = check_factor(factor)
        moments = {node: family.scaled(factor) for node, family in self._moments.items()}
        return GaussianTally(self.dag, moments, self.rows * factor)

    def marginal(self, *names: Node) -> GaussianTally:
        """The moments of some families only.

        Parameters
        ----------
        *names : node
            The nodes; a node needs its parents.

        Returns
        -------
        GaussianTally
        """
        return GaussianTally(closed_part(self.dag, names), self._moments, self.rows)

    def _ordered_as(self, dag: DAG) -> GaussianTally:
        if dag != self.dag:
            raise ColumnMismatchError("the tallies are of the families of different graphs.")
        if dag.nodes == self.dag.nodes:
            return self
        families = dict(zip(self.dag.nodes, families_of(self.dag), strict=True))
        moments = {}
        for node, family in zip(dag.nodes, families_of(dag), strict=True):
            members = [self.dag.nodes[index] for index in families[node]]
            moments[node] = self._moments[node].part([members.index(dag.nodes[index]) for index in family])
        return GaussianTally(dag, moments, self.rows)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, GaussianTally):
            return NotImplemented
        return (self.dag, self.rows) == (other.dag, other.rows) and self._moments == other._ordered_as(
            self.dag
        )._moments

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"GaussianTally({counted(self.rows, 'row')}, {counted(len(self._moments), 'family', 'families')})"

    def _shown(self) -> list[tuple[str, ...]]:
        """For each node its parents, its mean and its standard deviation."""
        out: list[tuple[str, ...]] = []
        for (node, moments), family in zip(self._moments.items(), families_of(self.dag), strict=True):
            sd = np.sqrt(moments.cross[-1, -1] / moments.weight) if moments.weight > 0 else 0.0
            parents = ", ".join(str(self.dag.nodes[up]) for up in family[:-1])
            out.append((str(node), parents, f"{moments.mean[-1]:.4g}", f"{sd:.3g}"))
        return out

    def _state(self) -> dict[str, object]:
        return self._graph_state() | {"moments": self.moments}

    @classmethod
    def _of_state(cls, state: Mapping[str, Any]) -> GaussianTally:
        tally = cls(DAG(state["arrows"], state["nodes"]), state["moments"], state["rows"])
        for node, moments in tally.moments.items():
            size = len(tally.dag.parents(node)) + 1
            shapes = moments.mean.shape, moments.cross.shape
            if shapes != ((size,), (size, size)) or not moments.weight >= 0 or not tally.rows >= 0:
                raise ValueError(f"the moments of {node!r} do not fit its parents")
        return tally

    def __reduce__(self) -> tuple[type[GaussianTally], tuple[object, ...]]:
        return GaussianTally, (self.dag, self._moments, self.rows)


Variance = Literal["ml", "unbiased"]

SINGULAR = 1e-11
"""Eigenvalues of the parents' correlations up to this may be rounding errors: the parents are collinear."""

NO_PART = 1e-9
"""Shares of a derivative that may be rounding errors."""

_ROUNDING_OF_VARIANCE = 1e-12
ROUNDING_DOUBLED = 1e-24
"""The share of a variance that may be a rounding error: for doubles, and for double-doubles."""

_REFINEMENTS = 2


@storable
@dataclass(frozen=True)
class LinearGaussian:
    """A node's regression on its parents, the P(node | parents) of a Gaussian net.

        x = intercept + Σ coefficient·parent + ε,    ε ~ N(0, variance)

    The parents are nodes of the same net.

    Parameters
    ----------
    intercept : float
        The mean if all parents are 0.
    coefficients : mapping
        Parent → its coefficient.
    variance : float
        The residual variance; 0 for a node that its parents determine.

    See Also
    --------
    GaussianNet.from_parameters : A net from these.

    Examples
    --------
    >>> import deciban as db
    >>> db.LinearGaussian(1.0, {"rain": 2.0}, 0.25)
    LinearGaussian(1 + 2·rain, sd 0.5)
    """

    intercept: float
    coefficients: Mapping[Any, float] = field(default_factory=dict)
    variance: float = 0.0

    @property
    def sd(self) -> float:
        """The residual standard deviation."""
        return float(np.sqrt(self.variance))

    def __repr__(self) -> str:
        terms = "".join(f" {'-' if b < 0 else '+'} {abs(b):.6g}·{parent}" for parent, b in self.coefficients.items())
        return f"LinearGaussian({self.intercept:.6g}{terms}, sd {self.sd:.6g})"


class Lines(NamedTuple):
    """Regressions by least squares: intercepts, slopes, residual sums of squares, and the ranks of the parents."""

    intercepts: Floats
    slopes: Floats
    left: Floats
    ranks: AnyArray


def least_squares(means: Doubled, products: Doubled, rounding: float = ROUNDING_DOUBLED) -> Lines:
    """The regression of the last column on the others, of one family or of an array of them."""
    inner, across = products.high[..., :-1, :-1], products.high[..., :-1, -1]
    # In units of the standard deviations: otherwise the rank would depend on the units of the parents.
    spread = np.sqrt(diagonal(inner))
    scale = np.divide(1.0, spread, out=np.zeros(spread.shape), where=spread > 0)
    values, vectors = np.linalg.eigh(inner * (scale[..., :, None] * scale[..., None, :]))
    # Without the directions in which collinear parents do not vary, the solution is the one of the smallest norm.
    kept = values > SINGULAR
    inverse = np.divide(1.0, values, out=np.zeros(values.shape), where=kept)

    def solve(right: Floats) -> Floats:
        along = (vectors * (scale * right)[..., :, None]).sum(axis=-2)
        return scale * (vectors * (inverse * along)[..., None, :]).sum(axis=-1)

    slopes = solve(across)
    # Iterative refinement (Wilkinson, 1963): residuals in double-double make the slopes accurate to the last digit.
    for _ in range(_REFINEMENTS):
        slopes = slopes + solve(_unexplained(products, slopes).high)
    # Var = C_vv − b·(C_pv + (C_pv − C_pp·b)), in double-double because of cancellation
    both = products.at((..., slice(-1), -1)) + _unexplained(products, slopes)
    left = (products.at((..., -1, -1)) - (Doubled.of(slopes) * both).sum()).high
    is_left = left > rounding * products.high[..., -1, -1]  # not NaN, of an overflow, either
    intercepts = means.at((..., -1)) - (Doubled.of(slopes) * means.at((..., slice(-1)))).sum()
    return Lines(intercepts.high, slopes, np.where(is_left, left, 0.0), kept.sum(axis=-1))


class RegressionPosterior(NamedTuple):
    """The normal-inverse-gamma posterior of a regression of the last column on the others.

        Var(slopes) = s²·C⁻¹,    Var(intercept + slopes·m) = s²/W, independent of the slopes,    Var(log s²) = 2/d

    ``variance`` is s², ∞ where no degree of freedom d is left; ``moments`` have W, m and C.
    """

    moments: CrossMoments
    variance: float
    degrees: float

    @classmethod
    def of(cls, moments: CrossMoments) -> RegressionPosterior:
        """That of least squares."""
        line = least_squares(moments.means, moments.products)
        degrees = moments.weight - int(line.ranks) - 1
        return cls(moments, float(line.left) / degrees if degrees > 0 else np.inf, degrees)

    def variance_of(self, middle: float, slopes: Floats, residual: float, size: Floats) -> float:
        """The variance, to first order, of a function of the regression.

        By its derivatives in the value at the means of the parents, in the slopes with that value fixed, and in the
        logarithm of s²; ``size`` is how large the terms are of which the derivatives in the slopes are sums.
        """
        weight, cross = self.moments.weight, self.moments.cross[:-1, :-1]
        if not (middle or slopes.any() or residual):
            return 0.0
        if not weight > 0:
            return np.inf
        scale = np.sqrt(np.diag(cross))
        safe = np.where(scale > 0, scale, 1.0)
        values, vectors = np.linalg.eigh(cross / np.outer(safe, safe))
        determined = values > SINGULAR
        along = vectors.T @ (slopes / safe)
        noise = NO_PART * float(np.max(size / safe, initial=0.0))
        if (np.abs(along[~determined]) > noise).any() and self.variance > 0:
            return np.inf
        form = middle**2 / weight + float((along[determined] ** 2 / values[determined]).sum())
        if self.degrees <= 0:
            return np.inf if form > 0 or residual else 0.0
        return self.variance * form + 2 * residual**2 / self.degrees


def regress(moments: CrossMoments, parents: Sequence[Node], node: Node, variance: Variance = "ml") -> LinearGaussian:
    """The regression of the last column on the others."""
    if not moments.weight > 0:
        raise InputError(f"no row has a value for {node!r} and all of its parents: nothing can be estimated.")
    rounding = _ROUNDING_OF_VARIANCE if moments.cross_low is None else ROUNDING_DOUBLED
    line = least_squares(moments.means, moments.products, rounding)
    # The rank, not the number of parents: collinear ones take up no degrees of freedom of their own.
    degrees = moments.weight if variance == "ml" else moments.weight - int(line.ranks) - 1
    if not degrees > 0:
        raise InputError(f"{moments.weight:g} rows are too few for an unbiased variance of {node!r}: pass 'ml'.")
    coefficients = dict(zip(parents, line.slopes.tolist(), strict=True))
    return LinearGaussian(float(line.intercepts), coefficients, float(line.left) / degrees)


def joint_normal(dag: DAG, parameters: Mapping[Any, LinearGaussian]) -> MultivariateNormal:
    """The joint distribution of all nodes, from the regression of each on its parents."""
    mean = np.zeros(len(dag.nodes))
    root = np.zeros((len(dag.nodes),) * 2)  # a square root of the covariance: a column for the noise of each node
    for node in dag.topological_order():
        linear, index = parameters[node], dag.index(node)
        parents = [dag.index(parent) for parent in linear.coefficients]
        slopes = np.array(list(linear.coefficients.values()))
        mean[index] = linear.intercept + slopes @ mean[parents]
        root[index] = slopes @ root[parents]
        root[index, index] = np.sqrt(linear.variance)
    return MultivariateNormal.of_root(dag.nodes, mean, root)


def _unexplained(products: Doubled, slopes: Floats) -> Doubled:
    """C_pv − C_pp·b: 0 for the slopes of least squares."""
    inner, across = products.at((..., slice(-1), slice(-1))), products.at((..., slice(-1), -1))
    return across - (inner * Doubled.of(slopes).at((..., None, slice(None)))).sum()
