"""The scores by their definitions: the readable twin of the kernels behind ``deciban.nets.scores``.

Rows are mappings from names to values; a weight of n counts a row n times. Slow, for teaching and for tests.

>>> rows = [{"rain": "no", "wet": "no"}, {"rain": "yes", "wet": "yes"}] * 2
>>> states = {"rain": 2, "wet": 2}
>>> round(bic(rows, states, "wet", ["rain"]), 3)
-1.386
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from math import lgamma, log, pi, prod
from typing import Any

import numpy as np

from deciban.types import Floats

__all__ = ["bdeu", "bic", "gain", "gaussian_bic", "k2", "local", "log_likelihood"]

Row = Mapping[str, Any]


Weights = Sequence[float] | None


def family_counts(
    rows: Sequence[Row], child: str, parents: Sequence[str], weights: Weights = None
) -> tuple[Counter[Any], Counter[Any]]:
    """How often each configuration of the parents occurs with each state of the child, and how often in total."""
    cells: Counter[Any] = Counter()
    for row, weight in zip(rows, weights or [1] * len(rows), strict=True):
        cells[tuple(row[parent] for parent in parents), row[child]] += weight  # type: ignore[assignment]
    strata: Counter[Any] = Counter()
    for (configuration, _), n in cells.items():
        strata[configuration] += n
    return cells, strata


def log_likelihood(rows: Sequence[Row], child: str, parents: Sequence[str], weights: Weights = None) -> float:
    """Σ n_jk·log(n_jk / n_j)."""
    cells, strata = family_counts(rows, child, parents, weights)
    return sum(n * log(n / strata[configuration]) for (configuration, _), n in cells.items())


def bic(
    rows: Sequence[Row], states: Mapping[str, int], child: str, parents: Sequence[str], weights: Weights = None
) -> float:
    """The log-likelihood less ½·log n·(r − 1)·q."""
    free = (states[child] - 1) * prod(states[parent] for parent in parents)
    return log_likelihood(rows, child, parents, weights) - 0.5 * log(sum(weights or [1] * len(rows))) * free


def bdeu(
    rows: Sequence[Row],
    states: Mapping[str, int],
    child: str,
    parents: Sequence[str],
    ess: float,
    weights: Weights = None,
) -> float:
    """Σ_j log Γ(a/q)/Γ(a/q + n_j) + Σ_jk log Γ(a/qr + n_jk)/Γ(a/qr)."""
    cells, strata = family_counts(rows, child, parents, weights)
    q = prod(states[parent] for parent in parents)
    a, b = ess / q, ess / (q * states[child])
    of_strata = sum(lgamma(a) - lgamma(a + n) for n in strata.values())
    return of_strata + sum(lgamma(b + n) - lgamma(b) for n in cells.values())


def k2(
    rows: Sequence[Row], states: Mapping[str, int], child: str, parents: Sequence[str], weights: Weights = None
) -> float:
    """Σ_j log Γ(r)/Γ(r + n_j) + Σ_jk log Γ(1 + n_jk)."""
    cells, strata = family_counts(rows, child, parents, weights)
    r = states[child]
    return sum(lgamma(r) - lgamma(r + n) for n in strata.values()) + sum(lgamma(1 + n) for n in cells.values())


def gaussian_bic(values: Floats, child: int, parents: Sequence[int], weights: Weights = None) -> float:
    """The likelihood of a least-squares fit less ½·log n for each coefficient, the intercept and the variance."""
    share = np.ones(len(values)) if weights is None else np.array(weights, dtype=np.float64)
    rows = float(share.sum())
    design = np.column_stack([np.ones(len(values)), values[:, list(parents)]])
    root = np.sqrt(share)
    fit = np.linalg.lstsq(design * root[:, None], values[:, child] * root, rcond=None)[0]
    variance = float(share @ (values[:, child] - design @ fit) ** 2) / rows
    return -0.5 * rows * (log(2 * pi * variance) + 1) - 0.5 * log(rows) * (len(parents) + 2)


Score = Callable[[Sequence[Row], str, Sequence[str], Weights], float]
"""The score of a child and its parents on some rows, which have weights."""


def gain(
    rows: Sequence[Row], score: Score, child: str, added: str, parents: Sequence[str], weights: Weights = None
) -> float:
    """What a parent gains where values, None, are missing: n / n_F·[s(v, P ∪ x; F) − s(v, P; F)], 0 on too few rows."""
    shares = weights or [1] * len(rows)
    known = [i for i, row in enumerate(rows) if all(row[name] is not None for name in (child, added, *parents))]
    part, own = [rows[i] for i in known], [shares[i] for i in known]
    if not known or sum(own) < min(30, sum(shares) / 2):
        return 0.0
    both = score(part, child, [*parents, added], own) - score(part, child, parents, own)
    return sum(shares) / sum(own) * both


def local(rows: Sequence[Row], score: Score, child: str, parents: Sequence[str], weights: Weights = None) -> float:
    """The least that parents gain, one after the other, in any order."""
    shares = weights or [1] * len(rows)
    if not parents:
        known = [i for i, row in enumerate(rows) if row[child] is not None]
        own = [shares[i] for i in known]
        return sum(shares) / sum(own) * score([rows[i] for i in known], child, [], own)
    rests = [(added, [parent for parent in parents if parent != added]) for added in parents]
    return min(
        local(rows, score, child, rest, weights) + gain(rows, score, child, added, rest, weights)
        for added, rest in rests
    )
