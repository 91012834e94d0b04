"""Exact probabilities from a Bayes net's tables: the other variables are summed out one after another.

  P(a) = Σ_rest Π P(v | parents)

What is no ancestor of a sums to 1 and is left out; of the rest, always the variable whose sum is smallest comes next.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from deciban.errors import TooLargeError
from deciban.nets.base import Node
from deciban.nets.bits import bits, reach
from deciban.nets.network import Network
from deciban.types import Floats

__all__ = ["MOST_CELLS", "marginal"]

MOST_CELLS = 1 << 27
"""The largest table that is made: a gigabyte."""

_Factor = tuple[tuple[int, ...], Floats]


def marginal(network: Network, nodes: Sequence[Node]) -> Floats:
    """P(nodes), with an axis for each."""
    places = tuple(network.dag.index(node) for node in nodes)
    kept = network.dag.mask(list(nodes))
    inside = kept | reach(network.dag.parent_masks, kept)
    factors: list[_Factor] = [(network.families[node], network.factors[node]) for node in bits(inside)]
    waiting = set(bits(inside & ~kept))
    while waiting:
        costs = {node: prod(network.cards[one] for one in _scope(factors, node)) for node in waiting}
        node = min(waiting, key=lambda one: (costs[one], one))
        touched = [factor for factor in factors if node in factor[0]]
        scope = tuple(sorted(_scope(factors, node) - {node}))
        factors = [factor for factor in factors if node not in factor[0]] + [_contract(network, touched, scope)]
        waiting.discard(node)
    return _contract(network, factors, places)[1]


def _scope(factors: Sequence[_Factor], node: int) -> set[int]:
    return {one for axes, _ in factors if node in axes for one in axes}


def _contract(network: Network, factors: Sequence[_Factor], out: tuple[int, ...]) -> _Factor:
    """The product of factors, summed over all axes but ``out``."""
    axes = sorted({one for scope, _ in factors for one in scope} | set(out))
    cells = prod(network.cards[one] for one in axes)
    if cells > MOST_CELLS:
        raise TooLargeError(f"a table of {len(axes)} variables would have {cells:,} cells; at most {MOST_CELLS:,} fit")
    if not factors:
        return out, np.ones(())
    letter = {one: place for place, one in enumerate(axes)}
    operands: list[Any] = []
    for scope, values in factors:
        operands += [values, [letter[one] for one in scope]]
    return out, np.asarray(np.einsum(*operands, [letter[one] for one in out], optimize="greedy"))
