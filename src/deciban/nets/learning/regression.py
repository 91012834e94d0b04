"""Linear regression from the moments of a family: a mean that is linear in the parents, and a residual variance.

    x_v = b₀ + Σ_p b_p·x_p + ε,    ε ~ N(0, s²),    b = C_pp⁻¹·C_pv,    s² = (C_vv − b·C_pv) / d

d is W, the weight of the rows, for the likelihood's maximum (``variance="ml"``), or W − rank − 1
(``variance="unbiased"``). For collinear parents the solution with the smallest coefficients, in units of the
parents' standard deviations, is taken; if the parents determine the node, s² is 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from deciban.errors import InputError
from deciban.nets.graphs.base import Node
from deciban.nets.graphs.graph import DAG
from deciban.nets.inference.normal import MultivariateNormal
from deciban.nets.learning.moments import CrossMoments
from deciban.tallies.doubled import Doubled
from deciban.types import Floats

__all__ = ["LinearGaussian", "Variance", "joint_normal", "regress"]

Variance = Literal["ml", "unbiased"]

_SINGULAR = 1e-11
_ROUNDING = 1e-12
_ROUNDING_DOUBLED = 1e-24
"""The share of a variance that may be a rounding error: for doubles, and for double-doubles."""

_REFINEMENTS = 2


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


def regress(moments: CrossMoments, parents: Sequence[Node], node: Node, variance: Variance = "ml") -> LinearGaussian:
    """The regression of the last column on the others."""
    if not moments.weight > 0:
        raise InputError(f"no row has a value for {node!r} and all of its parents: nothing can be estimated.")
    inner, across, own = moments.cross[:-1, :-1], moments.cross[:-1, -1], float(moments.cross[-1, -1])
    spread = np.sqrt(np.diag(inner))
    scale = np.divide(1.0, spread, out=np.zeros(len(spread)), where=spread > 0)
    values, vectors = np.linalg.eigh(inner * np.outer(scale, scale))
    kept = values > _SINGULAR
    slopes = scale * (vectors[:, kept] @ ((vectors[:, kept].T @ (scale * across)) / values[kept]))
    products, weights = moments.products, scale[:, None] * vectors[:, kept]
    for _ in range(
        _REFINEMENTS
    ):  # iterative refinement: residuals in double-double make the slopes accurate to the last digit
        rest = _unexplained(products, slopes)
        slopes = slopes + weights @ ((weights.T @ rest.high) / values[kept])
    # Var = C_vv − b·(C_pv + (C_pv − C_pp·b)), in double-double because of cancellation
    explained = (Doubled.of(slopes) * (products.at((slice(-1), -1)) + _unexplained(products, slopes))).sum()
    left = float((products.at((-1, -1)) - explained).high)
    left = left if left > (_ROUNDING if moments.cross_low is None else _ROUNDING_DOUBLED) * own else 0.0
    degrees = moments.weight if variance == "ml" else moments.weight - int(kept.sum()) - 1
    if not degrees > 0:
        raise InputError(f"{moments.weight:g} rows are too few for an unbiased variance of {node!r}: pass 'ml'.")
    means = moments.means
    intercept = float((means.at(-1) - (Doubled.of(slopes) * means.at(slice(-1))).sum()).high)
    return LinearGaussian(intercept, dict(zip(parents, slopes.tolist(), strict=True)), left / degrees)


def joint_normal(dag: DAG, parameters: Mapping[Any, LinearGaussian]) -> MultivariateNormal:
    """The joint distribution of all nodes, from the regression of each on its parents."""
    mean = np.zeros(len(dag.nodes))
    root = np.zeros((len(dag.nodes),) * 2)  # a square root of the covariance: a column for the noise of each node
    for node in dag.topological_order():
        own, index = parameters[node], dag.index(node)
        parents = [dag.index(parent) for parent in own.coefficients]
        slopes = np.array(list(own.coefficients.values()))
        mean[index] = own.intercept + slopes @ mean[parents]
        root[index] = slopes @ root[parents]
        root[index, index] = np.sqrt(own.variance)
    return MultivariateNormal.of_root(dag.nodes, mean, root)


def _unexplained(products: Doubled, slopes: Floats) -> Doubled:
    """C_pv − C_pp·b: 0 for the slopes of least squares."""
    inner, across = products.at((slice(-1), slice(-1))), products.at((slice(-1), -1))
    return across - (inner * Doubled.of(slopes)).sum()
