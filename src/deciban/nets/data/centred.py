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

__all__ = ["CentredProducts", "has_missing", "linear_relations", "spreads"]

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
        weight, mean, scale = _centre(values, weights)
        columns = len(mean)
        drift, cross = np.zeros(columns), np.zeros((columns, columns))
        for block, share in _blocks(values, weights):
            centred = (block - mean) / scale
            weighed = centred if share is None else centred * share[:, None]
            drift += weighed.sum(axis=0)
            cross += weighed.T @ centred
        if weight:
            of_means = np.outer(drift, drift)
            of_means /= weight  # in place: of thousands of columns a matrix is as large as the rows
            cross -= of_means
        return cls(weight, scale, cross)

    @property
    def spread(self) -> Floats:
        """The standard deviation of each column, divided by its scale."""
        return _spread(np.diag(self.cross), self.weight)

    def correlations(self) -> Floats:
        """The correlations; of a constant column, the products as they are."""
        deviations = np.sqrt(np.diag(self.cross).clip(min=0.0))
        deviations[deviations == 0.0] = 1.0
        products = np.outer(deviations, deviations)
        return np.divide(self.cross, products, out=products)


def spreads(values: Floats, weights: Floats | None = None) -> Floats:
    """``CentredProducts.spread`` of an array, without the products of different columns."""
    weight, mean, scale = _centre(values, weights)
    drift, squares = np.zeros(len(mean)), np.zeros(len(mean))
    for block, share in _blocks(values, weights):
        centred = (block - mean) / scale
        weighed = centred if share is None else centred * share[:, None]
        drift += weighed.sum(axis=0)
        squares += np.einsum("rc,rc->c", weighed, centred)
    return _spread(squares - drift * (drift / weight) if weight else squares, weight)


def _centre(values: Floats, weights: Floats | None) -> tuple[float, Floats, Floats]:
    """The weight of the rows, and of each column the mean and the scale."""
    weight = float(len(values)) if weights is None else float(weights.sum())
    # A pass of its own: sums of squares, less the square of the sum, have no digits left where a mean is large.
    mean, largest = np.zeros(values.shape[1]), np.zeros(values.shape[1])
    for block, share in _blocks(values, weights):
        mean += block.sum(axis=0) if share is None else share @ block
        np.maximum(largest, np.abs(block).max(axis=0), out=largest)
    return weight, mean / weight if weight else mean, np.where(largest > 0, largest, 1.0)


def _spread(squares: Floats, weight: float) -> Floats:
    squares = np.maximum(squares, 0.0)  # rounding may leave less than 0 of a constant
    return np.sqrt(squares / weight) if weight else squares


# As the tests of numbers have it: a column of which less is left is a linear function of others.
_LEAST = 1e-10

# Of a column in a relation, in standard deviations of what it determines; less is rounding.
_LEAST_SHARE = 1e-6


def linear_relations(products: CentredProducts) -> list[tuple[int, tuple[int, ...]]]:
    """The columns that are linear functions of others, each with those others.

    The correlations are factored with the largest pivot first, of equal ones the first: what is left with pivots below
    1e-10 is a linear function of the columns before it.

    >>> x, y = np.random.default_rng(0).normal(size=(2, 100))
    >>> linear_relations(CentredProducts.of(np.column_stack([x, y, 3 * x - y, -2 * x])))
    [(3, (0,)), (2, (0, 1))]
    """
    correlation = products.correlations()
    left, used = np.diag(correlation).copy(), list[int]()
    is_constant = products.spread <= 1e-12
    factor = np.zeros((len(left), 0))
    while len(used) < len(left):
        open_ = np.where(is_constant, 0.0, left)
        open_[used] = 0.0
        # Equal up to rounding: the first, whatever the order of the rows.
        at = int(np.argmax(open_ >= open_.max() * (1 - 1e-9)))
        if open_[at] < _LEAST:
            break
        column = (correlation[:, at] - factor @ factor[at]) / np.sqrt(left[at])
        factor = np.column_stack([factor, column])
        left = left - column**2
        used.append(at)
    rest = [v for v in range(len(left)) if v not in used and not is_constant[v]]
    slopes = np.linalg.lstsq(factor[used], np.eye(len(used)), rcond=None)[0] if used else np.zeros((0, 0))
    found = [(v, tuple(sorted(np.array(used)[np.abs(factor[v] @ slopes) > _LEAST_SHARE].tolist()))) for v in rest]
    return sorted(found, key=lambda one: (len(one[1]), one))


def has_missing(values: Floats) -> bool:
    """Whether a value of an array, rows × variables, is missing."""
    return any(bool(np.isnan(block).any()) for block, _ in _blocks(values, None))


def _blocks(values: Floats, weights: Floats | None) -> Iterator[tuple[Floats, Floats | None]]:
    for begin in range(0, len(values), _ROWS):
        end = begin + _ROWS
        yield values[begin:end], None if weights is None else weights[begin:end]
