"""A table in a database → the tally that the kernels would make of it in memory. No row leaves the database."""

from __future__ import annotations

from typing import Any

from deciban.engines.sql.table import DatabaseTable
from deciban.tallies import Tally

__all__ = ["tally_database"]


def tally_database(
    data: Any, query: str | None, *, target: str, sample_weight: Any = None, dialect: str | None = None
) -> Tally:
    """Count a table or query by a few queries; `sample_weight` is the name of a column."""
    table = DatabaseTable.of(data, query, sample_weight=sample_weight, dialect=dialect)
    names = [name for name in table.names if name != target]
    labels = [name for name in names if not table.is_number(name)]
    classes, sums = table.sums(target, [name for name in names if table.is_number(name)])
    found = table.count([(target, name) for name in labels])
    parts: dict[str, Any] = {name: held.moments(name, classes.order) for name, held in sums.items()}
    parts |= {name: classes.count(name, held) for name, held in zip(labels, found, strict=True)}
    return classes.tally(*(parts[name] for name in names))
