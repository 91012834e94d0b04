"""Weights, sums and cross-products of numbers within each class, from which means and covariances follow.

    W_ab = Σ w,    S_ab = Σ w·x_a,    Q_ab = Σ w·x_a·x_b        over the rows in which x_a and x_b are known

The sums are in double-double (a sum of two doubles, about 106 bits). They are about 0, not about a mean, so joining two
samples is adding, and taking one out is subtracting, entry by entry. Where no value is missing, W is one number and S
one column for each class.

Means and deviations are those of the available rows, and a product counts where both numbers are known:

    m_a = S_aa / W_aa,    C_ab = Σ w·(x_a − m_a)·(x_b − m_b) = Q_ab − m_a·S_ba − m_b·S_ab + m_a·m_b·W_ab

C is a sum of outer products of rows in which missing values are 0, so it is positive semidefinite.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import fsum
from typing import NamedTuple

import numpy as np

from deciban.errors import ColumnMismatchError, NegativeCountError, PrecisionError
from deciban.limits import check_memory
from deciban.storable import check_names, check_numbers, require, storable
from deciban.tallies.counting import Sample
from deciban.tallies.doubled import Doubled
from deciban.tallies.kernels import cross_sums
from deciban.tallies.tally import Part, ShownRow, place_rows, subtract
from deciban.types import AnyArray, Floats, Ints

__all__ = ["CrossProducts", "Scatter", "count_products"]


_ROUNDING = 1e-9
"""The share of itself by which a deviation may be off after rows were taken out, or summed in another order."""

_NOISE = 2.0**-98
"""The relative error of a sum in double-double."""


class Scatter(NamedTuple):
    """Weights and means, class × number, and C, class × number × number.

    `shifts` are Σ w·(x_a − m_a) over the rows in which x_b is known: 0 where no value is missing.
    """

    weight: Floats
    mean: Floats
    cross: Floats
    shifts: Floats


def _check_products(part: CrossProducts) -> None:
    """Weights, sums and products must fit each other."""
    check_numbers(part.products, (2, None, None, None), "products", negative=True)
    _, classes, count, others = part.products.shape
    require(count == others, "products are no squares")
    check_numbers(part.weight, (classes, None, None), "weights")
    known = part.weight.shape[1:]
    require(known in ((1, 1), (count, count)), "weights do not fit their numbers")
    check_numbers(part.sums, (2, classes, count, known[1]), "sums", negative=True)
    check_names(part.given_names, count)


@storable(check=_check_products)
@dataclass(frozen=True, eq=False)
class CrossProducts(Part):
    """W, S and Q of some numbers within each class.

    `weight` is class × 1 × 1 where no value is missing, else class × number × number; the leading axis of `sums` and
    `products` are the high and the low parts. `given_names` are those of the columns that the numbers come
    from; a column may have several numbers.
    """

    weight: Floats
    sums: Floats
    products: Floats
    given_names: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.given_names))

    @property
    def classes(self) -> int:
        return len(self.weight)

    @property
    def is_empty(self) -> bool:
        return not self.weight.any()

    @property
    def is_complete(self) -> bool:
        """True where no value is missing."""
        return self.weight.shape[1] != len(self.given_names) or bool((self.weight == self.weight[:, :1, :1]).all())

    def shown(self, most: int) -> Iterator[ShownRow]:
        """Column, "mean ± sd" and cells: the rows of a printed tally."""
        weight, mean, cross, _ = self.scatter
        sd = np.sqrt(np.diagonal(cross, axis1=1, axis2=2) / np.maximum(weight, 1e-300))
        for a, name in enumerate(self.given_names[:most]):
            cells = zip(weight[:, a].tolist(), mean[:, a].tolist(), sd[:, a].tolist(), strict=True)
            yield name, "mean ± sd", [f"{m:z.4g} ± {s:.3g}" if w else "–" for w, m, s in cells]

    @cached_property
    def scatter(self) -> Scatter:
        """The means and C, as doubles."""
        classes, count = self.products.shape[1:3]
        weight, mean, cross = np.empty((classes, count)), np.empty((classes, count)), np.empty((classes, count, count))
        shifts, is_wide = np.zeros(self.sums[0].shape), self.sums.shape[3] > 1
        for j in range(classes):
            whole, sums, products = self.weight[j], Doubled(*self.sums[:, j]), Doubled(*self.products[:, j])
            of_each = np.broadcast_to(np.diagonal(whole), count)
            safe = Doubled.of(np.where(of_each > 0, of_each, 1.0))
            a = np.arange(count)
            m = sums.at((a, a if is_wide else 0)) / safe
            rows, columns = m.at((slice(None), None)), m.at((None, slice(None)))
            across = columns * sums
            centred = products - across - Doubled(across.high.T, across.low.T) + rows * columns * Doubled.of(whole)
            weight[j], mean[j], cross[j] = of_each, m.high, (centred.high + centred.high.T) / 2
            if is_wide:
                shifts[j] = (sums - rows * Doubled.of(whole)).high
            cross[j, a, a] = np.maximum(cross[j, a, a], 0.0)
        return Scatter(weight, mean, cross, shifts)

    def __add__(self, other: CrossProducts) -> CrossProducts:
        a, b = self._alike(other)
        return self._made(a.weight + b.weight, a._sums + b._sums, a._products + b._products)

    def __sub__(self, other: CrossProducts) -> CrossProducts:
        a, b = self._alike(other)
        weight = subtract(a.weight, b.weight, lambda _: "rows", 0)
        left = self._made(weight, a._sums - b._sums, a._products - b._products)
        left._check_precision(_NOISE * (_squares(a) + _squares(b)))
        return left

    def _check_precision(self, noise: Floats) -> None:
        """Refuse what was never counted, and variances that are not known well enough; `noise` is class × number."""
        weight, mean, cross, _ = self.scatter
        deviation = np.diagonal(cross, axis1=1, axis2=2)
        a = np.arange(deviation.shape[1])
        squares = self.products[0][:, a, a]
        if (squares < -4 * noise).any() or ((weight == 0) & (squares > 4 * noise)).any():
            raise NegativeCountError("a variance would be negative: what is taken out was never counted.")
        size = noise > _ROUNDING**2 * weight * mean**2
        if ((weight > 0) & size & (deviation * _ROUNDING < noise) & (deviation > 0)).any():
            raise PrecisionError(
                "the values taken out are so much larger than the others that the variances of what is left are no "
                f"longer known to {_ROUNDING:g} of themselves. Nothing was changed. Fit the rows that remain instead."
            )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CrossProducts):
            return NotImplemented
        if self.given_names != other.given_names or self.products.shape != other.products.shape:
            return False
        a, b = self._alike(other)
        pairs = (a.weight, b.weight), (a.sums[0], b.sums[0]), (a.products[0], b.products[0])
        return all(np.array_equal(mine, theirs) for mine, theirs in pairs)

    def is_close(self, other: CrossProducts) -> bool:
        """Equal up to rounding, which is measured by the size of the numbers."""
        if self.given_names != other.given_names or self.products.shape != other.products.shape:
            return False
        a, b = self._alike(other)
        size = np.sqrt(np.maximum(_squares(a), 0.0))
        limits = a.weight, size[:, :, None] * np.sqrt(a.weight), size[:, :, None] * size[:, None, :]
        gaps = a.weight - b.weight, a.sums[0] - b.sums[0], a.products[0] - b.products[0]
        return all(bool((np.abs(gap) <= _ROUNDING * limit).all()) for gap, limit in zip(gaps, limits, strict=True))

    def scaled(self, factor: float) -> CrossProducts:
        by = Doubled.of(float(factor))
        return self._made(self.weight * float(factor), self._sums * by, self._products * by)

    def reclassed(self, indices: Ints, classes: int) -> CrossProducts:
        def placed(both: Floats) -> Floats:
            return np.stack([place_rows(part, indices, classes) for part in both])

        weight = place_rows(self.weight, indices, classes)
        return CrossProducts(weight, placed(self.sums), placed(self.products), self.given_names)

    def of_classes(self, kept: AnyArray) -> CrossProducts:
        return CrossProducts(self.weight[kept], self.sums[:, kept], self.products[:, kept], self.given_names)

    def of_columns(self, kept: Sequence[int]) -> CrossProducts:
        wanted = {self.names[c] for c in kept}
        at = np.array([a for a, name in enumerate(self.given_names) if name in wanted], dtype=np.int64)
        is_wide = self.weight.shape[1] > 1
        weight = self.weight[:, at][:, :, at] if is_wide else self.weight
        sums = self.sums[:, :, at][..., at] if is_wide else self.sums[:, :, at]
        names = tuple(self.given_names[a] for a in at.tolist())
        return CrossProducts(weight, sums, self.products[:, :, at][..., at], names)

    @property
    def _sums(self) -> Doubled:
        return Doubled(*self.sums)

    @property
    def _products(self) -> Doubled:
        return Doubled(*self.products)

    def _made(self, weight: Floats, sums: Doubled, products: Doubled) -> CrossProducts:
        return CrossProducts(weight, np.stack(sums), np.stack(products), self.given_names)

    def _alike(self, other: CrossProducts) -> tuple[CrossProducts, CrossProducts]:
        """Both with a weight for each pair, where one of them has missing values."""
        if self.given_names != other.given_names:
            raise ColumnMismatchError(
                "the cross-products are of different numbers. Use one structure: structure=first.structure_."
            )
        return (self, other) if self.weight.shape[1:] == other.weight.shape[1:] else (self._wide(), other._wide())

    def _wide(self) -> CrossProducts:
        classes, count = self.products.shape[1:3]
        weight = np.broadcast_to(self.weight, (classes, count, count))
        sums = np.broadcast_to(self.sums, (2, classes, count, count))
        return CrossProducts(weight, sums, self.products, self.given_names)


def _squares(part: CrossProducts) -> Floats:
    """Σ w·x², class × number."""
    return np.diagonal(part.products[0], axis1=1, axis2=2)


def count_products(numbers: Floats, sample: Sample, names: tuple[str, ...]) -> CrossProducts:
    """Count columns × rows of numbers, NaN where one is missing.

    >>> from deciban.read import Column, read_target
    >>> sample = Sample.of(read_target(["a", "a", "b"], 3))
    >>> part = count_products(np.array([[1.0, 3.0, 5.0], [2.0, 2.0, 9.0]]), sample, ("x", "y"))
    >>> part.scatter.mean.tolist(), part.scatter.cross[0].tolist()
    ([[2.0, 2.0], [5.0, 9.0]], [[2.0, 0.0], [0.0, 0.0]])
    """
    count, classes = len(numbers), len(sample.classes)
    is_known = ~np.isnan(numbers)
    is_whole = bool(is_known.all())
    wide = 1 if is_whole else count
    check_memory("the cross-products, classes × numbers × numbers,", classes, count, count, itemsize=32)
    weight, sums = np.zeros((classes, wide, wide)), np.zeros((2, classes, count, wide))
    products = np.zeros((2, classes, count, count))
    counted = np.ones(len(sample.codes), dtype=bool) if sample.weights is None else sample.weights > 0
    for j in range(classes):
        rows = np.flatnonzero((sample.codes == j) & counted)
        if not len(rows):
            continue
        weights = None if sample.weights is None else sample.weights[rows]
        if is_whole:
            weight[j] = len(rows) if weights is None else fsum(weights.tolist())
        if not count:
            continue
        values = numbers[:, rows]
        if is_whole:
            both = cross_sums(values, [[*range(a, count), count] for a in range(count)], weights)
            upper = np.triu_indices(count)
            is_sum = np.zeros(both.shape[1], dtype=bool)
            is_sum[np.cumsum(count - np.arange(count) + 1) - 1] = True
            sums[:, j, :, 0], cells = both[:, is_sum], both[:, ~is_sum]
        else:
            known = is_known[:, rows]
            # A row adds nothing where a number is missing, so the products of 0 and 1 with it are those of W and S.
            stacked = np.concatenate([np.where(known, values, 0.0), known.astype(np.float64)])
            lists = [list(range(a, 2 * count)) for a in range(2 * count)]
            both = cross_sums(stacked, lists, weights)
            square = np.zeros((2, 2 * count, 2 * count))
            at = np.triu_indices(2 * count)
            square[:, at[0], at[1]] = both
            square[:, at[1], at[0]] = both
            weight[j] = square[0, count:, count:]
            sums[:, j] = square[:, :count, count:]
            upper = np.triu_indices(count)
            cells = square[:, upper[0], upper[1]]
        products[:, j, upper[0], upper[1]] = cells
        products[:, j, upper[1], upper[0]] = cells
    return CrossProducts(weight, sums, products, names)
