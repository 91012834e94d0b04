"""Choosing columns of a fitted model: the counts of the others are removed, nothing is counted again."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from deciban.errors import ColumnMismatchError
from deciban.estimate import Binned, Distribution, Ignore, association
from deciban.models.form import Form
from deciban.models.options import Measure
from deciban.models.tables.schema import ColumnPlan, Schema
from deciban.read import Variable
from deciban.suggest import did_you_mean
from deciban.tallies import Counts, Gapped, Tally

__all__ = ["associations", "known_columns", "measured", "without_columns"]


def associations(schema: Schema, tally: Tally, measure: Measure) -> dict[str, float]:
    """The association of each column with the class, largest first."""
    found = {
        plan.name: measured(plan.distribution, part, measure) for plan, part in zip(schema, tally.parts, strict=True)
    }
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def measured(kind: Distribution, part: Any, measure: Measure = "mi") -> float:
    """The association of a column with the class; for a binned column that of its bins, not of its numbers."""
    if isinstance(kind, Binned):
        table = kind.binned(part.part if isinstance(part, Gapped) else part)
        bins = Counts(Variable.of_codes(part.names[0], table.shape[1]), table)
        part = replace(part, part=bins) if isinstance(part, Gapped) else bins
    return association(part, measure)


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
        part if plan.name in kept else _empty(plan.name, len(tally.classes))
        for plan, part in zip(form.schema, tally.parts, strict=True)
    )
    return replace(tally, parts=parts), replace(form, schema=Schema(plans))


def _empty(name: str, classes: int) -> Counts:
    return Counts(Variable(name, np.empty(0, dtype=object), 0), np.zeros((classes, 0), dtype=np.int64))
