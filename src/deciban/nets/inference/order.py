"""In which order nodes are eliminated, and what that costs, known before any memory is taken.

Summing out a node multiplies all factors that hold it: the product has an axis for each node that stands beside it in
one of them. The cost is the sum of the sizes of these products. The best order is hard to find (Arnborg, Corneil and
Proskurowski, 1987); *min-fill* eliminates next the node that adds the fewest new neighbours, of equals the one with the
smallest product, which is seldom far off (Kjærulff, 1990).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod

from deciban.errors import TooLargeError
from deciban.nets.bits import bits, mask_of

__all__ = ["MEMORY", "Cost", "Plan", "check_size", "fits", "plan"]

MEMORY = 2 << 30
"""Bytes that the products of one elimination may take together where every one is kept, or the largest where not."""


@dataclass(frozen=True)
class Cost:
    """What an answer takes: products of tables, the entries of the largest and of all, and bytes."""

    cliques: int
    largest: int
    cells: int

    @property
    def bytes(self) -> int:
        """Bytes of all products together."""
        return 8 * self.cells

    def __str__(self) -> str:
        sizes = f"the largest of {self.largest:,} entries, {self.cells:,} in all ({_size(self.bytes)})"
        return f"{self.cliques} products, {sizes}"


@dataclass(frozen=True)
class Plan:
    """Nodes in the order of their elimination, and its cost; ``left`` is the size of what is not eliminated."""

    order: tuple[int, ...]
    cost: Cost
    left: int

    @property
    def peak(self) -> int:
        """The entries of the largest table on the way."""
        return max(self.cost.largest, self.left)


def plan(scopes: Iterable[Sequence[int]], cards: Sequence[int], *groups: Iterable[int]) -> Plan:
    """Order the nodes of each group by min-fill, all of a group before the next; nodes in no group are kept.

    The last few hundred plans are remembered, for questions that differ only in the states of what was observed.

    >>> plan([(0,), (0, 1), (1, 2)], (2, 2, 2), [0, 1])
    Plan(order=(0, 1), cost=Cost(cliques=2, largest=4, cells=8), left=2)
    """
    return _plan(tuple(map(tuple, scopes)), tuple(cards), tuple(tuple(sorted(group)) for group in groups))


@lru_cache(maxsize=256)
def _plan(scopes: tuple[tuple[int, ...], ...], cards: tuple[int, ...], groups: tuple[tuple[int, ...], ...]) -> Plan:
    beside = _adjacency(scopes)
    order, sizes = [], []
    for group in groups:
        waiting = {node: _rank(node, beside, cards) for node in group}
        while waiting:
            node = min(waiting, key=lambda place: (waiting[place], place))
            del waiting[node]
            order.append(node)
            sizes.append(cards[node] * prod(cards[other] for other in bits(beside[node])))
            for changed in bits(_eliminate(node, beside)):
                if changed in waiting:
                    waiting[changed] = _rank(changed, beside, cards)
    cost = Cost(len(sizes), max(sizes, default=1), sum(sizes))
    return Plan(tuple(order), cost, prod(cards[node] for node in beside))


def fits(cells: int, limit: int | None = None) -> bool:
    """Whether so many table entries are within the memory allowed."""
    return 8 * cells <= (MEMORY if limit is None else limit)


def check_size(cells: int, what: str, limit: int | None = None) -> None:
    """Refuse what would need more memory than allowed."""
    if not fits(cells, limit):
        limit = MEMORY if limit is None else limit
        raise TooLargeError(
            f"{what} needs {cells:,} table entries, {_size(8 * cells)}, and {_size(limit)} are allowed. "
            "Ask for fewer nodes at once, or give more evidence, which makes tables smaller."
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


def _size(count: int) -> str:
    """Bytes for people.

    >>> _size(3 << 30), _size(100), _size(1 << 200)
    ('3.0 GiB', '100 bytes', '1.4e+42 EiB')
    """
    if count < 1024:
        return f"{count} bytes"
    step = min((count.bit_length() - 1) // 10, 6)
    shown = count / (1 << 10 * step)
    return f"{shown:.1f} {'KMGTPE'[step - 1]}iB" if shown < 1e6 else f"{shown:.1e} EiB"
