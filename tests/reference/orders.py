"""Best order score search, slowly: each position of each variable is tried, and every graph is made anew.

The graph of an order (Andrews and others, 2023): each variable takes its parents from those before it,

    grow      add the variable that raises the score most, until none does
    shrink    remove the parent without which the score is highest, until none raises it

and the score of an order is that of its graph. Sweep over the variables; move each to the position with the highest
score; end with a sweep that moves none.
"""

from collections.abc import Callable, Iterable, Sequence

from deciban.ties import exceeds, first_largest

LocalScore = Callable[[int, frozenset[int]], float]
Parents = frozenset[int]


def grown_and_shrunk(
    local: LocalScore, child: int, before: Iterable[int], *, required: Parents, most: int, scale: float
) -> Parents:
    """The parents that a variable takes from those before it."""
    parents, candidates = required, sorted(before)
    while len(parents) < most:
        steps = [parents | {one} for one in candidates if one not in parents]
        if not (better := _raised(local, child, parents, steps, scale)):
            break
        parents = better
    while len(parents) > 1:
        steps = [parents - {one} for one in sorted(parents - required)]
        if not (better := _raised(local, child, parents, steps, scale)):
            break
        parents = better
    return parents


def _raised(local: LocalScore, child: int, parents: Parents, steps: Sequence[Parents], scale: float) -> Parents | None:
    """The best of some sets, where it is better than the parents."""
    if not steps:
        return None
    scores = [local(child, step) for step in steps]
    best = first_largest(scores, scale)
    return steps[best] if exceeds(scores[best], local(child, parents), scale) else None


def best_order(
    local: LocalScore,
    begin: Sequence[int],
    *,
    required: Sequence[Parents],
    forbidden: Sequence[Parents],
    most: int,
    scale: float,
) -> list[Parents]:
    """The parents of each variable in the graph of the best order that single moves reach."""

    def graph(of: Sequence[int]) -> list[Parents]:
        taken = {
            child: grown_and_shrunk(
                local, child, set(of[:at]) - forbidden[child], required=required[child], most=most, scale=scale
            )
            for at, child in enumerate(of)
        }
        return [taken[child] for child in range(len(of))]

    def total(of: Sequence[int]) -> float:
        return sum(local(child, parents) for child, parents in enumerate(graph(of)))

    def is_allowed(of: Sequence[int]) -> bool:
        return all(required[child] <= set(of[:at]) for at, child in enumerate(of))

    now, moved = list(begin), True
    while moved:
        moved = False
        for variable in range(len(now)):
            others = [one for one in now if one != variable]
            best, before, most_gained = now, total(now), 0.0
            for at in range(len(now)):
                order = [*others[:at], variable, *others[at:]]
                if is_allowed(order) and exceeds(gain := total(order) - before, most_gained, scale):
                    best, most_gained, moved = order, gain, True
            now = best
    return graph(now)
