"""Sums of many like columns within each class: occurrences of terms, or rows in which a term is present.

T_jk = Σ_{rows of class j} x_k
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from deciban.errors import ColumnMismatchError
from deciban.read import generated_names
from deciban.tallies.arithmetic import place_rows, subtract
from deciban.types import AnyArray, Ints

__all__ = ["Terms"]


@dataclass(frozen=True, eq=False)
class Terms:
    """Class × term sums, and the weight of the rows whose value is known: one column, or one a term."""

    sums: AnyArray
    known: AnyArray
    given_names: tuple[str, ...] | None = None

    @property
    def names(self) -> tuple[str, ...]:
        return self.given_names or generated_names(self.sums.shape[1])

    @property
    def is_empty(self) -> bool:
        return not (self.sums.any() or self.known.any())

    def __add__(self, other: Terms) -> Terms:
        self._check(other)
        return Terms(self.sums + other.sums, self.known + other.known, self.given_names)

    def __sub__(self, other: Terms) -> Terms:
        self._check(other)
        known = subtract(self.known, other.known, lambda _: "rows", 0)
        sums = subtract(self.sums, other.sums, lambda at: f"term {self.names[at[1]]!r}", 0)
        return Terms(sums, known, self.given_names)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Terms):
            return NotImplemented
        return (
            self.given_names == other.given_names
            and np.array_equal(self.sums, other.sums)
            and bool(np.all(self.known == other.known))
        )

    __hash__ = None  # type: ignore[assignment]

    def scaled(self, factor: float) -> Terms:
        return Terms(self.sums * float(factor), self.known * float(factor), self.given_names)

    def reclassed(self, indices: Ints, classes: int) -> Terms:
        return Terms(
            place_rows(self.sums, indices, classes), place_rows(self.known, indices, classes), self.given_names
        )

    def of_classes(self, kept: AnyArray) -> Terms:
        return Terms(self.sums[kept], self.known[kept], self.given_names)

    def of_columns(self, kept: Sequence[int]) -> Terms:
        known = self.known if self.known.shape[1] == 1 else self.known[:, kept]
        return Terms(self.sums[:, kept], known, tuple(self.names[c] for c in kept))

    def _check(self, other: Terms) -> None:
        if self.sums.shape[1] != other.sums.shape[1] or self.given_names != other.given_names:
            raise ColumnMismatchError(
                f"{self.sums.shape[1]} terms cannot be joined with {other.sums.shape[1]}: the columns differ."
            )
