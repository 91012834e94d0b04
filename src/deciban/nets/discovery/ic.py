"""The IC algorithm in its three steps, as the notes have them ("Bayes Nets", inferring causal structure; Pearl 2000).

1. For each pair x, y look for a set S(x, y) that screens one off from the other. Where there is none, join them.
2. For each pair that is not joined and has a common neighbour z: if z is not in S(x, y), make it a common consequence.
3. Direct what can be directed without a cycle or a new v-structure.

Step 1 asks all sets of the other variables, up to a size: readable, and slow. ``method="pc"`` is its fast form.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import comb

import numpy as np

from deciban.errors import ParameterError
from deciban.nets.discovery.any_test import Found
from deciban.nets.discovery.engine import PlainEngine
from deciban.nets.discovery.knowledge import Limits
from deciban.nets.discovery.skeleton import Skeleton, Step
from deciban.nets.graphs.base import Node

__all__ = ["find_screens"]

_MOST_TESTS = 2_000_000


def find_screens(engine: PlainEngine, limits: Limits, nodes: Sequence[Node], max_given: int | None) -> Skeleton:
    """Step 1: look for a screening set for each pair, small sets first."""
    most = len(nodes) - 2 if max_given is None else min(max_given, len(nodes) - 2)
    _check_cost(len(nodes), most)
    out = Skeleton(limits.edges.copy())
    fixed = limits.required | limits.required.T
    for x, y in combinations(range(len(nodes)), 2):
        if not out.adjacent[x, y] or fixed[x, y]:
            continue
        screen = _screen(engine, x, y, len(nodes), most)
        if screen is not None:
            out.removed[x, y] = screen
            out.adjacent[x, y] = out.adjacent[y, x] = False
    out.depth = max((len(screen.given) for screen in out.removed.values()), default=0)
    out.unsure = engine.unsure
    out.steps.append(Step(max(most, 0), engine.tests, int(np.triu(out.adjacent).sum())))
    return out


def _screen(engine: PlainEngine, x: int, y: int, count: int, most: int) -> Found | None:
    """The first set that screens x off from y, or None."""
    others = [z for z in range(count) if z not in (x, y)]
    for size in range(max(most, 0) + 1):
        for given in combinations(others, size):
            separates, values = engine.separates(x, y, given)
            if separates:
                return Found(given, values)
    return None


def _check_cost(count: int, most: int) -> None:
    tests = comb(count, 2) * sum(comb(max(count - 2, 0), size) for size in range(most + 1))
    if tests > _MOST_TESTS:
        raise ParameterError(
            f"all sets of up to {most} of {count} variables make {tests:,} tests. "
            'Pass a smaller max_given, or method="pc".'
        )
