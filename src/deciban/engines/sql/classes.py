"""The classes of a table in a database, and the moments of its columns of numbers within each.

    W = Σ w,    S₁ = Σ w·(x − s),    S₂ = Σ w·(x − s)²,    Σ w·(x − mean)² = S₂ − S₁²/W

The shift s of a column is its mean in some rows, so that the difference keeps its digits. One query gives the sums of
all columns. Where the mean of a class turns out to be more than ten standard deviations from s, a second query repeats
the sums of the column around the mean of each class, which the database computes and joins.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from operator import mul
from typing import TYPE_CHECKING, Any

import numpy as np

from deciban.engines.sql.database import (
    WIDEST,
    Database,
    Row,
    as_double,
    column,
    expressions,
    in_parts,
    is_nan,
    mean_of,
    square,
    total,
)
from deciban.engines.sql.sets import SetCounts, Weights, limited_rows
from deciban.errors import InputError, SourceError
from deciban.read import Column, Variable, read_target
from deciban.tallies import Counts, Moments, Part, Sample, Tally, count_column
from deciban.types import AnyArray, Codes, Floats

if TYPE_CHECKING:
    from sqlglot.expressions import Expr, Select

__all__ = ["Classes", "Sums", "changed", "class_sums"]


_ROUNDING = 1e-9
"""How far sums of weights of the same rows may differ, relatively: databases add them in any order."""


@dataclass(frozen=True, eq=False)
class Classes:
    """The labels of the target as the database gives them, and the number of rows of each, or their weight."""

    target: str
    labels: Sequence[Any]
    counts: AnyArray

    def __post_init__(self) -> None:
        if any(label is None or label != label for label in self.labels):
            raise InputError(f"Input y contains NaN or None (column {self.target!r}): every row needs a label.")

    @cached_property
    def sample(self) -> Sample:
        """A sample with one row for each label, whose weight is its count."""
        column = Column.of_objects(self.target, list(self.labels))
        return Sample.of(read_target(column, len(self.labels), self.target), self.counts.astype(np.float64))

    @property
    def variable(self) -> Variable:
        return self.sample.classes

    @property
    def order(self) -> AnyArray:
        """For each class the index of its label."""
        return np.argsort(self.sample.codes)

    def codes(self, labels: Sequence[Any]) -> Codes:
        """The code of each label's class."""
        code_of = dict(zip(self.labels, self.sample.codes.tolist(), strict=True))
        if not set(labels) <= set(code_of):
            raise changed()
        return np.array([code_of[label] for label in labels], dtype=np.int32)

    def check(self, codes: Codes, counts: AnyArray) -> None:
        """Refuse counts that do not add up to the rows of the classes."""
        found = np.bincount(codes, counts, len(self.variable))
        expected = self.counts[self.order].astype(np.float64)
        if (np.abs(found - expected) > (_ROUNDING * expected if self.is_weighted else 0)).any():
            raise changed()

    @property
    def is_weighted(self) -> bool:
        return self.counts.dtype.kind == "f"

    def count(self, name: str, found: SetCounts) -> Counts:
        """The counts of a column, from those of its values together with the target, which comes first."""
        codes = self.codes(found.values[0])
        self.check(codes, found.counts)
        column = Column.of_objects(name, found.values[1])
        part = count_column(column, Sample(self.variable, codes, self.counts, found.counts.astype(np.float64)))
        return Counts(part.variable, part.table.astype(self.counts.dtype))

    def tally(self, *parts: Part) -> Tally:
        return Tally(self.variable, self.counts[self.order], parts)


def changed() -> SourceError:
    """The error for rows that changed between two queries."""
    return SourceError(
        "the rows changed while they were counted: two queries disagree. Count in a transaction that keeps its view "
        "of the database (isolation level REPEATABLE READ), or count a copy."
    )


_SAMPLED = 1000
"""The number of rows whose mean is the shift."""

_FARTHEST = 100.0
"""Where the squared distance of a mean from the shift is more variances than this, its column is summed again: up to
here S₂ − S₁²/W loses two digits of sixteen."""

_ROWS, _MEANS = "deciban_rows", "deciban_means"
"""The names of subqueries, which must not be those of tables."""


