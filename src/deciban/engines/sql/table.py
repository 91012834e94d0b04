"""A table or query in a database: its columns, and how often combinations of their values occur."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from deciban.engines.sql.classes import Classes, changed
from deciban.engines.sql.columns import Description, describe
from deciban.engines.sql.database import Database, open_database
from deciban.engines.sql.dialects import as_double, column, expressions, is_nan
from deciban.engines.sql.moments import Sums, class_sums
from deciban.engines.sql.sets import SetCounts, Weights, count_sets
from deciban.engines.sql.source import parse_source
from deciban.errors import InputError, ParameterError

__all__ = ["DatabaseTable"]

_INFINITE = -1
"""The bin of infinite numbers, which are an error."""

_ROUNDING = 1e-9


@dataclass(frozen=True)
class DatabaseTable:
    """Rows that stay where they are."""

    database: Database
    source: Any
    description: Description
    weights: Weights

    @classmethod
    def of(
        cls, data: Any, query: str | None = None, *, sample_weight: Any = None, dialect: str | None = None
    ) -> DatabaseTable:
        """Find the columns of a table or query; `sample_weight` is the name of one."""
        if sample_weight is not None and not isinstance(sample_weight, str):
            raise ParameterError("sample_weight is the name of a column where the table is in a database.")
        database, text = open_database(data, query, dialect)
        source = parse_source(text, database.dialect)
        table = cls(database, source, describe(database, source), Weights(sample_weight))
        table.description.check(*table.weights.names)
        table.weights.check(database, source)
        return table

    @property
    def names(self) -> tuple[str, ...]:
        """The columns, but that of the weights."""
        return tuple(name for name in self.description.kinds if name not in self.weights.names)

    def is_number(self, name: str) -> bool:
        """True for floats and decimals."""
        return self.description.kinds[name] == "number"

    def sums(self, target: str, names: Sequence[str] = ()) -> tuple[Classes, dict[str, Sums]]:
        """The classes of the target, and the sums of columns of numbers within each."""
        self.description.check(target, *names)
        return class_sums(self.database, self.source, target, names, self.weights)

    def count(
        self, sets: Sequence[tuple[str, ...]], cuts: Mapping[str, Sequence[float]] | None = None
    ) -> list[SetCounts]:
        """Count the combinations of values of each set of columns; a column with cuts by its bins 0, 1, ….

        A number at a cut is below it; that of a missing value is None.
        """
        cuts = cuts or {}
        names = dict.fromkeys(name for each in sets for name in each)
        self.description.check(*names)
        keys = {name: self._bin(name, cuts[name]) if name in cuts else column(name) for name in names}
        types = {**self.description.types, **dict.fromkeys(cuts, "integer")}
        found = count_sets(self.database, self.source, keys, sets, self.weights, types)
        _check_finite(sets, found, cuts)
        _check_same_rows([held.counts.sum() for held in found], is_weighted=self.weights.name is not None)
        return found

    def _bin(self, name: str, cuts: Sequence[float]) -> Any:
        exp = expressions()
        number = as_double(column(name))
        missing = [
            condition for condition in (number.is_(exp.null()), is_nan(number, self.database.dialect)) if condition
        ]
        case = exp.case().when(exp.or_(*missing), exp.null())
        case = case.when(number.is_(exp.null()).not_().and_(self._is_infinite(number)), exp.convert(_INFINITE))
        for i, cut in enumerate(cuts):
            case = case.when(number <= as_double(float(cut)), exp.convert(i))
        return case.else_(exp.convert(len(cuts)))

    def _is_infinite(self, number: Any) -> Any:
        largest = as_double(float(np.finfo(np.float64).max))
        return expressions().or_(number > largest, number < -largest)


def _check_finite(
    sets: Sequence[tuple[str, ...]], found: Sequence[SetCounts], cuts: Mapping[str, Sequence[float]]
) -> None:
    for each, held in zip(sets, found, strict=True):
        for name, values in zip(each, held.values, strict=True):
            if name in cuts and _INFINITE in values:
                raise InputError(f"Input X contains infinity or a value too large for float64: column {name!r}.")


def _check_same_rows(totals: Sequence[Any], *, is_weighted: bool) -> None:
    """Refuse sets that were counted in different rows."""
    if totals and np.ptp(totals) > (_ROUNDING * max(totals) if is_weighted else 0):
        raise changed()
