"""Double-double arithmetic on arrays: a number is high + low, about 106 bits (Dekker, 1971).

>>> (
...     Doubled.of(np.array([1e16]))
...     + Doubled.of(np.array([1.0]))
...     - Doubled.of(np.array([1e16]))
... )
Doubled(high=array([1.]), low=array([0.]))
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from deciban.types import AnyArray, Floats

__all__ = ["Doubled"]

# 2^27 + 1: halves of 26 bits, whose products are exact (Veltkamp, 1968; Dekker, 1971).
_SPLITTER = 134217729.0


class Doubled(NamedTuple):
    """The sum of two arrays of doubles, the low part at most half a unit in the last place of the high part."""

    high: Floats
    low: Floats

    @classmethod
    def of(cls, high: AnyArray | float, low: AnyArray | None = None) -> Doubled:
        array = np.asarray(high, dtype=np.float64)
        return cls(array, np.zeros_like(array) if low is None else low)

    @classmethod
    def product(cls, a: Floats, b: Floats) -> Doubled:
        """a·b, exactly."""
        high = a * b
        (ah, al), (bh, bl) = _halves(a), _halves(b)
        return cls(high, ((ah * bh - high) + ah * bl + al * bh) + al * bl)

    def __add__(self, other: Doubled) -> Doubled:  # type: ignore[override]
        # Both parts by an exact sum: adding only the high ones exactly loses all digits where signs differ.
        high, error = _two_sum(self.high, other.high)
        middle, low = _two_sum(self.low, other.low)
        high, error = _quick_sum(high, error + middle)
        return Doubled(*_quick_sum(high, error + low))

    def __neg__(self) -> Doubled:
        return Doubled(-self.high, -self.low)

    def __sub__(self, other: Doubled) -> Doubled:
        return self + -other

    def __mul__(self, other: Doubled) -> Doubled:  # type: ignore[override]
        exact = Doubled.product(self.high, other.high)
        return Doubled(*_quick_sum(exact.high, exact.low + (self.high * other.low + self.low * other.high)))

    def __truediv__(self, other: Doubled) -> Doubled:
        # Long division, a double at a time: each quotient is of what the ones before left over.
        first = self.high / other.high
        rest = self - other * Doubled.of(first)
        second = rest.high / other.high
        left = rest - other * Doubled.of(second)
        high, low = _quick_sum(first, second)
        return Doubled(*_quick_sum(high, low + left.high / other.high))

    def at(self, indices: AnyArray | slice | int | list[int] | tuple[object, ...]) -> Doubled:
        return Doubled(self.high[indices], self.low[indices])  # type: ignore[index]

    def outer(self, other: Doubled) -> Doubled:
        return self.at((slice(None), None)) * other.at((None, slice(None)))

    def sum(self) -> Doubled:
        """Along the last axis, from the first to the last, so that the result depends on the numbers alone."""
        out = Doubled.of(np.zeros(self.high.shape[:-1]))
        for k in range(self.high.shape[-1]):
            out = out + self.at((..., k))
        return out


def _two_sum(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """a + b and its rounding error, exactly, whichever is larger (Knuth, TAOCP 2, 4.2.2)."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


def _quick_sum(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """The same where |a| is at least |b|, in half the operations (Dekker, 1971)."""
    total = a + b
    return total, b - (total - a)


def _halves(a: Floats) -> tuple[Floats, Floats]:
    """Two numbers of 26 bits whose sum is `a`; overflows beyond about 10^300."""
    wide = _SPLITTER * a
    high = wide - (wide - a)
    return high, a - high
