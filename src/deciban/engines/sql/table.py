"""A table or query in a database: its columns, and how often combinations of their values occur.

Floats and decimals are numbers, of which moments are taken; whole numbers, text, booleans and dates are labels, which
are counted. As in memory, the type of a column decides, not its values. A column of SQLite may hold values of any
type: its declared type decides where the source is a table, and the values must agree with it; in a query the types of
all values decide. In databases of other dialects than DuckDB, PostgreSQL and SQLite, the type of the least value does.

The text of a user is parsed, and stands in the FROM of every query that counts it. Only a name, a call of a table
function or one SELECT passes: nothing that changes the database. All names go into queries as quoted identifiers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from deciban.choices import did_you_mean
from deciban.engines.sql.classes import Classes, Sums, changed, class_sums
from deciban.engines.sql.database import (
    WIDEST,
    Database,
    as_double,
    call,
    column,
    expressions,
    in_parts,
    is_nan,
    mean_of,
    open_database,
    total,
)
from deciban.engines.sql.sets import SetCounts, Weights, count_sets
from deciban.errors import ColumnMismatchError, InputError, ParameterError, SourceError
from deciban.extras import need
from deciban.tallies import Part, Tally
from deciban.types import Floats

if TYPE_CHECKING:
    from sqlglot.expressions import Expr

__all__ = ["CrossSums", "DatabaseTable", "describe", "parse_source", "tally_database"]


_INFINITE = -1
"""The bin of infinite numbers, which are an error."""

_ROUNDING = 1e-9


_SAMPLED = 1000
"""The number of rows whose mean is the shift."""


@dataclass(frozen=True, eq=False)
class CrossSums:
    """For each combination of values of some keys: Σw, each Σ w·d_i, each Σ w·d_i·d_j with j ≤ i; d = x − shift."""

    values: tuple[list[Any], ...]
    shifts: Floats
    sums: Floats


@dataclass(frozen=True)
class DatabaseTable:
    """Rows that stay where they are."""

    database: Database
    source: Expr
    description: Description
    weights: Weights

    @classmethod
    def of(
        cls, data: Any, query: str | None = None, *, sample_weight: Any = None, dialect: str | None = None
    ) -> DatabaseTable:
        """Find the columns of a table or query; `sample_weight` is the name of one."""
        if sample_weight is not None and not isinstance(sample_weight, str):
            raise ParameterError("sample_weight is the name of a column where the table is in a database.")
        database, text = open_database(data, query, dialect)
        source = parse_source(text, database.dialect)
        table = cls(database, source, describe(database, source), Weights(sample_weight))
        table.description.check(*table.weights.names)
        table.weights.check(database, source)
        return table

    @property
    def names(self) -> tuple[str, ...]:
        """The columns, but that of the weights."""
        return tuple(name for name in self.description.kinds if name not in self.weights.names)

    def is_number(self, name: str) -> bool:
        """True for floats and decimals."""
        return self.description.kinds[name] == "number"

    def sums(self, target: str, names: Sequence[str] = ()) -> tuple[Classes, dict[str, Sums]]:
        """The classes of the target, and the sums of columns of numbers within each."""
        self.description.check(target, *names)
        return class_sums(self.database, self.source, target, names, self.weights)

    def count(
        self, sets: Sequence[tuple[str, ...]], cuts: Mapping[str, Sequence[float]] | None = None
    ) -> list[SetCounts]:
        """Count the combinations of values of each set of columns; a column with cuts by its bins 0, 1, ….

        A number at a cut is below it; that of a missing value is None.
        """
        cuts = cuts or {}
        names = dict.fromkeys(name for each in sets for name in each)
        self.description.check(*names)
        keys = {name: self._bin(name, cuts[name]) if name in cuts else column(name) for name in names}
        types = {**self.description.types, **dict.fromkeys(cuts, "integer")}
        counts = count_sets(self.database, self.source, keys, sets, self.weights, types)
        for names_of_set, of_set in zip(sets, counts, strict=True):
            for name, values in zip(names_of_set, of_set.values, strict=True):
                if name in cuts and _INFINITE in values:
                    raise InputError(f"Input X contains infinity or a value too large for float64: column {name!r}.")
        # Each set has every row, so different sums mean that rows were written between two queries.
        totals = [of_set.counts.sum() for of_set in counts]
        if totals and np.ptp(totals) > (0 if self.weights.name is None else _ROUNDING * max(totals)):
            raise changed()
        return counts

    def total(self) -> float | int:
        """The number of rows, or the sum of their weights."""
        asked = expressions().select(self.weights.total).from_(self.source.copy())
        if self.weights.is_counted is not None:
            asked = asked.where(self.weights.is_counted)
        ((found,),) = self.database.rows(asked)
        if not found:
            raise SourceError("the table or query has no rows: there is nothing to count.")
        return int(found) if self.weights.name is None else float(found)

    def different(self, names: Sequence[str]) -> dict[str, tuple[int, int]]:
        """For each column of numbers how many different ones it has, and how many rows have none."""
        self.description.check(*names)
        exp = expressions()
        out: dict[str, tuple[int, int]] = {}
        for part in in_parts(names, WIDEST):
            cells = []
            for name in part:
                number = self._known(name)
                distinct = exp.Count(this=exp.Distinct(expressions=[number]))
                cells += [distinct, exp.Count(this=exp.Star()) - exp.Count(this=number.copy())]
            asked = exp.select(*cells).from_(self.source.copy())
            if self.weights.is_counted is not None:
                asked = asked.where(self.weights.is_counted)
            (row,) = self.database.rows(asked)
            out |= {name: (int(row[2 * i]), int(row[2 * i + 1])) for i, name in enumerate(part)}
        return out

    def cross_sums(self, keys: Sequence[str], names: Sequence[str]) -> CrossSums:
        """Sums and products of columns of numbers for each combination of values of the keys.

        A row counts where all of them are known.
        """
        self.description.check(*keys, *names)
        exp = expressions()
        held = [exp.alias_(self._known(name), f"x{i}", quoted=True) for i, name in enumerate(names)]
        held += [exp.alias_(column(name), f"k{i}", quoted=True) for i, name in enumerate(keys)]
        weight = as_double(1.0) if self.weights.name is None else as_double(column(self.weights.name))
        inner = exp.select(*held, exp.alias_(weight, "w", quoted=True)).from_(self.source.copy())
        if self.weights.is_counted is not None:
            inner = inner.where(self.weights.is_counted)
        is_known = [
            exp.not_(column(name).is_(exp.null()))
            for name in (*(f"x{i}" for i in range(len(names))), *(f"k{i}" for i in range(len(keys))))
        ]
        whole = exp.select("*").from_(inner.subquery("q")).where(*is_known)
        means = [mean_of(column(f"x{i}")) for i in range(len(names))]
        (row,) = self.database.rows(exp.select(*means).from_(whole.copy().limit(_SAMPLED).subquery("q")))
        shifts = [float(mean) if mean is not None and np.isfinite(mean) else 0.0 for mean in row]
        w, d = column("w"), [exp.paren(column(f"x{i}") - as_double(shift)) for i, shift in enumerate(shifts)]
        terms = [w, *(w.copy() * each.copy() for each in d)]
        terms += [w.copy() * d[i].copy() * d[j].copy() for i in range(len(d)) for j in range(i + 1)]
        group = [column(f"k{i}") for i in range(len(keys))]
        cells = [total(term.copy(), self.database.dialect) for term in terms]
        asked = exp.select(*group, *cells).from_(whole.subquery("q"))
        if group:
            asked = asked.group_by(*(each.copy() for each in group))
        rows = [row for row in self.database.rows(asked) if row[len(keys)] is not None]
        sums = np.array([row[len(keys) :] for row in rows], dtype=np.float64).reshape(len(rows), len(terms))
        if not np.isfinite(sums).all():
            raise InputError(f"Input X contains infinity or a value too large for float64: one of {', '.join(names)}.")
        return CrossSums(tuple([row[i] for row in rows] for i in range(len(keys))), np.array(shifts), sums)

    def _known(self, name: str) -> Expr:
        """A number, and NULL where it is NaN."""
        exp = expressions()
        number = as_double(column(name))
        missing = is_nan(number.copy(), self.database.dialect)
        return number if missing is None else exp.case().when(missing, exp.null()).else_(number)

    def _bin(self, name: str, cuts: Sequence[float]) -> Expr:
        exp = expressions()
        number = as_double(column(name))
        missing = [
            condition for condition in (number.is_(exp.null()), is_nan(number, self.database.dialect)) if condition
        ]
        case = exp.case().when(exp.or_(*missing), exp.null())
        case = case.when(number.is_(exp.null()).not_().and_(self._is_infinite(number)), exp.convert(_INFINITE))
        for i, cut in enumerate(cuts):
            case = case.when(number <= as_double(float(cut)), exp.convert(i))
        return case.else_(exp.convert(len(cuts)))

    def _is_infinite(self, number: Expr) -> Expr:
        largest = as_double(float(np.finfo(np.float64).max))
        return expressions().or_(number > largest, number < -largest)


Kind = Literal["number", "label"]

_FRACTIONS = re.compile(r"(FLOAT\d*|DOUBLE( PRECISION)?|REAL|(DECIMAL|NUMERIC)(\(.*\))?)", re.IGNORECASE)


@dataclass(frozen=True)
class Description:
    """The kind of each column, and the type of its values as the database names it."""

    kinds: Mapping[str, Kind]
    types: Mapping[str, str]

    def check(self, *names: str) -> None:
        """Refuse a name that is no column."""
        for name in names:
            if name not in self.kinds:
                raise ColumnMismatchError(f"there is no column {name!r}.{did_you_mean(name, self.kinds)}")


def describe(database: Database, source: Expr) -> Description:
    """Find the columns of a source."""
    exp = expressions()
    names = database.names(exp.select("*").from_(source).limit(0))
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise ColumnMismatchError(f"two columns of the query are named {repeated[0]!r}. Rename one of them (AS).")
    return _DESCRIBED.get(database.dialect, _by_least_value)(database, source, names)


def _of_duckdb(database: Database, source: Expr, names: tuple[str, ...]) -> Description:
    return _by_type(database, source, names, lambda name: call("typeof", column(name, "s")))


def _of_postgres(database: Database, source: Expr, names: tuple[str, ...]) -> Description:
    return _by_type(database, source, names, lambda name: expressions().cast(_base_type(name), "text"))


def _by_type(database: Database, source: Expr, names: tuple[str, ...], type_of: Callable[[str], Expr]) -> Description:
    """The types of the columns, from one row without values: no row of the source is computed for it."""
    exp = expressions()
    # Joined from the left to one row, since a SELECT over no rows would return none, and no types.
    nothing = exp.select("*").from_(source).limit(0).subquery("s")
    types: dict[str, str] = {}
    for part in in_parts(names, WIDEST):
        asked = exp.select(*map(type_of, part)).from_(exp.select(exp.alias_(exp.convert(1), "n")).subquery("one"))
        (row,) = database.rows(asked.join(nothing.copy(), on=exp.true(), join_type="left"))
        types |= dict(zip(part, map(str, row), strict=True))
    return Description({name: _kind_of_type(held) for name, held in types.items()}, types)


def _base_type(name: str) -> Expr:
    """The type of a column of PostgreSQL; of a domain, the type below it."""
    exp = expressions()
    own, base = column("oid", "pg_type"), column("typbasetype", "pg_type")
    settled = exp.case().when(base.eq(0), own).else_(base)
    query = exp.select(call("format_type", settled, exp.null())).from_("pg_type")
    return exp.Subquery(this=query.where(own.eq(call("pg_typeof", column(name, "s")))))


def _kind_of_type(declared: str) -> Kind:
    """Numbers are floats and decimals.

    >>> (
    ...     _kind_of_type("DECIMAL(10,2)"),
    ...     _kind_of_type("double precision"),
    ...     _kind_of_type("DOUBLE[]"),
    ... )
    ('number', 'number', 'label')
    """
    return "number" if _FRACTIONS.fullmatch(declared) else "label"


# SQLite ------------------------------------------------------------------------------------------------------------


def _of_sqlite(database: Database, source: Expr, names: tuple[str, ...]) -> Description:
    declared = _declared(database, source)
    stored: dict[str, set[str]] = {}
    for part in in_parts(names, WIDEST):
        stored |= _stored(database, source, part)
    kinds = {name: _kind_in_sqlite(name, declared.get(name, ""), stored[name]) for name in names}
    types = {name: "real" if kind == "number" else min(stored[name], default="text") for name, kind in kinds.items()}
    return Description(kinds, types)


def _declared(database: Database, source: Expr) -> dict[str, str]:
    """The declared types of the columns of a table; nothing of a query."""
    exp = expressions()
    if not isinstance(source, exp.Table) or not isinstance(source.this, exp.Identifier):
        return {}
    place = [exp.Literal.string(part) for part in (source.name, source.db) if part]
    query = exp.select("name", "type").from_(exp.Table(this=call("pragma_table_info", *place)))
    return {str(name): str(kind).upper() for name, kind in database.rows(query)}


def _stored(database: Database, source: Expr, names: Sequence[str]) -> dict[str, set[str]]:
    """The first and the last of the types that a column's values have, in alphabetical order."""
    exp = expressions()
    # Two ends instead of all types: more than one type is an error, so the least and the greatest tell enough.
    types = [exp.case().when(column(name).is_(exp.null()).not_(), call("typeof", column(name))) for name in names]
    ends = [end for kind in types for end in (exp.Min(this=kind), exp.Max(this=kind.copy()))]
    (row,) = database.rows(exp.select(*ends).from_(source))
    return {name: {row[2 * i], row[2 * i + 1]} - {None} for i, name in enumerate(names)}


