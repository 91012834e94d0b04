"""Columns of numbers less their means, a block of rows at a time, so that no copy of all rows is made.

    c = x − m,    m = Σ w·x / W,    W = Σ w

The mean of a large column is known only up to a rounding error, so the mean of c is subtracted once more.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from deciban.types import Floats

__all__ = ["CentredColumns", "has_missing"]

_ROWS = 1 << 16


class CentredColumns:
    """The columns of an array, rows × variables without missing values, with a weight for each row or None.

    >>> columns = CentredColumns(np.array([[1.0, 2.0], [3.0, 6.0]]))
    >>> columns.mean.tolist(), columns.squares.tolist(), columns.products(np.ones(2)).tolist()
    ([2.0, 4.0], [2.0, 8.0], [[2.0, 4.0], [4.0, 8.0]])
    """

    def __init__(self, values: Floats, weights: Floats | None = None) -> None:
        self._values, self._weights = values, weights
        self.weight = float(len(values)) if weights is None else float(weights.sum())

    @cached_property
    def mean(self) -> Floats:
        """The means, 0 where the rows have no weight."""
        return self._mean(self._blocks())

    @cached_property
    def _drift(self) -> Floats:
        return self._mean((share, block - self.mean) for share, block in self._blocks())

    def _mean(self, blocks: Iterator[tuple[Floats, Floats]]) -> Floats:
        whole = np.zeros(self._values.shape[1])
        for share, block in blocks:
            whole += share @ block
        return whole / self.weight if self.weight else whole

    @cached_property
    def largest(self) -> Floats:
        """The largest absolute value of each column."""
        largest = np.zeros(self._values.shape[1])
        for _, block in self._blocks():
            np.maximum(largest, np.abs(block).max(axis=0, initial=0.0), out=largest)
        return largest

    @cached_property
    def squares(self) -> Floats:
        """Σ w·c² of each column."""
        total = np.zeros(self._values.shape[1])
        for share, centred in self._centred():
            total += share @ centred**2
        return total

    def products(self, scale: Floats) -> Floats:
        """Σ w·(c_i/s_i)(c_j/s_j) for a scale s of each column."""
        total = np.zeros((self._values.shape[1],) * 2)
        for share, centred in self._centred():
            scaled = centred / scale
            total += (scaled * share[:, None]).T @ scaled
        return total

    def _centred(self) -> Iterator[tuple[Floats, Floats]]:
        for share, block in self._blocks():
            yield share, (block - self.mean) - self._drift

    def _blocks(self) -> Iterator[tuple[Floats, Floats]]:
        for begin in range(0, len(self._values), _ROWS):
            block = self._values[begin : begin + _ROWS]
            yield np.ones(len(block)) if self._weights is None else self._weights[begin : begin + _ROWS], block


def has_missing(values: Floats) -> bool:
    """Whether a value of an array, rows × variables, is missing."""
    return any(bool(np.isnan(values[begin : begin + _ROWS]).any()) for begin in range(0, len(values), _ROWS))
