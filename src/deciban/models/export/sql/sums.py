"""log P(row | class) in SQL, as a sum over columns."""

from __future__ import annotations

from collections.abc import Sequence

from deciban.engines.sql.expressions import Expression, Expressions
from deciban.engines.sql.stages import Stages
from deciban.models.export.sql.columns import SqlColumn

__all__ = ["ColumnSum", "Likelihoods"]


class Likelihoods:
    """How log P(row | class) follows from the columns of a model."""

    def __init__(self, sql: Expressions, columns: Sequence[SqlColumn], classes: int) -> None:
        self.sql, self.columns, self.classes = sql, list(columns), classes

    def add_stages(self, stages: Stages, passed: Sequence[str]) -> None:
        """Add what is computed before the likelihoods; `passed` are columns that go through."""

    def likelihood(self, j: int) -> Expression:
        """log P(row | class j)."""
        raise NotImplementedError

    def explained(self) -> list[str]:
        """The columns that `evidence_of` needs."""
        return [column.scored for column in self.columns]

    def parts(self) -> list[str]:
        """The names of the parts of the evidence."""
        return [column.name for column in self.columns]

    def add_explaining(self, stages: Stages, choices: Sequence[str]) -> None:
        """Add what is computed before the evidence of classes whose indices are in these columns."""

    def evidence_of(self, choice: str) -> list[Expression]:
        """The parts of log P(row | class), with the index of the class in a column."""
        raise NotImplementedError


class ColumnSum(Likelihoods):
    """Naive Bayes: the sum of the columns' log-probabilities."""

    def likelihood(self, j: int) -> Expression:
        return self.sql.add([column.evidence(j) for column in self.columns])

    def evidence_of(self, choice: str) -> list[Expression]:
        return [column.evidence_of(choice) for column in self.columns]
