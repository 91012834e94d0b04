"""Leave-one-out by estimating again, for distributions that have no formula for it.

Counts are subtracted from the tally, and the distribution is estimated from what is left.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from deciban.estimate.columns.likelihood import Likelihood
from deciban.estimate.columns.margins import Margins
from deciban.read import Column, Variable
from deciban.tallies import Sample
from deciban.types import Codes, Floats

__all__ = ["add_margins_by_refits", "leave_one_out_by_refits"]

_FOLDS = 10


class _Distribution(Protocol):
    def count(self, column: Column, sample: Sample, owner: str) -> Any: ...
    def estimate(self, parts: Sequence[Any]) -> Likelihood: ...


def leave_one_out_by_refits(
    distribution: _Distribution, parts: Sequence[Any], columns: Sequence[Column], y: Codes, sample_weight: Floats
) -> Floats:
    """log P(value | class) of counted rows, each subtracted from the tally: rows × columns × classes."""
    classes = parts[0].classes
    names = Variable("y", np.arange(classes), classes)
    whole = distribution.estimate(parts).columns(columns)
    for row in np.flatnonzero(sample_weight > 0).tolist():
        at, own = np.array([row]), None if sample_weight[row] == 1 else sample_weight[row : row + 1]
        sample = Sample(names, y[at], np.bincount(y[at], own, classes), own)
        single = [column.take(at) for column in columns]
        left = [
            p - distribution.count(c, sample, type(distribution).__name__) for p, c in zip(parts, single, strict=True)
        ]
        whole[row] = distribution.estimate(left).columns(single)[0]
    return whole


def add_margins_by_refits(
    distribution: _Distribution, parts: Sequence[Any], columns: Sequence[Column], margins: Margins, at: Sequence[int]
) -> None:
    """Add the evidence of counted rows to the margins, a tenth of them subtracted from the tally at a time."""
    classes = parts[0].classes
    names, logs = Variable("y", np.arange(classes), classes), np.empty((len(margins), len(columns), classes))
    for first in range(min(_FOLDS, len(margins))):
        rows = np.arange(first, len(margins), _FOLDS)
        y, own, some = margins.y[rows], margins.own[rows], [column.take(rows) for column in columns]
        weights = None if (own == 1.0).all() else own
        sample = Sample(names, y, np.bincount(y, weights, classes), weights)
        left = [
            p - distribution.count(c, sample, type(distribution).__name__) for p, c in zip(parts, some, strict=True)
        ]
        logs[rows] = distribution.estimate(left).columns(some)
    for i, index in enumerate(at):
        margins.add_logs(index, logs[:, i])


def _without(
    distribution: _Distribution, parts: Sequence[Any], columns: Sequence[Column], sample: Sample
) -> Likelihood:
    """The likelihood that is estimated without some of the counted rows."""
    owner = type(distribution).__name__
    left = [part - distribution.count(column, sample, owner) for part, column in zip(parts, columns, strict=True)]
    return distribution.estimate(left)
