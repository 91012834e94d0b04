"""Columns as codes, for models that count combinations of values: labels as they are, and numbers in bins.

Labels, booleans, dates and whole numbers with at most 16 distinct values are `Categorical`. Other numbers are cut by
minimum description length, or into 5 bins of equal frequency where it finds no cut although these clearly predict the
class. This is done once: the cuts are found when a model first sees rows, and become part of its schema (`Cut`), so
that later rows fall into the same bins. Free text is left out, and labels of which more than half are distinct: their
combinations with other columns would hardly ever repeat. In a column that has one label and missing values, these are
a state, also with ``missing="skip"`` (from 50 rows on): whether the label is there is all that it says. Each
distribution says how it is coded (`ColumnDistribution.with_fixed_states`, `variable` and `codes`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from deciban.errors import ColumnMismatchError, ParameterError
from deciban.estimate import Categorical, Cut, Ignore
from deciban.estimate.choice.choose import cut_or_spread
from deciban.models.tables.identifiers import judge_columns
from deciban.models.tables.schema import ColumnPlan, Defaults, Schema, plan_columns, wanted_columns
from deciban.read import Column, Table, Variable
from deciban.tallies import Sample

__all__ = ["check_same_coding", "plan_codes", "plan_of_variables"]

_FEWEST = 50


def plan_codes(table: Table, wanted: Any, defaults: Defaults, sample: Sample) -> Schema:
    """How each column is coded; `wanted` may also be the schema of another model, whose cuts are then used."""
    names = wanted_columns(wanted, table.names)
    plans = judge_columns(plan_columns(table, wanted, defaults), table, sample, names)
    columns = dict(zip(table.names, table.columns, strict=True))
    discrete = [plan if plan.name in names else _discretized(plan, defaults) for plan in plans]
    present = [plan if plan.name in names else _with_presence(plan, columns[plan.name]) for plan in discrete]
    repeated = [plan if plan.name in names else _unless_distinct(plan, columns[plan.name]) for plan in present]
    is_left = any(not plan.distribution.is_ignored for plan in repeated)  # a model needs a column
    used = repeated if is_left else present
    return Schema(
        tuple(_with_fixed_states(plan, columns[plan.name], sample, is_given=plan.name in names) for plan in used)
    )


def plan_of_variables(variables: tuple[Variable, ...], wanted: Any, defaults: Defaults) -> Schema:
    """The schema of a tally: labels are Categorical; for bins, `wanted` must hold the cuts."""
    given = wanted_columns(wanted, [variable.name for variable in variables])
    plans = []
    for variable in variables:
        kind = given.get(variable.name, Categorical())
        if variable.is_coded and not kind.has_fixed_bins:
            raise ParameterError(
                f"column {variable.name!r} of the tally was cut into bins. Pass columns=model.schema_ of the model "
                "that counted it, or its Cut()."
            )
        plans.append(ColumnPlan(variable.name, defaults.settle(kind), "as the tally counts it"))
    return Schema(tuple(plans))


def check_same_coding(ours: Schema, theirs: Schema) -> None:
    """Refuse to merge models whose columns are coded in different ways."""
    for a, b in zip(ours, theirs, strict=False):
        codings = a.distribution.coding, b.distribution.coding
        if codings[0] != codings[1]:
            raise ColumnMismatchError(
                f"column {a.name!r} is {codings[0]} in one model and {codings[1]} in the other. Fit the second with "
                "the columns of the first: columns=first.schema_."
            )


def _discretized(plan: ColumnPlan, defaults: Defaults) -> ColumnPlan:
    """The plan of a column whose distribution was chosen automatically, with states instead of a density."""
    kind = plan.distribution.discretized()
    is_left_out = kind.is_ignored and not plan.distribution.is_ignored
    return ColumnPlan(plan.name, defaults.settle(kind), f"{plan.reason}, left out" if is_left_out else plan.reason)


def _with_presence(plan: ColumnPlan, column: Column) -> ColumnPlan:
    """The plan with missing values as a state, where these are skipped and there is one label beside them."""
    kind = plan.distribution
    is_skipped = isinstance(kind, Categorical) and kind.missing == "skip" and column.has_missing
    if not is_skipped or len(column) < _FEWEST or len(kind.variable(column)) != 1:
        return plan
    reason = f"{plan.reason}; missing as a state, beside one label"
    return replace(plan, distribution=replace(kind, missing="state"), reason=reason)


def _unless_distinct(plan: ColumnPlan, column: Column) -> ColumnPlan:
    """The plan of a column, left out if it has labels of which more than half are distinct."""
    if column.is_numeric or plan.distribution.is_ignored:
        return plan
    known, distinct = len(column) - int(column.is_missing.sum()), int(column.occurring().sum())
    if known < _FEWEST or 2 * distinct <= known:
        return plan
    reason = f"{distinct:,} distinct labels in {known:,} rows, left out"
    return ColumnPlan(plan.name, Ignore(missing="skip"), reason)


def _with_fixed_states(plan: ColumnPlan, column: Column, sample: Sample, *, is_given: bool) -> ColumnPlan:
    """The plan with states that stay: numbers in bins whose cuts are found from these rows."""
    kind, note = plan.distribution.with_fixed_states(column, sample)
    if isinstance(kind, Cut) and not is_given:
        kind, spread = cut_or_spread(kind, column, sample)
        note = spread or note
    return ColumnPlan(plan.name, kind, f"{plan.reason}, {note}" if note else plan.reason)
