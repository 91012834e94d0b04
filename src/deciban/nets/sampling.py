"""Rows drawn from a Bayes net: forward, given evidence, with weights, and by Gibbs sampling.

A node is drawn from P(node | parents), parents before children. Given evidence there are three ways: exactly, from the
conditioned net; with likelihood weights (Fung and Chang 1990); or node by node given all others (Gibbs sampling; Geman
and Geman 1984; Pearl 1987). A row depends on the seed and its index alone, not on the number of threads.

For the net given evidence, eliminating a node v multiplies the tables that contain it and sums it out. The product,
divided by the sum, is

    P(v | the other nodes of that product, evidence)

and these, multiplied in the reverse order, are P(all | evidence) (Dechter 1999, bucket elimination; Lauritzen 2003). So
the result is another Bayes net over the ancestors of the observed nodes; all other nodes keep their tables.

R-hat and the effective sample size tell whether Gibbs chains have converged:

    R̂² = ((n − 1)/n · W + B/n) / W            ESS = m·n / (1 + 2 Σ ρ̂ₜ)

for m half chains of n rows, with W the variance within them, n·Var(means) = B, and the autocorrelations ρ̂ₜ summed as
long as pairs of them are positive (Gelman et al., *Bayesian Data Analysis*, 3rd edition, 11.4–11.5).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np

from deciban import _core
from deciban.choices import check_choice
from deciban.errors import ImpossibleEvidenceError, NetworkError, TooLargeError
from deciban.estimate.drawing import RandomState, cumulative_ends, read_count, read_seed
from deciban.limits import check_memory, in_bytes, memory_limit
from deciban.nets.graphs.graph import Node
from deciban.nets.inference.elimination import Step, aligned, eliminate, fits, plan
from deciban.nets.inference.evidence import Findings
from deciban.nets.inference.queries import needed_factors, needed_nodes, refuse_impossible
from deciban.nets.network import Evidence, Network, State
from deciban.types import AnyArray, Codes, Floats, Ints, ResultMapping

__all__ = [
    "Estimate",
    "FlatNet",
    "GibbsSample",
    "RowFormat",
    "WeightedSample",
    "conditioned",
    "convergence",
    "draw_forward",
    "draw_gibbs",
    "estimate_posterior",
    "flat_net",
    "sample_gibbs",
    "sample_rows",
    "sample_weighted",
    "weights_of",
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
    weights, log_probability = weights_of(logs)
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
    rows = -(-read_count(n, "n", 1) // chains)  # rounded up: every chain gives as many, as R-hat needs
    first = _first_rows(network, codes, seed, chains)
    steps = read_count(burn_in, "burn_in", 0), read_count(thin, "thin", 1)
    drawn = draw_gibbs(flat_net(network), codes, first, seed, rows, *steps)
    r_hat, size = {}, {}
    for node, column, card in zip(network.nodes, drawn, network.cards, strict=True):
        r_hat[node], size[node] = convergence(column.reshape(chains, rows), card)
    # All rows for the diagnostics, n of them for the user: chains of unequal length could not be compared.
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
    sample = sample_weighted(network, n, evidence or {}, random_state=random_state, as_="codes")
    return Estimate.of(network.states[target], sample.rows[:, index], sample.weights)


def _rows(network: Network, drawn: AnyArray, as_: RowFormat) -> Any:
    check_choice("as_", as_, get_args(RowFormat))
    if as_ == "codes":
        return drawn.T
    from deciban.read.frame import frame_from_codes  # noqa: PLC0415  brings pyarrow, which takes long to load

    return frame_from_codes(network.nodes, [network.states[node] for node in network.nodes], list(drawn))


def weights_of(logs: Floats) -> tuple[Floats, float]:
    """Normalized weights from their logarithms, and the logarithm of their mean."""
    largest = float(logs.max())
    if largest == -np.inf:
        raise ImpossibleEvidenceError(
            f"none of {len(logs):,} rows agrees with the evidence: it has probability 0, or is too rare for weighted "
            "rows. Use sample(n, evidence=...), which is exact, or more rows."
        )
    weights = np.exp(logs - largest)  # relative to the largest: the weights themselves may all underflow
    return weights / weights.sum(), largest + float(np.log(weights.mean()))


def _first_rows(network: Network, codes: dict[int, int], seed: int, chains: int) -> AnyArray:
    """A possible row for each chain, drawn regardless of its weight, each as far from the others as possible.

    Chains that cannot leave the part of the rows in which they start then start in different parts, and R-hat shows it.
    """
    # Not the seed itself: the starts would be the first rows of ``sample_weighted`` with the same seed.
    drawn, logs = draw_forward(flat_net(network), codes, seed ^ 1, max(_STARTS, chains), is_weighted=True)
    weights_of(logs)  # an error where no row is possible
    possible = drawn[:, np.flatnonzero(logs > -np.inf)[: max(_COMPARED, chains)]]
    chosen = [0]
    distance = np.full(possible.shape[1], np.inf)
    while len(chosen) < chains:
        # The row farthest from the nearest of those chosen (Gonzalez 1985), in nodes that differ.
        distance = np.minimum(distance, (possible != possible[:, chosen[-1:]]).sum(axis=0))
        chosen.append(int(distance.argmax()))
    return possible[:, chosen].T


def conditioned(network: Network, evidence: Mapping[int, int], limit: int | None) -> FlatNet:
    """The net given the observed codes; its tables may take ``limit`` bytes, or the memory limit."""
    findings = Findings(evidence)
    factors = needed_factors(network, 0, findings)
    scopes = [factor.scope for factor in factors]
    elimination = plan(scopes, network.cards, {node for scope in scopes for node in scope})
    # All products are kept, as they become the tables of the net given the evidence: so all cells, not the largest.
    if not fits(elimination.cells, limit):
        cost, available = elimination.cost(network.nodes), in_bytes(memory_limit(limit))
        raise TooLargeError(
            f"drawing rows exactly given this evidence needs {cost}, above the limit of {available}. Use "
            "sample_weighted or sample_gibbs, or a larger limit."
        )
    result = eliminate(factors, elimination.order)
    if not result.rest.table[0] > 0:
        refuse_impossible(network, findings)
    families, tables = list(network.families), list(network.factors)
    for node in evidence:
        # The core sets observed nodes and does not draw them; their tables only have to have a valid shape.
        families[node], tables[node] = (node,), np.full(network.cards[node], 1 / network.cards[node])
    for step in result.steps:
        families[step.node], tables[step.node] = _conditional(step)
    ancestors = needed_nodes(network, findings.observed)
    indices = map(network.dag.index, network.dag.topological_order())
    others = [index for index in indices if not ancestors >> index & 1]
    # A node's conditional has parents that were eliminated later, so they are drawn first (Dechter, 1999).
    return FlatNet.of(network.cards, families, [*evidence, *reversed(elimination.order), *others], tables)


def _conditional(step: Step) -> tuple[tuple[int, ...], Floats]:
    """The family and table of a node given those eliminated later; uniform if no state is possible."""
    scope, product = step.product
    sums = aligned(step.message, scope)
    axis = scope.index(step.node)
    uniform = np.full(product.shape, 1 / product.shape[axis + 1])
    table = np.divide(product, sums, out=uniform, where=sums > 0)
    return (*scope[:axis], *scope[axis + 1 :], step.node), np.moveaxis(table[0], axis, -1)


@dataclass(frozen=True, eq=False)
class FlatNet:
    """A net as the flat arrays from which the core draws rows.

    Node i has ``cards[i]`` states and the parents ``parents[starts[i]:starts[i + 1]]``; its table begins at
    ``offsets[i]`` of ``values``, its own states fastest, its last parent's next. ``order`` has parents before children.
    """

    cards: Ints
    starts: Ints
    parents: Ints
    offsets: Ints
    order: Ints
    tables: tuple[Floats, ...]

    @classmethod
    def of(
        cls, cards: Sequence[int], families: Sequence[Sequence[int]], order: Sequence[int], tables: Sequence[Floats]
    ) -> FlatNet:
        """From each node's parents and itself, and its table with an axis for each of them."""
        starts = np.cumsum([0, *(len(family) - 1 for family in families)], dtype=np.int64)
        parents = np.array([parent for family in families for parent in family[:-1]], dtype=np.int64)
        offsets = np.cumsum([0, *(table.size for table in tables)], dtype=np.int64)[:-1]
        arrays = (np.asarray(cards, dtype=np.int64), starts, parents, offsets, np.asarray(order, dtype=np.int64))
        return cls(*arrays, tuple(tables))

    @cached_property
    def values(self) -> Floats:
        """All probabilities."""
        return np.concatenate([table.ravel() for table in self.tables])

    @cached_property
    def logs(self) -> Floats:
        """Their logarithms."""
        with np.errstate(divide="ignore"):
            return np.log(self.values)

    @cached_property
    def ends(self) -> Floats:
        """Their sums along each row: state s is drawn where ends[s − 1] ≤ u < ends[s]."""
        return np.concatenate([cumulative_ends(table).ravel() for table in self.tables])

    def fixed(self, codes: Mapping[int, int]) -> Codes:
        """For each node the code of its observed state, or −1."""
        out = np.full(len(self.cards), -1, dtype=np.int32)
        for index, code in codes.items():
            out[index] = code
        return out


