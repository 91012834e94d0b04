"""The statistics of a column whose missing values are evidence: its part, and how often it is missing.

m_jg = Σ weight of the rows of class j whose value is known (g = 0) or missing (g = 1)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from deciban.errors import ColumnMismatchError
from deciban.read import Variable
from deciban.tallies.arithmetic import equal_by_value, part_as, place_rows, subtract, variables_of
from deciban.types import AnyArray, Ints

__all__ = ["WithMissing"]


@dataclass(frozen=True, eq=False)
class WithMissing:
    """The part of one column, and a table of class × (known, missing)."""

    part: Any
    presence: AnyArray

    @property
    def names(self) -> tuple[str, ...]:
        return self.part.names

    @property
    def variables(self) -> tuple[Variable, ...]:
        return variables_of(self.part)

    def read_as(self, known: WithMissing) -> WithMissing:
        """The same statistics, of labels in the type of those that other ones have."""
        return WithMissing(part_as(self.part, known.part), self.presence)

    @property
    def classes(self) -> int:
        return len(self.presence)

    def shown(self, most: int) -> Iterator[tuple[str, str, list[Any]]]:
        """The rows of the part in a printed tally, and one more for the missing values."""
        yield from self.part.shown(most)
        yield "", "(missing)", self.presence[:, 1].tolist()

    @property
    def is_empty(self) -> bool:
        return self.part.is_empty and not self.presence.any()

    def __add__(self, other: WithMissing) -> WithMissing:
        self._check(other)
        return WithMissing(self.part + other.part, self.presence + other.presence)

    def __sub__(self, other: WithMissing) -> WithMissing:
        self._check(other)
        return WithMissing(self.part - other.part, subtract(self.presence, other.presence, self._cell, 0))

    __eq__ = equal_by_value

    def scaled(self, factor: float) -> WithMissing:
        return WithMissing(self.part.scaled(factor), self.presence * float(factor))

    def reclassed(self, indices: Ints, classes: int) -> WithMissing:
        return WithMissing(self.part.reclassed(indices, classes), place_rows(self.presence, indices, classes))

    def of_classes(self, kept: AnyArray) -> WithMissing:
        return WithMissing(self.part.of_classes(kept), self.presence[kept])

    def _check(self, other: WithMissing) -> None:
        if type(self.part) is not type(other.part):
            raise ColumnMismatchError(f"column {self.names[0]!r} is not counted in the same way in both tallies.")

    def _cell(self, at: tuple[int, ...]) -> str:
        return f"{('known', 'missing')[at[1]]} values of {self.names[0]!r}"
