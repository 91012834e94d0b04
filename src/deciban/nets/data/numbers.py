"""Rows of a table as numbers of a net's nodes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from deciban.errors import ColumnMismatchError, InputError, InputTypeError, MissingValueError
from deciban.nets.data.columns import read_columns
from deciban.nets.graphs.base import Node
from deciban.types import Floats

__all__ = ["read_numbers"]

_LARGEST = 1e150
"""Numbers whose squares can still be summed."""


def read_numbers(data: Any, nodes: Sequence[Node], *, has_gaps: bool, may_lack: bool = False) -> Floats:
    """Rows × nodes of numbers, NaN where one is missing; a column of NaN for one that may be lacking."""
    columns = read_columns(data, nodes)
    absent = [node for node in nodes if node not in columns]
    if not columns or (absent and not may_lack):
        shown = ", ".join(map(repr, absent[:8])) + (", …" if len(absent) > 8 else "")
        raise ColumnMismatchError(f"the table has no column for {len(absent)} of the graph's nodes: {shown}.")
    values = np.full((len(next(iter(columns.values()))), len(nodes)), np.nan, order="F")
    for place, node in enumerate(nodes):
        if node in columns:
            column = columns[node]
            if not column.is_numeric:
                numbers = _numbers_of(node, column.states.tolist())
                values[:, place] = np.append(numbers, np.nan)[column.places]
            else:
                values[:, place] = column.numbers
            _check(node, values[:, place], has_gaps=has_gaps)
    return values


def _numbers_of(node: Node, states: list[Any]) -> Floats:
    """Numbers that a gap made objects."""
    known = [state for state in states if state is not None and state == state]
    if not all(isinstance(state, int | float | np.number) and not isinstance(state, bool) for state in known):
        label = next(state for state in known if isinstance(state, bool) or not isinstance(state, int | float))
        raise InputTypeError(
            f"column {node!r} holds labels such as {label!r}, not numbers. Use deciban.BayesNet for labels."
        )
    return np.array([np.nan if state is None else float(state) for state in states], dtype=np.float64)


def _check(node: Node, values: Floats, *, has_gaps: bool) -> None:
    if np.isfinite(values).all() and np.abs(values).max() <= _LARGEST:
        return
    gone = np.isnan(values)
    if gone.any() and not has_gaps:
        raise MissingValueError(
            f'column {node!r} has a missing value (row {int(gone.argmax())}). Fill it, or pass missing="skip" '
            'to use each family\'s whole rows, or missing="em".'
        )
    if gone.all():
        raise InputError(f"column {node!r} has no value at all: every row is missing. Leave it out of the graph.")
    if np.abs(values[~gone]).max(initial=0.0) > _LARGEST:
        row = int(np.nanargmax(np.abs(values)))
        raise InputError(f"column {node!r} has {values[row]:g} (row {row}): numbers must not exceed {_LARGEST:g}.")
