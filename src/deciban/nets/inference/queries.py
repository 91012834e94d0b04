"""Queries by node indices: posteriors, marginals, P(e) and the most probable states, from the needed tables only.

A posterior P(targets | e) is computed by eliminating all other nodes from the needed tables, or read from the compiled
engine if there is one and it is cheaper. Both costs are known in advance.

The tables that a query needs.

*Barren* nodes, which are neither targets nor observed and have no descendant that is, sum to 1 and are removed
(Shachter, 1986). Of the others, the parts that the evidence separates from the targets change only P(e), by a factor
that a posterior does not need; it only has to be positive (requisite nodes; Geiger, Verma and Pearl, 1990).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import prod
from typing import NamedTuple

import numpy as np

from deciban.errors import ImpossibleEvidenceError, TooLargeError
from deciban.nets.graphs.bits import bits, mask_of, reach
from deciban.nets.graphs.graph import Node
from deciban.nets.inference.clique_tree import CELLS_PER_STEP, Engine, engine, made_engine
from deciban.nets.inference.distribution import Distribution
from deciban.nets.inference.elimination import Factor, Plan, check_size, completion, eliminate, fits, plan, sliced
from deciban.nets.inference.evidence import Findings
from deciban.nets.inference.sliced_elimination import Reference
from deciban.nets.network import Network
from deciban.types import Floats, Ints

__all__ = [
    "all_marginals",
    "best_states",
    "distributions",
    "engine_for",
    "factors_of",
    "joint",
    "log_probability",
    "may_vanish",
    "needed_factors",
    "needed_nodes",
    "parts",
    "plan_of",
    "refuse_impossible",
    "unscaled_joint",
]


_ROWS = 1024
"""Rows of evidence per call of the engine."""


class Best(NamedTuple):
    """A code for each node, and the logarithm of the probability of these states and the evidence."""

    codes: dict[int, int]
    log_probability: float


def joint(network: Network, targets: Sequence[int], findings: Findings) -> Floats:
    """P(targets | e): an array with an axis for each target, in their order."""
    compiled = made_engine(network)
    wanted = mask_of(targets)
    if (
        compiled is not None
        and len(targets) == 1
        and _is_small(compiled, needed_nodes(network, wanted | findings.touched))
    ):
        return _from_engine(network, compiled, targets[0], findings)
    factors, others = parts(needed_factors(network, wanted, findings), wanted)
    elimination = _plan(network, factors, targets)
    check_size(prod(network.cards[index] for index in targets), _what(network, targets))
    if not fits(elimination.peak):
        return _joint_from_engine(network, targets, findings)
    if np.isneginf(_log_total(network, may_vanish(others))):
        refuse_impossible(network, findings)
    rest = eliminate(factors, elimination.order, keep=()).rest
    total = rest.table.sum()
    if total == 0:
        refuse_impossible(network, findings)
    return _in_order(rest, targets) / total


def unscaled_joint(factors: list[Factor], network: Network, keep: Sequence[int]) -> tuple[Floats, float]:
    """Σ Π factors over all nodes but ``keep``, an axis for each of these in their order; and the log of its scale."""
    elimination = _plan(network, factors, keep)
    check_size(elimination.peak, _what(network, keep))
    result = eliminate(factors, elimination.order, keep=())
    scale = np.asarray(result.log_scale).reshape(-1)
    return _in_order(result.rest, keep), float(scale[0])


def distributions(network: Network, findings: Findings) -> dict[Node, Distribution]:
    """P(node | e) for every node."""
    _, beliefs = all_marginals(network, findings)
    starts = np.cumsum([0, *network.cards])
    return {
        node: Distribution(node, network.states[node], beliefs[starts[index] : starts[index + 1]])
        for index, node in enumerate(network.nodes)
    }


def all_marginals(network: Network, findings: Findings) -> tuple[float, Floats]:
    """log P(e), and the marginals of all nodes side by side."""
    compiled = engine_for(network, [findings.codes])
    logs, beliefs = compiled.marginals(findings.row(len(network.nodes)), findings.soft_rows())
    if np.isneginf(logs[0]):
        refuse_impossible(network, findings)
    return float(logs[0]), beliefs[0]


def log_probability(network: Network, findings: Findings) -> float:
    """log P(e), from the ancestors of the evidence; −∞ if it is impossible."""
    compiled = made_engine(network)
    if compiled is not None and _is_small(compiled, needed_nodes(network, findings.touched)):
        return float(compiled.log_probability(findings.row(len(network.nodes)), findings.soft_rows())[0])
    factors = needed_factors(network, 0, findings)
    if not fits(_plan(network, factors, ()).peak):
        compiled = engine_for(network, [findings.codes])
        return float(compiled.log_probability(findings.row(len(network.nodes)), findings.soft_rows())[0])
    return _log_total(network, factors)


def best_states(network: Network, targets: Sequence[int], findings: Findings) -> Best:
    """argmax P(targets, e): the other nodes are summed out first, then the targets are maximized.

    Sums and maxima do not commute, which restricts the order (Park and Darwiche, 2004): it may need more memory than
    that of a marginal.
    """
    is_complete = len(targets) + len(findings.codes) == len(network.nodes)
    if is_complete and made_engine(network) is not None:
        return _best_from_engine(network, targets, findings)
    factors = needed_factors(network, mask_of(targets), findings)
    scopes = [factor.scope for factor in factors]
    summed = {node for scope in scopes for node in scope} - set(targets)
    before, elimination = plan(scopes, network.cards, summed), plan(scopes, network.cards, summed, targets)
    cells = max(elimination.peak, elimination.cells - before.cells)  # only the products of the targets are kept
    if is_complete and not fits(cells):
        return _best_from_engine(network, targets, findings)
    check_size(cells, f"the most probable states of {_names(network, targets)}")
    result = eliminate(factors, elimination.order, frozenset(targets), keep=frozenset(targets))
    log = _log_of(result.rest.table, result.log_scale)
    if np.isneginf(log):
        refuse_impossible(network, findings)
    chosen = completion(result, 1)
    return Best({index: int(chosen[index][0]) for index in targets}, log)


def plan_of(network: Network, targets: Sequence[int], findings: Findings) -> Plan:
    """The elimination plan of a query; of all marginals if there are no targets."""
    wanted = mask_of(targets) if targets else (1 << len(network.nodes)) - 1
    scopes = [factor.scope for factor in needed_factors(network, wanted, findings)]
    free = {node for scope in scopes for node in scope} - set(targets)
    return plan(scopes, network.cards, free)


def refuse_impossible(network: Network, findings: Findings) -> None:
    """Raise an error for P(e) = 0 that names a minimal set of findings that contradict each other.

    Findings are removed one by one as long as P(e) stays 0. That takes one elimination per finding, and gives one of
    the minimal sets.
    """
    left = findings
    for index in [*findings.codes, *findings.likelihoods]:
        fewer = left.without([index])
        if np.isneginf(log_probability(network, fewer)):
            left = fewer
    names = left.in_words(network)
    several = len(left.codes) + len(left.likelihoods) > 1
    why = f"{names} cannot be true together" if several else f"{names} cannot be true"
    raise ImpossibleEvidenceError(f"P(e) = 0, the evidence is impossible: {why} in this net")


def _is_small(compiled: Engine, needed: int) -> bool:
    """Whether the engine is faster than eliminating so many nodes."""
    return bool(compiled.cost.cells < CELLS_PER_STEP * needed.bit_count())


def engine_for(network: Network, patterns: Iterable[Iterable[int]]) -> Engine:
    """The engine of a network, a clique tree.

    If that is too large, an elimination for each set of observed nodes, if these make the tables small enough.
    """
    try:
        return engine(network)
    except TooLargeError:
        made = Reference(network)
        if not all(fits(made.plan_of(frozenset(observed)).cells) for observed in patterns):
            raise
        return made


def _best_from_engine(network: Network, targets: Sequence[int], findings: Findings) -> Best:
    compiled = engine_for(network, [findings.codes])
    codes, logs = compiled.best(findings.row(len(network.nodes)), findings.soft_rows())
    if np.isneginf(logs[0]):
        refuse_impossible(network, findings)
    return Best({index: int(codes[0, index]) for index in targets}, float(logs[0]))


def _joint_from_engine(network: Network, targets: Sequence[int], findings: Findings) -> Floats:
    """P(targets | e) ∝ P(t₁, …, tₖ₋₁, e) · P(tₖ | t₁, …, tₖ₋₁, e): a row for each configuration of t₁, …, tₖ₋₁."""
    *given, last = targets
    compiled = engine_for(network, [(*findings.codes, *given)])
    start, cards = sum(network.cards[:last]), [network.cards[index] for index in targets]
    rows, parts = prod(cards[:-1]), []
    for begin in range(0, rows, _ROWS):
        indices = np.arange(begin, min(begin + _ROWS, rows))
        codes = np.repeat(findings.row(len(network.nodes)), len(indices), axis=0)
        codes[:, given] = np.column_stack(np.unravel_index(indices, cards[:-1])) if given else 0
        logs, beliefs = compiled.marginals(codes, findings.soft_rows(len(indices)))
        parts.append((logs, beliefs[:, start : start + cards[-1]]))
    logs = np.concatenate([part for part, _ in parts])
    if np.isneginf(logs).all():
        refuse_impossible(network, findings)
    table = np.exp(logs - logs.max())[:, None] * np.concatenate([part for _, part in parts])
    return (table / table.sum()).reshape(cards)


def _from_engine(network: Network, compiled: Engine, index: int, findings: Findings) -> Floats:
    logs, beliefs = compiled.marginals(findings.row(len(network.nodes)), findings.soft_rows())
    if np.isneginf(logs[0]):
        refuse_impossible(network, findings)
    start = sum(network.cards[:index])
    return beliefs[0, start : start + network.cards[index]]


def _log_total(network: Network, factors: list[Factor]) -> float:
    elimination = _plan(network, factors, ())
    check_size(elimination.peak, "the probability of this evidence")
    result = eliminate(factors, elimination.order, keep=())
    return _log_of(result.rest.table, result.log_scale)


def _log_of(table: Floats, log_scale: Floats | float) -> float:
    with np.errstate(divide="ignore"):
        return float((np.log(table) + log_scale)[0])


def _plan(network: Network, factors: list[Factor], keep: Sequence[int]) -> Plan:
    free = {node for factor in factors for node in factor.scope} - set(keep)
    return plan([factor.scope for factor in factors], network.cards, free)


def _in_order(factor: Factor, targets: Sequence[int]) -> Floats:
    return factor.table[0].transpose([factor.scope.index(index) for index in targets])


def _names(network: Network, indices: Sequence[int]) -> str:
    names = [str(network.nodes[index]) for index in indices]
    return ", ".join(names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "")


def _what(network: Network, targets: Sequence[int]) -> str:
    return f"the joint table of {_names(network, targets)}" if targets else "the probability of this evidence"


def needed_nodes(network: Network, nodes: int) -> int:
    """All but the barren nodes, if these nodes are targets or observed; sets are masks.

    >>> from deciban.nets.graphs.dag import DAG
    >>> chain = Network(
    ...     DAG([("a", "b")]),
    ...     {"a": (0, 1), "b": (0, 1)},
    ...     {"a": [0.5, 0.5], "b": [[0.5, 0.5]] * 2},
    ... )
    >>> bin(needed_nodes(chain, 0b01)), bin(needed_nodes(chain, 0b10))
    ('0b1', '0b11')
    """
    return nodes | reach(network.dag._parent_masks, nodes)


def needed_factors(network: Network, targets: int, findings: Findings) -> list[Factor]:
    """The tables of all but the barren nodes, sliced at the evidence, and the likelihoods."""
    nodes = needed_nodes(network, targets | findings.touched)
    return factors_of(network, nodes, findings.slices()) + findings.soft_factors()


def factors_of(network: Network, nodes: int, observed: Mapping[int, Ints]) -> list[Factor]:
    """The tables of some nodes, sliced at the observed codes: index → a code for each case."""
    indices = list(bits(nodes))
    return sliced([network.factors[node] for node in indices], [network.families[node] for node in indices], observed)


def parts(factors: list[Factor], targets: int) -> tuple[list[Factor], list[Factor]]:
    """The factors that are connected with the targets, and the others.

    Two factors are connected if they share a node.
    """
    reached, waiting = [], [(mask_of(factor.scope), factor) for factor in factors]
    found = targets
    grows = True
    while grows:
        touching = [pair for pair in waiting if pair[0] & found]
        waiting = [pair for pair in waiting if not pair[0] & found]
        grows = bool(touching)
        for mask, factor in touching:
            found |= mask
            reached.append(factor)
    return reached, [factor for _, factor in waiting]


def may_vanish(factors: list[Factor]) -> list[Factor]:
    """The factors, if their sum may be 0; none if no table has a zero."""
    return factors if any((factor.table == 0).any() for factor in factors) else []
