"""Weight, mean and sum of squared deviations of numeric columns within each class.

Two groups join by the formula of Chan, Golub and LeVeque (1979),

    n = n_a + n_b,  δ = m_b − m_a,  m = m_a + δ·n_b/n,  M = M_a + M_b + δ²·n_a·n_b/n,

and a group is taken out again by the same formula solved for a.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from deciban.errors import ColumnMismatchError, NegativeCountError
from deciban.read import generated_names
from deciban.tally.arithmetic import place_rows, subtract
from deciban.types import Floats, Ints

__all__ = ["Moments"]

_ROUNDING = 1e-9
_UNITS = 64 * float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False)
class Moments:
    """Class × column moments; `weight` has one column when no value is missing, else one a column."""

    weight: Floats
    mean: Floats
    deviation: Floats
    given_names: tuple[str, ...] | None = None

    @property
    def names(self) -> tuple[str, ...]:
        return self.given_names or generated_names(self.mean.shape[1])

    @property
    def is_empty(self) -> bool:
        return not self.weight.any()

    def __add__(self, other: Moments) -> Moments:
        self._check(other)
        weight = self.weight + other.weight
        share = _share(other.weight, weight)
        gap = other.mean - self.mean
        mean = np.where(weight > 0, self.mean + gap * share, 0.0)
        deviation = self.deviation + other.deviation + _between(gap, self.weight * share)
        return Moments(weight, mean, deviation, self.given_names)

    def __sub__(self, other: Moments) -> Moments:
        self._check(other)
        weight = subtract(self.weight, other.weight, lambda _: "rows", 0)
        share = _share(other.weight, weight)
        gap = self.mean - other.mean  # the whole's mean lies between those of the two parts
        mean = np.where(weight > 0, self.mean + gap * share, 0.0)
        deviation = self.deviation - other.deviation - _between(gap, self.weight * share)
        scale = np.maximum(self.deviation, 0.0)
        if np.any((deviation < -1e-6 * scale - 1e-300) & (weight > 0)):
            raise NegativeCountError("a variance would be negative: what is taken out was never counted.")
        keep = (weight > 0) & (deviation > 1e-12 * scale)
        return Moments(weight, mean, np.where(keep, deviation, 0.0), self.given_names)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Moments):
            return NotImplemented
        return (
            self.given_names == other.given_names
            and self.mean.shape == other.mean.shape
            and np.array_equal(self.weight + 0 * self.mean, other.weight + 0 * other.mean)
            and np.array_equal(self.mean, other.mean)
            and np.array_equal(self.deviation, other.deviation)
        )

    __hash__ = None  # type: ignore[assignment]

    def is_close(self, other: Moments) -> bool:
        """Equal up to rounding, which is measured by the spread and the size of the values."""
        if self.given_names != other.given_names or self.mean.shape != other.mean.shape:
            return False
        weight, theirs = (np.broadcast_to(m.weight, m.mean.shape) for m in (self, other))
        spread = np.sqrt(np.maximum(self.deviation, 0.0) * _share(np.ones_like(weight), weight))
        near = _ROUNDING * spread + _UNITS * np.abs(self.mean)
        with np.errstate(over="ignore", invalid="ignore"):
            far = np.abs(self.deviation - other.deviation) > 8.0 * weight * (spread + near) * near
        return not (
            (np.abs(weight - theirs) > _ROUNDING * weight).any()
            or (np.abs(self.mean - other.mean) > near).any()
            or far.any()
        )

    def scaled(self, factor: float) -> Moments:
        return Moments(self.weight * factor, self.mean, self.deviation * factor, self.given_names)

    def reclassed(self, places: Ints, classes: int) -> Moments:
        weight, mean, deviation = (place_rows(t, places, classes) for t in (self.weight, self.mean, self.deviation))
        return Moments(weight, mean, deviation, self.given_names)

    @classmethod
    def side_by_side(cls, parts: Sequence[Moments]) -> Moments:
        """The moments of several groups of columns as those of one."""
        if len(parts) == 1:
            return parts[0]
        weight = np.concatenate([np.broadcast_to(part.weight, part.mean.shape) for part in parts], axis=1)
        mean = np.concatenate([part.mean for part in parts], axis=1)
        deviation = np.concatenate([part.deviation for part in parts], axis=1)
        return cls(weight, mean, deviation, tuple(name for part in parts for name in part.names))

    def pooled(self) -> Moments:
        """The moments of all classes together, as one class."""
        weight = self.weight.sum(axis=0, keepdims=True)
        mean = (self.mean * _share(self.weight, weight)).sum(axis=0, keepdims=True)
        between = _between(self.mean - mean, np.broadcast_to(self.weight, self.mean.shape)).sum(axis=0, keepdims=True)
        return Moments(weight, mean, self.deviation.sum(axis=0, keepdims=True) + between, self.given_names)

    def _check(self, other: Moments) -> None:
        if self.mean.shape[1] != other.mean.shape[1] or self.given_names != other.given_names:
            raise ColumnMismatchError(f"columns {_shown(self.names)} cannot be joined with {_shown(other.names)}.")


def _share(part: Floats, whole: Floats) -> Floats:
    return np.divide(part, whole, out=np.zeros(np.broadcast_shapes(part.shape, whole.shape)), where=whole > 0)


def _between(gap: Floats, weight: Floats) -> Floats:
    """gap²·weight, with 0 where the weight is 0 even if the square overflows."""
    with np.errstate(over="ignore"):
        square = gap * gap
    return np.multiply(square, weight, out=np.zeros_like(gap), where=np.broadcast_to(weight > 0, gap.shape))


def _shown(names: tuple[str, ...]) -> str:
    return ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