def flat_net(network: Network) -> FlatNet:
    """The arrays of a net."""
    if not network.nodes:
        raise NetworkError("a net without nodes has no rows")
    order = [network.dag.index(node) for node in network.dag.topological_order()]
    return FlatNet.of(network.cards, network.families, order, network.factors)


def draw_forward(
    net: FlatNet, fixed: Mapping[int, int], seed: int, rows: int, *, is_weighted: bool = False
) -> tuple[AnyArray, Floats]:
    """Codes, nodes × rows, and the log of each row's weight if ``is_weighted``."""
    _check_rows(net, rows)
    logs = net.logs if is_weighted else np.empty(0)
    arrays = (net.cards, net.starts, net.parents, net.offsets, net.order, net.fixed(fixed), net.ends, logs)
    return _core.draw_forward(*arrays, seed, rows)


def draw_gibbs(
    net: FlatNet, fixed: Mapping[int, int], first: Codes, seed: int, rows: int, burn_in: int, thin: int
) -> AnyArray:
    """Codes, nodes × rows of all chains; ``first`` has a row for each chain."""
    _check_rows(net, rows * len(first))
    arrays = (net.cards, net.starts, net.parents, net.offsets, net.fixed(fixed), net.values)
    return _core.draw_gibbs(*arrays, np.ascontiguousarray(first, dtype=np.int32).ravel(), seed, rows, burn_in, thin)


