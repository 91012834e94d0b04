"""Rows drawn from a Bayes net: forward, given evidence, with weights, and by Gibbs sampling.

A node is drawn from P(node | parents), parents before children. Given evidence there are three ways: exactly, from the
conditioned net (``conditioned.py``); with likelihood weights (Fung and Chang 1990); or node by node given
all others (Gibbs sampling). A row depends on the seed and its index alone, not on the number of threads.
"""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np

from deciban.choices import check_choice
from deciban.errors import ImpossibleEvidenceError
from deciban.nets.graphs.base import Node
from deciban.nets.network import Evidence, Network
from deciban.nets.sampling.conditioned import conditioned
from deciban.nets.sampling.convergence import convergence
from deciban.nets.sampling.flat import draw_forward, draw_gibbs, flat_net
from deciban.nets.sampling.samples import Estimate, GibbsSample, WeightedSample
from deciban.read import frame_from_codes
from deciban.read.random_state import RandomState, read_count, read_seed
from deciban.types import AnyArray, Floats

__all__ = [
    "RowFormat",
    "estimate_posterior",
    "sample_gibbs",
    "sample_rows",
    "sample_weighted",
]

RowFormat = Literal["arrow", "codes"]

_STARTS = 10_000
"""The rows that are drawn to find possible ones for the starts of Gibbs chains."""
_COMPARED = 1000
"""The possible rows that are compared with one another, at most; more take longer than the chains."""


def sample_rows(
    network: Network,
    n: int,
    *,
    random_state: RandomState = None,
    evidence: Evidence | None = None,
    as_: RowFormat = "arrow",
    limit: int | None = None,
) -> Any:
    """Draw rows from P(all nodes | evidence): see ``BayesNet.sample``."""
    seed, codes = read_seed(random_state), network.evidence_codes(evidence)
    net = conditioned(network, codes, limit) if codes else flat_net(network)
    drawn, _ = draw_forward(net, codes, seed, read_count(n, "n", 0))
    return _rows(network, drawn, as_)


def sample_weighted(
    network: Network, n: int, evidence: Evidence, *, random_state: RandomState = None, as_: RowFormat = "arrow"
) -> WeightedSample:
    """Draw rows forward with the observed states fixed, and weight them: see ``BayesNet.sample_weighted``."""
    seed, codes = read_seed(random_state), network.evidence_codes(evidence)
    drawn, logs = draw_forward(flat_net(network), codes, seed, read_count(n, "n", 1), is_weighted=True)
    weights, log_probability = _weights(logs)
    return WeightedSample(_rows(network, drawn, as_), weights, log_probability)


def sample_gibbs(
    network: Network,
    n: int,
    evidence: Evidence | None = None,
    *,
    random_state: RandomState = None,
    chains: int = 4,
    burn_in: int = 500,
    thin: int = 1,
    as_: RowFormat = "arrow",
) -> GibbsSample:
    """Draw rows by Gibbs sampling: see ``BayesNet.sample_gibbs``."""
    seed, codes = read_seed(random_state), network.evidence_codes(evidence)
    chains = read_count(chains, "chains", 1)
    rows = -(-read_count(n, "n", 1) // chains)
    first = _first_rows(network, codes, seed, chains)
    steps = read_count(burn_in, "burn_in", 0), read_count(thin, "thin", 1)
    drawn = draw_gibbs(flat_net(network), codes, first, seed, rows, *steps)
    r_hat, size = {}, {}
    for node, column, card in zip(network.nodes, drawn, network.cards, strict=True):
        r_hat[node], size[node] = convergence(column.reshape(chains, rows), card)
    return GibbsSample(_rows(network, drawn[:, :n], as_), r_hat, size)


def estimate_posterior(
    network: Network,
    target: Node,
    evidence: Evidence | None = None,
    *,
    n: int = 100_000,
    random_state: RandomState = None,
) -> Estimate:
    """P(target | evidence) from n weighted rows: see ``BayesNet.estimate``."""
    index = network.dag.index(target)
    found = sample_weighted(network, n, evidence or {}, random_state=random_state, as_="codes")
    drawn, weights, states = found.rows[:, index], found.weights, network.states[target]
    shares = np.bincount(drawn, weights, len(states))
    errors = [float(np.sqrt((weights**2 * ((drawn == code) - p) ** 2).sum())) for code, p in enumerate(shares)]
    return Estimate(
        dict(zip(states, shares.tolist(), strict=True)), dict(zip(states, errors, strict=True)), found.effective_size
    )


def _rows(network: Network, drawn: AnyArray, as_: RowFormat) -> Any:
    check_choice("as_", as_, get_args(RowFormat))
    if as_ == "codes":
        return drawn.T
    return frame_from_codes(network.nodes, [network.states[node] for node in network.nodes], list(drawn))


def _weights(logs: Floats) -> tuple[Floats, float]:
    largest = float(logs.max())
    if largest == -np.inf:
        raise ImpossibleEvidenceError(
            f"none of {len(logs):,} rows agrees with the evidence: it has probability 0, or is too rare for weighted "
            "rows. Use sample(n, evidence=...), which is exact, or more rows."
        )
    weights = np.exp(logs - largest)
    return weights / weights.sum(), largest + float(np.log(weights.mean()))


def _first_rows(network: Network, codes: dict[int, int], seed: int, chains: int) -> AnyArray:
    """A possible row for each chain, drawn regardless of its weight, each as far from the others as possible.

    Chains that cannot leave the part of the rows in which they start then start in different parts, and R-hat shows it.
    """
    drawn, logs = draw_forward(flat_net(network), codes, seed ^ 1, max(_STARTS, chains), is_weighted=True)
    _weights(logs)
    possible = drawn[:, np.flatnonzero(logs > -np.inf)[: max(_COMPARED, chains)]]
    chosen = [0]
    distance = np.full(possible.shape[1], np.inf)
    while len(chosen) < chains:
        distance = np.minimum(distance, (possible != possible[:, chosen[-1:]]).sum(axis=0))
        chosen.append(int(distance.argmax()))
    return possible[:, chosen].T
