"""A connection to a database, whatever its driver: a dialect, and a way to run one query.

======================================================  ================================================================
given                                                   dialect
======================================================  ================================================================
a connection or a relation of DuckDB                    duckdb
a DB-API 2.0 connection (sqlite3, psycopg, …)           by the module of the driver
an ADBC connection                                      by the vendor that its driver names
a table of Ibis, which is compiled to SQL               that of its backend
======================================================  ================================================================

sqlglot writes each expression in the dialect of the database; here is what it does not know: sets of groups in one
query, sums without loss of digits, NaN.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any, TypeVar

from deciban.choices import did_you_mean
from deciban.errors import ParameterError, SourceError
from deciban.extras import need

if TYPE_CHECKING:
    from sqlglot.expressions import Expr, Query

__all__ = [
    "WIDEST",
    "Database",
    "Row",
    "as_double",
    "call",
    "column",
    "expressions",
    "has_grouping_sets",
    "in_parts",
    "is_connection",
    "is_nan",
    "mean_of",
    "open_database",
    "square",
    "total",
]


Row = tuple[Any, ...]
"""A row of a result, as the driver gives it."""

Fetched = tuple[list[Row], tuple[str, ...]]

_RELATION = "deciban_relation"
"""The name by which queries refer to a relation of DuckDB."""

_MODULES = {
    "sqlite3": "sqlite",
    "adbc_driver_sqlite": "sqlite",
    "psycopg": "postgres",
    "psycopg2": "postgres",
    "pg8000": "postgres",
    "adbc_driver_postgresql": "postgres",
    "pymysql": "mysql",
    "MySQLdb": "mysql",
    "snowflake": "snowflake",
    "trino": "trino",
}
_VENDORS = {"SQLite": "sqlite", "PostgreSQL": "postgres", "DuckDB": "duckdb", "duckdb": "duckdb"}


@dataclass(frozen=True)
class Database:
    """Runs queries in one dialect."""

    dialect: str
    fetch: Callable[[str], Fetched]
    """Runs a query; returns its rows and the names of its columns."""

    def rows(self, query: Query) -> list[Row]:
        """The rows of a query."""
        named = query.copy()
        # Drivers that return mappings would lose all but one of several results of the same name, such as COUNT(*).
        for i, result in enumerate(named.selects):
            result.replace(expressions().alias_(result.unalias().copy(), f"r{i}"))
        return self._fetched(named)[0]

    def names(self, query: Query) -> tuple[str, ...]:
        """The names of the columns of a query."""
        return self._fetched(query)[1]

    def _fetched(self, query: Query) -> Fetched:
        try:
            return self.fetch(query.sql(dialect=self.dialect, comments=False))
        except Exception as error:  # each driver has errors of its own
            reason = next(iter(str(error).strip().splitlines()), type(error).__name__)
            raise SourceError(f"the database cannot answer a query: {reason}") from error


def is_connection(data: object) -> bool:
    """True for connections, relations of DuckDB and tables of Ibis: what is counted by queries."""
    return _is_relation(data) or _is_ibis(data) or _is_driver(data)


def open_database(data: Any, query: str | None, dialect: str | None = None) -> tuple[Database, str]:
    """The database of a connection, and the table or query to be counted."""
    need("sqlglot", "sql", "counting in a database")
    if _is_relation(data):
        _check_no_query(query, "a relation")
        return Database("duckdb", lambda text: _all_of(data.query(_RELATION, text))), _RELATION
    if _is_ibis(data):
        _check_no_query(query, "a table of Ibis")
        return _of_ibis(data, dialect)
    if not isinstance(query, str) or not query.strip():
        raise ParameterError(f"query names a table of the connection, or is a SELECT statement; it is {query!r}.")
    return Database(_known(dialect) if dialect else _dialect_of(data), _fetcher(data)), query


def _check_no_query(query: Any, what: str) -> None:
    if query is not None:
        raise ParameterError(f"query belongs to a connection; {what} says itself which rows it has.")


# By the names of their classes: none of these packages is imported to answer for a table in memory.
def _is_relation(data: object) -> bool:
    return type(data).__name__ == "DuckDBPyRelation"


def _is_duckdb(data: object) -> bool:
    return type(data).__name__ == "DuckDBPyConnection"


def _is_ibis(data: object) -> bool:
    return _package(data) == "ibis" and hasattr(data, "get_backend")


def _is_driver(data: object) -> bool:
    return callable(getattr(data, "cursor", None)) and callable(getattr(data, "commit", None))


def _package(data: object) -> str:
    return type(data).__module__.partition(".")[0]


def _fetcher(connection: Any) -> Callable[[str], Fetched]:
    """What runs a query on the connection itself: cursors of DuckDB do not see its temporary tables."""
    if _is_duckdb(connection):
        return lambda text: _all_of(connection.execute(text))

    def fetch(text: str) -> Fetched:
        with closing(connection.cursor()) as cursor:
            cursor.execute(text)
            return _all_of(cursor)

    return fetch


def _all_of(result: Any) -> Fetched:
    rows = [tuple(row.values() if isinstance(row, Mapping) else row) for row in result.fetchall()]
    return rows, tuple(str(entry[0]) for entry in result.description)


def _of_ibis(table: Any, dialect: str | None) -> tuple[Database, str]:
    try:
        backend = table.get_backend()
        text, connection = str(backend.compile(table)), backend.con
    except Exception as error:
        raise SourceError(f"Ibis cannot compile the table to SQL: {error}") from error
    return Database(_known(dialect or backend.name), _fetcher(connection)), text


def _dialect_of(connection: object) -> str:
    if _is_duckdb(connection):
        return "duckdb"
    dialect = _MODULES.get(_package(connection))
    if dialect is None and hasattr(connection, "adbc_get_info"):
        dialect = _VENDORS.get(str(connection.adbc_get_info().get("vendor_name")))
    if dialect is None:
        kind = f"{type(connection).__module__}.{type(connection).__name__}"
        raise ParameterError(f'the dialect of a {kind} is not known. Pass it: dialect="postgres", for example.')
    return dialect


def _known(dialect: str) -> str:
    dialects: Sequence[str] = sorted(need("sqlglot", "sql", "counting in a database").Dialect.classes)
    name = {"postgresql": "postgres"}.get(dialect, dialect)
    if name not in dialects:
        raise ParameterError(f"sqlglot has no dialect {dialect!r}.{did_you_mean(dialect, dialects)}")
    return name


T = TypeVar("T")

WIDEST = 200
"""The most columns of a table that one query aggregates: SQLite returns at most 2,000 results, PostgreSQL 1,664."""

_WITHOUT_GROUPING_SETS = frozenset({"sqlite", "mysql", "clickhouse"})
_WITHOUT_NAN = frozenset({"sqlite", "mysql"})


def expressions() -> Any:
    """The expressions of sqlglot."""
    return need("sqlglot", "sql", "counting in a database").exp


def column(name: str, table: str | None = None) -> Expr:
    """A column, by its quoted name."""
    return expressions().column(name, table=table, quoted=True)


def call(function: str, *arguments: Expr) -> Expr:
    """A function that sqlglot has no class for."""
    return expressions().Anonymous(this=function, expressions=list(arguments))


def as_double(value: Expr | float) -> Expr:
    """An expression, or a number with all its digits, as a number of 64 bits."""
    exp = expressions()
    return exp.cast(exp.Literal.string(repr(value)) if isinstance(value, float) else value, "double")


def total(value: Expr, dialect: str) -> Expr:
    """The sum of numbers; with Kahan's compensation where the database has it, which costs nothing there."""
    return call("fsum", value) if dialect == "duckdb" else expressions().Sum(this=value)


