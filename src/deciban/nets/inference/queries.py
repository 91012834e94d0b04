"""Answers from a network and what is known: each by the tables that it needs and no others.

A posterior P(targets | e) is found by eliminating all else from the needed tables, or read off the engine where that
has been compiled already and is cheaper. Both costs are known beforehand.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod
from typing import NamedTuple

import numpy as np

from deciban.errors import ImpossibleEvidenceError, TooLargeError
from deciban.nets.graphs.base import Node
from deciban.nets.graphs.bits import mask_of
from deciban.nets.inference.distribution import Distribution
from deciban.nets.inference.evidence import Findings
from deciban.nets.inference.trees.elimination import completion, eliminate
from deciban.nets.inference.trees.engine import CELLS_PER_STEP, Engine, engine, made_engine
from deciban.nets.inference.trees.factor import Factor
from deciban.nets.inference.trees.order import Plan, check_size, fits, plan
from deciban.nets.inference.trees.pruning import may_vanish, needed_factors, needed_nodes, parts
from deciban.nets.inference.trees.sliced_elimination import Reference
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


_ROWS = 1024
"""Rows of evidence that the engine is asked at once."""


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
    check_size(prod(network.cards[place] for place in targets), _what(network, targets))
    if not fits(laid.peak):
        return _joint_from_engine(network, targets, findings)
    if np.isneginf(_log_total(network, may_vanish(others))):
        refuse_impossible(network, findings)
    rest = eliminate(factors, laid.order, keep=()).rest
    total = rest.table.sum()
    if total == 0:
        refuse_impossible(network, findings)
    return _in_order(rest, targets) / total


def unscaled_joint(factors: list[Factor], network: Network, keep: Sequence[int]) -> tuple[Floats, float]:
    """Σ Π factors over all nodes but ``keep``, an axis for each of these in their order; and the log of its scale."""
    laid = _plan(network, factors, keep)
    check_size(laid.peak, _what(network, keep))
    passed = eliminate(factors, laid.order, keep=())
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
    held = engine_for(network, [findings.codes])
    logs, beliefs = held.marginals(findings.row(len(network.nodes)), findings.soft_rows())
    if np.isneginf(logs[0]):
        refuse_impossible(network, findings)
    return float(logs[0]), beliefs[0]


def log_probability(network: Network, findings: Findings) -> float:
    """log P(e), from the ancestors of the evidence; −∞ where it is impossible."""
    held = made_engine(network)
    if held is not None and _is_small(held, needed_nodes(network, findings.touched)):
        return float(held.log_probability(findings.row(len(network.nodes)), findings.soft_rows())[0])
    factors = needed_factors(network, 0, findings)
    if not fits(_plan(network, factors, ()).peak):
        held = engine_for(network, [findings.codes])
        return float(held.log_probability(findings.row(len(network.nodes)), findings.soft_rows())[0])
    return _log_total(network, factors)


def best_states(network: Network, targets: Sequence[int], findings: Findings) -> Best:
    """argmax P(targets, e): all else is summed out first, then the targets are maximized out (Park and Darwiche, 2004).

    Sums and maxima do not change places, so the order is bound to this and may need more memory than a marginal does.
    """
    is_complete = len(targets) + len(findings.codes) == len(network.nodes)
    if is_complete and made_engine(network) is not None:
        return _best_from_engine(network, targets, findings)
    factors = needed_factors(network, mask_of(targets), findings)
    scopes = [factor.scope for factor in factors]
    summed = {node for scope in scopes for node in scope} - set(targets)
    before, laid = plan(scopes, network.cards, summed), plan(scopes, network.cards, summed, targets)
    cells = max(laid.peak, laid.cells - before.cells)  # the products of the targets are kept, the others are not
    if is_complete and not fits(cells):
        return _best_from_engine(network, targets, findings)
    check_size(cells, f"the most probable states of {_names(network, targets)}")
    passed = eliminate(factors, laid.order, frozenset(targets), keep=frozenset(targets))
    log = _log_of(passed.rest.table, passed.log_scale)
    if np.isneginf(log):
        refuse_impossible(network, findings)
    chosen = completion(passed, 1)
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


def engine_for(network: Network, patterns: Iterable[Iterable[int]]) -> Engine:
    """The engine of a network, which tries more orders than one.

    Where that is too large, an elimination for each set of observed nodes, if these make the tables small enough.
    """
    try:
        return engine(network)
    except TooLargeError:
        made = Reference(network)
        if not all(fits(made.plan_of(frozenset(seen)).cells) for seen in patterns):
            raise
        return made


def _best_from_engine(network: Network, targets: Sequence[int], findings: Findings) -> Best:
    held = engine_for(network, [findings.codes])
    codes, logs = held.best(findings.row(len(network.nodes)), findings.soft_rows())
    if np.isneginf(logs[0]):
        refuse_impossible(network, findings)
    return Best({place: int(codes[0, place]) for place in targets}, float(logs[0]))


def _joint_from_engine(network: Network, targets: Sequence[int], findings: Findings) -> Floats:
    """P(targets | e) ∝ P(t₁, …, tₖ₋₁, e) · P(tₖ | t₁, …, tₖ₋₁, e): a row for each configuration of t₁, …, tₖ₋₁."""
    *given, last = targets
    held = engine_for(network, [(*findings.codes, *given)])
    start, cards = sum(network.cards[:last]), [network.cards[place] for place in targets]
    rows, parts = prod(cards[:-1]), []
    for begin in range(0, rows, _ROWS):
        places = np.arange(begin, min(begin + _ROWS, rows))
        codes = np.repeat(findings.row(len(network.nodes)), len(places), axis=0)
        codes[:, given] = np.column_stack(np.unravel_index(places, cards[:-1])) if given else 0
        logs, beliefs = held.marginals(codes, findings.soft_rows(len(places)))
        parts.append((logs, beliefs[:, start : start + cards[-1]]))
    logs = np.concatenate([part for part, _ in parts])
    if np.isneginf(logs).all():
        refuse_impossible(network, findings)
    table = np.exp(logs - logs.max())[:, None] * np.concatenate([part for _, part in parts])
    return (table / table.sum()).reshape(cards)


def _from_engine(network: Network, held: Engine, place: int, findings: Findings) -> Floats:
    logs, beliefs = held.marginals(findings.row(len(network.nodes)), findings.soft_rows())
    if np.isneginf(logs[0]):
        refuse_impossible(network, findings)
    start = sum(network.cards[:place])
    return beliefs[0, start : start + network.cards[place]]


def _log_total(network: Network, factors: list[Factor]) -> float:
    laid = _plan(network, factors, ())
    check_size(laid.peak, "the probability of this evidence")
    passed = eliminate(factors, laid.order, keep=())
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
