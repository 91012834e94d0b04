"""Groups of equal rows, and of rows in which the same nodes are observed: each is computed once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from deciban.types import AnyArray, Ints

__all__ = ["Group", "distinct_rows", "groups_of", "patterns_of"]


class Group(NamedTuple):
    """The rows in which the same nodes are observed, and these nodes' codes in them."""

    rows: Ints
    seen: dict[int, Ints]


def groups_of(codes: AnyArray) -> Iterator[Group]:
    """Rows by which nodes are observed.

    >>> [group.rows.tolist() for group in groups_of(np.array([[0, -1], [1, 1], [1, -1]]))]
    [[0, 2], [1]]
    """
    for rows, seen in patterns_of(codes >= 0):
        yield Group(rows, {int(index): codes[rows, index].astype(np.int64) for index in seen})


def patterns_of(observed: AnyArray) -> Iterator[tuple[Ints, Ints]]:
    """The rows in which the same columns are observed, and the indices of these columns.

    >>> [
    ...     (rows.tolist(), seen.tolist())
    ...     for rows, seen in patterns_of(np.array([[True, False], [True, True]]))
    ... ]
    [([0], [0]), ([1], [0, 1])]
    """
    _, which = distinct_rows(np.packbits(observed, axis=1))
    order = np.argsort(which, kind="stable")
    for rows in np.split(order, np.flatnonzero(np.diff(which[order])) + 1):
        if len(rows):
            yield rows, np.flatnonzero(observed[rows[0]])


def distinct_rows(table: AnyArray) -> tuple[Ints, Ints]:
    """Where each different row occurs first, and which of these each row is.

    >>> [
    ...     part.tolist()
    ...     for part in distinct_rows(np.array([[2, 1], [0, 0], [2, 1]], dtype=np.uint8))
    ... ]
    [[1, 0], [1, 0, 1]]
    """
    plain = np.ascontiguousarray(table)
    keys = plain.view(np.dtype((np.void, plain.dtype.itemsize * plain.shape[1]))).reshape(-1)
    _, first, which = np.unique(keys, return_index=True, return_inverse=True)
    return first, which.reshape(-1)
