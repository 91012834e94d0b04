"""Columns as codes, for models that count combinations of values: labels as they are, and numbers in bins.

Labels, booleans, dates and whole numbers with at most 16 distinct values are `Categorical`. Other numbers are cut by
minimum description length, once: the cuts are found when a model first sees rows, and become part of its schema
(`Cut`), so that what is learned later falls into the same bins. Free text is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from deciban.errors import ColumnMismatchError, ParameterError
from deciban.estimate import Binned, Categorical, Cut, Distribution, Gaussian, Ignore
from deciban.estimate.distributions.base import numbers_of
from deciban.models.tables.identifiers import judge_columns
from deciban.models.tables.schema import ColumnPlan, Defaults, Schema, plan_columns, wanted_columns
from deciban.models.text.column import Text
from deciban.read import MISSING, Column, Table, Variable
from deciban.tallies import Sample, raise_fault
from deciban.types import Codes

__all__ = ["check_same_cuts", "codes_of", "plan_codes", "plan_of_variables", "variable_of"]


def plan_codes(table: Table, wanted: Any, defaults: Defaults, sample: Sample) -> Schema:
    """How each column is coded; `wanted` may also be the schema of another model, whose cuts are then used."""
    given = _given(wanted)
    names = wanted_columns(given, table.names)
    plans = judge_columns(plan_columns(table, given, defaults), table, sample, names)
    return Schema(
        tuple(
            _settle(plan, column, sample, defaults, is_given=plan.name in names)
            for plan, column in zip(plans, table.columns, strict=True)
        )
    )


def plan_of_variables(variables: tuple[Variable, ...], wanted: Any, defaults: Defaults) -> Schema:
    """The schema of a tally: labels are Categorical; of bins, `wanted` must say where they were cut."""
    given = wanted_columns(_given(wanted), [variable.name for variable in variables])
    plans = []
    for variable in variables:
        kind = given.get(variable.name, Categorical())
        if variable.is_coded and not isinstance(kind, Cut):
            raise ParameterError(
                f"column {variable.name!r} of the tally was cut into bins. Pass columns=model.schema_ of the model "
                "that counted it, or its Cut()."
            )
        plans.append(ColumnPlan(variable.name, defaults.settle(kind), "as the tally counts it"))
    return Schema(tuple(plans))


def variable_of(kind: Distribution, column: Column) -> Variable:
    """The states of a column that is counted: its labels, its bins, or none where it is left out."""
    if isinstance(kind, Ignore):
        return Variable(column.name, np.empty(0, dtype=object), 0)
    if isinstance(kind, Cut):
        return Variable.of_codes(column.name, len(kind.at) + 1 + (kind.missing == "state"))
    return _states(kind, column).variable()


def codes_of(kind: Distribution, column: Column, variable: Variable, owner: str) -> Codes:
    """Each row's state; −1 where it is missing or has no say, and the number of states for a label that is none."""
    if isinstance(kind, Ignore):
        return np.full(len(column), MISSING, dtype=np.int32)
    if isinstance(kind, Cut):
        return _bins(kind, column)
    codes = _states(kind, column).codes(variable)
    unseen = getattr(kind, "unseen", "smooth")
    if unseen in (None, "smooth"):
        return codes
    is_unseen = codes == len(variable)
    if unseen == "error" and is_unseen.any():
        row = int(np.argmax(is_unseen))
        raise_fault(("unseen", row, 0), owner, (column.name,), column.value(row))
    return np.where(is_unseen, np.int32(MISSING), codes)


def check_same_cuts(ours: Schema, theirs: Schema) -> None:
    """Refuse to join models whose columns are coded in different ways."""
    for a, b in zip(ours, theirs, strict=False):
        kinds = a.distribution, b.distribution
        cuts = [(kind.at, kind.missing) if isinstance(kind, Cut) else type(kind).__name__ for kind in kinds]
        if cuts[0] != cuts[1]:
            raise ColumnMismatchError(
                f"column {a.name!r} is {_shown(kinds[0])} in one model and {_shown(kinds[1])} in the other. Fit the "
                "second with the columns of the first: columns=first.schema_."
            )


def _given(wanted: Any) -> Any:
    if isinstance(wanted, Schema):
        return {plan.name: plan.distribution for plan in wanted}
    return dict(wanted) if isinstance(wanted, Mapping) else wanted


def _settle(plan: ColumnPlan, column: Column, sample: Sample, defaults: Defaults, *, is_given: bool) -> ColumnPlan:
    """Numbers in bins, with cuts that stay."""
    kind = plan.distribution
    if isinstance(kind, Gaussian) and not is_given:
        kind = defaults.settle(Binned(how="mdl"))
    if isinstance(kind, Text) and not is_given:
        return ColumnPlan(plan.name, Ignore(missing="skip"), f"{plan.reason}, left out")
    if isinstance(kind, Binned) and not isinstance(kind, Cut):
        cuts = kind.cuts(kind.count(column, sample, "the model"))
        cut = Cut(at=tuple(cuts.tolist()), missing=kind.missing, smoothing=kind.smoothing)
        return ColumnPlan(plan.name, cut, f"{plan.reason}, {len(cut.at) + 1} bins by {kind.how!r}")
    if not isinstance(kind, Categorical | Cut | Ignore):
        raise ParameterError(
            f"column {plan.name!r} is {type(kind).__name__}(), but this model counts combinations of values: a column "
            "is Categorical(), Binned(), Cut() or Ignore()."
        )
    return replace(plan, distribution=kind)


def _bins(kind: Cut, column: Column) -> Codes:
    numbers = numbers_of(column)
    codes = np.searchsorted(np.array(kind.at), numbers).astype(np.int32)
    gone = np.isnan(numbers)
    if gone.any():
        codes[gone] = len(kind.at) + 1 if kind.missing == "state" else MISSING
    return codes


def _states(kind: Distribution, column: Column) -> Column:
    return column.with_missing_state() if kind.missing == "state" else column


def _shown(kind: Distribution) -> str:
    return f"cut at {list(kind.at)} (missing={kind.missing!r})" if isinstance(kind, Cut) else f"{type(kind).__name__}()"
