"""Zhang's orientation rules for graphs with hidden common causes, over masks.

Zhang (2008) gives ten rules and shows that nothing else follows. Without selection (nobody was asked because of an
answer) the rules 5 to 7 have nothing to do; the others are, for nodes a, b, c with * for any mark:

    R1    a *→ b o—* c, a and c apart                             b → c: else b were a common effect
    R2    a → b *→ c or a *→ b → c, and a *—o c                   a *→ c: else there were a cycle
    R3    a *→ b ←* c, a *—o d o—* c, a and c apart, d *—o b      d *→ b: else there were a cycle
    R4    a path that discriminates for b, and b o—* c            b → c where b is needed to separate, else b ↔ c
    R8    a → b → c and a o→ c                                    a → c: a is a cause of c by way of b
    R9    a o→ c, an uncovered possible path from a to c          a → c: either the path leads there, or the edge
    R10   a o→ c, two such paths to two parents of c              a → c: one of the two leads there

Each rule looks at the marks as they were when its turn came, so the order of nodes changes nothing. An end for which
rules ask two marks stays open, and is told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

from deciban.nets.graphs.bits import bits, reach, transposed

__all__ = ["RULES", "Marks", "beyond", "close_marks", "contradictions"]

RULES = {
    "R1": "otherwise it were a common effect, which the separating sets deny",
    "R2": "otherwise there were a cycle",
    "R3": "otherwise there were a cycle or a common effect that the separating sets deny",
    "R4": "a longer path, whose inner nodes are all causes of one end, tells whether it is a common effect",
    "R8": "one leads to the other by way of a third",
    "R9": "a longer path leads there, whatever its open marks are",
    "R10": "one of two paths leads there, whatever their open marks are",
}


class _Demand(NamedTuple):
    """The mark that the edge between a and b must have at b."""

    a: int
    b: int
    is_head: bool
    rule: str


Judge = Callable[[int, int, int, int], bool | None]
"""Whether, on a discriminating path d … a, b, c, the node b is a collider; None if it is not known."""


@dataclass
class Marks:
    """Marks so far: of each node the adjacent ones, and those whose edge has an arrowhead, or a tail, at the node."""

    adjacent: list[int]
    heads: list[int]
    tails: list[int]
    reasons: dict[tuple[int, int], str]
    disputes: dict[tuple[int, int], str]
    open_triples: set[tuple[int, int, int]]

    @classmethod
    def none(cls, adjacent: Sequence[int], open_triples: Iterable[tuple[int, int, int]] = ()) -> Marks:
        """All circles. Of `open_triples` (a, b, c), a < c, it is not known whether b is a collider."""
        count = len(adjacent)
        return cls(list(adjacent), [0] * count, [0] * count, {}, {}, set(open_triples))

    def circles(self, node: int) -> int:
        """The nodes whose edge has a circle at this node."""
        return self.adjacent[node] & ~self.heads[node] & ~self.tails[node]

    def apart(self, node: int) -> int:
        """The other nodes that are not adjacent to this one."""
        return ~self.adjacent[node] & ~(1 << node)

    def is_open(self, a: int, b: int, c: int) -> bool:
        """Whether it is not known if b is a collider between a and c, which are not adjacent."""
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
    """Apply the rules until nothing changes."""
    rules: list[Callable[[Marks], Iterator[_Demand]]] = [_rule_1, _rule_2, _rule_3]
    rules += [lambda known: _rule_4(known, judge), _rule_8, _rules_9_and_10]
    changed = True
    while changed:
        changed = False
        for rule in rules:
            changed |= _meet(marks, list(rule(marks)))


def _meet(marks: Marks, demands: list[_Demand]) -> bool:
    """Set the required marks; contradictions are recorded as disputes."""
    wanted: dict[tuple[int, int], set[bool]] = {}
    for a, b, is_head, _ in demands:
        wanted.setdefault((a, b), set()).add(is_head)
    changed = False
    for a, b, is_head, rule in demands:
        known = not marks.circles(b) >> a & 1
        if len(wanted[a, b]) > 1 or (known and is_head != bool(marks.heads[b] >> a & 1)):
            marks.disputes.setdefault((a, b), rule)
        elif (a, b) not in marks.disputes:
            changed |= marks.put(a, b, is_head, rule)
    return changed


def _rule_1(m: Marks) -> Iterator[_Demand]:
    for b, heads in enumerate(m.heads):
        for c in bits(m.circles(b) if heads else 0):
            if any(not m.is_open(a, b, c) for a in bits(heads & m.apart(c))):
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
    """The nodes of ``apart`` from which a path leads to ``start`` and into it, through colliders in ``parents`` only.

    With the parents of c, and what is not adjacent to c, these are the far ends of the paths that discriminate for the
    node after ``start``; they also make the arrow start → c visible (Zhang 2008).
    """
    found, seen, waiting = 0, 1 << start | shut, [start]
    for node in waiting:
        found |= heads[node] & apart & ~shut
        for peer in bits(heads[node] & parents & ~seen):
            if heads[peer] >> node & 1:
                seen |= 1 << peer
                waiting.append(peer)
    return found


def _rule_8(m: Marks) -> Iterator[_Demand]:
    parents, based = m.parents, m.based
    for c, heads in enumerate(m.heads):
        for a in bits(heads):
            if m.circles(a) >> c & 1 and m.tails[a] & ~based[a] & parents[c]:
                yield _Demand(c, a, False, "R8")


def _rules_9_and_10(m: Marks) -> Iterator[_Demand]:
    parents, pointed, based = m.parents, transposed(m.heads), m.based
    onward = [near & ~m.heads[node] & ~based[node] for node, near in enumerate(m.adjacent)]
    for a in range(len(parents)):
        half = m.circles(a) & pointed[a]
        if not half:
            continue
        ends = {first: _uncovered(m, onward, a, first) for first in bits(onward[a])}
        for c in bits(half):
            if any(ends[first] >> c & 1 for first in ends if m.apart(c) >> first & 1):
                yield _Demand(c, a, False, "R9")
                continue
            firsts = [first for first in ends if first != c and ends[first] & parents[c]]
            if any(m.apart(p) >> q & 1 and not m.is_open(p, a, q) for p, q in combinations(firsts, 2)):
                yield _Demand(c, a, False, "R10")


def _uncovered(m: Marks, onward: Sequence[int], start: int, first: int) -> int:
    """Where possible paths from start by way of first lead on which nodes two steps apart are not adjacent.

    Walks do as well as paths: the rules follow from tails that run along them.
    """
    found, waiting = 1 << first, [(start, first)]
    seen = set(waiting)
    for before, node in waiting:
        for after in bits(onward[node] & m.apart(before)):
            if (node, after) not in seen and not m.is_open(before, node, after):
                seen.add((node, after))
                waiting.append((node, after))
                found |= 1 << after
    return found


def contradictions(m: Marks) -> list[tuple[int, int]]:
    """Pairs (a, b) where arrows lead from a to b, but the edge between them has an arrowhead at a."""
    children = transposed(m.parents)
    return [(a, b) for a in range(len(children)) for b in bits(reach(children, 1 << a) & m.heads[a])]
