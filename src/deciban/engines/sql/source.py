"""The table or query of a user → what stands in the FROM of every query that counts it.

The text is parsed, and only a name, a call of a table function or one SELECT passes: nothing that changes the database.
All names go into queries as quoted identifiers.
"""

from __future__ import annotations

from typing import Any

from deciban.errors import ParameterError
from deciban.extras import need

__all__ = ["parse_source"]


def parse_source(text: str, dialect: str) -> Any:
    """A table or a subquery, as sqlglot holds it.

    >>> parse_source("main.people", "duckdb").sql("duckdb")
    'main.people'
    >>> parse_source("SELECT age FROM people WHERE age > 17;", "sqlite").sql("sqlite")
    '(SELECT age FROM people WHERE age > 17) AS deciban_source'
    """
    exp = need("sqlglot", "sql", "counting in a database").exp
    found = _parsed(text, dialect)
    if isinstance(found, exp.Query):
        _check_reads(found, text)
        return found.subquery("deciban_source") if not isinstance(found, exp.Subquery) else _aliased(found)
    table = _table(text, dialect)
    if table is None:
        raise ParameterError(
            f"{_short(text)} is neither the name of a table nor a SELECT statement. A name with spaces or signs needs "
            'the quotes of the dialect, like "my table".'
        )
    return table


def _parsed(text: str, dialect: str) -> Any:
    """The only statement of the text; None where it is not a statement by itself."""
    sqlglot = need("sqlglot", "sql", "counting in a database")
    try:
        found = [statement for statement in sqlglot.parse(text, dialect=dialect) if statement is not None]
    except sqlglot.errors.SqlglotError:
        return None
    if len(found) > 1:
        raise ParameterError(f"query holds {len(found)} statements, and one table or SELECT is counted: {_short(text)}")
    return found[0] if found else None


def _check_reads(query: Any, text: str) -> None:
    exp = need("sqlglot", "sql", "counting in a database").exp
    changes = (exp.DML, exp.DDL, exp.Command, exp.Into, exp.Copy, exp.Drop, exp.Alter)
    found = next((node for node in query.walk() if isinstance(node, changes) and not isinstance(node, exp.Query)), None)
    if found is not None:
        what = type(found).__name__.upper()
        raise ParameterError(f"query must only read, and it holds {what}: {_short(text)}")


def _table(text: str, dialect: str) -> Any:
    """The table where the text names one, or calls a function that gives one; else None."""
    sqlglot = need("sqlglot", "sql", "counting in a database")
    try:
        found = sqlglot.parse_one("SELECT * FROM " + text, dialect=dialect)  # noqa: S608  parsed, never run as it is
    except sqlglot.errors.SqlglotError:
        return None
    table = found.find(sqlglot.exp.Table)
    is_plain = table is not None and not table.alias and found == sqlglot.select("*").from_(table)
    return table if is_plain else None


def _aliased(subquery: Any) -> Any:
    return subquery.unnest().subquery("deciban_source")


def _short(text: str) -> str:
    line = " ".join(text.split())
    return repr(line if len(line) <= 100 else f"{line[:97]}...")
