"""log P(row | class) in SQL.

Naive Bayes is a sum over columns. TAN is a sum of table lookups, with missing values summed out along the tree:

    log P(x | j) = Σ_i log P(x_i | x_π(i), j)

Where a value is missing on which others depend, the sum has in its place the logarithm of a message, as in
`deciban.models.families.tan`:

    m_i(u) = Σ_v P(v | u, j)·Π_known children P(x_c | v, j)·Π_missing children m_c(v)

Each column with children has a query for its messages, over the rows in which it is missing: one row for each of the
parent's values u that can occur, with a sum over v in groups. Rows without such missing values do not take part in it.

AODE is the weighted mean of one-dependence models:

    log P(x | j) = log Σ_i w_i·exp L_ij − log Σ_i w_i,    L_ij = Σ_k log P(x_k | x_i, j)

over the columns i whose value is used as a parent; where there is none, naive Bayes.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from deciban.estimate.closed_form import Average, Parent, Tree
from deciban.export.sql.columns import SqlColumn, StateColumn
from deciban.export.sql.expressions import Expression, Expressions, Stages
from deciban.types import Floats

if TYPE_CHECKING:
    from sqlglot.expressions import Query

__all__ = ["AverageSum", "ColumnSum", "Likelihoods", "TreeSum"]


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
    # The smallest first: so the most columns share a lookup before a table grows too large.
    for column in sorted(columns, key=lambda column: len(column.logs)):
        if groups and cells * len(column.logs) <= _MOST_CELLS:
            groups[-1].append(column)
            cells *= len(column.logs)
        else:
            groups.append([column])
            cells = len(column.logs)
    return groups


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


_ROW = "row_id"
_SUMMED = "is_summed"


class TreeSum(Likelihoods):
    """Adds the columns "tree_j", log P(row | class j) at temperature 1."""

    def __init__(
        self, sql: Expressions, columns: Sequence[SqlColumn], tree: Tree, temperature: float, classes: int
    ) -> None:
        super().__init__(sql, columns, classes)
        self._states = [column for column in columns if isinstance(column, StateColumn)]
        self._parents, self._temperature = tree.parents, temperature
        self._children = {i: [c for c, p in tree.parents.items() if p == i] for i in tree.parents}
        self._inner = [i for i, children in self._children.items() if children]
        self._logs = {i: padded(logs, self._width(tree.parents[i])) for i, logs in tree.logs.items()}

    def add_stages(self, stages: Stages, passed: Sequence[str]) -> None:
        sql = self.sql
        kept = [*passed, *(column.scored for column in self.columns)]
        is_summed = sql.any_of([self._is_missing(i) for i in self._inner])
        stages.select([*stages.keep(kept), (_SUMMED, is_summed)], name="known")
        sums = [sql.add([self._pair(i).of_class(j) for i in self._parents]) for j in range(self.classes)]
        named = [f"tree_{j}" for j in range(self.classes)]
        stages.select([*stages.keep([*kept, _SUMMED]), *zip(named, sums, strict=True)], name="added")
        if self._inner:
            self._add_summed(stages, kept, named)

    def likelihood(self, j: int) -> Expression:
        return self.sql.divided(self.sql.column(f"tree_{j}"), self.sql.number(self._temperature))

    def explained(self) -> list[str]:
        return [_SUMMED, *super().explained()]

    def evidence_of(self, choice: str) -> list[Expression]:
        sql = self.sql
        logs = {i: self._pair(i).of_choice(choice) for i in self._parents}
        cooled = [sql.divided(logs[i], sql.number(self._temperature)) for i in range(len(self.columns))]
        return [sql.case([(sql.column(_SUMMED), sql.null())], log) for log in cooled]

    # Complete rows -------------------------------------------------------------------------------------------------

    def _width(self, i: int) -> int:
        return 0 if i < 0 else self._states[i].states + 2

    def _pair(self, i: int) -> PairTable:
        parent = self._parents[i]
        return PairTable(self.sql, None if parent < 0 else self._states[parent], self._states[i], self._logs[i])

    def _is_missing(self, i: int) -> Expression:
        return self.sql.is_equal(self._states[i].at(), self.sql.integer(self._states[i].missing))

    # Missing values ------------------------------------------------------------------------------------------------

    def _add_summed(self, stages: Stages, kept: Sequence[str], named: Sequence[str]) -> None:
        """Both kinds of rows: those that are complete, and those with messages added."""
        sql, exp = self.sql, self.sql.exp
        numbered = exp.Window(this=exp.RowNumber())
        of_missing = exp.select(exp.Star()).select(exp.alias_(numbered, _ROW, quoted=True)).from_("added")
        stages.add("incomplete", of_missing.where(sql.column(_SUMMED)), is_shared=True)
        # Parents come before children in a tree: from the leaves up, since a message contains those of the children.
        for i in reversed(list(self._parents)):
            if self._children[i]:
                self._add_message(stages, i)
        columns = [*kept, _SUMMED]
        whole = exp.select(*(sql.column(name) for name in (*columns, *named))).from_("added")
        whole = whole.where(exp.Not(this=sql.column(_SUMMED)))
        stages.add("treed", exp.union(whole, self._with_messages(columns, named), distinct=False))
        stages.columns = (*columns, *named)

    def _with_messages(self, columns: Sequence[str], named: Sequence[str]) -> Expression:
        sql, exp = self.sql, self.sql.exp

        def added(j: int) -> Expression:
            messages = [sql.coalesce(_of(sql, f"message_{i}", f"log_{j}"), sql.number(0.0)) for i in self._inner]
            return sql.add([_of(sql, "incomplete", named[j]), *messages])

        sums = [exp.alias_(added(j), named[j], quoted=True) for j in range(self.classes)]
        query = exp.select(*(_of(sql, "incomplete", name) for name in columns), *sums).from_("incomplete")
        for i in self._inner:
            parent, name = self._parents[i], f"message_{i}"
            conditions = [sql.is_equal(_of(sql, name, _ROW), _of(sql, "incomplete", _ROW))]
            if parent >= 0:
                above = _of(sql, "incomplete", self._states[parent].scored)
                conditions.append(sql.is_equal(_of(sql, name, "above"), above))
            query = query.join(name, on=sql.all_of(conditions), join_type="LEFT")
        return query

    def _add_message(self, stages: Stages, i: int) -> None:
        """Add log m_i(u) for each row in which the column is missing, and each u that can occur."""
        sql, parent = self.sql, self._parents[i]
        states = self._states[i].states
        above = [0] if parent < 0 else range(self._states[parent].states + 1)
        rows = [[sql.integer(u), sql.integer(v)] for u in above for v in range(states)]
        stages.table(f"cells_{i}", ["above", "own"], rows or [[sql.integer(0), sql.integer(states)]])
        stages.add(f"terms_{i}", self._terms(i))
        stages.add(f"largest_{i}", self._largest(i))
        stages.add(f"message_{i}", self._summed(i), is_shared=True)

    def _terms(self, i: int) -> Query:
        """log P(v | u, j) and what the children add, for each u and v."""
        sql, exp, cells = self.sql, self.sql.exp, f"cells_{i}"
        columns = [_of(sql, "incomplete", _ROW), _of(sql, cells, "above")]
        sums = [exp.alias_(self._term(i, j), f"log_{j}", quoted=True) for j in range(self.classes)]
        query = exp.select(*columns, *sums).from_("incomplete").join(cells, on=self._can_occur(i), join_type="INNER")
        for c in self._children[i]:
            if self._children[c]:
                name = f"message_{c}"
                is_row = sql.is_equal(_of(sql, name, _ROW), _of(sql, "incomplete", _ROW))
                is_value = sql.is_equal(_of(sql, name, "above"), _of(sql, cells, "own"))
                query = query.join(name, on=sql.all_of([is_row, is_value]), join_type="LEFT")
        at = _of(sql, "incomplete", self._states[i].scored)
        return query.where(sql.is_equal(at, sql.integer(self._states[i].missing)))

    def _can_occur(self, i: int) -> Expression:
        """The parent's own value, or each of its states where it is missing, too."""
        sql, parent = self.sql, self._parents[i]
        if parent < 0:
            return sql.exp.true()
        column, above = self._states[parent], f"cells_{i}"
        is_own_value = sql.is_equal(_of(sql, "incomplete", column.scored), _of(sql, above, "above"))
        is_missing = sql.is_equal(_of(sql, "incomplete", column.scored), sql.integer(column.missing))
        is_state = sql.is_less(_of(sql, above, "above"), sql.integer(column.states))
        return sql.any_of([is_own_value, sql.all_of([is_missing, is_state])])

    def _term(self, i: int, j: int) -> Expression:
        sql, cells = self.sql, f"cells_{i}"

        def cell() -> Expression:
            width = sql.integer(self._logs[i].shape[1])
            return sql.add([sql.times(_of(sql, cells, "above"), width), _of(sql, cells, "own")])

        terms = [sql.lookup(self._logs[i][:, :, j].ravel().tolist(), cell)]
        for c in self._children[i]:
            terms.append(self._of_child(c, j, cells))
            if self._children[c]:
                terms.append(sql.coalesce(_of(sql, f"message_{c}", f"log_{j}"), sql.number(0.0)))
        return sql.add(terms)

    def _of_child(self, c: int, j: int, cells: str) -> Expression:
        """log P(x_c | v, j) of a known child; 0 of a missing one."""
        sql, logs = self.sql, self._logs[c]

        def index() -> Expression:
            width = sql.integer(logs.shape[1])
            return sql.add([sql.times(_of(sql, cells, "own"), width), _of(sql, "incomplete", self._states[c].scored)])

        return sql.lookup(logs[:, :, j].ravel().tolist(), index)

    def _largest(self, i: int) -> Query:
        sql, exp, name = self.sql, self.sql.exp, f"terms_{i}"
        made = [
            exp.alias_(
                exp.Window(
                    this=exp.Max(this=sql.column(f"log_{j}")),
                    partition_by=[sql.column(_ROW), sql.column("above")],
                ),
                f"top_{j}",
                quoted=True,
            )
            for j in range(self.classes)
        ]
        return exp.select(exp.Star(), *made).from_(name)

    def _summed(self, i: int) -> Query:
        sql, exp = self.sql, self.sql.exp

        def relative(j: int) -> Expression:
            return sql.minus(sql.column(f"log_{j}"), sql.column(f"top_{j}"))

        def top(j: int) -> Expression:
            return exp.Max(this=sql.column(f"top_{j}"))

        made = []
        for j in range(self.classes):
            whole = exp.Sum(this=sql.exponential(partial(relative, j)))
            # log 0 is an error in PostgreSQL, and −∞ − (−∞) is NaN.
            is_zero = sql.is_equal(top(j), sql.number(-math.inf))
            log = sql.case([(is_zero, sql.number(-math.inf))], sql.add([top(j), sql.ln(whole)]))
            made.append(exp.alias_(log, f"log_{j}", quoted=True))
        keys = [sql.column(_ROW), sql.column("above")]
        query = exp.select(*keys, *made).from_(f"largest_{i}")
        return query.group_by(sql.column(_ROW), sql.column("above"))


def _of(sql: Expressions, table: str, name: str) -> Expression:
    return sql.exp.column(name, table=table, quoted=True)


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
