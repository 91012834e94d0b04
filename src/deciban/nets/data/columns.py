"""The columns of a table that belong to the nodes of a net.

A table is whatever `deciban.read` takes. Nodes need not be text, so a mapping is read by its own keys. Columns without
names are ``x0``, ``x1`` and so on; a node that is a number is a column's index.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from deciban.errors import GraphError, InputError, InputTypeError
from deciban.nets.graphs.base import Node
from deciban.read import Column, check_lengths, column_of, container_of, is_frame, read_table
from deciban.read.frames import column_names

__all__ = ["read_columns"]


def read_columns(data: Any, nodes: Sequence[Node]) -> dict[Node, Column]:
    """The column of each node that has one."""
    if isinstance(data, str | bytes) or data is None:
        raise InputTypeError(f"data is a table, such as a frame or a mapping of columns, not {data!r}")
    if not nodes:
        raise GraphError("the graph has no nodes: there is nothing to learn")
    table = container_of(data)
    if isinstance(table, Mapping) and is_frame(table):  # one kind of sparse matrix is a mapping
        return _from_mapping({node: table[node] for node in nodes if node in table})
    names = column_names(table) if is_frame(table) else None
    if names is not None:
        wanted = {name for name in names if name in set(nodes)}
        return {column.name: column for column in read_table(table, only=wanted).columns} if wanted else {}
    columns = read_table(table).columns
    by_name: dict[Any, Column] = {column.name: column for column in columns}
    places: dict[Any, Column] = dict(enumerate(columns))
    return {node: by_name.get(node) or places[node] for node in nodes if node in by_name or node in places}


def _from_mapping(held: Mapping[Node, Any]) -> dict[Node, Column]:
    columns = {node: column_of(node, values) for node, values in held.items()}
    lengths = {node: len(column) for node, column in columns.items()}
    check_lengths(lengths)
    if 0 in lengths.values():
        raise InputError("the table has no rows: there is nothing to count.")
    return columns
