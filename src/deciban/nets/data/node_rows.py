"""Any table → named columns with sample weights, once its missing values have been treated.

    missing="error"   a missing value is an error
    missing="skip"    it is left out where it is needed: of one test, of one family's counts
    missing="drop"    its row is left out
    missing="state"   it is a state of its own
    missing="em"      it is summed out by expectation maximization

Each function takes those that make sense there. A score needs every family on the same rows, since a family that left
out the rows it lacks would look better for having fewer of them: so scores do not take "skip". A sample weight is the
number of rows that a row stands for: a row of weight 3 counts as three copies of it, a row of weight 0 is not there.

The columns of a table that belong to the nodes of a net.

A table is whatever `deciban.read` takes. A column belongs to the node of its name. Nodes need not be text: a mapping is
read by its own keys, and otherwise the name is the node as text. The columns of a table without names are called
``x0``, ``x1`` and so on; where the nodes have other names, a node that is a number is the index of its column, and a
table with as many columns as there are nodes has them in the order of the nodes.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from deciban.choices import check_choice, closest, counted
from deciban.errors import ColumnMismatchError, GraphError, InputError, InputTypeError, MissingValueError
from deciban.nets.data.kinds import check_category
from deciban.nets.data.states import first_repeated
from deciban.nets.graphs.graph import Node
from deciban.read import (
    Column,
    Table,
    check_lengths,
    column_of,
    container_of,
    generated_names,
    is_frame,
    listed,
    plain,
    read_table,
    read_weights,
)
from deciban.types import AnyArray, Floats

__all__ = [
    "Missing",
    "Rows",
    "check_nodes",
    "choose_rows",
    "match_columns",
    "read_all_columns",
    "read_columns",
    "read_rows",
    "treat_missing",
]


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


def read_all_columns(data: Any) -> dict[Node, Column]:
    """Every column of a table, by its name."""
    _check_table(data)
    table = data if isinstance(data, Table) else read_table(data)
    labels = None if isinstance(data, Table) else _labels(container_of(data))
    names = table.names if labels is None else labels
    _check_names(names)
    return {name: _renamed(column, name) for name, column in zip(names, table.columns, strict=True)}


def read_columns(
    data: Any, nodes: Sequence[Node], *, only_nodes: bool = False
) -> tuple[dict[Node, Column], tuple[Hashable, ...]]:
    """The column of each node that has one, and the names of all columns.

    Other columns are not read; with `only_nodes` they are an error.
    """
    _check_table(data)
    if not nodes:
        raise GraphError("the graph has no nodes: there is nothing to learn")
    table = container_of(data)
    if isinstance(table, Mapping) and is_frame(table):  # one kind of sparse matrix is a mapping
        found = match_columns(list(table), nodes, only_nodes=only_nodes)
        return _from_mapping({node: table[key] for node, key in found.items()}), tuple(table)
    names = _text_names(table)
    labels = _labels(table) if names is None else None
    # Numbers from 0 are what a frame has that was given no names: then columns are also found as x0, x1 and so on.
    if labels is not None and labels != tuple(range(len(labels))):
        _check_names(labels)
        found = match_columns(labels, nodes, only_nodes=only_nodes)
        every = dict(zip(labels, read_table(table).columns, strict=True))
        return {node: _renamed(every[label], node) for node, label in found.items()}, labels
    if names is None:
        columns = read_table(table).columns
        indices = match_columns(len(columns), nodes, only_nodes=only_nodes)
        return {node: columns[index] for node, index in indices.items()}, tuple(column.name for column in columns)
    found = match_columns(names, nodes, only_nodes=only_nodes)
    node_of = {name: node for node, name in found.items()}
    _check_names([name for name in names if name in node_of])
    columns = read_table(table, only=set(node_of)).columns if node_of else ()
    return {node_of[column.name]: column for column in columns}, names


def _text_names(table: Any) -> tuple[str, ...] | None:
    """The names of a frame where all are text; else None."""
    if not is_frame(table):
        return None
    from deciban.read.frame import column_names  # noqa: PLC0415  brings pyarrow, which takes long to load

    return column_names(table)


def _labels(table: Any) -> tuple[Hashable, ...] | None:
    """The names of a frame or mapping where they are not all text, such as numbers or tuples; else None."""
    if not is_frame(table):
        return None
    if isinstance(table, Mapping):
        labels = tuple(map(plain, table))
    else:
        from deciban.read.frame import labels_of_columns  # noqa: PLC0415  brings pyarrow, which takes long to load

        labels = tuple(map(plain, labels_of_columns(table)))
    return None if all(isinstance(label, str) for label in labels) else labels


def _renamed(column: Column, name: Node) -> Column:
    return column if column.name == name else replace(column, name=str(name))


def match_columns(columns: Sequence[Any] | int, nodes: Sequence[Node], *, only_nodes: bool = False) -> dict[Node, Any]:
    """For each node that has a column its name, or its index where the columns have no names but a number.

    >>> match_columns(["wet", "rain", "day"], ["rain", "wet"])
    {'rain': 'rain', 'wet': 'wet'}
    >>> match_columns(2, ["rain", "wet"]), match_columns(2, ["x1", "x0"])
    ({'rain': 0, 'wet': 1}, {'x1': 1, 'x0': 0})
    """
    if isinstance(columns, int):
        return _match_indices(columns, nodes, only_nodes=only_nodes)
    held = set(columns)
    found = {node: node if node in held else str(node) for node in nodes if node in held or str(node) in held}
    if only_nodes:
        used = set(found.values())
        for name in columns:
            if name not in used:
                known = list(map(str, nodes))
                raise ColumnMismatchError(
                    f"column {name!r} is not a node of the net; its nodes are: {listed(known)}. Leave it out."
                    f"{closest(name, known)}"
                )
    return found


def _match_indices(count: int, nodes: Sequence[Node], *, only_nodes: bool) -> dict[Node, int]:
    index_of: dict[Any, int] = {name: index for index, name in enumerate(generated_names(count))}
    index_of |= {index: index for index in range(count)}
    found = {node: index_of[node] for node in nodes if node in index_of}
    if not found and count == len(nodes):
        return {node: index for index, node in enumerate(nodes)}
    if not found or (only_nodes and len(found) < count):
        raise ColumnMismatchError(
            f"the table has {count} columns without names, and there are {len(nodes)} nodes. Pass a frame or a "
            "mapping, whose columns are found by name."
        )
    return found


def _check_table(data: Any) -> None:
    if isinstance(data, str | bytes) or data is None:
        raise InputTypeError(f"data is a table, such as a frame or a mapping of columns, not {data!r}")


def _check_names(names: Sequence[Hashable]) -> None:
    if len(set(names)) < len(names):
        raise InputError(f"two columns are named {first_repeated(names)!r}. Rename one of them.")


def _from_mapping(held: Mapping[Node, Any]) -> dict[Node, Column]:
    columns = {node: column_of(node, values) for node, values in held.items()}
    lengths = {node: len(column) for node, column in columns.items()}
    check_lengths(lengths)
    if 0 in lengths.values():
        raise InputError("the table has no rows: there is nothing to count.")
    return columns
