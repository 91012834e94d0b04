"""Any table → named columns with sample weights, once its missing values have been treated.

    missing="error"   a missing value is an error
    missing="skip"    it is left out where it is needed: of one test, of one family's counts
    missing="drop"    its row is left out
    missing="state"   it is a state of its own
    missing="em"      it is summed out by expectation maximization

Each function takes those that make sense there. A score needs every family on the same rows, since a family that left
out the rows it lacks would look better for having fewer of them: so scores do not take "skip". A sample weight is the
number of rows that a row stands for: a row of weight 3 counts as three copies of it, a row of weight 0 is not there.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from deciban.choices import check_choice, counted
from deciban.errors import ColumnMismatchError, InputError, MissingValueError
from deciban.nets.data.columns import read_all_columns, read_columns
from deciban.nets.data.kinds import check_category
from deciban.nets.graphs.base import Node
from deciban.read import Column, read_weights
from deciban.suggest import closest
from deciban.types import AnyArray, Floats

__all__ = ["Missing", "Rows", "check_nodes", "choose_rows", "read_rows", "treat_missing"]

Missing = Literal["error", "skip", "drop", "state", "em"]

_REMEDIES: Mapping[str, str] = {
    "skip": 'missing="skip" to leave it out where it is needed',
    "drop": 'missing="drop" to leave out its row',
    "state": 'missing="state" to make it a state of its own',
    "em": 'missing="em" to sum it out',
}


@dataclass(frozen=True, eq=False)
class Rows:
    """Columns by name, the weight of each row or None, how many rows were left out, and the nodes without a column."""

    columns: Mapping[Node, Column]
    sample_weight: Floats | None = None
    dropped: int = 0
    absent: tuple[Node, ...] = ()

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))


def read_rows(
    data: Any,
    nodes: Sequence[Node] | None = None,
    *,
    sample_weight: Any = None,
    missing: str = "error",
    choices: Sequence[str] = ("error",),
    may_lack: Collection[Node] = (),
    only_nodes: bool = False,
    hint: str = "",
    is_part: bool = False,
) -> Rows:
    """Read a table: all of its columns, or those of some nodes.

    Parameters
    ----------
    data
        A frame, an array, a mapping of columns, a list of records, or any other table.
    nodes
        The nodes whose columns are read; a node without a column is an error unless `may_lack` has it, and `hint`
        says what else a user can do. With `only_nodes`, a column that is not a node is an error too.
    sample_weight
        How many rows each row stands for.
    missing, choices
        What to do with missing values, and what the caller allows.
    is_part
        Whether the table is a batch of a larger one: then no row may be left, and a column may have no value.

    Examples
    --------
    >>> rain = {"rain": ["no", None, "yes"], "wet": ["no", "yes", "yes"]}
    >>> read_rows(rain, missing="drop", choices=("error", "drop")).dropped
    1
    """
    check_choice("missing", missing, tuple(choices))
    if nodes is None:
        columns, absent = read_all_columns(data), tuple[Node, ...]()
    else:
        columns, names = read_columns(data, nodes, only_nodes=only_nodes)
        absent = check_nodes(nodes, columns, names, may_lack, hint)
    rows = Rows(columns, read_weights(sample_weight, len(next(iter(columns.values())))), 0, absent)
    first = None if is_part else 0
    return treat_missing(_without_zero_weights(rows, is_part=is_part), missing, choices, is_part=is_part, first=first)


def check_nodes(
    nodes: Sequence[Node],
    found: Collection[Node],
    names: Sequence[Hashable],
    may_lack: Collection[Node] = (),
    hint: str = "",
) -> tuple[Node, ...]:
    """The nodes that have no column; an error where one of them needs it. `names` are those of the columns."""
    absent = tuple(node for node in nodes if node not in found)
    lost = [node for node in absent if node not in may_lack]
    if lost or not found:
        raise ColumnMismatchError(_lost_message(lost or absent, names) + hint)
    return absent


def choose_rows(rows: Rows, kept: AnyArray) -> Rows:
    """Some of the rows, by index."""
    weights = None if rows.sample_weight is None else rows.sample_weight[kept]
    return Rows({node: column.take(kept) for node, column in rows.columns.items()}, weights, rows.dropped, rows.absent)


def treat_missing(
    rows: Rows, missing: str, choices: Sequence[str], *, is_part: bool = False, first: int | None = 0
) -> Rows:
    """The same rows with their missing values treated.

    `is_part` as in ``read_rows``; `first` is the number of the first row, None where it is not known.
    """
    incomplete = {node: column for node, column in rows.columns.items() if column.has_missing}
    if not incomplete or missing in ("skip", "em"):
        return rows
    for node, column in incomplete.items():
        if column.is_missing.all() and not is_part:
            raise MissingValueError(f"column {node!r} has no value at all: every row is missing. Leave it out.")
    if missing == "error":
        node, column = next(iter(incomplete.items()))
        remedies = [_REMEDIES[choice] for choice in choices if choice in _REMEDIES]
        advice = f"Pass {', or '.join(remedies)}, or fill it." if remedies else "Fill it."
        row = "" if first is None else f" (row {first + column.first_missing()})"
        raise MissingValueError(f"column {node!r} has a missing value{row}. {advice}")
    if missing == "state":
        held = {node: _with_state(column, rows.sample_weight) for node, column in rows.columns.items()}
        return Rows(held, rows.sample_weight, rows.dropped, rows.absent)
    return _complete(rows, incomplete, is_part=is_part)


def _complete(rows: Rows, incomplete: Mapping[Node, Column], *, is_part: bool) -> Rows:
    kept = np.flatnonzero(~np.any([column.is_missing for column in incomplete.values()], axis=0))
    if not len(kept) and not is_part:
        worst = max(incomplete, key=lambda node: int(incomplete[node].is_missing.sum()))
        raise MissingValueError(
            f"each of the {counted(len(rows), 'row')} has a missing value in some column, so that none is left. Leave "
            f"out columns with many; {worst!r} has the most."
        )
    chosen = choose_rows(rows, kept)
    return Rows(chosen.columns, chosen.sample_weight, rows.dropped + len(rows) - len(kept), rows.absent)


def _with_state(column: Column, sample_weight: Floats | None) -> Column:
    if not column.has_missing:
        return column
    check_category(column, "fill the missing values", sample_weight=sample_weight)
    return column.with_missing_state()


def _without_zero_weights(rows: Rows, *, is_part: bool) -> Rows:
    weights = rows.sample_weight
    if weights is None or (weights > 0).all():
        return rows
    if not weights.any() and not is_part:
        raise InputError("every weight is 0: no row is left.")
    return choose_rows(rows, np.flatnonzero(weights))


def _lost_message(lost: Sequence[Node], names: Sequence[Hashable]) -> str:
    shown = ", ".join(map(repr, lost[:8])) + (", …" if len(lost) > 8 else "")
    what = f"column {shown}" if len(lost) == 1 else f"column for {len(lost)} of the nodes: {shown}"
    held = ", ".join(map(str, names[:12])) + (", …" if len(names) > 12 else "")
    return f"the table has no {what}; it has {held}.{closest(lost[0], names)}"
