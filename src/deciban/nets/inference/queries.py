"""Queries of a net: posteriors, marginals, P(e), the most probable states and independence, all of them exact.

They are sums over products of the net's tables,

    P(targets | e) = Σ Π P(xᵢ | parents of xᵢ) / P(e),

in an order that keeps the products small (``elimination``), over the tables that are needed: *barren* nodes, which are
neither targets nor observed and have no descendant that is, sum to 1 and are removed (Shachter, 1986). Of the others,
the parts that the evidence separates from the targets change only P(e), by a factor that a posterior does not need; it
only has to be positive (requisite nodes; Geiger, Verma and Pearl, 1990). Where the net has a compiled clique tree that
is cheaper, the answer is read from it: both costs are known in advance.

Impossible evidence is an error that names the findings that contradict each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import prod
from typing import NamedTuple

import numpy as np

from deciban.errors import ImpossibleEvidenceError, ParameterError, TooLargeError
from deciban.nets.graphs.bits import bits, mask_of, reach
from deciban.nets.graphs.graph import Node
from deciban.nets.graphs.separation import d_separated, separation_masks
from deciban.nets.inference.clique_tree import CELLS_PER_STEP, CliqueTree, clique_tree
from deciban.nets.inference.distribution import Completion, Distribution, JointDistribution
from deciban.nets.inference.elimination import (
    Cost,
    Factor,
    Plan,
    SlicedElimination,
    check_size,
    completion,
    eliminate,
    fits,
    plan,
    sliced,
)
from deciban.nets.inference.evidence import Findings, Targets, node_indices
from deciban.nets.network import Network
from deciban.types import Floats, Ints

__all__ = [
    "all_marginals",
    "cost_of",
    "distributions",
    "engine_for",
    "factors_of",
    "is_independent",
    "joint",
    "log_probability",
    "may_vanish",
    "most_probable_explanation",
    "most_probable_states",
    "needed_factors",
    "needed_nodes",
    "parts",
    "plan_of",
    "posterior",
    "refuse_impossible",
    "unobserved",
    "unscaled_joint",
]

_ROWS = 1024
"""Rows of evidence per call of the clique tree: its beliefs of all nodes in all of them are in memory at once."""

_RELATIVE, _ABSOLUTE = 1e-9, 1e-15
"""Rounding errors of products of two probabilities, which an independence allows."""


def posterior(network: Network, targets: Targets, findings: Findings) -> Distribution | JointDistribution:
    """P(targets | e): of one node, or the joint table of several."""
    indices, is_one = unobserved(network, targets, findings)
    table = joint(network, indices, findings)
    nodes = [network.nodes[index] for index in indices]
    if is_one:
        return Distribution(nodes[0], network.states[nodes[0]], table)
    return JointDistribution(nodes, [network.states[node] for node in nodes], table)


def distributions(network: Network, findings: Findings) -> dict[Node, Distribution]:
    """P(node | e) for every node."""
    _, beliefs = all_marginals(network, findings)
    return {
        node: Distribution(node, network.states[node], beliefs[span])
        for node, span in zip(network.nodes, network._spans, strict=True)
    }


def most_probable_explanation(network: Network, findings: Findings) -> Completion:
    """argmax P(all other nodes, e), with the observed nodes."""
    free = [index for index in range(len(network.nodes)) if index not in findings.codes]
    best = _best_states(network, free, findings)
    codes = {**findings.codes, **best.codes}
    return _completion(network, {index: codes[index] for index in sorted(codes)}, best, findings)


def most_probable_states(network: Network, targets: Targets, findings: Findings) -> Completion:
    """argmax P(targets, e), the other nodes summed out."""
    indices, _ = unobserved(network, targets, findings)
    best = _best_states(network, indices, findings)
    return _completion(network, {index: best.codes[index] for index in indices}, best, findings)


def cost_of(network: Network, targets: Targets | None, findings: Findings) -> Cost:
    """The memory and time of a query; of all marginals if there are no targets."""
    indices = () if targets is None else unobserved(network, targets, findings)[0]
    return plan_of(network, indices, findings).cost(network.nodes)


def is_independent(network: Network, x: Targets, y: Targets, given: Targets = ()) -> bool:
    """Whether x ⊥ y | given, for nodes or sets of nodes, up to rounding.

    x ⊥ y | z  ⟺  P(x, y, z) · P(z) = P(x, z) · P(y, z)  for all states
    """
    # If the graph d-separates them it holds whatever the tables are; if not, the numbers may still cancel.
    if d_separated(network.dag, x, y, given):
        return True
    xs, ys, zs = (list(bits(mask)) for mask in separation_masks(network.dag, x, y, given))
    table = joint(network, [*zs, *xs, *ys], Findings())
    sizes = (prod(network.cards[index] for index in indices) for indices in (zs, xs, ys))
    zxy = table.reshape(*sizes)
    # As products, not as quotients: P(x | z) does not exist where P(z) is 0, and independence asks nothing of it there.
    zx, zy = zxy.sum(axis=2, keepdims=True), zxy.sum(axis=1, keepdims=True)
    z = zxy.sum(axis=(1, 2), keepdims=True)
    return bool(np.isclose(zxy * z, zx * zy, rtol=_RELATIVE, atol=_ABSOLUTE).all())


def unobserved(network: Network, targets: Targets, findings: Findings) -> tuple[tuple[int, ...], bool]:
    """The indices of the targets, none of which may be observed, and whether it is one node by itself."""
    indices, is_one = node_indices(network, targets)
    for index in indices:
        if index in findings.codes:
            node = network.nodes[index]
            state = network.states[node][findings.codes[index]]
            raise ParameterError(
                f"{node!r} is a target, but it is also observed to be {state!r}: remove it from the targets or from "
                "the evidence"
            )
    return indices, is_one


def joint(network: Network, targets: Sequence[int], findings: Findings) -> Floats:
    """P(targets | e): an array with an axis for each target, in their order."""
    wanted = mask_of(targets)
    # The tree has the marginals of single nodes ready; a joint of nodes in several cliques it would have to eliminate.
    if len(targets) == 1 and _is_quicker_compiled(network, wanted | findings.touched):
        _, beliefs = all_marginals(network, findings)
        return beliefs[network._spans[targets[0]]]
    factors, others = parts(needed_factors(network, wanted, findings), wanted)
    elimination = _plan(network, factors, targets)
    check_size(prod(network.cards[index] for index in targets), f"the joint table of {_names(network, targets)}")
    # The clique tree tries more orders than this one, so it may fit where this one does not.
    if not fits(elimination.peak):
        return _joint_row_by_row(network, targets, findings)
    # What is separated from the targets cancels in the posterior, unless it makes the evidence impossible.
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
    what = f"the joint table of {_names(network, keep)}" if keep else "the probability of this evidence"
    check_size(elimination.peak, what)
    result = eliminate(factors, elimination.order, keep=())
    scale = np.asarray(result.log_scale).reshape(-1)
    return _in_order(result.rest, keep), float(scale[0])


def all_marginals(network: Network, findings: Findings) -> tuple[float, Floats]:
    """log P(e), and the marginals of all nodes side by side."""
    engine = engine_for(network, [findings.codes])
    logs, beliefs = engine.marginals(findings.row(len(network.nodes)), findings.soft_rows())
    if np.isneginf(logs[0]):
        refuse_impossible(network, findings)
    return float(logs[0]), beliefs[0]


def log_probability(network: Network, findings: Findings) -> float:
    """log P(e), from the ancestors of the evidence; −∞ if it is impossible."""
    if not _is_quicker_compiled(network, findings.touched):
        factors = needed_factors(network, 0, findings)
        if fits(_plan(network, factors, ()).peak):
            return _log_total(network, factors)
    engine = engine_for(network, [findings.codes])
    return float(engine.log_probability(findings.row(len(network.nodes)), findings.soft_rows())[0])


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
    contradiction = findings
    for index in [*findings.codes, *findings.likelihoods]:
        fewer = contradiction.without([index])
        # log_probability gives −∞ and raises nothing, so this does not call itself.
        if np.isneginf(log_probability(network, fewer)):
            contradiction = fewer
    names = contradiction.in_words(network)
    several = len(contradiction.codes) + len(contradiction.likelihoods) > 1
    why = f"{names} cannot be true together" if several else f"{names} cannot be true"
    raise ImpossibleEvidenceError(f"P(e) = 0, the evidence is impossible: {why} in this net")


def engine_for(network: Network, patterns: Iterable[Iterable[int]]) -> CliqueTree | SlicedElimination:
    """The clique tree of a network.

    If that is too large, an elimination for each set of observed nodes, if these make the tables small enough.
    """
    try:
        return clique_tree(network)
    except TooLargeError:
        elimination = SlicedElimination(network)
        # All patterns are tried before any row is answered: the error is then that of the whole net.
        if not all(fits(elimination.plan_of(frozenset(observed)).cells) for observed in patterns):
            raise
        return elimination


def needed_nodes(network: Network, nodes: int) -> int:
    """All but the barren nodes (Shachter, 1986), if these nodes are targets or observed; sets are masks.

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
    """The factors that are connected with the targets, and the others; two factors are connected if they share a node.

    The others are separated from the targets by the evidence, which is no axis any more (Geiger, Verma, Pearl, 1990).
    """
    connected, waiting = [], [(mask_of(factor.scope), factor) for factor in factors]
    nodes = targets
    grows = True
    while grows:
        touching = [pair for pair in waiting if pair[0] & nodes]
        waiting = [pair for pair in waiting if not pair[0] & nodes]
        grows = bool(touching)
        for mask, factor in touching:
            nodes |= mask
            connected.append(factor)
    return connected, [factor for _, factor in waiting]


