"""Cross-products of columns of numbers less their means, a block of rows at a time, without a copy of all rows.

    C = Σ w·c·cᵀ,    c = (x − m) / s,    m = Σ w·x / W,    W = Σ w

s is the largest absolute value of each column, so that no square is too large or too small for a double. The mean of a
large column is known only up to a rounding error d, the mean of c, so W·d·dᵀ is subtracted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from deciban.types import Floats

__all__ = ["CentredProducts", "has_missing"]

# Rows of a block: centred copies of so many rows are small, and one of all rows would double the memory.
_ROWS = 1 << 14


@dataclass(frozen=True, eq=False)
class CentredProducts:
    """The weight W of the rows, the scale s of each column, and the cross-products C.

    >>> products = CentredProducts.of(np.array([[1.0, -2.0], [3.0, 6.0]]))
    >>> products.weight, products.scale.tolist(), products.spread.round(3).tolist()
    (2.0, [3.0, 6.0], [0.333, 0.667])
    """

    weight: float
    scale: Floats
    cross: Floats

    @classmethod
    def of(cls, values: Floats, weights: Floats | None = None) -> CentredProducts:
        """The products of an array, rows × variables, without missing values."""
        weight = float(len(values)) if weights is None else float(weights.sum())
        columns = values.shape[1]
        # Two passes: sums of squares, less the square of the sum, have no digits left where a mean is large.
        mean, largest = np.zeros(columns), np.zeros(columns)
        for block, share in _blocks(values, weights):
            mean += block.sum(axis=0) if share is None else share @ block
            np.maximum(largest, np.abs(block).max(axis=0), out=largest)
        mean = mean / weight if weight else mean
        scale = np.where(largest > 0, largest, 1.0)
        drift, cross = np.zeros(columns), np.zeros((columns, columns))
        for block, share in _blocks(values, weights):
            centred = (block - mean) / scale
            weighed = centred if share is None else centred * share[:, None]
            drift += weighed.sum(axis=0)
            cross += weighed.T @ centred
        return cls(weight, scale, cross - np.outer(drift, drift) / weight if weight else cross)

    @property
    def spread(self) -> Floats:
        """The standard deviation of each column, divided by its scale."""
        squares = np.maximum(np.diag(self.cross), 0.0)  # rounding may leave less than 0 of a constant
        return np.sqrt(squares / self.weight) if self.weight else squares

    def correlations(self) -> Floats:
        """The correlations; of a constant column, the products as they are."""
        deviations = np.sqrt(np.diag(self.cross).clip(min=0.0))
        deviations[deviations == 0.0] = 1.0
        return self.cross / np.outer(deviations, deviations)


def has_missing(values: Floats) -> bool:
    """Whether a value of an array, rows × variables, is missing."""
    return any(bool(np.isnan(block).any()) for block, _ in _blocks(values, None))


def _blocks(values: Floats, weights: Floats | None) -> Iterator[tuple[Floats, Floats | None]]:
    for begin in range(0, len(values), _ROWS):
        end = begin + _ROWS
        yield values[begin:end], None if weights is None else weights[begin:end]
