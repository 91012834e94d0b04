"""The target column → the classes and, for each row, the code of its class."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.exceptions import DataConversionWarning
from sklearn.utils.multiclass import type_of_target

from deciban.errors import InputError
from deciban.read.column import Column
from deciban.read.frames import column_from_series, is_frame, is_series, numbers_from_frame
from deciban.read.variable import Variable, distinct, factorize
from deciban.types import AnyArray, Codes

__all__ = ["Target", "read_labels", "read_target"]

_WIDEST_RANGE = 1 << 16


@dataclass(frozen=True, eq=False)
class Target:
    """Labels in order and, for each row, the place of its own; some labels of a range may have no row."""

    classes: Variable
    codes: Codes


def read_target(y: Any, rows: int, name: str | None = None) -> Target:
    """Read one label a row. A named column gives its name to the target."""
    own = getattr(y, "name", None)
    name = name or (own if isinstance(own, str) and own else "y")
    if is_series(y) and not isinstance(y, np.ndarray) and not is_frame(y):
        column = column_from_series(y)
        if not column.is_numeric:
            return _target_of(column, rows, name)
    labels = read_labels(y)
    if len(labels) != rows:
        raise InputError(f"Found input variables with inconsistent numbers of samples: X has {rows}, y {len(labels)}.")
    if labels.dtype.kind == "b":
        places, codes = _encode_integers(labels.view(np.uint8))
        classes = places.astype(bool)
    elif labels.dtype.kind in "iu":
        classes, codes = _encode_integers(labels)
    else:
        classes, codes = _encode_any(labels)
    return Target(Variable(name, classes, len(classes)), codes)


def read_labels(y: Any) -> AnyArray:
    """Read the labels as a one-dimensional array, or say why they are none."""
    if y is None:
        raise InputError("requires y to be passed, but the target y is None")
    if isinstance(y, np.ndarray):
        labels = y
    elif is_frame(y):
        labels, _ = numbers_from_frame(y)
    elif is_series(y):
        column = column_from_series(y)
        labels = column.numbers if column.is_numeric else column.states[column.places]
    else:
        labels = np.asarray(y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        warnings.warn(
            "A column-vector y was passed when a 1d array was expected. Please change the shape of y to "
            "(n_samples,), for example using ravel().",
            DataConversionWarning,
            stacklevel=3,
        )
        labels = labels.ravel()
    if labels.ndim != 1:
        raise InputError(f"y should be a 1d array, got an array of shape {labels.shape} instead.")
    return labels


def _target_of(column: Column, rows: int, name: str) -> Target:
    """Labels that come with their states need no search for them."""
    if len(column) != rows:
        raise InputError(f"Found input variables with inconsistent numbers of samples: X has {rows}, y {len(column)}.")
    if column.has_missing:
        raise InputError(f"Input y contains NaN or None (row {column.first_missing()}): every row needs a label.")
    variable = column.variable()
    codes = column.codes(variable)
    return Target(replace(variable, name=name), codes)


def _encode_integers(labels: AnyArray) -> tuple[AnyArray, Codes]:
    """Codes by subtraction where the labels lie close together, by sorting where they do not."""
    lowest, highest = (int(labels.min()), int(labels.max())) if len(labels) else (0, -1)
    if highest - lowest >= _WIDEST_RANGE:
        classes, inverse = np.unique(labels, return_inverse=True)
        return classes, inverse.astype(np.int32)
    if labels.dtype.itemsize < 4:  # their differences could overflow
        classes, codes = _encode_integers(labels.astype(np.int32))
        return classes.astype(labels.dtype), codes
    codes = np.empty(len(labels), dtype=np.int32)
    np.subtract(labels, labels.dtype.type(lowest), out=codes, casting="unsafe")
    return np.arange(lowest, highest + 1, dtype=labels.dtype), codes


def _encode_any(labels: AnyArray) -> tuple[AnyArray, Codes]:
    if labels.dtype.kind == "f":
        if not np.isfinite(labels).all():
            raise InputError("Input y contains NaN or infinity: every row needs a label.")
        if np.any(labels != np.floor(labels)):
            raise InputError(
                f"Unknown label type: {type_of_target(labels)}. Maybe you are trying to fit a classifier, which "
                "expects discrete classes on a regression target with continuous values."
            )
    if labels.dtype.kind != "O":
        classes, codes = np.unique(labels, return_inverse=True)
        return classes, codes.astype(np.int32)
    states, codes = factorize(labels)
    if any(state is None or state != state for state in states.tolist()):
        raise InputError("Input y contains NaN or None: every row needs a label.")
    classes = distinct(states)
    if _is_numeric(classes):
        return _encode_numbers(labels)
    return classes, Variable("y", classes, len(classes)).encode(labels)


def _is_numeric(classes: AnyArray) -> bool:
    return all(isinstance(label, int | float | np.number) for label in classes.tolist())


def _encode_numbers(labels: AnyArray) -> tuple[AnyArray, Codes]:
    """Numbers held as objects are read as numbers."""
    numbers = np.array(labels.tolist())
    return _encode_integers(numbers) if numbers.dtype.kind in "iu" else _encode_any(numbers)
