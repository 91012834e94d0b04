"""What is chosen from the rows: how numbers are distributed, whether missing values are evidence, labels to ignore.

Each choice is by class log-loss on rows that were left out (`deciban.estimate.choice`), on at most 1,000 rows:

- **Numbers** are Gaussian, or in bins: by minimum description length, 5 of equal frequency, or √n of them (n the rows
  that are compared). Whole numbers with 5 to 16 distinct values may be Categorical, too. The simplest one is taken, in
  the order Categorical, Gaussian, description length, 5 bins, √n bins, whose loss is within half a standard error of
  the least. A kernel density is not among the candidates: its evidence has no bound in the tails, and on the tables on
  which this was decided naive Bayes had a larger log-loss with it.
- **Missing values** are evidence (``missing="state"``) where that lowers the loss of the sum of all columns, if the
  model has ``missing="auto"`` and the column has missing values.
- **Labels**, of which more than half are distinct, are ignored where their loss is larger than that of the priors.

Fewer than 50 rows with a known value, or with one class only, decide nothing: numbers are then Gaussian, and missing
values are skipped.

Columns that a model should not learn from: identifiers, and copies of the target.

A value that occurs once is no evidence for other rows, so a column with a new value in nearly every row is an
identifier: it is ignored, and a warning names it.

- **Labels** are identifiers when at least nine tenths of those that are not missing are distinct.
- **Whole numbers** are identifiers when all of them are distinct although they are close together. Among n numbers
  between a and b that are drawn at random, about n(n − 1) / 2(b − a + 1) pairs are equal; where this is 10 or more, the
  probability that no pair is equal is e^−10 or less. So row numbers are found, also in a part of the rows and in any
  order, and measurements that happen to be distinct, such as prices, are not.

A column is a copy of the target when each of its values belongs to one class and each class to one value. It is used,
since that may be intended, and a warning names it: a column that follows from the class must be left out.

Tables of fewer than 50 rows are not checked. A column whose distribution is named in `columns` is never checked.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from math import isqrt
from typing import Any

import numpy as np

from deciban.errors import DecibanWarning, warn_user
from deciban.estimate import Binned, Categorical, ColumnDistribution, Gaussian, Ignore, Smoothing
from deciban.estimate.choice import SomeRows, choose
from deciban.estimate.missing import left_out_column
from deciban.models.schema import ColumnPlan, Defaults, Schema
from deciban.read import MISSING, Column, Table
from deciban.tallies import Sample
from deciban.ties import exceeds, largest_first
from deciban.types import AnyArray, Codes, Floats

__all__ = ["choose_columns", "judge_columns"]


_FEWEST = 50
_FEWEST_CODES = 5
_LOWEST = -700.0
"""Stands for log 0, so that evidence can be added and subtracted: e^−700 is close to the smallest float."""
_FEW_BINS = 5


def choose_columns(
    schema: Schema, table: Table, sample: Sample, given: Mapping[str, ColumnDistribution], defaults: Defaults
) -> Schema:
    """The schema with the choices that these rows decide; `given` are the distributions that a user named."""
    rows = SomeRows(sample)
    if len(rows.weights) < _FEWEST or len(rows.sample.classes) < 2:
        return schema
    chooser = _Chooser(rows, defaults)
    columns = dict(zip(table.names, table.columns, strict=True))
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
        if len(known) < _FEWEST or known.min() == known.max() or np.isinf(known).any():
            return plan
        codes = [Categorical()] if isinstance(plan.distribution, Categorical) else []
        if codes and len(np.unique(known)) < _FEWEST_CODES:
            return plan
        bins = dict.fromkeys((_FEW_BINS, isqrt(len(known))) if not codes else (_FEW_BINS,))
        frequencies = [Binned(how="frequency", bins=number) for number in bins]
        kinds = [*codes, Gaussian(), Binned(how="mdl"), *frequencies]
        return self._best(plan, [self._defaults.settle(kind) for kind in kinds], column)

    def _best(self, plan: ColumnPlan, kinds: list[ColumnDistribution], column: Column) -> ColumnPlan:
        found = choose(kinds, column, self._rows, self._defaults.smoothing)
        other = "" if found.other is None else f", {_named(kinds[found.other])} {found.other_loss:.3f}"
        reason = f"{plan.reason}; {_named(kinds[found.best])}: {found.loss:.3f} nats a row{other}"
        return replace(plan, distribution=kinds[found.best], reason=reason)

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
        order = largest_first(undecided, lambda n: self._loss(skipped[n]) - self._loss(skipped[n] + added[n]))
        joint = sum(skipped.values(), np.zeros((len(self._rows.weights), len(self._rows.sample.classes))))
        found, least = {plan.name: plan for plan in plans}, self._loss(joint)
        for name in order:
            loss = self._loss(joint + added[name])
            found[name] = _with_missing(found[name], as_state=loss, skipped=least)
            if exceeds(least, loss):
                joint, least = joint + added[name], loss
        return list(found.values())

    def _is_scored(self, kind: ColumnDistribution) -> bool:
        """False for columns that are ignored, and for a smoothing that fits one number of states only."""
        own = getattr(kind, "smoothing", None)
        rule = own if isinstance(own, Smoothing) else self._defaults.smoothing
        return rule.is_even and not kind.is_ignored

    def _evidence(self, kind: ColumnDistribution, column: Column) -> Floats:
        logs = left_out_column(kind, self._rows.take(column), self._rows.sample, self._defaults.smoothing)
        return np.maximum(logs, _LOWEST)

    def _loss(self, evidence: Floats) -> float:
        return self._rows.mean(self._rows.losses(evidence))

    def unless_useless(self, plan: ColumnPlan, column: Column) -> ColumnPlan:
        """The plan of a column of labels, ignored where they hardly repeat and predict worse than the priors."""
        if column.is_numeric or not self._is_scored(plan.distribution) or not plan.distribution.values_repeat:
            return plan
        known = len(column) - int(column.is_missing.sum())
        if 2 * len(column.states) <= known:
            return plan
        distinct = int(column.occurring().sum())
        if known < _FEWEST or 2 * distinct <= known:
            return plan
        found = choose(
            [Ignore(missing="skip"), plan.distribution], column, self._rows, self._defaults.smoothing, close=0.0
        )
        if found.best == 1:
            return plan
        losses = f"{found.other_loss:.3f} nats a row, {found.loss:.3f} without it"
        reason = f"{distinct:,} distinct labels in {known:,} rows: {losses}"
        return replace(plan, distribution=Ignore(missing="skip"), reason=reason)


def _counting(kind: ColumnDistribution) -> ColumnDistribution:
    """The same distribution with missing values as a state."""
    return replace(kind, missing="state")


def _with_missing(plan: ColumnPlan, *, as_state: float, skipped: float) -> ColumnPlan:
    """The plan with the better treatment of missing values, and the losses of both."""
    if exceeds(skipped, as_state):
        reason = f"missing as a state: {as_state:.3f} nats a row for all columns, skipped {skipped:.3f}"
        return replace(plan, distribution=_counting(plan.distribution), reason=f"{plan.reason}; {reason}")
    reason = f"missing skipped: {skipped:.3f} nats a row for all columns, as a state {as_state:.3f}"
    return replace(plan, reason=f"{plan.reason}; {reason}")


def _named(kind: ColumnDistribution) -> str:
    if isinstance(kind, Binned):
        return "bins by description length" if kind.how == "mdl" else f"{kind.bins} bins of equal frequency"
    return type(kind).__name__


_FEWEST_JUDGED = 50
_NEARLY = 0.9
_COINCIDENCES = 10
_PARTS = 8
"""The number of parts of the table from which some rows are checked first, which rules nearly every column out."""


def judge_columns(schema: Schema, table: Table, sample: Sample, given: Collection[str]) -> Schema:
    """The schema with identifiers ignored and copies of the target named; a warning lists both."""
    if len(table) < _FEWEST_JUDGED:
        return schema
    rows = sample.weighty()
    if rows is not None:
        table, sample = table.take(rows), sample.take(rows)
    plans = list(schema)
    judged = [i for i, plan in enumerate(plans) if plan.name not in given and not plan.distribution.is_ignored]
    found = {i: reason for i in judged if (reason := _identifier(plans[i], table.columns[i])) is not None}
    identifiers = found if len(found) < len(plans) else {}  # a model needs a column
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
    if len(column.states) < _NEARLY * _FEWEST_JUDGED or not plan.distribution.values_repeat:
        return None
    known = len(column) - int(column.is_missing.sum())
    if known < _FEWEST_JUDGED or len(column.states) < _NEARLY * known:
        return None
    distinct = int(column.occurring().sum())
    return f"{distinct:,} distinct labels in {known:,} rows" if distinct >= _NEARLY * known else None


def _row_numbers(column: Column) -> str | None:
    if not column.is_whole:
        return None
    some = [number for number in _some_values(column.held, 128) if number == number]
    if len(set(some)) < len(some):
        return None
    numbers = column.numbers
    known = numbers[~np.isnan(numbers)] if numbers.dtype.kind == "f" else numbers
    if len(known) < _FEWEST_JUDGED or len(np.unique(known)) < len(known):
        return None
    pairs = len(known) * (len(known) - 1) // 2
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
    if not len(pairs) == len({value for value, _ in pairs}) == len({y for _, y in pairs}):
        return False
    codes = _codes(column)
    known = codes >= 0
    if int(known.sum()) < _FEWEST_JUDGED or not _is_one_to_one(codes[known], sample.codes[known]):
        return False
    return len(np.unique(sample.codes[known])) == classes


def _some_values(values: Any, of_each: int) -> list[float]:
    """The values of some rows from all parts of the table, since a file may be sorted by class."""
    rows = len(values)
    if rows <= _PARTS * of_each:
        return values[:].tolist()
    firsts = range(0, rows - of_each, rows // _PARTS)
    return [value for first in firsts for value in values[first : first + of_each].tolist()]


def _codes(column: Column) -> Codes:
    if not column.is_numeric:
        return column.indices
    numbers = np.unique(column.numbers, return_inverse=True)[1].astype(np.int32)
    return np.where(column.is_missing, np.int32(-1), numbers)


def _is_one_to_one(a: AnyArray, b: AnyArray) -> bool:
    pairs = np.unique(a.astype(np.int64) << 32 | b)
    return len(pairs) == len(np.unique(a)) == len(np.unique(b))


def _warn(identifiers: list[str], copies: list[str]) -> None:
    if identifiers:
        held = _listed(identifiers, "holds another value in nearly every row, as an identifier does, and is ignored")
        _say(f"{held}. Name its distribution to use it: columns={{{identifiers[0]!r}: Categorical()}}.")
    if copies:
        held = _listed(copies, "is one-to-one with the target")
        _say(f"{held}. Leave it out if it is not known before the class is; or name its distribution in columns.")


def _listed(names: list[str], what: str) -> str:
    each = "column" if len(names) == 1 else "each of the columns"
    shown = ", ".join(map(repr, names[:8])) + (", …" if len(names) > 8 else "")
    return f"{each} {shown} {what}"


def _say(message: str) -> None:
    warn_user(message, DecibanWarning)
