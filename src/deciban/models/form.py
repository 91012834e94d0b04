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
    weights of the columns, where they were learned from rows; the column of the target, where it was given by name.
    `classes` are those that were declared by ``partial_fit(classes=…)``: they stay when they have no rows.
    `numerals` are the columns whose text is read as numbers (`deciban.models.parts.numerals`).
    """

    columns: int
    names: tuple[str, ...] | None = None
    dtype: type[np.floating[Any]] = np.float64
    schema: Any = ()
    weights: tuple[float, ...] | None = None
    target: str | None = None
    classes: Variable | None = None
    numerals: tuple[str, ...] = ()

    def merged(self, other: Form) -> Form:
        """The same form, with the classes that either model declared, and the columns that either reads as numbers."""
        merged = replace(self, numerals=tuple(dict.fromkeys((*self.numerals, *other.numerals))))
        if other.classes is None:
            return merged
        return replace(merged, classes=other.classes if self.classes is None else self.classes.union(other.classes))

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
