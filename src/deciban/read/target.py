"""The target column → the classes and, for each row, the code of its class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from deciban.errors import InputError, warn_user
from deciban.read.column import Column
from deciban.read.table import column_of, columns_from, container_of, is_frame, is_series
from deciban.read.variable import Variable, distinct, object_array, plain
from deciban.types import AnyArray, Codes, Floats

__all__ = ["Target", "check_not_huge", "read_labels", "read_target", "read_weights", "weighted_sum"]


# In such a range each whole number is a class at first; `Sample.of` leaves out those without a row.
_WIDEST_RANGE = 1 << 16


@dataclass(frozen=True, eq=False)
class Target:
    """Sorted labels and, for each row, the index of its label; some labels of a range may have no row."""

    classes: Variable
    codes: Codes

    def read_as(self, known: Variable) -> Target:
        """The same target with its labels in the type of known classes, where the two differ in type.

        A text among numbers, or a number among texts, that stands for no class is a new one of their type; text that
        is no number is an error where all classes are numbers.
        """
        labels = self.classes.labels.tolist()
        if set(map(type, labels)) <= known.kinds or not len(known):
            return self
        used = np.bincount(self.codes, minlength=len(labels)) > 0
        typed = [known.known_labels.typed(label) if used[i] else label for i, label in enumerate(labels)]
        wrong = [i for i, label in enumerate(typed) if used[i] and isinstance(label, str) and str not in known.kinds]
        if wrong:
            odd, row = labels[wrong[0]], int(np.argmax(self.codes == wrong[0]))
            raise InputError(
                f"column {self.classes.name!r} has {odd!r} (row {row}), and the classes of the model are of "
                f"another type: {', '.join(map(repr, known.labels.tolist()[:6]))}. Correct it, or leave the row out."
            )
        classes = _typed(distinct(object_array(typed)))
        variable = Variable(self.classes.name, classes, len(classes))
        return Target(variable, variable.encode(object_array(typed))[self.codes])


def read_target(y: Any, rows: int, name: str | None = None) -> Target:
    """Read one label a row. A named column gives its name to the target."""
    source = _column_or_array(y)
    name = name or (source.name if isinstance(source, Column) else "") or "y"
    if isinstance(source, Column) and not source.is_numeric:
        return _target_of(source, rows, name)
    labels = source.numbers if isinstance(source, Column) else source
    if len(labels) != rows:
        raise InputError(f"Found input variables with inconsistent numbers of samples: X has {rows}, y {len(labels)}.")
    if labels.dtype.kind == "b":
        indices, codes = _encode_integers(labels.view(np.uint8))
        classes = indices.astype(bool)
    elif labels.dtype.kind in "iu":
        classes, codes = _encode_integers(labels)
    else:
        classes, codes = _encode_any(labels)
    return Target(Variable(name, classes, len(classes)), codes)


def read_labels(y: Any) -> AnyArray:
    """Read the labels as a one-dimensional array, or raise an error that says why this is not possible."""
    source = _column_or_array(y)
    if not isinstance(source, Column):
        return source
    if source.is_numeric:
        return source.numbers
    if source.has_missing:
        # A missing value has the index −1: the last.
        return object_array([*source.states.tolist(), None])[source.indices]
    return _typed(source.states)[source.indices]


def _column_or_array(y: Any) -> Column | AnyArray:
    """The labels as a named column where they came as one, else as a one-dimensional array."""
    if y is None:
        raise InputError(
            "requires y to be passed, but the target y is None. Pass one label for each row, or the name of the column "
            'that holds them: fit(X, y) or fit(table, "column").'
        )
    if isinstance(y, str | bytes):
        raise InputError(f"y should be a 1d array of labels, got the text {y!r} instead.")
    if isinstance(y, Column):
        return y
    if isinstance(y, np.ndarray):
        return _one_dimension(y if y.dtype.names else container_of(y))
    if is_frame(y):
        return _only_column(y)
    if is_series(y):
        name = getattr(y, "name", None)
        return column_of(name if isinstance(name, str) and name else "y", y)
    return _one_dimension(_array_of(y))


def _one_dimension(labels: AnyArray) -> AnyArray:
    if labels.ndim == 2 and labels.shape[1] == 1:
        _warn_of_shape()
        labels = labels.ravel()
    if labels.ndim != 1:
        raise InputError(f"y should be a 1d array, got an array of shape {labels.shape} instead.")
    return labels


def _array_of(y: Any) -> AnyArray:
    """The array that numpy makes of it; scalars of Arrow, which it would keep, are replaced by the values they hold."""
    if isinstance(y, list | tuple) and any(hasattr(kind, "as_py") for kind in set(map(type, y))):
        y = list(map(plain, y))
    try:
        return np.asarray(y)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"y should be a 1d array of labels: {error}") from None


def _only_column(y: Any) -> Column:
    columns, is_named = columns_from(y)
    if len(columns) != 1:
        rows = len(columns[0]) if columns else 0
        raise InputError(f"y should be a 1d array, got an array of shape {(rows, len(columns))} instead.")
    if not isinstance(y, Mapping):
        _warn_of_shape()
    return columns[0] if is_named else replace(columns[0], name="y")


def _warn_of_shape() -> None:
    from sklearn.exceptions import DataConversionWarning  # noqa: PLC0415  scikit-learn is slow to import

    warn_user(
        "A column-vector y was passed when a 1d array was expected. Please change the shape of y to "
        "(n_samples,), for example using ravel().",
        DataConversionWarning,
    )


def _target_of(column: Column, rows: int, name: str) -> Target:
    """Labels of a column that already has its states."""
    if len(column) != rows:
        raise InputError(f"Found input variables with inconsistent numbers of samples: X has {rows}, y {len(column)}.")
    if column.has_missing:
        raise InputError(f"Input y contains NaN or None (row {column.first_missing()}): every row needs a label.")
    variable = column.variable()
    codes = column.codes(variable)
    return Target(replace(variable, name=name, labels=_typed(variable.labels)), codes)


def _typed(labels: AnyArray) -> AnyArray:
    """Labels in the type that scikit-learn would see: booleans and numbers are not objects.

    >>> _typed(np.array([False, True], dtype=object)), _typed(np.array([3, 7], dtype=object))
    (array([False,  True]), array([3, 7]))
    """
    objects = labels.tolist()
    if labels.dtype.kind != "O" or not objects or not all(isinstance(label, int | float) for label in objects):
        return labels
    numbers = np.array(objects)
    if numbers.dtype.kind == "f":
        _check_whole(numbers)
    return labels if numbers.dtype.kind == "O" else numbers


def _encode_integers(labels: AnyArray) -> tuple[AnyArray, Codes]:
    """Codes by subtraction where the labels lie close together, which is linear; by sorting where they do not."""
    lowest, highest = (int(labels.min()), int(labels.max())) if len(labels) else (0, -1)
    if highest - lowest >= _WIDEST_RANGE:
        classes, inverse = np.unique(labels, return_inverse=True)
        return classes, inverse.astype(np.int32)
    if labels.dtype.itemsize < 4:  # their differences could overflow
        classes, codes = _encode_integers(labels.astype(np.int32))
        return classes.astype(labels.dtype), codes
    # Written in one pass, without a copy of 64 bits.
    codes = np.empty(len(labels), dtype=np.int32)
    np.subtract(labels, labels.dtype.type(lowest), out=codes, casting="unsafe")
    return np.arange(lowest, highest + 1, dtype=labels.dtype), codes


def _encode_any(labels: AnyArray) -> tuple[AnyArray, Codes]:
    if labels.dtype.kind == "f":
        _check_whole(labels)
    if labels.dtype.kind != "O":
        classes, codes = np.unique(labels, return_inverse=True)
        return classes, codes.astype(np.int32)
    # Objects may be numbers, which then are read as an array of numbers would be.
    column = Column.of_values("y", labels)
    if column.is_numeric and not column.has_missing:
        numbers = column.numbers
        return _encode_integers(numbers) if numbers.dtype.kind in "iu" else _encode_any(numbers)
    target = _target_of(column, len(labels), "y")
    return target.classes.labels, target.codes


def _check_whole(labels: AnyArray) -> None:
    if not np.isfinite(labels).all():
        raise InputError("Input y contains NaN or infinity: every row needs a label.")
    if np.any(labels != np.floor(labels)):
        from sklearn.utils.multiclass import type_of_target  # noqa: PLC0415  scikit-learn is slow to import

        raise InputError(
            f"Unknown label type: {type_of_target(labels)}. Maybe you are trying to fit a classifier, which "
            "expects discrete classes on a regression target with continuous values."
        )


# The product of three such weights is still a float64.
_LARGEST = 1e100


def read_weights(weights: Any, rows: int) -> Floats | None:
    """Read the weights; None stands for a weight of 1 a row."""
    if weights is None:
        return None
    if np.isscalar(weights):  # as scikit-learn has it
        read = np.full(rows, weights, dtype=np.float64)
    else:
        read = np.ascontiguousarray(weights, dtype=np.float64)
    if read.ndim != 1:
        raise InputError(f"Sample weights must be 1D array or scalar, got {read.ndim}D array.")
    if len(read) != rows:
        raise InputError(f"sample_weight.shape == {read.shape}, expected {(rows,)}!")
    if not np.isfinite(read).all():
        raise InputError("Input sample_weight contains NaN or infinity.")
    if len(read):
        check_not_huge(float(read.max()), f" in row {int(read.argmax())}")
    if len(read) and read.min() < 0:
        row = int(read.argmin())
        raise InputError(f"Negative values in data passed to `sample_weight`: {read[row]:g} in row {row}.")
    return read


def check_not_huge(largest: float, where: str) -> None:
    """Refuse weights whose products with other numbers would overflow, which would make NaN of probabilities."""
    if largest > _LARGEST:
        raise InputError(
            f"sample_weight is {largest:g}{where}, and may be {_LARGEST:g} at most, so that sums and products do not "
            "overflow. Divide all weights by the largest one."
        )


def weighted_sum(logs: Floats, sample_weight: Any) -> float:
    """Σ w·log P(row), where a row of weight 0 is ignored even if it is impossible: 0·(−∞) would be NaN."""
    weights = read_weights(sample_weight, len(logs))
    if weights is None:
        return float(logs.sum())
    return float(weights[weights > 0] @ logs[weights > 0])
