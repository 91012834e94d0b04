"""The form of the data that a model was first fitted on, with which later data are compared."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from deciban.read import Matrix, Table, Variable

__all__ = ["Form"]


@dataclass(frozen=True)
class Form:
    """What a model stores of the data that it was first fitted on.

    The number of columns, their names, the precision; a schema, where columns have distributions of their own; the
    weights of the columns, where they were learned, and how many rows they were learned from; the temperature of the
    evidence, where it was learned; the column of the target, where it was given by name. `classes` are those that were
    declared by ``partial_fit(classes=…)``: they stay when they have no rows. `numerals` are the columns
    whose text is read as numbers (`deciban.models.parts.numerals`).
    """

    columns: int
    names: tuple[str, ...] | None = None
    dtype: type[np.floating[Any]] = np.float64
    schema: Any = ()
    weights: tuple[float, ...] | None = None
    target: str | None = None
    classes: Variable | None = None
    weighed_rows: float = 0.0
    temperature: float | None = None
    numerals: tuple[str, ...] = ()

    def merged(self, other: Form) -> Form:
        """The same form, with the classes and numerals of either model, and the average of the columns' weights."""
        weights, rows = self._merged_weights(other)
        numerals = tuple(dict.fromkeys((*self.numerals, *other.numerals)))
        merged = replace(self, weights=weights, weighed_rows=rows, numerals=numerals)
        if other.classes is None:
            return merged
        return replace(merged, classes=other.classes if self.classes is None else self.classes.union(other.classes))

    def _merged_weights(self, other: Form) -> tuple[tuple[float, ...] | None, float]:
        """The weights of the columns, averaged by the rows they were learned from, and the number of these rows."""
        if self.weights is None or other.weights is None:
            known = other if self.weights is None else self
            return known.weights, known.weighed_rows
        rows = self.weighed_rows + other.weighed_rows
        share = self.weighed_rows / rows if rows > 0 else 0.5
        pairs = zip(self.weights, other.weights, strict=True)
        return tuple(share * mine + (1.0 - share) * theirs for mine, theirs in pairs), rows

    @classmethod
    def of(cls, data: Matrix | Table) -> Form:
        """The form of data that have been read; single precision is kept where a matrix has it."""
        is_single = isinstance(data, Matrix) and data.dtype == np.float32
        columns = data.columns if isinstance(data, Table) else ()
        numerals = tuple(column.name for column in columns if column.is_numeric and column.is_marked)
        return cls(data.shape[1], data.given_names, np.float32 if is_single else np.float64, numerals=numerals)

    def allowed(self, names: Iterable[str]) -> frozenset[str]:
        """The names that a single row may have: those of the columns, and the target's, which is ignored."""
        return frozenset(names) if self.target is None else frozenset((*names, self.target))
