"""Unshielded triples x — z — y, and whether z is a collider.

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
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from deciban.nets.discovery.engine import Engine, Evidence, Found, Pair
from deciban.nets.discovery.knowledge import Limits
from deciban.nets.discovery.skeleton import Skeleton
from deciban.ties import exceeds, largest_first
from deciban.types import AnyArray

__all__ = ["COLLIDER_RULES", "ColliderRule", "Judged", "judge_triples", "unshielded"]

ColliderRule = Literal["opening", "max_p", "majority", "conservative", "first"]


@dataclass(frozen=True)
class Judged:
    """A triple, what the sets say of it, and whether z is a collider; None where they do not say."""

    x: int
    z: int
    y: int
    evidence: Evidence
    is_collider: bool | None
    strength: float


def unshielded(adjacent: AnyArray) -> list[Pair]:
    """The pairs that are not adjacent but have common neighbours."""
    common = adjacent.astype(np.int32) @ adjacent.astype(np.int32)
    apart = np.triu((common > 0) & ~adjacent, 1)
    return [
        Pair(int(x), int(y), tuple(np.flatnonzero(adjacent[x] & adjacent[y]).tolist())) for x, y in np.argwhere(apart)
    ]


def judge_triples(
    engine: Engine, skeleton: Skeleton, limits: Limits, rule: ColliderRule, max_given: int | None
) -> list[Judged]:
    """Judge every unshielded triple; the strongest come first, then by index."""
    pairs = unshielded(skeleton.adjacent)
    members = _members(engine, skeleton, pairs)
    if rule == "first":
        weighed = [
            [_of_set(skeleton.separation(x, y), is_in=(x, z, y) in members) for z in middles] for x, y, middles in pairs
        ]
    else:
        depth = max(skeleton.depth, 1) if max_given is None else min(max(skeleton.depth, 1), max_given)
        pool = skeleton.adjacent & limits.allowed.T
        weighed = engine.weigh(pairs, pool, depth) if pairs else []
        weighed = [
            _with_found(pair, row, skeleton, pool, depth, members) for pair, row in zip(pairs, weighed, strict=True)
        ]
    judged = []
    for (x, y, middles), row in zip(pairs, weighed, strict=True):
        for z, evidence in zip(middles, row, strict=True):
            judged.append(Judged(x, z, y, evidence, *COLLIDER_RULES[rule](evidence)))
    if rule == "opening":
        judged = _reopened(judged, engine, skeleton, members)
    return largest_first(sorted(judged, key=lambda one: (one.x, one.z, one.y)), lambda one: one.strength)


def _members(engine: Engine, skeleton: Skeleton, pairs: Sequence[Pair]) -> set[tuple[int, int, int]]:
    """The triples (x, z, y) of which the set that separates x and y has z, or determines z, which is the same."""
    sets = [
        (one, () if found is None else found.given) for one in pairs for found in [skeleton.separation(one.x, one.y)]
    ]
    inside = {(x, z, y) for (x, y, middles), given in sets for z in middles if z in given}
    open_ = [((x, z, y), given) for (x, y, middles), given in sets if given for z in middles if z not in given]
    found = engine.determined([(z, given) for (_, z, _), given in open_]) if open_ else []
    return inside | {triple for (triple, _), is_in in zip(open_, found, strict=True) if is_in}


def _of_set(found: Found | None, *, is_in: bool) -> Evidence:
    if found is None:  # knowledge keeps x and y apart, and no set separates them
        return Evidence(0.0, 0.0, 0, 0)
    p = found.values[3]
    return Evidence(p, 0.0, 1, 0) if is_in else Evidence(0.0, p, 0, 1)


def _with_found(
    pair: Pair,
    row: list[Evidence],
    skeleton: Skeleton,
    pool: AnyArray,
    depth: int,
    members: Collection[tuple[int, int, int]],
) -> list[Evidence]:
    """Add the set that took the edge out, which may hold nodes that are no longer adjacent."""
    found = skeleton.separation(pair.x, pair.y)
    if found is None:
        return row
    given = list(found.given)
    is_counted = len(given) <= depth and (pool[pair.x, given].all() or pool[pair.y, given].all())
    if is_counted:
        return row
    out = []
    for z, known in zip(pair.middles, row, strict=True):
        own = _of_set(found, is_in=(pair.x, z, pair.y) in members)
        best = max(known.p_with, own.p_with), max(known.p_without, own.p_without)
        out.append(Evidence(*best, known.with_ + own.with_, known.without + own.without))
    return out


def _reopened(
    judged: list[Judged], engine: Engine, skeleton: Skeleton, members: Collection[tuple[int, int, int]]
) -> list[Judged]:
    """Triples that sets with z and sets without z separate: colliders only where z opens what the best set closed."""
    alpha = engine.rules[0]
    best = {
        index: found.given
        for index, one in enumerate(judged)
        if min(one.evidence.p_with, one.evidence.p_without) > alpha
        and (found := skeleton.separation(one.x, one.y)) is not None
    }
    without = [index for index in best if (judged[index].x, judged[index].z, judged[index].y) not in members]
    queries = [(judged[p].x, judged[p].y, tuple(sorted((*best[p], judged[p].z)))) for p in without]
    opened = dict(zip(without, engine.p_values(queries), strict=True))
    for index in best:
        margin = max(1 - opened.get(index, alpha) / alpha, 0.0)
        judged[index] = replace(judged[index], is_collider=margin > 0, strength=margin)
    return judged


def _by_opening(evidence: Evidence) -> tuple[bool | None, float]:
    """What sets of one kind say; it goes before all triples that both kinds speak of, whose strength is below 1."""
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
