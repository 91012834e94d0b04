"""Names for the types that signatures use, and the base of results that are mappings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "AnyArray",
    "ArrayLike",
    "Codes",
    "Floats",
    "Ints",
    "KernelRows",
    "LabelsLike",
    "ResultMapping",
    "Singles",
]

AnyArray = NDArray[Any]
Codes = NDArray[np.int32]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Singles = NDArray[np.float32]

LabelsLike = ArrayLike | Sequence[object]
"""A label for each row: an array, a Series, a list of any values; or the name of the column that has them."""

KernelRows = AnyArray | list[AnyArray] | tuple[AnyArray, AnyArray, AnyArray, int]
"""Rows as kernels take them: a matrix; columns; or values, indices, starts and number of columns of a CSR matrix."""

Key = TypeVar("Key")
Value = TypeVar("Value")


class ResultMapping(Mapping[Key, Value]):
    """A result that is a mapping, of what a subclass keeps in `_values`, with attributes and a text of its own.

    >>> class Ages(ResultMapping[str, int]):
    ...     _values = {"ann": 41}
    >>> Ages()["ann"], list(Ages()), len(Ages())
    (41, ['ann'], 1)
    """

    _values: Mapping[Key, Value]

    def __getitem__(self, key: Key) -> Value:
        return self._values[key]

    def __iter__(self) -> Iterator[Key]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)
