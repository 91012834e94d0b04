"""Choices among equals, which rounding must not decide.

Sums that are equal on paper differ in their last digits with the order of their terms, and that differs between
processors, numbers of threads, and orders of the rows, columns and classes. So wherever one of several candidates is
taken, or candidates are put in order, values are equal that differ by at most 10⁻⁹ of their size; of equal candidates
the first is taken, in an order that no sum decides, such as that of the columns.

"Larger by more than 10⁻⁹" of two values is no order: a ~ b and b ~ c do not give a ~ c. So all values are compared with
one of them: the largest is equal to what is close to it, then the largest of those that are left, and so on.

Where candidates come one by one and in no fixed order, as from several threads, their keys are rounded instead.

The size of a value is its own, or `scale` where that is larger: the size of the terms of which the values are sums or
differences. 1 suits probabilities, nats and decibans; values in a unit of their own have the scale 0. The kernels have
the same rule in `core/run/ties.hpp`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import frexp, isfinite, ldexp
from typing import TypeVar

import numpy as np

from deciban.types import AnyArray, Floats, Ints

__all__ = [
    "TIE",
    "exceeds",
    "first_largest",
    "first_smallest",
    "first_smallest_each",
    "largest_first",
    "settled",
    "tied_largest",
    "to_nine_digits",
]

T = TypeVar("T")

# Sums of a million terms differ by up to about 1e-10 of their size with the order of the terms; choices that matter
# differ by far more than 1e-9. `core/run/ties.hpp` must have the same constant.
TIE = 1e-9


def exceeds(value: float, other: float, scale: float = 1.0) -> bool:
    """Whether a value is larger than another by more than rounding, for a search that keeps the best so far.

    >>> exceeds(0.3, 0.1 + 0.2), exceeds(0.1 + 0.2, 0.3), exceeds(0.31, 0.3)
    (False, False, True)
    """
    return bool(value > other) and (np.isinf(value - other) or value - other > TIE * max(abs(value), scale))


def tied_largest(values: Sequence[float] | AnyArray, scale: float = 1.0) -> Ints:
    """The indices of all values that are equal to the largest, ascending.

    >>> tied_largest([0.1 + 0.2, 0.1, 0.3]).tolist()
    [0, 2]
    """
    numbers = np.asarray(values, dtype=np.float64)
    most = numbers.max()
    # Infinities are equal to themselves only; infinity minus a share of infinity is not a number.
    return np.flatnonzero(numbers >= (most if np.isinf(most) else most - TIE * max(abs(most), scale)))


def first_largest(values: Sequence[float] | AnyArray, scale: float = 1.0) -> int:
    """The index of the first of the values that are equal to the largest.

    >>> first_largest([0.3, 0.1 + 0.2])
    0
    """
    return int(tied_largest(values, scale)[0])


def first_smallest(values: Sequence[float] | AnyArray, scale: float = 1.0) -> int:
    """The index of the first of the values that are equal to the smallest.

    >>> first_smallest([0.5, 0.1 + 0.2, 0.3])
    1
    """
    return first_largest(-np.asarray(values, dtype=np.float64), scale)


def first_smallest_each(table: Floats, scale: float = 1.0) -> Ints:
    """`first_smallest` of each row of a table of finite numbers.

    >>> first_smallest_each(np.array([[0.5, 0.1 + 0.2, 0.3], [1.0, 2.0, 3.0]])).tolist()
    [1, 0]
    """
    least = table.min(axis=1, keepdims=True)
    return (table <= least + TIE * np.maximum(np.abs(least), scale)).argmax(axis=1)


def settled(values: Sequence[float] | AnyArray, scale: float = 1.0) -> Floats:
    """The values, those that are equal made the same number, the largest of them: keys to sort by.

    >>> settled([0.3, 0.5, 0.1 + 0.2]).tolist()
    [0.30000000000000004, 0.5, 0.30000000000000004]
    """
    out = np.array(values, dtype=np.float64)
    flat = out.reshape(-1)
    order = np.argsort(-flat, kind="stable")
    ordered = flat[order]
    reach = TIE * np.maximum(np.abs(ordered), scale)
    reach[~np.isfinite(reach)] = 0.0
    with np.errstate(invalid="ignore"):
        is_close = ordered[:-1] - ordered[1:] <= reach[:-1]
    # A run of close neighbours may be longer than a tie: it is cut into groups, each close to its own largest.
    ends = np.flatnonzero(~np.append(is_close, False)) + 1
    starts = np.concatenate([[0], ends[:-1]]).astype(np.int64)
    is_long = ends - starts > 1
    starts, ends = starts[is_long], ends[is_long]
    # Most runs are one group, close to its largest.
    is_group = ordered[starts] - ordered[ends - 1] <= reach[starts]
    sizes = (ends - starts)[is_group]
    members = np.repeat(starts[is_group] - np.cumsum(sizes) + sizes, sizes) + np.arange(sizes.sum())
    ordered[members] = np.repeat(ordered[starts[is_group]], sizes)
    for start, end in zip(starts[~is_group].tolist(), ends[~is_group].tolist(), strict=True):
        at = start
        while at < end:
            least = ordered[at] - reach[at]
            group = at + int(np.searchsorted(-ordered[at:end], -least, side="right"))
            ordered[at:group] = ordered[at]
            at = group
    flat[order] = ordered
    return out


def largest_first(items: Iterable[T], key: Callable[[T], float], scale: float = 1.0) -> list[T]:
    """The items by decreasing key; those with equal keys keep their order.

    >>> largest_first(["a", "b", "c"], {"a": 0.3, "b": 0.5, "c": 0.1 + 0.2}.__getitem__)
    ['b', 'a', 'c']
    """
    listed = list(items)
    keys = settled([key(item) for item in listed], scale).tolist()
    return [listed[i] for i in sorted(range(len(listed)), key=lambda i: -keys[i])]


def to_nine_digits(value: float) -> float:
    """A value to nine digits, 30 binary ones: a key that does not depend on what it is compared with.

    >>> to_nine_digits(0.1 + 0.2) == to_nine_digits(0.3)
    True
    """
    part, exponent = frexp(value)
    return ldexp(round(part * 2.0**30) / 2.0**30, exponent) if isfinite(value) else value
