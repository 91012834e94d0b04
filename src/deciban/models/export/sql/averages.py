"""The weighted mean of one-dependence models, AODE, in SQL.

    log P(x | j) = log Σ_i w_i·exp L_ij − log Σ_i w_i,    L_ij = Σ_k log P(x_k | x_i, j)

over the columns i whose value is used as a parent; where there is none, naive Bayes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

import numpy as np

from deciban.engines.sql.expressions import Expression, Expressions
from deciban.engines.sql.stages import Stages
from deciban.models.export.forms import Average, Parent
from deciban.models.export.sql.columns import SqlColumn, StateColumn
from deciban.models.export.sql.sums import Likelihoods
from deciban.models.export.sql.tables import PairTable, padded
from deciban.types import Floats

__all__ = ["AverageSum"]


class AverageSum(Likelihoods):
    """Adds the columns "model_i_j", log P(row | class j) by the model of parent i, and their mean "mean_j"."""

    def __init__(
        self, sql: Expressions, columns: Sequence[SqlColumn], average: Average, temperature: float, classes: int
    ) -> None:
        super().__init__(sql, columns, classes)
        self._states = [column for column in columns if isinstance(column, StateColumn)]
        self._average, self._temperature = average, temperature

    def add_stages(self, stages: Stages, passed: Sequence[str]) -> None:
        sql, parents, kept = self.sql, self._average.parents, [*passed, *(c.scored for c in self.columns)]
        uses = [(f"use_{p.column}", self._use(p)) for p in parents]
        stages.select([*stages.keep(kept), *uses], name="used")
        use_names = [name for name, _ in uses]
        models = [(f"model_{p.column}_{j}", self._model(p, j)) for p in parents for j in range(self.classes)]
        whole = ("whole_weight", sql.add([sql.column(name) for name in use_names]))
        stages.select([*stages.keep([*kept, *use_names]), whole, *models], name="models")
        tops = [(f"top_{j}", sql.greatest(self._of_class(j)) if parents else sql.number(0.0)) for j in self._classes()]
        stages.select([*stages.keep(stages.columns), *tops], name="tops")
        self._add_shares(stages)
        means = [(f"mean_{j}", self._mean(j)) for j in self._classes()]
        stages.select([*stages.keep(stages.columns), *means], name="averaged")

    def likelihood(self, j: int) -> Expression:
        return self.sql.divided(self.sql.column(f"mean_{j}"), self.sql.number(self._temperature))

    def explained(self) -> list[str]:
        shares = [f"share_{p.column}_{j}" for p in self._average.parents for j in self._classes()]
        totals = [f"total_{j}" for j in self._classes()]
        uses = [f"use_{p.column}" for p in self._average.parents]
        return [*(c.scored for c in self.columns), "whole_weight", *uses, *shares, *totals]

    def parts(self) -> list[str]:
        return [*super().parts(), "(averaging)"]

    def add_explaining(self, stages: Stages, choices: Sequence[str]) -> None:
        """Each parent's share in the class of a column."""
        sql = self.sql

        def share(p: Parent, choice: str) -> Expression:
            shares = [sql.column(f"share_{p.column}_{j}") for j in self._classes()]
            totals = [sql.column(f"total_{j}") for j in self._classes()]
            at = partial(sql.column, choice)
            share = sql.divided(sql.pick(at, shares), sql.pick(at, totals))
            return sql.case([(self._has_none(), sql.number(0.0))], share)

        made = [(f"{c}_share_{p.column}", share(p, c)) for c in choices for p in self._average.parents]
        dropped = {name for name in self.explained() if name.startswith(("share_", "total_"))}
        stages.select([*stages.keep([name for name in stages.columns if name not in dropped]), *made])

    def evidence_of(self, choice: str) -> list[Expression]:
        sql = self.sql
        columns = [
            sql.add([self._shared(p, k, choice) for p in self._average.parents]) for k in range(len(self._states))
        ]
        made = [sql.case([(self._has_none(), self._alone_of(k, choice))], column) for k, column in enumerate(columns)]
        spread = [self._spread(p, choice) for p in self._average.parents]
        mixed = sql.minus(sql.add(spread), sql.ln(sql.column("whole_weight")))
        made.append(sql.case([(self._has_none(), sql.number(0.0))], mixed))
        return [sql.divided(log, sql.number(self._temperature)) for log in made]

    # Parts of the mean ---------------------------------------------------------------------------------------------

    def _classes(self) -> range:
        return range(self.classes)

    def _of_class(self, j: int) -> list[Expression]:
        return [self.sql.column(f"model_{p.column}_{j}") for p in self._average.parents]

    def _use(self, parent: Parent) -> Expression:
        """The weight of a parent whose value is used, else 0."""
        weights = [parent.weight if is_used else 0.0 for is_used in parent.is_used]
        return self.sql.lookup([*weights, 0.0, 0.0], self._states[parent.column].at)

    def _model(self, parent: Parent, j: int) -> Expression:
        sql = self.sql
        logs = sql.add([self._pair(parent, k).of_class(j) for k in parent.logs])
        is_used = sql.binary(sql.exp.GT, sql.column(f"use_{parent.column}"), sql.number(0.0))
        return sql.case([(is_used, logs)], sql.number(-math.inf))

    def _pair(self, parent: Parent, k: int) -> PairTable:
        above, below = self._states[parent.column], self._states[k]
        if k == parent.column:
            return PairTable(self.sql, None, below, padded(parent.logs[k][None], 0))
        return PairTable(self.sql, above, below, padded(parent.logs[k], above.states + 2))

    def _add_shares(self, stages: Stages) -> None:
        """exp of each model relative to the largest, times its weight; and their sums."""
        sql = self.sql
        made = []
        for p in self._average.parents:
            for j in self._classes():
                odds = sql.times(sql.column(f"use_{p.column}"), sql.exponential(partial(self._relative, p, j)))
                is_zero = sql.is_equal(sql.column(f"top_{j}"), sql.number(-math.inf))
                made.append((f"share_{p.column}_{j}", sql.case([(is_zero, sql.column(f"use_{p.column}"))], odds)))
        models = {f"model_{p.column}_{j}" for p in self._average.parents for j in self._classes()}
        stages.select([*stages.keep([name for name in stages.columns if name not in models]), *made], name="shares")
        totals = [
            (f"total_{j}", sql.add([sql.column(f"share_{p.column}_{j}") for p in self._average.parents]))
            for j in self._classes()
        ]
        stages.select([*stages.keep(stages.columns), *totals], name="totals")

    def _relative(self, parent: Parent, j: int) -> Expression:
        return self.sql.minus(self.sql.column(f"model_{parent.column}_{j}"), self.sql.column(f"top_{j}"))

    def _has_none(self) -> Expression:
        return self.sql.is_equal(self.sql.column("whole_weight"), self.sql.number(0.0))

    def _mean(self, j: int) -> Expression:
        sql = self.sql
        alone = sql.add([sql.lookup(self._alone(k)[:, j].tolist(), self._states[k].at) for k in self._average.alone])
        is_zero = sql.is_equal(sql.column(f"top_{j}"), sql.number(-math.inf))
        ratio = sql.divided(sql.column(f"total_{j}"), sql.column("whole_weight"))
        mean = sql.add([sql.column(f"top_{j}"), sql.ln(ratio)])
        return sql.case([(self._has_none(), alone), (is_zero, sql.number(-math.inf))], mean)

    def _alone(self, k: int) -> Floats:
        logs = self._average.alone[k]
        return np.concatenate([logs, np.zeros((1, self.classes))])

    # Evidence ------------------------------------------------------------------------------------------------------

    def _shared(self, parent: Parent, k: int, choice: str) -> Expression:
        sql, share = self.sql, f"{choice}_share_{parent.column}"
        log = sql.times(sql.column(share), self._pair(parent, k).of_choice(choice))
        return sql.case([(sql.binary(sql.exp.GT, sql.column(share), sql.number(0.0)), log)], sql.number(0.0))

    def _spread(self, parent: Parent, choice: str) -> Expression:
        """v·(log w − log v)."""
        sql, share = self.sql, f"{choice}_share_{parent.column}"
        logs = sql.minus(sql.number(math.log(parent.weight)), sql.ln(sql.column(share)))
        product = sql.times(sql.column(share), logs)
        return sql.case([(sql.binary(sql.exp.GT, sql.column(share), sql.number(0.0)), product)], sql.number(0.0))

    def _alone_of(self, k: int, choice: str) -> Expression:
        logs = self._alone(k)
        return PairTable(self.sql, None, self._states[k], logs[None]).of_choice(choice)
