"""One door to counting: a table in memory, or where it is."""

from __future__ import annotations

from typing import Any

from deciban.engines.counting import TableCounting
from deciban.engines.sql.database import is_connection
from deciban.engines.sql.tally import tally_database
from deciban.tallies import Tally

__all__ = ["tally"]


def tally(
    data: Any, query: str | None = None, *, target: str, sample_weight: Any = None, dialect: str | None = None
) -> Tally:
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
    if is_connection(data):
        return tally_database(data, query, target=target, sample_weight=sample_weight, dialect=dialect)
    return TableCounting(target, sample_weight)(data)
