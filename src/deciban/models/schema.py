"""Which distribution each column of a table gets, and why.

=======================================================  ==================================================
column                                                   distribution
=======================================================  ==================================================
free text                                                Text
labels, categories, enums, booleans, dates, mixed types  Categorical
whole numbers, at most 16 of them distinct               Categorical: codes or small counts
other numbers                                            Gaussian
=======================================================  ==================================================

Floats that are all whole numbers, some of them missing, count as whole numbers: that is how whole numbers with missing
values are read from a CSV file. In small tables, whole numbers of which more than half are distinct are no codes but
measurements, and Gaussian. Where there are enough rows, numbers are then compared with other distributions, and
the rows decide whether a missing value is evidence (`deciban.models.column_choice`).

Strings are free text when there are at least 50 of them, more than half of them are distinct, and they have at least 6
words on average; names, keys, tickets and addresses are labels. Labels and whole numbers that identify a row are
ignored (`deciban.models.column_choice`).

The plan is made from the first rows that a model sees, and kept. Models of parts of a table can be merged if they have
the same plan: fit the first one, and the others with ``columns=first.schema_``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from deciban.choices import did_you_mean
from deciban.errors import ColumnMismatchError, ParameterError
from deciban.estimate import Categorical, ColumnDistribution, Gaussian, Smoothing
from deciban.estimate.missing import as_counted, distribution_of_part
from deciban.models.text.column import Text
from deciban.read import Column, Table, distinct
from deciban.storable import registered, require, storable
from deciban.tallies import Tally
from deciban.text.analyzer import count_words
from deciban.types import AnyArray

__all__ = [
    "ColumnPlan",
    "Defaults",
    "Schema",
    "check_probabilities",
    "check_same_kinds",
    "is_free_text",
    "plan_columns",
    "plan_tally",
    "wanted_columns",
]


_MOST_DISTINCT = 16
_FEWEST_MEASUREMENTS = 8
_FEW = 250
_SAMPLE = 10_000
_FEWEST = 50
_FEWEST_WORDS, _WORDS_OF = 6.0, 1_000


@dataclass(frozen=True)
class Defaults:
    """The settings of the model, for columns that have none of their own."""

    smoothing: Smoothing
    missing: str
    unseen: str

    def settle(self, kind: ColumnDistribution) -> ColumnDistribution:
        """Fill in what a distribution leaves open."""
        return kind.settled(missing=self.missing, smoothing=self.smoothing, unseen=self.unseen)


@storable
@dataclass(frozen=True)
class ColumnPlan:
    """A column, its distribution, and the reason for it.

    Attributes
    ----------
    name : str
        The name of the column.
    distribution : ColumnDistribution
        Its distribution, with all settings.
    reason : str
        Why it has this distribution.
    """

    name: str
    distribution: ColumnDistribution
    reason: str


def _check_schema(schema: Schema) -> None:
    """Every plan must have a name and a distribution."""
    for plan in schema:
        require(
            isinstance(plan, ColumnPlan) and isinstance(plan.name, str), "a schema holds something that is not a plan"
        )
        require(isinstance(plan.distribution, ColumnDistribution), f"column {plan.name!r} has no distribution")


@storable(check=_check_schema)
@dataclass(frozen=True)
class Schema:
    """The distributions of all columns; it prints as a table.

    It is the `schema_` of a fitted model. ``schema["sky"]`` is the plan of one column, and a loop goes over all. Pass
    it as `columns` of another model, so that the two can be merged.

    Attributes
    ----------
    plans : tuple of ColumnPlan
        For each column its name, its distribution and the reason for it.

    Examples
    --------
    >>> import deciban as db
    >>> days = {"sky": ["sun", "rain"], "warm": [21.5, 9.0]}
    >>> first = db.NaiveBayes().fit(days, ["play", "stay"])
    >>> first.schema_["warm"].distribution
    Gaussian(missing='skip', tie='none', strength=10.0)
    >>> second = db.NaiveBayes(first.schema_).fit(days, ["play", "stay"])
    >>> first.merge(second).tally_.total
    4
    """

    plans: tuple[ColumnPlan, ...]

    def __iter__(self) -> Iterator[ColumnPlan]:
        return iter(self.plans)

    def __len__(self) -> int:
        return len(self.plans)

    def __getitem__(self, name: str) -> ColumnPlan:
        found = [plan for plan in self.plans if plan.name == name]
        if not found:
            raise ColumnMismatchError(f"there is no column {name!r}.{did_you_mean(name, [p.name for p in self.plans])}")
        return found[0]

    def by_kind(self) -> dict[ColumnDistribution, list[int]]:
        """The indices of the columns that have equal distributions."""
        groups: dict[ColumnDistribution, list[int]] = {}
        for i, plan in enumerate(self.plans):
            groups.setdefault(plan.distribution, []).append(i)
        return groups

    def __repr__(self) -> str:
        rows = [("column", "distribution", "reason"), *self._rows()]
        first, second = (max(len(row[i]) for row in rows) for i in (0, 1))
        return "\n".join(f"{name:<{first}}  {kind:<{second}}  {reason}" for name, kind, reason in rows)

    def _repr_html_(self) -> str:
        head = "<tr><th>column</th><th>distribution</th><th>reason</th></tr>"
        body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in self._rows())
        return f"<table>{head}{body}</table>"

    def _rows(self) -> list[tuple[str, str, str]]:
        return [(plan.name, type(plan.distribution).__name__, plan.reason) for plan in self.plans]


def plan_columns(table: Table, wanted: Any, defaults: Defaults) -> Schema:
    """Pick a distribution for each column: the wanted one, or one by its type and values."""
    given = wanted_columns(wanted, table.names)
    return Schema(tuple(_plan(column, given.get(column.name), defaults) for column in table.columns))


def check_probabilities(schema: Schema) -> None:
    """Refuse columns whose likelihoods are not probabilities of their values."""
    for plan in schema:
        if plan.distribution.why_no_probability:
            raise ParameterError(f"column {plan.name!r}: {plan.distribution.why_no_probability}")


def check_same_kinds(ours: Schema, theirs: Schema) -> None:
    """Refuse to merge models that count a column in different ways."""
    for a, b in zip(ours, theirs, strict=False):
        kinds = _counted_as(a.distribution), _counted_as(b.distribution)
        if a.name == b.name and kinds[0] != kinds[1]:
            raise ColumnMismatchError(
                f"column {a.name!r} is {kinds[0]} in one model ({a.reason}) and {kinds[1]} in the other ({b.reason}). "
                "Fit the second with the columns of the first: columns=first.schema_."
            )


def _counted_as(kind: ColumnDistribution) -> str:
    """The distribution in words; models can be merged where they are equal."""
    option = "missing='state'" if kind.missing == "state" else ""
    return f"{type(kind).__name__}({option})"


def plan_tally(tally: Tally, columns: Any, defaults: Defaults) -> Schema:
    """The schema of the columns that a tally counts."""
    wanted = wanted_columns(columns, tally.names)
    parts = dict(zip(tally.names, tally.parts, strict=True))
    kinds = {name: wanted.get(name) or distribution_of_part(part) for name, part in parts.items()}
    reason = "as the tally counts it"
    plans = (ColumnPlan(n, as_counted(defaults.settle(kind), parts[n]), reason) for n, kind in kinds.items())
    return Schema(tuple(plans))


def wanted_columns(wanted: Any, names: Sequence[str]) -> Mapping[str, ColumnDistribution]:
    """The distributions that a user names, by column; or those of the schema of another model."""
    if isinstance(wanted, str) and wanted == "auto":
        return {}
    if isinstance(wanted, Schema):
        wanted = {plan.name: plan.distribution for plan in wanted}
    if _is_kind(wanted):
        return dict.fromkeys(names, _instance(wanted))
    if not isinstance(wanted, Mapping):
        raise ParameterError(
            "columns is 'auto', a distribution, a mapping of names to them or the schema_ of a model, not "
            f"{wanted!r}.{_meant(wanted, 'auto')}"
        )
    for name, kind in wanted.items():
        if name not in names:
            raise ColumnMismatchError(f"columns names {name!r}, which is no column.{did_you_mean(name, names)}")
        if not _is_kind(kind):
            raise ParameterError(f"columns[{name!r}] is {kind!r}, which is no distribution.{_meant(kind)}")
    return {name: _instance(kind) for name, kind in wanted.items()}


def _is_kind(given: Any) -> bool:
    return isinstance(given, ColumnDistribution) or (isinstance(given, type) and issubclass(given, ColumnDistribution))


def _instance(given: Any) -> ColumnDistribution:
    """A distribution; a class means its instance with the default settings."""
    made: ColumnDistribution = given() if isinstance(given, type) else given
    return made


def _meant(given: Any, *others: str) -> str:
    """The hint for a word that is close to an option or to the name of a distribution."""
    if not isinstance(given, str):
        return ""
    kinds = {kind.__name__: f" Did you mean {kind.__name__}()?" for kind in registered(ColumnDistribution)}  # type: ignore[type-abstract]
    words = {word: f" Did you mean {word!r}?" for word in others}
    close = did_you_mean(given, [*words, *kinds])
    return (words | kinds)[close.split("'")[1]] if close.startswith(" Did") else ""


def _plan(column: Column, given: ColumnDistribution | None, defaults: Defaults) -> ColumnPlan:
    kind, reason = (given, "as given") if given is not None else _pick(column)
    settled, note = defaults.settle(kind).planned(column)
    return ColumnPlan(column.name, settled, reason + note)


def _pick(column: Column) -> tuple[ColumnDistribution, str]:
    if not column.is_numeric:
        labels = column.occurring()
        words = _words(column, labels)
        if words is not None:
            return Text(), f"text: {words:.1f} words on average"
        return Categorical(), f"labels: {int(labels.sum())} distinct"
    is_whole = column.is_whole or _is_whole_but_missing(column)
    if is_whole:
        few = _distinct(column)
        if few is not None and _are_codes(few, column):
            return Categorical(), f"whole numbers, {few} distinct"
        if few is not None:
            return Gaussian(), f"whole numbers, {few} distinct in {len(column)} rows"
    return Gaussian(), f"whole numbers, more than {_MOST_DISTINCT} distinct" if is_whole else "floats"


def _are_codes(count: int, column: Column) -> bool:
    """True unless more than half of the numbers are distinct; the first few rows of a stream do not tell."""
    known = len(column) - int(column.is_missing.sum())
    return known < _FEWEST_MEASUREMENTS or 2 * count <= known


def is_free_text(column: Column) -> bool:
    """Whether a column is planned as free text."""
    return not column.is_numeric and _words(column, column.occurring()) is not None


def _words(column: Column, occurring: AnyArray) -> float | None:
    """The mean number of words of free text, from some of its values; None where the column is not free text."""
    known = len(column) - int(column.is_missing.sum())
    if known < _FEWEST or 2 * int(occurring.sum()) <= known:
        return None
    held = column.states[occurring].tolist()
    if not all(isinstance(value, str) for value in held):
        return None
    some = held[:: -(-len(held) // _WORDS_OF)]
    words = sum(map(count_words, some)) / len(some)
    return words if words >= _FEWEST_WORDS else None


def _is_whole_but_missing(column: Column) -> bool:
    """True for floats that are whole numbers where they are known, and missing somewhere."""
    for part in (column.take(slice(0, _FEW)), column):
        known = part.numbers[~np.isnan(part.numbers)]
        if (known != np.rint(known)).any() or np.isinf(known).any():
            return False
    return _FEWEST <= len(known) < len(column)


def _distinct(column: Column) -> int | None:
    """The number of distinct numbers; None where there are too many for a categorical column."""
    for part in (*(column.take(slice(0, rows)) for rows in (_FEW, _SAMPLE)), column):
        numbers = part.numbers
        count = len(distinct(numbers[~np.isnan(numbers)] if numbers.dtype.kind == "f" else numbers))
        if count > _MOST_DISTINCT:
            return None
    return count