def _kind_in_sqlite(name: str, declared: str, stored: set[str]) -> Kind:
    # The rules of SQLite's column affinity: INT anywhere in the declared type makes integers, and is asked first.
    is_fraction = "INT" not in declared and any(part in declared for part in ("REAL", "FLOA", "DOUB", "DEC", "NUM"))
    if stored <= {"integer", "real"}:
        if "INT" in declared and "real" in stored:
            raise SourceError(f"column {name!r} is declared {declared} and holds fractions. CAST it in a query.")
        return "number" if is_fraction or "real" in stored else "label"
    if len(stored) > 1 or is_fraction:
        types = " and ".join(sorted(stored | ({"numbers"} if is_fraction else set())))
        raise SourceError(f"column {name!r} holds values of several types: {types}. CAST it to one type in a query.")
    return "label"


# Others ------------------------------------------------------------------------------------------------------------


def _by_least_value(database: Database, source: Expr, names: tuple[str, ...]) -> Description:
    exp = expressions()
    least: dict[str, Any] = {}
    for part in in_parts(names, WIDEST):
        (row,) = database.rows(exp.select(*(exp.Min(this=column(name)) for name in part)).from_(source))
        least |= dict(zip(part, row, strict=True))
    kinds: dict[str, Kind] = {
        name: "number" if isinstance(value, float | Decimal) else "label" for name, value in least.items()
    }
    return Description(kinds, {name: f"that of {name}" for name in names})


