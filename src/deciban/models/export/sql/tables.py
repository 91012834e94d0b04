"""Tables of log-probabilities by the states of one or two columns, looked up by index."""

from __future__ import annotations

import numpy as np

from deciban.engines.sql.expressions import Expression, Expressions
from deciban.models.export.sql.columns import StateColumn
from deciban.types import Floats

__all__ = ["PairTable", "padded"]


class PairTable:
    """log P(v | u, class): states of one column, u, × states of another, v, × classes; without `above` u is alone.

    On both axes the last two states are the unseen label and the missing value.
    """

    def __init__(self, sql: Expressions, above: StateColumn | None, below: StateColumn, logs: Floats) -> None:
        self.sql, self.above, self.below, self.logs = sql, above, below, logs

    def of_class(self, j: int) -> Expression:
        """The log-probability in one class."""
        return self.sql.lookup(self.logs[:, :, j].ravel().tolist(), self._index)

    def of_choice(self, choice: str) -> Expression:
        """The log-probability in the class whose index is in a column."""
        sql, classes = self.sql, self.logs.shape[2]

        def index() -> Expression:
            return sql.add([sql.times(self._index(), sql.integer(classes)), sql.column(choice)])

        return sql.lookup(self.logs.ravel().tolist(), index)

    def _index(self) -> Expression:
        if self.above is None:
            return self.below.at()
        sql, width = self.sql, self.logs.shape[1]
        return sql.add([sql.times(self.above.at(), sql.integer(width)), self.below.at()])


def padded(logs: Floats, rows: int) -> Floats:
    """The table with zeros for a missing value below, and with zeros up to so many rows above."""
    above = max(rows - len(logs), 0)
    return np.pad(logs, ((0, above), (0, 1), (0, 0)))
