"""One door to counting: a table in memory, or where it is."""

from __future__ import annotations

from typing import Any

from deciban.engines import spark
from deciban.engines.counting import TableCounting
from deciban.tallies import Tally

__all__ = ["tally"]


def tally(data: Any, *, target: str, sample_weight: Any = None) -> Tally:
    """Count a table: moments of its float columns, counts of all others, within each class of `target`.

    Whether a column holds floats is a matter of its type, not of its values. A missing value is skipped in its own
    column only.

    >>> t = tally({"sky": ["sun", "rain", "sun"], "play": ["yes", "no", "yes"]}, target="play")
    >>> print(t)
    Tally of 3 rows, 2 classes of 'play'
               no  yes
         rows   1    2
    sky  rain   1    0
         sun    0    2
    """
    counting = TableCounting(target, sample_weight)
    return spark.SparkSource(data).count(counting) if spark.is_spark(data) else counting(data)
