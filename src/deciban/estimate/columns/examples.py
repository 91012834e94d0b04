"""Example values of a column, for the axis of a nomogram: its states, its bins, or numbers from across its range."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from deciban.tallies import Counts, Moments, Sketch
from deciban.types import Floats

__all__ = ["Example", "across", "bins_of", "quantiles_of", "short_number", "states_of"]

_SPREADS = (-1.5, -0.75, 0.0, 0.75, 1.5)
_SHARES = (0.02, 0.25, 0.5, 0.75, 0.98)


class Example(NamedTuple):
    """A value as text, the value itself, and how many rows it represents."""

    text: str
    value: Any
    rows: float


def states_of(part: Counts) -> list[Example]:
    """The states that occurred."""
    rows, labels = part.table.sum(axis=0).tolist(), part.variable.labels.tolist()
    return [Example(str(label), label, held) for label, held in zip(labels, rows, strict=True) if held > 0]


def bins_of(cuts: Floats, counts: Floats) -> list[Example]:
    """The bins that are not empty: up to each cut, and beyond the last."""
    ends = cuts.tolist()
    if not ends:
        return [Example("any", 0.0, float(counts.sum()))]
    texts = [f"≤ {short_number(end)}" for end in ends[:1]]
    texts += [f"{short_number(a)} – {short_number(b)}" for a, b in pairwise(ends)]
    texts += [f"> {short_number(end)}" for end in ends[-1:]]
    inside = [*ends, math.nextafter(ends[-1], math.inf)]
    rows = counts.sum(axis=0).tolist()
    return [Example(*bin_) for bin_ in zip(texts, inside, rows, strict=True) if bin_[2] > 0]


def quantiles_of(part: Sketch) -> list[Example]:
    """Values that occurred, from the low end to the high one."""
    rows = part.table.sum(axis=0)
    if not rows.any():
        return []
    at = np.searchsorted(np.cumsum(rows), np.array(_SHARES) * rows.sum())
    return _numbers(part.values[np.minimum(at, len(rows) - 1)].tolist(), float(rows.sum()))


def across(part: Moments, least_step: float = 0.0) -> list[Example]:
    """The mean, and numbers below and above it by up to one and a half standard deviations, rounded to the spread."""
    pooled = part.pooled()
    weight = float(pooled.weight[0, 0])
    mean, spread = float(pooled.mean[0, 0]), math.sqrt(max(float(pooled.deviation[0, 0]), 0.0) / max(weight, 1.0))
    if not weight or not math.isfinite(spread):
        return []
    step = max(10.0 ** math.floor(math.log10(spread / 2.0)) if spread > 0 else 0.0, least_step)
    numbers = [mean + k * spread for k in _SPREADS] if spread > 0 else [mean]
    return _numbers([round(x / step) * step for x in numbers] if step else numbers, weight)


def short_number(number: float) -> str:
    """A number in a few digits.

    >>> short_number(0.123456), short_number(23.0), short_number(1234567.8), short_number(-0.0)
    ('0.1235', '23', '1,234,568', '0')
    """
    is_long = 1e4 <= abs(number) < 1e9
    return f"{number:,.0f}" if is_long else f"{number:z.4g}"


def _numbers(numbers: Iterable[float], rows: float) -> list[Example]:
    distinct = list(dict.fromkeys(numbers))
    return [Example(short_number(number), number, rows / len(distinct)) for number in distinct]
