"""Orientation rules over masks: the common arrows of an equivalence class, and its DAGs.

Two graphs imply the same independences if and only if they have the same adjacencies and the same v-structures (Verma
and Pearl, 1990). Arrows of v-structures are therefore fixed; Meek (1995) gives four rules for the arrows that follow
from them and from background knowledge; Dor and Tarsi (1992) extend a partially directed graph to a DAG.

A partially directed graph is two lists of masks: ``parents`` and ``neighbours`` (across undirected edges).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from deciban.nets.graphs.bits import bits, transposed

__all__ = ["class_of", "close", "collider_parents", "extend", "extensions"]

Masks = tuple[list[int], list[int]]


def collider_parents(parents: Sequence[int], adjacent: Sequence[int]) -> list[int]:
    """For each node, its parents that are in a v-structure: those not adjacent to another parent."""
    return [sum(1 << parent for parent in bits(mask) if mask & ~adjacent[parent] & ~(1 << parent)) for mask in parents]


def class_of(parents: Sequence[int]) -> Masks:
    """The completed graph of a DAG: the arrows that all equivalent DAGs share, the other edges undirected."""
    children = transposed(parents)
    adjacent = [up | down for up, down in zip(parents, children, strict=True)]
    # Only v-structures stay directed; Meek's rules restore the other arrows that all members share.
    fixed = collider_parents(parents, adjacent)
    fixed_children = transposed(fixed)
    free = [around & ~fixed[node] & ~fixed_children[node] for node, around in enumerate(adjacent)]
    return close(fixed, free)


def close(parents: Sequence[int], neighbours: Sequence[int]) -> Masks:
    """Apply Meek's four rules until no more edges can be directed."""
    up, free = list(parents), list(neighbours)
    down = transposed(up)
    adjacent = [a | b | c for a, b, c in zip(up, down, free, strict=True)]
    waiting = {node for node, mask in enumerate(free) if mask}
    while waiting:
        a = waiting.pop()
        for b in bits(free[a]):
            for tail, head in ((a, b), (b, a)):
                if _follows(tail, head, up, down, free, adjacent):
                    up[head] |= 1 << tail
                    down[tail] |= 1 << head
                    free[head] &= ~(1 << tail)
                    free[tail] &= ~(1 << head)
                    # A new arrow can only affect edges at its ends or, by rules 3 and 4, one edge further.
                    affected = adjacent[tail] | adjacent[head]
                    waiting.update(node for node in bits(affected) if free[node])
                    break
    return up, free


def _follows(a: int, b: int, up: list[int], down: list[int], free: list[int], adjacent: list[int]) -> bool:
    """Whether the undirected a — b must be a → b."""
    apart = ~adjacent[b] & ~(1 << b)
    # Meek (1995), rule 1: c → a, c and b not adjacent: b → a would be a v-structure. Rule 2: a → c → b: a cycle.
    if up[a] & apart or down[a] & up[b]:
        return True
    # Rule 3: a — c → b and a — d → b, c and d not adjacent: b → a would make c → a ← d, or else a cycle.
    both = free[a] & up[b]
    if any(both & ~adjacent[c] & ~(1 << c) for c in bits(both)):
        return True
    # Rule 4: d → c → b and a — d, a and c adjacent, d and b not adjacent. From v-structures alone rules 1 to 3 find
    # every arrow; this one is needed with background knowledge.
    return any(up[c] & free[a] & apart for c in bits(up[b] & adjacent[a]))


def extend(parents: Sequence[int], neighbours: Sequence[int]) -> list[int] | None:
    """The parents of a DAG with these arrows, these edges and no further v-structure; None if there is none.

    Dor and Tarsi (1992): remove a node that can be a sink (it has no children, and each of its undirected neighbours is
    adjacent to all its other adjacent nodes), direct its undirected edges to it, and repeat.
    """
    up, free = list(parents), list(neighbours)
    down = transposed(up)
    result = list(parents)
    left = (1 << len(up)) - 1
    waiting = left
    while waiting:
        low = waiting & -waiting
        node = low.bit_length() - 1
        waiting ^= low
        around = (up[node] | free[node]) & left
        if down[node] & left or not _can_be_sink(node, around, left, up, down, free):
            continue
        result[node] |= free[node] & left
        left ^= low
        # Without this node its neighbours may have become sinks; any order of removal succeeds if one does.
        waiting |= around
    return None if left else result


def _can_be_sink(node: int, around: int, left: int, up: list[int], down: list[int], free: list[int]) -> bool:
    return not any(around & ~(up[peer] | down[peer] | free[peer] | 1 << peer) for peer in bits(free[node] & left))


def extensions(parents: Sequence[int], neighbours: Sequence[int]) -> Iterator[list[int]]:
    """The parents of every DAG with these arrows, these edges and no further v-structure.

    Direct one undirected edge both ways and apply Meek's rules. The edges that remain undirected can have either
    direction, so each branch contains at least one DAG.
    """
    if extend(parents, neighbours) is None:
        return
    waiting = [close(parents, neighbours)]
    while waiting:
        up, free = waiting.pop()
        head = next((node for node, mask in enumerate(free) if mask), None)
        if head is None:
            yield up
            continue
        tail = next(bits(free[head]))
        for a, b in ((head, tail), (tail, head)):
            arrows, lines = list(up), list(free)
            arrows[b] |= 1 << a
            lines[a] &= ~(1 << b)
            lines[b] &= ~(1 << a)
            waiting.append(close(arrows, lines))
