"""Confidence intervals of scores that are means over rows.

    Wilson (1927)  (k + z²/2 ± z·√(k(n − k)/n + z²/4)) / (n + z²), for a share k/n such as the accuracy
    normal         mean ± z·s/√n, for the mean of any score of a row, such as the log loss

with z the quantile of the normal distribution, 1.96 for 95 %. Both treat the rows as independent draws.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import scipy

from deciban.errors import ParameterError
from deciban.types import Floats

__all__ = ["LEVEL", "Interval", "mean_interval", "wilson"]

LEVEL = 0.95
"""The confidence level of all intervals."""


class Interval(NamedTuple):
    """A score with its confidence interval.

    >>> print(Interval(0.5, 0.25, 0.75))
    0.5000 (0.2500 to 0.7500)
    """

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.4f} ({self.low:.4f} to {self.high:.4f})"


def wilson(count: int, rows: int) -> Interval:
    """The share count/rows with Wilson's interval, which lies within 0 and 1 also where the share is 0 or 1.

    >>> print(wilson(7, 10))
    0.7000 (0.3968 to 0.8922)
    """
    if not 0 <= count <= rows or rows == 0:
        raise ParameterError(f"a share is of at least one row, and not above 1, not {count} of {rows}.")
    z = _quantile()
    middle, spread = count + z * z / 2, z * math.sqrt(count * (rows - count) / rows + z * z / 4)
    low, high = (middle - spread) / (rows + z * z), (middle + spread) / (rows + z * z)
    return Interval(count / rows, low if count else 0.0, high if count < rows else 1.0)


def mean_interval(values: Floats, lowest: float, highest: float) -> Interval:
    """The mean of scores that lie between `lowest` and `highest`; of one row, the interval is that whole range.

    >>> import numpy as np
    >>> print(mean_interval(np.array([0.1, 0.3, 0.5, 0.3]), 0.0, 1.0))
    0.3000 (0.1400 to 0.4600)
    """
    mean = float(values.mean())
    if len(values) == 1:
        return Interval(mean, lowest, highest)
    spread = _quantile() * float(values.std(ddof=1)) / math.sqrt(len(values))
    return Interval(mean, max(mean - spread, lowest), min(mean + spread, highest))


def _quantile() -> float:
    return float(scipy.special.ndtri(0.5 + LEVEL / 2))
