"""Interventions: the distribution after some nodes are set by action, P(v | do(x)).

Setting x removes the influence of its causes and leaves everything else as it is:

  P(v | do(x)) = Π_{vᵢ ≠ x} P(vᵢ | parents of vᵢ)      for the states v in which x has the value set, else 0,

the truncated factorization (Pearl, "Causality", 2009, section 3.2.3; Robins's g-formula, 1986). It is again a Bayes
net, in which x has no parents and its table is the value or distribution set. A number is set to a value.
"""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import Any, overload

import numpy as np

from deciban.errors import InputError, NetworkError
from deciban.nets.graphs.dag import DAG
from deciban.nets.graphs.graph import Node
from deciban.nets.inference.normal import finite_number
from deciban.nets.mixed_network import MixedNetwork, Regressions
from deciban.nets.network import ROW_TOLERANCE, Network, State
from deciban.types import Floats

__all__ = ["intervene"]


@overload
def intervene(network: Network, actions: Mapping[Any, Any]) -> Network: ...
@overload
def intervene(network: Network | MixedNetwork, actions: Mapping[Any, Any]) -> Network | MixedNetwork: ...
def intervene(network: Network | MixedNetwork, actions: Mapping[Any, Any]) -> Network | MixedNetwork:
    """The network after some nodes are set: see ``BayesNet.do``."""
    if not isinstance(actions, Mapping):
        raise InputError(f'actions are a mapping such as {{"sprinkler": "on"}}, not {actions!r}')
    for node in actions:
        network.dag.index(node)
    arrows = [edge for edge in network.dag.directed_edges if edge[1] not in actions]
    if isinstance(network, MixedNetwork):
        return _intervene_mixed(network, DAG(arrows, network.nodes), actions)
    tables = {node: _policy(network, node, action) for node, action in actions.items()}
    parents = {node: () if node in tables else above for node, above in network.parents.items()}
    return Network(DAG(arrows, network.nodes), network.states, {**network.tables, **tables}, parents)


def _intervene_mixed(network: MixedNetwork, dag: DAG, actions: Mapping[Node, Any]) -> MixedNetwork:
    numbers = [node for node in actions if network.is_number(node)]
    tables = {node: _policy(network, node, action) for node, action in actions.items() if node not in numbers}
    set_to = {node: _constant(node, actions[node]) for node in numbers}
    cuts = {node: {} if node in tables else of_node for node, of_node in network.cuts.items()}
    regressions = {**network.regressions, **set_to}
    return MixedNetwork(dag, network.states, {**network.tables, **tables}, regressions, cuts)


def _constant(node: Node, action: Any) -> Regressions:
    """The regression of a number that is set."""
    return Regressions((), (), np.array(finite_number(node, action, "value")), np.empty(0), np.array(0.0))


def _policy(network: Network | MixedNetwork, node: Node, action: State | Mapping[State, float]) -> Floats:
    """The table of a node that is set."""
    table = np.zeros(len(network.states[node]))
    if not isinstance(action, Mapping):
        table[network.code(node, action)] = 1.0
        return table
    for state, probability in action.items():
        code = network.code(node, state)
        if not isinstance(probability, Real) or not 0 <= float(probability) <= 1:
            raise NetworkError(
                f"{node!r} is set to {state!r} with probability {probability!r}, which is not between 0 and 1"
            )
        table[code] = probability
    if abs(table.sum() - 1) > ROW_TOLERANCE:
        raise NetworkError(f"the probabilities with which {node!r} is set sum to {table.sum():.9g}, not to 1")
    return table
