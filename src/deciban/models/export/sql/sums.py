"""log P(row | class) in SQL, as a sum over columns."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from deciban.engines.sql.expressions import Expression, Expressions
from deciban.engines.sql.stages import Stages
from deciban.models.export.sql.columns import SqlColumn, StateColumn

__all__ = ["ColumnSum", "Likelihoods"]

_MOST_CELLS = 150
"""The size of the largest table of combinations."""


class Likelihoods(ABC):
    """How log P(row | class) follows from the columns of a model."""

    def __init__(self, sql: Expressions, columns: Sequence[SqlColumn], classes: int) -> None:
        self.sql, self.columns, self.classes = sql, list(columns), classes

    def add_stages(self, stages: Stages, passed: Sequence[str]) -> None:  # noqa: B027  most models need none
        """Add what is computed before the likelihoods; `passed` are columns that go through."""

    @abstractmethod
    def likelihood(self, j: int) -> Expression:
        """log P(row | class j)."""

    def explained(self) -> list[str]:
        """The columns that `evidence_of` needs."""
        return [column.scored for column in self.columns]

    def parts(self) -> list[str]:
        """The names of the parts of the evidence."""
        return [column.name for column in self.columns]

    def add_explaining(self, stages: Stages, choices: Sequence[str]) -> None:  # noqa: B027  most models need none
        """Add what is computed before the evidence of classes whose indices are in these columns."""

    @abstractmethod
    def evidence_of(self, choice: str) -> list[Expression]:
        """The parts of log P(row | class), with the index of the class in a column."""


class ColumnSum(Likelihoods):
    """Naive Bayes: the sum of the columns' log-probabilities.

    A column with few states is looked up together with others, in the table of all combinations of their states: the
    lookups take most of the time.
    """

    def __init__(self, sql: Expressions, columns: Sequence[SqlColumn], classes: int) -> None:
        super().__init__(sql, columns, classes)
        self._groups = _groups([column for column in columns if isinstance(column, StateColumn)])

    def likelihood(self, j: int) -> Expression:
        others = [column.evidence(j) for column in self.columns if not isinstance(column, StateColumn)]
        return self.sql.add([*(self._of_group(group, j) for group in self._groups), *others])

    def _of_group(self, group: Sequence[StateColumn], j: int) -> Expression:
        """Σ log P(value | class j) of some columns, by the index of the combination of their states."""
        sql, first = self.sql, group[0]
        table = first.logs[:, j]
        for column in group[1:]:
            table = np.add.outer(table, column.logs[:, j]).ravel()

        def index() -> Expression:
            made = first.at()
            for column in group[1:]:
                made = sql.add([sql.times(made, sql.integer(len(column.logs))), column.at()])
            return made

        return sql.lookup(table.tolist(), index)

    def evidence_of(self, choice: str) -> list[Expression]:
        return [column.evidence_of(choice) for column in self.columns]


def _groups(columns: Sequence[StateColumn]) -> list[list[StateColumn]]:
    """The columns in groups whose combinations are few; a column with many states is alone."""
    groups: list[list[StateColumn]] = []
    cells = 0
    for column in sorted(columns, key=lambda column: len(column.logs)):
        if groups and cells * len(column.logs) <= _MOST_CELLS:
            groups[-1].append(column)
            cells *= len(column.logs)
        else:
            groups.append([column])
            cells = len(column.logs)
    return groups
