"""The readable twins of the kernels that draw rows: plain Python, slow, with identical rows."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence

from deciban.nets.sampling import FlatNet

__all__ = ["draw_forward", "draw_gibbs", "random_unit", "random_word"]

_WORD = (1 << 64) - 1


def random_word(key: int, at: int) -> int:
    """Word ``at`` of the stream ``key``: SplitMix64 (Steele, Lea and Flood 2014)."""
    z = (key + (at + 1) * 0x9E3779B97F4A7C15) & _WORD
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _WORD
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _WORD
    return z ^ (z >> 31)


def random_unit(key: int, at: int) -> float:
    """A float in [0, 1)."""
    return (random_word(key, at) >> 11) * 2.0**-53


def draw_forward(net: FlatNet, fixed: Mapping[int, int], seed: int, rows: int) -> tuple[list[list[int]], list[float]]:
    """Codes, nodes × rows, and the log of each row's weight."""
    drawn, weights = [], []
    for row in range(rows):
        codes, weight = [0] * len(net.cards), 0.0
        for node in net.order.tolist():
            cell = _cell(net, node, codes)
            if node in fixed:
                codes[node] = fixed[node]
                weight += float(net.logs[cell + fixed[node]])
            else:
                ends = net.ends[cell : cell + net.cards[node] - 1].tolist()
                codes[node] = bisect_right(ends, random_unit(random_word(seed, node), row))
        drawn.append(codes)
        weights.append(weight)
    return [[codes[node] for codes in drawn] for node in range(len(net.cards))], weights


def draw_gibbs(
    net: FlatNet,
    fixed: Mapping[int, int],
    first: Sequence[Sequence[int]],
    seed: int,
    rows: int,
    burn_in: int,
    thin: int,
) -> list[list[int]]:
    """Codes, nodes × rows of all chains, one chain after the other."""
    drawn = []
    for chain, start in enumerate(first):
        codes, own = list(start), random_word(seed, chain)
        for sweep in range(burn_in + rows * thin):
            for node in range(len(codes)):
                if node not in fixed:
                    codes[node] = _redrawn(net, node, codes, random_unit(random_word(own, node), sweep))
            if sweep >= burn_in and (sweep - burn_in) % thin == thin - 1:
                drawn.append(list(codes))
    return [[codes[node] for codes in drawn] for node in range(len(net.cards))]


def _redrawn(net: FlatNet, node: int, codes: Sequence[int], u: float) -> int:
    """A state from P(node | all others), which is proportional to P(node | parents) · Π P(child | its parents)."""
    weights = [1.0] * int(net.cards[node])
    for table in [node, *(child for child in range(len(codes)) if node in _parents(net, child))]:
        for state in range(len(weights)):
            changed = [*codes[:node], state, *codes[node + 1 :]]
            weights[state] *= float(net.values[_cell(net, table, changed) + changed[table]])
        if max(weights) < 1e-200:
            largest = max(weights)
            weights = [weight / largest for weight in weights]
    end, below = u * sum(weights), 0.0
    for state, weight in enumerate(weights):
        below += weight
        if weight > 0 and end < below:
            return state
    return max(state for state, weight in enumerate(weights) if weight > 0)


def _cell(net: FlatNet, node: int, codes: Sequence[int]) -> int:
    """The index in the flat arrays of the node's row for the states of its parents."""
    row = 0
    for up in _parents(net, node):
        row = row * int(net.cards[up]) + codes[up]
    return int(net.offsets[node]) + row * int(net.cards[node])


def _parents(net: FlatNet, node: int) -> list[int]:
    parents: list[int] = net.parents[net.starts[node] : net.starts[node + 1]].tolist()
    return parents
