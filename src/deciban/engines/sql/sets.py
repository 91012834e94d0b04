"""Counts of the combinations of values of sets of columns: all sets in a few queries.

    SELECT a, b, GROUPING(a, b), COUNT(*) FROM … GROUP BY GROUPING SETS ((a), (a, b))

The database reads its rows once for many sets. Where it has no grouping sets, as SQLite, or is faster without them, as
PostgreSQL is for a table, one query joins a GROUP BY a set with UNION ALL. What comes back has a row for each
combination that occurs, missing values (NULL) included.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from deciban.engines.sql.database import (
    Database,
    Row,
    as_double,
    call,
    column,
    expressions,
    has_grouping_sets,
    in_parts,
)
from deciban.errors import InputError, TooLargeError
from deciban.limits import VARIABLE, memory_limit
from deciban.read import check_not_huge
from deciban.types import AnyArray

if TYPE_CHECKING:
    from sqlglot.expressions import Expr, Query, Select

__all__ = ["SetCounts", "Weights", "count_sets", "limited_rows"]

_GROUP = 1 << 10
"""The bytes that one combination of values takes on its way here."""

_MOST_KEYS = 30
"""The most columns of one query: GROUPING has fewer than 32 arguments in PostgreSQL."""

_MOST_SETS = 100
"""The most sets of one query: SQLite joins at most 500."""

Set = tuple[str, ...]
"""The keys of a set."""


@dataclass(frozen=True)
class Weights:
    """The column of the weights, or None: what a row counts for."""

    name: str | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns that hold weights."""
        return () if self.name is None else (self.name,)

    @property
    def total(self) -> Expr:
        """The number of rows, or the sum of their weights."""
        exp = expressions()
        return exp.Count(this=exp.Star()) if self.name is None else exp.Sum(this=as_double(column(self.name)))

    @property
    def is_counted(self) -> Expr | None:
        """Which rows count: those of a positive weight; None for all."""
        return None if self.name is None else column(self.name) > 0

    def check(self, database: Database, source: Expr) -> None:
        """Refuse weights that are negative, missing or infinite."""
        if self.name is None:
            return
        exp = expressions()
        weight = as_double(column(self.name))
        parts = [exp.Count(this=exp.Star()), exp.Count(this=weight), exp.Min(this=weight), exp.Max(this=weight)]
        # Copies, since a node of sqlglot has one parent.
        (rows, known, least, largest), *_ = database.rows(exp.select(*(part.copy() for part in parts)).from_(source))
        if not rows:
            return
        if known < rows or not np.isfinite([least, largest]).all():
            raise InputError("Input sample_weight contains NaN or infinity.")
        check_not_huge(largest, "")
        if least < 0:
            raise InputError(f"Negative values in data passed to `sample_weight`: {least:g}.")


@dataclass(frozen=True)
class SetCounts:
    """The combinations of values of a set of columns: for each column a list of values, and how often each occurs."""

    values: tuple[list[Any], ...]
    counts: AnyArray


def count_sets(
    database: Database,
    source: Expr,
    keys: Mapping[str, Expr],
    sets: Sequence[Set],
    weights: Weights,
    types: Mapping[str, str],
) -> list[SetCounts]:
    """Count the combinations of values of each set.

    A set is given by its keys, and `keys` has for each an expression, such as a column or the bin of a number. `types`
    are those of their values, as the database names them: values of one type may share a column of results.
    """
    counts: dict[Set, SetCounts] = {}
    whole = dict.fromkeys(sets)
    if has_grouping_sets(database.dialect, source):
        for part in _few_keys(whole):
            counts |= _by_grouping_sets(database, source, keys, part, weights)
    else:
        for part in _alike(whole, types):
            counts |= _by_union(database, source, keys, part, weights)
    return [counts[each] for each in sets]


def _few_keys(sets: Mapping[Set, None]) -> Iterator[Sequence[Set]]:
    """The sets in lists that have few keys together."""
    part: list[Set] = []
    for each in sets:
        if part and (len(set().union(*part, each)) > _MOST_KEYS or len(part) == _MOST_SETS):
            yield part
            part = []
        part.append(each)
    if part:
        yield part


def _alike(sets: Mapping[Set, None], types: Mapping[str, str]) -> Iterator[Sequence[Set]]:
    """The sets in lists that have values of the same types."""
    groups: dict[tuple[str, ...], list[Set]] = {}
    for each in sets:
        groups.setdefault(tuple(types[key] for key in each), []).append(each)
    for group in groups.values():
        yield from in_parts(group, _MOST_SETS)


