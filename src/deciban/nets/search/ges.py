r"""Greedy equivalence search: steps between equivalence classes of DAGs (Chickering, 2002).

Forward phase, Insert(x, y, T): add x → y, and direct t → y for t ∈ T, neighbours of y that are not adjacent to x.
Backward phase, Delete(x, y, H): remove the edge between x and y, and direct y → h, and x — h as x → h, for h ∈ H,
neighbours of y that are adjacent to x. Each phase makes the best step until none raises the score. With N = the
neighbours of y that are adjacent to x, and P = the parents of y:

    Insert gains local(y, S ∪ x) − local(y, S), S = N ∪ T ∪ P          valid: N ∪ T is a clique, and
                                                                        blocks every semi-directed path from y to x
    Delete gains local(y, S \ x) − local(y, S ∪ x), S = (N \ H) ∪ P   valid: N \ H is a clique

With a large sample of a distribution that is faithful to a DAG, the result is the class of that DAG. Gains are cached;
a step recomputes only those of the pairs whose neighbourhoods it changed.

Greedy equivalence search without a sample: d-separation in a graph says which variables are dependent.

The search needs to know of a score only whether a parent gains, and in a large enough sample that is so exactly where x
and y are dependent given y's other parents (Chickering, 2002: local consistency). Here d-separation in the graph says
so. How much it gains only decides which step is made first: pairs that the graph joins, then the strongest partial
correlation in a linear model on the graph, as with data. That keeps the graphs on the way sparse, and the number of
steps that are possible small; whatever the order, the result is the class of the graph.

    gain = −½·log(1 − ρ²_xy·S) + [x and y are adjacent]  where they are d-connected given S,  −1 where they are not
"""

from __future__ import annotations

import heapq
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from deciban.nets.graphs.bits import bits, topological, transposed
from deciban.nets.graphs.dag import DAG
from deciban.nets.graphs.graph import Node
from deciban.nets.graphs.orientation import class_of, close, extend
from deciban.nets.graphs.separation import reached
from deciban.nets.scores.protocol import Arrival, LocalScores
from deciban.nets.search.climbing import scale_of
from deciban.nets.search.result import Move, Progress
from deciban.nets.search.rules import Rules
from deciban.ties import exceeds
from deciban.types import Floats

__all__ = ["FromGraph", "FromScores", "Gains", "directed_by", "ges"]


Operator = tuple[float, int, int, int, int]
"""−gain, y, x, the set T or H, and S: sorted by decreasing gain; those of equal gain go by their nodes."""


class Gains(Protocol):
    """The gain of each added parent; `scale` is the size of the scores whose differences are the gains."""

    @property
    def scale(self) -> float: ...
    def gains(self, arrivals: Sequence[Arrival]) -> Floats: ...


@dataclass(frozen=True)
class FromScores:
    """Gains as differences of local scores, or as the scores say them themselves."""

    scores: LocalScores

    @cached_property
    def scale(self) -> float:
        return scale_of(self.scores)

    def gains(self, arrivals: Sequence[Arrival]) -> Floats:
        if hasattr(self.scores, "gains"):
            return self.scores.gains(arrivals)
        with_x = self.scores.local([(y, given | 1 << x) for y, x, given in arrivals])
        return with_x - self.scores.local([(y, given) for y, _, given in arrivals])


