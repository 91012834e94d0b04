"""Names for the types that signatures use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["AnyArray", "ArrayLike", "Codes", "Floats", "Ints", "LabelsLike", "Singles"]

AnyArray = NDArray[Any]
Codes = NDArray[np.int32]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Singles = NDArray[np.float32]

LabelsLike = ArrayLike | Sequence[object]
"""A label for each row: an array, a Series, a list of any values; or the name of the column that has them."""
