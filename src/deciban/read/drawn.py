"""Columns that were drawn from a model, as a table that the model reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from deciban.read.column import MISSING_LABEL
from deciban.read.frames import arrow_table
from deciban.read.variable import object_array
from deciban.types import AnyArray, Codes

__all__ = ["Drawn", "DrawnLabels", "drawn_table"]


class DrawnLabels(NamedTuple):
    """Labels, and for each row the index of its label; −1 where the value is missing."""

    labels: AnyArray
    codes: Codes

    @classmethod
    def of(cls, labels: AnyArray, codes: Codes) -> Drawn:
        """The labels; numbers and booleans without missing values as an array of their own type."""
        held = labels.tolist()
        if MISSING_LABEL in held:
            at = held.index(MISSING_LABEL)
            codes = np.where(codes == at, -1, codes - (codes > at)).astype(np.int32)
            labels, held = np.delete(labels, at), [*held[:at], *held[at + 1 :]]
        plain = labels if labels.dtype.kind in "biuf" else _as_numbers(held)
        return cls(labels, codes) if plain is None or (codes < 0).any() else plain[codes]

    def values(self) -> AnyArray:
        """The label of each row; None where it is missing."""
        return object_array([*self.labels.tolist(), None])[self.codes]


Drawn = AnyArray | DrawnLabels
"""The values of a drawn column."""


def drawn_table(names: Sequence[str] | None, columns: Sequence[Drawn]) -> Any:
    """An Arrow table, whose labels are dictionaries; an array where the columns have no names.

    >>> (
    ...     drawn_table(["n"], [np.array([1.5, 2.5])]).to_pydict(),
    ...     drawn_table(None, [np.array([1.5, 2.5])]).tolist(),
    ... )
    ({'n': [1.5, 2.5]}, [[1.5], [2.5]])
    """
    if names is not None:
        pairs = [tuple(held) if isinstance(held, DrawnLabels) else held for held in columns]
        return arrow_table(names, pairs)
    arrays = [held.values() if isinstance(held, DrawnLabels) else held for held in columns]
    return np.column_stack([held.astype(object) for held in arrays] if _are_mixed(arrays) else arrays)


def _are_mixed(arrays: Sequence[AnyArray]) -> bool:
    kinds = {held.dtype.kind for held in arrays}
    return len(kinds) > 1 and not kinds <= set("iuf")


def _as_numbers(labels: list[Any]) -> AnyArray | None:
    """Labels as an array of numbers or of booleans; None where they are something else."""
    kinds = set(map(type, labels))
    if kinds and (kinds <= {int, float} or kinds == {bool}):
        numbers = np.array(labels)
        return numbers if numbers.dtype.kind in "biuf" else None
    return None
