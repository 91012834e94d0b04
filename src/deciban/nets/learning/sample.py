"""Rows of a table as codes of a net's nodes.

A column belongs to the node of its name. Columns that are no node are not even read; a node without a column is an
error, unless it is hidden: then nobody ever saw it, and all that is known of it is how many states it has.

The states of a node are ``fixed`` where they were given, ``declared`` where the column's type lists them, as the
categories of a frame do, and otherwise ``found``: the distinct values, sorted.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from deciban.errors import ColumnMismatchError, InputError, MissingValueError, ParameterError, UnseenStateError
from deciban.nets.data.coding import UNKNOWN, listed, state_codes
from deciban.nets.data.columns import read_columns
from deciban.nets.data.kinds import check_category
from deciban.nets.graphs.base import Node
from deciban.nets.network import State
from deciban.read import MISSING, Column, distinct, plain, read_weights
from deciban.read.variable import object_array
from deciban.types import AnyArray, Codes, Floats

__all__ = ["Kind", "NetSample", "States", "read_sample", "read_states"]

Kind = Literal["found", "declared", "fixed"]
_RANKS: dict[Kind, int] = {"found": 0, "declared": 1, "fixed": 2}


@dataclass(frozen=True)
class States:
    """The states of a node in order, and where they come from."""

    values: tuple[State, ...]
    kind: Kind = "found"

    def union(self, other: States, node: Node) -> States:
        """The states of both: sorted where both are, else the new ones last. A fixed list takes no new ones."""
        kind = max(self.kind, other.kind, key=_RANKS.__getitem__)
        own = self if _RANKS[self.kind] >= _RANKS[other.kind] else other
        known = set(own.values)
        new = [state for state in (*self.values, *other.values) if state not in known]
        if not new:
            return States(own.values, kind)
        if own.kind == "fixed":
            raise UnseenStateError(f"{node!r} has no state {new[0]!r}; its states were fixed: {listed(own.values)}")
        joined = (*own.values, *dict.fromkeys(new))
        both_sorted = all(values == _sorted(values) for values in (self.values, other.values))
        return States(_sorted(joined) if both_sorted else joined, kind)


@dataclass(frozen=True, eq=False)
class NetSample:
    """Nodes × rows of codes, −1 where a value is missing, and what the codes stand for."""

    states: Mapping[Node, States]
    codes: Codes
    weights: Floats | None
    hidden: tuple[Node, ...] = ()

    @property
    def rows(self) -> int:
        return int(self.codes.shape[1])

    @property
    def total(self) -> float | int:
        """The number of rows, or their weight."""
        return self.rows if self.weights is None else float(self.weights.sum())


def read_states(nodes: Sequence[Node], states: Any) -> dict[Node, States]:
    """The state lists that a user fixes: a list for each node, or a number n for the states 0 … n − 1."""
    if states is None:
        return {}
    if not isinstance(states, Mapping):
        raise ParameterError(f'states is a mapping such as {{"rain": ["no", "yes"]}}, not {states!r}')
    unknown = [node for node in states if node not in nodes]
    if unknown:
        raise ParameterError(f"states names {unknown[0]!r}, which is no node of the graph")
    return {node: States(_state_list(node, given), "fixed") for node, given in states.items()}


def read_sample(
    data: Any,
    nodes: Sequence[Node],
    *,
    fixed: Mapping[Node, States],
    known: Mapping[Node, States],
    weights: Any = None,
    missing: str = "error",
) -> NetSample:
    """Code a table; `known` are the states of a net that has counted before, where the column says nothing."""
    columns = read_columns(data, nodes)
    hidden = tuple(node for node in nodes if node not in columns)
    _check_columns(hidden, columns, fixed if missing == "em" else ())
    rows = len(next(iter(columns.values())))
    counted = read_weights(weights, rows)
    states, codes = {}, np.full((len(nodes), rows), MISSING, dtype=np.int32)
    for place, node in enumerate(nodes):
        if node in hidden:
            states[node] = fixed[node]
            continue
        column = columns[node]
        if missing == "error" and column.has_missing:
            raise MissingValueError(
                f"column {node!r} has a missing value (row {column.first_missing()}). Fill it, or pass "
                'missing="skip" to count each family on the rows where it is whole, or missing="em".'
            )
        states[node] = fixed.get(node) or _found(node, column, known.get(node), counted)
        codes[place] = _coded(node, column, states[node].values)
    return NetSample(states, codes, counted, hidden)


def _check_columns(absent: Sequence[Node], columns: Mapping[Node, Column], may_hide: Collection[Node]) -> None:
    lost = [node for node in absent if node not in may_hide]
    if lost or not columns:
        names = ", ".join(map(repr, lost[:8] or absent[:8])) + (", …" if len(lost) > 8 else "")
        raise ColumnMismatchError(
            f"the table has no column for {len(lost) or len(absent)} of the graph's nodes: {names}. Add the column"
            ', or, for a node that nobody observed, pass missing="em" and the number of its states in states.'
        )


def _found(node: Node, column: Column, known: States | None, weights: Floats | None) -> States:
    if column.is_declared:
        values = tuple(state for state in column.states.tolist() if state is not None and state == state)
        return States(values, "declared")
    variable = column.variable()
    labels = variable.labels.tolist()
    if known is None:
        check_category(column, "use deciban.GaussianNet", variable, weights)
    if column.is_float and column.is_codes():
        labels = [int(label) for label in labels]
    if labels:
        return States(tuple(labels))
    if known is not None:
        return known
    raise InputError(
        f"column {node!r} has no value at all: every row is missing. Leave it out of the graph, or pass its states."
    )


def _coded(node: Node, column: Column, states: tuple[State, ...]) -> Codes:
    codes = state_codes(column, states)
    if (codes == UNKNOWN).any():
        row = int(np.argmax(codes == UNKNOWN))
        raise UnseenStateError(
            f"column {node!r} has value {column.value(row)!r} (row {row}), which is none of the states that were "
            f"given: {listed(states)}. Add it to states, or leave out the row."
        )
    return codes


def _state_list(node: Node, given: Any) -> tuple[State, ...]:
    given = plain(given)
    if isinstance(given, int) and not isinstance(given, bool):
        if given < 1:
            raise ParameterError(f"{node!r} cannot have {given} states")
        return tuple(range(given))
    if isinstance(given, str | bytes) or not hasattr(given, "__iter__"):
        raise ParameterError(f"the states of {node!r} are a list of values or their number, not {given!r}")
    held = tuple(map(plain, given))
    if not held or len(set(held)) < len(held):
        raise ParameterError(f"the states of {node!r} must be different values, at least one, not {list(held)!r}")
    return held


def _sorted(values: Sequence[State]) -> tuple[State, ...]:
    array: AnyArray = object_array(values)
    return tuple(distinct(array).tolist())
