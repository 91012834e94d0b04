"""Leaving columns out of a fitted model: their counts go, the others stay as they are."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Self

from sklearn.base import clone

from deciban.errors import ColumnMismatchError, ParameterError
from deciban.estimate import Ignore, Measure
from deciban.estimate.columns.missing import association
from deciban.estimate.distributions.ignore import no_counts
from deciban.models.base import BayesClassifier
from deciban.models.form import Form
from deciban.models.tables.schema import ColumnPlan, Schema
from deciban.suggest import did_you_mean
from deciban.tallies import Tally

__all__ = ["Selecting", "without_columns"]


class Selecting(BayesClassifier):
    """Measuring and choosing columns, for a model with a schema."""

    schema_: Schema

    def associations(self, measure: Measure = "mi") -> dict[str, float]:
        """The association of each column with the class, largest first: "mi", "chi2" or "su" (see `select`)."""
        self._check_fitted()
        used = zip(self.schema_, self.tally_.parts, strict=True)
        found = {plan.name: association(plan.distribution, part, measure) for plan, part in used}
        return dict(sorted(found.items(), key=lambda item: -item[1]))

    def select(self, k: int | None = None, measure: Measure = "mi", *, columns: Collection[str] | None = None) -> Self:
        """Make a model of some columns, the others ignored. Nothing is counted again.

        Parameters
        ----------
        k : how many columns are kept: those with the strongest association with the class
        measure : mutual information ("mi"), χ² ("chi2") or symmetrical uncertainty ("su")
        columns : instead of k, the names of the columns, such as `db.correlation_filter` gives
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


def without_columns(tally: Tally, form: Form, kept: Collection[str]) -> tuple[Tally, Form]:
    """The tally and form in which all columns but the kept ones are ignored."""
    plans = tuple(p if p.name in kept else ColumnPlan(p.name, Ignore(), "not selected") for p in form.schema)
    parts = tuple(
        part if plan.name in kept else no_counts(plan.name, len(tally.classes))
        for plan, part in zip(form.schema, tally.parts, strict=True)
    )
    return replace(tally, parts=parts), replace(form, schema=Schema(plans))
