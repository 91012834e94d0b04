"""Whether x ⊥ y | z holds in the distribution that a net describes.

    x ⊥ y | z  ⟺  P(x, y, z) · P(z) = P(x, z) · P(y, z)  for all states

If the graph d-separates them it holds whatever the tables are; if not, the numbers may still cancel.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from deciban.nets.graphs.base import Node
from deciban.nets.graphs.bits import bits
from deciban.nets.graphs.separation import d_separated, separation_masks
from deciban.nets.inference.evidence import Findings
from deciban.nets.inference.queries import joint
from deciban.nets.network import Network

__all__ = ["is_independent"]

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
