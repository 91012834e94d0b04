"""The tables that a query needs.

*Barren* nodes, which are neither targets nor observed and have no descendant that is, sum to 1 and are removed
(Shachter, 1986). Of the others, the parts that the evidence separates from the targets change only P(e), by a factor
that a posterior does not need; it only has to be positive (requisite nodes; Geiger, Verma and Pearl, 1990).
"""

from __future__ import annotations

from collections.abc import Mapping

from deciban.nets.graphs.bits import bits, mask_of, reach
from deciban.nets.inference.evidence import Findings
from deciban.nets.inference.trees.factor import Factor, sliced
from deciban.nets.network import Network
from deciban.types import Ints

__all__ = ["factors_of", "may_vanish", "needed_factors", "needed_nodes", "parts"]


def needed_nodes(network: Network, nodes: int) -> int:
    """All but the barren nodes, if these nodes are targets or observed; sets are masks.

    >>> from deciban.nets.graphs.graph import DAG
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