@dataclass(frozen=True)
class Sums:
    """Weight, shift and sums of one column in each class."""

    weight: Floats
    shift: Floats
    first: Floats
    second: Floats

    @property
    def is_finite(self) -> bool:
        return bool(np.isfinite(self.first).all())

    @property
    def is_far(self) -> bool:
        """True where some class lies far from its shift, so that S₂ − S₁²/W loses digits."""
        known = self.weight > 0
        with np.errstate(over="ignore", invalid="ignore"):
            offset = self.first[known] / self.weight[known]
            variance = self.second[known] / self.weight[known] - offset**2
            # "Not at most": where the variance is NaN or has become negative by rounding, the column is summed again.
            return bool(((offset != 0) & ~(offset**2 <= _FARTHEST * variance)).any())

    def moments(self, name: str, order: AnyArray) -> Moments:
        """The moments of the column; the i-th class is at order[i]."""
        # Shift, S₁ and S₂, these with a low part each, and their rounding error: databases give the high parts alone.
        sums = np.zeros((6, len(order), 1))
        sums[[0, 1, 3], :, 0] = np.stack([self.shift, self.first, self.second])[:, order]
        return Moments(self.weight[order][:, None], sums, (name,))


@dataclass(frozen=True)
class _Query:
    """What all queries of one tally share; `without_nan` where NaN is found among the numbers."""

    database: Database
    source: Expr
    target: str
    weights: Weights
    without_nan: bool = False

    def inner(self, names: Sequence[str]) -> Select:
        """The target as t, the numbers as x0, x1, …, and the weights as w."""
        exp = expressions()
        chosen = [exp.alias_(column(self.target), "t", quoted=True)]
        chosen += [exp.alias_(self._number(name), f"x{i}", quoted=True) for i, name in enumerate(names)]
        if self.weights.name is not None:
            chosen.append(exp.alias_(as_double(column(self.weights.name)), "w", quoted=True))
        return exp.select(*chosen).from_(self.source)

    def _number(self, name: str) -> Expr:
        exp = expressions()
        number = as_double(column(name))
        checked = is_nan(number, self.database.dialect) if self.without_nan else None
        tests = [self.weights.is_counted, None if checked is None else exp.not_(checked)]
        conditions = [test for test in tests if test is not None]
        return exp.case().when(exp.and_(*conditions), number) if conditions else number

    def cells(self, i: int, shift: Expr, table: str | None = None) -> list[Expr]:
        """W, S₁ and S₂ of the i-th column."""
        exp = expressions()
        number = column(f"x{i}", table)
        weight = [] if self.weights.name is None else [column("w", table)]
        known = exp.Count(this=number) if not weight else _sum_where_known(number, weight[0])
        apart = exp.paren(number - shift)
        powers = apart, square(apart, self.database.dialect)
        return [known, *(total(reduce(mul, [*weight, power]), self.database.dialect) for power in powers)]


def class_sums(
    database: Database, source: Expr, target: str, names: Sequence[str], weights: Weights
) -> tuple[Classes, dict[str, Sums]]:
    """Count the classes, and sum the columns of numbers."""
    query = _Query(database, source, target, weights)
    parts = list(in_parts(names, WIDEST)) or [[]]
    classes, sums = _first_pass(query, parts[0], None)
    for part in parts[1:]:
        sums |= _first_pass(query, part, classes)[1]
    # A sum is not finite where NaN is among the numbers, too: only then are queries that look for it worth their time.
    odd = [name for name, column_sums in sums.items() if not column_sums.is_finite]
    if odd:
        query = replace(query, without_nan=True)
        for part in in_parts(odd, WIDEST):
            sums |= _first_pass(query, part, classes)[1]
    for name, column_sums in sums.items():
        if not column_sums.is_finite:
            raise InputError(f"Input X contains infinity or a value too large for float64: column {name!r}.")
    for part in in_parts([name for name, column_sums in sums.items() if column_sums.is_far], WIDEST):
        sums |= _second_pass(query, part, {name: sums[name] for name in part}, classes)
    return classes, sums


