"""The net that holds once some nodes have been observed, so that rows can be drawn from it exactly.

Eliminating a node v multiplies the tables in which it stands and sums it out. The product, divided by the sum, is

    P(v | the other nodes of that product, evidence)

and these, multiplied in the reverse order, are P(all | evidence) (Dechter 1999, bucket elimination; Lauritzen 2003). So
the evidence gives another Bayes net, over the ancestors of what was observed; what is not above any observed node keeps
its own table.
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
    """The net given what was observed; its tables may take ``limit`` bytes, or the memory limit."""
    findings = Findings(evidence)
    factors = needed_factors(network, 0, findings)
    scopes = [factor.scope for factor in factors]
    laid = plan(scopes, network.cards, {node for scope in scopes for node in scope})
    _check_limit(network, laid, limit)
    passed = eliminate(factors, laid.order)
    if not passed.rest.table[0] > 0:
        refuse_impossible(network, findings)
    families, tables = list(network.families), list(network.factors)
    for node in evidence:
        families[node], tables[node] = (node,), np.full(network.cards[node], 1 / network.cards[node])
    for step in passed.steps:
        families[step.node], tables[step.node] = _conditional(step)
    above = needed_nodes(network, findings.observed)
    places = map(network.dag.index, network.dag.topological_order())
    below = [place for place in places if not above >> place & 1]
    return FlatNet.of(network.cards, families, [*evidence, *reversed(laid.order), *below], tables)


def _conditional(step: Step) -> tuple[tuple[int, ...], Floats]:
    """The family and table of a node given those eliminated later; every state is as likely where none is possible."""
    scope, product = step.product
    sums = aligned(step.message, scope)
    axis = scope.index(step.node)
    even = np.full(product.shape, 1 / product.shape[axis + 1])
    table = np.divide(product, sums, out=even, where=sums > 0)
    return (*scope[:axis], *scope[axis + 1 :], step.node), np.moveaxis(table[0], axis, -1)


def _check_limit(network: Network, laid: Plan, limit: int | None) -> None:
    if not fits(laid.cells, limit):
        cost, most = laid.cost(network.nodes), in_bytes(memory_limit(limit))
        raise TooLargeError(
            f"drawing rows exactly given this evidence needs {cost}, above the limit of {most}. Use sample_weighted or "
            "sample_gibbs, or a larger limit."
        )
