"""The classes of a table in a database, and the counts of other columns within them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from deciban.engines.sql.sets import SetCounts
from deciban.errors import InputError, SourceError
from deciban.read import Column, Variable, read_target
from deciban.tallies import Counts, Sample, Tally, count_column
from deciban.types import AnyArray, Codes

__all__ = ["Classes", "changed"]

_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Classes:
    """The labels of the target as the database gives them, and the number of rows of each, or their weight."""

    target: str
    labels: Sequence[Any]
    counts: AnyArray

    def __post_init__(self) -> None:
        if any(label is None or label != label for label in self.labels):
            raise InputError(f"Input y contains NaN or None (column {self.target!r}): every row needs a label.")

    @cached_property
    def sample(self) -> Sample:
        """A sample with one row for each label, whose weight is its count."""
        column = Column.of_objects(self.target, list(self.labels))
        return Sample.of(read_target(column, len(self.labels), self.target), self.counts.astype(np.float64))

    @property
    def variable(self) -> Variable:
        return self.sample.classes

    @property
    def order(self) -> AnyArray:
        """For each class the index of its label."""
        return np.argsort(self.sample.codes)

    def codes(self, labels: Sequence[Any]) -> Codes:
        """The code of each label's class."""
        code_of = dict(zip(self.labels, self.sample.codes.tolist(), strict=True))
        if not set(labels) <= set(code_of):
            raise changed()
        return np.array([code_of[label] for label in labels], dtype=np.int32)

    def check(self, codes: Codes, counts: AnyArray) -> None:
        """Refuse counts that do not add up to the rows of the classes."""
        found = np.bincount(codes, counts, len(self.variable))
        expected = self.counts[self.order].astype(np.float64)
        if (np.abs(found - expected) > (_ROUNDING * expected if self.is_weighted else 0)).any():
            raise changed()

    @property
    def is_weighted(self) -> bool:
        return self.counts.dtype.kind == "f"

    def count(self, name: str, found: SetCounts) -> Counts:
        """The counts of a column, from those of its values together with the target, which comes first."""
        codes = self.codes(found.values[0])
        self.check(codes, found.counts)
        column = Column.of_objects(name, found.values[1])
        part = count_column(column, Sample(self.variable, codes, self.counts, found.counts.astype(np.float64)))
        return Counts(part.variable, part.table.astype(self.counts.dtype))

    def tally(self, *parts: Any) -> Tally:
        return Tally(self.variable, self.counts[self.order], parts)


def changed() -> SourceError:
    """The error for rows that changed between two queries."""
    return SourceError(
        "the rows changed while they were counted: two queries disagree. Count in a transaction that keeps its view "
        "of the database (isolation level REPEATABLE READ), or count a copy."
    )
