"""The schema of a model whose first row comes from `learn_one`: columns and distributions from one mapping."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from deciban.errors import InputError, InputTypeError
from deciban.estimate import Categorical, ColumnDistribution, Gaussian
from deciban.estimate.columns.values import Markers, is_missing
from deciban.models.form import Form
from deciban.models.parts.rows.one_row import type_error
from deciban.models.tables.schema import ColumnPlan, Defaults, Schema, wanted_columns
from deciban.read import plain

__all__ = ["form_of_first_row"]


def form_of_first_row(row: Mapping[str, Any], columns: Any, markers: Markers, defaults: Defaults) -> Form:
    """The columns of the row, and those that `columns` names beside them, with their distributions."""
    given = columns if isinstance(columns, Mapping) else {}
    names = tuple(dict.fromkeys((*row, *given)))
    if not names or not all(isinstance(name, str) for name in names):
        raise InputTypeError(f"the first row names the columns, by text; it names {list(names)}.")
    wanted = wanted_columns(columns, names)
    try:
        plans = [_plan(name, row.get(name), wanted.get(name), markers) for name in names]
    except TypeError as error:
        raise type_error(row, error) from error
    settled = (replace(plan, distribution=defaults.settle(plan.distribution)) for plan in plans)
    return Form(len(names), names, schema=Schema(tuple(settled)))


def _plan(name: str, value: Any, wanted: ColumnDistribution | None, markers: Markers) -> ColumnPlan:
    """The plan of a column from its value in the first row."""
    if wanted is not None:
        return ColumnPlan(name, wanted, "as given")
    value = plain(value)
    if is_missing(value) or value in markers:
        raise InputError(
            f"column {name!r} is missing in the first row, so its type is not known. Name its distribution in columns, "
            "or begin with a row that has it."
        )
    if isinstance(value, int | float) and not isinstance(value, bool):
        return ColumnPlan(name, Gaussian(), "a number in the first row")
    return ColumnPlan(name, Categorical(), "a label in the first row")
