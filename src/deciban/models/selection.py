"""Leaving columns out of a fitted model: their counts go, the others stay as they are."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from deciban.estimate import Ignore
from deciban.models.form import Form
from deciban.models.schema import ColumnPlan, Schema
from deciban.read import Variable
from deciban.tally import Counts, Tally

__all__ = ["without_columns"]


def without_columns(tally: Tally, form: Form, kept: Collection[str]) -> tuple[Tally, Form]:
    """The tally and form in which all columns but the kept ones are ignored."""
    plans = tuple(p if p.name in kept else ColumnPlan(p.name, Ignore(), "not selected") for p in form.schema)
    parts = tuple(
        part if plan.name in kept else _nothing(plan.name, len(tally.classes))
        for plan, part in zip(form.schema, tally.parts, strict=True)
    )
    return replace(tally, parts=parts), replace(form, schema=Schema(plans))


def _nothing(name: str, classes: int) -> Counts:
    return Counts(Variable(name, np.empty(0, dtype=object), 0), np.zeros((classes, 0), dtype=np.int64))