_DESCRIBED: Mapping[str, Callable[[Database, Expr, tuple[str, ...]], Description]] = {
    "duckdb": _of_duckdb,
    "postgres": _of_postgres,
    "sqlite": _of_sqlite,
}


def parse_source(text: str, dialect: str) -> Expr:
    """A table or a subquery, as sqlglot holds it.

    >>> parse_source("main.people", "duckdb").sql("duckdb")
    'main.people'
    >>> parse_source("SELECT age FROM people WHERE age > 17;", "sqlite").sql("sqlite")
    '(SELECT age FROM people WHERE age > 17) AS deciban_source'
    """
    exp, statement = expressions(), _only_statement(text, dialect)
    if isinstance(statement, exp.Query):
        _check_reads(statement, text)
        query = statement.unnest() if isinstance(statement, exp.Subquery) else statement
        return query.subquery("deciban_source")
    table = _table(text, dialect)
    if table is None:
        raise ParameterError(
            f"{_short(text)} is neither the name of a table nor a SELECT statement. A name with spaces or signs needs "
            'the quotes of the dialect, like "my table".'
        )
    return table


def _only_statement(text: str, dialect: str) -> Expr | None:
    """The only statement of the text; None where it is not a statement by itself."""
    sqlglot = need("sqlglot", "sql", "counting in a database")
    try:
        statements = [statement for statement in sqlglot.parse(text, dialect=dialect) if statement is not None]
    except sqlglot.errors.SqlglotError:
        return None
    if len(statements) > 1:
        raise ParameterError(
            f"query holds {len(statements)} statements, and one table or SELECT is counted: {_short(text)}"
        )
    return statements[0] if statements else None


