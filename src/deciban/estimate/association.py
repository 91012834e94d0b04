"""Measures of association between a column and the class, from counts alone (IR-book 13.5).

    mutual information      I(X; C) = Σ P(x, c)·log P(x, c) / (P(x)·P(c))
    χ²                      Σ (n_xc − e_xc)² / e_xc,  e_xc = n_x·n_c / n
    symmetrical uncertainty 2·I(X; C) / (H(X) + H(C))

The mutual information of a numeric column is that of normal densities, I = ½ log σ² − Σ_c P(c)·½ log σ²_c, from its
moments. It is at most the entropy of the class, H(C). Each distribution of a column says which of these applies to it
(`ColumnDistribution.contingency` and `ColumnDistribution.information`).

>>> round(mutual_information(np.array([[2, 0], [0, 2]])), 4)  # a coin and its copy: log 2
0.6931
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

import numpy as np

from deciban.choices import check_choice
from deciban.tallies import Moments, Spread
from deciban.types import AnyArray, Floats

__all__ = [
    "MEASURES",
    "Measure",
    "chi_squared",
    "measure_of",
    "mutual_information",
    "normal_information",
    "symmetrical_uncertainty",
]

Measure = Literal["mi", "chi2", "su"]

_LARGEST = float(np.finfo(np.float64).max)
# The least share of a column's variance that a class has: a class in which the column is constant would be infinite.
_LEAST_RATIO = 1e-9


def mutual_information(table: AnyArray) -> float:
    """I(X; C) of a class × state table of counts, in nats."""
    joint, rows, columns = _shares(table)
    # Differences of logarithms: the product of two small shares may underflow to 0, and a ratio would be infinite.
    logs = _log(joint) - _log(rows) - _log(columns)
    return max(float(np.sum(joint * logs)), 0.0)


def chi_squared(table: AnyArray) -> float:
    """Pearson's χ² of a class × state table of counts; the largest float where it overflows."""
    joint, rows, columns = _shares(table)
    expected = rows * columns
    share = float(np.divide((joint - expected) ** 2, expected, out=np.zeros_like(joint), where=expected > 0).sum())
    with np.errstate(over="ignore"):
        return min(share * float(table.sum()), _LARGEST) if share > 0 else 0.0


def symmetrical_uncertainty(table: AnyArray) -> float:
    """2·I(X; C) / (H(X) + H(C)): 1 where each determines the other, 0 where they are independent."""
    _, rows, columns = _shares(table)
    entropy = -float(np.sum(rows * _log(rows)) + np.sum(columns * _log(columns)))
    return 2.0 * mutual_information(table) / entropy if entropy > 0 else 0.0


MEASURES: Mapping[str, Callable[[AnyArray], float]] = {
    "mi": mutual_information,
    "chi2": chi_squared,
    "su": symmetrical_uncertainty,
}


def measure_of(name: str) -> Callable[[AnyArray], float]:
    """The measure of a table that has this name."""
    check_choice("measure", name, list(MEASURES))
    return MEASURES[name]


def normal_information(moments: Moments | Spread) -> float:
    """I(X; C) of one column that is normal within each class, in nats."""
    weight = np.broadcast_to(moments.weight, moments.mean.shape)[:, 0]
    share = _shares(weight[:, None])[1][:, 0]
    with np.errstate(over="ignore", invalid="ignore"):
        whole = _variance(moments.pooled().deviation[:, 0], weight.sum(keepdims=True))[0]
        within = _variance(moments.deviation[:, 0], weight)
    if not whole > 0:
        return 0.0
    # Where squares overflow, the variance of a class is unknown: that of all classes is used instead.
    is_known = np.isfinite(within) & (weight > 0)
    ratio = np.divide(within, whole, out=np.ones_like(within), where=is_known)
    information = -0.5 * np.sum(share * np.log(np.maximum(ratio, _LEAST_RATIO)))
    # No column says more of the class than its entropy, which the formula for densities does not know.
    return float(np.clip(information, 0.0, -np.sum(share * _log(share)))) + 0.0  # no −0


def _variance(deviation: Floats, weight: Floats) -> Floats:
    return np.divide(deviation, weight, out=np.zeros_like(deviation), where=weight > 0)


def _shares(table: AnyArray) -> tuple[Floats, Floats, Floats]:
    # Divided by the largest count first, so that no sum of weights overflows.
    largest = float(table.max(initial=0.0))
    scaled = table / largest if largest > 0 else np.zeros(table.shape)
    joint = scaled / max(float(scaled.sum()), 1.0)
    return joint, joint.sum(axis=1, keepdims=True), joint.sum(axis=0, keepdims=True)


def _log(p: Floats) -> Floats:
    """log p, and 0 where p is 0: 0·log 0 is 0."""
    return np.log(p, out=np.zeros_like(p), where=p > 0)
