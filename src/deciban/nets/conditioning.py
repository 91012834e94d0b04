"""The net that holds once some nodes have been observed, so that rows can be drawn from it exactly.

Eliminating a node v multiplies the tables in which it stands and sums it out. The product, divided by the sum, is

    P(v | the other nodes of that product, evidence)

and these, multiplied in the reverse order, are P(all | evidence) (Dechter 1999, bucket elimination; Lauritzen 2003). So
the evidence gives another Bayes net, over the ancestors of what was observed; what is not above any observed node keeps
its own table.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import reduce

import numpy as np

from deciban.errors import ImpossibleEvidenceError, TooLargeError
from deciban.nets.bits import bits, mask_of, reach
from deciban.nets.flat import FlatNet
from deciban.nets.network import Network
from deciban.types import Floats

__all__ = ["conditioned"]

_Factor = tuple[tuple[int, ...], Floats]
_BYTES = 8


def conditioned(network: Network, evidence: Mapping[int, int], limit: int) -> FlatNet:
    """The net given what was observed; its tables may take ``limit`` bytes."""
    observed = mask_of(evidence)
    above = reach(network.dag.parent_masks, observed) | observed
    factors = [_sliced(network.families[node], network.factors[node], evidence) for node in bits(above)]
    order = _elimination([set(axes) for axes, _ in factors], network.cards, limit)
    families = [tuple(family) for family in network.families]
    tables = list(network.factors)
    for node in evidence:
        families[node], tables[node] = (node,), np.full(network.cards[node], 1 / network.cards[node])
    for node in order:
        bucket = [factor for factor in factors if node in factor[0]]
        factors = [factor for factor in factors if node not in factor[0]]
        families[node], tables[node], message = _eliminated(node, bucket)
        factors.append(message)
    if any(float(values) <= 0 for _, values in factors):
        raise _impossible()
    below = [
        network.dag.index(node) for node in network.dag.topological_order() if not above >> network.dag.index(node) & 1
    ]
    return FlatNet.of(network.cards, families, [*evidence, *reversed(order), *below], tables)


def _sliced(family: Sequence[int], table: Floats, evidence: Mapping[int, int]) -> _Factor:
    """A table with the observed states put in."""
    values = table[tuple(evidence.get(node, slice(None)) for node in family)]
    return tuple(node for node in family if node not in evidence), np.asarray(values)


def _elimination(scopes: list[set[int]], cards: Sequence[int], limit: int) -> list[int]:
    """An order that takes the node with the smallest product first; an error where the tables would be too large."""
    beside: dict[int, set[int]] = {}
    for scope in scopes:
        for node in scope:
            beside.setdefault(node, set()).update(scope - {node})
    sizes = {node: _cells(node, beside, cards) for node in beside}
    order, whole = [], 0
    while sizes:
        node = min(sizes, key=lambda place: (sizes[place], place))
        whole += sizes.pop(node) * _BYTES
        if whole > limit:
            raise TooLargeError(
                f"drawing rows exactly given this evidence needs more than {whole / 2**20:,.0f} MB of tables, above "
                f"the limit of {limit / 2**20:,.0f} MB. Use sample_weighted or sample_gibbs, or a larger limit."
            )
        around = beside.pop(node)
        for other in around:
            beside[other] = (beside[other] | around) - {node, other}
        sizes.update((other, _cells(other, beside, cards)) for other in around)
        order.append(node)
    return order


def _cells(node: int, beside: Mapping[int, set[int]], cards: Sequence[int]) -> int:
    return math.prod(cards[other] for other in beside[node]) * cards[node]


def _eliminated(node: int, bucket: Sequence[_Factor]) -> tuple[tuple[int, ...], Floats, _Factor]:
    """The family and table of a node given those eliminated later, and what is left for them."""
    axes = (*sorted({axis for scope, _ in bucket for axis in scope} - {node}), node)
    product = reduce(np.multiply, (_spread(factor, axes) for factor in bucket))
    largest = product.max()
    if not largest > 0:
        raise _impossible()
    product = product / largest
    sums = product.sum(axis=-1)
    is_possible = sums[..., None] > 0
    table = np.where(is_possible, product / np.where(is_possible, sums[..., None], 1.0), 1 / product.shape[-1])
    return axes, table, (axes[:-1], sums)


def _spread(factor: _Factor, axes: Sequence[int]) -> Floats:
    """A factor with an axis for each of some nodes, of length 1 where it does not depend on one."""
    scope, values = factor
    turned = values.transpose([scope.index(axis) for axis in axes if axis in scope])
    sizes = iter(turned.shape)
    return turned.reshape([next(sizes) if axis in scope else 1 for axis in axes])


def _impossible() -> ImpossibleEvidenceError:
    return ImpossibleEvidenceError("what was observed has probability 0, so no row agrees with it")