def mean_of(value: Expr) -> Expr:
    """The mean of numbers, as a quotient: AVG of PostgreSQL also sums squares, which may overflow."""
    exp = expressions()
    return exp.paren(exp.Div(this=exp.Sum(this=value.copy()), expression=exp.Count(this=value.copy())))


def square(value: Expr, dialect: str) -> Expr:
    """The square of a number; in PostgreSQL, where an overflow is an error, 0 and infinity beyond what doubles hold."""
    exp = expressions()
    product = exp.paren(value.copy() * value.copy())
    if dialect != "postgres":
        return product
    # Squares beyond these are below 1e-300 or above 1e300, near the ends of what a double holds.
    size = exp.Abs(this=value.copy())
    case = exp.case().when(size < as_double(1e-150), as_double(0.0)).when(size > as_double(1e150), as_double(inf))
    return case.else_(product)


def is_nan(value: Expr, dialect: str) -> Expr | None:
    """Whether a number is NaN; None where the database stores none."""
    if dialect in _WITHOUT_NAN:
        return None
    if dialect == "postgres":  # where NaN equals NaN
        return value.eq(expressions().cast(expressions().Literal.string("NaN"), "double"))
    return expressions().IsNan(this=value)


def has_grouping_sets(dialect: str, source: Expr) -> bool:
    """True where one query should group by several sets of columns at once.

    PostgreSQL groups by them in one process, but by single sets in several: for a table that is faster, while a query
    would be run again for each set.
    """
    if dialect == "postgres":
        return not isinstance(source, expressions().Table)
    return dialect not in _WITHOUT_GROUPING_SETS


def in_parts(items: Iterable[T], most: int) -> Iterator[Sequence[T]]:
    """The items in lists of at most so many."""
    listed = list(items)
    for start in range(0, len(listed), most):
        yield listed[start : start + most]
