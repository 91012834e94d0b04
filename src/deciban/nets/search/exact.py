r"""The DAG with the best score, by dynamic programming over sets of variables (Silander and Myllymäki, 2006).

Every DAG has a sink, and removing it leaves a DAG. With best(v, S) the best local score of v with parents from S,

    best(v, S) = max( local(v, S), max_{u ∈ S} best(v, S \ u) )
    score(W)   = max_{v ∈ W} score(W \ v) + best(v, W \ v)

Both need one number for every set, so the number of variables is limited.

The best tree: a maximum spanning tree of the mutual informations (Chow and Liu, 1968).

Among trees the likelihood is largest for the one with the largest sum of mutual informations over its edges. Here a
score is used instead of the likelihood; of equal edges the first in the order of the variables is taken (Kruskal,
1956), and the first variable is the root.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from deciban.errors import ParameterError
from deciban.nets.graphs.bits import bits
from deciban.nets.scores.protocol import LocalScores, scores_over_sets
from deciban.nets.search.climbing import scale_of
from deciban.nets.search.result import Move, Progress
from deciban.nets.search.rules import Rules
from deciban.ties import TIE, largest_first
from deciban.types import AnyArray, Floats

__all__ = ["MOST_VARIABLES", "chow_liu", "exact"]


# One double for each set of parents of each variable: 0.4 GB at 22, and more than twice as much with each one more.
MOST_VARIABLES = 22


def exact(scores: LocalScores, rules: Rules) -> list[int]:
    """The parents in the best DAG."""
    count = len(scores.names)
    if count > MOST_VARIABLES:
        gigabytes = count * 2.0 ** (count - 1) * 8 / 1e9
        raise ParameterError(
            f"an exact search over {count} variables would need {gigabytes:,.1f} GB for scores; it takes at most "
            f'{MOST_VARIABLES} variables. Leave some out, or pass method="tabu" or method="ges".'
        )
    local, _ = scores_over_sets(scores, rules.most)
    for child, table in enumerate(local):
        _restrict(table, _without(rules.required[child], child), _without(rules.forbidden[child], child), rules.most)
        # best(v, S): the maximum over subsets, one bit at a time, in place (Silander and Myllymäki 2006, step 2).
        _spread(table, count - 1)
    tie = TIE * scale_of(scores)
    return _parents(local, _last(local, count, tie), tie)


def _restrict(table: Floats, required: int, forbidden: int, most: int) -> None:
    """Set the scores of sets that knowledge does not allow to −∞."""
    sets = np.arange(len(table))
    table[(sets & required != required) | (sets & forbidden != 0) | (np.bitwise_count(sets) > most)] = -np.inf


def _spread(table: Floats, count: int) -> None:
    """Assign to each set the best score of its subsets."""
    for bit in range(count):
        halves = table.reshape(-1, 2, 1 << bit)
        np.maximum(halves[:, 1], halves[:, 0], out=halves[:, 1])


def _last(best: Sequence[Floats], count: int, tie: float) -> AnyArray:
    """For each set of variables, the sink of its best DAG."""
    score = np.full(1 << count, -np.inf)
    score[0] = 0.0
    last = np.zeros(1 << count, dtype=np.int8)  # at most 22 variables, so a byte for each of the 2²² sets is enough
    sizes = np.bitwise_count(np.arange(1 << count))
    order = np.argsort(sizes, kind="stable")
    ends = np.cumsum(np.bincount(sizes))
    for size in range(1, count + 1):
        sets = order[ends[size - 1] : ends[size]]
        for child in range(count):
            having = sets[(sets >> child & 1) == 1]
            rest = having ^ (1 << child)
            through = score[rest] + best[child][_without(rest, child)]
            # By more than rounding: of equal DAGs the first in the order of the variables wins, on every processor.
            better = through > score[having] + tie
            score[having[better]] = through[better]
            last[having[better]] = child
    return last


def _parents(best: Sequence[Floats], last: AnyArray, tie: float) -> list[int]:
    """Walk back from all variables to none; parents that do not raise the score are removed."""
    left = len(last) - 1
    parents = [0] * len(best)
    while left:
        child = int(last[left])
        left ^= 1 << child
        chosen = _without(left, child)
        for bit in range(len(best) - 1):
            fewer = chosen & ~(1 << bit)
            if best[child][fewer] >= best[child][chosen] - tie:
                chosen = fewer
        parents[child] = _with(chosen, child)
    return parents


def _without(mask: int, variable: int) -> int:
    """A mask, or an array of masks, with a variable's own bit removed."""
    low = (1 << variable) - 1
    return (mask & low) | (mask >> 1 & ~low)


def _with(mask: int, variable: int) -> int:
    low = (1 << variable) - 1
    return (mask & low) | (mask & ~low) << 1


def chow_liu(scores: LocalScores, report: Progress) -> tuple[list[int], list[Move]]:
    """The parents in the tree, and its edges from the strongest to the weakest."""
    names = scores.names
    pairs = list(combinations(range(len(names)), 2))
    if not pairs:
        return [0] * len(names), []
    alone = scores.local([(b, 0) for _, b in pairs])
    gains = (scores.local([(b, 1 << a) for a, b in pairs]) - alone).tolist()
    part = list(range(len(names)))
    beside = [0] * len(names)
    moves = []
    # Kruskal (1956): the largest gain that joins two parts.
    for gain, (a, b) in largest_first(zip(gains, pairs, strict=True), lambda edge: edge[0], scale_of(scores)):
        if part[a] == part[b]:
            continue
        # Every edge of the tree relabels all n variables: n² steps, no more than there are pairs to score.
        part = [part[a] if p == part[b] else p for p in part]
        beside[a] |= 1 << b
        beside[b] |= 1 << a
        moves.append(Move("add", names[a], names[b], gain))
        report(moves[-1])
    return _rooted(beside), moves


def _rooted(beside: list[int]) -> list[int]:
    """The parents if the first variable is the root."""
    parents = [0] * len(beside)
    walk, visited = [0], 1
    for node in walk:
        for child in bits(beside[node] & ~visited):
            parents[child] = 1 << node
            walk.append(child)
        visited |= beside[node]
    return parents
