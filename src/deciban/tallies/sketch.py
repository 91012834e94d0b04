"""A weighted histogram of one numeric column within each class: exact while it is small, then in adaptive buckets.

w_jv = Σ weight of the rows with class j and X = v

Up to 4096 distinct values are kept as they are. When there are more, the values of each octave (a sign and a power of
2) share buckets: the last d of the 52 bits of their mantissas are dropped, with the smallest d that leaves at most 256
buckets in use,

    d = min {d : number of distinct ⌊mantissa / 2^d⌋ in the octave ≤ 256}.

So buckets are no wider than the values require: at most 2⁻⁸ of a value, and far less where values lie close together,
like times in seconds, 1.7·10⁹ and a little. d depends on the set of values alone, and grows when values are added.
Dropping bits twice is the same as dropping the larger number of them at once. Therefore parts join to what the whole
would have made, in whatever order, and can be taken out again. Weights are never rounded. The value of a bucket is its
midpoint.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from deciban.errors import ColumnMismatchError
from deciban.storable import check_numbers, require, storable
from deciban.tallies.counting import Sample
from deciban.tallies.kernels import count_values
from deciban.tallies.moments import Spread, mean_and_sd
from deciban.tallies.tally import ClassTable, ShownRow, place_columns, place_rows, subtract
from deciban.types import AnyArray, Floats, Ints

__all__ = ["Sketch", "sketch_column"]

_MOST_DISTINCT = 4096
_MOST_IN_OCTAVE = 256
# Of a double (IEEE 754): beside it, a sign and 11 bits of the exponent, which are its octave.
_MANTISSA = 52
_OCTAVES = 1 << 12
# They give a first idea of how many bits to drop: never more than all rows need.
_SOME_ROWS = 1 << 14


def _check_sketch(sketch: Sketch) -> None:
    """Values must ascend, with a weight for each class and value."""
    require(isinstance(sketch.name, str) and isinstance(sketch.is_exact, bool), "a sketch has no name")
    check_numbers(sketch.values, (None,), "values", negative=True)
    require(sketch.values.dtype == np.float64 and bool((np.diff(sketch.values) > 0).all()), "values do not ascend")
    check_numbers(sketch.table, (None, len(sketch.values)), "weights of values")
    require(sketch.is_exact == (sketch.dropped is None), "the widths of a sketch's buckets are missing")


@storable(check=_check_sketch)
@dataclass(frozen=True, eq=False)
class Sketch(ClassTable):
    """Class × value weights of one column; unless `is_exact`, the values are midpoints of buckets.

    `dropped` says of each value how many bits of its mantissa a bucket leaves open; None where it is exact.
    """

    name: str
    values: Floats
    table: AnyArray
    is_exact: bool = True
    dropped: Ints | None = None

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name,)

    def shown(self, most: int) -> Iterator[ShownRow]:
        """Column, "mean ± sd" and cells: the row of a printed tally."""
        yield self.name, "mean ± sd", mean_and_sd(self.spread, 0)

    @property
    def sums(self) -> Floats:
        """Σ weight·value of each class, as a column."""
        with np.errstate(over="ignore", invalid="ignore"):
            return (self.table * self.values).sum(axis=1, keepdims=True)

    @property
    def spread(self) -> Spread:
        """The moments of the values in each class, as one column."""
        weight = self.table.sum(axis=1, keepdims=True).astype(np.float64)
        mean = self.sums / np.where(weight > 0, weight, 1.0)
        with np.errstate(over="ignore", invalid="ignore"):
            deviation = (self.table * (self.values - mean) ** 2).sum(axis=1, keepdims=True)
        return Spread(weight, mean, deviation)

    @property
    def widths(self) -> Floats:
        """How wide the bucket of each value is; 0 where it is exact."""
        if self.dropped is None:
            return np.zeros(len(self.values))
        # The last bit of subnormal numbers is 2^−1074, whatever their size.
        last_bit = np.maximum(np.frexp(self.values)[1] - _MANTISSA - 1, -1074)
        return np.where(self.dropped > 0, np.ldexp(1.0, last_bit + self.dropped), 0.0)

    def bucketed(self, values: Floats) -> Floats:
        """The value that stands for each of some values; itself where it is in no octave that was counted."""
        if self.dropped is None:
            return values + 0.0  # −0 is 0
        drop = _drop_of_octaves(_keys(self.values), self.dropped)
        keys = _keys(values)
        return _midpoints(_without_low_bits(keys, drop), drop[_octaves(keys)])

    def indices(self, values: Floats) -> Ints:
        """The index of each of some values; the number of values where it has none."""
        values = self.bucketed(values)
        indices = np.searchsorted(self.values, values)
        # Behind the last is NaN, which equals nothing.
        is_kept = np.append(self.values, np.nan)[indices] == values
        return np.where(is_kept, indices, len(self.values))

    def __add__(self, other: Sketch) -> Sketch:
        a, b = self.aligned(other)
        joined = replace(a, table=a.table + b.table)
        return joined if joined.is_exact and len(joined.values) <= _MOST_DISTINCT else joined._coarse()

    def __sub__(self, other: Sketch) -> Sketch:
        a, b = self.aligned(other)
        left = subtract(a.table, b.table, lambda at: f"{self.name!r} = {a.values[at[1]]:g}", 0)
        used: AnyArray = np.asarray(left.any(axis=0))
        if a.dropped is None or not used.any():
            return Sketch(self.name, a.values[used], left[:, used])
        return Sketch(self.name, a.values[used], left[:, used], is_exact=False, dropped=a.dropped[used])

    def scaled(self, factor: float) -> Sketch:
        return replace(self, table=self.table * float(factor))

    def reclassed(self, indices: Ints, classes: int) -> Sketch:
        return replace(self, table=place_rows(self.table, indices, classes))

    def of_classes(self, kept: AnyArray) -> Sketch:
        return replace(self, table=self.table[kept])

    def aligned(self, other: Sketch) -> tuple[Sketch, Sketch]:
        """Both over the same values."""
        if self.name != other.name:
            raise ColumnMismatchError(f"column {self.name!r} cannot be joined with column {other.name!r}.")
        if self.is_exact and other.is_exact:
            values = np.union1d(self.values, other.values)
            return self._placed(values, None), other._placed(values, None)
        # In the wider buckets of the two, octave by octave: so the order in which parts join does not matter.
        a, b = self._coarse(), other._coarse()
        drop = np.maximum(*(_drop_of_octaves(_keys(part.values), part._drops) for part in (a, b)))
        a, b = a._with_dropped(drop), b._with_dropped(drop)
        values = np.union1d(a.values, b.values)
        dropped = drop[_octaves(_keys(values))]
        return a._placed(values, dropped), b._placed(values, dropped)

    @property
    def _drops(self) -> Ints:
        return np.zeros(len(self.values), dtype=np.int64) if self.dropped is None else self.dropped

    def _placed(self, values: Floats, dropped: Ints | None) -> Sketch:
        indices = np.searchsorted(values, self.values)
        table = place_columns(self.table, indices, len(values))
        return Sketch(self.name, values, table, is_exact=dropped is None, dropped=dropped)

    def _coarse(self) -> Sketch:
        """The same weights in buckets, at most 256 of them in each octave."""
        drop = _drop_of_octaves(_keys(self.values), self._drops)
        return self._with_dropped(_enough(_without_low_bits(_keys(self.values), drop), drop))

    def _with_dropped(self, drop: Ints) -> Sketch:
        """The same weights in buckets that leave open so many bits, by octave."""
        keys = _without_low_bits(_keys(self.values), drop)
        midpoints = _midpoints(keys, drop[_octaves(keys)])
        # The values are in order.
        is_first = np.append(True, midpoints[1:] != midpoints[:-1])[: len(midpoints)]
        first = np.flatnonzero(is_first)
        table = np.add.reduceat(self.table, first, axis=1) if len(first) else self.table
        dropped = drop[_octaves(keys)][first]
        return Sketch(self.name, midpoints[first], table, is_exact=False, dropped=dropped)


def sketch_column(name: str, values: Floats, sample: Sample) -> Sketch:
    """Weigh the distinct values of a column in each class, missing ones (NaN) left out."""
    values, classes = np.asarray(values, dtype=np.float64), len(sample.classes)
    exact = count_values(values, sample.codes, classes, sample.weights, _MOST_DISTINCT)
    if exact is not None:
        return Sketch(name, *exact)
    # The buckets that some of the rows need are no wider than those of all, and leave far fewer values to count.
    keys, every = _keys(values), slice(None, None, max(1, len(values) // _SOME_ROWS))
    some = ~np.isnan(values[every]) if sample.weights is None else sample.weights[every] * ~np.isnan(values[every]) > 0
    drop = _enough(keys[every][some], np.zeros(_OCTAVES, dtype=np.int64))
    edges = _without_low_bits(keys, drop).view(np.float64)
    ends, table = cast(
        "tuple[Floats, AnyArray]", count_values(edges, sample.codes, classes, sample.weights, most=len(values))
    )  # no more values than rows
    dropped = drop[_octaves(_keys(ends))]
    return Sketch(name, _midpoints(_keys(ends), dropped), table, is_exact=False, dropped=dropped)._coarse()


def _keys(values: Floats) -> AnyArray:
    """The bits of doubles: sign, exponent, and a mantissa of 52 bits; −0 is 0."""
    return np.ascontiguousarray(values + 0.0).view(np.uint64)  # −0 + 0 is 0


def _octaves(keys: AnyArray) -> Ints:
    """Sign and exponent as a number below 4096."""
    return (keys >> np.uint64(_MANTISSA)).astype(np.int64)


def _drop_of_octaves(keys: AnyArray, dropped: Ints) -> Ints:
    """How many bits are dropped in each octave; 0 in one without values."""
    drop = np.zeros(_OCTAVES, dtype=np.int64)
    drop[_octaves(keys)] = dropped
    return drop


def _without_low_bits(keys: AnyArray, drop: Ints) -> AnyArray:
    """The keys with the dropped bits set to 0: the ends of their buckets that are nearer to 0."""
    low = (np.uint64(1) << drop.astype(np.uint64)) - np.uint64(1)
    return keys & ~low[_octaves(keys)]


def _midpoints(keys: AnyArray, dropped: Ints) -> Floats:
    """The middle of each bucket: the first bit that it leaves open is 1, the others 0."""
    half = (np.uint64(1) << dropped.astype(np.uint64)) >> np.uint64(1)
    return (keys | half).view(np.float64)


def _enough(keys: AnyArray, drop: Ints) -> Ints:
    """How many bits to drop in each octave so that its keys fill at most 256 buckets; at least `drop`.

    Neighbours in order share a bucket when the bits in which they differ are all dropped.
    """
    ordered = np.sort(keys)
    octaves, rows = np.unique(_octaves(ordered), return_inverse=True)
    together = (rows[1:] == rows[:-1]) & (ordered[1:] != ordered[:-1])
    apart = (ordered[1:] ^ ordered[:-1])[together]
    # The bits to drop; 52 bits are exact as doubles.
    needed = np.frexp(apart.astype(np.float64))[1]
    width = _MANTISSA + 2
    cells = rows[1:][together] * width + needed
    pairs = np.bincount(cells, minlength=len(octaves) * width).reshape(len(octaves), width)
    still_apart = pairs[:, ::-1].cumsum(axis=1)[:, ::-1]  # pairs that need d bits or more
    out = drop.copy()
    out[octaves] = np.maximum(out[octaves], np.argmax(still_apart[:, 1:] < _MOST_IN_OCTAVE, axis=1))
    return out
