"""A column that is there or not (Culotta, CS429): two states, whatever occurs.

P(x = 1 | j) = (n_j1 + a) / (n_j + 2a)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from deciban.errors import ParameterError
from deciban.estimate.distributions.base import Distribution, OneValue, numbers_of
from deciban.estimate.distributions.categorical import Categorical, CategoricalLikelihood
from deciban.estimate.distributions.examples import Example, states_of
from deciban.estimate.distributions.values import Markers, is_missing, read_number
from deciban.estimate.live.base import LiveColumn, Setting
from deciban.estimate.live.counts import LivePresence
from deciban.estimate.smoothing import Laplace, Smoothing, log_probabilities
from deciban.read import Column, Variable, plain
from deciban.tallies import Counts, Sample, count_column
from deciban.tallies.leave_one_out import weight_left
from deciban.types import Codes, Floats

__all__ = ["Bernoulli"]

_STATES = np.array([False, True], dtype=object)


@dataclass(frozen=True, kw_only=True)
class Bernoulli(Distribution):
    """Booleans, or numbers of which those above `threshold` count as present."""

    threshold: float = 0.0
    smoothing: Smoothing | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.threshold, Real):
            raise ParameterError(f"threshold is a number, not {self.threshold!r}.")

    def count(self, column: Column, sample: Sample, owner: str) -> Counts:
        self.check(column, owner)
        return _of_both(count_column(self._presence(column), sample))

    def estimate(self, parts: Sequence[Counts]) -> CategoricalLikelihood:
        return _PresenceLikelihood(self, parts)

    def leave_one_out(self, parts: Sequence[Counts], columns: Sequence[Column], y: Codes, weights: Floats) -> Floats:
        """Exact: there are two states, whatever is left."""
        out = np.zeros((len(y), len(columns), len(parts[0].table)))
        pseudo = (self.smoothing or Laplace()).pseudocounts(2)
        own = np.zeros((len(y), len(parts[0].table)))
        own[np.arange(len(y)), y] = weights
        for i, (part, column) in enumerate(zip(parts, columns, strict=True)):
            both = _of_both(part)
            codes = self._presence(column).codes(both.variable)
            whole = weight_left(both.table.sum(axis=1), own) + pseudo.sum()
            logs = log_probabilities(weight_left(both.table[:, codes].T, own), pseudo[codes][:, None], whole, states=2)
            out[:, i] = np.where((codes >= 0)[:, None], logs, 0.0)
        return out

    def live(self, part: Counts, setting: Setting) -> LiveColumn:
        both = part.variable.union(Variable(setting.name, _STATES, 2))
        return LivePresence(self, part.restated(both), setting, "smooth")

    def examples(self, part: Counts) -> list[Example]:
        return states_of(_of_both(part))

    def is_present(self, value: Any, name: str) -> bool:
        """True when one value, which is not missing, counts as present."""
        held = plain(value)
        return held if isinstance(held, bool) else read_number(held, name) > self.threshold

    def _presence(self, column: Column) -> Column:
        if not column.is_numeric and set(column.states.tolist()) <= {False, True, None}:
            return column
        values = numbers_of(column)
        places = np.where(np.isnan(values), -1, values > self.threshold).astype(np.int32)
        return Column.of_states(column.name, _STATES, places)


class _PresenceLikelihood(CategoricalLikelihood):
    def __init__(self, kind: Bernoulli, parts: Sequence[Counts]) -> None:
        self._presence = kind._presence
        self._is_present = kind.is_present
        super().__init__(Categorical(smoothing=kind.smoothing), tuple(map(_of_both, parts)))

    def one(self, i: int, names: Sequence[str], markers: Markers = frozenset()) -> OneValue:
        score, name = super().one(i, names), names[i]

        def score_presence(value: Any) -> Sequence[float]:
            held = plain(value)
            return score(None if is_missing(held) or held in markers else self._is_present(held, name))

        return score_presence

    def _as_states(self, column: Column) -> Column:
        return self._presence(column)


def _of_both(part: Counts) -> Counts:
    """The same counts over both states, also when one of them never occurred or was forgotten."""
    return part.restated(Variable(part.variable.name, _STATES, 2))
