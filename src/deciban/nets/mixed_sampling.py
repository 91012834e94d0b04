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
from typing import Any, get_args

import numpy as np

from deciban.choices import check_choice
from deciban.errors import InputError
from deciban.estimate.drawing import RandomState, cumulative_ends, read_count
from deciban.nets.graphs.graph import Node
from deciban.nets.inference.evidence import MixedFindings, read_mixed_findings
from deciban.nets.inference.mixed_queries import MixedQueries
from deciban.nets.mixed_network import MixedNetwork
from deciban.nets.network import Evidence
from deciban.nets.sampling import Estimate, RowFormat, WeightedSample, weights_of
from deciban.read import object_array
from deciban.types import AnyArray, Codes, Floats

__all__ = ["draw_mixed", "estimate_mixed", "sample_mixed", "sample_mixed_weighted"]

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
    drawn, logs = draw_mixed(network, n, _observed(network, _hard(network, evidence)), rng)
    weights, log_probability = weights_of(logs)
    return WeightedSample(_rows(network, drawn, as_), weights, log_probability)


def estimate_mixed(
    network: MixedNetwork,
    target: Node,
    evidence: Evidence | None = None,
    *,
    n: int = 100_000,
    random_state: RandomState = None,
) -> Estimate:
    """P(target | evidence) of a category, from n weighted rows: see ``BayesNet.estimate``."""
    if network.is_number(target):
        raise InputError(
            f"{target!r} is a number, which has no states to estimate. Use query, or the weights of sample_weighted: "
            "numpy.average(drawn.rows[target], weights=drawn.weights)."
        )
    rng = np.random.default_rng(random_state)
    observed = _observed(network, _hard(network, evidence))
    drawn, logs = draw_mixed(network, read_count(n, "n", 1), observed, rng)
    weights, _ = weights_of(logs)
    return Estimate.of(network.states[target], drawn[target], weights)


def _hard(network: MixedNetwork, evidence: Evidence | None) -> MixedFindings:
    findings = read_mixed_findings(network, evidence, None)
    if findings.bounds:
        node = network.nodes[next(iter(findings.bounds))]
        raise InputError(f"{node!r} is observed as an interval; rows are drawn given numbers and states only.")
    return findings


def _observed(network: MixedNetwork, findings: MixedFindings) -> dict[Node, float | int]:
    return {network.nodes[index]: value for index, value in (*findings.codes.items(), *findings.values.items())}


def draw_mixed(
    network: MixedNetwork, n: int, observed: Mapping[Node, float | int], rng: np.random.Generator
) -> tuple[Drawn, Floats]:
    """Rows drawn forward with observed codes and numbers fixed, and the log of the probability of these."""
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
        mean = mean + slopes[..., i] * drawn[up]
    return mean, np.broadcast_to(np.sqrt(regressions.variances[at]), (n,))


def _log_density(value: float, mean: Floats, sd: Floats) -> Floats:
    """The log density of a number; where its parents determine it, 0 if it is that value and −∞ if not."""
    safe = np.where(sd > 0, sd, 1.0)
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
