"""The states of a variable, and the values of a column as codes of these states.

The states are ``fixed`` where the user gave them, ``declared`` where the column's type lists them, as the categories of
a frame do, and otherwise ``found``: the distinct values, sorted.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from deciban.errors import ParameterError, UnseenStateError
from deciban.nets.graphs.graph import Node
from deciban.read import MISSING, Column, distinct, plain
from deciban.read.scalar import KnownLabels
from deciban.read.variable import Variable, object_array
from deciban.types import AnyArray

__all__ = [
    "MISSING", "UNSEEN", "Kind", "States", "declared_states", "distinct_values", "first_repeated", "listed",
    "read_states", "state_codes",
]  # fmt: skip

Kind = Literal["found", "declared", "fixed"]

UNSEEN = -2
"""The code of a value that is not one of the known states."""

_RANKS: dict[Kind, int] = {"found": 0, "declared": 1, "fixed": 2}
_NARROW = 1 << 12
_SHOWN = 12


@dataclass(frozen=True)
class States:
    """The states of a variable in order, and where they come from."""

    values: tuple[Hashable, ...]
    kind: Kind = "found"

    def __len__(self) -> int:
        return len(self.values)

    def read_as(self, known: States) -> States:
        """The same states in the type of those of another list, where they differ in type."""
        typed = tuple(map(KnownLabels(known.values).typed, self.values))
        return self if len(set(typed)) < len(typed) else States(typed, self.kind)

    def variable(self, name: str) -> Variable:
        """The states as labels, for reading a column in their type."""
        return Variable(name, object_array(self.values), len(self.values))

    def union(self, other: States, node: Node) -> States:
        """The states of both: sorted where both are sorted, else the new ones last. A fixed list takes no new ones."""
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


def read_states(nodes: Sequence[Node], states: Any) -> dict[Node, States]:
    """The states that a user fixes: a list for each node, or a number n for the states 0 … n − 1."""
    if states is None:
        return {}
    if not isinstance(states, Mapping):
        raise ParameterError(f'states is a mapping such as {{"rain": ["no", "yes"]}}, not {states!r}')
    unknown = [node for node in states if node not in nodes]
    if unknown:
        raise ParameterError(f"states names {unknown[0]!r}, which is not a node of the graph")
    return {node: States(_state_list(node, given), "fixed") for node, given in states.items()}


def declared_states(column: Column) -> States | None:
    """The states that the column's type lists, in its order; None where it lists none."""
    if not column.is_declared:
        return None
    return States(tuple(state for state in column.states.tolist() if state is not None and state == state), "declared")


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


def state_codes(column: Column, states: Sequence[Hashable]) -> AnyArray:
    """The codes of given states; ``MISSING`` where a row has no value, ``UNSEEN`` where its value is not a state.

    A value of another type than the states is the state that it stands for (`deciban.read.scalar`).

    >>> sky = Column.of_values("sky", np.array(["fog", None, "sun", "hail"], dtype=object))
    >>> state_codes(sky, ("sun", "fog")).tolist()
    [1, -1, 0, -2]
    """
    values, indices = distinct_values(column) if column.is_numeric else (column.states.tolist(), column.indices)
    code_of = {state: code for code, state in enumerate(states)}
    own_codes = np.array([*(code_of.get(value, UNSEEN) for value in values), MISSING], dtype=np.int32)
    if (own_codes == UNSEEN).any():  # perhaps of another type than the states
        known = KnownLabels(states)
        for i in np.flatnonzero(own_codes == UNSEEN).tolist():
            own_codes[i] = code_of.get(known.find(values[i]), UNSEEN)
    return own_codes[indices]  # MISSING is −1: the last entry


def listed(states: Sequence[Hashable]) -> str:
    """Some states for a message.

    >>> listed(range(20))
    '0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, …'
    """
    return ", ".join(map(repr, states[:_SHOWN])) + (", …" if len(states) > _SHOWN else "")


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


def _sorted(values: Sequence[Hashable]) -> tuple[Hashable, ...]:
    return tuple(distinct(object_array(values)).tolist())
