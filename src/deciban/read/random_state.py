"""How many rows are drawn, and with which random state, as users say it."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from deciban.errors import InputTypeError, ParameterError

__all__ = ["RandomState", "read_count", "read_seed"]

RandomState = int | np.random.Generator | None


def read_count(value: Any, name: str, least: int) -> int:
    """A whole number that is at least ``least``."""
    try:
        count = operator.index(value)
    except TypeError:
        raise InputTypeError(f"{name} is a whole number, not {value!r}") from None
    if count < least:
        raise ParameterError(f"{name} is at least {least}, not {count}")
    return count


def read_seed(random_state: Any) -> int:
    """A 64-bit seed from anything that NumPy and scikit-learn take as a random state."""
    if isinstance(random_state, np.random.RandomState):
        random_state = int(random_state.randint(0, 2**31))
    try:
        return int(np.random.default_rng(random_state).integers(0, 2**64, dtype=np.uint64))
    except (TypeError, ValueError):
        raise InputTypeError(
            f"random_state is None, a whole number from 0 on or a NumPy Generator, not {random_state!r}"
        ) from None
