"""Drawing values: states by their probabilities, and numbers in bins."""

from __future__ import annotations

import numpy as np

from deciban.read import Variable
from deciban.read.drawn import Drawn, DrawnLabels
from deciban.types import AnyArray, Codes, Floats

__all__ = ["cumulative_ends", "draw_codes", "draw_counts", "draw_in_bins", "draw_states"]

_LARGEST_MEAN = 1e15
"""The largest mean of a Poisson number that numpy draws; beyond it, the normal distribution is as good."""


def cumulative_ends(table: Floats) -> Floats:
    """Cumulative sums along the last axis: state s is drawn where ends[s − 1] ≤ u < ends[s].

    They are 1 from the last possible state on, so that rounding never draws an impossible state.
    """
    ends = np.cumsum(table, axis=-1)
    beyond = np.cumsum(table[..., ::-1], axis=-1)[..., ::-1] - table <= 0
    ends[beyond] = 1.0
    return ends


def draw_codes(probabilities: Floats, y: Codes, rng: np.random.Generator) -> Codes:
    """A state for each row, given its class; `probabilities` are classes × states.

    >>> draw_codes(
    ...     np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([0, 1, 0]), np.random.default_rng(0)
    ... ).tolist()
    [1, 0, 1]
    """
    uniform, out = rng.random(len(y)), np.zeros(len(y), dtype=np.int32)
    for j, ends in enumerate(cumulative_ends(probabilities)):
        rows = np.flatnonzero(y == j)
        out[rows] = np.searchsorted(ends, uniform[rows], side="right")
    return out


def draw_states(variable: Variable, logs: Floats, y: Codes, rng: np.random.Generator) -> Drawn:
    """A label for each row, given its class; `logs` are states × classes.

    The states of a coded variable that are not listed share the rest of the probability, evenly.
    A variable without states gives missing values.
    """
    listed, others = np.exp(logs).T, variable.size - len(variable)
    if not variable.size:
        return DrawnLabels(variable.labels, np.full(len(y), -1, dtype=np.int32))
    if not others:
        return DrawnLabels.of(variable.labels, draw_codes(listed, y, rng))
    rest = np.maximum(1.0 - listed.sum(axis=1, keepdims=True), 0.0)
    codes = draw_codes(np.concatenate([listed, rest], axis=1), y, rng)
    which = rng.integers(others, size=len(y))
    before = np.searchsorted(variable.labels - np.arange(len(variable)), which, side="right")  # listed codes below
    return np.where(codes < len(variable), np.append(variable.labels, 0)[codes], which + before)


def draw_in_bins(cuts: Floats, bins: AnyArray, rng: np.random.Generator) -> Floats:
    """A number in each of these bins, all equally likely.

    The first and the last bin have no end: they are taken to be as wide as their neighbours, or 1 wide where there is
    no other bin.

    >>> draw_in_bins(
    ...     np.array([0.0, 10.0]), np.array([0, 1, 2]), np.random.default_rng(0)
    ... ).round(1).tolist()
    [-6.4, 7.3, 19.6]
    """
    ends = cuts if len(cuts) else np.zeros(1)
    first, last = (ends[1] - ends[0], ends[-1] - ends[-2]) if len(ends) > 1 else (1.0, 1.0)
    wide = np.concatenate([[ends[0] - first], ends, [ends[-1] + last]])
    low, high = wide[bins], wide[bins + 1]
    share = 1.0 - rng.random(len(low))  # above 0, as a number at a cut is in the bin below it
    return np.minimum(np.maximum(low + share * (high - low), np.nextafter(low, np.inf)), high)


def draw_counts(means: Floats, rng: np.random.Generator) -> Floats:
    """Poisson numbers with these means."""
    counts = rng.poisson(np.minimum(means, _LARGEST_MEAN)).astype(np.float64)
    large = means > _LARGEST_MEAN
    counts[large] = np.floor(means[large] + np.sqrt(means[large]) * rng.standard_normal(int(large.sum())))
    return counts
