"""What a Bayes net says of actions: doing is not seeing.

To set x by action is to take x out of the hands of its causes and leave everything else as it is:

  P(v | do(x)) = Π_{vᵢ ≠ x} P(vᵢ | parents of vᵢ)      for the states v that have x as it was set, else 0,

the truncated factorization (Pearl, "Causality", 2009, section 3.2.3; Robins's g-formula, 1986). It is again a Bayes
net: the arrows into x are gone, and its table is what was done.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, Self

import numpy as np

from deciban.errors import InputError, NetworkError
from deciban.nets.graphs.base import Node
from deciban.nets.graphs.graph import DAG
from deciban.nets.network import ROW_TOLERANCE, HoldsNetwork, Network, State
from deciban.types import Floats

__all__ = ["Acted"]


class Acted(HoldsNetwork):
    """A net that can be acted on."""

    @classmethod
    @abstractmethod
    def of(cls, network: Network) -> Self:
        """A net that answers from a value."""

    def do(self, actions: Mapping[Any, State | Mapping[Any, float]]) -> Self:
        """The net after some nodes are set by action: no arrow leads to them any more.

        Parameters
        ----------
        actions
            For each node that is set, its state; or, where a lot decides, the probability of each state, such as
            ``{"treatment": {"drug": 0.5, "placebo": 0.5}}``.

        Returns
        -------
        BayesNet
            Another net. ``net.do(a).do(b)`` is ``net.do(a | b)``.

        Examples
        --------
        >>> import deciban as db
        >>> net = db.BayesNet.from_tables(
        ...     [("rain", "wet")],
        ...     {"rain": ("no", "yes"), "wet": ("no", "yes")},
        ...     {"rain": [0.8, 0.2], "wet": [[0.9, 0.1], [0.2, 0.8]]},
        ... )
        >>> net.do({"wet": "yes"}).dag
        DAG(rain, wet)
        """
        if not isinstance(actions, Mapping):
            raise InputError(f'actions are a mapping such as {{"sprinkler": "on"}}, not {actions!r}')
        net = self.network
        tables = {node: _policy(net, node, action) for node, action in actions.items()}
        cut = net.dag.mask(list(tables))
        masks = [0 if cut >> place & 1 else mask for place, mask in enumerate(net.dag.parent_masks)]
        parents = {node: () if node in tables else ups for node, ups in net.parents.items()}
        dag = DAG.from_masks(masks, net.nodes)
        return self.of(Network(dag, net.states, {**net.tables, **tables}, parents))


def _policy(network: Network, node: Node, action: Any) -> Floats:
    """The table of a node that is set by action."""
    network.dag.index(node)
    table = np.zeros(len(network.states[node]))
    if not isinstance(action, Mapping):
        table[network.code(node, action)] = 1.0
        return table
    for state, share in action.items():
        place = network.code(node, state)
        if isinstance(share, str) or not 0 <= share <= 1:
            raise NetworkError(f"{node!r} is set to {state!r} with probability {share!r}; it lies between 0 and 1")
        table[place] = share
    if abs(table.sum() - 1) > ROW_TOLERANCE:
        raise NetworkError(f"the probabilities with which {node!r} is set sum to {table.sum():.9g}, not to 1")
    return table
