"""Intervals for the answers of a net of numbers: how far a posterior mean is known, from so many rows.

With complete rows the regressions of different nodes are independent, and each has the normal-inverse-gamma posterior
of least squares. For a node with residual variance s², of which d degrees of freedom are left, and parents with means m
and cross-products C in W rows,

    Var(slopes) = s²·C⁻¹,    Var(intercept + slopes·m) = s²/W, independent of the slopes,    Var(s²) = 2·s⁴/d

An answer is a function of all of them, and its variance is to first order the sum over the nodes of gᵀ·Var·g with its
derivatives g (the delta method). With T = (I − B)⁻¹, the total effects, and given evidence with

    w = e_t − Σ_e gain_e·e_e,        κ = Σ_ee⁻¹·(e − μ_e),

the posterior mean and variance change with the parameters of node v by

    ∂μ/∂a_v = wᵀT_v                    ∂μ/∂b_vp = wᵀT_v·(μ_p + Σ_pκ) + wᵀΣ_p·T_vᵀκ        ∂μ/∂s²_v = wᵀT_v·T_vᵀκ
    ∂σ²/∂a_v = 0                       ∂σ²/∂b_vp = 2·wᵀT_v·wᵀΣ_p                          ∂σ²/∂s²_v = (wᵀT_v)²

The degrees of freedom of the interval are those of Welch (1947) and Satterthwaite (1946), so that the mean of a node
without parents has its t interval.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
import scipy

from deciban.errors import ParameterError
from deciban.nets.graphs.dag import DAG
from deciban.nets.graphs.graph import Node
from deciban.nets.inference.normal import Normal, Numbers
from deciban.nets.learning.linear_gaussian import (
    CrossMoments,
    GaussianTally,
    LinearGaussian,
    joint_normal,
    least_squares,
)
from deciban.types import Floats

__all__ = ["UncertainNormal", "uncertain_normal"]

_SINGULAR, _NO_PART = 1e-11, 1e-9
"""Eigenvalues of correlations, and shares of a derivative, that may be rounding errors."""


@dataclass(frozen=True, repr=False)
class UncertainNormal(Normal):
    """A normal distribution whose mean and standard deviation are known from a sample: see ``query(…, interval=0.95)``.

    It is a ``Normal`` in all else: ``interval`` is that of the variable, as if mean and variance were known.

    Parameters
    ----------
    mean, variance : float
        The mean and the variance.
    mean_error, log_sd_error : float
        The standard error of the mean, and of the logarithm of the standard deviation.
    degrees : float
        The degrees of freedom of the mean's standard error.
    level : float
        The probability of the intervals.

    See Also
    --------
    GaussianNet.query : Returns it.
    UncertainDistribution : Of a category.

    Examples
    --------
    >>> import deciban as db
    >>> net = db.GaussianNet([("height", "weight")])
    >>> net = net.fit({"height": [150, 160, 170, 180], "weight": [52, 58, 72, 78]})
    >>> net.query("weight", {"height": 175}, interval=0.95)
    UncertainNormal(mean=74.2 [66.8982, 81.5018], sd=1.78885 [0.671389, 4.76624])
    """

    mean_error: float = 0.0
    log_sd_error: float = 0.0
    degrees: float = np.inf
    level: float = 0.95

    def mean_interval(self, *, level: float | None = None) -> tuple[float, float]:
        """The t interval of the mean.

        Parameters
        ----------
        level : float, optional
            The probability of the interval; that of the question by default.

        Returns
        -------
        pair of floats
            The lower and the upper end; from −∞ to ∞ where the rows do not determine it.
        """
        if self.mean_error == 0:
            return self.mean, self.mean
        half = _t(self._level(level), self.degrees) * self.mean_error
        return self.mean - half, self.mean + half

    def sd_interval(self, *, level: float | None = None) -> tuple[float, float]:
        """The interval of the standard deviation, on the logarithmic scale.

        Parameters
        ----------
        level : float, optional
            The probability of the interval; that of the question by default.

        Returns
        -------
        pair of floats
            The lower and the upper end; from 0 to ∞ where the rows do not determine it.
        """
        if self.variance == 0:
            return self.sd, self.sd
        factor = np.exp(min(_t(self._level(level), np.inf) * self.log_sd_error, 700.0))
        return (0.0, np.inf) if np.isinf(self.log_sd_error) else (self.sd / float(factor), self.sd * float(factor))

    def _level(self, level: float | None) -> float:
        return _checked(self.level if level is None else level)

    def __repr__(self) -> str:
        (low, high), (least, most) = self.mean_interval(), self.sd_interval()
        mean, sd = f"{self.mean:.6g} [{low:.6g}, {high:.6g}]", f"{self.sd:.6g} [{least:.6g}, {most:.6g}]"
        return f"UncertainNormal(mean={mean}, sd={sd})"


def uncertain_normal(
    tally: GaussianTally, parameters: Mapping[Node, LinearGaussian], target: Node, evidence: Numbers, level: float
) -> UncertainNormal:
    """The posterior of a node of a net whose regressions were estimated from these moments, and how far it is known."""
    _checked(level)
    dag = tally.dag
    joint = joint_normal(dag, parameters)
    answer = joint.given(evidence)[target]
    index, seen = dag.index(target), [dag.index(node) for node in evidence]
    effects = _total_effects(dag, parameters)
    weights, pull = np.zeros(len(dag.nodes)), np.zeros(len(dag.nodes))
    weights[index] = 1.0
    if seen:
        gain, _ = joint.condition(seen)
        weights[seen] -= gain[index]
        # Without the directions that vary by rounding only, as `condition` leaves them out, too.
        within = joint.covariance[np.ix_(seen, seen)]
        sd = np.sqrt(np.diag(within))
        scale = np.where(sd > 0, sd, 1.0)
        values = np.array([float(value) for value in evidence.values()])
        inverse = np.linalg.pinv(within / np.outer(scale, scale), rcond=_SINGULAR, hermitian=True)
        pull[seen] = inverse @ ((values - joint.mean[seen]) / scale) / scale
    direct, pulled = weights @ effects, pull @ effects  # wᵀT_v and T_vᵀκ
    spread, moved = weights @ joint.covariance, joint.mean + joint.covariance @ pull  # wᵀΣ_p and μ_p + Σ_pκ
    of_mean, of_variance, shares = 0.0, 0.0, []
    for node in dag.nodes:
        v, up = dag.index(node), [dag.index(parent) for parent in parameters[node].coefficients]
        family = tally[node]
        slopes = direct[v] * moved[up] + spread[up] * pulled[v], 2 * direct[v] * spread[up]
        size = abs(direct[v]) * np.abs(joint.mean[up]) + np.sqrt(np.diag(joint.covariance)[up])
        # Of the net's own variance, "ml" or "unbiased": it is its relative error that the degrees of freedom tell.
        residual = parameters[node].variance * direct[v] * np.array([pulled[v], direct[v]])
        part, degrees = _variance(family, (direct[v], 0.0), slopes, (residual[0], residual[1]), size)
        of_mean, of_variance = of_mean + part[0], of_variance + part[1]
        shares.append((part[0], degrees))
    # Welch and Satterthwaite: (Σ V)² / Σ V²/d.
    crossed = sum(variance**2 / degrees for variance, degrees in shares if variance > 0 and degrees > 0)
    freedom = of_mean**2 / crossed if 0 < crossed < np.inf and np.isfinite(of_mean) else np.inf
    relative = float(np.sqrt(of_variance)) / (2 * answer.variance) if answer.variance > 0 else 0.0
    return UncertainNormal(answer.mean, answer.variance, float(np.sqrt(of_mean)), relative, float(freedom), level)


def _total_effects(dag: DAG, parameters: Mapping[Node, LinearGaussian]) -> Floats:
    """T = (I − B)⁻¹: [u, v] is by how much u changes with a change of v by 1."""
    effects = np.eye(len(dag.nodes))
    for node in dag.topological_order():
        for parent, slope in parameters[node].coefficients.items():
            effects[dag.index(node)] += slope * effects[dag.index(parent)]
    return effects


def _variance(
    family: CrossMoments,
    intercept: tuple[float, float],
    slopes: tuple[Floats, Floats],
    residual: tuple[float, float],
    size: Floats,
) -> tuple[tuple[float, float], float]:
    """What one regression adds to the variances of two answers; and its degrees of freedom.

    By the derivatives of the answers in its intercept, in its slopes, and in the logarithm of its residual variance.
    """
    line = least_squares(family.means, family.products)
    degrees = family.weight - int(line.ranks) - 1
    scale = np.sqrt(np.diag(family.cross)[:-1])
    safe = np.where(scale > 0, scale, 1.0)
    values, vectors = np.linalg.eigh(family.cross[:-1, :-1] / np.outer(safe, safe))
    determined = values > _SINGULAR
    left = float(line.left) / degrees if degrees > 0 else np.inf
    out = []
    for of_intercept, of_slopes, of_residual in zip(intercept, slopes, residual, strict=True):
        along = vectors.T @ ((of_slopes - of_intercept * family.mean[:-1]) / safe)
        noise = _NO_PART * float(np.max((size + abs(of_intercept) * np.abs(family.mean[:-1])) / safe, initial=0.0))
        if (np.abs(along[~determined]) > noise).any() and left > 0:
            out.append(np.inf)
            continue
        form = of_intercept**2 / family.weight + float((along[determined] ** 2 / values[determined]).sum())
        if degrees <= 0:
            out.append(np.inf if form > 0 or of_residual else 0.0)
        else:
            out.append(left * form + 2 * of_residual**2 / degrees)
    return (out[0], out[1]), degrees


def _t(level: float, degrees: float) -> float:
    """The quantile of Student's t, or with infinite degrees of freedom of the normal distribution."""
    if np.isinf(degrees):
        return NormalDist().inv_cdf(0.5 + level / 2)
    return float(scipy.special.stdtrit(degrees, 0.5 + level / 2))


def _checked(level: Any) -> float:
    if isinstance(level, bool) or not isinstance(level, int | float | np.number) or not 0 < level < 1:
        raise ParameterError(f"interval is a probability between 0 and 1, such as 0.95, not {level!r}")
    return float(level)
