"""Columns that a model should not learn from: identifiers, and copies of the target.

A value that occurs once is no evidence for other rows, so a column with a new value in nearly every row is an
identifier: it is ignored, and a warning names it.

- **Labels** are identifiers when at least nine tenths of those that are not missing are distinct.
- **Whole numbers** are identifiers when all of them are distinct although they are close together. Among n numbers
  between a and b that are drawn at random, about n(n − 1) / 2(b − a + 1) pairs are equal; where this is 10 or more, the
  probability that no pair is equal is e^−10 or less. So row numbers are found, also in a part of the rows and in any
  order, and measurements that happen to be distinct, such as prices, are not.

A column is a copy of the target when each of its values belongs to one class and each class to one value. It is used,
since that may be intended, and a warning names it: a column that follows from the class must be left out.

Tables of fewer than 50 rows are not checked. A column whose distribution is named in `columns` is never checked.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import replace
from typing import Any

import numpy as np

from deciban.errors import DecibanWarning
from deciban.estimate import Ignore
from deciban.models.tables.schema import ColumnPlan, Schema
from deciban.notices import warn_user
from deciban.read import MISSING, Column, Table
from deciban.tallies import Sample
from deciban.types import AnyArray, Codes

__all__ = ["judge_columns"]

_FEWEST = 50
_NEARLY = 0.9
_COINCIDENCES = 10
_PARTS = 8
"""The number of parts of the table from which some rows are checked first, which rules nearly every column out."""


def judge_columns(schema: Schema, table: Table, sample: Sample, given: Collection[str]) -> Schema:
    """The schema with identifiers ignored and copies of the target named; a warning lists both."""
    if len(table) < _FEWEST:
        return schema
    rows = sample.weighty()
    if rows is not None:
        table, sample = table.take(rows), sample.take(rows)
    plans = list(schema)
    judged = [i for i, plan in enumerate(plans) if plan.name not in given and not plan.distribution.is_ignored]
    found = {i: reason for i in judged if (reason := _identifier(plans[i], table.columns[i])) is not None}
    identifiers = found if len(found) < len(plans) else {}  # a model needs a column
    copies = [i for i in judged if i not in identifiers and _is_copy(table.columns[i], sample)]
    for i, reason in identifiers.items():
        plans[i] = ColumnPlan(plans[i].name, Ignore(missing="skip"), f"identifier: {reason}")
    for i in copies:
        plans[i] = replace(plans[i], reason=f"{plans[i].reason}; one-to-one with the target")
    _warn([plans[i].name for i in identifiers], [plans[i].name for i in copies])
    return Schema(tuple(plans))


def _identifier(plan: ColumnPlan, column: Column) -> str | None:
    """Why a column is an identifier; None where it is not."""
    if column.is_numeric:
        return _row_numbers(column)
    if len(column.states) < _NEARLY * _FEWEST or not plan.distribution.values_repeat:
        return None
    known = len(column) - int(column.is_missing.sum())
    if known < _FEWEST or len(column.states) < _NEARLY * known:
        return None
    distinct = int(column.occurring().sum())
    return f"{distinct:,} distinct labels in {known:,} rows" if distinct >= _NEARLY * known else None


def _row_numbers(column: Column) -> str | None:
    if not column.is_whole:
        return None
    some = [number for number in _some_values(column.held, 128) if number == number]
    if len(set(some)) < len(some):
        return None
    numbers = column.numbers
    known = numbers[~np.isnan(numbers)] if numbers.dtype.kind == "f" else numbers
    if len(known) < _FEWEST or len(np.unique(known)) < len(known):
        return None
    pairs = len(known) * (len(known) - 1) // 2
    wide = int(known.max()) - int(known.min()) + 1
    return f"{len(known):,} whole numbers, no two of them equal" if pairs >= _COINCIDENCES * wide else None


def _is_copy(column: Column, sample: Sample) -> bool:
    """True where each value belongs to one class and each class to one value."""
    classes = len(sample.classes)
    if classes < 2 or (not column.is_numeric and len(column.states) < classes):
        return False
    if column.held is None:
        values = [code if code != MISSING else math.nan for code in _some_values(column.indices, 8)]
    else:
        values = _some_values(column.held, 8)
    pairs = {(value, y) for value, y in zip(values, _some_values(sample.codes, 8), strict=True) if value == value}
    if not len(pairs) == len({value for value, _ in pairs}) == len({y for _, y in pairs}):
        return False
    codes = _codes(column)
    known = codes >= 0
    if int(known.sum()) < _FEWEST or not _is_one_to_one(codes[known], sample.codes[known]):
        return False
    return len(np.unique(sample.codes[known])) == classes


def _some_values(values: Any, of_each: int) -> list[float]:
    """The values of some rows from all parts of the table, since a file may be sorted by class."""
    rows = len(values)
    if rows <= _PARTS * of_each:
        return values[:].tolist()
    firsts = range(0, rows - of_each, rows // _PARTS)
    return [value for first in firsts for value in values[first : first + of_each].tolist()]


def _codes(column: Column) -> Codes:
    if not column.is_numeric:
        return column.indices
    numbers = np.unique(column.numbers, return_inverse=True)[1].astype(np.int32)
    return np.where(column.is_missing, np.int32(-1), numbers)


def _is_one_to_one(a: AnyArray, b: AnyArray) -> bool:
    pairs = np.unique(a.astype(np.int64) << 32 | b)
    return len(pairs) == len(np.unique(a)) == len(np.unique(b))


def _warn(identifiers: list[str], copies: list[str]) -> None:
    if identifiers:
        held = _listed(identifiers, "holds another value in nearly every row, as an identifier does, and is ignored")
        _say(f"{held}. Name its distribution to use it: columns={{{identifiers[0]!r}: Categorical()}}.")
    if copies:
        held = _listed(copies, "is one-to-one with the target")
        _say(f"{held}. Leave it out if it is not known before the class is; or name its distribution in columns.")


def _listed(names: list[str], what: str) -> str:
    each = "column" if len(names) == 1 else "each of the columns"
    shown = ", ".join(map(repr, names[:8])) + (", …" if len(names) > 8 else "")
    return f"{each} {shown} {what}"


def _say(message: str) -> None:
    warn_user(message, DecibanWarning)
