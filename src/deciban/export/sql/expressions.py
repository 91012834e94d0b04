"""SQL expressions in the dialects of DuckDB, PostgreSQL and SQLite, built with sqlglot.

The expressions compute with doubles, as numpy does. The dialects differ in how a double is written, in infinities and
NaN, in how a list of numbers is looked up by index, and in what overflows: PostgreSQL raises an error where a product
or an exponential is out of range, so there the values are limited first.

An expression is used once: sqlglot's nodes know their parent. Columns are therefore made anew by `column` at each use.

A query has stages: each is a SELECT over the stage before it, and its columns are computed once. Databases merge nested
SELECTs into one, and then compute an expression as often as it is used; over several stages that grows exponentially.
So each stage is a common table expression that is kept apart: in SQLite by a LIMIT without effect, in PostgreSQL by
OFFSET 0; rows still pass one by one. DuckDB keeps projections apart as they are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from datetime import date, datetime
from typing import TYPE_CHECKING, Any, ClassVar

from deciban.choices import did_you_mean
from deciban.errors import ParameterError
from deciban.extras import need

__all__ = ["Expression", "Expressions", "Stages", "distinct_names", "expressions_for", "read_source"]


if TYPE_CHECKING:
    from sqlglot.expressions import Expr as Expression
    from sqlglot.expressions import Query, Select
else:
    Expression = object  # sqlglot is optional, and imported when a query is written

_LARGEST = 1.7976931348623157e308
_WIDTH = 24
"""The characters of the longest double, such as -1.2345678901234567e-100."""
_FEW = 8
"""So many numbers are branches of a CASE in SQLite, which is easier to read than a constant."""
# exp(−700) is 1e-304, near the least normal double: PostgreSQL raises an error where a result is too small.
_SMALLEST_EXPONENT = -700.0
"""exp of a smaller number is taken as 0 where it would be an error."""


class Expressions:
    """Builds expressions for DuckDB; the other dialects override what differs."""

    name: ClassVar[str] = "duckdb"
    greatest_name: ClassVar[str] = "GREATEST"
    least_name: ClassVar[str] = "LEAST"
    has_nan: ClassVar[bool] = True
    is_checked: ClassVar[bool] = False
    """True where arithmetic that is out of range is an error."""

    def __init__(self, purpose: str) -> None:
        self.exp: Any = need("sqlglot.expressions", "sql", purpose)

    # Values --------------------------------------------------------------------------------------------------------

    def number(self, value: float) -> Expression:
        """A double, with all of its digits."""
        if math.isinf(value):
            return self.infinite(value > 0)
        return self._signed(self._double(repr(abs(value))), value)

    def integer(self, value: int) -> Expression:
        return self._signed(self.exp.Literal.number(str(abs(value))), value)

    def text(self, value: str) -> Expression:
        return self.exp.Literal.string(value)

    def null(self) -> Expression:
        return self.exp.Null()

    def literal(self, value: Any) -> Expression:
        """A label as SQL writes it; an error for values that have no type in SQL."""
        # In this order, since a bool is an int, and a datetime a date.
        for kind, write in self._writers():
            if isinstance(value, kind):
                return write(value)
        raise ParameterError(f"{value!r} is a {type(value).__name__}, which cannot be written as a value in SQL.")

    def _writers(self) -> list[tuple[type, Callable[[Any], Expression]]]:
        return [
            (str, self.text),
            (bool, self.boolean),
            (int, self.integer),
            (float, self.number),
            (datetime, lambda value: self.moment(value.isoformat(sep=" "), "TIMESTAMP")),
            (date, lambda value: self.moment(value.isoformat(), "DATE")),
        ]

    def boolean(self, value: bool) -> Expression:
        return self.exp.Boolean(this=value)

    def moment(self, value: str, kind: str) -> Expression:
        """A date or a time."""
        return self.cast(self.text(value), kind)

    def infinite(self, is_positive: bool) -> Expression:
        return self.cast(self.text("Infinity" if is_positive else "-Infinity"), "DOUBLE")

    def column(self, name: str) -> Expression:
        return self.exp.column(name, quoted=True)

    def _double(self, digits: str) -> Expression:
        # Without an exponent DuckDB reads a DECIMAL, which it does not compute with as with doubles.
        return self.exp.Literal.number(digits if "e" in digits else f"{digits}e0")

    def _signed(self, written: Expression, value: float) -> Expression:
        # By the sign bit, since −0.0 is not below 0.
        return self.exp.Paren(this=self.exp.Neg(this=written)) if math.copysign(1.0, value) < 0 else written

    # Types ---------------------------------------------------------------------------------------------------------

    def cast(self, given: Expression, kind: str) -> Expression:
        return self.exp.Cast(this=given, to=self.exp.DataType.build(kind))

    def as_double(self, given: Callable[[], Expression]) -> Expression:
        """A number as a double; text that is no number is an error of the database, or infinity."""
        return self.cast(given(), "DOUBLE")

    def number_or_boolean(self, given: Callable[[], Expression]) -> Expression:
        """A number as a double, and a boolean as 0 or 1."""
        return self.as_double(given)

    def as_moment(self, given: Expression, kind: str) -> Expression:
        return self.cast(given, kind)

    def without_nan(self, given: Callable[[], Expression]) -> Expression:
        """A double, with NULL in place of NaN."""
        if not self.has_nan:
            return given()
        nan = self.cast(self.text("NaN"), "DOUBLE")
        return self.exp.Nullif(this=given(), expression=nan)

    def is_infinite(self, given: Callable[[], Expression]) -> Expression:
        """True for infinity; NULL for NULL."""
        low, high = self.number(-_LARGEST), self.number(_LARGEST)
        return self.exp.Not(this=self.exp.Between(this=given(), low=low, high=high))

    # Arithmetic ----------------------------------------------------------------------------------------------------

    def add(self, terms: Sequence[Expression]) -> Expression:
        """The sum; in pairs, so that long sums are not nested deeply."""
        return self._in_pairs(self.exp.Add, terms) if terms else self.number(0.0)

    def any_of(self, conditions: Sequence[Expression]) -> Expression:
        return self._in_pairs(self.exp.Or, conditions) if conditions else self.exp.false()

    def all_of(self, conditions: Sequence[Expression]) -> Expression:
        return self._in_pairs(self.exp.And, conditions) if conditions else self.exp.true()

    def _in_pairs(self, kind: Any, terms: Sequence[Expression]) -> Expression:
        if len(terms) == 1:
            return terms[0]
        middle = (len(terms) + 1) // 2
        return self.binary(kind, self._in_pairs(kind, terms[:middle]), self._in_pairs(kind, terms[middle:]))

    def binary(self, kind: Any, left: Expression, right: Expression) -> Expression:
        """A binary operation, in parentheses where an operand is one, too."""
        return kind(this=self._wrapped(left), expression=self._wrapped(right))

    def _wrapped(self, given: Expression) -> Expression:
        loose = (self.exp.Binary, self.exp.Between, self.exp.In, self.exp.Not)
        return self.exp.Paren(this=given) if isinstance(given, loose) else given

    def minus(self, left: Expression, right: Expression) -> Expression:
        return self.binary(self.exp.Sub, left, right)

    def times(self, left: Expression, right: Expression) -> Expression:
        return self.binary(self.exp.Mul, left, right)

    def divided(self, left: Expression, right: Expression) -> Expression:
        # Typed and not safe: sqlglot adds no cast, and no NULLIF around the divisor.
        return self.exp.Div(this=self._wrapped(left), expression=self._wrapped(right), typed=True, safe=False)

    def is_equal(self, left: Expression, right: Expression) -> Expression:
        return self.binary(self.exp.EQ, left, right)

    def is_less(self, left: Expression, right: Expression) -> Expression:
        return self.binary(self.exp.LT, left, right)

    def is_null(self, given: Expression) -> Expression:
        return self.exp.Is(this=self._wrapped(given), expression=self.exp.Null())

    def is_in(self, given: Expression, values: Iterable[Expression]) -> Expression:
        return self.exp.In(this=given, expressions=list(values))

    def function(self, name: str, *arguments: Expression) -> Expression:
        return self.exp.Anonymous(this=name, expressions=list(arguments))

    def greatest(self, values: Sequence[Expression]) -> Expression:
        return values[0] if len(values) == 1 else self.function(self.greatest_name, *values)

    def least(self, values: Sequence[Expression]) -> Expression:
        return self.function(self.least_name, *values)

    def coalesce(self, *values: Expression) -> Expression:
        return self.exp.Coalesce(this=values[0], expressions=list(values[1:]))

    def ln(self, given: Expression) -> Expression:
        return self.exp.Ln(this=given)

    def exponential(self, given: Callable[[], Expression]) -> Expression:
        """exp of a number that is not positive."""
        return self.exp.Exp(this=given())

    def absolute(self, given: Expression) -> Expression:
        return self.exp.Abs(this=given)

    def floor(self, given: Expression) -> Expression:
        return self.exp.Floor(this=given)

    # Choices -------------------------------------------------------------------------------------------------------

    def case(self, branches: Sequence[tuple[Expression, Expression]], otherwise: Expression) -> Expression:
        """The value of the first condition that holds."""
        ifs = [self.exp.If(this=condition, true=value) for condition, value in branches]
        return self.exp.Case(ifs=ifs, default=otherwise) if ifs else otherwise

    def match(
        self, given: Expression, branches: Sequence[tuple[Expression, Expression]], otherwise: Expression
    ) -> Expression:
        """The value of the first branch that equals the expression."""
        ifs = [self.exp.If(this=value, true=result) for value, result in branches]
        return self.exp.Case(this=given, ifs=ifs, default=otherwise) if ifs else otherwise

    def pick(self, index: Callable[[], Expression], values: Sequence[Expression]) -> Expression:
        """One of some expressions, by its index from 0; NULL where the index is NULL."""
        numbered = [(self.integer(k), value) for k, value in enumerate(values)]
        return self.match(index(), numbered, self.null())

    def below(self, given: Callable[[], Expression], cuts: Sequence[float], values: Sequence[Expression]) -> Expression:
        """The value of the range that a number is in, one more than cuts; a number at a cut is below it.

        By halving, so that it takes as many comparisons as the number of cuts has binary digits.
        """
        if not len(cuts):
            return values[0]
        middle = len(cuts) // 2
        is_below = self.binary(self.exp.LTE, given(), self.number(float(cuts[middle])))
        low = self.below(given, cuts[:middle], values[: middle + 1])
        return self.case([(is_below, low)], self.below(given, cuts[middle + 1 :], values[middle + 1 :]))

    def lookup(self, values: Sequence[float], index: Callable[[], Expression]) -> Expression:
        """One of some doubles, by its index from 0."""
        if len(set(values)) == 1:
            return self.number(float(values[0]))
        # One text that is cast, instead of thousands of nodes of sqlglot.
        listed = self.cast(self.text(f"[{', '.join(map(repr, map(float, values)))}]"), "DOUBLE[]")
        return self.function("LIST_EXTRACT", listed, self.binary(self.exp.Add, index(), self.integer(1)))


class _Postgres(Expressions):
    name = "postgres"
    is_checked = True

    def _double(self, digits: str) -> Expression:
        return self.cast(self.exp.Literal.number(digits), "DOUBLE")

    def number_or_boolean(self, given: Callable[[], Expression]) -> Expression:
        """By way of text: PostgreSQL does not cast booleans to doubles."""
        text = self.cast(given(), "TEXT")
        branches = [(self.text("true"), self.number(1.0)), (self.text("false"), self.number(0.0))]
        return self.match(text, branches, self.cast(self.cast(given(), "TEXT"), "DOUBLE"))

    def exponential(self, given: Callable[[], Expression]) -> Expression:
        is_small = self.is_less(given(), self.number(_SMALLEST_EXPONENT))
        return self.case([(is_small, self.number(0.0))], self.exp.Exp(this=given()))

    def lookup(self, values: Sequence[float], index: Callable[[], Expression]) -> Expression:
        if len(set(values)) == 1:
            return self.number(float(values[0]))
        written = ("Infinity" if v == math.inf else "-Infinity" if v == -math.inf else repr(float(v)) for v in values)
        listed = self.cast(self.text(f"{{{', '.join(written)}}}"), "DOUBLE[]")
        at = self.binary(self.exp.Add, index(), self.integer(1))
        return self.exp.Bracket(this=self.exp.Paren(this=listed), expressions=[at], offset=1)


class _SQLite(Expressions):
    name = "sqlite"
    greatest_name, least_name = "MAX", "MIN"
    has_nan = False

    def boolean(self, value: bool) -> Expression:
        return self.integer(int(value))

    def moment(self, value: str, kind: str) -> Expression:
        return self.text(value)

    def infinite(self, is_positive: bool) -> Expression:
        return self._signed(self.exp.Literal.number("9e999"), 1.0 if is_positive else -1.0)

    def as_double(self, given: Callable[[], Expression]) -> Expression:
        """SQLite casts any text to a number: text without a digit, or with a letter, becomes infinity instead."""
        is_text = self.is_equal(self.function("TYPEOF", given()), self.text("text"))
        has_digit = self.exp.Glob(this=given(), expression=self.text("*[0-9]*"))
        has_other = self.exp.Glob(this=given(), expression=self.text("*[^-+.0-9eE \t\n]*"))
        is_number = self.all_of([has_digit, self.exp.Not(this=self.exp.Paren(this=has_other))])
        is_wrong = self.all_of([is_text, self.exp.Not(this=self.exp.Paren(this=is_number))])
        return self.case([(is_wrong, self.infinite(True))], self.cast(given(), "DOUBLE"))

    def as_moment(self, given: Expression, kind: str) -> Expression:
        return self.cast(given, "TEXT")

    def lookup(self, values: Sequence[float], index: Callable[[], Expression]) -> Expression:
        """A piece of a constant: SQLite has no lists. Few values are branches of a CASE, which is easier to read."""
        numbers = list(map(float, values))
        if len(set(numbers)) == 1:
            return self.number(numbers[0])
        if len(numbers) <= _FEW:
            branches = [(self.integer(k), self.number(value)) for k, value in enumerate(numbers[:-1])]
            return self.match(index(), branches, self.number(numbers[-1]))
        written = ("9e999" if v == math.inf else "-9e999" if v == -math.inf else repr(v) for v in numbers)
        constant = self.exp.HexString(this="".join(digits.ljust(_WIDTH) for digits in written).encode().hex().upper())
        at = self.binary(self.exp.Add, self.times(index(), self.integer(_WIDTH)), self.integer(1))
        return self.cast(self.function("SUBSTR", constant, at, self.integer(_WIDTH)), "DOUBLE")


_DIALECTS: dict[str, type[Expressions]] = {
    "duckdb": Expressions,
    "postgres": _Postgres,
    "postgresql": _Postgres,
    "sqlite": _SQLite,
}


def expressions_for(dialect: str, purpose: str) -> Expressions:
    """The expressions of a dialect; `purpose` is what needs sqlglot, for the error where it is not installed."""
    kind = _DIALECTS.get(dialect.lower()) if isinstance(dialect, str) else None
    if kind is None:
        names = ", ".join(map(repr, _DIALECTS))
        raise ParameterError(f"dialect is one of {names}, not {dialect!r}.{did_you_mean(dialect, _DIALECTS)}")
    return kind(purpose)


class Stages:
    """The stages so far; `name` is that of the last one, and `columns` are its columns."""

    def __init__(self, sql: Expressions, source: Expression) -> None:
        self.sql, self.name = sql, "source"
        self.columns: tuple[str, ...] = ()
        self._source: Expression | None = source
        self._parts: list[Expression] = []

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
        self.add(name or f"stage_{len(self._parts)}", query)
        self.columns = tuple(alias for alias, _ in columns)

    def add(self, name: str, query: Query, *, is_shared: bool = False) -> None:
        """Add a stage that is any query; one that several stages read is computed once."""
        # LIMIT and OFFSET without effect: what stands behind them is not merged into the query around.
        if not is_shared and self.sql.name == "postgres":
            query = query.offset(0, copy=False)
        elif not is_shared and self.sql.name == "sqlite":
            query = query.limit(-1, copy=False)
        alias = self.sql.exp.TableAlias(this=self.sql.exp.to_identifier(name))
        self._parts.append(self.sql.exp.CTE(this=query, alias=alias, **({"materialized": True} if is_shared else {})))
        self.name = name

    def table(self, name: str, columns: Sequence[str], rows: Sequence[Sequence[Expression]]) -> None:
        """Add a constant table that later stages can join."""
        exp = self.sql.exp
        values = exp.Values(expressions=[exp.Tuple(expressions=list(row)) for row in rows])
        alias = exp.TableAlias(this=exp.to_identifier(name), columns=[exp.to_identifier(each) for each in columns])
        self._parts.append(exp.CTE(this=values, alias=alias))

    def final(self, columns: Sequence[tuple[str, Expression]]) -> str:
        """The whole query, which selects these columns of the last stage, as text."""
        exp, query = self.sql.exp, self._query(columns)
        query.set("with_" if "with_" in exp.Select.arg_types else "with", exp.With(expressions=self._parts))
        return str(query.sql(self.sql.name, pretty=True, copy=False))

    def keep(self, names: Sequence[str]) -> list[tuple[str, Expression]]:
        """Columns that pass through."""
        return [(name, self.sql.column(name)) for name in names]

    def _query(self, columns: Sequence[tuple[str, Expression]]) -> Select:
        exp = self.sql.exp
        query: Select = exp.Select(
            expressions=[exp.alias_(value, name, quoted=True, copy=False) for name, value in columns] or [exp.Star()]
        )
        source = exp.to_table(self.name) if self._source is None else self._source
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
    # sqlglot has renamed the argument "from" to "from_"; both are read.
    source: Any = parsed.args["from_" if "from_" in parsed.args else "from"].this
    is_plain = (
        isinstance(source, exp.Table) and isinstance(source.this, exp.Identifier) and not source.args.get("alias")
    )
    is_query = isinstance(source, exp.Subquery) and isinstance(source.this, exp.Query) and bool(source.this.selects)
    rest = [name for name in ("joins", "where", "laterals", "group", "limit", "order") if parsed.args.get(name)]
    if len(statements) > 1 or rest or source.args.get("joins") or not (is_plain or is_query):
        raise wrong
    return source


def _as_operand(table: str) -> str:
    is_query = table.strip().split(None, 1)[0].upper() in ("SELECT", "WITH", "FROM", "VALUES")
    return f"({table.strip().rstrip(';')}) AS source_rows" if is_query else table


def distinct_names(names: Sequence[str]) -> list[str]:
    """The names, with _2, _3 and so on where one occurred before; case does not distinguish names in SQL.

    >>> distinct_names(["p_a", "p_A", "p_b"])
    ['p_a', 'p_A_2', 'p_b']
    """
    distinct: dict[str, str] = {}
    for name in names:
        made, k = name, 1
        while made.lower() in distinct:
            k += 1
            made = f"{name}_{k}"
        distinct[made.lower()] = made
    return list(distinct.values())
