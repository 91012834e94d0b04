"""Greedy equivalence search (Chickering, 2002): at each step every operator of a class, and the best valid one of all.

``core/search/equivalence_search.cpp`` is the kernel; ``deciban.nets.search.ges`` says what a step changes, and when it
is valid. Graphs are lists of bit masks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import NamedTuple

from deciban.nets.graphs.bits import bits, transposed
from deciban.nets.graphs.orientation import class_of, extend
from deciban.nets.search.ges import directed_by
from deciban.nets.search.rules import Rules
from deciban.ties import exceeds

__all__ = ["Operator", "equivalence_search"]

Gain = Callable[[int, int, int], float]
"""What y gains by the parent x beside a set of parents."""


class Operator(NamedTuple):
    """x → y or x — y is inserted or deleted, with the set T or H."""

    kind: str
    y: int
    x: int
    part: int
    gain: float


class _Class:
    def __init__(self, up: Sequence[int], free: Sequence[int]) -> None:
        self.up, self.free, self.down = up, free, transposed(up)
        self.adjacent = [a | b | c for a, b, c in zip(up, free, self.down, strict=True)]

    def is_clique(self, nodes: int) -> bool:
        return all(not nodes & ~self.adjacent[node] & ~(1 << node) for node in bits(nodes))

    def leads(self, start: int, goal: int, block: int) -> bool:
        """Whether a semi-directed path avoids `block`."""
        reached, waiting = 1 << start, [start]
        while waiting:
            node = waiting.pop()
            new = (self.down[node] | self.free[node]) & ~reached & ~block
            reached |= new
            waiting += bits(new)
        return bool(reached >> goal & 1)


def equivalence_search(gain: Gain, scale: float, rules: Rules) -> tuple[list[int], list[int], list[Operator]]:
    """Arrows and undirected edges of the resulting class, and the steps."""
    graph = _Class(*class_of(rules.required))
    steps = []
    for listed in (_inserts, _deletes):
        while (found := _best(listed(graph, gain, rules), graph, scale, rules)) is not None:
            step, graph = found
            steps.append(step)
    return *((graph.up, graph.free) if rules.is_free else directed_by(rules, graph.up, graph.free)), steps


def _inserts(graph: _Class, gain: Gain, rules: Rules) -> Iterator[Operator]:
    for y, x in product(range(len(graph.up)), repeat=2):
        if x == y or graph.adjacent[y] >> x & 1:
            continue
        common = graph.free[y] & graph.adjacent[x]
        for part in _subsets(graph.free[y] & ~graph.adjacent[x]):
            given = common | part | graph.up[y]
            is_possible = graph.is_clique(common | part) and given.bit_count() < rules.most
            if is_possible and not graph.leads(y, x, common | part):
                yield Operator("insert", y, x, part, gain(y, x, given))


def _deletes(graph: _Class, gain: Gain, rules: Rules) -> Iterator[Operator]:
    for y, x in product(range(len(graph.up)), repeat=2):
        is_required = rules.required[y] >> x & 1 or rules.required[x] >> y & 1
        if is_required or not (graph.up[y] | graph.free[y]) >> x & 1:
            continue
        common = graph.free[y] & graph.adjacent[x]
        for part in _subsets(common):
            if graph.is_clique(common & ~part):
                yield Operator("delete", y, x, part, -gain(y, x, (common & ~part | graph.up[y]) & ~(1 << x)))


def _best(operators: Iterator[Operator], graph: _Class, scale: float, rules: Rules) -> tuple[Operator, _Class] | None:
    left = sorted((one for one in operators if exceeds(one.gain, 0.0, scale)), key=lambda one: -one.gain)
    while left:
        # Those whose gain is equal to the largest, in the order of their nodes.
        equal = [one for one in left if not exceeds(-one.gain, -left[0].gain, scale)]
        for one in sorted(equal, key=lambda one: (one.y, one.x, one.part)):
            if (after := _after(one, graph, rules)) is not None:
                return one, after
        left = left[len(equal) :]
    return None


def _after(step: Operator, graph: _Class, rules: Rules) -> _Class | None:
    """The class after a step; None where it has no DAG, or none that follows the rules."""
    kind, y, x, part, _ = step
    up, free = list(graph.up), list(graph.free)

    def direct(tail: int, head: int) -> None:
        up[head] |= 1 << tail
        free[head] &= ~(1 << tail)
        free[tail] &= ~(1 << head)

    if kind == "insert":
        for tail in (x, *bits(part)):
            direct(tail, y)
    else:
        up[y] &= ~(1 << x)
        free[y] &= ~(1 << x)
        free[x] &= ~(1 << y)
        for node in bits(part):
            direct(y, node)
            if free[node] >> x & 1:
                direct(x, node)
    dag = extend(up, free)
    if dag is None:
        return None
    after = _Class(*class_of(dag))
    known = extend(*directed_by(rules, after.up, after.free))
    is_allowed = known is not None and not any(
        must & ~mask or mask & must_not
        for mask, must, must_not in zip(known, rules.required, rules.forbidden, strict=True)
    )
    return after if is_allowed else None


def _subsets(mask: int) -> list[int]:
    subsets = [0]
    for member in bits(mask):
        subsets += [subset | 1 << member for subset in subsets]
    return subsets
