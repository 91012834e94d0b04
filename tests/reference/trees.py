"""The readable twin of the compiled tree: every query answered by enumerating all states of all nodes.

P(x, e) = Π P(xᵢ | parents of xᵢ) · Π likelihoods      summed or maximized over the x that agree with e
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
    """Every assignment of states that agrees with one row of evidence, and its P(x, e)."""
    allowed = [range(card) if code < 0 else (code,) for code, card in zip(codes, network.cards, strict=True)]
    for x in itertools.product(*allowed):
        probability = 1.0
        for family, factor in zip(network.families, network.factors, strict=True):
            probability *= float(factor[tuple(x[index] for index in family)])
        for index, likelihood in (likelihoods or {}).items():
            probability *= float(likelihood[x[index]])
        yield x, probability


def marginals(
    network: Network, codes: Sequence[int], likelihoods: Likelihoods | None = None
) -> tuple[float, list[Floats]]:
    """P(e), and P(state | e) of each node; zeros where P(e) is 0."""
    sums = [np.zeros(card) for card in network.cards]
    total = 0.0
    for x, probability in completions(network, codes, likelihoods):
        total += probability
        for index, code in enumerate(x):
            sums[index][code] += probability
    return total, [each / total if total else each for each in sums]


def best(network: Network, codes: Sequence[int], likelihoods: Likelihoods | None = None) -> float:
    """The P(x, e) of a most probable completion."""
    return max(probability for _, probability in completions(network, codes, likelihoods))


def expected_counts(network: Network, rows: AnyArray, weights: Sequence[float]) -> list[Floats]:
    """The Σ weight · P(parents, node | row), shaped like each table; impossible rows are ignored."""
    counts = [np.zeros_like(factor) for factor in network.factors]
    for codes, weight in zip(rows.tolist(), weights, strict=True):
        found = list(completions(network, codes))
        total = sum(probability for _, probability in found)
        for x, probability in found if total else []:
            for family, table in zip(network.families, counts, strict=True):
                table[tuple(x[index] for index in family)] += weight * probability / total
    return counts