class _Class:
    """A CPDAG as masks."""

    def __init__(self, parents: Sequence[int], neighbours: Sequence[int]) -> None:
        self.up, self.free = list(parents), list(neighbours)
        self.down = transposed(self.up)
        masks = zip(self.up, self.down, self.free, strict=True)
        self.adjacent = [a | b | c for a, b, c in masks]
        self.onward = [a | b for a, b in zip(self.down, self.free, strict=True)]

    def cliques(self, within: int, base: int = 0) -> Iterator[int]:
        """Every subset of `within` that forms a clique together with the clique `base`; the empty one first."""
        yield 0
        for node in bits(within):
            if base & ~self.adjacent[node]:
                continue
            # Only nodes after this one, so that each clique is listed once.
            later = within & self.adjacent[node] & -(2 << node)
            for rest in self.cliques(later, base):
                yield rest | 1 << node

    def is_clique(self, nodes: int) -> bool:
        return all(not nodes & ~self.adjacent[node] & ~(1 << node) for node in bits(nodes))

    def leads(self, start: int, goal: int, block: int) -> bool:
        """Whether there is a semi-directed path from one node to another that avoids `block`."""
        visited, waiting = block, self.onward[start] & ~block
        while waiting and not waiting >> goal & 1:
            low = waiting & -waiting
            visited |= low
            waiting = (waiting | self.onward[low.bit_length() - 1]) & ~visited
        return bool(waiting)


class _Phase(ABC):
    """The operators of one phase, forward or backward."""

    kind = ""

    def __init__(self, gains: Gains, rules: Rules) -> None:
        self.source, self.rules = gains, rules

    @abstractmethod
    def candidates(self, graph: _Class, x: int, y: int) -> Iterator[tuple[int, int]]:
        """The sets T or H for a pair, with the S of each, that satisfy the clique condition."""

    @abstractmethod
    def is_valid(self, graph: _Class, operator: Operator) -> bool:
        """Whether the result of an operator is a class of DAGs."""

    @abstractmethod
    def changed(self, graph: _Class, operator: Operator) -> tuple[list[int], list[int]]:
        """Arrows and undirected edges after an operator, before completion to a CPDAG."""

    def operators(self, graph: _Class, pairs: Iterable[tuple[int, int]]) -> list[Operator]:
        """The operators of some pairs that raise the score."""
        steps = [(y, x, part, given) for x, y in pairs for part, given in self.candidates(graph, x, y)]
        if not steps:
            return []
        gains = self.source.gains([(y, x, given) for y, x, _, given in steps]) * self.sign
        kept = zip(gains.tolist(), steps, strict=True)
        return [(-gain, *operator) for gain, operator in kept if exceeds(gain, 0.0, self.source.scale)]

    sign = 1.0


class _Forward(_Phase):
    kind = "insert"

    def candidates(self, graph: _Class, x: int, y: int) -> Iterator[tuple[int, int]]:
        if x == y or graph.adjacent[y] >> x & 1:
            return
        common = graph.free[y] & graph.adjacent[x]
        # Chickering (2002), theorem 15: N ∪ T must be a clique, so no T helps where N itself is none.
        if not graph.is_clique(common):
            return
        # The number of T is exponential in the neighbours of y; only cliques with N are looked at.
        for part in graph.cliques(graph.free[y] & ~graph.adjacent[x], common):
            given = common | part | graph.up[y]
            if given.bit_count() < self.rules.most:
                yield part, given

    def is_valid(self, graph: _Class, operator: Operator) -> bool:
        _, y, x, part, _ = operator
        return not graph.leads(y, x, graph.free[y] & graph.adjacent[x] | part)

    def changed(self, graph: _Class, operator: Operator) -> tuple[list[int], list[int]]:
        _, y, x, part, _ = operator
        up, free = list(graph.up), list(graph.free)
        up[y] |= 1 << x | part
        free[y] &= ~part
        for node in bits(part):
            free[node] &= ~(1 << y)
        return up, free


class _Backward(_Phase):
    kind = "delete"
    sign = -1.0

    def candidates(self, graph: _Class, x: int, y: int) -> Iterator[tuple[int, int]]:
        required = self.rules.required
        if not (graph.up[y] | graph.free[y]) >> x & 1 or required[y] >> x & 1 or required[x] >> y & 1:
            return
        common = graph.free[y] & graph.adjacent[x]
        for kept in graph.cliques(common):
            yield common & ~kept, (kept | graph.up[y]) & ~(1 << x)

    def is_valid(self, graph: _Class, operator: Operator) -> bool:
        del graph, operator  # the clique condition is sufficient
        return True

    def changed(self, graph: _Class, operator: Operator) -> tuple[list[int], list[int]]:
        _, y, x, part, _ = operator
        up, free = list(graph.up), list(graph.free)
        up[y] &= ~(1 << x)
        free[y] &= ~(1 << x | part)
        free[x] &= ~(1 << y)
        for node in bits(part):
            up[node] |= 1 << y
            if free[node] >> x & 1:
                up[node] |= 1 << x
                free[x] &= ~(1 << node)
            free[node] &= ~(1 << y | 1 << x)
        return up, free


