"""Whether a value is missing, as evidence of its own.

`Categorical` counts missing values as one more label. Beside any other distribution stands the chance of a gap:

    P(x | j) = P(missing | j)                    where x is missing,
    P(x | j) = (1 − P(missing | j))·p(x | j)     where it is known,

with P(missing | j) = (m_j + a) / (n_j + 2a), the smoothed share of the class's rows whose value is missing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from deciban.estimate.distributions.base import Distribution, Likelihood, OneValue
from deciban.estimate.distributions.categorical import Categorical
from deciban.estimate.distributions.values import Markers, is_missing
from deciban.estimate.live.base import LiveColumn, Setting
from deciban.estimate.smoothing import Smoothing, log_probabilities
from deciban.read import Column, plain
from deciban.tallies import Gapped, Sample, count_gaps
from deciban.tallies.leave_one_out import weight_left
from deciban.types import AnyArray, Codes, Floats

__all__ = ["GappedLikelihood", "count_column_of", "estimate_columns", "leave_one_out", "live_column", "weighs_gaps"]


def weighs_gaps(kind: Distribution) -> bool:
    """True where a missing value is a state beside a distribution of the known ones."""
    return kind.missing == "state" and not isinstance(kind, Categorical)


def count_column_of(kind: Distribution, column: Column, sample: Sample, owner: str) -> Any:
    """What is kept of a column, and its gaps where they matter."""
    part = kind.count(column, sample, owner)
    return Gapped(part, count_gaps(column.is_missing, sample)) if weighs_gaps(kind) else part


def estimate_columns(kind: Distribution, parts: Sequence[Any], smoothing: Smoothing) -> Likelihood:
    """The likelihood of all columns that have this distribution; `smoothing` is for gaps, unless it has its own."""
    if not weighs_gaps(kind):
        return kind.estimate(parts)
    rule = _rule(kind, smoothing)
    logs = np.array([log_probabilities(part.gaps, rule.pseudocounts(2)).T for part in parts])
    return GappedLikelihood(kind.estimate([part.part for part in parts]), logs)


def leave_one_out(
    kind: Distribution, parts: Sequence[Any], columns: Sequence[Column], rows: tuple[Codes, Floats], rule: Smoothing
) -> Floats:
    """log P(value | class) of counted rows, each as if it had not been; `rows` are their classes and weights."""
    if not weighs_gaps(kind):
        return kind.leave_one_out(parts, columns, *rows)
    out = kind.leave_one_out([part.part for part in parts], columns, *rows)
    pseudo = _rule(kind, rule).pseudocounts(2)
    for i, (part, column) in enumerate(zip(parts, columns, strict=True)):
        out[:, i] += _gap_without_own(part.gaps, column.is_missing.astype(np.int64), rows, pseudo)
    return out


def live_column(kind: Distribution, part: Any, setting: Setting) -> LiveColumn:
    """A column that goes on learning from `part`, and its gaps where they matter."""
    return LiveGapped(kind, part, setting) if weighs_gaps(kind) else kind.live(part, setting)


class LiveGapped(LiveColumn):
    """A column that learns its values, and which rows have none."""

    def __init__(self, kind: Distribution, part: Gapped, setting: Setting) -> None:
        super().__init__(kind, setting)
        self._known = kind.live(part.part, setting)
        self._gaps: list[list[float]] = part.gaps.tolist()

    def read(self, value: Any) -> Any:
        return () if self._is_missing(value) else (self._known.read(value),)

    def add(self, read: Any, j: int) -> None:
        self._gaps[j][0 if read else 1] += 1
        if read and read[0] is not None:
            self._known.add(read[0], j)

    def part(self) -> Gapped:
        return Gapped(self._known.part(), np.array(self._gaps))


class GappedLikelihood(Likelihood):
    """What known values say, and what it says that they are known or missing: columns × (known, missing) × classes."""

    def __init__(self, of_known: Likelihood, logs: Floats) -> None:
        self._of_known, self._logs = of_known, logs

    def columns(self, columns: Sequence[Column]) -> Floats:
        out = self._of_known.columns(columns)
        for i, column in enumerate(columns):
            out[:, i] += self._logs[i, column.is_missing.astype(np.int64)]
        return out

    def rows(self, columns: Sequence[Column]) -> Floats:
        out = self._of_known.rows(columns)
        for i, column in enumerate(columns):
            out += self._logs[i, column.is_missing.astype(np.int64)]
        return out

    def one(self, i: int, names: Sequence[str], markers: Markers = frozenset()) -> OneValue:
        of_known = self._of_known.one(i, names)
        known, missing = self._logs[i].tolist()

        def score(value: Any) -> Sequence[float]:
            held = plain(value)
            if is_missing(held) or held in markers:
                return missing
            return [a + b for a, b in zip(known, of_known(held), strict=True)]

        return score


def _rule(kind: Distribution, smoothing: Smoothing) -> Smoothing:
    own = getattr(kind, "smoothing", None)
    return own if isinstance(own, Smoothing) else smoothing


def _gap_without_own(gaps: AnyArray, at: AnyArray, rows: tuple[Codes, Floats], pseudo: Floats) -> Floats:
    y, weights = rows
    own = np.zeros((len(y), len(gaps)))
    own[np.arange(len(y)), y] = weights
    whole = weight_left(gaps.sum(axis=1), own) + pseudo.sum()
    return log_probabilities(weight_left(gaps[:, at].T, own), pseudo[at][:, None], whole, states=2)
