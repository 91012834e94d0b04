"""How different the distributions of two nets are: Kullback–Leibler and Jensen–Shannon divergences, in nats.

    KL(P‖Q) = E_P[log P(x) − log Q(x)] = Σ_v E_P[log P(v | parents in P)] − Σ_v E_P[log Q(v | parents in Q)]
    JS(P, Q) = ½·KL(P‖M) + ½·KL(Q‖M),  M = ½·P + ½·Q        (Kullback and Leibler, 1951; Lin, 1991)

KL needs the distributions that P gives to the families of Q, and these are exact: one pass over a clique tree in which
each family of Q lies in a clique; of normal variables, means and covariances. The mixture M is not a net, so JS is
summed over all rows where these are few, and else is a mean over draws from both nets,

    JS = ½·E_P[log 2P/(P + Q)] + ½·E_Q[log 2Q/(P + Q)],

whose terms are at most log 2, so that its standard error is small. Of nets with both kinds of nodes KL is from draws,
too.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from math import inf, isfinite, log, prod, sqrt

import numpy as np

from deciban.errors import ParameterError
from deciban.nets.graphs.comparison import check_same_nodes
from deciban.nets.graphs.dag import DAG
from deciban.nets.graphs.graph import Node
from deciban.nets.inference.clique_tree import clique_tree
from deciban.nets.inference.net_queries import log_likelihoods
from deciban.nets.inference.normal import MultivariateNormal
from deciban.nets.mixed_network import MixedNetwork
from deciban.nets.network import Network
from deciban.types import AnyArray, Floats
from deciban.units import bits_from_nats

__all__ = [
    "MOST_ROWS",
    "Divergence",
    "check_comparable",
    "js_of_logs",
    "js_of_tables",
    "kl_of_logs",
    "kl_of_normals",
    "kl_of_tables",
]

MOST_ROWS = 1 << 16
"""Up to so many different rows are summed over exactly."""


@dataclass(frozen=True)
class Divergence:
    """How different two distributions are.

    Attributes
    ----------
    nats : float
        The divergence: 0 where the distributions are equal; ∞ where one excludes what the other allows (KL alone).
    standard_error : float
        Of an estimate from draws; 0 where the divergence is exact.
    draws : int
        The number of draws from each net; 0 where the divergence is exact.

    See Also
    --------
    BayesNet.kl_divergence : Returns it.
    BayesNet.js_divergence : Returns it.

    Examples
    --------
    >>> from deciban.nets import Divergence
    >>> Divergence(0.5), round(Divergence(0.5).bits, 4), float(Divergence(0.5))
    (Divergence(0.5 nats, exact), 0.7213, 0.5)
    """

    nats: float
    standard_error: float = 0.0
    draws: int = 0

    @property
    def bits(self) -> float:
        """The divergence in bits."""
        return bits_from_nats(self.nats)

    @property
    def is_exact(self) -> bool:
        """Whether it was computed and not estimated from draws."""
        return not self.draws

    def __float__(self) -> float:
        return self.nats

    def __repr__(self) -> str:
        if self.is_exact:
            return f"Divergence({self.nats:.6g} nats, exact)"
        return f"Divergence({self.nats:.6g} ± {self.standard_error:.2g} nats, from {self.draws:,} draws)"


def check_comparable(p: Network | MixedNetwork, q: Network | MixedNetwork) -> None:
    """Refuse nets that are not distributions of the same values: other nodes, states or kinds of nodes."""
    check_same_nodes(p.dag, q.dag)
    for node in p.nodes:
        if (node in p.states) != (node in q.states):
            raise ParameterError(
                f"{node!r} is a category in one net and a number in the other: they have no divergence."
            )
        different = set(p.states.get(node, ())) ^ set(q.states.get(node, ()))
        if different:
            shown = ", ".join(sorted(map(repr, different))[:5])
            raise ParameterError(
                f"the nets have different states of {node!r}: {shown} in one only. Fit both with the same states=."
            )


def kl_of_tables(p: Network, q: Network) -> Divergence:
    """KL(P‖Q) of two nets of categories, exact."""
    q = _with_states_of(q, p)
    of_p = [tuple(p.nodes[axis] for axis in family) for family in p.families]
    of_q = [tuple(q.nodes[axis] for axis in family) for family in q.families]
    joints = _marginals(p, [*of_p, *of_q])
    own = sum(_expected_log(joint, table) for joint, table in zip(joints[: len(of_p)], p.factors, strict=True))
    other = sum(_expected_log(joint, table) for joint, table in zip(joints[len(of_p) :], q.factors, strict=True))
    return Divergence(max(own - other, 0.0))  # a difference of rounded sums may be a little below 0


def _with_states_of(q: Network, p: Network) -> Network:
    """The same net with its states in the order of those of another."""
    order = {node: [q.code(node, state) for state in p.states[node]] for node in q.nodes}
    tables = {node: q.tables[node][np.ix_(*(order[axis] for axis in (*q.parents[node], node)))] for node in q.nodes}
    return Network(q.dag, p.states, tables, q.parents)


def _marginals(p: Network, families: list[tuple[Node, ...]]) -> list[Floats]:
    """P(family) of each family, by one pass over a clique tree that holds all of them.

    A node of one state below the members of a family changes no probability, and puts its parents in one clique.
    """
    added: list[Node] = [object() for _ in families]
    arrows = [(member, node) for node, family in zip(added, families, strict=True) for member in family]
    dag = DAG([*p.dag.directed_edges, *arrows], [*p.nodes, *added])
    sizes = dict(zip(p.nodes, p.cards, strict=True))
    ones = {n: np.ones((*(sizes[m] for m in family), 1)) for n, family in zip(added, families, strict=True)}
    whole = Network(
        dag,
        {**p.states, **dict.fromkeys(added, ("",))},
        {**dict(zip(p.nodes, p.factors, strict=True)), **ones},
        {**p.parents, **dict(zip(added, families, strict=True))},
    )
    joints, _ = clique_tree(whole).expected_counts(np.full((1, len(whole.nodes)), -1, dtype=np.int32))
    return [joint[..., 0] for joint in joints[len(p.nodes) :]]


def _expected_log(joint: Floats, table: Floats) -> float:
    """Σ joint·log table, where 0·log 0 is 0."""
    known = joint > 0
    if (table[known] <= 0).any():
        return -inf
    return float(joint[known] @ np.log(table[known]))


def kl_of_normals(p: MultivariateNormal, own: MixedNetwork, q: MixedNetwork) -> Divergence:
    """KL(P‖Q) of two nets of numbers, in closed form, from the joint distribution of P.

    Σ_v ½·[ log s²_Q(v)/s²_P(v) + E_P[(v − a − b·parents)²]/s²_Q(v) − 1 ],  with the regressions a, b, s² of Q
    """
    noises = [{node: float(line.variances) for node, line in net.regressions.items()} for net in (own, q)]
    is_degenerate = [any(noise == 0 for noise in of_net.values()) for of_net in noises]
    if all(is_degenerate):
        raise ParameterError("both nets have nodes that others determine: on what they allow there are no densities.")
    if any(is_degenerate):
        return Divergence(inf)
    total = 0.0
    for node, line in q.regressions.items():
        weights = np.zeros(len(p.nodes))
        weights[p.index(node)] = 1.0
        weights[[p.index(up) for up in line.numbers]] = -line.slopes
        square = float(weights @ p.covariance @ weights) + (float(weights @ p.mean) - float(line.intercepts)) ** 2
        total += log(noises[1][node]) - log(noises[0][node]) + square / noises[1][node] - 1.0
    return Divergence(max(total / 2, 0.0))


def js_of_tables(p: Network, q: Network) -> Divergence:
    """JS of two nets of categories with at most ``MOST_ROWS`` different rows, exact."""
    q = _with_states_of(q, p)
    rows: AnyArray = np.array(list(product(*map(range, p.cards))), dtype=np.int32).reshape(prod(p.cards), len(p.nodes))
    logs = log_likelihoods(p, rows)
    others = log_likelihoods(q, np.ascontiguousarray(rows[:, [p.nodes.index(node) for node in q.nodes]]))
    halves = [_log_shares(logs, others) * np.exp(logs), _log_shares(others, logs) * np.exp(others)]
    return Divergence(max(float(sum(half.sum() for half in halves)) / 2, 0.0))


def _log_shares(logs: Floats, others: Floats) -> Floats:
    """log 2p/(p + q); 0 where p is 0, since its weight is."""
    known = np.isfinite(logs)
    out = np.zeros(len(logs))
    out[known] = log(2.0) + logs[known] - np.logaddexp(logs[known], others[known])
    return out


def kl_of_logs(logs: Floats, others: Floats) -> Divergence:
    """KL(P‖Q) from log P and log Q of draws from P."""
    if not np.isfinite(others).all():
        return Divergence(inf, inf, len(logs))
    return _mean(logs - others)


def js_of_logs(logs: Floats, others: Floats, of_q: Floats, others_of_q: Floats) -> Divergence:
    """JS from log P and log Q of draws from P, and log Q and log P of as many draws from Q."""
    return _mean((_log_shares(logs, others) + _log_shares(of_q, others_of_q)) / 2)


def _mean(terms: Floats) -> Divergence:
    error = float(terms.std(ddof=1)) / sqrt(len(terms)) if len(terms) > 1 else inf
    mean = float(terms.mean())
    return Divergence(max(mean, 0.0) if isfinite(mean) else mean, error, len(terms))