def ges(
    gains: Gains, rules: Rules, report: Progress, names: Sequence[Node]
) -> tuple[list[int], list[int], list[int], list[Move]]:
    """Arrows and undirected edges of the resulting class, a DAG of it, and the moves."""
    dag = list(rules.required)
    graph = _Class(*class_of(dag))
    moves: list[Move] = []
    # In this order: with rows enough the first phase ends in a class that contains the distribution, the second in the
    # smallest such class (Chickering 2002).
    for phase in (_Forward(gains, rules), _Backward(gains, rules)):
        graph, dag = _run(phase, graph, dag, moves, report, names)
    up, free = (graph.up, graph.free) if rules.is_free else _directed(rules, graph)
    return up, free, dag, moves


def _run(
    phase: _Phase, graph: _Class, dag: list[int], moves: list[Move], report: Progress, names: Sequence[Node]
) -> tuple[_Class, list[int]]:
    """Make the best valid step until none raises the score."""
    count = len(names)
    kept = [phase.operators(graph, ((x, y) for x in range(count))) for y in range(count)]
    for operators in kept:
        operators.sort()
    while (step := _step(phase, graph, kept)) is not None:
        operator, after, dag = step
        loss, y, x, part, _ = operator
        moves.append(Move(phase.kind, names[x], names[y], -loss, tuple(names[node] for node in bits(part))))
        report(moves[-1])
        _renew(phase, graph, after, (x, y), kept)
        graph = after
    return graph, dag


def _step(phase: _Phase, graph: _Class, kept: list[list[Operator]]) -> tuple[Operator, _Class, list[int]] | None:
    """The best operator that is valid and violates no rule, the class after it, and a DAG of that class."""
    for operator in _by_gain(heapq.merge(*(operators for operators in kept if operators)), phase.source.scale):
        if not phase.is_valid(graph, operator):
            continue
        # The operator as a partial graph, a DAG that extends it (Dor and Tarsi 1992), and the class of that DAG.
        dag = extend(*phase.changed(graph, operator))
        if dag is None:
            continue
        after = _Class(*class_of(dag))
        if phase.rules.is_free:
            return operator, after, dag
        dag = extend(*_directed(phase.rules, after))
        if dag is not None and not _breaks(phase.rules, dag):
            return operator, after, dag
    return None


def _by_gain(merged: Iterable[Operator], scale: float) -> Iterator[Operator]:
    """The operators by decreasing gain, those of equal gain by their nodes: each group is equal to its first."""
    group: list[Operator] = []
    for operator in merged:
        if group and exceeds(operator[0], group[0][0], scale):
            yield from sorted(group, key=lambda equal: equal[1:])
            group = []
        group.append(operator)
    yield from sorted(group, key=lambda equal: equal[1:])


def _renew(phase: _Phase, before: _Class, after: _Class, ends: tuple[int, int], kept: list[list[Operator]]) -> None:
    """Recompute the operators of the pairs that a step has changed, all in one call."""
    count = len(kept)
    pair = 1 << ends[0] | 1 << ends[1]
    pairs: list[tuple[int, int]] = []
    for y in range(count):
        is_new = before.up[y] != after.up[y] or before.free[y] != after.free[y] or y in ends
        # A new adjacency between two neighbours of y makes them a clique; a removed one does the opposite.
        if is_new or after.free[y] & pair == pair:
            kept[y] = []
            pairs += [(x, y) for x in range(count)]
        elif after.free[y] & pair:  # one end is a neighbour of y: its adjacency to the other end has changed
            x = ends[after.free[y] >> ends[0] & 1]
            kept[y] = [operator for operator in kept[y] if operator[2] != x]
            pairs.append((x, y))
    for operator in phase.operators(after, pairs):
        kept[operator[1]].append(operator)
    for y in {y for _, y in pairs}:
        kept[y].sort()


