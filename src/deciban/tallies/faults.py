"""A value that a kernel refuses → one clear error that names its row and column."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

from deciban.errors import InputError, MissingValueError, UnseenStateError

__all__ = ["Fault", "raise_fault"]

Fault = tuple[str, int, int]
"""What, row, column."""


def raise_fault(fault: Fault, owner: str, names: Sequence[str] | None, value: Any = None) -> NoReturn:
    """Raise the error for a fault; `owner` is the model that reads the data."""
    what, row, column = fault
    at = f"column {names[column] if names else f'x{column}'!r} (row {row})"
    match what:
        case "missing":
            raise MissingValueError(
                f'Input X contains NaN: {at} is missing, and {owner} has missing="error". Pass missing="skip" to leave '
                "missing values out, or fill them in."
            )
        case "infinite":
            raise InputError(f"Input X contains infinity or a value too large for float64: {at}.")
        case "negative":
            raise InputError(f"Negative values in data passed to {owner} (input X): {at}.")
        case "fractional":
            raise InputError(f"{owner} counts categories, and {at} is {value}, which is not a whole number.")
        case "unseen":
            raise UnseenStateError(f'{at} has value {value!r}, unseen in fit. Pass unseen="smooth" or refit.')
        case "outside":
            raise InputError(f"{owner} takes values from 0 to 1 when binarize=None; {at} is larger. Set binarize.")
    raise InputError(f"{owner} cannot use {at}: {what}.")