def may_vanish(factors: list[Factor]) -> list[Factor]:
    """The factors, if their sum may be 0; none if no table has a zero."""
    # A sum of products of positive numbers is positive: most nets need no elimination of what the targets do not need.
    return factors if any((factor.table == 0).any() for factor in factors) else []


class _Best(NamedTuple):
    """A code for each node, and the logarithm of the probability of these states and the evidence."""

    codes: dict[int, int]
    log_probability: float


def _best_states(network: Network, targets: Sequence[int], findings: Findings) -> _Best:
    """argmax P(targets, e): the other nodes are summed out first, then the targets are maximized.

    Sums and maxima do not commute, which restricts the order (Park and Darwiche, 2004): it may need more memory than
    that of a marginal.
    """
    # Only where nothing is summed out may the clique tree take maxima in any order.
    is_complete = len(targets) + len(findings.codes) == len(network.nodes)
    if is_complete and network._clique_tree is not None:
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
    return _Best({index: int(chosen[index][0]) for index in targets}, log)


def _best_from_engine(network: Network, targets: Sequence[int], findings: Findings) -> _Best:
    engine = engine_for(network, [findings.codes])
    codes, logs = engine.best(findings.row(len(network.nodes)), findings.soft_rows())
    if np.isneginf(logs[0]):
        refuse_impossible(network, findings)
    return _Best({index: int(codes[0, index]) for index in targets}, float(logs[0]))