def _check_rows(net: FlatNet, rows: int) -> None:
    """Refuse more rows than fit into memory, in the narrowest codes that hold all states, as the core returns them."""
    widest = int(net.cards.max())
    itemsize = 1 if widest <= 1 << 7 else 2 if widest <= 1 << 15 else 4
    check_memory("the rows, rows × nodes,", rows, len(net.cards), itemsize=itemsize, advice="Draw fewer at a time.")


def convergence(codes: AnyArray, states: int) -> tuple[float, float]:
    """The largest R-hat and the smallest effective size of a node's state indicators; codes are chains × rows."""
    # Halves of chains, so that a chain that drifts disagrees with itself (split R-hat; Gelman et al., 11.4).
    half = codes.shape[1] // 2
    halves = np.concatenate([codes[:, :half], codes[:, half : 2 * half]])
    diagnostics = [_diagnostics(np.asarray(halves == state, dtype=np.float64)) for state in range(states)]
    return max(r_hat for r_hat, _ in diagnostics), min(size for _, size in diagnostics)


def _diagnostics(x: Floats) -> tuple[float, float]:
    chains, rows = x.shape
    if rows < 2:
        return float("nan"), float("nan")
    within = float(x.var(axis=1, ddof=1).mean())
    between = float(x.mean(axis=1).var(ddof=1))
    total = (rows - 1) / rows * within + between
    if total == 0:  # the same state in every row of every chain
        return 1.0, float(chains * rows)
    if within == 0:  # each chain stays in its own state: stuck, as tables with zeros can make it
        return float("inf"), float(chains)
    # The autocorrelation of all chains together (Gelman et al., 11.5): their means differ where they do not agree.
    rho = 1 - (within - _autocovariance(x).mean(axis=0)) / total
    # Sums of neighbouring autocorrelations of a reversible chain are positive and decrease (Geyer 1992, the initial
    # monotone sequence): the first that is not, and all after it, are noise.
    pairs = rho[: rows // 2 * 2].reshape(-1, 2).sum(axis=1)
    ends = np.flatnonzero(pairs <= 0)
    used = np.minimum.accumulate(pairs[: ends[0] if len(ends) else None])
    # The lower bound of the autocorrelation time is Stan's: antithetic chains may be better than independent rows, but
    # not without limit (Vehtari et al. 2021, "Rank-normalization, folding, and localization").
    time = max(2 * float(used.sum()) - 1, 1 / np.log10(max(chains * rows, 11)))
    return float(np.sqrt(total / within)), chains * rows / time


def _autocovariance(x: Floats) -> Floats:
    rows = x.shape[1]
    centred = x - x.mean(axis=1, keepdims=True)
    # All lags at once from the power spectrum (Wiener–Khinchin theorem), in n·log n instead of n² steps.
    # Padded to twice the length: otherwise the end of a chain would be correlated with its start.
    power = np.abs(np.fft.rfft(centred, 2 * rows, axis=1)) ** 2
    return np.fft.irfft(power, axis=1)[:, :rows] / rows


@dataclass(frozen=True, eq=False)
class WeightedSample:
    """Rows drawn forward with the observed states fixed, and their likelihood weights.

    Attributes
    ----------
    rows : pyarrow.Table or array
        The rows, as ``BayesNet.sample`` returns them.
    weights : array
        P(observed states | their parents) of each row, normalized to sum to 1.
    log_probability : float
        The logarithm of the mean weight: an estimate of log P(evidence).

    See Also
    --------
    BayesNet.sample_weighted : Returns it.

    Examples
    --------
    >>> import deciban as db
    >>> net = db.BayesNet([("rain", "wet")]).fit(
    ...     {"rain": ["no", "no", "yes"], "wet": ["no", "yes", "yes"]}
    ... )
    >>> drawn = net.sample_weighted(1000, {"wet": "yes"}, random_state=0)
    >>> abs(drawn.log_probability - net.log_probability({"wet": "yes"})) < 0.05
    True
    """

    rows: Any
    weights: Floats
    log_probability: float

    @property
    def effective_size(self) -> float:
        """(Σw)² / Σw²: the number of unweighted rows with the same variance (Kong 1992)."""
        return float(1 / (self.weights**2).sum())


@dataclass(frozen=True, eq=False)
class GibbsSample:
    """Rows of several chains, one chain after the other.

    Attributes
    ----------
    rows : pyarrow.Table or array
        The rows, as ``BayesNet.sample`` returns them.
    r_hat : mapping
        Node → R-hat: 1 if the chains agree; above 1.01 they are too short, or stuck.
    effective_size : mapping
        Node → effective sample size: the number of independent rows with the same variance.

    See Also
    --------
    BayesNet.sample_gibbs : Returns it.

    Examples
    --------
    >>> import deciban as db
    >>> net = db.BayesNet([("rain", "wet")]).fit(
    ...     {"rain": ["no", "no", "yes"], "wet": ["no", "yes", "yes"]}
    ... )
    >>> drawn = net.sample_gibbs(4000, random_state=0)
    >>> drawn.is_converged, drawn.effective_size["rain"] > 1000
    (True, True)
    """

    rows: Any
    r_hat: Mapping[Node, float]
    effective_size: Mapping[Node, float]

    @property
    def is_converged(self) -> bool:
        """Whether every R-hat is at most 1.01."""
        return all(value <= 1.01 for value in self.r_hat.values())


@dataclass(frozen=True, eq=False)
class Estimate(ResultMapping[State, float]):
    """An estimated distribution: a mapping from states to probabilities, with standard errors.

    Attributes
    ----------
    probabilities : mapping
        State → probability.
    standard_error : mapping
        State → standard error.
    effective_size : float
        The number of unweighted rows with the same variance.

    See Also
    --------
    BayesNet.estimate : Returns it.

    Examples
    --------
    >>> import deciban as db
    >>> net = db.BayesNet(db.DAG(nodes=["coin"])).fit({"coin": ["head", "tail"]})
    >>> found = net.estimate("coin", n=10_000, random_state=0)
    >>> round(found["head"], 2), found.effective_size
    (0.5, 10000.0)
    """

    probabilities: Mapping[State, float]
    standard_error: Mapping[State, float]
    effective_size: float

    @classmethod
    def of(cls, states: Sequence[State], drawn: AnyArray, weights: Floats) -> Estimate:
        """The estimate from the codes of rows and their weights.

        Parameters
        ----------
        states : sequence
            The states.
        drawn : array
            The code of each row.
        weights : array
            The weight of each row; they sum to 1.

        Returns
        -------
        Estimate
        """
        shares = np.bincount(drawn, weights, len(states))
        # Of a ratio of means, by its first derivatives (the delta method); the weights sum to 1.
        errors = [float(np.sqrt((weights**2 * ((drawn == code) - p) ** 2).sum())) for code, p in enumerate(shares)]
        probabilities = dict(zip(states, shares.tolist(), strict=True))
        return cls(probabilities, dict(zip(states, errors, strict=True)), float(1 / (weights**2).sum()))

    @property
    def _values(self) -> Mapping[State, float]:  # type: ignore[override]
        return self.probabilities

    def __str__(self) -> str:
        return "\n".join(f"{state}  {p:.6f} ± {self.standard_error[state]:.6f}" for state, p in self.items())
