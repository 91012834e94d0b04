"""Which distribution each column of a table gets, and why.

=======================================================  ==================================================
column                                                   distribution
=======================================================  ==================================================
text, categories, enums, booleans, dates, mixed objects  Categorical
floats                                                   Gaussian
whole numbers, at most 16 of them distinct               Categorical: codes or small counts
whole numbers, more of them                              Gaussian
=======================================================  ==================================================

The plan is made from the first rows that a model sees, and kept: name the columns' distributions to learn a table in
parts whose whole numbers may differ.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Any

import numpy as np

from deciban.errors import ColumnMismatchError, ParameterError
from deciban.estimate import Bernoulli, Binned, Categorical, Distribution, Gaussian, Smoothing
from deciban.read import Column, Table, distinct

__all__ = ["ColumnPlan", "Defaults", "Schema", "plan_columns", "wanted_columns"]

_MOST_DISTINCT = 16
_SAMPLES = 250, 10_000


@dataclass(frozen=True)
class Defaults:
    """What the model says for columns that say nothing themselves."""

    smoothing: Smoothing
    missing: str
    unseen: str

    def settle(self, kind: Distribution) -> Distribution:
        """Fill in what a distribution leaves open."""
        gaps: dict[str, Any] = {}
        if kind.missing is None:
            gaps["missing"] = self.missing if self.missing in kind.ways_to_miss() else "skip"
        if isinstance(kind, Categorical | Bernoulli | Binned) and kind.smoothing is None:
            gaps["smoothing"] = self.smoothing
        if isinstance(kind, Categorical) and kind.unseen is None:
            gaps["unseen"] = self.unseen
        return replace(kind, **gaps)


@dataclass(frozen=True)
class ColumnPlan:
    """A column, its distribution, and the reason for it."""

    name: str
    distribution: Distribution
    reason: str


@dataclass(frozen=True)
class Schema:
    """The plans of all columns; it shows itself as a table."""

    plans: tuple[ColumnPlan, ...]

    def __iter__(self) -> Iterator[ColumnPlan]:
        return iter(self.plans)

    def __len__(self) -> int:
        return len(self.plans)

    def __getitem__(self, name: str) -> ColumnPlan:
        found = [plan for plan in self.plans if plan.name == name]
        if not found:
            raise ColumnMismatchError(f"there is no column {name!r}.")
        return found[0]

    def by_kind(self) -> dict[Distribution, list[int]]:
        """The places of the columns that have equal distributions."""
        groups: dict[Distribution, list[int]] = {}
        for i, plan in enumerate(self.plans):
            groups.setdefault(plan.distribution, []).append(i)
        return groups

    def __repr__(self) -> str:
        rows = [("column", "distribution", "reason"), *self._rows()]
        first, second = (max(len(row[i]) for row in rows) for i in (0, 1))
        return "\n".join(f"{name:<{first}}  {kind:<{second}}  {reason}" for name, kind, reason in rows)

    def _repr_html_(self) -> str:
        head = "<tr><th>column</th><th>distribution</th><th>reason</th></tr>"
        body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in self._rows())
        return f"<table>{head}{body}</table>"

    def _rows(self) -> list[tuple[str, str, str]]:
        return [(plan.name, type(plan.distribution).__name__, plan.reason) for plan in self.plans]


def plan_columns(table: Table, wanted: Any, defaults: Defaults) -> Schema:
    """Pick a distribution for each column: the wanted one, or one by its type and values."""
    given = wanted_columns(wanted, table.names)
    return Schema(tuple(_plan(column, given.get(column.name), defaults) for column in table.columns))


def wanted_columns(wanted: Any, names: Sequence[str]) -> Mapping[str, Distribution]:
    """The distributions that a user names, by column."""
    if isinstance(wanted, str):
        if wanted != "auto":
            raise ParameterError(f'columns is "auto", a Distribution or a mapping of names to them, not {wanted!r}.')
        return {}
    if isinstance(wanted, Distribution):
        return dict.fromkeys(names, wanted)
    if not isinstance(wanted, Mapping):
        raise ParameterError(f'columns is "auto", a Distribution or a mapping of names to them, not {wanted!r}.')
    strange = [name for name in wanted if name not in names]
    if strange:
        raise ColumnMismatchError(f"columns names {strange[0]!r}, but the columns are {', '.join(names)}.")
    wrong = [name for name, kind in wanted.items() if not isinstance(kind, Distribution)]
    if wrong:
        raise ParameterError(f"columns[{wrong[0]!r}] is {wanted[wrong[0]]!r}, which is no distribution.")
    return wanted


def _plan(column: Column, given: Distribution | None, defaults: Defaults) -> ColumnPlan:
    if given is not None:
        return ColumnPlan(column.name, defaults.settle(given), "as given")
    kind, reason = _pick(column)
    return ColumnPlan(column.name, defaults.settle(kind), reason)


def _pick(column: Column) -> tuple[Distribution, str]:
    if not column.is_numeric:
        return Categorical(), f"labels: {int(column.occurring().sum())} distinct"
    if not column.is_whole:
        return Gaussian(), "floats"
    few = _distinct(column)
    if few is None:
        return Gaussian(), f"whole numbers, more than {_MOST_DISTINCT} distinct"
    return Categorical(), f"whole numbers, {few} distinct"


def _distinct(column: Column) -> int | None:
    """How many distinct numbers there are; None when more than a categorical column has."""
    for part in (*(column.take(slice(0, rows)) for rows in _SAMPLES), column):
        numbers = part.numbers
        count = len(distinct(numbers[~np.isnan(numbers)] if numbers.dtype.kind == "f" else numbers))
        if count > _MOST_DISTINCT:
            return None
    return count
