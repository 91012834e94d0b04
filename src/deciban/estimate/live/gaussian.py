"""Normal columns that are updated and scored one value at a time.

The core scores by running moments in doubles (Welford, 1962), and keeps the values since they were last counted
together. `part` counts these as a table is counted, with sums in double-double (see `Moments`).
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from deciban.estimate.live.base import CoreColumn, Counted, Setting, sample_of_codes
from deciban.estimate.live.kernels import NormalColumn, core_reader
from deciban.read import Matrix
from deciban.tallies import Moments, gather_moments
from deciban.types import Floats

__all__ = ["LiveGaussian"]


class _Normal(Counted, Protocol):
    """What the counter uses of `Gaussian`."""

    @property
    def tie(self) -> str: ...
    @property
    def strength(self) -> float: ...


class LiveGaussian(CoreColumn):
    """A normal column whose variances are its own, or tied over the classes."""

    core: NormalColumn

    def __init__(self, kind: _Normal, part: Moments, setting: Setting) -> None:
        super().__init__(kind, setting)
        self._part = part
        reader, is_tied = core_reader(self.name, self.markers, self.refuse_missing), kind.tie == "class"
        self.core = NormalColumn(_running(part), is_tied, float(kind.strength), reader)

    def part(self) -> Moments:
        values, codes = self.core.pending()
        if len(values):
            matrix = Matrix(values[:, None], self._part.given_names)
            sample = sample_of_codes(codes, self._classes)
            self._part = self._part + gather_moments(matrix, sample, self._owner, missing_allowed=True)
            self.core.reset(_running(self._part))
        return self._part


def _running(part: Moments) -> Floats:
    """Weight, mean and sum of squared deviations × classes."""
    weight = np.broadcast_to(part.weight, part.mean.shape)
    return np.ascontiguousarray([table[:, 0] for table in (weight, part.mean, part.deviation)], dtype=np.float64)
