"""Leaving columns out of a fitted model: their counts go, the others stay as they are."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.base import clone

from deciban.errors import ColumnMismatchError, ParameterError
from deciban.estimate import Binned, Distribution, Ignore, association
from deciban.models.base import BayesClassifier
from deciban.models.form import Form
from deciban.models.tables.schema import ColumnPlan, Schema
from deciban.read import Variable
from deciban.suggest import did_you_mean
from deciban.tallies import Counts, Gapped, Tally

__all__ = ["Selecting", "measured", "without_columns"]


class Selecting(BayesClassifier):
    """Measuring and choosing columns, for a model with a schema."""

    schema_: Schema

    def associations(self, measure: str = "mi") -> dict[str, float]:
        """How much each column says of the class: "mi", "chi2" or "su" (symmetrical uncertainty), most first."""
        self._check_fitted()
        used = zip(self.schema_, self.tally_.parts, strict=True)
        found = {plan.name: measured(plan.distribution, part, measure) for plan, part in used}
        return dict(sorted(found.items(), key=lambda item: -item[1]))

    def select(self, k: int | None = None, measure: str = "mi", *, columns: Collection[str] | None = None) -> Self:
        """Make a model of some columns, the others ignored. Nothing is counted again.

        Parameters
        ----------
        k : how many: those that say most of the class
        measure : by which they say most: "mi", "chi2" or "su"
        columns : instead of k, their names, such as `db.correlation_filter` gives
        """
        if (k is None) == (columns is None):
            raise ParameterError("select takes how many columns, or their names: pass k or columns.")
        kept = list(self.associations(measure))[:k] if columns is None else self._named(columns)
        return clone(self)._adopt(*without_columns(self.tally_, self._form, kept))

    def _named(self, columns: Collection[str]) -> list[str]:
        self._check_fitted()
        listed, names = [columns] if isinstance(columns, str) else list(columns), self._names()
        strange = [name for name in listed if name not in names]
        if strange:
            raise ColumnMismatchError(f"there is no column {strange[0]!r}.{did_you_mean(strange[0], names)}")
        return listed


def measured(kind: Distribution, part: Any, measure: str = "mi") -> float:
    """How much a column says of the class; of a binned one its bins, not its distinct numbers."""
    if isinstance(kind, Binned):
        table = kind.binned(part.part if isinstance(part, Gapped) else part)
        bins = Counts(Variable.of_codes(part.names[0], table.shape[1]), table)
        part = replace(part, part=bins) if isinstance(part, Gapped) else bins
    return association(part, measure)


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
