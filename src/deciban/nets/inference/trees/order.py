"""Elimination orders and their cost, known before any memory is allocated.

Summing out a node multiplies all factors that contain it: the product has an axis for each node that shares a factor
with it. The cost is the sum of the sizes of these products. The best order is hard to find (Arnborg, Corneil and
Proskurowski, 1987); *min-fill* eliminates next the node that adds the fewest new neighbours, of ties the one with the
smallest product, which is usually close to the best (Kjærulff, 1990).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod

from deciban.errors import TooLargeError
from deciban.limits import VARIABLE, in_bytes, memory_limit
from deciban.nets.graphs.base import Node
from deciban.nets.graphs.bits import bits, mask_of
from deciban.nets.inference.trees.cost import CELL, Cost

__all__ = ["Plan", "check_size", "fits", "plan"]

_TABLES = 2
"""A product is made from another table of up to its size."""


@dataclass(frozen=True)
class Plan:
    """Nodes in the order of their elimination, and the cost; ``left`` is the size of the remaining table.

    ``largest`` and ``cells`` are the entries of the largest product and of all, ``widest`` the nodes of the largest.
    """

    order: tuple[int, ...]
    largest: int
    cells: int
    left: int
    widest: tuple[int, ...]

    @property
    def peak(self) -> int:
        """The entries of the largest table."""
        return max(self.largest, self.left)

    def cost(self, nodes: Sequence[Node]) -> Cost:
        """The cost, with the names of the nodes."""
        names = tuple(nodes[index] for index in self.widest)
        return Cost(len(self.order), self.largest, self.cells, CELL * self.cells, names)


def plan(scopes: Iterable[Sequence[int]], cards: Sequence[int], *groups: Iterable[int]) -> Plan:
    """Order the nodes of each group by min-fill, all of a group before the next; nodes in no group are kept.

    The last few hundred plans are cached, for queries that differ only in the observed states.

    >>> plan([(0,), (0, 1), (1, 2)], (2, 2, 2), [0, 1])
    Plan(order=(0, 1), largest=4, cells=8, left=2, widest=(0, 1))
    """
    return _plan(tuple(map(tuple, scopes)), tuple(cards), tuple(tuple(sorted(group)) for group in groups))


@lru_cache(maxsize=256)
def _plan(scopes: tuple[tuple[int, ...], ...], cards: tuple[int, ...], groups: tuple[tuple[int, ...], ...]) -> Plan:
    beside = _adjacency(scopes)
    order: list[int] = []
    largest, cells, widest = 1, 0, 0
    for group in groups:
        waiting = {node: _rank(node, beside, cards) for node in group}
        while waiting:
            node = min(waiting, key=lambda index: (waiting[index], index))
            del waiting[node]
            order.append(node)
            inside = beside.get(node, 0) | 1 << node
            size = prod(cards[other] for other in bits(inside))
            cells += size
            if size > largest or not widest:
                largest, widest = size, inside
            for changed in bits(_eliminate(node, beside)):
                if changed in waiting:
                    waiting[changed] = _rank(changed, beside, cards)
    return Plan(tuple(order), largest, cells, prod(cards[node] for node in beside), tuple(bits(widest)))


def fits(cells: int, limit: int | None = None) -> bool:
    """Whether so many table entries are within ``limit`` bytes, or within the memory limit."""
    return _TABLES * CELL * cells <= memory_limit(limit)


def check_size(cells: int, what: str, limit: int | None = None) -> None:
    """Refuse what would need more memory than allowed."""
    if not fits(cells, limit):
        raise TooLargeError(
            f"{what} needs {cells:,} table entries, {in_bytes(_TABLES * CELL * cells)}, and the limit is "
            f"{in_bytes(memory_limit(limit))}{'' if limit else f' (environment variable {VARIABLE})'}. Ask for fewer "
            "nodes at once, or give more evidence, which makes tables smaller."
        )


def _adjacency(scopes: Iterable[Sequence[int]]) -> dict[int, int]:
    beside: dict[int, int] = {}
    for scope in scopes:
        whole = mask_of(scope)
        for node in scope:
            beside[node] = (beside.get(node, 0) | whole) & ~(1 << node)
    return beside


def _rank(node: int, beside: Mapping[int, int], cards: Sequence[int]) -> tuple[int, int]:
    """Twice the number of pairs of neighbours that are not joined, and the size of the product."""
    around = beside.get(node, 0)
    missing, size = 0, cards[node]
    for other in bits(around):
        missing += (around & ~beside[other]).bit_count() - 1
        size *= cards[other]
    return missing, size


def _eliminate(node: int, beside: dict[int, int]) -> int:
    """Join the neighbours of a node and take it out; give the nodes whose rank that may have changed."""
    around = beside.pop(node, 0)
    changed = around
    for other in bits(around):
        fresh = around & ~beside[other] & ~(1 << other)
        if fresh:
            changed |= beside[other]
        beside[other] = (beside[other] | around) & ~(1 << other) & ~(1 << node)
    return changed & ~(1 << node)
