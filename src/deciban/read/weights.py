"""Sample weights: one number a row, none of them negative."""

from __future__ import annotations

from typing import Any

import numpy as np

from deciban.errors import InputError
from deciban.types import Floats

__all__ = ["check_not_huge", "read_weights", "weighted_sum"]

_LARGEST = 1e100


def read_weights(weights: Any, rows: int) -> Floats | None:
    """Read the weights; None stands for a weight of 1 a row."""
    if weights is None:
        return None
    if np.isscalar(weights):
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
    """Σ w·log P(row), where a row of weight 0 is ignored even if it is impossible."""
    read = read_weights(sample_weight, len(logs))
    if read is None:
        return float(logs.sum())
    return float(read[read > 0] @ logs[read > 0])
