"""What the columns of a table hold: how many values are missing, how many are distinct, and what they are."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from deciban.estimate.columns.examples import short_number
from deciban.read import Column, Table
from deciban.read.variable import MISSING

__all__ = ["ColumnFacts", "describe_columns"]

_SHOWN = 4


class ColumnFacts(NamedTuple):
    """A column: the number of its missing and of its distinct values, and a few of them as text."""

    name: str
    missing: int
    distinct: int
    values: str


def describe_columns(table: Table) -> list[ColumnFacts]:
    """Describe each column of a table: numbers by their range, labels by the most frequent ones."""
    return [_describe(column) for column in table.columns]


def _describe(column: Column) -> ColumnFacts:
    missing = int(np.count_nonzero(column.is_missing))
    if missing == len(column):
        return ColumnFacts(column.name, missing, 0, "")
    if column.is_numeric:
        numbers = np.asarray(column.numbers)[~column.is_missing]
        ends = short_number(float(numbers.min())), short_number(float(numbers.max()))
        middle = short_number(float(np.median(numbers)))
        return ColumnFacts(column.name, missing, len(np.unique(numbers)), f"{ends[0]} to {ends[1]}, median {middle}")
    counts = np.bincount(column.indices[column.indices != MISSING], minlength=len(column.states))
    used = np.flatnonzero(counts)
    largest = used[np.argsort(-counts[used], kind="stable")][:_SHOWN]
    shown = ", ".join(_short(column.states[i]) for i in largest.tolist())
    return ColumnFacts(column.name, missing, len(used), f"{shown}{', …' if len(used) > _SHOWN else ''}")


def _short(value: object) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= 30 else f"{text[:29].rstrip()}…"
