"""The columns of a table that belong to the nodes of a net.

A table is whatever `deciban.read` takes. A column belongs to the node of its name. Nodes need not be text: a mapping is
read by its own keys, and otherwise the name is the node as text. The columns of a table without names are called
``x0``, ``x1`` and so on; where the nodes have other names, a node that is a number is the index of its column, and a
table with as many columns as there are nodes has them in the order of the nodes.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from deciban.errors import ColumnMismatchError, GraphError, InputError, InputTypeError
from deciban.nets.data.states import first_repeated, listed
from deciban.nets.graphs.base import Node
from deciban.read import (
    Column,
    Table,
    check_lengths,
    column_of,
    container_of,
    generated_names,
    is_frame,
    plain,
    read_table,
)
from deciban.read.frames import column_names, labels_of_columns
from deciban.suggest import closest

__all__ = ["match_columns", "read_all_columns", "read_columns"]


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
    names = column_names(table) if is_frame(table) else None
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


def _labels(table: Any) -> tuple[Hashable, ...] | None:
    """The names of a frame or mapping where they are not all text, such as numbers or tuples; else None."""
    if not is_frame(table):
        return None
    labels = tuple(map(plain, table if isinstance(table, Mapping) else labels_of_columns(table)))
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
