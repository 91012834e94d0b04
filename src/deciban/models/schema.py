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
measurements, and Gaussian.

Strings are free text when there are at least 50 of them, more than half of them are distinct, and they have at least 6
words on average; names, keys, tickets and addresses are labels.

Where there are at least 50 rows with a known value and two classes, the rows then decide (`choose_columns`), each
choice by class log-loss on at most 1,000 rows that were left out (`deciban.estimate.choice`):

- **Numbers** are Gaussian, or in bins: by minimum description length, 5 of equal frequency, or √n of them (n the rows
  that are compared). Whole numbers with 5 to 16 distinct values may be Categorical, too. The simplest one is taken, in
  the order Categorical, Gaussian, description length, 5 bins, √n bins, whose loss is within half a standard error of
  the least. A kernel density is not among the candidates: its evidence has no bound in the tails, and on the tables on
  which this was decided naive Bayes had a larger log-loss with it.
- **Missing values** are evidence (``missing="state"``) where that lowers the loss of the sum of all columns, if the
  model has ``missing="auto"`` and the column has missing values.
- **Labels**, of which more than half are distinct, are ignored where their loss is larger than that of the priors.

Columns that a model should not learn from are found first (`judge_columns`):

- A value that occurs once is no evidence for other rows, so a column with a new value in nearly every row is an
  identifier: it is ignored, and a warning names it. **Labels** are identifiers when at least nine tenths of those that
  are not missing are distinct. **Whole numbers** are identifiers when all of them are distinct although they are close
  together: among n numbers between a and b that are drawn at random, about n(n − 1) / 2(b − a + 1) pairs are equal;
  where this is 10 or more, the probability that no pair is equal is e^−10 or less. So row numbers are found, also in a
  part of the rows and in any order, and measurements that happen to be distinct, such as prices, are not.
- A column is a copy of the target when each of its values belongs to one class and each class to one value. It is
  used, since that may be intended, and a warning names it: a column that follows from the class must be left out.

A column whose distribution is named in `columns` is neither chosen nor judged. The plan is made from the first rows
that a model sees, and kept. Models of parts of a table can be merged if they have the same plan: fit the first one, and
the others with ``columns=first.schema_``.

The plan is part of the form of the data that a model was first fitted on (`Form`), with which later data are compared.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from math import isqrt
from typing import Any, Self, TypeGuard

import numpy as np

from deciban.choices import did_you_mean
from deciban.errors import ColumnMismatchError, DecibanWarning, InputTypeError, ParameterError, warn_user
from deciban.estimate import Binned, Categorical, ColumnDistribution, Gaussian, Ignore, Smoothing
from deciban.estimate.choice import SomeRows, choose
from deciban.estimate.missing import as_counted, distribution_of_part, left_out_column, rule_of
from deciban.estimate.values import Markers
from deciban.models.text.column import Text
from deciban.read import MISSING, Column, Matrix, Table, Variable, distinct
from deciban.read.column import Numbers
from deciban.read.variable import generated_names, object_array
from deciban.storable import check_names as check_stored_names
from deciban.storable import registered, require, storable
from deciban.tallies import Sample, Tally
from deciban.text.analyzer import count_words
from deciban.ties import exceeds, largest_first
from deciban.types import AnyArray, Codes, Floats

__all__ = [
    "ColumnPlan",
    "Defaults",
    "Form",
    "Schema",
    "array_of_row",
    "check_form",
    "check_names",
    "check_probabilities",
    "check_row",
    "check_same_kinds",
    "choose_columns",
    "is_free_text",
    "is_temperature",
    "judge_columns",
    "plan_columns",
    "plan_tally",
    "table_of_row",
    "type_error",
    "values_of",
    "wanted_columns",
]


_FEWEST_ROWS = 50
"""With fewer rows, nothing is chosen by comparison: one row more would change the choice."""

# More distinct whole numbers are taken for measurements, not for codes or small counts.
_MOST_DISTINCT = 16
_FEWEST_MEASUREMENTS = 8
# A few rows, then more, show of most columns that they have too many distinct values to count them all.
_FEW = 250
_SAMPLE = 10_000
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
        for plan in self.plans:
            if plan.name == name:
                return plan
        raise ColumnMismatchError(f"there is no column {name!r}.{did_you_mean(name, [p.name for p in self.plans])}")

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


