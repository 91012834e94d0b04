"""A weighted histogram of one numeric column within each class: exact while it is small, then of bounded error.

w_jv = Σ weight of the rows with class j and X = v

Up to 4096 distinct values are kept as they are. When there are more, values share the buckets of a grid that is the
same in every sketch, so that parts join to what the whole would have made, in whatever order:

    i = sign(x)·(⌈log|x| / log γ⌉ + a constant),  γ = (1 + ε) / (1 − ε),  ε = 2⁻¹⁰.

The value that stands for a bucket differs from each x in it by at most ε·|x|, about 0.1 % (Masson, Rim and Lee, 2019,
DDSketch); |x| < 2⁻¹⁰²² is 0. The error is relative to x, not to the column's spread: of a column far from 0, like a
time in seconds, subtract an origin first. Weights are never rounded. A column that spans three decades of one sign has
at most 3537 buckets.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np

from deciban.errors import ColumnMismatchError
from deciban.tally.arithmetic import place_columns, place_rows, subtract
from deciban.tally.counting import Sample
from deciban.tally.kernels import count_values
from deciban.types import AnyArray, Floats, Ints

__all__ = ["RELATIVE_ERROR", "Sketch", "bucketed", "sketch_column"]

RELATIVE_ERROR = 2.0**-10
"""How far a bucket's value is from those in it, at most, as a share of them."""

_MOST_DISTINCT = 4096
_LOG_GAMMA = float(np.log1p(RELATIVE_ERROR) - np.log1p(-RELATIVE_ERROR))
_TINY = float(np.finfo(np.float64).tiny)
_LARGEST = float(np.finfo(np.float64).max)


@dataclass(frozen=True, eq=False)
class Sketch:
    """Class × value weights of one column; the values are buckets' unless `is_exact`."""

    name: str
    values: Floats
    table: AnyArray
    is_exact: bool = True

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name,)

    @property
    def is_empty(self) -> bool:
        return not self.table.any()

    @property
    def sums(self) -> Floats:
        """Σ weight·value of each class, as a column: what a printed tally shows."""
        with np.errstate(over="ignore", invalid="ignore"):
            return (self.table * self.values).sum(axis=1, keepdims=True)

    def places(self, values: Floats) -> Ints:
        """Where each of some values is kept; the number of places where it is not."""
        held = (values if self.is_exact else bucketed(values)) + 0.0
        places = np.searchsorted(self.values, held)
        is_kept = np.append(self.values, np.nan)[places] == held
        return np.where(is_kept, places, len(self.values))

    def __add__(self, other: Sketch) -> Sketch:
        a, b = self._aligned(other)
        return Sketch(self.name, a.values, a.table + b.table, a.is_exact)._bounded()

    def __sub__(self, other: Sketch) -> Sketch:
        a, b = self._aligned(other)
        left = subtract(a.table, b.table, lambda at: f"{self.name!r} = {a.values[at[1]]:g}", 0)
        used: AnyArray = np.asarray(left.any(axis=0))
        return Sketch(self.name, a.values[used], left[:, used], a.is_exact or not used.any())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sketch):
            return NotImplemented
        return (
            self.name == other.name
            and self.is_exact == other.is_exact
            and np.array_equal(self.values, other.values)
            and np.array_equal(self.table, other.table)
        )

    __hash__ = None  # type: ignore[assignment]

    def scaled(self, factor: float) -> Sketch:
        return Sketch(self.name, self.values, self.table * float(factor), self.is_exact)

    def reclassed(self, places: Ints, classes: int) -> Sketch:
        return Sketch(self.name, self.values, place_rows(self.table, places, classes), self.is_exact)

    def _aligned(self, other: Sketch) -> tuple[Sketch, Sketch]:
        """Both over the same values."""
        if self.name != other.name:
            raise ColumnMismatchError(f"column {self.name!r} cannot be joined with column {other.name!r}.")
        is_exact = self.is_exact and other.is_exact
        a, b = (self, other) if is_exact else (self._coarse(), other._coarse())
        values = np.union1d(a.values, b.values)
        return a._placed(values), b._placed(values)

    def _placed(self, values: Floats) -> Sketch:
        places = np.searchsorted(values, self.values)
        return Sketch(self.name, values, place_columns(self.table, places, len(values)), self.is_exact)

    def _bounded(self) -> Sketch:
        return self._coarse() if self.is_exact and len(self.values) > _MOST_DISTINCT else self

    def _coarse(self) -> Sketch:
        """The same weights in buckets."""
        if not self.is_exact:
            return self
        values, places = np.unique(bucketed(self.values), return_inverse=True)
        table = np.zeros((len(self.table), len(values)), dtype=self.table.dtype)
        np.add.at(table.T, places, self.table.T)
        return Sketch(self.name, values, table, is_exact=False)


def sketch_column(name: str, values: Floats, sample: Sample) -> Sketch:
    """Weigh the distinct values of a column in each class, missing ones (NaN) left out."""
    values, classes = np.asarray(values, dtype=np.float64), len(sample.classes)
    found = count_values(values, sample.codes, classes, sample.weights, _MOST_DISTINCT)
    if found is not None:
        return Sketch(name, *found)
    coarse = count_values(bucketed(values), sample.codes, classes, sample.weights, most=len(values))
    return Sketch(name, *cast("tuple[Floats, AnyArray]", coarse), is_exact=False)  # no more values than rows


def bucketed(values: Floats) -> Floats:
    """The value that stands for each value's bucket.

    >>> float(abs(bucketed(np.array([3.7]))[0] - 3.7)) <= 3.7 * RELATIVE_ERROR
    True
    """
    size = np.abs(values)
    index = np.ceil(np.log(np.maximum(size, _TINY)) / _LOG_GAMMA)
    with np.errstate(over="ignore"):
        middle = np.exp(index * _LOG_GAMMA + np.log1p(-RELATIVE_ERROR))  # 2γ^i / (γ + 1)
    return np.where(size < _TINY, 0.0, np.copysign(np.minimum(middle, _LARGEST), values))