def _check_reads(query: Expr, text: str) -> None:
    """Refuse a query that changes anything: a SELECT may have an INSERT in a WITH, or an INTO."""
    exp = expressions()
    changes = (exp.DML, exp.DDL, exp.Command, exp.Into, exp.Copy, exp.Drop, exp.Alter)
    for node in query.walk():
        if isinstance(node, changes):
            raise ParameterError(f"query must only read, and it holds {type(node).__name__.upper()}: {_short(text)}")


def _table(text: str, dialect: str) -> Expr | None:
    """The table where the text names one, or calls a function that gives one; else None."""
    sqlglot = need("sqlglot", "sql", "counting in a database")
    try:
        query = sqlglot.parse_one("SELECT * FROM " + text, dialect=dialect)  # noqa: S608  parsed, never run as it is
    except sqlglot.errors.SqlglotError:
        return None
    # Nothing behind the name: the query must be equal to one that is built from the table alone.
    table: Expr | None = query.find(sqlglot.exp.Table)
    is_plain = table is not None and not table.alias and query == sqlglot.select("*").from_(table)
    return table if is_plain else None


def _short(text: str) -> str:
    line = " ".join(text.split())
    return repr(line if len(line) <= 100 else f"{line[:97]}...")


def tally_database(
    data: Any, query: str | None, *, target: str, sample_weight: Any = None, dialect: str | None = None
) -> Tally:
    """Count a table or query by a few queries; `sample_weight` is the name of a column."""
    table = DatabaseTable.of(data, query, sample_weight=sample_weight, dialect=dialect)
    names = [name for name in table.names if name != target]
    labels = [name for name in names if not table.is_number(name)]
    classes, sums = table.sums(target, [name for name in names if table.is_number(name)])
    counts = table.count([(target, name) for name in labels])
    parts: dict[str, Part] = {name: column_sums.moments(name, classes.order) for name, column_sums in sums.items()}
    parts |= {name: classes.count(name, of_label) for name, of_label in zip(labels, counts, strict=True)}
    return classes.tally(*(parts[name] for name in names))