def _is_kind(given: object) -> TypeGuard[ColumnDistribution | type[ColumnDistribution]]:
    return isinstance(given, ColumnDistribution) or (isinstance(given, type) and issubclass(given, ColumnDistribution))


def _instance(given: ColumnDistribution | type[ColumnDistribution]) -> ColumnDistribution:
    """A distribution; a class means its instance with the default settings."""
    return given() if isinstance(given, type) else given


def _meant(given: object, *others: str) -> str:
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
    if known < _FEWEST_ROWS or 2 * int(occurring.sum()) <= known:
        return None
    labels = column.states[occurring].tolist()
    if not all(isinstance(label, str) for label in labels):
        return None
    # Rounded up, so that at most so many texts are read.
    some = labels[:: -(-len(labels) // _WORDS_OF)]  # spread over the table, which may be sorted
    words = sum(map(count_words, some)) / len(some)
    return words if words >= _FEWEST_WORDS else None


def _is_whole_but_missing(column: Column) -> bool:
    """True for floats that are whole numbers where they are known, and missing somewhere."""
    for part in (column.take(slice(0, _FEW)), column):
        known = part.numbers[~np.isnan(part.numbers)]
        if (known != np.rint(known)).any() or np.isinf(known).any():
            return False
    # A CSV reader makes floats of whole numbers only where some are missing; without, they were floats before.
    return _FEWEST_ROWS <= len(known) < len(column)


def _distinct(column: Column) -> int | None:
    """The number of distinct numbers; None where there are too many for a categorical column."""
    for part in (*(column.take(slice(0, rows)) for rows in (_FEW, _SAMPLE)), column):
        numbers = part.numbers
        count = len(distinct(numbers[~np.isnan(numbers)] if numbers.dtype.kind == "f" else numbers))
        if count > _MOST_DISTINCT:
            return None
    return count


# Choices by comparison --------------------------------------------------------------------------------------------

_FEWEST_CODES = 5
_LOWEST = -700.0
"""Stands for log 0, so that evidence can be added and subtracted: e^−700 is close to the smallest float."""
_FEW_BINS = 5


def choose_columns(
    schema: Schema, table: Table, sample: Sample, given: Mapping[str, ColumnDistribution], defaults: Defaults
) -> Schema:
    """The schema with the choices that these rows decide; `given` are the distributions that a user named."""
    rows = SomeRows(sample)
    if len(rows.weights) < _FEWEST_ROWS or len(rows.sample.classes) < 2:
        return schema
    chooser = _Chooser(rows, defaults)
    columns = dict(zip(table.names, table.columns, strict=True))
    # First the distributions: missing values and useless labels are judged by the evidence of those in use.
    plans = [plan if plan.name in given else chooser.best(plan, columns[plan.name]) for plan in schema]
    if defaults.missing == "auto":
        given_missing = {name for name, kind in given.items() if kind.missing is not None}
        undecided = [p.name for p in plans if p.name not in given_missing and columns[p.name].has_missing]
        plans = chooser.with_missing(plans, columns, undecided) if undecided else plans
    judged = [plan if plan.name in given else chooser.unless_useless(plan, columns[plan.name]) for plan in plans]
    is_left = any(not plan.distribution.is_ignored for plan in judged)  # a model needs a column
    return Schema(tuple(judged if is_left else plans))


class _Chooser:
    """Chooses on some rows, for a model with some settings."""

    def __init__(self, rows: SomeRows, defaults: Defaults) -> None:
        self._rows, self._defaults = rows, defaults

    def best(self, plan: ColumnPlan, column: Column) -> ColumnPlan:
        """The plan of a column whose distribution is not given."""
        return self._of_numbers(plan, column) if column.is_numeric and self._is_scored(plan.distribution) else plan

    def _of_numbers(self, plan: ColumnPlan, column: Column) -> ColumnPlan:
        some = self._rows.take(column).numbers
        known = some[~np.isnan(some)]
        if len(known) < _FEWEST_ROWS or known.min() == known.max() or np.isinf(known).any():
            return plan
        # Simplest first: the first candidate whose loss is close to the least is taken.
        codes = [Categorical()] if isinstance(plan.distribution, Categorical) else []
        if codes and len(np.unique(known)) < _FEWEST_CODES:
            return plan
        # √n bins of about √n rows each; the same number is not tried twice.
        bins = dict.fromkeys((_FEW_BINS, isqrt(len(known))) if not codes else (_FEW_BINS,))
        frequencies = [Binned(how="frequency", bins=number) for number in bins]
        kinds = [*codes, Gaussian(), Binned(how="mdl"), *frequencies]
        return self._best(plan, [self._defaults.settle(kind) for kind in kinds], column)

    def _best(self, plan: ColumnPlan, kinds: list[ColumnDistribution], column: Column) -> ColumnPlan:
        choice = choose(kinds, column, self._rows, self._defaults.smoothing)
        other = "" if choice.other is None else f", {_kind_name(kinds[choice.other])} {choice.other_loss:.3f}"
        reason = f"{plan.reason}; {_kind_name(kinds[choice.best])}: {choice.loss:.3f} nats a row{other}"
        return replace(plan, distribution=kinds[choice.best], reason=reason)

    def with_missing(
        self, plans: Sequence[ColumnPlan], columns: Mapping[str, Column], undecided: Sequence[str]
    ) -> list[ColumnPlan]:
        """The plans with missing values as states where that lowers the loss of all columns together.

        Columns are often missing in the same rows, so single columns would count the same evidence many times. They
        are tried one after another, those with the largest effect on their own loss first.
        """
        used = {p.name: p.distribution for p in plans if self._is_scored(p.distribution)}
        undecided = [name for name in undecided if name in used]
        skipped = {name: self._evidence(used[name], columns[name]) for name in used}
        added = {name: self._evidence(_counting(used[name]), columns[name]) - skipped[name] for name in undecided}
        # Greedy, so that n columns take n comparisons, not 2ⁿ.
        order = largest_first(undecided, lambda n: self._loss(skipped[n]) - self._loss(skipped[n] + added[n]))
        joint = sum(skipped.values(), np.zeros((len(self._rows.weights), len(self._rows.sample.classes))))
        chosen, least = {plan.name: plan for plan in plans}, self._loss(joint)
        for name in order:
            loss = self._loss(joint + added[name])
            chosen[name] = _missing_as(chosen[name], as_state=loss, skipped=least)
            # More than rounding: sums in another order must not choose another plan.
            if exceeds(least, loss):
                joint, least = joint + added[name], loss
        return list(chosen.values())

    def _is_scored(self, kind: ColumnDistribution) -> bool:
        """False for columns that are ignored, and for a smoothing that fits one number of states only."""
        return rule_of(kind, self._defaults.smoothing).is_even and not kind.is_ignored

    def _evidence(self, kind: ColumnDistribution, column: Column) -> Floats:
        logs = left_out_column(kind, self._rows.take(column), self._rows.sample, self._defaults.smoothing)
        # The sum without a column is found by subtraction, and −∞ − (−∞) would be NaN.
        return np.maximum(logs, _LOWEST)

    def _loss(self, evidence: Floats) -> float:
        return self._rows.mean(self._rows.losses(evidence))

    def unless_useless(self, plan: ColumnPlan, column: Column) -> ColumnPlan:
        """The plan of a column of labels, ignored where they hardly repeat and predict worse than the priors."""
        if column.is_numeric or not self._is_scored(plan.distribution) or not plan.distribution.values_repeat:
            return plan
        known = len(column) - int(column.is_missing.sum())
        # Cheap: states that do not occur here are counted, too, so there are at most so many labels.
        if 2 * len(column.states) <= known:
            return plan
        distinct = int(column.occurring().sum())
        if known < _FEWEST_ROWS or 2 * distinct <= known:
            return plan
        choice = choose(
            # close=0: the simpler choice is to leave the column out, which here must have the least loss itself.
            [Ignore(missing="skip"), plan.distribution],
            column,
            self._rows,
            self._defaults.smoothing,
            close=0.0,
        )
        if choice.best == 1:
            return plan
        losses = f"{choice.other_loss:.3f} nats a row, {choice.loss:.3f} without it"
        reason = f"{distinct:,} distinct labels in {known:,} rows: {losses}"
        return replace(plan, distribution=Ignore(missing="skip"), reason=reason)


def _counting(kind: ColumnDistribution) -> ColumnDistribution:
    """The same distribution with missing values as a state."""
    return replace(kind, missing="state")


def _missing_as(plan: ColumnPlan, *, as_state: float, skipped: float) -> ColumnPlan:
    """The plan with the better treatment of missing values, and the losses of both."""
    if exceeds(skipped, as_state):
        reason = f"missing as a state: {as_state:.3f} nats a row for all columns, skipped {skipped:.3f}"
        return replace(plan, distribution=_counting(plan.distribution), reason=f"{plan.reason}; {reason}")
    reason = f"missing skipped: {skipped:.3f} nats a row for all columns, as a state {as_state:.3f}"
    return replace(plan, reason=f"{plan.reason}; {reason}")


def _kind_name(kind: ColumnDistribution) -> str:
    if isinstance(kind, Binned):
        return "bins by description length" if kind.how == "mdl" else f"{kind.bins} bins of equal frequency"
    return type(kind).__name__


_NEARLY = 0.9
_COINCIDENCES = 10
_PARTS = 8
"""The number of parts of the table from which some rows are checked first, which rules nearly every column out."""


def judge_columns(schema: Schema, table: Table, sample: Sample, given: Collection[str]) -> Schema:
    """The schema with identifiers ignored and copies of the target named; a warning lists both."""
    if len(table) < _FEWEST_ROWS:
        return schema
    rows = sample.weighty()
    if rows is not None:
        # A row of weight 0 is no row: it must neither repeat a value nor spoil a one-to-one column.
        table, sample = table.take(rows), sample.take(rows)
    plans = list(schema)
    judged = [i for i, plan in enumerate(plans) if plan.name not in given and not plan.distribution.is_ignored]
    identifiers = {i: reason for i in judged if (reason := _identifier(plans[i], table.columns[i])) is not None}
    if len(identifiers) == len(plans):  # a model needs a column
        identifiers = {}
    copies = [i for i in judged if i not in identifiers and _is_copy(table.columns[i], sample)]
    for i, reason in identifiers.items():
        plans[i] = ColumnPlan(plans[i].name, Ignore(missing="skip"), f"identifier: {reason}")
    for i in copies:
        plans[i] = replace(plans[i], reason=f"{plans[i].reason}; one-to-one with the target")
    _warn([plans[i].name for i in identifiers], [plans[i].name for i in copies])
    return Schema(tuple(plans))


def _identifier(plan: ColumnPlan, column: Column) -> str | None:
    """Why a column is an identifier; None where it is not."""
    if column.is_numeric:
        return _row_numbers(column)
    # Known without a look at the rows, which rules out nearly every column of labels.
    if len(column.states) < _NEARLY * _FEWEST_ROWS or not plan.distribution.values_repeat:
        return None
    known = len(column) - int(column.is_missing.sum())
    if known < _FEWEST_ROWS or len(column.states) < _NEARLY * known:
        return None
    distinct = int(column.occurring().sum())
    return f"{distinct:,} distinct labels in {known:,} rows" if distinct >= _NEARLY * known else None


def _row_numbers(column: Column) -> str | None:
    if column.held is None or not column.is_whole:
        return None
    # NaN, a missing number, is the one value that is not equal to itself.
    some = [number for number in _some_values(column.held, 128) if number == number]
    if len(set(some)) < len(some):
        return None
    numbers = column.numbers
    known = numbers[~np.isnan(numbers)] if numbers.dtype.kind == "f" else numbers
    if len(known) < _FEWEST_ROWS or len(np.unique(known)) < len(known):
        return None
    pairs = len(known) * (len(known) - 1) // 2
    # As integers of Python: the range of an int64 column may not fit into int64.
    wide = int(known.max()) - int(known.min()) + 1
    return f"{len(known):,} whole numbers, no two of them equal" if pairs >= _COINCIDENCES * wide else None


def _is_copy(column: Column, sample: Sample) -> bool:
    """True where each value belongs to one class and each class to one value."""
    classes = len(sample.classes)
    if classes < 2 or (not column.is_numeric and len(column.states) < classes):
        return False
    if column.held is None:
        values = [code if code != MISSING else math.nan for code in _some_values(column.indices, 8)]
    else:
        values = _some_values(column.held, 8)
    pairs = {(value, y) for value, y in zip(values, _some_values(sample.codes, 8), strict=True) if value == value}
    # One-to-one: as many pairs as values, and as many as classes.
    if not len(pairs) == len({value for value, _ in pairs}) == len({y for _, y in pairs}):
        return False
    codes = _codes_of(column)
    known = codes >= 0
    if int(known.sum()) < _FEWEST_ROWS or not _is_one_to_one(codes[known], sample.codes[known]):
        return False
    return len(np.unique(sample.codes[known])) == classes


def _some_values(values: AnyArray | Numbers, of_each: int) -> list[float]:
    """The values of some rows from all parts of the table, since a file may be sorted by class."""
    rows = len(values)
    if rows <= _PARTS * of_each:
        return values[:].tolist()
    # Runs of neighbouring rows: a column of numbers in chunks is read a slice at a time.
    firsts = range(0, rows - of_each, rows // _PARTS)
    return [value for first in firsts for value in values[first : first + of_each].tolist()]


def _codes_of(column: Column) -> Codes:
    if not column.is_numeric:
        return column.indices
    numbers = np.unique(column.numbers, return_inverse=True)[1].astype(np.int32)
    return np.where(column.is_missing, np.int32(-1), numbers)


def _is_one_to_one(a: AnyArray, b: AnyArray) -> bool:
    # Both are 32-bit codes from 0 up, so a pair of them is one 64-bit number.
    pairs = np.unique(a.astype(np.int64) << 32 | b)
    return len(pairs) == len(np.unique(a)) == len(np.unique(b))


def _warn(identifiers: list[str], copies: list[str]) -> None:
    if identifiers:
        what = _listed(identifiers, "holds another value in nearly every row, as an identifier does, and is ignored")
        advice = f"Name its distribution to use it: columns={{{identifiers[0]!r}: Categorical()}}."
        warn_user(f"{what}. {advice}", DecibanWarning)
    if copies:
        what = _listed(copies, "is one-to-one with the target")
        advice = "Leave it out if it is not known before the class is; or name its distribution in columns."
        warn_user(f"{what}. {advice}", DecibanWarning)


def _listed(names: list[str], what: str) -> str:
    each = "column" if len(names) == 1 else "each of the columns"
    shown = ", ".join(map(repr, names[:8])) + (", …" if len(names) > 8 else "")
    return f"{each} {shown} {what}"


def check_form(form: Form) -> None:
    """Refuse a form of a file whose names, plans and weights do not fit the number of its columns."""
    require(type(form.columns) is int and form.columns >= 0, "a form has no number of columns")
    check_stored_names(form.names, form.columns)
    is_list = isinstance(form.numerals, tuple) and all(isinstance(name, str) for name in form.numerals)
    require(is_list, "a form's numerals are no names")
    require(form.schema == () or len(form.schema) == form.columns, "a form's plans do not fit its columns")
    require(form.weights is None or len(form.weights) == form.columns, "its columns' weights do not fit")
    require(form.weights is None or all(np.isfinite(w) and w >= 0 for w in form.weights), "weights are impossible")
    require(0 <= form.weighed_rows < np.inf, "weights are learned from an impossible number of rows")
    require(is_temperature(form.temperature), "a temperature is impossible")


def is_temperature(learned: object) -> bool:
    """Whether a value of a file is a temperature, or None: none was learned."""
    return learned is None or (isinstance(learned, float) and 0 < learned < np.inf)


@storable(check=check_form)
@dataclass(frozen=True)
class Form:
    """What a model stores of the data that it was first fitted on.

    The number of columns, their names, the precision; a schema, where columns have distributions of their own; the
    weights of the columns, where they were learned, and how many rows they were learned from; the temperature of the
    evidence, where it was learned; the column of the target, where it was given by name. `classes` are those that were
    declared by ``partial_fit(classes=…)``: they stay when they have no rows. `numerals` are the columns
    whose text is read as numbers (`deciban.models.table_classifier`).
    """

    columns: int
    names: tuple[str, ...] | None = None
    dtype: type[np.floating[Any]] = np.float64
    schema: Any = ()
    weights: tuple[float, ...] | None = None
    target: str | None = None
    classes: Variable | None = None
    weighed_rows: float = 0.0
    temperature: float | None = None
    numerals: tuple[str, ...] = ()

    def merged(self, other: Form) -> Self:
        """The same form, with the classes and numerals of either model, and the average of the columns' weights."""
        weights, rows = self._merged_weights(other)
        numerals = tuple(dict.fromkeys((*self.numerals, *other.numerals)))
        merged = replace(self, weights=weights, weighed_rows=rows, numerals=numerals)
        if other.classes is None:
            return merged
        return replace(merged, classes=other.classes if self.classes is None else self.classes.union(other.classes))

    def _merged_weights(self, other: Form) -> tuple[tuple[float, ...] | None, float]:
        """The weights of the columns, averaged by the rows they were learned from, and the number of these rows."""
        if self.weights is None or other.weights is None:
            known = other if self.weights is None else self
            return known.weights, known.weighed_rows
        rows = self.weighed_rows + other.weighed_rows
        share = self.weighed_rows / rows if rows > 0 else 0.5
        pairs = zip(self.weights, other.weights, strict=True)
        return tuple(share * mine + (1.0 - share) * theirs for mine, theirs in pairs), rows

    @classmethod
    def of(cls, data: Matrix | Table) -> Form:
        """The form of data that have been read; single precision is kept where a matrix has it."""
        is_single = isinstance(data, Matrix) and data.dtype == np.float32
        columns = data.columns if isinstance(data, Table) else ()
        numerals = tuple(column.name for column in columns if column.is_numeric and column.is_marked)
        return cls(data.shape[1], data.given_names, np.float32 if is_single else np.float64, numerals=numerals)

    @property
    def column_names(self) -> tuple[str, ...]:
        """The names of the columns, also where the rows had none: x0, x1, …."""
        return self.names or generated_names(self.columns)

    def allowed(self, names: Iterable[str]) -> frozenset[str]:
        """The names that a single row may have: those of the columns, and the target's, which is ignored."""
        return frozenset(names) if self.target is None else frozenset((*names, self.target))


Names = tuple[str, ...] | None

_MOST_SHOWN = 5


def check_names(owner: str, known: Names, given: Names) -> None:
    """Compare the names of a model with those of its input; warn where only one of them has names."""
    if known == given:
        return
    if known is None:
        # scikit-learn's words, which its check_estimator looks for, as are those of _difference.
        warn_user(f"X has feature names, but {owner} was fitted without feature names")
    elif given is None:
        warn_user(f"X does not have valid feature names, but {owner} was fitted with feature names")
    else:
        raise ColumnMismatchError(_difference(known, given))


def _difference(known: tuple[str, ...], given: tuple[str, ...]) -> str:
    message = "The feature names should match those that were passed during fit.\n"
    unexpected, missing = sorted(set(given) - set(known)), sorted(set(known) - set(given))
    if unexpected:
        message += "Feature names unseen at fit time:\n" + _bulleted(unexpected)
    if missing:
        message += "Feature names seen at fit time, yet now missing:\n" + _bulleted(missing)
    if not unexpected and not missing:
        message += "Feature names must be in the same order as they were in fit.\n"
    return message


def _bulleted(names: list[str]) -> str:
    lines = [f"- {name}\n" for name in names[:_MOST_SHOWN]]
    return "".join(lines) + ("- ...\n" if len(names) > _MOST_SHOWN else "")


def check_row(row: Mapping[str, object], names: frozenset[str]) -> None:
    """Refuse a row with a column that the model does not have."""
    if not row.keys() <= names:
        # The first in order, so that the same row always has the same message.
        unknown = min(map(str, row.keys() - names))
        raise ColumnMismatchError(f"there is no column {unknown!r}.{did_you_mean(unknown, sorted(names))}")


def table_of_row(
    row: Mapping[str, object], form: Form, names: tuple[str, ...], markers: Markers = frozenset()
) -> Table:
    """The row as a table of one row; columns that it does not name are missing, and so are markers of missing values.

    `form` says which names the row may have, and `names` are those of the columns.
    """
    check_row(row, form.allowed(names))
    columns = (Column.of_values(name, object_array([row.get(name)])).without(markers) for name in names)
    return Table(tuple(columns), form.names is not None)


def array_of_row(row: Mapping[str, object], form: Form, names: tuple[str, ...]) -> AnyArray:
    """The row as an array of one row; columns that it does not name are missing."""
    check_row(row, form.allowed(names))
    values = np.empty((1, len(names)), dtype=object)
    values[0, :] = [row.get(name) for name in names]
    return values


def values_of(data: Matrix | Table) -> list[object]:
    """The values of the first row of a table or a matrix."""
    if isinstance(data, Table):
        return [column.value(0) for column in data.columns]
    return data.dense()[0].tolist()


def type_error(row: Mapping[str, object], error: TypeError) -> TypeError:
    """The error for a row with a value that cannot be a label; `error` itself where all values can."""
    wrong = [name for name, value in row.items() if not isinstance(value, Hashable)]
    if not wrong:
        return error
    return InputTypeError(f"column {wrong[0]!r} is {row[wrong[0]]!r}, which is neither a number nor a label.")
