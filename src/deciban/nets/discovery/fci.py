"""FCI: causal discovery with hidden common causes (Spirtes, Meek and Richardson 1995; Zhang 2008).

It is IC* ("Bayes Nets"; Pearl 2000, section 2.6) in a complete form:

1. Find the adjacencies as PC does, small sets of neighbours first, and the colliders.
2. Remove the edges that more distant sets separate (``possible_d_sep``), and find the colliders again: x *→ z ←* y if
   z is not in the separating set of x and y. The marks at x and y stay circles.
3. Apply Zhang's rules (``orientation``) to these arrowheads.

Knowledge is about direct or indirect causes. A required arrow a → b is an edge with a tail at a. If a → b is forbidden,
or a is in a later tier than b, then a is not a cause of b, and an edge between them has an arrowhead at a. If both
directions are forbidden, the edge is a ↔ b, because a hidden common cause is not an arrow between the two.

Possible-D-SEP: further separating sets if there are hidden causes.

Without hidden causes two nodes that can be separated are separated by neighbours of one of them. With hidden causes
more distant nodes may be needed, on paths on which each inner node is a collider or in a triangle (Possible-D-SEP;
Spirtes, Glymour and Scheines 2000, chapter 6). The paths are those of the graph after the first search, so
the result does not depend on the order of the nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import comb

import numpy as np

from deciban.errors import KnowledgeError
from deciban.nets.discovery.knowledge import Limits
from deciban.nets.discovery.orient import ColliderRule, Judged, Oriented, Triple, add_colliders, judge_triples
from deciban.nets.discovery.skeleton import Engine, Skeleton, Step, find_skeleton, has_sets, remove_implied
from deciban.nets.graphs.bits import bits, mask_of
from deciban.nets.graphs.graph import Node
from deciban.nets.graphs.marked import PAG
from deciban.nets.graphs.orientation import RULES, Marks, close_marks, contradictions
from deciban.types import AnyArray

__all__ = ["Judge", "find_marks", "free_of_forbidden", "misfits", "possible_separators", "with_colliders"]


def find_marks(
    engine: Engine,
    limits: Limits,
    nodes: Sequence[Node],
    rule: ColliderRule,
    max_given: int | None,
    is_exact: bool,
    progress: Callable[[Step], None] | None,
) -> tuple[Skeleton, list[Judged], Oriented]:
    """The three steps, in this order."""
    free = free_of_forbidden(limits)
    fixed = limits.required | limits.required.T
    skeleton = find_skeleton(engine, free, max_given=max_given, progress=progress)
    skeleton = remove_implied(skeleton, engine, fixed)
    judged = judge_triples(engine, skeleton, free, rule, max_given)
    first, _, _ = with_colliders(skeleton.adjacent, judged, limits, nodes)
    pool = possible_separators(first.adjacent, first.heads)
    thinned = _thin(skeleton, engine, fixed, pool, max_given, is_exact, progress)
    # Where no edge has gone, the triples and what separates their ends are the same.
    if len(thinned.removed) > len(skeleton.removed):
        judged = judge_triples(engine, thinned, free, rule, max_given)
    marks, colliders, conflicts = with_colliders(thinned.adjacent, judged, limits, nodes)
    close_marks(marks, Judge(thinned, engine))
    graph = PAG._marked(nodes, marks.heads, marks.tails, marks.adjacent)
    conflicts += [(None, words) for words in misfits(marks, judged, nodes)]
    if not conflicts and limits.is_free and not marks.open_triples and not is_exact and not graph.is_class():
        conflicts.append((None, "no graph with hidden causes has exactly these adjacencies and colliders"))
    return thinned, judged, Oriented(graph, colliders, conflicts, marks.reasons)


def free_of_forbidden(limits: Limits) -> Limits:
    """The limits of adjacencies: a forbidden arrow says that a is no cause of b, and not that the two are not joined.

    A hidden common cause may still join them: all pairs are tested, and what is forbidden comes in with the marks.
    """
    return Limits(Limits.none(len(limits.allowed)).allowed, limits.required)


class Judge:
    """Whether b is a collider on a discriminating path d … a, b, c: if it is not in the separating set of d and c."""

    def __init__(self, skeleton: Skeleton, engine: Engine) -> None:
        self.sets = {pair: frozenset(known.given) for pair, known in skeleton.removed.items()}
        self.engine = engine

    def __call__(self, d: int, a: int, b: int, c: int) -> bool | None:
        given = self.sets.get((min(d, c), max(d, c)))
        if given is None or b in given:
            return None if given is None else False
        # A set that determines b conditions on it, as if b were a member (Geiger, Verma and Pearl 1990).
        return not (given and self.engine.determined([(b, sorted(given))])[0])


def with_colliders(
    adjacent: AnyArray, judged: Sequence[Judged], limits: Limits, nodes: Sequence[Node]
) -> tuple[Marks, list[Judged], list[tuple[Judged | None, str]]]:
    """The marks from knowledge and from the colliders, the strongest first."""
    open_triples = [one.triple for one in judged if one.is_collider is None]
    marks = Marks.none([mask_of(np.flatnonzero(row).tolist()) for row in adjacent], open_triples)
    _put_knowledge(marks, limits, nodes)

    def refuse(one: Judged, against: Mapping[Triple, Judged]) -> str | None:
        return _refusal(marks, one, against, nodes)

    def add(one: Judged) -> None:
        marks.put(one.x, one.z, True, "R0")
        marks.put(one.y, one.z, True, "R0")

    colliders, conflicts = add_colliders(judged, refuse, add)
    marks.open_triples.update(one.triple for one, _ in conflicts if one is not None)
    return marks, colliders, conflicts


def _put_knowledge(marks: Marks, limits: Limits, nodes: Sequence[Node]) -> None:
    for a, near in enumerate(marks.adjacent):
        for b in bits(near):
            if limits.required[a, b]:
                marks.put(b, a, False, "knowledge")
            elif not limits.allowed[a, b]:
                marks.put(b, a, True, "knowledge")
    for a, b in contradictions(marks):
        raise KnowledgeError(
            f"the required arrows make {nodes[a]} a cause of {nodes[b]}, but {nodes[a]} → {nodes[b]} is forbidden, and "
            "they are adjacent. Remove one of these arrows."
        )


def _refusal(marks: Marks, one: Judged, against: Mapping[Triple, Judged], nodes: Sequence[Node]) -> str | None:
    """Why a collider cannot be added, or None."""
    z, ends = one.z, (one.x, one.y)
    for end in ends:
        if marks.tails[z] >> end & 1:
            return f"the knowledge requires {nodes[z]} → {nodes[end]}"
    for end in ends:
        for other in bits(marks.heads[z] & marks.apart(end) & ~mask_of(ends)):
            known = against.get((min(end, other), z, max(end, other)))
            if known is not None and known.strength >= one.strength:
                return f"{nodes[end]} and {nodes[other]} would form a collider at {nodes[z]}, against stronger evidence"
    return None


def misfits(marks: Marks, judged: Sequence[Judged], nodes: Sequence[Node]) -> list[str]:
    """Where the marks contradict the tests, or each other."""
    out = []
    for one in judged:
        if one.is_collider is False and marks.heads[one.z] >> one.x & marks.heads[one.z] >> one.y & 1:
            x, z, y = nodes[one.x], nodes[one.z], nodes[one.y]
            out.append(f"{z} is a collider between {x} and {y}, but it is in their separating set")
    for (a, b), rule in marks.disputes.items():
        out.append(f"the mark at {nodes[b]} of the edge to {nodes[a]} is contradictory: {rule} ({RULES[rule]})")
    for a, b in contradictions(marks):
        out.append(f"arrows lead from {nodes[a]} to {nodes[b]}, but their edge has an arrowhead at {nodes[a]}")
    return out


# Possible-D-SEP of one node may have 50 members, and so 2⁵⁰ sets: without a limit the search would not end.
_MOST_SETS = 1 << 12


def possible_separators(adjacent: Sequence[int], heads: Sequence[int]) -> AnyArray:
    """The matrix [x, z]: whether z may be in a set that separates x from another node."""
    pool = np.zeros((len(adjacent), len(adjacent)), dtype=bool)
    for x in range(len(adjacent)):
        pool[x, list(bits(_around(x, adjacent, heads)))] = True
    return pool


def _around(x: int, adjacent: Sequence[int], heads: Sequence[int]) -> int:
    possible, visited = adjacent[x], [0] * len(adjacent)
    waiting = [(x, node) for node in bits(possible)]
    for before, node in waiting:
        # A path goes on through node where it is a collider, or in a triangle with the nodes beside it.
        colliders = heads[node] if heads[node] >> before & 1 else 0
        fresh = adjacent[node] & (colliders | adjacent[before]) & ~(1 << before) & ~visited[node]
        visited[node] |= fresh
        possible |= fresh
        waiting.extend((node, after) for after in bits(fresh))
    return possible & ~(1 << x)


def _thin(
    skeleton: Skeleton,
    engine: Engine,
    fixed: AnyArray,
    pool: AnyArray,
    max_given: int | None,
    is_exact: bool,
    progress: Callable[[Step], None] | None,
) -> Skeleton:
    """Remove every edge whose ends are separated by a set of the pool of one of them.

    An edge whose ends have only neighbours in their pools was tested with all of them already. With data, if a node has
    more than ``_MOST_SETS`` sets of a size, its sets of this size or larger are not tested, unless max_given is set.
    """
    further: AnyArray = np.any(pool & ~skeleton.adjacent, axis=1)
    is_capped = max_given is None and not is_exact
    # From size 1: without any set given, the first search has tested every pair.
    for size in range(1, (len(pool) if max_given is None else max_given) + 1):
        edges = skeleton.adjacent & ~fixed & (further[:, None] | further[None, :])
        sets = pool & _are_few(pool, size)[:, None] if is_capped else pool
        if not has_sets(edges, sets, size):
            break
        level = engine.level(edges, sets, size, is_all=False)
        skeleton = skeleton.after(level, size, level.found)
        if level.is_last:
            break
        if progress is not None:
            progress(skeleton.steps[-1])
    return skeleton


def _are_few(pool: AnyArray, size: int) -> AnyArray:
    """Which nodes have at most ``_MOST_SETS`` sets of this size and of all smaller ones."""
    counts = [int(count) for count in pool.sum(axis=1)]
    return np.array([comb(count, min(size, count // 2)) <= _MOST_SETS for count in counts], dtype=bool)
