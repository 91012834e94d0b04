"""The readable twin of the compiled tree: every question answered by going through all states of all nodes.

P(x, e) = Π P(xᵢ | parents of xᵢ) · Π likelihoods      summed, or the largest taken, over the x that fit e
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from deciban.nets.network import Network
from deciban.types import AnyArray, Floats

__all__ = ["best", "completions", "expected_counts", "marginals"]

Likelihoods = Mapping[int, Sequence[float]]


def completions(
    network: Network, codes: Sequence[int], likelihoods: Likelihoods | None = None
) -> Iterator[tuple[tuple[int, ...], float]]:
    """Every assignment of states that fits one row of evidence, and its P(x, e)."""
    open_to = [range(card) if code < 0 else (code,) for code, card in zip(codes, network.cards, strict=True)]
    for x in itertools.product(*open_to):
        chance = 1.0
        for family, factor in zip(network.families, network.factors, strict=True):
            chance *= float(factor[tuple(x[place] for place in family)])
        for place, seen in (likelihoods or {}).items():
            chance *= float(seen[x[place]])
        yield x, chance


def marginals(
    network: Network, codes: Sequence[int], likelihoods: Likelihoods | None = None
) -> tuple[float, list[Floats]]:
    """P(e), and P(state | e) of each node; zeros where P(e) is 0."""
    sums = [np.zeros(card) for card in network.cards]
    total = 0.0
    for x, chance in completions(network, codes, likelihoods):
        total += chance
        for place, code in enumerate(x):
            sums[place][code] += chance
    return total, [each / total if total else each for each in sums]


def best(network: Network, codes: Sequence[int], likelihoods: Likelihoods | None = None) -> float:
    """The P(x, e) of a most probable completion."""
    return max(chance for _, chance in completions(network, codes, likelihoods))


def expected_counts(network: Network, rows: AnyArray, weights: Sequence[float]) -> list[Floats]:
    """The Σ weight · P(parents, node | row), shaped like each table; impossible rows count for nothing."""
    counts = [np.zeros_like(factor) for factor in network.factors]
    for codes, weight in zip(rows.tolist(), weights, strict=True):
        found = list(completions(network, codes))
        total = sum(chance for _, chance in found)
        for x, chance in found if total else []:
            for family, table in zip(network.families, counts, strict=True):
                table[tuple(x[place] for place in family)] += weight * chance / total
    return counts
