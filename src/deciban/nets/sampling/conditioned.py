"""The net given evidence, from which rows can be drawn exactly.

Eliminating a node v multiplies the tables that contain it and sums it out. The product, divided by the sum, is

    P(v | the other nodes of that product, evidence)

and these, multiplied in the reverse order, are P(all | evidence) (Dechter 1999, bucket elimination; Lauritzen 2003). So
the result is another Bayes net over the ancestors of the observed nodes; all other nodes keep their tables.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from deciban.errors import TooLargeError
from deciban.limits import in_bytes, memory_limit
from deciban.nets.inference.evidence import Findings
from deciban.nets.inference.queries import refuse_impossible
from deciban.nets.inference.trees.elimination import Step, eliminate
from deciban.nets.inference.trees.factor import aligned
from deciban.nets.inference.trees.order import Plan, fits, plan
from deciban.nets.inference.trees.pruning import needed_factors, needed_nodes
from deciban.nets.network import Network
from deciban.nets.sampling.flat import FlatNet
from deciban.types import Floats

__all__ = ["conditioned"]


def conditioned(network: Network, evidence: Mapping[int, int], limit: int | None) -> FlatNet:
    """The net given the observed codes; its tables may take ``limit`` bytes, or the memory limit."""
    findings = Findings(evidence)
    factors = needed_factors(network, 0, findings)
    scopes = [factor.scope for factor in factors]
    elimination = plan(scopes, network.cards, {node for scope in scopes for node in scope})
    _check_limit(network, elimination, limit)
    result = eliminate(factors, elimination.order)
    if not result.rest.table[0] > 0:
        refuse_impossible(network, findings)
    families, tables = list(network.families), list(network.factors)
    for node in evidence:
        families[node], tables[node] = (node,), np.full(network.cards[node], 1 / network.cards[node])
    for step in result.steps:
        families[step.node], tables[step.node] = _conditional(step)
    ancestors = needed_nodes(network, findings.observed)
    indices = map(network.dag.index, network.dag.topological_order())
    others = [index for index in indices if not ancestors >> index & 1]
    return FlatNet.of(network.cards, families, [*evidence, *reversed(elimination.order), *others], tables)


def _conditional(step: Step) -> tuple[tuple[int, ...], Floats]:
    """The family and table of a node given those eliminated later; uniform if no state is possible."""
    scope, product = step.product
    sums = aligned(step.message, scope)
    axis = scope.index(step.node)
    uniform = np.full(product.shape, 1 / product.shape[axis + 1])
    table = np.divide(product, sums, out=uniform, where=sums > 0)
    return (*scope[:axis], *scope[axis + 1 :], step.node), np.moveaxis(table[0], axis, -1)


def _check_limit(network: Network, elimination: Plan, limit: int | None) -> None:
    if not fits(elimination.cells, limit):
        cost, available = elimination.cost(network.nodes), in_bytes(memory_limit(limit))
        raise TooLargeError(
            f"drawing rows exactly given this evidence needs {cost}, above the limit of {available}. Use "
            "sample_weighted or sample_gibbs, or a larger limit."
        )
