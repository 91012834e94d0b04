"""Moments that learn one value at a time.

The values wait in lists and are counted together now and then, so that `part` gives what counting all the rows at once
would have given, with sums in double-double (see `Moments`). Predictions use doubles, which take in the values that
came since the last prediction (Welford, 1962):

    n' = n + 1,  δ = x − m,  m' = m + δ/n',  M' = M + δ²·n/n'
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from deciban.estimate.distributions.values import number_reader
from deciban.estimate.live.base import LiveColumn, Setting
from deciban.read import Matrix, Variable
from deciban.tallies import Moments, Sample, Spread, gather_moments

if TYPE_CHECKING:
    from deciban.estimate.distributions.base import Distribution
    from deciban.estimate.distributions.gaussian import Gaussian

__all__ = ["LiveGaussian", "LiveMoments", "normal_logs"]

Parameters = list[tuple[float, float, float]]
"""Mean, 1/2σ² and −½ log 2πσ² of each class."""

_Taken = tuple[int, float, float, float]
"""Of a class: how many of the waiting values are taken in; weight, mean and sum of squared deviations with these."""

_MOST_PENDING = 4096
_FLOOR = 1e-9
_TINY, _HUGE = 1e-300, 1e300
_LOG_TWO_PI = math.log(2.0 * math.pi)


class LiveMoments(LiveColumn):
    """A numeric column: weight, mean and sum of squared deviations in each class; `convert` checks a number first."""

    def __init__(
        self,
        kind: Distribution,
        part: Moments,
        setting: Setting,
        convert: Callable[[float, str], float] | None = None,
    ) -> None:
        super().__init__(kind, setting)
        self._number = number_reader(setting.name, setting.markers)
        self._convert = convert
        self._parameters: Parameters | None = None
        self._begin(part)

    def _begin(self, part: Moments) -> None:
        """Go on from these moments."""
        self._part = part
        self._pending: list[list[float]] = [[] for _ in range(self._classes)]

    def read(self, value: Any) -> float | None:
        number = self._number(value)
        if number is None:
            self._refuse_missing()
            return None
        return number if self._convert is None else self._convert(number, self.name)

    def add(self, read: float, j: int) -> None:
        self._parameters = None
        waiting = self._pending[j]
        waiting.append(read)
        if len(waiting) == _MOST_PENDING:
            self.part()

    def part(self) -> Moments:
        if any(self._pending):
            codes = np.repeat(np.arange(self._classes, dtype=np.int32), [len(held) for held in self._pending])
            values = np.concatenate([np.array(held, dtype=np.float64) for held in self._pending])
            classes = Variable("y", np.arange(self._classes), self._classes)
            sample = Sample(classes, codes, np.bincount(codes, minlength=self._classes))
            matrix = Matrix(values[:, None], self._part.given_names)
            self._begin(self._part + gather_moments(matrix, sample, self._owner, missing_allowed=True))
        return self._part


class LiveGaussian(LiveMoments):
    """A normal column whose variances are its own, or tied over the classes."""

    kind: Gaussian

    def __init__(self, kind: Gaussian, part: Moments, setting: Setting) -> None:
        super().__init__(kind, part, setting)
        self.scores = kind.tie in ("none", "class")
        self._nothing = [0.0] * self._classes

    def _begin(self, part: Moments) -> None:
        super()._begin(part)
        self._is_behind = False
        weight = np.broadcast_to(part.weight, part.mean.shape)
        tables = (table[:, 0].tolist() for table in (weight, part.mean, part.deviation))
        self._taken: list[_Taken] = [(0, n, mean, deviation) for n, mean, deviation in zip(*tables, strict=True)]

    def add(self, read: float, j: int) -> None:
        waiting = self._pending[j]
        waiting.append(read)
        if self._parameters is None:
            self._is_behind = True
        else:  # predictions and values take turns: take this one in at once (`_with`, written out to save a call)
            done, n, mean, deviation = self._taken[j]
            whole = n + 1.0
            gap = read - mean
            share = 1.0 / whole
            between = gap * gap * (n * share) if n > 0 else 0.0
            self._taken[j] = (done + 1, whole, mean + gap * share, deviation + between)
            self._parameters = None
        if len(waiting) == _MOST_PENDING:
            self.part()

    def _take_in(self) -> list[_Taken]:
        if self._is_behind:
            for j, held in enumerate(self._pending):
                taken = self._taken[j]
                for read in held[taken[0] :]:
                    taken = _with(taken, read)
                self._taken[j] = taken
            self._is_behind = False
        return self._taken

    def score(self, value: Any) -> Sequence[float]:
        x = self._number(value)
        if x is None:
            return self._nothing
        return normal_logs(self._parameters or self._settle_two() or self._settle(), x)

    def _settle_two(self) -> Parameters | None:
        """What `_settle` gives, step by step for the usual number of classes; None where there is more to it."""
        if self._classes != 2 or self.kind.tie != "none":
            return None
        (_, n0, m0, d0), (_, n1, m1, d1) = self._take_in() if self._is_behind else self._taken
        if not (n0 > 0 and n1 > 0):
            return None
        k, within, reach = self.kind.strength, (d0 + d1) / (n0 + n1), m0 - m1
        v0, v1 = (d0 + k * within) / (n0 + k), (d1 + k * within) / (n1 + k)
        least = _FLOOR * (within + reach * reach) + _TINY
        if not (least < v0 < _HUGE and least < v1 < _HUGE):
            return None
        norm0, norm1 = -0.5 * (_LOG_TWO_PI + math.log(v0)), -0.5 * (_LOG_TWO_PI + math.log(v1))
        self._parameters = [(m0, 0.5 / v0, norm0), (m1, 0.5 / v1, norm1)]
        return self._parameters

    def _settle(self) -> Parameters:
        """Mean, 1/2σ² and −½ log 2πσ² of each class.

        No variance is below a share of the whole column's; where all are above a bound of that, it is not computed.
        """
        _, weight, mean, deviation = zip(*self._take_in(), strict=True)
        total, spread, k = sum(weight), sum(deviation), self.kind.strength
        reach = max(mean) - min(mean)
        if not (min(weight) > 0 and 0 < spread < _HUGE):
            return self._settle_exactly()
        within = spread / total
        if self.kind.tie == "class":
            variances = [within] * self._classes
        else:
            drawn = k * within
            variances = [(m + drawn) / (n + k) for n, m in zip(weight, deviation, strict=True)]
        if not (_FLOOR * (within + reach * reach) + _TINY < min(variances) <= max(variances) < _HUGE):
            return self._settle_exactly()
        self._parameters = _parameters(mean, variances)
        return self._parameters

    def _settle_exactly(self) -> Parameters:
        """The same by the estimate of tables, with all that it does for constant columns and huge numbers."""
        held = (np.array(table)[:, None] for table in list(zip(*self._take_in(), strict=True))[1:])
        likelihood = self.kind.estimate([Spread(*held)])
        self._parameters = _parameters(likelihood.mean[:, 0].tolist(), likelihood.variance[:, 0].tolist())
        return self._parameters


def normal_logs(parameters: Parameters, x: float) -> list[float]:
    """log N(x; μ_j, σ²_j), class by class."""
    if len(parameters) == 2:  # the usual number, for which a loop costs more than the sums
        (m0, half0, norm0), (m1, half1, norm1) = parameters
        return [norm0 - (x - m0) * (x - m0) * half0, norm1 - (x - m1) * (x - m1) * half1]
    return [norm - (x - mean) * (x - mean) * half for mean, half, norm in parameters]


def _with(taken: _Taken, read: float) -> _Taken:
    """With one more value, by Welford's formula."""
    done, n, mean, deviation = taken
    whole = n + 1.0
    gap = read - mean
    share = 1.0 / whole
    between = gap * gap * (n * share) if n > 0 else 0.0
    return done + 1, whole, mean + gap * share, deviation + between


def _parameters(means: Sequence[float], variances: Sequence[float]) -> Parameters:
    log = math.log
    return [(m, 0.5 / v, -0.5 * (_LOG_TWO_PI + log(v))) for m, v in zip(means, variances, strict=True)]