def _first_pass(query: _Query, names: Sequence[str], classes: Classes | None) -> tuple[Classes, dict[str, Sums]]:
    exp = expressions()
    shifts = [as_double(shift) for shift in _sampled_means(query, names)]
    cells = [cell for i, s in enumerate(shifts) for cell in (s.copy(), *query.cells(i, s))]
    counted = [exp.Count(this=exp.Star())]
    if query.weights.name is not None:
        counted.append(exp.Sum(this=column("w")))
    asked = exp.select(column("t"), *counted, *cells).from_(query.inner(names).subquery("q")).group_by(column("t"))
    rows = limited_rows(query.database, asked, lambda _: (query.target,))
    classes = classes or _classes(rows, query)
    placed = _placed(rows, classes)[:, len(counted) :]
    sums = {}
    for i, name in enumerate(names):
        shift, weight, first, second = placed[:, 4 * i : 4 * i + 4].T
        sums[name] = Sums(weight, shift, first, second)
    return classes, sums


def _sampled_means(query: _Query, names: Sequence[str]) -> list[float]:
    """The mean of each column in some rows; 0 where they have no value."""
    exp = expressions()
    if not names:
        return []
    some = replace(query, without_nan=True).inner(names).limit(_SAMPLED)
    means = (mean_of(column(f"x{i}")) for i in range(len(names)))
    (row,) = query.database.rows(exp.select(*means).from_(some.subquery("q")))
    return [float(mean) if mean is not None and np.isfinite(mean) else 0.0 for mean in row]


def _second_pass(query: _Query, names: Sequence[str], sums: Mapping[str, Sums], classes: Classes) -> dict[str, Sums]:
    """The sums around the mean of each class; a column that is constant in a class has exactly its value as mean."""
    exp = expressions()
    shifts = [as_double(float(sums[name].shift[0])) for name in names]
    means = [
        exp.alias_(s + mean_of(exp.paren(column(f"x{i}") - s)), f"m{i}", quoted=True) for i, s in enumerate(shifts)
    ]
    by_class = exp.select(column("t"), *means).from_(_ROWS).group_by(column("t"))
    cells = [
        cell
        for i in range(len(names))
        for mean, number in [(column(f"m{i}", _MEANS), column(f"x{i}", _ROWS))]
        for cell in (
            exp.Max(this=mean),
            *query.cells(i, mean, _ROWS),
            exp.Min(this=number),
            exp.Max(this=number.copy()),
        )
    ]
    label = column("t", _ROWS)
    asked = exp.select(label, *cells).from_(_ROWS).join(_MEANS, on=label.eq(column("t", _MEANS))).group_by(label)
    asked = asked.with_(_ROWS, as_=query.inner(names)).with_(_MEANS, as_=by_class)
    placed = _placed(query.database.rows(asked), classes)
    found = {}
    for i, name in enumerate(names):
        shift, weight, first, second, low, high = placed[:, 6 * i : 6 * i + 6].T
        # By minimum and maximum: a mean that was computed may differ from the constant by its rounding.
        flat = (low == high) & (weight > 0)
        found[name] = Sums(weight, np.where(flat, low, shift), np.where(flat, 0.0, first), np.where(flat, 0.0, second))
    return found


def _sum_where_known(number: Expr, weight: Expr) -> Expr:
    exp = expressions()
    return exp.Sum(this=exp.case().when(exp.not_(number.is_(exp.null())), weight))


def _classes(rows: Sequence[Row], query: _Query) -> Classes:
    if not rows:
        raise SourceError("the table or query has no rows: there is nothing to count.")
    labels = [row[0] for row in rows]
    if query.weights.name is None:
        return Classes(query.target, labels, np.array([row[1] for row in rows], dtype=np.int64))
    return Classes(query.target, labels, np.array([row[2] for row in rows], dtype=np.float64))


def _placed(rows: Sequence[Row], classes: Classes) -> Floats:
    """The results of each class, in the order of the classes; NULL, the sum of nothing, is 0."""
    index = {label: i for i, label in enumerate(classes.labels)}
    if {row[0] for row in rows} != set(index):
        raise changed()
    out = np.zeros((len(index), len(rows[0]) - 1))
    for row in rows:
        out[index[row[0]]] = [0.0 if value is None else value for value in row[1:]]
    return out
