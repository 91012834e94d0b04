"""TAN in SQL: a sum of table lookups, and missing values summed out along the tree.

    log P(x | j) = Σ_i log P(x_i | x_π(i), j)

Where a value is missing on which others depend, the sum has in its place the logarithm of a message, as in
`deciban.models.nets.tree`:

    m_i(u) = Σ_v P(v | u, j)·Π_known children P(x_c | v, j)·Π_missing children m_c(v)

Each column with children has a query for its messages, over the rows in which it is missing: one row for each of the
parent's values u that can occur, with a sum over v in groups. Rows without such missing values do not take part in it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

from deciban.engines.sql.expressions import Expression, Expressions
from deciban.engines.sql.stages import Stages
from deciban.models.export.forms import Tree
from deciban.models.export.sql.columns import SqlColumn, StateColumn
from deciban.models.export.sql.sums import Likelihoods
from deciban.models.export.sql.tables import PairTable, padded

__all__ = ["TreeSum"]

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
        own = self._states[i].states
        above = [0] if parent < 0 else range(self._states[parent].states + 1)
        rows = [[sql.integer(u), sql.integer(v)] for u in above for v in range(own)]
        stages.table(f"cells_{i}", ["above", "own"], rows or [[sql.integer(0), sql.integer(own)]])
        stages.add(f"terms_{i}", self._terms(i))
        stages.add(f"largest_{i}", self._largest(i))
        stages.add(f"message_{i}", self._summed(i), is_shared=True)

    def _terms(self, i: int) -> Expression:
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
        own = sql.is_equal(_of(sql, "incomplete", column.scored), _of(sql, above, "above"))
        is_missing = sql.is_equal(_of(sql, "incomplete", column.scored), sql.integer(column.missing))
        is_state = sql.is_less(_of(sql, above, "above"), sql.integer(column.states))
        return sql.any_of([own, sql.all_of([is_missing, is_state])])

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

    def _largest(self, i: int) -> Expression:
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

    def _summed(self, i: int) -> Expression:
        sql, exp = self.sql, self.sql.exp

        def relative(j: int) -> Expression:
            return sql.minus(sql.column(f"log_{j}"), sql.column(f"top_{j}"))

        def top(j: int) -> Expression:
            return exp.Max(this=sql.column(f"top_{j}"))

        made = []
        for j in range(self.classes):
            whole = exp.Sum(this=sql.exponential(partial(relative, j)))
            is_zero = sql.is_equal(top(j), sql.number(-math.inf))
            log = sql.case([(is_zero, sql.number(-math.inf))], sql.add([top(j), sql.ln(whole)]))
            made.append(exp.alias_(log, f"log_{j}", quoted=True))
        keys = [sql.column(_ROW), sql.column("above")]
        query = exp.select(*keys, *made).from_(f"largest_{i}")
        return query.group_by(sql.column(_ROW), sql.column("above"))


def _of(sql: Expressions, table: str, name: str) -> Expression:
    return sql.exp.column(name, table=table, quoted=True)
