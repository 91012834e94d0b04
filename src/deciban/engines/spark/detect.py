"""Which values are Spark frames; asked of every table, so it imports nothing."""

from __future__ import annotations

from typing import Any

__all__ = ["is_spark"]


def is_spark(data: Any) -> bool:
    """True for a DataFrame of Spark, of a classic session or of Spark Connect.

    >>> is_spark({"sky": ["sun"]})
    False
    """
    return any(kind.__module__.startswith("pyspark.sql") and kind.__name__ == "DataFrame" for kind in type(data).mro())