def _completion(network: Network, codes: Mapping[int, int], best: _Best, findings: Findings) -> Completion:
    states = {network.nodes[index]: network.states[network.nodes[index]][code] for index, code in codes.items()}
    return Completion(states, best.log_probability, log_probability(network, findings))


def _is_quicker_compiled(network: Network, nodes: int) -> bool:
    """Whether there is a clique tree, and it is faster than eliminating what a query of these nodes needs."""
    tree = network._clique_tree
    if not isinstance(tree, CliqueTree):
        return False
    return tree.cost.cells < CELLS_PER_STEP * needed_nodes(network, nodes).bit_count()


def _joint_row_by_row(network: Network, targets: Sequence[int], findings: Findings) -> Floats:
    """P(targets | e) ∝ P(t₁, …, tₖ₋₁, e) · P(tₖ | t₁, …, tₖ₋₁, e): a row for each configuration of t₁, …, tₖ₋₁."""
    *given, last = targets
    engine = engine_for(network, [(*findings.codes, *given)])
    cards = [network.cards[index] for index in targets]
    rows, answers = prod(cards[:-1]), []
    for begin in range(0, rows, _ROWS):
        indices = np.arange(begin, min(begin + _ROWS, rows))
        codes = np.repeat(findings.row(len(network.nodes)), len(indices), axis=0)
        codes[:, given] = np.column_stack(np.unravel_index(indices, cards[:-1])) if given else 0
        logs, beliefs = engine.marginals(codes, findings.soft_rows(len(indices)))
        answers.append((logs, beliefs[:, network._spans[last]]))
    logs = np.concatenate([part for part, _ in answers])
    if np.isneginf(logs).all():
        refuse_impossible(network, findings)
    # Divided by the largest: P(t₁, …, tₖ₋₁, e) of improbable evidence underflows, and the scale cancels below.
    table = np.exp(logs - logs.max())[:, None] * np.concatenate([part for _, part in answers])
    return (table / table.sum()).reshape(cards)


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
