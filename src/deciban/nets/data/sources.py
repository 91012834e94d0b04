"""Rows that are not in memory: which arguments stand for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from deciban.engines.open import is_source, open_source
from deciban.errors import ColumnMismatchError, ParameterError
from deciban.suggest import did_you_mean

__all__ = ["is_not_in_memory", "source_of", "weight_column"]


def is_not_in_memory(data: Any) -> bool:
    """True for names of files, and for a source that was opened."""
    return _is_open(data) or is_source(data)


def source_of(data: Any, **options: Any) -> Any:
    """The source of some rows; `options` are those of ``open_source``, for one that is not open yet."""
    return data if _is_open(data) else open_source(data, **options)


def weight_column(names: Sequence[str], sample_weight: Any) -> str | None:
    """The column of the weights; an error where `sample_weight` is not the name of one."""
    if sample_weight is None:
        return None
    if not isinstance(sample_weight, str):
        raise ParameterError(
            "for rows that are not in memory, sample_weight is the name of a column, not "
            f"a {type(sample_weight).__name__}."
        )
    if sample_weight not in names:
        raise ColumnMismatchError(
            f"sample_weight names {sample_weight!r}, which is not a column.{did_you_mean(sample_weight, names)}"
        )
    return sample_weight


def _is_open(data: Any) -> bool:
    return hasattr(data, "names") and callable(getattr(data, "batches", None))
