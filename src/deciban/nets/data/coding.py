"""The values of a column as places among the states of a node."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

import numpy as np

from deciban.read import MISSING, Column
from deciban.types import Codes

__all__ = ["UNKNOWN", "first_repeated", "listed", "state_codes"]

UNKNOWN = -2
"""The code of a value that is no state."""

_SHOWN = 12


def state_codes(column: Column, states: Sequence[Hashable]) -> Codes:
    """Each row's place among the states; −1 where a value is missing, ``UNKNOWN`` where it is none of them.

    >>> sky = Column.of_values("sky", np.array(["fog", None, "sun", "hail"], dtype=object))
    >>> state_codes(sky, ("sun", "fog")).tolist()
    [1, -1, 0, -2]
    """
    if column.is_numeric:
        own = column.variable()
        labels, places = own.labels.tolist(), column.codes(own)
    else:
        labels, places = column.states.tolist(), column.places
    code_of = {state: code for code, state in enumerate(states)}
    own_codes = np.array([*(code_of.get(label, UNKNOWN) for label in labels), MISSING], dtype=np.int32)
    return own_codes[places]  # MISSING is −1: the last


def listed(states: Sequence[Hashable]) -> str:
    """Some states for a message.

    >>> listed(range(20))
    '0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, …'
    """
    return ", ".join(map(repr, states[:_SHOWN])) + (", …" if len(states) > _SHOWN else "")


def first_repeated(items: Iterable[Hashable]) -> Hashable:
    """The first item that an earlier one equals.

    >>> first_repeated("abcb")
    'b'
    """
    seen = set[Hashable]()
    return next(item for item in items if item in seen or seen.add(item))  # type: ignore[func-returns-value]
