"""Sets of nodes as integers (masks): bit i is set if node i is in the set.

Union is ``|``, intersection ``&``, difference ``& ~``; each works on sixty-four nodes and more at a time, for graphs of
any size. A directed graph is a tuple of such masks, one a node: its parents.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, pairwise

import numpy as np

from deciban.types import AnyArray, Ints

__all__ = [
    "bits",
    "components",
    "find_cycle",
    "lists_of",
    "mask_of",
    "masks_of",
    "masks_of_rows",
    "reach",
    "reordered",
    "spread",
    "topological",
    "transposed",
]


def bits(mask: int) -> Iterator[int]:
    """The members of a set, smallest first.

    >>> list(bits(0b10110))
    [1, 2, 4]
    """
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def mask_of(members: Iterable[int]) -> int:
    """The set of some members."""
    mask = 0
    for member in members:
        mask |= 1 << member
    return mask


def lists_of(masks: Iterable[int]) -> tuple[Ints, Ints]:
    """Sets as the core reads them: where the members of each begin, with the end of the last, and the members.

    >>> lists_of([0b101, 0, 0b10])
    (array([0, 2, 2, 3]), array([0, 2, 1]))
    """
    lists = [list(bits(mask)) for mask in masks]
    return np.cumsum([0, *map(len, lists)], dtype=np.int64), np.array([*chain.from_iterable(lists)], dtype=np.int64)


def masks_of(lists: tuple[Ints, Ints]) -> list[int]:
    """The sets of lists from the core."""
    members = lists[1].tolist()
    return [mask_of(members[begin:end]) for begin, end in pairwise(lists[0].tolist())]


def masks_of_rows(marks: AnyArray) -> list[int]:
    """The sets that the rows of a matrix mark."""
    return [mask_of(np.flatnonzero(row).tolist()) for row in marks]


def transposed(masks: Sequence[int]) -> list[int]:
    """Children from parents, and parents from children."""
    other = [0] * len(masks)
    for node, mask in enumerate(masks):
        for peer in bits(mask):
            other[peer] |= 1 << node
    return other


def reordered(masks: Sequence[int], order: Sequence[int]) -> list[int]:
    """The same relation with node ``order[i]`` as node i."""
    index = {old: new for new, old in enumerate(order)}
    return [mask_of(index[peer] for peer in bits(masks[old])) for old in order]


def reach(masks: Sequence[int], start: int) -> int:
    """The nodes reachable from a set in one step or more: ancestors along parents, descendants along children."""
    reached, waiting = 0, start
    while waiting:
        low = waiting & -waiting
        # Only what is new is followed, so cycles end; a start is found only where an edge leads back to it.
        fresh = masks[low.bit_length() - 1] & ~reached
        reached |= fresh
        waiting = (waiting ^ low) | fresh
    return reached


def spread(adjacent: Sequence[int] | Mapping[int, int], start: int, within: int) -> int:
    """A set and the nodes that can be reached from it through nodes of ``within``."""
    part, waiting = 0, start
    while waiting:
        low = waiting & -waiting
        part |= low
        waiting = (waiting | (adjacent[low.bit_length() - 1] & within)) & ~part
    return part


def components(adjacent: Sequence[int], within: int) -> list[int]:
    """The connected parts of the subgraph on ``within``."""
    parts = []
    while within:
        parts.append(spread(adjacent, within & -within, within))
        within &= ~parts[-1]
    return parts


def topological(parents: Sequence[int]) -> list[int]:
    """An order in which parents come first; without the nodes that are on or behind a cycle (Kahn, 1962)."""
    children = transposed(parents)
    open_parents = [mask.bit_count() for mask in parents]
    order = [node for node, count in enumerate(open_parents) if not count]
    # The list grows while it is read: it is Kahn's queue and the order in one.
    for node in order:
        for child in bits(children[node]):
            open_parents[child] -= 1
            if not open_parents[child]:
                order.append(child)
    return order


def find_cycle(parents: Sequence[int]) -> list[int]:
    """A directed cycle, each node a parent of the next and the last of the first; empty if there is none."""
    left = ((1 << len(parents)) - 1) & ~mask_of(topological(parents))
    if not left:
        return []
    # Every node that Kahn's algorithm leaves over has a parent that is left over, so going up ends in a cycle.
    walk, seen = [next(bits(left))], {}
    while walk[-1] not in seen:
        seen[walk[-1]] = len(walk) - 1
        walk.append(next(bits(parents[walk[-1]] & left)))
    return walk[seen[walk[-1]] : -1][::-1]
