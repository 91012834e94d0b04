"""The states of a node, and the values of a column as codes of these states."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from deciban.errors import ParameterError
from deciban.nets.graphs.graph import Node
from deciban.read import MISSING, Column, Kind, Variable, plain
from deciban.types import AnyArray

__all__ = ["UNSEEN", "States", "declared_states", "distinct_values", "first_repeated", "read_states", "state_codes"]

UNSEEN = -2
"""The code of a value that is not one of the known states."""

_NARROW = 1 << 12


@dataclass(frozen=True)
class States:
    """The states of a node as files and pickles hold them: in order, and where they come from."""

    values: tuple[Hashable, ...]
    kind: Kind = "found"

    def variable(self, node: Node) -> Variable:
        """The states as a variable, which all computations use."""
        return Variable.of_states(node, self.values, self.kind)


def read_states(nodes: Sequence[Node], states: Any) -> dict[Node, Variable]:
    """The states that a user fixes: a list for each node, or a number n for the states 0 … n − 1."""
    if states is None:
        return {}
    if not isinstance(states, Mapping):
        raise ParameterError(f'states is a mapping such as {{"rain": ["no", "yes"]}}, not {states!r}')
    unknown = [node for node in states if node not in nodes]
    if unknown:
        raise ParameterError(f"states names {unknown[0]!r}, which is not a node of the graph")
    return {node: Variable.of_states(node, _state_list(node, given), "fixed") for node, given in states.items()}


def declared_states(node: Node, column: Column) -> Variable | None:
    """The states that the column's type lists, in its order; None where it lists none."""
    if not column.is_declared:
        return None
    states = [state for state in column.states.tolist() if state is not None and state == state]
    return Variable.of_states(node, states, "declared")


def distinct_values(column: Column) -> tuple[list[Any], AnyArray]:
    """The distinct values of a column, sorted, and each row's index among them; ``MISSING`` where it has none.

    >>> distinct_values(
    ...     Column.of_values("sky", np.array(["sun", None, "fog", "sun"], dtype=object))
    ... )[0]
    ['fog', 'sun']
    """
    found = _whole_numbers(column)
    if found is not None:
        return found
    variable = column.variable()
    labels = variable.labels.tolist()
    if column.is_float and column.is_codes():
        labels = [int(label) for label in labels]  # whole numbers that a missing value turned into floats
    return labels, column.codes(variable)


def _whole_numbers(column: Column) -> tuple[list[int], AnyArray] | None:
    """The fast way for whole numbers in a narrow range: one look-up for each row. None where it does not apply."""
    if column.held is None or column.held.dtype.kind not in "iu" or not len(column):
        return None
    lowest, highest = column.extent
    if highest - lowest >= _NARROW or max(-lowest, highest) >= 1 << 62:
        return None
    offsets = np.subtract(column.numbers, lowest, dtype=np.int64, casting="unsafe")
    occurs = np.zeros(highest - lowest + 1, dtype=bool)
    occurs[offsets] = True
    codes = np.cumsum(occurs, dtype=np.int16) - np.int16(1)
    values = [lowest + offset for offset in np.flatnonzero(occurs).tolist()]
    return values, codes.take(offsets, mode="clip")  # "clip" skips a check: every offset is within the range


def state_codes(column: Column, variable: Variable) -> AnyArray:
    """The codes of given states; ``MISSING`` where a row has no value, ``UNSEEN`` where its value is not a state.

    A value of another type than the states is the state that it stands for (`deciban.read.variable`).

    >>> sky = Column.of_values("sky", np.array(["fog", None, "sun", "hail"], dtype=object))
    >>> state_codes(sky, Variable.of_states("sky", ["sun", "fog"], "fixed")).tolist()
    [1, -1, 0, -2]
    """
    values, indices = distinct_values(column) if column.is_numeric else (column.states.tolist(), column.indices)
    code_of = np.array([*map(variable.code_of, values), MISSING], dtype=np.int32)
    return np.where(code_of == len(variable), np.int32(UNSEEN), code_of)[indices]  # MISSING is −1: the last entry


def first_repeated(items: Iterable[Hashable]) -> Hashable:
    """The first item that equals an earlier one.

    >>> first_repeated("abcb")
    'b'
    """
    seen = set[Hashable]()
    return next(item for item in items if item in seen or seen.add(item))  # type: ignore[func-returns-value]


def _state_list(node: Node, given: Any) -> tuple[Hashable, ...]:
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
