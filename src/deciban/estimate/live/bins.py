"""Columns in bins that are updated and scored one value at a time.

The core keeps the column as a `Sketch` does, finds the cuts again where the counts have changed, and counts the bins.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from deciban.estimate.live.base import CoreColumn, Counted, Setting, sample_of_codes
from deciban.estimate.live.kernels import BinColumn, core_reader
from deciban.estimate.smoothing import Laplace, Smoothing
from deciban.tallies import Sketch, sketch_column
from deciban.types import AnyArray, Floats, Ints

__all__ = ["LiveBins"]


class _Binned(Counted, Protocol):
    """What the counter uses of `Binned` and `Cut`."""

    @property
    def smoothing(self) -> Smoothing | None: ...


class LiveBins(CoreColumn):
    """A column in bins: `how` they are found, at most how many, or the cuts that are ``"given"``."""

    core: BinColumn

    def __init__(
        self, kind: _Binned, part: Sketch, setting: Setting, how: str, bins: int = 1, cuts: Sequence[float] = ()
    ) -> None:
        super().__init__(kind, setting)
        used: AnyArray = np.asarray(part.table.any(axis=0))
        self._unused, self._dtype = _some(part, ~used), part.table.dtype
        smoothing, is_whole = kind.smoothing or Laplace(), part.table.dtype.kind in "iu"
        reader = core_reader(self.name, self.markers, self.refuse_missing)

        def pseudocounts(states: int) -> Floats:
            return smoothing.pseudocounts(states, setting.classes)

        self.core = BinColumn(
            *_held(_some(part, used)), how, int(bins), np.array(cuts, dtype=np.float64), is_whole, pseudocounts, reader
        )

    def part(self) -> Sketch:
        """The sketch; values that the core had no room for make it coarser."""
        values, counts, dropped, more, codes = self.core.histogram()
        table = np.ascontiguousarray(counts.T.astype(self._dtype))
        sketch = Sketch(self.name, values, table, is_exact=dropped is None, dropped=dropped)
        if len(more):
            sketch = sketch + sketch_column(self.name, more, sample_of_codes(codes, self._classes))
            self.core.reset(*_held(sketch))
        return sketch + self._unused if len(self._unused.values) else sketch


def _some(part: Sketch, kept: AnyArray) -> Sketch:
    """Some of the values."""
    dropped = None if part.dropped is None else part.dropped[kept]
    return Sketch(part.name, part.values[kept], part.table[:, kept], is_exact=part.is_exact, dropped=dropped)


def _held(part: Sketch) -> tuple[Floats, Floats, Ints | None]:
    """Values, values × classes counts and dropped bits."""
    return part.values, np.ascontiguousarray(part.table.T, dtype=np.float64), part.dropped
