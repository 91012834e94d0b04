"""What dialects differ in: sets of groups in one query, sums without loss of digits, NaN.

sqlglot writes each expression in the dialect of the database; here is what it does not know.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import inf
from typing import Any, TypeVar

from deciban.extras import need

__all__ = [
    "WIDEST",
    "as_double",
    "call",
    "column",
    "expressions",
    "has_grouping_sets",
    "in_parts",
    "is_nan",
    "mean_of",
    "square",
    "total",
]

T = TypeVar("T")

WIDEST = 200
"""The most columns of a table that one query aggregates: SQLite returns at most 2,000 results, PostgreSQL 1,664."""

_WITHOUT_GROUPING_SETS = frozenset({"sqlite", "mysql", "clickhouse"})
_WITHOUT_NAN = frozenset({"sqlite", "mysql"})


def expressions() -> Any:
    """The expressions of sqlglot."""
    return need("sqlglot", "sql", "counting in a database").exp


def column(name: str, table: str | None = None) -> Any:
    """A column, by its quoted name."""
    return expressions().column(name, table=table, quoted=True)


def call(function: str, *arguments: Any) -> Any:
    """A function that sqlglot has no class for."""
    return expressions().Anonymous(this=function, expressions=list(arguments))


def as_double(value: Any) -> Any:
    """An expression, or a number with all its digits, as a number of 64 bits."""
    exp = expressions()
    return exp.cast(exp.Literal.string(repr(value)) if isinstance(value, float) else value, "double")


def total(value: Any, dialect: str) -> Any:
    """The sum of numbers; with Kahan's compensation where the database has it, which costs nothing there."""
    return call("fsum", value) if dialect == "duckdb" else expressions().Sum(this=value)


def mean_of(value: Any) -> Any:
    """The mean of numbers, as a quotient: AVG of PostgreSQL also sums squares, which may overflow."""
    exp = expressions()
    return exp.paren(exp.Div(this=exp.Sum(this=value.copy()), expression=exp.Count(this=value.copy())))


def square(value: Any, dialect: str) -> Any:
    """The square of a number; in PostgreSQL, where an overflow is an error, 0 and infinity beyond what doubles hold."""
    exp = expressions()
    product = exp.paren(value.copy() * value.copy())
    if dialect != "postgres":
        return product
    size = exp.Abs(this=value.copy())
    case = exp.case().when(size < as_double(1e-150), as_double(0.0)).when(size > as_double(1e150), as_double(inf))
    return case.else_(product)


def is_nan(value: Any, dialect: str) -> Any | None:
    """Whether a number is NaN; None where the database stores none."""
    if dialect in _WITHOUT_NAN:
        return None
    if dialect == "postgres":  # where NaN equals NaN
        return value.eq(expressions().cast(expressions().Literal.string("NaN"), "double"))
    return expressions().IsNan(this=value)


def has_grouping_sets(dialect: str, source: Any) -> bool:
    """True where one query should group by several sets of columns at once.

    PostgreSQL groups by them in one process, but by single sets in several: for a table that is faster, while a query
    would be run again for each set.
    """
    if dialect == "postgres":
        return not isinstance(source, expressions().Table)
    return dialect not in _WITHOUT_GROUPING_SETS


def in_parts(items: Iterable[T], most: int) -> Iterator[Sequence[T]]:
    """The items in lists of at most so many."""
    held = list(items)
    for start in range(0, len(held), most):
        yield held[start : start + most]
