"""From a skeleton to a graph: which triples x — z — y are colliders, and which arrows follow.

z is a collider x → z ← y where what separates x from y does not need z ("The IC algorithm", step 2). Each rule weighs
the sets around x and y in its own way:

    opening        as max_p, where only sets with z or only sets without z separate; where both do, z must open the way:
                   x and y are independent given S, the set with the largest p, and dependent given S and z
    max_p          the largest p with z in the set against the largest p without it (Ramsey 2016)
    majority       most separating sets, with or without z (Colombo and Maathuis 2014)
    conservative   all of them, or it stays open (Ramsey, Spirtes and Zhang 2006)
    first          the one set that took the edge out (Spirtes and Glymour 1991)

Where sets of both kinds separate, x and y are nearly independent whatever is given, and which p is the larger is
chance: p is uniform under independence. What makes a collider can still be seen: given z, its causes depend on each
other.

Colliders are then added by decreasing strength. One that would reverse an arrow, close a cycle, or contradict a
non-collider with stronger evidence is a conflict. The partial graph is extended to a DAG without new v-structures (Dor
and Tarsi 1992); if there is none, to a DAG with greedily few of them, which are conflicts, too. The result is the class
of that DAG, with the arrows that follow from knowledge by Meek's rules (1995), so it is always valid.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush
from typing import Literal

from deciban.errors import KnowledgeError
from deciban.nets.discovery.knowledge import Limits
from deciban.nets.discovery.separations import IndexPair, SeparatingSet
from deciban.nets.discovery.skeleton import Engine, Evidence, Pair, Skeleton
from deciban.nets.graphs import orientation
from deciban.nets.graphs.bits import bits, mask_of, masks_of_rows, reach, transposed
from deciban.nets.graphs.dag import CPDAG, PDAG
from deciban.nets.graphs.graph import Node, cycle_in_words
from deciban.nets.graphs.marked import PAG
from deciban.ties import exceeds, largest_first
from deciban.types import AnyArray

__all__ = [
    "COLLIDER_RULES",
    "ColliderRule",
    "Judged",
    "Oriented",
    "Triple",
    "add_colliders",
    "judge_triples",
    "orient",
    "unshielded",
]

ColliderRule = Literal["opening", "max_p", "majority", "conservative", "first"]

Triple = tuple[int, int, int]
"""x, z, y by index, with x < y."""


@dataclass(frozen=True)
class Judged:
    """A triple, what the sets say of it, and whether z is a collider; None where they do not say."""

    x: int
    z: int
    y: int
    evidence: Evidence
    is_collider: bool | None
    strength: float

    @property
    def triple(self) -> Triple:
        return self.x, self.z, self.y


@dataclass(frozen=True)
class Oriented:
    """A graph; the accepted colliders, the conflicts with their reasons, and by FCI the reasons of the marks."""

    graph: PDAG | PAG
    colliders: Sequence[Judged]
    conflicts: Sequence[tuple[Judged | None, str]]
    reasons: Mapping[tuple[int, int], str] = field(default_factory=dict)


def unshielded(adjacent: AnyArray) -> list[Pair]:
    """The pairs that are not adjacent but have common neighbours."""
    beside = masks_of_rows(adjacent)
    middles: dict[tuple[int, int], list[int]] = {}
    for z, near in enumerate(beside):
        for x in bits(near):
            for y in bits(near & ~beside[x] & -(2 << x)):
                middles.setdefault((x, y), []).append(z)
    return [Pair(x, y, tuple(middles[x, y])) for x, y in sorted(middles)]


def judge_triples(
    engine: Engine, skeleton: Skeleton, limits: Limits, rule: ColliderRule, max_given: int | None
) -> list[Judged]:
    """Judge every unshielded triple; the strongest come first, then by index."""
    pairs = unshielded(skeleton.adjacent)
    separations = skeleton.separations([(x, y) for x, y, _ in pairs])
    members = _members(engine, separations, pairs)
    if rule == "first":
        weighed = [
            [_of_set(separations.get((x, y)), is_in=(x, z, y) in members) for z in middles] for x, y, middles in pairs
        ]
    else:
        depth = max(skeleton.depth, 1) if max_given is None else min(max(skeleton.depth, 1), max_given)
        # A set that separates a node is found among its possible parents, so what must be below it is left out.
        pool = skeleton.adjacent & limits.allowed.T
        weighed = engine.weigh(pairs, pool, depth) if pairs else []
        pools = masks_of_rows(pool)
        weighed = [
            _with_separating_set(pair, row, separations.get((pair.x, pair.y)), pools, depth, members)
            for pair, row in zip(pairs, weighed, strict=True)
        ]
    judged = []
    for (x, y, middles), row in zip(pairs, weighed, strict=True):
        for z, evidence in zip(middles, row, strict=True):
            judged.append(Judged(x, z, y, evidence, *COLLIDER_RULES[rule](evidence)))
    if rule == "opening":
        judged = _reopened(judged, engine, separations, members)
    # By index first: triples of the same strength keep an order that neither rows nor threads change.
    return largest_first(sorted(judged, key=lambda one: one.triple), lambda one: one.strength)


def _members(engine: Engine, separations: Mapping[IndexPair, SeparatingSet], pairs: Sequence[Pair]) -> set[Triple]:
    """The triples (x, z, y) in which the set that separates x and y contains z, or determines z, which is the same."""
    sets = [(pair, separations[pair.x, pair.y].given) for pair in pairs if (pair.x, pair.y) in separations]
    inside = {(x, z, y) for (x, y, middles), given in sets for z in middles if z in given}
    open_ = [((x, z, y), given) for (x, y, middles), given in sets if given for z in middles if z not in given]
    determined = engine.determined([(z, given) for (_, z, _), given in open_]) if open_ else []
    return inside | {triple for (triple, _), is_in in zip(open_, determined, strict=True) if is_in}


def _of_set(separation: SeparatingSet | None, *, is_in: bool) -> Evidence:
    if separation is None:  # knowledge keeps x and y apart, and no set separates them
        return Evidence(0.0, 0.0, 0, 0)
    return Evidence(separation.p, 0.0, 1, 0) if is_in else Evidence(0.0, separation.p, 0, 1)


def _with_separating_set(
    pair: Pair,
    row: list[Evidence],
    separation: SeparatingSet | None,
    pools: Sequence[int],
    depth: int,
    members: Collection[Triple],
) -> list[Evidence]:
    """Add the set that took the edge out, which may hold nodes that are no longer adjacent."""
    if separation is None:
        return row
    given = mask_of(separation.given)
    is_around = not given & ~pools[pair.x] or not given & ~pools[pair.y]
    if is_around and len(separation.given) <= depth:
        return row  # it is counted
    out = []
    for z, known in zip(pair.middles, row, strict=True):
        more = _of_set(separation, is_in=(pair.x, z, pair.y) in members)
        best = max(known.p_with, more.p_with), max(known.p_without, more.p_without)
        out.append(Evidence(*best, known.with_ + more.with_, known.without + more.without))
    return out


def _reopened(
    judged: list[Judged],
    engine: Engine,
    separations: Mapping[IndexPair, SeparatingSet],
    members: Collection[Triple],
) -> list[Judged]:
    """Triples that sets with z and sets without z separate: colliders only where z opens what the best set closed."""
    alpha = engine.rules.alpha
    best = {
        index: separations[one.x, one.y].given
        for index, one in enumerate(judged)
        if min(one.evidence.p_with, one.evidence.p_without) > alpha and (one.x, one.y) in separations
    }
    without = [index for index in best if judged[index].triple not in members]
    queries = [(judged[p].x, judged[p].y, tuple(sorted((*best[p], judged[p].z)))) for p in without]
    opened = dict(zip(without, engine.p_values(queries), strict=True))
    for index in best:
        margin = max(1 - opened.get(index, alpha) / alpha, 0.0)
        judged[index] = replace(judged[index], is_collider=margin > 0, strength=margin)
    return judged


def _by_opening(evidence: Evidence) -> tuple[bool | None, float]:
    """Where sets of one kind alone separate: such triples come before all others, whose strength is at most 1."""
    is_collider, margin = _by_largest(evidence)
    return is_collider, 1 + margin


def _by_largest(evidence: Evidence) -> tuple[bool | None, float]:
    with_, without = evidence.p_with, evidence.p_without
    is_collider = exceeds(without, with_, scale=0.0)
    return (is_collider if is_collider or exceeds(with_, without, scale=0.0) else None), abs(without - with_)


def _by_majority(evidence: Evidence) -> tuple[bool | None, float]:
    margin = evidence.without - evidence.with_
    return (margin > 0 if margin else None), abs(margin) / max(evidence.without + evidence.with_, 1)


def _by_all(evidence: Evidence) -> tuple[bool | None, float]:
    if (evidence.with_ == 0) == (evidence.without == 0):
        return None, 0.0
    return evidence.with_ == 0, _by_largest(evidence)[1]


def _by_first(evidence: Evidence) -> tuple[bool | None, float]:
    if evidence.with_ == evidence.without:
        return None, 0.0
    return evidence.with_ == 0, max(evidence.p_with, evidence.p_without)


COLLIDER_RULES: Mapping[str, Callable[[Evidence], tuple[bool | None, float]]] = {
    "opening": _by_opening,
    "max_p": _by_largest,
    "majority": _by_majority,
    "conservative": _by_all,
    "first": _by_first,
}


class _Arrows:
    """The arrows set so far; the other edges of the skeleton are undirected."""

    def __init__(self, adjacent: list[int], up: list[int], names: Sequence[Node]) -> None:
        self.adjacent, self.up, self.names = adjacent, up, names
        self.down = transposed(up)

    def refuse(self, one: Judged, against: Mapping[Triple, Judged]) -> str | None:
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


def add_colliders(
    judged: Sequence[Judged],
    refuse: Callable[[Judged, Mapping[Triple, Judged]], str | None],
    add: Callable[[Judged], None],
) -> tuple[list[Judged], list[tuple[Judged | None, str]]]:
    """Add the colliders, the strongest first; one that is refused is a conflict, with the reason."""
    against = {one.triple: one for one in judged if one.is_collider is False}
    colliders: list[Judged] = []
    conflicts: list[tuple[Judged | None, str]] = []
    for one in judged:
        if not one.is_collider:
            continue
        reason = refuse(one, against)
        if reason is None:
            add(one)
            colliders.append(one)
        else:
            conflicts.append((one, reason))
    return colliders, conflicts


def orient(adjacent: AnyArray, judged: Sequence[Judged], limits: Limits, names: Sequence[Node]) -> Oriented:
    """Direct all edges that colliders, knowledge and Meek's rules direct."""
    beside = masks_of_rows(adjacent)
    forced = limits.forced(adjacent)
    if cycle := cycle_in_words(names, forced):
        raise KnowledgeError(
            f"with these adjacencies the knowledge forces a cycle: {cycle}. Allow the reverse of one of its arrows."
        )
    # Knowledge comes before all colliders: no test is stronger than what is known.
    arrows = _Arrows(beside, list(forced), names)
    colliders, conflicts = add_colliders(judged, arrows.refuse, arrows.add)
    dag = orientation.extend(arrows.up, arrows.free)
    if dag is None:
        dag, made = _extend_anyway(arrows, {one.triple: one for one in judged if one.is_collider is False})
        conflicts += made
    up, free = orientation.class_of(dag)
    parents, neighbours = _with_forced(up, free, forced)
    kind = CPDAG if neighbours == free else PDAG
    return Oriented(kind._made(names, parents, neighbours), colliders, conflicts)


