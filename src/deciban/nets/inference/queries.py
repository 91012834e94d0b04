"""Answers from a network and what is known: each by the tables that it needs and no others.

A posterior P(targets | e) is found by eliminating all else from the needed tables, or read off the engine where that
has been compiled already and is cheaper. Both costs are known beforehand.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from deciban.errors import ImpossibleEvidenceError, TooLargeError
from deciban.nets.base import Node
from deciban.nets.bits import mask_of
from deciban.nets.inference.distribution import Distribution
from deciban.nets.inference.elimination import completion, eliminate
from deciban.nets.inference.engine import CELLS_PER_STEP, Engine, engine, made_engine
from deciban.nets.inference.factor import Factor
from deciban.nets.inference.findings import Findings
from deciban.nets.inference.order import Plan, check_size, fits, plan
from deciban.nets.inference.pruning import may_vanish, needed_factors, needed_nodes, parts
from deciban.nets.inference.reference import Reference
from deciban.nets.network import Network
from deciban.types import Floats

__all__ = [
    "all_marginals",
    "best_states",
    "distributions",
    "engine_for",
    "joint",
    "log_probability",
    "plan_of",
    "refuse_impossible",
    "unscaled_joint",
]


class Best(NamedTuple):
    """A code for each place, and the logarithm of the probability of them and the evidence."""

    codes: dict[int, int]
    log_probability: float


def joint(network: Network, targets: Sequence[int], findings: Findings) -> Floats:
    """P(targets | e): an array with an axis for each target, in their order."""
    held = made_engine(network)
    asked = mask_of(targets)
    if held is not None and len(targets) == 1 and _is_small(held, needed_nodes(network, asked | findings.touched)):
        return _from_engine(network, held, targets[0], findings)
    factors, others = parts(needed_factors(network, asked, findings), asked)
    laid = _plan(network, factors, targets)
    if len(targets) == 1 and not fits(laid.peak):
        # An engine tries more orders and may know one that is good enough.
        return _from_engine(network, engine(network), targets[0], findings)
    check_size(laid.peak, _what(network, targets))
    if np.isneginf(_log_total(network, may_vanish(others))):
        refuse_impossible(network, findings)
    rest = eliminate(factors, laid.order).rest
    total = rest.table.sum()
    if total == 0:
        refuse_impossible(network, findings)
    return _in_order(rest, targets) / total


def unscaled_joint(factors: list[Factor], network: Network, keep: Sequence[int]) -> tuple[Floats, float]:
    """Σ Π factors over all nodes but ``keep``, an axis for each of these in their order; and the log of its scale."""
    laid = _plan(network, factors, keep)
    check_size(laid.peak, _what(network, keep))
    passed = eliminate(factors, laid.order)
    scale = np.asarray(passed.log_scale).reshape(-1)
    return _in_order(passed.rest, keep), float(scale[0])


def distributions(network: Network, findings: Findings) -> dict[Node, Distribution]:
    """P(node | e) for every node."""
    _, beliefs = all_marginals(network, findings)
    starts = np.cumsum([0, *network.cards])
    return {
        node: Distribution(node, network.states[node], beliefs[starts[place] : starts[place + 1]])
        for place, node in enumerate(network.nodes)
    }


def all_marginals(network: Network, findings: Findings) -> tuple[float, Floats]:
    """log P(e), and the beliefs of all nodes side by side."""
    held = engine_for(network, findings)
    logs, beliefs = held.marginals(findings.row(len(network.nodes)), findings.soft_rows())
    if np.isneginf(logs[0]):
        refuse_impossible(network, findings)
    return float(logs[0]), beliefs[0]


def log_probability(network: Network, findings: Findings) -> float:
    """log P(e), from the ancestors of the evidence; −∞ where it is impossible."""
    held = made_engine(network)
    if held is not None and _is_small(held, needed_nodes(network, findings.touched)):
        return float(held.log_probability(findings.row(len(network.nodes)), findings.soft_rows())[0])
    return _log_total(network, needed_factors(network, 0, findings))


def best_states(network: Network, targets: Sequence[int], findings: Findings) -> Best:
    """argmax P(targets, e): all else is summed out first, then the targets are maximized out (Park and Darwiche, 2004).

    Sums and maxima do not change places, so the order is bound to this and may need more memory than a marginal does.
    """
    held = made_engine(network)
    if held is not None and len(targets) + len(findings.codes) == len(network.nodes):
        codes, logs = held.best(findings.row(len(network.nodes)), findings.soft_rows())
        if np.isneginf(logs[0]):
            refuse_impossible(network, findings)
        return Best({place: int(codes[0, place]) for place in targets}, float(logs[0]))
    factors = needed_factors(network, mask_of(targets), findings)
    summed = {node for factor in factors for node in factor.scope} - set(targets)
    laid = plan([factor.scope for factor in factors], network.cards, summed, targets)
    check_size(laid.peak, f"the most probable states of {_names(network, targets)}")
    passed = eliminate(factors, laid.order, frozenset(targets))
    log = _log_of(passed.rest.table, passed.log_scale)
    if np.isneginf(log):
        refuse_impossible(network, findings)
    chosen = completion(passed._replace(steps=passed.steps[-len(targets) :]), 1)
    return Best({place: int(chosen[place][0]) for place in targets}, log)


def plan_of(network: Network, targets: Sequence[int], findings: Findings) -> Plan:
    """The plan of a question, without asking it; no targets are all nodes."""
    asked = mask_of(targets) if targets else (1 << len(network.nodes)) - 1
    scopes = [factor.scope for factor in needed_factors(network, asked, findings)]
    free = {node for scope in scopes for node in scope} - set(targets)
    return plan(scopes, network.cards, free)


def refuse_impossible(network: Network, findings: Findings) -> None:
    """Say that P(e) = 0, and which findings are at odds: none of them can be left out.

    Findings are left out one by one; what is needed to keep P(e) at 0 stays. That takes as many eliminations as there
    are findings, and gives one of the smallest sets, though perhaps not the only one.
    """
    left = findings
    for place in [*findings.codes, *findings.likelihoods]:
        fewer = left.without([place])
        if np.isneginf(log_probability(network, fewer)):
            left = fewer
    held = left.in_words(network)
    several = len(left.codes) + len(left.likelihoods) > 1
    why = f"{held} cannot be true together" if several else f"{held} cannot be true"
    raise ImpossibleEvidenceError(f"P(e) = 0, so nothing follows from this evidence: {why} in this net")


def _is_small(held: Engine, needed: int) -> bool:
    """Whether an engine has gone through all of its tables before so many nodes are eliminated."""
    return bool(held.cost.cells < CELLS_PER_STEP * needed.bit_count())


def engine_for(network: Network, findings: Findings) -> Engine:
    """The engine, or an elimination made for this evidence where only that makes the tables small enough."""
    try:
        return engine(network)
    except TooLargeError:
        laid = plan_of(network, (), findings)
        if not fits(laid.cells):
            raise
        return Reference(network, laid)


def _from_engine(network: Network, held: Engine, place: int, findings: Findings) -> Floats:
    logs, beliefs = held.marginals(findings.row(len(network.nodes)), findings.soft_rows())
    if np.isneginf(logs[0]):
        refuse_impossible(network, findings)
    start = sum(network.cards[:place])
    return beliefs[0, start : start + network.cards[place]]


def _log_total(network: Network, factors: list[Factor]) -> float:
    laid = _plan(network, factors, ())
    check_size(laid.peak, "the probability of this evidence")
    passed = eliminate(factors, laid.order)
    return _log_of(passed.rest.table, passed.log_scale)


def _log_of(table: Floats, log_scale: Floats | float) -> float:
    with np.errstate(divide="ignore"):
        return float((np.log(table) + log_scale)[0])


def _plan(network: Network, factors: list[Factor], keep: Sequence[int]) -> Plan:
    free = {node for factor in factors for node in factor.scope} - set(keep)
    return plan([factor.scope for factor in factors], network.cards, free)


def _in_order(factor: Factor, targets: Sequence[int]) -> Floats:
    return factor.table[0].transpose([factor.scope.index(place) for place in targets])


def _names(network: Network, places: Sequence[int]) -> str:
    names = [str(network.nodes[place]) for place in places]
    return ", ".join(names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "")


def _what(network: Network, targets: Sequence[int]) -> str:
    return f"the joint table of {_names(network, targets)}" if targets else "the probability of this evidence"
