"""Rows drawn from a Bayes net.

A node is drawn from P(node | parents), parents before children. Given evidence there are three ways: exactly, from the
net that the evidence gives (``conditioning.py``); with weights (Fung and Chang 1990); or node by node given all others
(Gibbs). A row depends on the seed and its number alone, whatever the number of threads.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from deciban.errors import ImpossibleEvidenceError, InputTypeError, ParameterError
from deciban.nets.graphs.base import Node
from deciban.nets.network import Evidence, HoldsNetwork, Network
from deciban.nets.sampling.conditioned import conditioned
from deciban.nets.sampling.convergence import mixing_of
from deciban.nets.sampling.flat import draw_forward, draw_gibbs, flat_net
from deciban.nets.sampling.samples import Estimate, GibbsSample, WeightedSample
from deciban.read import frame_from_codes
from deciban.types import AnyArray, Floats

__all__ = ["Sampled"]

_STARTS = 10_000


class Sampled(HoldsNetwork):
    """A net that rows can be drawn from."""

    def sample(
        self,
        n: int,
        random_state: Any = None,
        evidence: Evidence | None = None,
        *,
        as_: str = "arrow",
        limit: int | None = None,
    ) -> Any:
        """Draw rows from P(all nodes | evidence), exactly.

        Parameters
        ----------
        n
            How many.
        random_state
            None, a whole number, or a generator of NumPy's. The same number gives the same rows.
        evidence
            Observed states, such as ``{"rain": "yes"}``.
        as_
            ``"arrow"``: a ``pyarrow.Table`` of labels, which ``fit``, ``discover`` and ``search`` take and whose
            ``to_pandas()`` gives categories; ``"codes"``: an array, rows × nodes, of places among ``states``.
        limit
            How many bytes of tables the evidence may take; the memory limit (``DECIBAN_MEMORY_LIMIT``) where not given.

        Examples
        --------
        >>> from deciban.nets import BayesNet
        >>> net = BayesNet.from_tables(
        ...     [("rain", "wet")],
        ...     {"rain": ("no", "yes"), "wet": ("no", "yes")},
        ...     {"rain": [0.8, 0.2], "wet": [[0.9, 0.1], [0.2, 0.8]]},
        ... )
        >>> net.sample(5, random_state=0)["rain"].to_pylist()
        ['no', 'yes', 'yes', 'no', 'no']
        """
        network, seed = self.network, _seed(random_state)
        codes = network.evidence_codes(evidence)
        net = conditioned(network, codes, limit) if codes else flat_net(network)
        drawn, _ = draw_forward(net, codes, seed, _count(n, "n", 0))
        return _rows(network, drawn, as_)

    def sample_weighted(
        self, n: int, evidence: Evidence, random_state: Any = None, *, as_: str = "arrow"
    ) -> WeightedSample:
        """Draw rows with weights: observed nodes have their state, and weigh a row by its probability.

        It needs no memory beyond the rows, whatever the net. Where the evidence is improbable few rows have nearly all
        the weight; ``effective_size`` says so.
        """
        network, seed = self.network, _seed(random_state)
        codes = network.evidence_codes(evidence)
        drawn, logs = draw_forward(flat_net(network), codes, seed, _count(n, "n", 1), is_weighted=True)
        weights, log_probability = _weights(logs)
        return WeightedSample(_rows(network, drawn, as_), weights, log_probability)

    def sample_gibbs(
        self,
        n: int,
        evidence: Evidence | None = None,
        random_state: Any = None,
        *,
        chains: int = 4,
        burn_in: int = 500,
        thin: int = 1,
        as_: str = "arrow",
    ) -> GibbsSample:
        """Draw rows by Gibbs sampling: each step redraws one node after the other from P(node | all others).

        Parameters
        ----------
        n
            How many rows in all; each chain gives n / chains of them, rounded up.
        evidence
            Observed states.
        random_state
            None, a whole number, or a generator of NumPy's.
        chains
            How many chains, each from a start of its own.
        burn_in
            How many steps of each chain are left out at its beginning.
        thin
            How many steps lie between rows.
        as_
            See ``sample``.

        Notes
        -----
        Tables with zeros can cut the rows into parts between which no step leads, and a chain never leaves its part.
        ``r_hat`` shows it where chains began in different parts.
        """
        network, seed = self.network, _seed(random_state)
        codes, chains = network.evidence_codes(evidence), _count(chains, "chains", 1)
        rows = -(-_count(n, "n", 1) // chains)
        first = _starts(network, codes, seed, chains)
        steps = _count(burn_in, "burn_in", 0), _count(thin, "thin", 1)
        drawn = draw_gibbs(flat_net(network), codes, first, seed, rows, *steps)
        mixing = [
            mixing_of(column.reshape(chains, rows), card) for column, card in zip(drawn, network.cards, strict=True)
        ]
        r_hat = {node: worst for node, (worst, _) in zip(network.nodes, mixing, strict=True)}
        size = {node: least for node, (_, least) in zip(network.nodes, mixing, strict=True)}
        return GibbsSample(_rows(network, drawn[:, :n], as_), r_hat, size)

    def estimate(
        self, query: Node, evidence: Evidence | None = None, n: int = 100_000, random_state: Any = None
    ) -> Estimate:
        """P(query | evidence) from n weighted rows, for nets that are too large to be asked exactly.

        The standard error is that of a ratio of weighted means:

            se² = Σ w² (1[state] − p)² / (Σ w)²

        Examples
        --------
        >>> from deciban.nets import BayesNet
        >>> net = BayesNet.from_tables(
        ...     [("rain", "wet")],
        ...     {"rain": ("no", "yes"), "wet": ("no", "yes")},
        ...     {"rain": [0.8, 0.2], "wet": [[0.9, 0.1], [0.2, 0.8]]},
        ... )
        >>> found = net.estimate("rain", {"wet": "yes"}, random_state=0)
        >>> abs(found["yes"] - 2 / 3) < 3 * found.standard_error["yes"]
        True
        """
        network = self.network
        place = network.dag.index(query)
        found = self.sample_weighted(n, evidence or {}, random_state, as_="codes")
        drawn, weights, states = found.rows[:, place], found.weights, network.states[query]
        shares = np.bincount(drawn, weights, len(states))
        errors = [float(np.sqrt((weights**2 * ((drawn == code) - p) ** 2).sum())) for code, p in enumerate(shares)]
        return Estimate(
            dict(zip(states, shares.tolist(), strict=True)),
            dict(zip(states, errors, strict=True)),
            found.effective_size,
        )


def _rows(network: Network, drawn: AnyArray, as_: str) -> Any:
    if as_ == "codes":
        return drawn.T
    if as_ != "arrow":
        raise ParameterError(f'as_={as_!r} is neither "arrow" nor "codes"')
    return frame_from_codes(network.nodes, [network.states[node] for node in network.nodes], list(drawn))


def _weights(logs: Floats) -> tuple[Floats, float]:
    largest = float(logs.max())
    if largest == -np.inf:
        raise ImpossibleEvidenceError(
            f"none of {len(logs):,} rows agrees with what was observed: it has probability 0, or is too rare for this "
            "way. Use sample(n, evidence=...), which is exact, or more rows."
        )
    weights = np.exp(logs - largest)
    return weights / weights.sum(), largest + float(np.log(weights.mean()))


def _starts(network: Network, codes: dict[int, int], seed: int, chains: int) -> AnyArray:
    """A possible row for each chain: drawn without regard to its weight, so that chains begin far apart."""
    drawn, logs = draw_forward(flat_net(network), codes, seed ^ 1, max(_STARTS, chains), is_weighted=True)
    _weights(logs)
    possible = np.flatnonzero(logs > -np.inf)
    return drawn[:, possible[np.arange(chains) % len(possible)]].T


def _count(value: Any, name: str, least: int) -> int:
    try:
        count = operator.index(value)
    except TypeError:
        raise InputTypeError(f"{name} is a whole number, not {value!r}") from None
    if count < least:
        raise ParameterError(f"{name} is at least {least}, not {count}")
    return count


def _seed(random_state: Any) -> int:
    """A word from whatever NumPy and scikit-learn take for a source of randomness."""
    if isinstance(random_state, np.random.RandomState):
        random_state = int(random_state.randint(0, 2**31))
    try:
        return int(np.random.default_rng(random_state).integers(0, 2**64, dtype=np.uint64))
    except (TypeError, ValueError):
        raise InputTypeError(
            f"random_state is None, a whole number from 0 on or a generator of NumPy's, not {random_state!r}"
        ) from None
