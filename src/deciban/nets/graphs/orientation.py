"""Orientation rules over masks: the common arrows of an equivalence class, and its DAGs.

Two graphs imply the same independences if and only if they have the same adjacencies and the same v-structures (Verma
and Pearl, 1990). Arrows of v-structures are therefore fixed; Meek (1995) gives four rules for the arrows that follow
from them and from background knowledge; Dor and Tarsi (1992) extend a partially directed graph to a DAG.

A partially directed graph is two lists of masks: ``parents`` and ``neighbours`` (across undirected edges).

**Hidden common causes.** Zhang (2008) gives ten rules and proves that they are complete. Without selection bias rules 5
to 7 never apply. The others are, for nodes a, b, c with * for any mark:

    R1    a *→ b o—* c, a and c not adjacent                      b → c: otherwise b would be a collider
    R2    a → b *→ c or a *→ b → c, and a *—o c                   a *→ c: otherwise there would be a cycle
    R3    a *→ b ←* c, a *—o d o—* c, d *—o b, a, c not adjacent  d *→ b: otherwise there would be a cycle
    R4    a discriminating path for b, and b o—* c                b → c if b is in the separating set, else b ↔ c
    R8    a → b → c and a o→ c                                    a → c: a is a cause of c through b
    R9    a o→ c, an uncovered possible path from a to c          a → c: the path or the edge is directed
    R10   a o→ c, two such paths to two parents of c              a → c: one of the two paths is directed

Each rule reads the marks as they were before it was applied, so the result does not depend on the order of the nodes. A
mark for which rules contradict each other stays a circle and is reported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

from deciban.nets.graphs.bits import bits, reach, transposed

__all__ = [
    "RULES",
    "Marks",
    "beyond",
    "class_of",
    "close",
    "close_marks",
    "collider_parents",
    "contradictions",
    "extend",
    "extensions",
]

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


RULES = {
    "R1": "otherwise it would be a collider, which contradicts the separating sets",
    "R2": "otherwise there would be a cycle",
    "R3": "otherwise there would be a cycle, or a collider that contradicts the separating sets",
    "R4": "a discriminating path shows whether it is a collider",
    "R8": "one is a cause of the other through a third",
    "R9": "a longer path is directed, whatever its circles are",
    "R10": "one of two paths is directed, whatever their circles are",
}


class _Demand(NamedTuple):
    """The mark that the edge between a and b must have at b."""

    a: int
    b: int
    is_head: bool
    rule: str


Judge = Callable[[int, int, int, int], bool | None]
"""Whether, on a discriminating path d … a, b, c, the node b is a collider; None if it is unknown."""


@dataclass
class Marks:
    """The marks so far: for each node its neighbours, and those whose edge has an arrowhead, or a tail, at the node."""

    adjacent: list[int]
    heads: list[int]
    tails: list[int]
    reasons: dict[tuple[int, int], str]
    disputes: dict[tuple[int, int], str]
    open_triples: set[tuple[int, int, int]]

    @classmethod
    def none(cls, adjacent: Sequence[int], open_triples: Iterable[tuple[int, int, int]] = ()) -> Marks:
        """All marks are circles. For `open_triples` (a, b, c), a < c, it is unknown whether b is a collider."""
        count = len(adjacent)
        return cls(list(adjacent), [0] * count, [0] * count, {}, {}, set(open_triples))

    def circles(self, node: int) -> int:
        """The nodes whose edge has a circle at this node."""
        return self.adjacent[node] & ~self.heads[node] & ~self.tails[node]

    def apart(self, node: int) -> int:
        """The other nodes that are not adjacent to this one."""
        return ~self.adjacent[node] & ~(1 << node)

    def is_open(self, a: int, b: int, c: int) -> bool:
        """Whether it is unknown if b is a collider between the non-adjacent a and c."""
        return (min(a, c), b, max(a, c)) in self.open_triples

    def put(self, a: int, b: int, is_head: bool, reason: str) -> bool:
        """Set the mark at b of the edge a — b. False if it was already set."""
        if not self.circles(b) >> a & 1:
            return False
        (self.heads if is_head else self.tails)[b] |= 1 << a
        self.reasons[a, b] = reason
        return True

    @property
    def based(self) -> list[int]:
        """For each node those whose edge to it has a tail at their own end."""
        return transposed(self.tails)

    @property
    def parents(self) -> list[int]:
        """For each node those with an arrow to it."""
        return [head & base for head, base in zip(self.heads, self.based, strict=True)]


def close_marks(marks: Marks, judge: Judge) -> None:
    """Apply the rules until no mark changes."""
    # R1 to R3 look at triples, R4, R9 and R10 follow paths: the cheap ones come first.
    rules: list[Callable[[Marks], Iterator[_Demand]]] = [_rule_1, _rule_2, _rule_3]
    rules += [lambda known: _rule_4(known, judge), _rule_8, _rules_9_and_10]
    changed = True
    while changed:
        changed = False
        for rule in rules:
            changed |= _meet(marks, list(rule(marks)))


def _meet(marks: Marks, demands: list[_Demand]) -> bool:
    """Set the required marks; contradictory ones are recorded in ``disputes``."""
    required: dict[tuple[int, int], set[bool]] = {}
    for a, b, is_head, _ in demands:
        required.setdefault((a, b), set()).add(is_head)
    changed = False
    for a, b, is_head, rule in demands:
        known = not marks.circles(b) >> a & 1
        # In a sample, rules may contradict each other: the mark stays a circle, so that no rule builds on it.
        if len(required[a, b]) > 1 or (known and is_head != bool(marks.heads[b] >> a & 1)):
            marks.disputes.setdefault((a, b), rule)
        elif (a, b) not in marks.disputes:
            changed |= marks.put(a, b, is_head, rule)
    return changed


def _rule_1(m: Marks) -> Iterator[_Demand]:
    for b, heads in enumerate(m.heads):
        for c in bits(m.circles(b) if heads else 0):
            if any(not m.is_open(a, b, c) for a in bits(heads & m.apart(c))):
                # Both marks at once: the tail at b, and as there is no selection bias, the arrowhead at c.
                yield _Demand(c, b, False, "R1")
                yield _Demand(b, c, True, "R1")


def _rule_2(m: Marks) -> Iterator[_Demand]:
    pointed, parents = transposed(m.heads), m.parents
    children = transposed(parents)
    for c, heads in enumerate(m.heads):
        for a in bits(m.circles(c)):
            if children[a] & heads or pointed[a] & parents[c]:
                yield _Demand(a, c, True, "R2")


def _rule_3(m: Marks) -> Iterator[_Demand]:
    for b, heads in enumerate(m.heads):
        for d in bits(m.circles(b) if heads else 0):
            both = heads & m.circles(d)
            if any(not m.is_open(a, d, c) for a in bits(both) for c in bits(both & m.apart(a))):
                yield _Demand(d, b, True, "R3")


def _rule_4(m: Marks, judge: Judge) -> Iterator[_Demand]:
    parents, pointed = m.parents, transposed(m.heads)
    for b in range(len(parents)):
        for c in bits(m.circles(b)):
            for a in bits(parents[c] & pointed[b]):
                for d in bits(beyond(m.heads, parents[c], m.apart(c), a, 1 << b)):
                    is_collider = judge(d, a, b, c)
                    if is_collider is None:
                        continue
                    yield _Demand(c, b, is_collider, "R4")
                    yield _Demand(b, c, True, "R4")
                    if is_collider:
                        yield _Demand(a, b, True, "R4")


def beyond(heads: Sequence[int], parents: int, apart: int, start: int, shut: int) -> int:
    """The nodes of ``apart`` with a path into ``start`` on which all inner nodes are colliders in ``parents``.

    With the parents of c, and the nodes not adjacent to c, these are the ends of the discriminating paths for the node
    after ``start``; they also make the arrow start → c visible (Zhang 2008).
    """
    ends, visited, waiting = 0, 1 << start | shut, [start]
    for node in waiting:
        ends |= heads[node] & apart & ~shut
        for peer in bits(heads[node] & parents & ~visited):
            if heads[peer] >> node & 1:
                visited |= 1 << peer
                waiting.append(peer)
    return ends


def _rule_8(m: Marks) -> Iterator[_Demand]:
    parents, based = m.parents, m.based
    for c, heads in enumerate(m.heads):
        for a in bits(heads):
            # Zhang's second case, a —o b → c, occurs only with selection bias.
            if m.circles(a) >> c & 1 and m.tails[a] & ~based[a] & parents[c]:
                yield _Demand(c, a, False, "R8")


def _rules_9_and_10(m: Marks) -> Iterator[_Demand]:
    parents, pointed, based = m.parents, transposed(m.heads), m.based
    # Possible paths: an edge is followed where it has no arrowhead at this node and no tail at the next.
    onward = [near & ~m.heads[node] & ~based[node] for node, near in enumerate(m.adjacent)]
    for a in range(len(parents)):
        half = m.circles(a) & pointed[a]
        if not half:
            continue
        ends = {first: _uncovered(m, onward, a, first) for first in bits(onward[a])}
        for c in bits(half):
            # R9: an uncovered possible path to c whose first node is not adjacent to c.
            if any(ends[first] >> c & 1 for first in ends if m.apart(c) >> first & 1):
                yield _Demand(c, a, False, "R9")
                continue
            # R10: such paths to two parents of c, by first nodes that are not adjacent; each may be the parent.
            firsts = [first for first in ends if first != c and ends[first] & parents[c]]
            if any(m.apart(p) >> q & 1 and not m.is_open(p, a, q) for p, q in combinations(firsts, 2)):
                yield _Demand(c, a, False, "R10")


def _uncovered(m: Marks, onward: Sequence[int], start: int, first: int) -> int:
    """The ends of the uncovered possible paths that begin with start, first.

    Walks are enough: the rules also hold for walks, because tails propagate along them.
    """
    ends, waiting = 1 << first, [(start, first)]
    visited = set(waiting)
    for before, node in waiting:
        for after in bits(onward[node] & m.apart(before)):
            if (node, after) not in visited and not m.is_open(before, node, after):
                visited.add((node, after))
                waiting.append((node, after))
                ends |= 1 << after
    return ends


def contradictions(m: Marks) -> list[tuple[int, int]]:
    """Pairs (a, b) where arrows lead from a to b, but the edge between them has an arrowhead at a."""
    children = transposed(m.parents)
    return [(a, b) for a in range(len(children)) for b in bits(reach(children, 1 << a) & m.heads[a])]
