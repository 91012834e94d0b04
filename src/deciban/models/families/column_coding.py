"""Columns as codes, for models that count combinations of values: labels as they are, and numbers in bins.

Labels, booleans, dates and whole numbers with at most 16 distinct values are `Categorical`. Other numbers are cut by
minimum description length, or into 5 bins of equal frequency where it finds no cut although these clearly predict the
class. This is done once: the cuts are found when a model first sees rows, and become part of its schema (`Cut`), so
that later rows fall into the same bins. Free text is left out, and labels of which more than half are distinct: their
combinations with other columns would hardly ever repeat. In a column that has one label and missing values, these are
a state, also with ``missing="skip"`` (from 50 rows on): whether the label is there is all that it says. Each
distribution says how it is coded (`ColumnDistribution.with_fixed_states`, `variable` and `codes`).

In a database (`CodedDatabase`) the same sets of columns are counted by queries, and no row leaves it. Whole numbers
with more than 16 distinct values are cut by minimum description length, which needs their counts only; floats are cut
where `columns` says, since finding cuts would need the rows. Bins are found by the database.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from deciban.engines.sql.classes import Classes
from deciban.engines.sql.sets import SetCounts
from deciban.engines.sql.table import DatabaseTable
from deciban.errors import ColumnMismatchError, MissingValueError, ParameterError
from deciban.estimate import Binned, Categorical, ColumnDistribution, Cut, Ignore
from deciban.estimate.choice import cut_or_spread
from deciban.models.schema import ColumnPlan, Defaults, Schema, judge_columns, plan_columns, wanted_columns
from deciban.read import MISSING, Column, Table, Variable
from deciban.tallies import Counts, Crossed, Sample, Tally
from deciban.tallies.crossed import cells_of, check_room
from deciban.types import AnyArray, Codes

__all__ = ["CodedDatabase", "check_same_coding", "plan_codes", "plan_of_variables"]


_FEWEST = 50  # rows: fewer are too few to judge the labels of a column by


def plan_codes(table: Table, wanted: object, defaults: Defaults, sample: Sample) -> Schema:
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


def plan_of_variables(variables: tuple[Variable, ...], wanted: object, defaults: Defaults) -> Schema:
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


_MOST_DISTINCT = 16  # whole numbers with more distinct values are cut, as in `fit`


@dataclass(frozen=True, eq=False)
class CodedDatabase:
    """A table in a database whose columns are coded: labels by their states, numbers by their bins.

    `wanted` is the model's parameter `columns`, and `owner` the name of the model.
    """

    table: DatabaseTable
    target: str
    wanted: object
    defaults: Defaults
    owner: str

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(name for name in self.table.names if name != self.target)

    @cached_property
    def classes(self) -> Classes:
        return self.table.sums(self.target)[0]

    @cached_property
    def given(self) -> Mapping[str, ColumnDistribution]:
        """The distributions that the user names; an error where the cuts of numbers are not known."""
        given = wanted_columns(self.wanted, self.names)
        cut = [name for name in self.names if self.table.is_number(name) and name not in given]
        cut += [name for name, kind in given.items() if not isinstance(kind, Cut | Categorical | Ignore)]
        if cut:
            shown = ", ".join(map(repr, cut[:8])) + (", …" if len(cut) > 8 else "")
            raise ParameterError(
                f"the cuts of {shown} are not known, and finding them would need the rows. Pass them, as in "
                f"columns={{{cut[0]!r}: Cut(at=[…])}}, or pass the schema_ of a model that was fitted on some rows."
            )
        return {name: self.defaults.settle(kind) for name, kind in given.items()}

    @cached_property
    def _alone(self) -> dict[str, SetCounts]:
        """The counts of each column that is not left out, together with the target."""
        used = [name for name in self.names if not isinstance(self.given.get(name), Ignore)]
        counts = self.table.count([(self.target, name) for name in used], _cuts(self.given))
        return dict(zip(used, counts, strict=True))

    @cached_property
    def schema(self) -> Schema:
        """How each column is coded."""
        plans = [
            ColumnPlan(name, self.given[name], "as given") if name in self.given else self._plan(name)
            for name in self.names
        ]
        for plan in plans:
            values = self._alone[plan.name].values[1] if plan.name in self._alone else []
            if plan.distribution.missing == "error" and any(value is None or value != value for value in values):
                raise MissingValueError(
                    f'column {plan.name!r} has missing values, and {self.owner} has missing="error". Pass '
                    'missing="skip" to leave them out, or fill them in the query (COALESCE).'
                )
        return Schema(tuple(plans))

    def _plan(self, name: str) -> ColumnPlan:
        alone = self._alone[name]
        column = Column.of_objects(name, alone.values[1])
        known = float(alone.counts[~column.is_missing].sum())
        states = len(column.variable())
        if column.is_numeric and states > _MOST_DISTINCT:
            weights = alone.counts.astype(np.float64)
            sample = Sample(self.classes.variable, self.classes.codes(alone.values[0]), self.classes.counts, weights)
            kind, note = self.defaults.settle(Binned(how="mdl")).with_fixed_states(column, sample)
            return ColumnPlan(name, kind, f"whole numbers, more than {_MOST_DISTINCT} distinct, {note}")
        plain = self.defaults.settle(Categorical())
        if not column.is_numeric and known >= _FEWEST and 2 * states > known:
            return ColumnPlan(
                name, Ignore(missing="skip"), f"{states:,} distinct labels in {known:,.0f} rows, left out"
            )
        if states == 1 and known >= _FEWEST and column.has_missing and plain.missing == "skip":
            return ColumnPlan(name, replace(plain, missing="state"), "missing as a state, beside one label")
        what = "whole numbers" if column.is_numeric else "labels"
        return ColumnPlan(name, plain, f"{what}: {states} distinct")

    @cached_property
    def variables(self) -> tuple[Variable, ...]:
        return tuple(plan.distribution.variable(self._column(plan.name)) for plan in self.schema)

    def _column(self, name: str) -> Column:
        alone = self._alone.get(name)
        return Column.of_objects(name, [] if alone is None else alone.values[1])

    def tally(self, sets: AnyArray) -> Tally:
        """Count the columns, and sets of them by index (−1 behind the last of a shorter one), in each class."""
        check_room(cells_of(self.variables, sets), len(self.classes.variable), "the counts")
        alone = [self._count((i,), self._alone.get(name), self.given) for i, name in enumerate(self.names)]
        counts = tuple(Counts(v, table.T.copy()) for v, table in zip(self.variables, alone, strict=True))
        chosen = [tuple(c for c in row if c >= 0) for row in sets.tolist()]
        is_coded = [not plan.distribution.is_ignored for plan in self.schema]
        used = [each for each in chosen if all(is_coded[c] for c in each)]
        kinds = {plan.name: plan.distribution for plan in self.schema}
        cuts = _cuts(kinds)
        asked = [(self.target, *(self.names[c] for c in each)) for each in used]
        counted = dict(zip(used, self.table.count(asked, cuts), strict=True))
        cells = [self._count(each, counted.get(each), kinds).reshape(-1, len(self.classes.variable)) for each in chosen]
        nothing = np.zeros((0, len(self.classes.variable)), dtype=self.classes.counts.dtype)
        return self.classes.tally(Crossed(counts, sets, np.concatenate([nothing, *cells])))

    def _count(
        self, columns: Sequence[int], found: SetCounts | None, binned: Mapping[str, ColumnDistribution]
    ) -> AnyArray:
        """An axis for each column, and the classes last; the columns of `binned` that are cut came as bins."""
        sizes = [len(self.variables[c]) for c in columns]
        out = np.zeros((*sizes, len(self.classes.variable)), dtype=self.classes.counts.dtype)
        if found is None or 0 in sizes:
            return out
        y = self.classes.codes(found.values[0])
        self.classes.check(y, found.counts)
        codes = [self._codes(c, values, binned) for c, values in zip(columns, found.values[1:], strict=True)]
        whole = np.all([states != MISSING for states in codes], axis=0)
        # Several values of the database may be one state here, so counts are added, not assigned.
        np.add.at(out, (*(states[whole] for states in codes), y[whole]), found.counts[whole])
        return out

    def _codes(self, index: int, values: list[Any], binned: Mapping[str, ColumnDistribution]) -> Codes:
        plan, variable = self.schema.plans[index], self.variables[index]
        if isinstance(binned.get(plan.name), Cut):
            missing = len(variable) - 1 if plan.distribution.missing == "state" else MISSING
            return np.array([missing if value is None else value for value in values], dtype=np.int32)
        return plan.distribution.codes(Column.of_objects(plan.name, values), variable, self.owner)


def _cuts(kinds: Mapping[str, ColumnDistribution]) -> dict[str, Sequence[float]]:
    return {name: kind.at for name, kind in kinds.items() if isinstance(kind, Cut)}
