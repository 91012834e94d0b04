"""A table as tests of independence need it: columns in the order of their names, each coded or as numbers.

The order of names, not of columns, settles every tie and every sum, so that the order of columns changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from deciban.errors import InputError
from deciban.nets.data.kinds import check_category
from deciban.read import Column, Table, read_table, read_weights
from deciban.types import AnyArray, Floats, Ints

__all__ = ["CodedSample", "NumberSample", "read_codes", "read_numbers"]

_NARROW = 1 << 12
_NUMBERS = 'pass test="fisher_z"'


@dataclass(frozen=True, eq=False)
class CodedSample:
    """Codes, column after column; the code ``sizes[c]`` stands for a missing value."""

    names: tuple[str, ...]
    columns: tuple[str, ...]
    codes: AnyArray
    sizes: Ints
    weights: Floats | None

    def __len__(self) -> int:
        return int(self.codes.shape[1])

    @property
    def total(self) -> float:
        """How many rows they stand for."""
        return float(len(self)) if self.weights is None else float(self.weights.sum())


@dataclass(frozen=True, eq=False)
class NumberSample:
    """Numbers, row by row; NaN where one is missing."""

    names: tuple[str, ...]
    columns: tuple[str, ...]
    values: Floats
    weights: Floats | None

    def __len__(self) -> int:
        return len(self.values)

    @property
    def is_whole(self) -> bool:
        """Whether no value is missing."""
        return not np.isnan(self.values).any()


def read_codes(data: Any, weights: Any = None) -> CodedSample:
    """Code every column of a frame, an array or nested lists; its states are its distinct values."""
    names, order, columns = _read(data)
    codes = np.empty((len(columns), len(columns[0])), dtype=np.uint16)
    sizes = np.empty(len(columns), dtype=np.int64)
    counted = _weights(weights, codes.shape[1])
    for i, column in enumerate(columns):
        sizes[i] = _code(column, codes[i], counted)
    return CodedSample(order, names, codes, sizes, counted)


def read_numbers(data: Any, weights: Any = None) -> NumberSample:
    """Read every column as numbers."""
    names, order, columns = _read(data)
    values = np.empty((len(columns[0]), len(columns)))
    for i, column in enumerate(columns):
        if not column.is_numeric:
            raise InputError(
                f"column {column.name!r} holds labels; Fisher's z needs numbers in every column. Leave it out, or bin "
                'the columns of numbers (pandas.cut, pandas.qcut) and pass test="g2".'
            )
        values[:, i] = column.numbers
        if np.isnan(values[:, i]).all():
            raise _all_missing(column.name)
        if np.isinf(values[:, i]).any():
            raise InputError(f"column {column.name!r} holds an infinite number. Take it out or mark it as missing.")
    return NumberSample(order, names, values, _weights(weights, len(values)))


def _read(data: Any) -> tuple[tuple[str, ...], tuple[str, ...], list[Column]]:
    table = data if isinstance(data, Table) else read_table(data)
    names = tuple(map(str, table.names))
    if len(set(names)) < len(names):
        twice = next(name for i, name in enumerate(names) if name in names[:i])
        raise InputError(f"two columns are named {twice!r}. Rename one of them.")
    columns = sorted(table.columns, key=lambda column: str(column.name))
    return names, tuple(str(column.name) for column in columns), columns


def _code(column: Column, out: AnyArray, weights: Floats | None) -> int:
    size = _code_whole(column, out)
    if size is None:
        return _code_any(column, out, weights)
    if 2 * size > len(column):  # numbers that lie close together may still be as many as the rows
        check_category(column, _NUMBERS, weights=weights)
    return size


def _code_whole(column: Column, out: AnyArray) -> int | None:
    """The short way for whole numbers that lie close together: one look-up a row. None where it does not serve."""
    if column.held is None or column.held.dtype.kind not in "iu":
        return None
    lowest, highest = column.extent
    if highest - lowest >= _NARROW or max(-lowest, highest) >= 1 << 62:
        return None
    places = np.subtract(column.numbers, lowest, dtype=np.int64, casting="unsafe")
    occurs = np.zeros(highest - lowest + 1, dtype=bool)
    occurs[places] = True
    codes = np.cumsum(occurs, dtype=np.uint16) - np.uint16(1)
    np.take(codes, places, out=out, mode="clip")  # "clip" spares a check: every place is within
    return int(occurs.sum())


def _code_any(column: Column, out: AnyArray, weights: Floats | None) -> int:
    variable = column.variable()
    size = len(variable)
    if size == 0:
        raise _all_missing(column.name)
    check_category(column, _NUMBERS, variable, weights)
    codes = column.codes(variable)
    np.copyto(out, np.where(codes < 0, size, codes), casting="unsafe")
    return size


def _all_missing(name: str) -> InputError:
    return InputError(f"column {name!r} has no value at all: every row is missing. Leave it out.")


def _weights(weights: Any, rows: int) -> Floats | None:
    return None if weights is None else read_weights(weights, rows)
