"""The columns of a table that belong to the nodes of a net.

A table is whatever deciban reads, a mapping from nodes to columns, or a list of mappings, one a row, where what a row
leaves out is missing. Columns without names are ``x0``, ``x1`` and so on; a node that is a number is a column's place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from deciban.errors import GraphError, InputError, InputTypeError
from deciban.nets.base import Node
from deciban.read import Column, is_frame, read_table
from deciban.read.frames import column_from_series, column_names, is_series
from deciban.read.variable import object_array

__all__ = ["read_columns"]


def read_columns(data: Any, nodes: Sequence[Node]) -> dict[Node, Column]:
    """The column of each node that has one."""
    if isinstance(data, str | bytes) or data is None:
        raise InputTypeError(f"data is a table, such as a frame or a mapping of columns, not {data!r}")
    if not nodes:
        raise GraphError("the graph has no nodes: there is nothing to learn")
    if hasattr(data, "collect") and not is_frame(data):
        raise InputTypeError(f"a {type(data).__name__} holds no rows yet: call its collect() first")
    if _is_mapping(data):
        return _from_mapping({node: data[node] for node in nodes if node in data})
    if _is_records(data):
        used = {name for row in data for name in row}
        return _from_mapping({node: [row.get(node) for row in data] for node in nodes if node in used})
    names = column_names(data) if is_frame(data) else None
    if names is not None:
        return _from_frame(data, names, nodes)
    table = read_table(data)
    by_name: dict[Any, Column] = {column.name: column for column in table.columns}
    places: dict[Any, Column] = dict(enumerate(table.columns))
    return {node: by_name.get(node) or places[node] for node in nodes if node in by_name or node in places}


def _is_mapping(data: Any) -> bool:
    return isinstance(data, Mapping) and is_frame(data)  # one kind of sparse matrix is a mapping


def _is_records(data: Any) -> bool:
    return isinstance(data, list | tuple) and len(data) > 0 and all(isinstance(row, Mapping) for row in data)


def _from_frame(data: Any, names: tuple[str, ...], nodes: Sequence[Node]) -> dict[Node, Column]:
    wanted = {name for name in names if name in set(nodes)}
    for name in wanted:
        if names.count(name) > 1:
            raise InputError(f"two columns are named {name!r}: rename one of them.")
    if not wanted:
        return {}
    return {column.name: column for column in read_table(data, only=wanted).columns}


def _from_mapping(held: Mapping[Node, Any]) -> dict[Node, Column]:
    columns = {node: _column(node, values) for node, values in held.items()}
    lengths = {node: len(column) for node, column in columns.items()}
    if len(set(lengths.values())) > 1:
        raise InputError(f"the columns are not of one length: {lengths}.")
    if 0 in lengths.values():
        raise InputError("the table has no rows: there is nothing to count.")
    return columns


def _column(node: Node, values: Any) -> Column:
    if is_series(values) and not isinstance(values, np.ndarray):
        return column_from_series(values)
    if isinstance(values, str | bytes | Mapping) or not hasattr(values, "__len__"):
        raise InputTypeError(f"column {node!r} is {values!r}, not a list of values")
    array = np.asarray(values) if isinstance(values, np.ndarray) or _are_numbers(values) else object_array(values)
    if array.ndim != 1:
        raise InputError(f"column {node!r} has {array.ndim} dimensions: a column is a list of values")
    return Column.of_values(str(node), array)


def _are_numbers(values: Any) -> bool:
    return all(type(value) in (int, float) for value in values)
