"""Any array, sparse matrix or frame of numbers → what the kernels read, without a copy where that is possible."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from deciban.errors import InputError, InputTypeError
from deciban.read.column import Column
from deciban.read.table import check_not_empty, columns_from, container_of, dense_array, is_frame
from deciban.read.variable import boolean_of, generated_names, is_missing, plain
from deciban.types import AnyArray, KernelRows

__all__ = ["Matrix", "read_matrix"]

# Of NumPy's types, those that the kernels take: integers, floats, booleans.
_KINDS = "iufb"


@dataclass(frozen=True)
class Matrix:
    """Rows × columns of numbers, dense or CSR, and the columns' names where they have any."""

    values: AnyArray | sp.csr_array | sp.csr_matrix
    given_names: tuple[str, ...] | None = None

    @property
    def shape(self) -> tuple[int, int]:
        rows, columns = self.values.shape
        return int(rows), int(columns)

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(self.values.dtype)

    @property
    def names(self) -> tuple[str, ...]:
        return self.given_names or generated_names(self.shape[1])

    def named(self, names: tuple[str, ...] | None) -> Matrix:
        """The same numbers under other names."""
        return Matrix(self.values, names)

    def take(self, rows: AnyArray) -> Matrix:
        """Some of the rows."""
        return Matrix(self.values[rows], self.given_names)

    def for_kernel(self) -> KernelRows:
        """The array itself, or the four parts of a CSR matrix."""
        if isinstance(self.values, np.ndarray):
            return self.values
        x = self.values
        return x.data, x.indices, x.indptr, int(x.shape[1])

    def dense(self) -> AnyArray:
        return self.values if isinstance(self.values, np.ndarray) else self.values.toarray()


def read_matrix(X: Any) -> Matrix:
    """Read numbers from any table (`deciban.read.table` lists them)."""
    is_plain = type(X) is np.ndarray and X.dtype.names is None
    matrix = Matrix(_usable(X)) if is_plain else _matrix_of(container_of(X))
    check_not_empty(matrix.shape)
    return matrix


def _matrix_of(X: Any) -> Matrix:
    if sp.issparse(X):
        return Matrix(_read_sparse(X))
    if not is_frame(X):
        return Matrix(_usable(dense_array(X)))
    if not isinstance(X, Mapping):
        from deciban.read.frame import numbers_from_frame  # noqa: PLC0415  brings pyarrow, which takes long to load

        plain_numbers = numbers_from_frame(X)
        if plain_numbers is not None:
            return Matrix(_usable(plain_numbers[0]), plain_numbers[1])
    columns, is_named = columns_from(X)
    if not columns:
        check_not_empty((0, 0), what="feature")  # before numpy complains
    array = np.column_stack([_numbers_of(column) for column in columns])
    return Matrix(_usable(array), tuple(column.name for column in columns) if is_named else None)


def _numbers_of(column: Column) -> AnyArray:
    """The numbers of a column, booleans and text that reads as numbers included; NaN where a value is missing."""
    if column.is_numeric:
        return column.numbers

    def row_of(at: tuple[int, ...]) -> tuple[str, int]:
        return f"column {column.name!r}", int(np.argmax(column.indices == at[0]))

    used = column.states.astype(object)
    used[~column.occurring()] = None
    states = _numbers_from_objects(used, row_of)
    if not column.has_missing and all(isinstance(state, bool) for state in column.states):
        states = states.astype(bool)
    return np.append(states, np.nan)[column.indices] if column.has_missing else states[column.indices]


def _usable(array: AnyArray) -> AnyArray:
    """Check the shape, and bring number types that the kernels do not take to one that they do."""
    if array.ndim == 1:
        raise InputError(
            f"Expected 2D array, got 1D array instead: shape {array.shape}. Reshape your data either using "
            "array.reshape(-1, 1) if it has a single feature or array.reshape(1, -1) if it is a single sample."
        )
    if array.ndim != 2:
        raise InputError(f"Expected 2D array, got {'scalar' if array.ndim == 0 else f'{array.ndim}D'} array instead.")
    dtype = array.dtype
    if dtype.kind == "c":
        raise InputError("Complex data not supported: a column must hold real numbers.")
    if dtype.kind not in _KINDS:
        return _numbers_from_objects(array, lambda at: (f"column {at[1]}", at[0]))
    if dtype.kind == "f" and dtype.itemsize not in (4, 8):  # float16 fits float32; longdouble is rounded
        array = array.astype(np.float32 if dtype.itemsize == 2 else np.float64)
    if not array.dtype.isnative or not array.flags.aligned:
        array = array.astype(array.dtype.newbyteorder("="))
    if any(stride % array.itemsize for stride in array.strides):  # as in a field of a structured array
        array = np.ascontiguousarray(array)
    return array


Cell = Callable[[tuple[int, ...]], tuple[str, int]]
"""The column, in words, and the row of an index of an array."""


def _numbers_from_objects(array: AnyArray, cell: Cell) -> AnyArray:
    """Objects that all are numbers, or text that spells numbers or booleans, become floats."""
    if array.dtype.kind in "mMV":
        raise InputTypeError(f"columns of type {array.dtype} are not numbers. Turn them into numbers first.")
    if array.dtype.kind == "O":  # pandas.NA and Arrow's scalars, which numpy cannot convert
        array = np.frompyfunc(lambda value: np.nan if is_missing(value) else plain(value), 1, 1)(array)
    try:
        # Fast; where it fails, cell by cell, to find what fails.
        return array.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        return np.array([_number(value, cell, at) for at, value in np.ndenumerate(array)]).reshape(array.shape)


def _number(value: Any, cell: Cell, at: tuple[int, ...]) -> float:
    boolean = boolean_of(value) if isinstance(value, str) else None
    try:
        return float(value if boolean is None else boolean)
    except (TypeError, OverflowError) as error:
        name, row = cell(at)
        raise InputTypeError(
            f"{name}: argument must be a string or a number, in every cell; row {row} has {value!r} ({error})"
        ) from error
    except ValueError as error:
        name, row = cell(at)
        raise InputError(
            f"{name} has {value!r} (row {row}), which is not a number. Correct it, encode it, or use CategoricalNB."
        ) from error


def _read_sparse(X: Any) -> sp.csr_array | sp.csr_matrix:
    if X.ndim != 2:
        raise InputError(f"Expected 2D array, got {X.ndim}D sparse array instead.")
    if X.dtype.kind == "c":
        raise InputError("Complex data not supported: a column must hold real numbers.")
    if X.dtype.kind not in _KINDS:
        raise InputTypeError(f"a sparse matrix of type {X.dtype} holds no numbers.")
    csr = X if X.format == "csr" else X.tocsr()
    if csr.dtype.kind == "f" and csr.dtype.itemsize not in (4, 8):
        csr = csr.astype(np.float64)
    # SciPy makes both of one type, but takes what it is given: kernels exist for int32 and int64 alone.
    if csr.indices.dtype != csr.indptr.dtype or csr.indices.dtype.itemsize not in (4, 8):
        csr = type(csr)((csr.data, csr.indices.astype(np.int64), csr.indptr.astype(np.int64)), shape=csr.shape)
    return csr
