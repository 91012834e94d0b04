"""The rows that scores are taken of: every family on the same ones, each with its weight.

A family that left out the rows it cannot see would look better for having fewer of them. So a missing value is an
error, or its row is left out of every family (``missing="drop"``), or it is a state of its own (``"state"``). A weight
is a number of rows: a row of weight 3 counts as three of its kind do, one of weight 0 as none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from deciban.choices import check_choice
from deciban.errors import InputError, MissingValueError
from deciban.nets.data.kinds import check_category
from deciban.read import Column, Table, read_table, read_weights
from deciban.types import Floats

__all__ = ["Missing", "Rows", "complete", "read_rows"]

Missing = Literal["error", "drop", "state"]


@dataclass(frozen=True, eq=False)
class Rows:
    """A table without missing values, the weights of its rows or None, and how many rows were left out."""

    table: Table
    weights: Floats | None = None
    dropped: int = 0

    @property
    def total(self) -> float:
        """How many rows they stand for."""
        return float(len(self.table)) if self.weights is None else float(self.weights.sum())

    @property
    def columns(self) -> list[Column]:
        """In the order of their names."""
        return sorted(self.table.columns, key=lambda column: column.name)


def read_rows(data: Any, weights: Any = None, missing: Missing = "error") -> Rows:
    """Read any table.

    >>> read_rows({"rain": ["no", None, "yes"], "wet": ["no", "yes", "yes"]}, missing="drop").dropped
    1
    """
    check_choice("missing", missing, get_args(Missing))
    table = _table(data)
    counted = read_weights(weights, len(table))
    if counted is not None and (counted == 0).any():
        table, counted = table.take(np.flatnonzero(counted)), counted[counted > 0]
        if not len(counted):
            raise InputError("every weight is 0: no row is left.")
    rows = complete(table, counted, missing)
    if rows.total < 1:
        raise InputError(
            f"the weights sum to {rows.total:g}; a weight is a number of rows. Multiply them by the rows there are."
        )
    return rows


def complete(table: Table, weights: Floats | None, missing: str, others: str = "") -> Rows:
    """The table without missing values; `others` names the ways that the caller has beside those here."""
    gaps = [column for column in table.columns if column.has_missing]
    if not gaps:
        return Rows(table, weights)
    for column in gaps:
        if column.is_missing.all():
            raise MissingValueError(f"column {column.name!r} has no value at all: every row is missing. Leave it out.")
    if missing == "error":
        raise MissingValueError(
            f'column {gaps[0].name!r} has a missing value (row {gaps[0].first_missing()}). Pass missing="drop" to '
            'leave out rows with missing values, missing="state" to make them a state of their own,'
            f"{others} or fill them."
        )
    if missing == "state":
        filled = tuple(_with_state(column, weights) for column in table.columns)
        return Rows(Table(filled, table.is_named), weights)
    kept = np.flatnonzero(~np.any([column.is_missing for column in gaps], axis=0))
    if not len(kept):
        raise MissingValueError(
            f"each of the {len(table):,} rows has a missing value in some column, so that none is left. Leave out "
            f"columns with many; {max(gaps, key=lambda column: column.is_missing.sum()).name!r} has the most."
        )
    return Rows(table.take(kept), None if weights is None else weights[kept], len(table) - len(kept))


def _with_state(column: Column, weights: Floats | None) -> Column:
    if not column.has_missing:
        return column
    check_category(column, "fill the missing values", weights=weights)
    return column.with_missing_state()


def _table(data: Any) -> Table:
    if isinstance(data, Table):
        return data
    table = read_table(data)
    for place, name in enumerate(table.names):
        if name in table.names[:place]:
            raise InputError(f"two columns are named {name!r}: rename one of them.")
    return table