def directed_by(rules: Rules, up: Sequence[int], free: Sequence[int]) -> tuple[list[int], list[int]]:
    """Direct the undirected edges that knowledge determines, and those that follow by Meek's rules."""
    arrows, lines = list(up), list(free)
    for node, mask in enumerate(free):
        for peer in bits(mask & (rules.required[node] | _forbidden_from(rules, node))):
            arrows[node] |= 1 << peer
            lines[node] &= ~(1 << peer)
            lines[peer] &= ~(1 << node)
    return close(arrows, lines)


def _forbidden_from(rules: Rules, node: int) -> int:
    """The nodes to which an arrow from this node is forbidden."""
    return sum(1 << peer for peer, mask in enumerate(rules.forbidden) if mask >> node & 1)


def _directed(rules: Rules, graph: _Class) -> tuple[list[int], list[int]]:
    return directed_by(rules, graph.up, graph.free)


def _breaks(rules: Rules, parents: Sequence[int]) -> bool:
    known = zip(parents, rules.required, rules.forbidden, strict=True)
    return any(must & ~mask or mask & must_not for mask, must, must_not in known)


# Paths may cancel: what d-separation calls dependent gains at least this, so that the step is made.
# The result does not depend on the weight of the arrows, only the order of the steps does.
_LEAST = 1e-6
_WEIGHT = 0.8


class FromGraph:
    """Gains as d-separation in a graph says them."""

    scale = 1.0

    def __init__(self, dag: DAG) -> None:
        self.dag = dag
        self._correlation = _correlations(dag._parent_masks)

    def gains(self, arrivals: Sequence[Arrival]) -> Floats:
        """What each arrival gains; all x with the same y and S are answered together."""
        alike: dict[tuple[int, int], list[int]] = defaultdict(list)
        for index, (y, _, given) in enumerate(arrivals):
            alike[y, given].append(index)
        out = np.empty(len(arrivals))
        for (y, given), indices in alike.items():
            connected = reached(self.dag, 1 << y, given)
            open_to = [index for index in indices if connected >> arrivals[index][1] & 1]
            out[indices] = -1.0
            if open_to:
                strength = self._strength(y, [arrivals[index][1] for index in open_to], given)
                is_edge = [self.dag._adjacent_masks[y] >> arrivals[index][1] & 1 for index in open_to]
                out[open_to] = np.maximum(strength, _LEAST) + np.array(is_edge)
        return out

    def _strength(self, y: int, xs: list[int], given: int) -> Floats:
        r = self._correlation
        inside = list(bits(given))
        toward = r[inside][:, [y, *xs]]
        weights = np.linalg.solve(r[inside][:, inside], toward)
        left = 1 - (toward * weights).sum(axis=0)
        shared = r[y, xs] - toward[:, 0] @ weights[:, 1:]
        # Guards against rounding, where S all but determines a variable: no division by 0, no logarithm of 0.
        squared = shared**2 / np.maximum(left[0] * left[1:], 1e-12)
        return -0.5 * np.log1p(-np.minimum(squared, 1 - 1e-12))


def _correlations(parents: Sequence[int]) -> Floats:
    """Correlations when each variable is a sum of its parents and noise."""
    r = np.eye(len(parents))
    before: list[int] = []
    for node in topological(parents):
        above = list(bits(parents[node]))
        toward = _WEIGHT * r[:, above].sum(axis=1)
        spread = np.sqrt(1 + _WEIGHT * toward[above].sum())
        r[node, before] = r[before, node] = toward[before] / spread
        before.append(node)
    return r
