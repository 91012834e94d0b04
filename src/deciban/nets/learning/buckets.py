"""Sums over the completions of a few nodes, one node at a time, for many rows at once.

A bucket holds the factors that are the first to lose one of their nodes; summing that node out leaves a message, which
goes into the bucket of the next (bucket elimination, Dechter 1999). On the way back each bucket learns what all others
say, and holds P(its nodes | row).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from deciban.types import Floats

__all__ = ["Bucket", "make_buckets", "propagate"]

_MANY = 8
"""Factors after which a product is scaled."""


@dataclass(frozen=True)
class Bucket:
    """The nodes of its table, in order, and their sizes; which node is summed out; its factors; where it sends."""

    scope: tuple[int, ...]
    sizes: tuple[int, ...]
    node: int
    held: tuple[int, ...]
    target: int | None

    @property
    def cells(self) -> int:
        return prod(self.sizes)

    def axes_without(self, nodes: Collection[int]) -> tuple[int, ...]:
        """The axes of its table, rows first, that belong to other nodes."""
        return tuple(axis for axis, node in enumerate(self.scope, start=1) if node not in nodes)

    def shape_of(self, nodes: Collection[int]) -> tuple[int, ...]:
        """How a table of some of the nodes lies in its own."""
        return tuple(size if node in nodes else 1 for node, size in zip(self.scope, self.sizes, strict=True))

    @property
    def sent(self) -> tuple[int, ...]:
        """The nodes of its message."""
        return tuple(node for node in self.scope if node != self.node)


def make_buckets(sizes: Sequence[int], scopes: Sequence[Sequence[int]]) -> tuple[Bucket, ...]:
    """Buckets for factors over some nodes, in the order in which they send; the smallest table next."""
    linked = {node: {node} for node in range(len(sizes))}
    for scope in scopes:
        for node in scope:
            linked[node].update(scope)
    order, cliques = [], []
    while linked:
        node = min(linked, key=lambda v: (prod(sizes[u] for u in linked[v]), v))
        clique = linked.pop(node)
        for other in clique - {node}:
            linked[other] |= clique
            linked[other].discard(node)
        order.append(node)
        cliques.append(clique)
    rank = {node: place for place, node in enumerate(order)}
    first = [min(rank[node] for node in scope) for scope in scopes]
    buckets = []
    for place, (node, clique) in enumerate(zip(order, cliques, strict=True)):
        target = min((rank[other] for other in clique if other != node), default=None)
        held = tuple(factor for factor, bucket in enumerate(first) if bucket == place)
        scope = tuple(sorted(clique))
        buckets.append(Bucket(scope, tuple(sizes[other] for other in scope), node, held, target))
    return tuple(buckets)


def propagate(buckets: Sequence[Bucket], factors: Sequence[Sequence[Floats]], rows: int) -> tuple[list[Floats], Floats]:
    """P(nodes of the bucket | row) for each bucket, and log Σ Π factors of each row; zeros where that is −∞."""
    potentials, messages, scale = _collect(buckets, factors, rows)
    beliefs: list[Floats] = [np.empty(0)] * len(buckets)
    for place in reversed(range(len(buckets))):
        bucket, belief = buckets[place], potentials[place]
        if bucket.target is None:
            total = belief.reshape(rows, -1).sum(axis=1)
            with np.errstate(divide="ignore"):
                scale += np.log(total)
            belief /= np.where(total > 0, total, 1.0).reshape(-1, *[1] * len(bucket.scope))
        else:
            target = buckets[bucket.target]
            known = beliefs[bucket.target].sum(axis=target.axes_without(bucket.sent)).reshape(messages[place].shape)
            belief *= np.divide(known, messages[place], out=np.zeros(known.shape), where=messages[place] > 0)
        beliefs[place] = belief
    return beliefs, scale


def _collect(
    buckets: Sequence[Bucket], factors: Sequence[Sequence[Floats]], rows: int
) -> tuple[list[Floats], list[Floats], Floats]:
    """The product in each bucket with all that was sent to it, its message, and the logarithm of what was taken out."""
    potentials = [np.ones((rows, *bucket.sizes)) for bucket in buckets]
    messages, scale = [], np.zeros(rows)
    for place, bucket in enumerate(buckets):
        potential = potentials[place]
        for number, factor in enumerate(factors[place], start=1):
            potential *= factor
            if number % _MANY == 0:
                scale += _rescale(potential)
        scale += _rescale(potential)
        message = potential.sum(axis=1 + bucket.scope.index(bucket.node), keepdims=True)
        messages.append(message)
        if bucket.target is not None:
            target = buckets[bucket.target]
            potentials[bucket.target] *= message.reshape(rows, *target.shape_of(bucket.sent))
            scale += _rescale(potentials[bucket.target])
    return potentials, messages, scale


def _rescale(potential: Floats) -> Floats:
    """Divide each row by its largest entry, as many factors multiply to nothing; gives the logarithms of those."""
    flat = potential.reshape(len(potential), -1)
    top = flat.max(axis=1)
    top[top == 0] = 1.0
    flat /= top[:, None]
    return np.log(top)
