"""Answers to the questions of ``BayesNet``: functions of a network, the nodes in question and the findings.

All answers are exact. They are sums over products of the net's tables,

    P(targets | e) = Σ Π P(xᵢ | parents of xᵢ) / P(e),

in an order that keeps the products small (``trees/elimination.py``), over the tables that are needed
(``trees/pruning.py``). Evidence is a mapping node → state; ``likelihoods`` give P(observation | state) for each state
of a node (``evidence.py``). Impossible evidence is an error that names the findings that contradict each other.

Whether x ⊥ y | z holds in the distribution that a net describes.

    x ⊥ y | z  ⟺  P(x, y, z) · P(z) = P(x, z) · P(y, z)  for all states

If the graph d-separates them it holds whatever the tables are; if not, the numbers may still cancel.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from deciban.errors import ParameterError
from deciban.nets.graphs.bits import bits
from deciban.nets.graphs.graph import Node
from deciban.nets.graphs.separation import d_separated, separation_masks
from deciban.nets.inference.distribution import Completion, Distribution, JointDistribution
from deciban.nets.inference.elimination import Cost
from deciban.nets.inference.evidence import Findings, node_indices
from deciban.nets.inference.information import Information, Utility, rank_observations, read_utility
from deciban.nets.inference.queries import best_states, joint, log_probability, plan_of
from deciban.nets.inference.sensitivity import Sensitivities, entry_sensitivity, read_entry, sensitivities
from deciban.nets.network import Network, State
from deciban.ties import largest_first

__all__ = [
    "cost_of",
    "information_about",
    "is_independent",
    "most_probable_explanation",
    "most_probable_states",
    "posterior",
    "sensitivity_of",
]


def posterior(network: Network, targets: Any, findings: Findings) -> Distribution | JointDistribution:
    """P(targets | e): of one node, or the joint table of several."""
    indices, is_one = _unobserved(network, targets, findings)
    table = joint(network, indices, findings)
    nodes = [network.nodes[index] for index in indices]
    if is_one:
        return Distribution(nodes[0], network.states[nodes[0]], table)
    return JointDistribution(nodes, [network.states[node] for node in nodes], table)


def most_probable_explanation(network: Network, findings: Findings) -> Completion:
    """argmax P(all other nodes, e), with the observed nodes."""
    free = [index for index in range(len(network.nodes)) if index not in findings.codes]
    return _completion(network, free, findings)


def most_probable_states(network: Network, targets: Any, findings: Findings) -> Completion:
    """argmax P(targets, e), the other nodes summed out."""
    indices, _ = _unobserved(network, targets, findings)
    found = _completion(network, indices, findings)
    states = {network.nodes[index]: found[network.nodes[index]] for index in indices}
    return Completion(states, found.log_probability, found.log_evidence)


def cost_of(network: Network, targets: Any, findings: Findings) -> Cost:
    """The memory and time of a query; of all marginals if there are no targets."""
    indices = () if targets is None else _unobserved(network, targets, findings)[0]
    return plan_of(network, indices, findings).cost(network.nodes)


def information_about(
    network: Network,
    target: Node,
    findings: Findings,
    *,
    among: Iterable[Node] | None = None,
    utility: Utility | None = None,
    loss: Utility | None = None,
) -> Information:
    """How informative each node is about a target: see ``BayesNet.information``."""
    (index,), _ = _unobserved(network, [target], findings)
    candidates = None if among is None else [network.dag.index(node) for node in among]
    return rank_observations(network, index, findings, candidates, read_utility(network, index, utility, loss))


def sensitivity_of(network: Network, query: Any, findings: Findings, parameter: Any = None) -> Any:
    """How P(node = state | e) depends on the entries of the tables: see ``BayesNet.sensitivity``."""
    node, state = _one_state(query)
    (index,), _ = _unobserved(network, [node], findings)
    code = network.code(node, state)
    if parameter is not None:
        return entry_sensitivity(network, index, code, findings, read_entry(network, parameter))
    # The second of two entries of a row is 1 − θ, so the first is enough.
    all_entries = sensitivities(network, index, code, findings)
    found = [each for (owner, *_, own), each in all_entries if own == 0 or network.cards[owner] > 2]
    return Sensitivities(largest_first(found, lambda sensitivity: abs(sensitivity.derivative)))


def _unobserved(network: Network, targets: Any, findings: Findings) -> tuple[tuple[int, ...], bool]:
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


def _completion(network: Network, indices: Sequence[int], findings: Findings) -> Completion:
    best = best_states(network, indices, findings)
    codes = {**findings.codes, **best.codes}
    states = {network.nodes[index]: network.states[network.nodes[index]][codes[index]] for index in sorted(codes)}
    return Completion(states, best.log_probability, log_probability(network, findings))


def _one_state(query: Any) -> tuple[Node, State]:
    pairs = list(query.items()) if isinstance(query, Mapping) else [query]
    if len(pairs) != 1 or not isinstance(pairs[0], tuple) or len(pairs[0]) != 2:
        raise ParameterError(f'query is one state of one node, such as {{"rain": "yes"}}, not {query!r}')
    return pairs[0]


_RELATIVE, _ABSOLUTE = 1e-9, 1e-15


def is_independent(
    network: Network, x: Node | Iterable[Node], y: Node | Iterable[Node], given: Node | Iterable[Node] = ()
) -> bool:
    """Whether x ⊥ y | given, for nodes or sets of nodes, up to rounding."""
    if d_separated(network.dag, x, y, given):
        return True
    a, b, c = (list(bits(mask)) for mask in separation_masks(network.dag, x, y, given))
    table = joint(network, [*c, *a, *b], Findings())
    both = table.reshape(*(_size(network, part) for part in (c, a, b)))
    left, right, base = (
        both.sum(axis=2, keepdims=True),
        both.sum(axis=1, keepdims=True),
        both.sum(axis=(1, 2), keepdims=True),
    )
    return bool(np.isclose(both * base, left * right, rtol=_RELATIVE, atol=_ABSOLUTE).all())


def _size(network: Network, indices: list[int]) -> int:
    return int(np.prod([network.cards[index] for index in indices], dtype=np.int64))
