"""Choosing columns of a fitted model: the counts of the others are removed, nothing is counted again."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from deciban.errors import ColumnMismatchError
from deciban.estimate import Ignore
from deciban.estimate.columns.missing import association
from deciban.estimate.distributions.ignore import no_counts
from deciban.models.form import Form
from deciban.models.options import Measure
from deciban.models.tables.schema import ColumnPlan, Schema
from deciban.suggest import did_you_mean
from deciban.tallies import Tally

__all__ = ["associations", "known_columns", "without_columns"]


def associations(schema: Schema, tally: Tally, measure: Measure) -> dict[str, float]:
    """The association of each column with the class, largest first."""
    pairs = zip(schema, tally.parts, strict=True)
    found = {plan.name: association(plan.distribution, part, measure) for plan, part in pairs}
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def known_columns(columns: Collection[str], names: Sequence[str]) -> list[str]:
    """The columns as a list, or an error where one is unknown."""
    listed = [columns] if isinstance(columns, str) else list(columns)
    unknown = [name for name in listed if name not in names]
    if unknown:
        raise ColumnMismatchError(f"there is no column {unknown[0]!r}.{did_you_mean(unknown[0], names)}")
    return listed


def without_columns(tally: Tally, form: Form, kept: Collection[str]) -> tuple[Tally, Form]:
    """The tally and form in which all columns but the kept ones are ignored."""
    plans = tuple(p if p.name in kept else ColumnPlan(p.name, Ignore(), "not selected") for p in form.schema)
    parts = tuple(
        part if plan.name in kept else no_counts(plan.name, len(tally.classes))
        for plan, part in zip(form.schema, tally.parts, strict=True)
    )
    return replace(tally, parts=parts), replace(form, schema=Schema(plans))
