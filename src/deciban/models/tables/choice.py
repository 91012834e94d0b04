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
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isqrt

import numpy as np

from deciban.estimate import Binned, Categorical, ColumnDistribution, Gaussian, Ignore, Smoothing
from deciban.estimate.choice.choose import choose
from deciban.estimate.choice.rows import SomeRows
from deciban.estimate.columns.missing import left_out_column
from deciban.models.tables.schema import ColumnPlan, Defaults, Schema
from deciban.read import Column, Table
from deciban.tallies import Sample
from deciban.ties import exceeds, largest_first
from deciban.types import Floats

__all__ = ["choose_columns"]

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