def _by_grouping_sets(
    database: Database, source: Expr, keys: Mapping[str, Expr], sets: Sequence[Set], weights: Weights
) -> dict[Set, SetCounts]:
    exp = expressions()
    used = list(dict.fromkeys(key for each in sets for key in each))
    names = {key: f"k{i}" for i, key in enumerate(used)}
    inner = _inner(source, {names[key]: keys[key] for key in used}, weights)
    groups = exp.GroupingSets(expressions=[exp.Tuple(expressions=[column(names[k]) for k in each]) for each in sets])
    columns = [column(names[key]) for key in used]
    query = exp.select(*columns, call("GROUPING", *columns), _total(weights)).from_(inner.subquery("t"))
    query.set("group", exp.Group(grouping_sets=[groups]))
    rows = limited_rows(database, query, lambda row: _names_of(int(row[-2]), used))
    index = {key: i for i, key in enumerate(used)}
    by_set = _by_mark(rows)
    return {each: _counted(by_set.get(_mask(each, used), []), [index[key] for key in each]) for each in sets}


def _mask(keys: Set, used: Sequence[str]) -> int:
    """The value of GROUPING for a set: a bit for each key that is not in it, the first key's the highest."""
    return sum(1 << (len(used) - 1 - i) for i, key in enumerate(used) if key not in keys)


def _names_of(mask: int, used: Sequence[str]) -> Set:
    return tuple(key for i, key in enumerate(used) if not mask >> (len(used) - 1 - i) & 1)


def _by_union(
    database: Database, source: Expr, keys: Mapping[str, Expr], sets: Sequence[Set], weights: Weights
) -> dict[Set, SetCounts]:
    exp = expressions()
    query: Query | None = None
    for index, each in enumerate(sets):
        names = [f"k{i}" for i in range(len(each))]
        inner = _inner(source, {name: keys[key] for name, key in zip(names, each, strict=True)}, weights)
        columns = [column(name) for name in names]
        one = exp.select(*columns, exp.alias_(exp.convert(index), "s"), exp.alias_(_total(weights), "n"))
        one = one.from_(inner.subquery("t")).group_by(*columns)
        query = one if query is None else query.union(one, distinct=False)
    if query is None:
        return {}
    by_set = _by_mark(limited_rows(database, query, lambda row: sets[int(row[-2])]))
    return {each: _counted(by_set.get(i, []), range(len(each))) for i, each in enumerate(sets)}


def _by_mark(rows: list[Row]) -> dict[int, list[Row]]:
    """The rows of each set, which the last but one of their values marks."""
    by_mark: dict[int, list[Row]] = {}
    for row in rows:
        by_mark.setdefault(int(row[-2]), []).append(row)
    return by_mark


def _inner(source: Expr, named: Mapping[str, Expr], weights: Weights) -> Select:
    """The columns that are counted, under names of their own."""
    exp = expressions()
    chosen = [exp.alias_(value.copy(), name, quoted=True) for name, value in named.items()]
    if weights.name is not None:
        chosen.append(exp.alias_(as_double(column(weights.name)), "w", quoted=True))
    query: Select = exp.select(*chosen).from_(source)
    is_counted = weights.is_counted
    return query if is_counted is None else query.where(is_counted)


def _total(weights: Weights) -> Expr:
    return Weights("w" if weights.name is not None else None).total


def limited_rows(database: Database, query: Query, names_of: Callable[[Row], Set]) -> list[Row]:
    """The rows of a query; an error where they are more than memory holds."""
    # One more than fit is asked for, so that the error comes before all of them have been sent.
    most = max(memory_limit() // _GROUP, 1)
    rows = database.rows(query.limit(most + 1))
    if len(rows) > most:
        (names, count), *_ = Counter(map(names_of, rows)).most_common(1)
        what = " and ".join(map(repr, names))
        raise TooLargeError(
            f"{what} have too many combinations of values to count: {count:,} and more; the limit (environment "
            f"variable {VARIABLE}) allows {most:,} in all. Leave a column out, or group its rare values in a query."
        )
    return rows


def _counted(rows: list[Row], columns: Sequence[int]) -> SetCounts:
    counts = [row[-1] for row in rows]
    # By the values: a COUNT is an int, a SUM of weights a float.
    is_whole = all(isinstance(count, int) for count in counts)
    values = tuple([row[column] for row in rows] for column in columns)
    return SetCounts(values, np.array(counts, dtype=np.int64 if is_whole else np.float64))
