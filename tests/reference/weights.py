"""Margins of rows without their own counts, and the loss that weights of columns are learned by, as on a blackboard.

The twins of ``core/weigh``. All but the loss also take `Fraction`: a margin here is the ratio

    P'(x | other class) / P'(x | own class),

whose logarithm the kernel stores, with P' estimated without the row.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

__all__ = ["count_ratios", "normal_margins", "weighed_loss"]


def count_ratios(
    counts: Sequence[Sequence[Any]], state: int, own_class: int, own: Any, pseudo: Sequence[Any], added: Any
) -> list[Any]:
    """P'(state | j) / P'(state | own class) of each other class j, from class × state counts with the row in them.

    >>> from fractions import Fraction
    >>> count_ratios(
    ...     [[3, 1], [1, 3]],
    ...     state=0,
    ...     own_class=0,
    ...     own=1,
    ...     pseudo=[Fraction(1), Fraction(1)],
    ...     added=2,
    ... )
    [Fraction(5, 9)]
    """
    whole = [sum(of_class) for of_class in counts]
    mine = (counts[own_class][state] - own + pseudo[state]) / (whole[own_class] - own + added)
    others = [j for j in range(len(counts)) if j != own_class]
    return [(counts[j][state] + pseudo[state]) / (whole[j] + added) / mine for j in others]


def normal_margins(numbers: Sequence[Sequence[float]], own_class: int, index: int, strength: float) -> list[float]:
    """The log-odds that the other classes have for one number of the own class, which is left out.

    `numbers` are those of each class. Variances are (M_j + k·W) / (n_j + k), W = Σ M / Σ n.
    """
    x = numbers[own_class][index]
    left = [v for i, v in enumerate(numbers[own_class]) if i != index]
    rest = [left if j == own_class else of_class for j, of_class in enumerate(numbers)]

    def log_density(sample: Sequence[float], within: float) -> float:
        mean = sum(sample) / len(sample)
        variance = (_deviation(sample) + strength * within) / (len(sample) + strength)
        return -0.5 * math.log(2 * math.pi * variance) - (x - mean) ** 2 / (2 * variance)

    logs = [log_density(of_class, _within(rest)) for of_class in rest]
    return [log - logs[own_class] for j, log in enumerate(logs) if j != own_class]


def weighed_loss(
    weights: Sequence[float],
    margins: Sequence[Sequence[Sequence[float]]],
    prior: Sequence[Sequence[float]],
    importance: Sequence[float],
) -> tuple[float, list[float]]:
    """Σ_r importance_r·log(1 + Σ_o exp m_ro) and its gradient; margins are rows × other classes × columns.

    m_ro = prior_ro + Σ_i weight_i·margin_roi
    """
    loss, gradient = 0.0, [0.0] * len(weights)
    for of_row, of_prior, weight in zip(margins, prior, importance, strict=True):
        sums = [
            p + sum(w * m for w, m in zip(weights, row, strict=True)) for p, row in zip(of_prior, of_row, strict=True)
        ]
        top = max(0.0, *sums)
        odds = [math.exp(m - top) for m in sums]
        whole = sum(odds) + math.exp(-top)
        loss += weight * (top + math.log(whole))
        for share, row in zip(odds, of_row, strict=True):
            for i, m in enumerate(row):
                gradient[i] += weight * share / whole * m
    return loss, gradient


def _deviation(sample: Sequence[float]) -> float:
    mean = sum(sample) / len(sample)
    return sum((v - mean) ** 2 for v in sample)


def _within(numbers: Sequence[Sequence[float]]) -> float:
    return sum(map(_deviation, numbers)) / sum(map(len, numbers))
