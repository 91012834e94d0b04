"""The columns of a table or query: their names, and whether each holds numbers or labels.

Floats and decimals are numbers, of which moments are taken; whole numbers, text, booleans and dates are labels, which
are counted. As in memory, the type of a column decides, not its values. A column of SQLite may hold values of any
type: its declared type decides where the source is a table, and the values must agree with it; in a query the types of
all values decide. In databases of other dialects than DuckDB, PostgreSQL and SQLite, the type of the least value does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

from deciban.engines.sql.database import Database
from deciban.engines.sql.dialects import WIDEST, call, column, expressions, in_parts
from deciban.errors import ColumnMismatchError, SourceError
from deciban.suggest import did_you_mean

__all__ = ["Description", "describe"]

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


def describe(database: Database, source: Any) -> Description:
    """Find the columns of a source."""
    exp = expressions()
    names = database.names(exp.select("*").from_(source).limit(0))
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise ColumnMismatchError(f"two columns of the query are named {repeated[0]!r}. Rename one of them (AS).")
    return _DESCRIBED.get(database.dialect, _by_least_value)(database, source, names)


def _of_duckdb(database: Database, source: Any, names: tuple[str, ...]) -> Description:
    return _by_type(database, source, names, lambda name: call("typeof", column(name, "s")))


def _of_postgres(database: Database, source: Any, names: tuple[str, ...]) -> Description:
    return _by_type(database, source, names, lambda name: expressions().cast(_base_type(name), "text"))


def _by_type(database: Database, source: Any, names: tuple[str, ...], type_of: Callable[[str], Any]) -> Description:
    """The types of the columns, from one row without values: no row of the source is computed for it."""
    exp = expressions()
    nothing = exp.select("*").from_(source).limit(0).subquery("s")
    types: dict[str, str] = {}
    for part in in_parts(names, WIDEST):
        asked = exp.select(*map(type_of, part)).from_(exp.select(exp.alias_(exp.convert(1), "n")).subquery("one"))
        (row,) = database.rows(asked.join(nothing.copy(), on=exp.true(), join_type="left"))
        types |= dict(zip(part, map(str, row), strict=True))
    return Description({name: _kind_of_type(held) for name, held in types.items()}, types)


def _base_type(name: str) -> Any:
    """The type of a column of PostgreSQL; of a domain, the type below it."""
    exp = expressions()
    own, base = column("oid", "pg_type"), column("typbasetype", "pg_type")
    settled = exp.case().when(base.eq(0), own).else_(base)
    found = exp.select(call("format_type", settled, exp.null())).from_("pg_type")
    return exp.Subquery(this=found.where(own.eq(call("pg_typeof", column(name, "s")))))


def _kind_of_type(held: str) -> Kind:
    """Numbers are floats and decimals.

    >>> (
    ...     _kind_of_type("DECIMAL(10,2)"),
    ...     _kind_of_type("double precision"),
    ...     _kind_of_type("DOUBLE[]"),
    ... )
    ('number', 'number', 'label')
    """
    return "number" if _FRACTIONS.fullmatch(held) else "label"


# SQLite ------------------------------------------------------------------------------------------------------------


def _of_sqlite(database: Database, source: Any, names: tuple[str, ...]) -> Description:
    declared = _declared(database, source)
    stored: dict[str, set[str]] = {}
    for part in in_parts(names, WIDEST):
        stored |= _stored(database, source, part)
    kinds = {name: _kind_in_sqlite(name, declared.get(name, ""), stored[name]) for name in names}
    types = {name: "real" if kind == "number" else min(stored[name], default="text") for name, kind in kinds.items()}
    return Description(kinds, types)


def _declared(database: Database, source: Any) -> dict[str, str]:
    """The declared types of the columns of a table; nothing of a query."""
    exp = expressions()
    if not isinstance(source, exp.Table) or not isinstance(source.this, exp.Identifier):
        return {}
    place = [exp.Literal.string(part) for part in (source.name, source.db) if part]
    found = exp.select("name", "type").from_(exp.Table(this=call("pragma_table_info", *place)))
    return {str(name): str(held).upper() for name, held in database.rows(found)}


def _stored(database: Database, source: Any, names: Any) -> dict[str, set[str]]:
    """The first and the last of the types that a column's values have, in alphabetical order."""
    exp = expressions()
    types = [exp.case().when(column(name).is_(exp.null()).not_(), call("typeof", column(name))) for name in names]
    ends = [end for held in types for end in (exp.Min(this=held), exp.Max(this=held.copy()))]
    (row,) = database.rows(exp.select(*ends).from_(source))
    return {name: {row[2 * i], row[2 * i + 1]} - {None} for i, name in enumerate(names)}


def _kind_in_sqlite(name: str, declared: str, stored: set[str]) -> Kind:
    is_fraction = "INT" not in declared and any(part in declared for part in ("REAL", "FLOA", "DOUB", "DEC", "NUM"))
    if stored <= {"integer", "real"}:
        if "INT" in declared and "real" in stored:
            raise SourceError(f"column {name!r} is declared {declared} and holds fractions. CAST it in a query.")
        return "number" if is_fraction or "real" in stored else "label"
    if len(stored) > 1 or is_fraction:
        found = " and ".join(sorted(stored | ({"numbers"} if is_fraction else set())))
        raise SourceError(f"column {name!r} holds values of several types: {found}. CAST it to one type in a query.")
    return "label"


# Others ------------------------------------------------------------------------------------------------------------


def _by_least_value(database: Database, source: Any, names: tuple[str, ...]) -> Description:
    exp = expressions()
    least: dict[str, Any] = {}
    for part in in_parts(names, WIDEST):
        (row,) = database.rows(exp.select(*(exp.Min(this=column(name)) for name in part)).from_(source))
        least |= dict(zip(part, row, strict=True))
    kinds: dict[str, Kind] = {
        name: "number" if isinstance(value, float | Decimal) else "label" for name, value in least.items()
    }
    return Description(kinds, {name: f"that of {name}" for name in names})


_DESCRIBED: Mapping[str, Callable[[Database, Any, tuple[str, ...]], Description]] = {
    "duckdb": _of_duckdb,
    "postgres": _of_postgres,
    "sqlite": _of_sqlite,
}
