"""A query in stages: each is a SELECT over the stage before it, and its columns are computed once.

Databases merge nested SELECTs into one, and then compute an expression as often as it is used; over several stages that
grows exponentially. So each stage is a common table expression that is kept apart: in SQLite by a LIMIT without effect,
in PostgreSQL by OFFSET 0; rows still pass one by one. DuckDB keeps projections apart as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from deciban.engines.sql.expressions import Expression, Expressions
from deciban.errors import ParameterError
from deciban.extras import need

__all__ = ["Stages", "distinct_names", "read_source"]


class Stages:
    """The stages so far; `name` is that of the last one, and `columns` are its columns."""

    def __init__(self, sql: Expressions, source: Expression) -> None:
        self.sql, self.name = sql, "source"
        self.columns: tuple[str, ...] = ()
        self._source: Expression | None = source
        self._held: list[Expression] = []

    def select(
        self,
        columns: Sequence[tuple[str, Expression]],
        *,
        joins: Sequence[tuple[str, Expression]] = (),
        where: Expression | None = None,
        name: str | None = None,
    ) -> None:
        """Add a stage with these columns; `joins` are names of tables to join from the left, and conditions."""
        query = self._query(columns)
        for table, condition in joins:
            query.join(self.sql.exp.to_table(table), on=condition, join_type="LEFT", copy=False)
        if where is not None:
            query.where(where, copy=False)
        self.add(name or f"stage_{len(self._held)}", query)
        self.columns = tuple(alias for alias, _ in columns)

    def add(self, name: str, query: Expression, *, is_shared: bool = False) -> None:
        """Add a stage that is any query; one that several stages read is computed once."""
        if not is_shared and self.sql.name == "postgres":
            query = query.offset(0, copy=False)
        elif not is_shared and self.sql.name == "sqlite":
            query = query.limit(-1, copy=False)
        alias = self.sql.exp.TableAlias(this=self.sql.exp.to_identifier(name))
        self._held.append(self.sql.exp.CTE(this=query, alias=alias, **({"materialized": True} if is_shared else {})))
        self.name = name

    def table(self, name: str, columns: Sequence[str], rows: Sequence[Sequence[Expression]]) -> None:
        """Add a constant table that later stages can join."""
        exp = self.sql.exp
        values = exp.Values(expressions=[exp.Tuple(expressions=list(row)) for row in rows])
        alias = exp.TableAlias(this=exp.to_identifier(name), columns=[exp.to_identifier(each) for each in columns])
        self._held.append(exp.CTE(this=values, alias=alias))

    def final(self, columns: Sequence[tuple[str, Expression]]) -> str:
        """The whole query, which selects these columns of the last stage, as text."""
        exp, query = self.sql.exp, self._query(columns)
        query.set("with_" if "with_" in exp.Select.arg_types else "with", exp.With(expressions=self._held))
        return str(query.sql(self.sql.name, pretty=True, copy=False))

    def keep(self, names: Sequence[str]) -> list[tuple[str, Expression]]:
        """Columns that pass through."""
        return [(name, self.sql.column(name)) for name in names]

    def _query(self, columns: Sequence[tuple[str, Expression]]) -> Expression:
        exp = self.sql.exp
        query = exp.Select(
            expressions=[exp.alias_(held, name, quoted=True, copy=False) for name, held in columns] or [exp.Star()]
        )
        source = self._source if not self._held or self._source is not None else exp.to_table(self.name)
        self._source = None
        return query.from_(source, copy=False)


def read_source(table: str, sql: Expressions) -> Expression:
    """A table's name as SQL writes it, or a query in parentheses, as what a SELECT reads from."""
    exp = sql.exp
    glot = need("sqlglot", "sql", "to_sql")
    wrong = ParameterError(
        f"table is the name of a table as it is written in SQL, or a SELECT, not {table!r}. A name with characters "
        "other than letters, digits and _ is written in double quotes, a schema before it with a dot."
    )
    if not isinstance(table, str) or not table.strip():
        raise wrong
    try:
        text = f"SELECT * FROM {_as_operand(table)}"  # noqa: S608  only a name or a query is taken from it
        statements = glot.parse(text, dialect=sql.name)
    except glot.errors.SqlglotError:
        raise wrong from None
    parsed = statements[0]
    found: Any = parsed.args["from_" if "from_" in parsed.args else "from"].this
    is_plain = isinstance(found, exp.Table) and isinstance(found.this, exp.Identifier) and not found.args.get("alias")
    is_query = isinstance(found, exp.Subquery) and isinstance(found.this, exp.Query) and bool(found.this.selects)
    rest = [name for name in ("joins", "where", "laterals", "group", "limit", "order") if parsed.args.get(name)]
    if len(statements) > 1 or rest or found.args.get("joins") or not (is_plain or is_query):
        raise wrong
    return found


def _as_operand(table: str) -> str:
    is_query = table.strip().split(None, 1)[0].upper() in ("SELECT", "WITH", "FROM", "VALUES")
    return f"({table.strip().rstrip(';')}) AS source_rows" if is_query else table


def distinct_names(names: Sequence[str]) -> list[str]:
    """The names, with _2, _3 and so on where one occurred before; case does not distinguish names in SQL.

    >>> distinct_names(["p_a", "p_A", "p_b"])
    ['p_a', 'p_A_2', 'p_b']
    """
    found: dict[str, str] = {}
    for name in names:
        made, k = name, 1
        while made.lower() in found:
            k += 1
            made = f"{name}_{k}"
        found[made.lower()] = made
    return list(found.values())
