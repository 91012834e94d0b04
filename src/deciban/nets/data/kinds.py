"""What a column holds: categories that can be counted, numbers, or identifiers of rows.

    category     labels, or at most 64 different numbers
    whole        whole numbers, more than 64 different ones: may be counted as categories
    number       fractions, more than 64 different ones or more than half as many as there are rows
    identifier   labels or whole numbers, more than 64 different ones and more than half as many as there are rows

``discover``, ``search``, ``BayesNet.fit`` and ``effect`` all use this rule, so they refuse the same columns with the
same error. Counting numbers that hardly repeat would give tables of zeros and ones, which say nothing about dependence.

Where nothing says how a table is read, whole numbers of 25 to 64 values, such as marks, and floats of few values are
numbers if all other columns can be; else they are categories.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from deciban.errors import InputError
from deciban.nets.graphs.graph import Node
from deciban.read import Column
from deciban.types import Floats

__all__ = [
    "FEW", "MOST_STATES", "ColumnKind", "Reads", "check_category", "check_kind", "check_part", "kind_of",
    "kind_of_counts", "kind_of_table", "notes_on_kinds",
]  # fmt: skip

Kind = Literal["category", "whole", "number", "identifier"]

Reads = Literal["categories", "numbers"]
"""What a test or a score needs its columns to be."""

MOST_STATES = (1 << 16) - 1
FEW = 64
FEW_WHOLE = 24
"""Whole numbers of more values, such as marks or ages, are numbers among numbers."""


@dataclass(frozen=True)
class ColumnKind:
    """The kind of a column, the number of its different values, and the number of rows that have a value.

    `is_numeric` when the values are numbers; `is_least` when there may be more different values than `values`.
    """

    kind: Kind
    values: int
    rows: int
    is_numeric: bool = False
    is_least: bool = False
    is_float: bool = False

    @property
    def is_graded(self) -> bool:
        """Whether the column holds whole numbers that may be categories, but are numbers among numbers."""
        return self.is_numeric and self.kind == "category" and not self.is_float and self.values > FEW_WHOLE

    @property
    def is_measured(self) -> bool:
        """Whether the column is read as numbers where nothing else is said."""
        return self.is_numeric and self.kind != "category"

    @property
    def shown(self) -> str:
        """The number of different values, for a message."""
        return f"{'at least ' if self.is_least else ''}{self.values:,}"


def kind_of(column: Column, distinct: int | None = None, sample_weight: Floats | None = None) -> ColumnKind:
    """What a column holds; `distinct` is the number of its distinct values, where it is known.

    >>> import numpy as np
    >>> kind_of(Column.of_values("age", np.arange(100) % 80)).kind
    'identifier'
    >>> kind_of(Column.of_values("age", np.arange(1000) % 80)).kind
    'whole'
    """
    if column.is_declared or _is_narrow(column):
        is_numeric = column.is_numeric and not column.is_declared
        return ColumnKind("category", _narrow_values(column) if is_numeric else 0, len(column), is_numeric)
    values = len(column.variable()) if distinct is None else distinct
    has_fractions = column.is_float and not column.is_codes()
    known = _known_rows(column, sample_weight)
    found = kind_of_counts(values, known, is_numeric=column.is_numeric, has_fractions=has_fractions)
    return replace(found, is_float=column.is_float and not column.is_whole)


def kind_of_counts(
    values: int, rows: int, *, is_numeric: bool, has_fractions: bool, is_least: bool = False
) -> ColumnKind:
    """What a column holds that has so many different values in so many rows.

    >>> kind_of_counts(80, 1000, is_numeric=True, has_fractions=True).kind
    'number'
    """
    is_rare = 2 * values > rows
    kind: Kind
    if has_fractions:
        kind = "number" if values > FEW or (values > 2 and is_rare) else "category"
    elif values <= FEW:
        kind = "category"
    elif is_rare:
        kind = "identifier"
    else:
        kind = "whole" if is_numeric else "category"
    return ColumnKind(kind, values, rows, is_numeric, is_least, has_fractions)


def _known_rows(column: Column, sample_weight: Floats | None) -> int:
    """The number of rows that have a value, or the sum of their weights."""
    if sample_weight is not None:
        return int(sample_weight[~column.is_missing].sum())
    return len(column) - int(column.is_missing.sum()) if column.has_missing else len(column)


def _is_narrow(column: Column) -> bool:
    """The fast way: few labels, or whole numbers in a narrow range."""
    if column.held is None:
        return len(column.states) <= FEW
    if column.held.dtype.kind not in "iu" or not len(column):
        return False
    lowest, highest = column.extent
    return highest - lowest < FEW


def _narrow_values(column: Column) -> int:
    """How many whole numbers of a narrow range occur; at most as many where that says enough."""
    lowest, highest = column.extent
    if highest - lowest < FEW_WHOLE:
        return highest - lowest + 1
    return int(np.count_nonzero(np.bincount(np.subtract(column.numbers, lowest, dtype=np.int64, casting="unsafe"))))


def check_category(
    column: Column, numbers: str, distinct: int | None = None, sample_weight: Floats | None = None
) -> None:
    """Refuse a column that cannot be counted; `numbers` says what to use where all columns are numbers."""
    check_kind(column.name, kind_of(column, distinct, sample_weight), numbers)


def check_kind(name: Node, found: ColumnKind, numbers: str) -> None:
    """Refuse a kind of column that cannot be counted."""
    if found.kind == "number":
        raise InputError(
            f"column {name!r} holds {found.shown} different numbers in {found.rows:,} rows, too many to "
            f"count as categories. Bin it first (pandas.cut, pandas.qcut), leave it out, or, if all columns are "
            f"numbers, {numbers}."
        )
    if found.kind == "identifier":
        other = f", or, if it is a number and all other columns are, {numbers}" if found.is_numeric else ""
        raise InputError(
            f"column {name!r} has {found.shown} different values in {found.rows:,} rows: it names rows "
            f"instead of grouping them. Leave it out, or put its values into groups (numbers with pandas.cut){other}."
        )
    if found.values > MOST_STATES:
        raise InputError(
            f"column {name!r} has {found.shown} different values; a net takes at most {MOST_STATES:,}. Leave "
            "it out, or put its values into groups."
        )


def check_part(column: Column, numbers: str, distinct: int) -> None:
    """Refuse a column as soon as some of its rows show that the whole column cannot be counted."""
    if distinct > MOST_STATES or (distinct > FEW and column.is_float and not column.is_codes()):
        check_category(column, numbers, distinct)


def kind_of_table(kinds: Mapping[Any, ColumnKind], categories: str, numbers: str) -> Reads:
    """Whether a table, of whose columns the kinds are given, holds categories or numbers; a mixture is an error.

    `categories` and `numbers` say how to choose one of the two, such as ``pass test="g2"``.
    """
    measured = [f"{name!r} ({found.shown} different)" for name, found in kinds.items() if found.is_measured]
    if not measured and not all(found.is_graded for found in kinds.values()):
        return "categories"
    can_be = [found.is_measured or found.is_graded or found.is_float for found in kinds.values()]
    if all(can_be):
        return "numbers"
    others = [repr(name) for name, found in kinds.items() if not found.is_measured]
    raise InputError(
        f"the table mixes numbers, {_listed(measured)}, and categories, {_listed(others)}. Bin the numbers first "
        f"(pandas.cut, pandas.qcut), leave out one of the two kinds, {categories} to count whole "
        f"numbers as categories, or, if all columns are numbers, {numbers} to use all of them as numbers."
    )


def notes_on_kinds(kinds: Mapping[Any, ColumnKind], reads: Reads, other: str) -> tuple[str, ...]:
    """What to say of whole numbers that could be read either way; `other` says how to read them the other way."""
    graded = [f"{name} ({found.shown} different)" for name, found in kinds.items() if found.is_graded]
    if not graded:
        return ()
    how = "read as numbers" if reads == "numbers" else "counted as categories, as other columns are"
    return (f"whole numbers, {_listed(graded)}, were {how}{f'; {other} to count them' if other else ''}",)


def _listed(names: list[str]) -> str:
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
