"""Hill climbing and tabu search: every graph that is one arrow away, and the best one of them all.

``core/search/hill_climb.cpp`` is the kernel. Graphs are tuples of bit masks, one a node: its parents.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from deciban.nets.graphs.bits import find_cycle
from deciban.nets.search.rules import Rules
from deciban.ties import TIE, exceeds

__all__ = ["hill_climbing"]

Graph = tuple[int, ...]
Step = tuple[str, int, int]
Local = Callable[[int, int], float]
"""The score of a variable with a set of parents."""


def hill_climbing(local: Local, scale: float, rules: Rules, tabu: int) -> tuple[Graph, list[Step]]:
    """The best graph, and the steps to it; with `tabu`, so many steps without a new best, and graphs that are shut."""
    graph = best = tuple(rules.required)
    steps: list[Step] = []
    length = idle = 0
    recent = [graph]

    def score(masks: Graph) -> float:
        return sum(local(child, mask) for child, mask in enumerate(masks))

    while True:
        near = [one for one in _near(graph, rules) if not tabu or one[1] not in recent]
        gains = [
            sum(local(v, after[v]) - local(v, graph[v]) for v in range(len(graph)) if after[v] != graph[v])
            for _, after in near
        ]
        if not near or not (tabu or exceeds(max(gains), 0.0, scale)):
            break
        step, graph = next(one for one, gain in zip(near, gains, strict=True) if gain >= max(gains) - TIE * scale)
        steps.append(step)
        recent = [*recent, graph][-max(tabu, 1) :]
        idle += 1
        if exceeds(score(graph), score(best), scale):
            best, length, idle = graph, len(steps), 0
        if tabu and idle == tabu:
            break
    return best, steps[:length]


def _near(graph: Graph, rules: Rules) -> Iterator[tuple[Step, Graph]]:
    """The allowed steps and the graphs to which they lead: by parent and child, reversals last."""
    arrows = [(a, b) for a in range(len(graph)) for b in range(len(graph)) if a != b]
    toggles: list[Step] = [("delete" if graph[b] >> a & 1 else "add", a, b) for a, b in arrows]
    reversals: list[Step] = [("reverse", a, b) for a, b in arrows if graph[b] >> a & 1]
    for kind, a, b in toggles + reversals:
        after = list(graph)
        after[b] ^= 1 << a
        if kind == "reverse":
            after[a] ^= 1 << b
        if not find_cycle(after) and _is_allowed(after, graph, rules):
            yield (kind, a, b), tuple(after)


def _is_allowed(after: Sequence[int], before: Sequence[int], rules: Rules) -> bool:
    masks = zip(after, before, rules.required, rules.forbidden, strict=True)
    return all(
        not (must & ~mask or mask & must_not or (mask & ~old and mask.bit_count() > rules.most))
        for mask, old, must, must_not in masks
    )
