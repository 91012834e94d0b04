"""What is counted of each batch of rows: a callable that can be sent to another process."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from deciban.read import read_table
from deciban.tallies import Tally, tally_table

__all__ = ["TableCounting"]


@dataclass(frozen=True)
class TableCounting:
    """Counts the columns of a table by their types; `sample_weight` may be the name of a column."""

    target: str
    sample_weight: Any = None

    def __call__(self, batch: Any) -> Tally:
        table, labels = read_table(batch).without(self.target)
        weight = self.sample_weight
        if isinstance(weight, str):
            table, column = table.without(weight)
            weight = column.numbers
        return tally_table(table, labels, weight)
