"""Columns that learn one value at a time, as on a blackboard: all values are kept, and each score counts them anew.

The twins of ``core/rows``. `held` are the values of each class so far. Probabilities of states also take `Fraction`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from deciban.ties import TIE
from tests.reference.tallies import count_values, description_cuts

__all__ = [
    "bin_probabilities",
    "cuts_by_description",
    "cuts_by_frequency",
    "cuts_by_width",
    "normal_logs",
    "posterior",
    "state_probabilities",
]

Held = Sequence[Sequence[Any]]


def state_probabilities(held: Held, value: Any, states: Sequence[Any], pseudo: Any) -> list[Any]:
    """P(value | j) = (n_jv + a) / (n_j + a·m) of each class j, with m states.

    >>> from fractions import Fraction
    >>> state_probabilities([["sun", "sun"], ["rain"]], "sun", ["rain", "sun"], Fraction(1))
    [Fraction(3, 4), Fraction(1, 3)]
    """
    return [(sum(v == value for v in of_class) + pseudo) / (len(of_class) + pseudo * len(states)) for of_class in held]


def normal_logs(held: Held, x: float, strength: float = 0.0) -> list[float]:
    """log N(x; μ_j, σ²_j) of each class, none of them empty; σ²_j = (M_j + k·W) / (n_j + k), W = Σ M / Σ n."""
    means = [sum(of_class) / len(of_class) for of_class in held]
    deviations = [sum((v - mean) ** 2 for v in of_class) for mean, of_class in zip(means, held, strict=True)]
    within = sum(deviations) / sum(map(len, held))
    variances = [(m + strength * within) / (len(c) + strength) for m, c in zip(deviations, held, strict=True)]
    return [-math.log(2 * math.pi * s) / 2 - (x - m) ** 2 / (2 * s) for m, s in zip(means, variances, strict=True)]


def bin_probabilities(held: Held, x: float, cuts: Sequence[float], pseudo: Any) -> list[Any]:
    """P(bin of x | j); a number at a cut is in the bin below it."""

    def bin_of(v: float) -> int:
        return sum(cut < v for cut in cuts)

    return state_probabilities([list(map(bin_of, c)) for c in held], bin_of(x), range(len(cuts) + 1), pseudo)


def cuts_by_width(held: Held, bins: int) -> list[float]:
    """Cuts between bins of equal width."""
    values, _ = _table(held)
    if len(values) < 2:
        return []
    return sorted({values[0] * (1 - b / bins) + values[-1] * (b / bins) for b in range(1, bins)})


def cuts_by_frequency(held: Held, bins: int) -> list[float]:
    """Cuts between bins with equally many values, as far as equal values allow; the first of those that tie."""
    values, counts = _table(held)
    total = sum(map(sum, counts))
    up_to = [sum(map(sum, counts[: i + 1])) for i in range(len(values) - 1)]
    ends = set()
    for b in range(1, bins if up_to else 1):
        distances = [abs(n - total * b / bins) for n in up_to]
        ends.add(next(i for i, d in enumerate(distances) if d <= min(distances) + TIE * total))
    return _between(values, sorted(ends))


def cuts_by_description(held: Held, bins: int) -> list[float]:
    """Cuts by minimum description length."""
    values, counts = _table(held)
    return _between(values, description_cuts(counts, TIE))


def posterior(prior: Sequence[float], logs: Sequence[Sequence[float]], weights: Sequence[float]) -> list[float]:
    """P(j | row) ∝ P(j)·Π_i P(x_i | j)^w_i, from log P(x_i | j) by column."""
    evidence = [sum(map(_times, weights, of_class)) for of_class in zip(*logs, strict=True)]
    odds = [p * math.exp(log) for p, log in zip(prior, evidence, strict=True)]
    return [value / sum(odds) for value in odds]


def _times(weight: float, log: float) -> float:
    """weight·log, where 0·(−∞) is 0."""
    return 0.0 if weight == 0 else weight * log


def _table(held: Held) -> tuple[list[Any], list[list[Any]]]:
    """The distinct values in order, and the counts of each in the classes."""
    x = [v for of_class in held for v in of_class]
    y = [j for j, of_class in enumerate(held) for _ in of_class]
    values, table = count_values(x, y, len(held))
    return values, [list(row) for row in zip(*table, strict=True)]


def _between(values: Sequence[float], ends: Sequence[int]) -> list[float]:
    """Halfway from each of these values to the next."""
    return [values[end] / 2 + values[end + 1] / 2 for end in ends]
