"""Intervals for the answers of a net with numbers: how far they are known, from so many rows.

With complete rows the tables and regressions of different nodes are independent: each row of a table has a Dirichlet
posterior, and each regression the normal-inverse-gamma posterior of least squares. For a node with residual variance
s², of which d degrees of freedom are left, and parents with means m and cross-products C in W rows,

    Var(slopes) = s²·C⁻¹,    Var(intercept + slopes·m) = s²/W, independent of the slopes,    Var(s²) = 2·s⁴/d

An answer is a function of all of them, and its variance is to first order the sum over the nodes of gᵀ·Var·g with its
derivatives g (the delta method).

**In a net of numbers**, with T = (I − B)⁻¹, the total effects, and given evidence with

    w = e_t − Σ_e gain_e·e_e,        κ = Σ_ee⁻¹·(e − μ_e),

the posterior mean and variance change with the parameters of node v by

    ∂μ/∂a_v = wᵀT_v                    ∂μ/∂b_vp = wᵀT_v·(μ_p + Σ_pκ) + wᵀΣ_p·T_vᵀκ        ∂μ/∂s²_v = wᵀT_v·T_vᵀκ
    ∂σ²/∂a_v = 0                       ∂σ²/∂b_vp = 2·wᵀT_v·wᵀΣ_p                          ∂σ²/∂s²_v = (wᵀT_v)²

**In a net of both kinds** the score S(θ) = ∂ log p(all nodes) / ∂θ gives them all, by Fisher's identity,

    ∂P(t | e)/∂θ = P(t | e)·(E[S | t, e] − E[S | e])
    ∂E[x | e]/∂θ = d/dε E_ε[S | e],        ∂Var[x | e]/∂θ = d²/dε² E_ε[S | e]

at ε = 0, where E_ε has exp(ε·x) as one more finding: the logarithm of its probability has the mean and the variance of
x as its first derivatives by ε. The expected scores are what an iteration of EM computes, exactly; the derivatives by ε
are central differences of fourth order over five of them, whose step is a hundredth of the reach of x, so that their
error is about 1e-9 of the largest terms. The cuts of numbers are taken as given, and so is the regression over all rows
to which those of configurations are shrunk.

The degrees of freedom of the interval are those of Welch (1947) and Satterthwaite (1946), so that the mean of a node
without parents has its t interval.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import TypeAlias

import numpy as np
import scipy

from deciban.errors import ParameterError
from deciban.nets.graphs.dag import DAG
from deciban.nets.graphs.graph import Node
from deciban.nets.inference.distribution import Distribution
from deciban.nets.inference.evidence import MixedFindings, Targets
from deciban.nets.inference.mixed_queries import ExpectedStatistics, FamilyMoments, MixedQueries
from deciban.nets.inference.mixture import Mixture, as_mixture
from deciban.nets.inference.normal import Normal, NumberDistribution, Numbers, read_interval
from deciban.nets.inference.sensitivity import UncertainDistribution
from deciban.nets.learning.grouped import RegressionPosteriors
from deciban.nets.learning.linear_gaussian import (
    NO_PART,
    SINGULAR,
    GaussianTally,
    LinearGaussian,
    RegressionPosterior,
    joint_normal,
)
from deciban.nets.mixed_network import MixedNetwork, Regressions
from deciban.types import Floats

__all__ = ["Posteriors", "UncertainMixture", "UncertainNormal", "uncertain_answer", "uncertain_normal"]


class UncertainNumber(NumberDistribution):
    """The distribution of a number whose mean and standard deviation are known from a sample."""

    mean_error: float
    log_sd_error: float
    degrees: float
    level: float

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
        mean, _ = self._moments()
        if self.mean_error == 0:
            return mean, mean
        half = _t(self._level(level), self.degrees) * self.mean_error
        return mean - half, mean + half

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
        if self.sd == 0:
            return self.sd, self.sd
        factor = np.exp(min(_t(self._level(level), np.inf) * self.log_sd_error, 700.0))
        return (0.0, np.inf) if np.isinf(self.log_sd_error) else (self.sd / float(factor), self.sd * float(factor))

    def _level(self, level: float | None) -> float:
        return read_interval(self.level if level is None else level)

    def __repr__(self) -> str:
        (low, high), (least, most) = self.mean_interval(), self.sd_interval()
        mean, sd = self._moments()[0], self.sd
        shown = f"mean={mean:.6g} [{low:.6g}, {high:.6g}], sd={sd:.6g} [{least:.6g}, {most:.6g}]"
        return f"{type(self).__name__}({shown})"


@dataclass(frozen=True, repr=False)
class UncertainNormal(UncertainNumber, Normal):
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


@dataclass(frozen=True, eq=False, repr=False)
class UncertainMixture(UncertainNumber, Mixture):
    """A mixture of normals whose mean and standard deviation are known from a sample: see ``query(…, interval=0.95)``.

    It is a ``Mixture`` in all else: ``interval`` is that of the variable, as if its distribution were known.

    Parameters
    ----------
    weights, means, variances, lower, upper, divergence
        As of a ``Mixture``.
    mean_error, log_sd_error : float
        The standard error of the mean, and of the logarithm of the standard deviation.
    degrees : float
        The degrees of freedom of the mean's standard error.
    level : float
        The probability of the intervals.

    See Also
    --------
    BayesNet.query : Returns it.
    UncertainNormal : Of a number that depends on no category.

    Examples
    --------
    >>> import deciban as db
    >>> people = {
    ...     "sex": ["f", "f", "f", "m", "m", "m"],
    ...     "height": [161.5, 165.0, 168.5, 172.0, 178.5, 183.0],
    ... }
    >>> db.BayesNet([("sex", "height")]).fit(people).query("height", interval=0.95)
    UncertainMixture(mean=171.417 [166.784, 176.05], sd=6.64887 [4.46945, 9.89104])
    """

    mean_error: float = 0.0
    log_sd_error: float = 0.0
    degrees: float = np.inf
    level: float = 0.95


def uncertain_normal(
    tally: GaussianTally, parameters: Mapping[Node, LinearGaussian], target: Node, evidence: Numbers, level: float
) -> UncertainNormal:
    """The posterior of a node of a net whose regressions were estimated from these moments, and how far it is known."""
    read_interval(level)
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
        inverse = np.linalg.pinv(within / np.outer(scale, scale), rcond=SINGULAR, hermitian=True)
        pull[seen] = inverse @ ((values - joint.mean[seen]) / scale) / scale
    direct, pulled = weights @ effects, pull @ effects  # wᵀT_v and T_vᵀκ
    spread, moved = weights @ joint.covariance, joint.mean + joint.covariance @ pull  # wᵀΣ_p and μ_p + Σ_pκ
    of_mean, of_variance, shares = 0.0, 0.0, []
    for node in dag.nodes:
        v, up = dag.index(node), [dag.index(parent) for parent in parameters[node].coefficients]
        family = tally[node]
        means, posterior = family.mean[:-1], RegressionPosterior.of(family)
        slopes = direct[v] * (moved[up] - means) + spread[up] * pulled[v], 2 * direct[v] * spread[up]
        size = abs(direct[v]) * (np.abs(joint.mean[up]) + np.abs(means)) + np.sqrt(np.diag(joint.covariance)[up])
        # Of the net's own variance, "ml" or "unbiased": it is its relative error that the degrees of freedom tell.
        residual = parameters[node].variance * direct[v] * np.array([pulled[v], direct[v]])
        part = (
            posterior.variance_of(direct[v], slopes[0], residual[0], size),
            posterior.variance_of(0.0, slopes[1], residual[1], size),
        )
        of_mean, of_variance = of_mean + part[0], of_variance + part[1]
        shares.append((part[0], posterior.degrees))
    freedom = _satterthwaite(of_mean, shares)
    relative = float(np.sqrt(of_variance)) / (2 * answer.variance) if answer.variance > 0 else 0.0
    return UncertainNormal(answer.mean, answer.variance, float(np.sqrt(of_mean)), relative, freedom, level)


def _total_effects(dag: DAG, parameters: Mapping[Node, LinearGaussian]) -> Floats:
    """T = (I − B)⁻¹: [u, v] is by how much u changes with a change of v by 1."""
    effects = np.eye(len(dag.nodes))
    for node in dag.topological_order():
        for parent, slope in parameters[node].coefficients.items():
            effects[dag.index(node)] += slope * effects[dag.index(parent)]
    return effects


Posteriors: TypeAlias = RegressionPosteriors | Mapping[tuple[int, ...], RegressionPosterior]
"""The posterior of the regression in each configuration of categories."""


def _satterthwaite(total: float, parts: Iterable[tuple[float, float]]) -> float:
    """(Σ V)² / Σ V²/d: the degrees of freedom of a sum of variances (Welch, 1947; Satterthwaite, 1946)."""
    crossed = sum(variance**2 / degrees for variance, degrees in parts if variance > 0 and degrees > 0)
    return total**2 / crossed if 0 < crossed < np.inf and np.isfinite(total) else np.inf


def uncertain_answer(
    queries: MixedQueries,
    sizes: Mapping[Node, Floats],
    posteriors: Mapping[Node, Posteriors],
    targets: Targets,
    findings: MixedFindings,
    level: float,
) -> UncertainDistribution | UncertainNormal | UncertainMixture:
    """The posterior of a node of a net of categories and numbers, and how far it is known.

    ``sizes`` are the rows and pseudo-counts behind each row of each table, ``posteriors`` those of regressions.
    """
    read_interval(level)
    network = queries.network
    (index, *_), is_one = queries.unobserved(targets, findings)
    if not is_one:
        raise ParameterError("an interval is for the answer about one node: ask for each node by itself")
    answer = queries.posterior_of(index, findings)
    if isinstance(answer, Distribution):
        p = answer.as_array()
        rows = list(queries.statistics_by_state(index, findings))
        change = _Change(rows, p[:, None] * (np.eye(len(p)) - p), np.ones(len(p)))
    else:
        reach = _reach(answer)
        step = _STEP / reach if reach > 0 else 0.0
        rows = list(queries.statistics_by_tilt(index, findings, answer.mean, step * np.arange(-2.0, 3.0)))
        powers = reach ** np.array([1.0, 2.0])
        change = _Change(rows, _STENCILS * (powers / _STEP ** np.array([1.0, 2.0]))[:, None], powers)
    variances = {node: change.of_table(network, node, sizes[node]) for node in network.categories}
    shares: list[tuple[float, float]] = []
    for node in network.numbers:
        parts = change.of_regressions(network.regressions[node], node, posteriors[node])
        variances[node] = sum((part for part, _ in parts), np.zeros(len(change.weights)))
        shares += [(float(part[0]), degrees) for part, degrees in parts]
    if isinstance(answer, Distribution):
        return UncertainDistribution(answer.node, answer.states, answer.as_array(), variances=variances, level=level)
    of_mean, of_variance = sum(variances.values(), np.zeros(2)).tolist()
    relative = float(np.sqrt(of_variance)) / (2 * answer.variance) if answer.variance > 0 else 0.0
    known = (float(np.sqrt(of_mean)), relative, _satterthwaite(of_mean, shares), level)
    if isinstance(answer, Normal):
        return UncertainNormal(answer.mean, answer.variance, *known)
    arrays = (answer.weights, answer.means, answer.variances, answer.lower, answer.upper)
    return UncertainMixture(*arrays, answer.divergence, *known)


_STEP = 0.01
"""Of differences, in units of the reach of a number; of fourth order, they err by about its fourth power / 100."""

_STENCILS = np.array([[1.0, -8.0, 0.0, 8.0, -1.0], [-1.0, 16.0, -30.0, 16.0, -1.0]]) / 12
"""The first and the second derivative from five points, of fourth order (Fornberg, 1988)."""

_NO_SHARE = 1e-13
"""The share of a variance up to which a component of a mixture does not count."""


def _reach(answer: Normal | Mixture) -> float:
    """How far a number goes from its mean: the scale on which its tilted distribution changes."""
    components = as_mixture(answer).components
    weights = np.array([weight for weight, _ in components])
    apart = np.array([abs(one.mean - answer.mean) + one.sd for _, one in components])
    return float(apart[weights * apart**2 > _NO_SHARE * answer.variance].max(initial=0.0))


@dataclass(frozen=True)
class _Change:
    """Expected statistics in some rows, whose weighted sums, one for each answer, are its derivatives.

    ``scales`` are the units of the answers, for telling derivatives from rounding errors.
    """

    rows: Sequence[ExpectedStatistics]
    weights: Floats
    scales: Floats

    def of_table(self, network: MixedNetwork, node: Node, sizes: Floats) -> Floats:
        """What a table adds to the variances of the answers: see ``inference.sensitivity``."""
        table = network.factors[node]
        weighted = np.tensordot(self.weights, np.array([row.tables[node] for row in self.rows]), 1)  # m·d
        squares = np.divide(weighted**2, table, out=np.zeros_like(weighted), where=table > 0).sum(axis=-1)
        spread = np.maximum(squares - weighted.sum(axis=-1) ** 2, 0.0)  # rounding may go below 0
        return np.asarray((spread / (sizes + 1)).reshape(len(spread), -1).sum(axis=1))

    def of_regressions(self, table: Regressions, node: Node, posteriors: Posteriors) -> list[tuple[Floats, float]]:
        """What each regression of a number adds to the variances of the answers, and its degrees of freedom."""
        out = []
        for group in np.ndindex(table.intercepts.shape):
            moments = [row.moments[node] for row in self.rows]
            if not any(each.weight[group] for each in moments):
                continue
            posterior = posteriors[group]
            if table.variances[group] > 0:
                found = [_score(each, group, table, posterior.moments.mean[:-1]) for each in moments]
                scores, sizes = (np.array(part) for part in zip(*found, strict=True))
                sizes = self.scales[:, None] * sizes.max(axis=0)
                by = self.weights @ scores
                by[np.abs(by) <= NO_PART * sizes] = 0.0
                parts = [
                    posterior.variance_of(float(one[0]), one[1:-1], float(one[-1]), size[1:-1])
                    for one, size in zip(by, sizes, strict=True)
                ]
            else:  # an exact relation, which more rows than it has parameters have shown, or which nothing shows
                parts = [0.0 if posterior.degrees > 0 else np.inf] * len(self.weights)
            out.append((np.array(parts), posterior.degrees))
        return out


def _score(moments: FamilyMoments, group: tuple[int, ...], table: Regressions, middle: Floats) -> tuple[Floats, Floats]:
    """The expected score of a regression, and how large the terms are of which it is a sum.

    By the value at ``middle`` of the parents, by the slopes with that value fixed, and by log s².
    """
    weight, mean, scatter = (part[group] for part in moments)
    intercept, slopes, variance = table.intercepts[group], table.slopes[group], table.variances[group]
    line = np.append(-slopes, 1.0)
    error = mean @ line - intercept
    size = np.abs(mean) @ np.abs(line) + abs(intercept)
    apart, along = mean[:-1] - middle, scatter @ line
    score = [weight * error, *(weight * error * apart + along[:-1])]
    terms = [weight * size, *(weight * size * np.abs(apart) + np.abs(scatter[:-1]) @ np.abs(line))]
    square = weight * error**2 + line @ along
    return (
        np.append(score, square / 2) / variance - np.append(np.zeros(len(score)), weight / 2),
        np.append(terms, weight * size**2) / variance,
    )


def _t(level: float, degrees: float) -> float:
    """The quantile of Student's t, or with infinite degrees of freedom of the normal distribution."""
    if np.isinf(degrees):
        return NormalDist().inv_cdf(0.5 + level / 2)
    return float(scipy.special.stdtrit(degrees, 0.5 + level / 2))
