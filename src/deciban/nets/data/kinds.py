"""What a column holds: categories that can be counted, numbers, or identifiers of rows.

    category     labels, or at most 64 different numbers
    whole        whole numbers, more than 64 different ones: may be counted as categories
    number       fractions, more than 64 different ones or more than half as many as there are rows
    identifier   labels or whole numbers, more than 64 different ones and more than half as many as there are rows

``discover``, ``search``, ``BayesNet.fit`` and ``effect`` all use this rule, so they refuse the same columns with the
same error. Counting numbers that hardly repeat would give tables of zeros and ones, which say nothing about dependence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from deciban.errors import InputError
from deciban.read import Column
from deciban.types import Floats

__all__ = ["MOST_STATES", "ColumnKind", "Reads", "check_category", "kind_of", "kind_of_table"]

Kind = Literal["category", "whole", "number", "identifier"]

Reads = Literal["categories", "numbers"]
"""What a test or a score needs its columns to be."""

MOST_STATES = (1 << 16) - 1
_FEW = 64


@dataclass(frozen=True)
class ColumnKind:
    """The kind of a column, the number of its different values, and the number of rows that have a value."""

    kind: Kind
    values: int
    rows: int


def kind_of(column: Column, distinct: int | None = None, sample_weight: Floats | None = None) -> ColumnKind:
    """What a column holds; `distinct` is the number of its distinct values, where it is known.

    >>> import numpy as np
    >>> kind_of(Column.of_values("age", np.arange(100) % 80)).kind
    'identifier'
    >>> kind_of(Column.of_values("age", np.arange(1000) % 80)).kind
    'whole'
    """
    rows = len(column)
    if column.is_declared or _is_narrow(column):
        return ColumnKind("category", 0, rows)
    values = len(column.variable()) if distinct is None else distinct
    known = _known_rows(column, sample_weight)
    is_rare = 2 * values > known
    if column.is_float and not column.is_codes():
        return ColumnKind("number" if values > _FEW or (values > 2 and is_rare) else "category", values, known)
    if values <= _FEW:
        return ColumnKind("category", values, known)
    if is_rare:
        return ColumnKind("identifier", values, known)
    return ColumnKind("whole" if column.is_numeric else "category", values, known)


def _known_rows(column: Column, sample_weight: Floats | None) -> int:
    """The number of rows that have a value, or the sum of their weights."""
    if sample_weight is not None:
        return int(sample_weight[~column.is_missing].sum())
    return len(column) - int(column.is_missing.sum()) if column.has_missing else len(column)


def _is_narrow(column: Column) -> bool:
    """The fast way: few labels, or whole numbers in a narrow range."""
    if column.held is None:
        return len(column.states) <= _FEW
    if column.held.dtype.kind not in "iu" or not len(column):
        return False
    lowest, highest = column.extent
    return highest - lowest < _FEW


def check_category(
    column: Column, numbers: str, distinct: int | None = None, sample_weight: Floats | None = None
) -> None:
    """Refuse a column that cannot be counted; `numbers` says what to use where all columns are numbers."""
    found = kind_of(column, distinct, sample_weight)
    if found.kind == "number":
        raise InputError(
            f"column {column.name!r} holds {found.values:,} different numbers in {found.rows:,} rows, too many to "
            f"count as categories. Bin it first (pandas.cut, pandas.qcut), leave it out, or, if all columns are "
            f"numbers, {numbers}."
        )
    if found.kind == "identifier":
        other = f", or, if it is a number and all other columns are, {numbers}" if column.is_numeric else ""
        raise InputError(
            f"column {column.name!r} has {found.values:,} different values in {found.rows:,} rows: it names rows "
            f"instead of grouping them. Leave it out, or put its values into groups (numbers with pandas.cut){other}."
        )
    if found.values > MOST_STATES:
        raise InputError(
            f"column {column.name!r} has {found.values:,} different values; a net takes at most {MOST_STATES:,}. Leave "
            "it out, or put its values into groups."
        )


def kind_of_table(columns: Sequence[Column], categories: str, numbers: str) -> Reads:
    """Whether a table holds categories or numbers; a mixture of both is an error.

    `categories` and `numbers` are the arguments that choose one of the two, such as ``test="g2"``.
    """
    kinds = [kind_of(column) for column in columns]
    measured = [column.is_numeric and found.kind != "category" for column, found in zip(columns, kinds, strict=True)]
    if not any(measured):
        return "categories"
    if all(measured):
        return "numbers"
    shown = [
        f"{column.name!r} ({found.values:,} different)"
        for column, found, is_measured in zip(columns, kinds, measured, strict=True)
        if is_measured
    ]
    others = [repr(column.name) for column, is_measured in zip(columns, measured, strict=True) if not is_measured]
    raise InputError(
        f"the table mixes numbers, {_listed(shown)}, and categories, {_listed(others)}. Bin the numbers first "
        f"(pandas.cut, pandas.qcut), leave out one of the two kinds, pass {categories} to count whole "
        f"numbers as categories, or, if all columns are numbers, {numbers} to use all of them as numbers."
    )


def _listed(names: list[str]) -> str:
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
