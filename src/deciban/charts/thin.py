"""Fewer points for a line that has more of them than a screen can show."""

from __future__ import annotations

import numpy as np

from deciban.charts.svg import Point
from deciban.types import Floats

__all__ = ["thin"]


def thin(x: Floats, y: Floats, most: int = 160) -> list[Point]:
    """At most so many points of a line, spread evenly along it; the first and the last stay.

    >>> thin(np.linspace(0, 1, 1000), np.zeros(1000), 2)
    [(0.0, 0.0), (1.0, 0.0)]
    """
    if len(x) <= most:
        return list(zip(x.tolist(), y.tolist(), strict=True))
    length = np.append(0.0, np.cumsum(np.hypot(np.diff(x), np.diff(y))))
    kept = np.unique(np.searchsorted(length, np.linspace(0.0, length[-1], most - 1), side="left"))
    kept = np.unique(np.append(np.minimum(kept, len(x) - 1), len(x) - 1))
    return list(zip(x[kept].tolist(), y[kept].tolist(), strict=True))
