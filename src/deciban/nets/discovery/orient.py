"""From adjacencies and judged triples to a graph that always represents a class of DAGs.

Colliders are added by decreasing strength. One that would reverse an arrow, close a cycle, or contradict a non-collider
with stronger evidence is a conflict. The partial graph is extended to a DAG without new v-structures (Dor and Tarsi
1992); if there is none, to a DAG with greedily few of them, which are conflicts, too. The result is the class of that
DAG, with the arrows that follow from knowledge by Meek's rules (1995), so it is always valid.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from deciban.errors import KnowledgeError
from deciban.nets.discovery.knowledge import Limits
from deciban.nets.discovery.triples import Judged
from deciban.nets.graphs import orientation
from deciban.nets.graphs.bits import bits, find_cycle, mask_of, reach, transposed
from deciban.nets.graphs.graph import Node
from deciban.types import AnyArray

__all__ = ["Oriented", "orient"]


@dataclass
class Oriented:
    """Parents and undirected neighbours as masks; the accepted colliders, and the conflicts with their reasons."""

    parents: list[int]
    neighbours: list[int]
    colliders: list[Judged] = field(default_factory=list)
    conflicts: list[tuple[Judged | None, str]] = field(default_factory=list)
    is_class: bool = True
    reasons: dict[tuple[int, int], str] = field(default_factory=dict)


class _Arrows:
    """The arrows set so far; the other edges of the skeleton are undirected."""

    def __init__(self, adjacent: list[int], up: list[int], names: Sequence[Node]) -> None:
        self.adjacent, self.up, self.names = adjacent, up, names
        self.down = transposed(up)

    def refuse(self, one: Judged, against: dict[tuple[int, int, int], Judged]) -> str | None:
        """Why a collider cannot be added, or None."""
        z, ends = one.z, (one.x, one.y)
        for end in ends:
            if self.down[z] >> end & 1:
                return f"{self.names[z]} → {self.names[end]} was already set on stronger evidence"
        new = [end for end in ends if not self.up[z] >> end & 1]
        if reach(self.down, 1 << z) & mask_of(new):
            return "its arrows would close a cycle"
        for end in new:
            for other in bits(self.up[z] & ~self.adjacent[end] & ~(1 << end)):
                known = against.get((min(end, other), z, max(end, other)))
                if known is not None and known.strength >= one.strength and other not in ends:
                    triple = f"{self.names[end]} → {self.names[z]} ← {self.names[other]}"
                    return f"{triple} would contradict stronger evidence"
        return None

    def add(self, one: Judged) -> None:
        for end in (one.x, one.y):
            self.up[one.z] |= 1 << end
            self.down[end] |= 1 << one.z

    @property
    def free(self) -> list[int]:
        masks = zip(self.adjacent, self.up, self.down, strict=True)
        return [beside & ~up & ~down for beside, up, down in masks]


def orient(adjacent: AnyArray, judged: Sequence[Judged], limits: Limits, names: Sequence[Node]) -> Oriented:
    """Direct all edges that colliders, knowledge and Meek's rules direct."""
    beside = [mask_of(i for i, mark in enumerate(row) if mark) for row in adjacent.tolist()]
    forced = limits.forced(adjacent)
    _forbid_cycle(forced, names)
    arrows = _Arrows(beside, list(forced), names)
    against = {(one.x, one.z, one.y): one for one in judged if one.is_collider is False}
    out = Oriented([], [])
    for one in judged:
        if one.is_collider:
            reason = arrows.refuse(one, against)
            if reason is None:
                arrows.add(one)
                out.colliders.append(one)
            else:
                out.conflicts.append((one, reason))
    dag = orientation.extend(arrows.up, arrows.free)
    if dag is None:
        dag = _extend_anyway(arrows, against, out)
    up, free = orientation.class_of(dag)
    out.parents, out.neighbours = _with_forced(up, free, forced)
    out.is_class = out.neighbours == free
    return out


def _forbid_cycle(forced: list[int], names: Sequence[Node]) -> None:
    cycle = find_cycle(forced)
    if cycle:
        shown = " → ".join(str(names[i]) for i in [*cycle, cycle[0]])
        raise KnowledgeError(
            f"with these adjacencies the knowledge forces a cycle: {shown}. Allow the reverse of one of its arrows."
        )


def _with_forced(up: list[int], free: list[int], forced: list[int]) -> tuple[list[int], list[int]]:
    """The class, restricted to the DAGs that knowledge allows; the DAG that it was made from is one of them."""
    if not any(forced[node] & free[node] for node in range(len(up))):
        return up, free
    new = [up[node] | forced[node] for node in range(len(up))]
    down = transposed(new)
    return orientation.close(new, [free[node] & ~new[node] & ~down[node] for node in range(len(up))])


def _extend_anyway(arrows: _Arrows, against: dict[tuple[int, int, int], Judged], out: Oriented) -> list[int]:
    """Remove sinks one by one; if no node can be a sink, the one whose new colliders have the weakest evidence."""
    up, free, down = list(arrows.up), arrows.free, arrows.down
    left = mask_of(range(len(up)))
    while left:
        last, cost, new = -1, float("inf"), []
        for node in bits(left):
            if down[node] & left:
                continue
            made = _made_by(node, left, arrows.adjacent, up, free)
            price = sum(against[triple].strength + 1 if triple in against else 1 for triple in made)
            if price < cost:
                last, cost, new = node, price, made
            if not made:
                break
        for triple in new:
            x, z, y = (str(arrows.names[i]) for i in triple)
            out.conflicts.append(
                (against.get(triple), f"{x} → {z} ← {y} had to be added: no DAG has these edges without it")
            )
        up[last] |= free[last] & left
        left &= ~(1 << last)
    return up


def _made_by(node: int, left: int, adjacent: list[int], up: list[int], free: list[int]) -> list[tuple[int, int, int]]:
    """The new v-structures if all undirected edges of a node point to it."""
    around = (up[node] | free[node]) & left
    made: set[tuple[int, int, int]] = set()
    for a in bits(free[node] & left):
        made.update((min(a, b), node, max(a, b)) for b in bits(around & ~adjacent[a] & ~(1 << a)))
    return sorted(made)
