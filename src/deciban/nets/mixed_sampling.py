"""Rows drawn from a net of categories and numbers: forward, given evidence, and with weights.

A node is drawn from P(node | parents), parents before children: a category from the row of its table, a number from its
regression,

    x = a_j + Σ_i b_ji·z_i + s_j·ε,    ε ~ N(0, 1).

Given evidence, nodes are drawn one after the other from P(node | evidence, nodes drawn before), categories first. Given
all categories a number is normal, unless a category below it depends on its bin: then evidence below makes no simple
distribution of it, and rows with weights are drawn instead (Fung and Chang, 1990).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np

from deciban.choices import check_choice
from deciban.errors import InputError
from deciban.estimate.drawing import RandomState, cumulative_ends, read_count
from deciban.nets.graphs.graph import Node
from deciban.nets.inference.evidence import MixedFindings, read_mixed_findings
from deciban.nets.inference.mixed_queries import MixedQueries
from deciban.nets.inference.normal import check_level, draw_between, log_interval
from deciban.nets.inference.strong_tree import Bounds
from deciban.nets.mixed_network import MixedNetwork
from deciban.nets.network import Evidence
from deciban.nets.sampling import Estimate, RowFormat, WeightedSample, weights_of
from deciban.read import object_array
from deciban.types import AnyArray, Codes, Floats

__all__ = ["NumberEstimate", "draw_mixed", "estimate_mixed", "sample_mixed", "sample_mixed_weighted"]

_LOG_TAU = float(np.log(2 * np.pi))

_SAME = 1e-9
"""By how much an observed number may differ from one that its parents determine, relative to its size."""

Drawn = dict[Node, AnyArray]
"""For each category its codes, for each number its values."""


def sample_mixed(
    network: MixedNetwork,
    n: int,
    *,
    random_state: RandomState = None,
    evidence: Evidence | None = None,
    as_: RowFormat = "arrow",
) -> Any:
    """Draw rows from P(all nodes | evidence): see ``BayesNet.sample``."""
    check_choice("as_", as_, get_args(RowFormat))
    n, rng = read_count(n, "n", 0), np.random.default_rng(random_state)
    findings = _hard(network, evidence)
    observed = _observed(network, findings)
    has_causes = any(up not in observed for node in observed for up in network.parents[node])
    if has_causes:
        return _rows(network, _draw_given(network, n, findings, observed, rng), as_)
    drawn, _ = draw_mixed(network, n, observed, rng)
    return _rows(network, drawn, as_)


def sample_mixed_weighted(
    network: MixedNetwork, n: int, evidence: Evidence, *, random_state: RandomState = None, as_: RowFormat = "arrow"
) -> WeightedSample:
    """Draw rows forward with observed nodes fixed, and weight them: see ``BayesNet.sample_weighted``."""
    check_choice("as_", as_, get_args(RowFormat))
    n, rng = read_count(n, "n", 1), np.random.default_rng(random_state)
    findings = read_mixed_findings(network, evidence, None)
    drawn, logs = draw_mixed(network, n, _observed(network, findings), rng, bounds=_bounds(network, findings))
    weights, log_probability = weights_of(logs)
    return WeightedSample(_rows(network, drawn, as_), weights, log_probability)


def estimate_mixed(
    network: MixedNetwork,
    target: Node,
    evidence: Evidence | None = None,
    *,
    n: int = 100_000,
    random_state: RandomState = None,
) -> Estimate | NumberEstimate:
    """P(target | evidence) from n weighted rows: see ``BayesNet.estimate``."""
    rng = np.random.default_rng(random_state)
    findings = read_mixed_findings(network, evidence, None)
    network.dag.index(target)  # an error for a name that is no node, before rows are drawn
    n = read_count(n, "n", 1)
    drawn, logs = draw_mixed(network, n, _observed(network, findings), rng, bounds=_bounds(network, findings))
    weights, _ = weights_of(logs)
    if network.is_number(target):
        return NumberEstimate(drawn[target], weights)
    return Estimate.of(network.states[target], drawn[target], weights)


@dataclass(frozen=True, eq=False, repr=False)
class NumberEstimate:
    """The estimated distribution of a number: values with weights.

    Parameters
    ----------
    values : array
        The drawn values.
    weights : array
        The weight of each of them; they sum to 1.

    See Also
    --------
    BayesNet.estimate : Returns it for a number.
    Estimate : Of a category.

    Examples
    --------
    >>> import numpy as np
    >>> from deciban.nets import NumberEstimate
    >>> NumberEstimate(np.array([1.0, 2.0, 3.0]), np.array([0.25, 0.5, 0.25]))
    NumberEstimate(mean=2 ± 0.353553, sd=0.707107, effective size 3)
    """

    values: Floats
    weights: Floats

    @property
    def mean(self) -> float:
        """Σ w·x."""
        return float(self.weights @ self.values)

    @property
    def variance(self) -> float:
        """Σ w·(x − mean)²."""
        return float(self.weights @ (self.values - self.mean) ** 2)

    @property
    def sd(self) -> float:
        """The standard deviation of the number."""
        return float(np.sqrt(self.variance))

    @property
    def standard_error(self) -> float:
        """The standard error of the mean: √Σ w²·(x − mean)²."""
        # Of a ratio of means, by its first derivatives (the delta method); the weights sum to 1.
        return float(np.sqrt((self.weights**2 * (self.values - self.mean) ** 2).sum()))

    @property
    def effective_size(self) -> float:
        """The number of unweighted rows with the same variance."""
        return float(1 / (self.weights**2).sum())

    def cdf(self, value: float) -> float:
        """P(X ≤ value).

        Parameters
        ----------
        value : float
            A number.

        Returns
        -------
        float
        """
        return float(self.weights[self.values <= value].sum())

    def sf(self, value: float) -> float:
        """P(X > value).

        Parameters
        ----------
        value : float
            A number.

        Returns
        -------
        float
        """
        return float(self.weights[self.values > value].sum())

    def quantile(self, p: float) -> float:
        """The value below which the number is with a given probability.

        Parameters
        ----------
        p : float
            The probability, between 0 and 1.

        Returns
        -------
        float
        """
        check_level(p, "p")
        order = np.argsort(self.values, kind="stable")
        reached = np.searchsorted(np.cumsum(self.weights[order]), p)
        return float(self.values[order[min(int(reached), len(order) - 1)]])

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """The central interval of a given probability.

        Parameters
        ----------
        level : float
            The probability, between 0 and 1.

        Returns
        -------
        pair of floats
            The lower and the upper end.
        """
        check_level(level)
        return self.quantile((1 - level) / 2), self.quantile((1 + level) / 2)

    def __repr__(self) -> str:
        size = f"effective size {self.effective_size:,.0f}"
        return f"NumberEstimate(mean={self.mean:.6g} ± {self.standard_error:.6g}, sd={self.sd:.6g}, {size})"


def _hard(network: MixedNetwork, evidence: Evidence | None) -> MixedFindings:
    findings = read_mixed_findings(network, evidence, None)
    if findings.bounds:
        node = network.nodes[next(iter(findings.bounds))]
        raise InputError(
            f"{node!r} is observed as an interval, given which sample draws no exact rows. Use sample_weighted, whose "
            "rows have weights."
        )
    return findings


def _bounds(network: MixedNetwork, findings: MixedFindings) -> dict[Node, Bounds]:
    return {network.nodes[index]: ends for index, ends in findings.bounds.items()}


def _observed(network: MixedNetwork, findings: MixedFindings) -> dict[Node, float | int]:
    return {network.nodes[index]: value for index, value in (*findings.codes.items(), *findings.values.items())}


def draw_mixed(
    network: MixedNetwork,
    n: int,
    observed: Mapping[Node, float | int],
    rng: np.random.Generator,
    *,
    bounds: Mapping[Node, Bounds] | None = None,
) -> tuple[Drawn, Floats]:
    """Rows drawn forward with observed codes and numbers fixed, and the log of the probability of these.

    Numbers with bounds are drawn between them, which has a probability too.
    """
    limits = bounds or {}
    drawn: Drawn = {}
    logs = np.zeros(n)
    for node in network.dag.topological_order():
        if node in network.states:
            rows = _rows_of_table(network, node, drawn, n)
            if node in observed:
                drawn[node] = np.full(n, observed[node], dtype=np.int32)
                with np.errstate(divide="ignore"):
                    logs += np.log(rows[:, int(observed[node])])
            else:
                drawn[node] = draw_states(rows, rng)
        else:
            mean, sd = _normals(network, node, drawn, n)
            if node in observed:
                drawn[node] = np.full(n, float(observed[node]))
                logs += _log_density(float(observed[node]), mean, sd)
            elif node in limits:
                low, high = (np.full(n, end) for end in limits[node])
                drawn[node] = draw_between(rng, mean, sd, low, high)
                logs += log_interval(mean, sd, low, high)
            else:
                drawn[node] = mean + sd * rng.standard_normal(n)
    return {node: drawn[node] for node in network.nodes}, logs


def draw_states(rows: Floats, rng: np.random.Generator) -> Codes:
    """A code for each row of probabilities."""
    ends = cumulative_ends(rows)
    return (rng.random(len(rows))[:, None] >= ends).sum(axis=1, dtype=np.int32)


def _rows_of_table(network: MixedNetwork, node: Node, drawn: Drawn, n: int) -> Floats:
    """P(node | parents) of each row."""
    index = [
        drawn[up] if up in network.states else np.searchsorted(network.cuts[node][up], drawn[up])
        for up in network.parents[node]
    ]
    table = network.factors[node]
    return table[tuple(index)] if index else np.broadcast_to(table, (n, len(table)))


def _normals(network: MixedNetwork, node: Node, drawn: Drawn, n: int) -> tuple[Floats, Floats]:
    """The mean and standard deviation of a number given its parents, in each row."""
    regressions = network.regressions[node]
    at = tuple(drawn[up] for up in regressions.categories)
    mean = np.broadcast_to(regressions.intercepts[at], (n,)).astype(np.float64)
    slopes = regressions.slopes[at]
    for i, up in enumerate(regressions.numbers):
        with np.errstate(over="ignore", invalid="ignore"):
            mean = mean + slopes[..., i] * drawn[up]
    if not np.isfinite(mean).all():
        raise InputError(f"the mean of {node!r} is so large that no float holds it: scale the columns")
    return mean, np.broadcast_to(np.sqrt(regressions.variances[at]), (n,))


def _log_density(value: float, mean: Floats, sd: Floats) -> Floats:
    """The log density of a number; where its parents determine it, 0 if it is that value and −∞ if not."""
    safe = np.where(sd > 0, sd, 1.0)
    with np.errstate(over="ignore"):
        density = -0.5 * ((value - mean) / safe) ** 2 - np.log(safe) - 0.5 * _LOG_TAU
    agrees = np.abs(value - mean) <= _SAME * np.maximum(np.abs(value), 1.0)
    return np.where(sd > 0, density, np.where(agrees, 0.0, -np.inf))


def _draw_given(
    network: MixedNetwork,
    n: int,
    findings: MixedFindings,
    observed: Mapping[Node, float | int],
    rng: np.random.Generator,
) -> Drawn:
    """Rows from P(all nodes | evidence), node by node given those drawn before."""
    for node, of_node in network.cuts.items():
        hidden = [up for up in of_node if up not in observed]
        if hidden:
            raise InputError(
                f"{node!r} depends on the bin of {hidden[0]!r}, which is not observed: given evidence its distribution "
                "is no normal one. Use sample_weighted, whose rows have weights."
            )
    queries = MixedQueries(network)
    if np.isneginf(queries.log_probability(findings)):
        queries.refuse_impossible(findings)
    codes = np.full((n, len(network.categories)), -1, dtype=np.int32)
    values = np.full((n, len(network.numbers)), np.nan)
    for column, node in enumerate(network.categories):
        if node in observed:
            codes[:, column] = observed[node]
    for column, node in enumerate(network.numbers):
        if node in observed:
            values[:, column] = observed[node]
    for column, node in enumerate(network.categories):
        if node not in observed and n:
            codes[:, column] = draw_states(queries.posteriors(codes, values, node), rng)
    for column, node in enumerate(network.numbers):
        if node not in observed and n:
            mean, variance = queries.posteriors(codes, values, node).T
            values[:, column] = mean + np.sqrt(variance) * rng.standard_normal(n)
    drawn: Drawn = dict(zip(network.categories, codes.T, strict=True))
    drawn |= dict(zip(network.numbers, values.T, strict=True))
    return {node: drawn[node] for node in network.nodes}


def _rows(network: MixedNetwork, drawn: Drawn, as_: RowFormat) -> Any:
    if as_ == "codes":
        return np.column_stack([drawn[node].astype(np.float64) for node in network.nodes])
    from deciban.read.frame import arrow_table  # noqa: PLC0415  brings pyarrow, which takes long to load

    names = [str(node) for node in network.nodes]
    if len(set(names)) < len(names):
        raise InputError('two nodes have the same name as a column. Pass as_="codes".')
    return arrow_table(
        names,
        [
            (object_array(network.states[node]), drawn[node]) if node in network.states else drawn[node]
            for node in network.nodes
        ],
    )
