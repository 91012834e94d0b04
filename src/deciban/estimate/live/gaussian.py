"""Normal columns that are updated and scored one value at a time.

Predictions use doubles, to which the values that came since the last prediction are added (Welford, 1962):

    n' = n + 1,  δ = x − m,  m' = m + δ/n',  M' = M + δ²·n/n'
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from deciban.estimate.live.base import Counted, Setting
from deciban.estimate.live.moments import MOST_PENDING, LiveMoments
from deciban.tallies import Moments, Spread
from deciban.types import Floats

__all__ = ["LiveGaussian", "normal_logs"]

Parameters = list[tuple[float, float, float]]
"""Mean, 1/2σ² and −½ log 2πσ² of each class."""

_Running = tuple[int, float, float, float]
"""Of a class: how many of the pending values are included; weight, mean and sum of squared deviations with these."""

_FLOOR = 1e-9
_TINY, _HUGE = 1e-300, 1e300
_LOG_TWO_PI = math.log(2.0 * math.pi)


class _Estimate(Protocol):
    @property
    def mean(self) -> Floats: ...
    @property
    def variance(self) -> Floats: ...


class _Normal(Counted, Protocol):
    """What the counter uses of `Gaussian`."""

    @property
    def tie(self) -> str: ...
    @property
    def strength(self) -> float: ...
    def estimate(self, parts: Sequence[Moments | Spread]) -> _Estimate: ...


class LiveGaussian(LiveMoments):
    """A normal column whose variances are its own, or tied over the classes."""

    kind: _Normal

    def __init__(self, kind: _Normal, part: Moments, setting: Setting) -> None:
        self._parameters: Parameters | None = None
        super().__init__(kind, part, setting)
        self.scores = kind.tie in ("none", "class")
        self._nothing = [0.0] * self._classes

    def _begin(self, part: Moments) -> None:
        super()._begin(part)
        self._is_behind = False
        weight = np.broadcast_to(part.weight, part.mean.shape)
        tables = (table[:, 0].tolist() for table in (weight, part.mean, part.deviation))
        self._running: list[_Running] = [(0, n, mean, deviation) for n, mean, deviation in zip(*tables, strict=True)]

    def add(self, read: float, j: int) -> None:
        pending = self._pending[j]
        pending.append(read)
        if self._parameters is None:
            self._is_behind = True
        else:  # predictions and values alternate: include this one at once (`_with`, inlined to save a call)
            done, n, mean, deviation = self._running[j]
            whole = n + 1.0
            delta = read - mean
            share = 1.0 / whole
            between = delta * delta * (n * share) if n > 0 else 0.0
            self._running[j] = (done + 1, whole, mean + delta * share, deviation + between)
            self._parameters = None
        if len(pending) == MOST_PENDING:
            self.part()

    def _update(self) -> list[_Running]:
        if self._is_behind:
            for j, held in enumerate(self._pending):
                running = self._running[j]
                for read in held[running[0] :]:
                    running = _with(running, read)
                self._running[j] = running
            self._is_behind = False
        return self._running

    def score(self, value: Any) -> Sequence[float]:
        x = self._number(value)
        if x is None:
            return self._nothing
        return normal_logs(self._parameters or self._settle_two() or self._settle(), x)

    def _settle_two(self) -> Parameters | None:
        """What `_settle` gives, written out for two classes, the usual number; None where it does not apply."""
        if self._classes != 2 or self.kind.tie != "none":
            return None
        (_, n0, m0, d0), (_, n1, m1, d1) = self._update() if self._is_behind else self._running
        if not (n0 > 0 and n1 > 0):
            return None
        k, within, distance = self.kind.strength, (d0 + d1) / (n0 + n1), m0 - m1
        v0, v1 = (d0 + k * within) / (n0 + k), (d1 + k * within) / (n1 + k)
        least = _FLOOR * (within + distance * distance) + _TINY
        if not (least < v0 < _HUGE and least < v1 < _HUGE):
            return None
        norm0, norm1 = -0.5 * (_LOG_TWO_PI + math.log(v0)), -0.5 * (_LOG_TWO_PI + math.log(v1))
        self._parameters = [(m0, 0.5 / v0, norm0), (m1, 0.5 / v1, norm1)]
        return self._parameters

    def _settle(self) -> Parameters:
        """Mean, 1/2σ² and −½ log 2πσ² of each class.

        Variances have a floor, a share of the variance of the whole column. It is not computed where all variances are
        above an upper bound of it.
        """
        _, weight, mean, deviation = zip(*self._update(), strict=True)
        total, spread, k = sum(weight), sum(deviation), self.kind.strength
        distance = max(mean) - min(mean)
        if not (min(weight) > 0 and 0 < spread < _HUGE):
            return self._settle_exactly()
        within = spread / total
        if self.kind.tie == "class":
            variances = [within] * self._classes
        else:
            drawn = k * within
            variances = [(m + drawn) / (n + k) for n, m in zip(weight, deviation, strict=True)]
        if not (_FLOOR * (within + distance * distance) + _TINY < min(variances) <= max(variances) < _HUGE):
            return self._settle_exactly()
        self._parameters = _parameters(mean, variances)
        return self._parameters

    def _settle_exactly(self) -> Parameters:
        """The same by the estimate of whole tables, which covers constant columns and huge numbers."""
        held = (np.array(table)[:, None] for table in list(zip(*self._update(), strict=True))[1:])
        likelihood = self.kind.estimate([Spread(*held)])
        self._parameters = _parameters(likelihood.mean[:, 0].tolist(), likelihood.variance[:, 0].tolist())
        return self._parameters


def normal_logs(parameters: Parameters, x: float) -> list[float]:
    """log N(x; μ_j, σ²_j), class by class."""
    if len(parameters) == 2:  # the usual number, for which a loop costs more than the sums
        (m0, half0, norm0), (m1, half1, norm1) = parameters
        return [norm0 - (x - m0) * (x - m0) * half0, norm1 - (x - m1) * (x - m1) * half1]
    return [norm - (x - mean) * (x - mean) * half for mean, half, norm in parameters]


def _with(running: _Running, read: float) -> _Running:
    """With one more value, by Welford's formula."""
    done, n, mean, deviation = running
    whole = n + 1.0
    delta = read - mean
    share = 1.0 / whole
    between = delta * delta * (n * share) if n > 0 else 0.0
    return done + 1, whole, mean + delta * share, deviation + between


def _parameters(means: Sequence[float], variances: Sequence[float]) -> Parameters:
    log = math.log
    return [(m, 0.5 / v, -0.5 * (_LOG_TWO_PI + log(v))) for m, v in zip(means, variances, strict=True)]