def _with_forced(up: list[int], free: list[int], forced: list[int]) -> tuple[list[int], list[int]]:
    """The class, restricted to the DAGs that knowledge allows; the DAG that it was made from is one of them."""
    # Most graphs: the class has the arrows of the knowledge already, and stays a CPDAG.
    if not any(forced[node] & free[node] for node in range(len(up))):
        return up, free
    new = [up[node] | forced[node] for node in range(len(up))]
    down = transposed(new)
    return orientation.close(new, [free[node] & ~new[node] & ~down[node] for node in range(len(up))])


def _extend_anyway(
    arrows: _Arrows, against: Mapping[Triple, Judged]
) -> tuple[list[int], list[tuple[Judged | None, str]]]:
    """Remove sinks one by one; if no node can be a sink, the one whose new colliders have the weakest evidence."""
    up, free, down = list(arrows.up), arrows.free, arrows.down
    left = mask_of(range(len(up)))
    conflicts: list[tuple[Judged | None, str]] = []
    prices: dict[int, float] = {}
    waiting: list[tuple[float, int]] = []

    def weigh(nodes: int) -> None:
        for node in bits(nodes):
            if not down[node] & left:
                made = _made_by(node, left, arrows.adjacent, up, free)
                # 1 for each new v-structure, so few are better than weak ones, and more where tests contradict it.
                prices[node] = sum(against[triple].strength + 1 if triple in against else 1 for triple in made)
                heappush(waiting, (prices[node], node))

    weigh(left)
    while left:
        price, last = heappop(waiting)
        if not left >> last & 1 or price != prices[last]:
            continue  # it was weighed again since
        for triple in _made_by(last, left, arrows.adjacent, up, free):
            x, z, y = (str(arrows.names[i]) for i in triple)
            words = f"{x} → {z} ← {y} had to be added: no DAG has these edges without it"
            conflicts.append((against.get(triple), words))
        up[last] |= free[last] & left
        left &= ~(1 << last)
        weigh(arrows.adjacent[last] & left)  # nothing else changes what a node that is removed would make
    return up, conflicts


def _made_by(node: int, left: int, adjacent: list[int], up: list[int], free: list[int]) -> list[Triple]:
    """The new v-structures if all undirected edges of a node point to it."""
    around = (up[node] | free[node]) & left
    made: set[Triple] = set()
    for a in bits(free[node] & left):
        made.update((min(a, b), node, max(a, b)) for b in bits(around & ~adjacent[a] & ~(1 << a)))
    return sorted(made)
