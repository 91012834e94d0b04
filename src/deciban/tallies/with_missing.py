"""The statistics of a column whose missing values are evidence: its part, and how often it is missing.

m_jg = Σ weight of the rows of class j whose value is known (g = 0) or missing (g = 1)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from deciban.errors import ColumnMismatchError
from deciban.tallies.arithmetic import equal_by_value, place_rows, subtract
from deciban.types import AnyArray, Ints

__all__ = ["Gapped"]


@dataclass(frozen=True, eq=False)
class Gapped:
    """The part of one column, and a table of class × (known, missing)."""

    part: Any
    gaps: AnyArray

    @property
    def names(self) -> tuple[str, ...]:
        return self.part.names

    @property
    def is_empty(self) -> bool:
        return self.part.is_empty and not self.gaps.any()

    def __add__(self, other: Gapped) -> Gapped:
        self._check(other)
        return Gapped(self.part + other.part, self.gaps + other.gaps)

    def __sub__(self, other: Gapped) -> Gapped:
        self._check(other)
        return Gapped(self.part - other.part, subtract(self.gaps, other.gaps, self._cell, 0))

    __eq__ = equal_by_value

    def scaled(self, factor: float) -> Gapped:
        return Gapped(self.part.scaled(factor), self.gaps * float(factor))

    def reclassed(self, indices: Ints, classes: int) -> Gapped:
        return Gapped(self.part.reclassed(indices, classes), place_rows(self.gaps, indices, classes))

    def of_classes(self, kept: AnyArray) -> Gapped:
        return Gapped(self.part.of_classes(kept), self.gaps[kept])

    def _check(self, other: Gapped) -> None:
        if type(self.part) is not type(other.part):
            raise ColumnMismatchError(f"column {self.names[0]!r} is not counted in the same way in both tallies.")

    def _cell(self, at: tuple[int, ...]) -> str:
        return f"{('known', 'missing')[at[1]]} values of {self.names[0]!r}"
