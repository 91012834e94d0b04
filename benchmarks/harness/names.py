"""Names of keyword arguments that differ between builds of deciban.

`python -m benchmarks --against` runs the same tasks on an older build, which may know an argument by an older name.
This is the only place that knows about it.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any

__all__ = ["with_known_names"]

_OLDER = {"ngram_range": "ngrams"}


def with_known_names(function: Callable[..., Any], **settings: Any) -> dict[str, Any]:
    """The settings by the names that the function has in this build."""
    known = signature(function).parameters
    return {name if name in known else _OLDER.get(name, name): value for name, value in settings.items()}
