"""Choosing columns of a fitted model: the counts of the others are removed, nothing is counted again.

`associations` and `select` are methods of the classifiers that have them as attributes.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from sklearn.base import clone

from deciban.errors import ColumnMismatchError, ParameterError
from deciban.estimate import Ignore
from deciban.estimate.columns.missing import association
from deciban.estimate.distributions.ignore import no_counts
from deciban.models.base import BayesClassifier
from deciban.models.form import Form
from deciban.models.options import Measure
from deciban.models.tables.schema import ColumnPlan, Schema
from deciban.suggest import did_you_mean
from deciban.tallies import Tally
from deciban.ties import largest_first

__all__ = ["associations", "known_columns", "select", "without_columns"]

Model = TypeVar("Model", bound=BayesClassifier)


def associations(self: Any, measure: Measure = "mi") -> dict[str, float]:
    """Compute the association of each column with the class, largest first.

    Parameters
    ----------
    measure : {"mi", "chi2", "su"}
        Mutual information in nats, χ², or symmetrical uncertainty.

    Returns
    -------
    associations : dict
        The association of each column, by its name.

    Examples
    --------
    >>> import deciban as db
    >>> days = {"sky": ["sun", "sun", "rain", "rain"], "moon": ["new", "full", "new", "full"]}
    >>> model = db.NaiveBayes().fit(days, ["play", "play", "stay", "stay"])
    >>> {name: round(value, 3) for name, value in model.associations().items()}
    {'sky': 0.693, 'moon': 0.0}
    """
    self._check_fitted()
    pairs = zip(self.schema_, self.tally_.parts, strict=True)
    found = {plan.name: association(plan.distribution, part, measure) for plan, part in pairs}
    return dict(largest_first(found.items(), lambda item: item[1]))


def select(
    self: Model, k: int | None = None, measure: Measure = "mi", *, columns: Collection[str] | None = None
) -> Model:
    """Make a model of some columns, the others ignored. Nothing is counted again; the columns keep their weights.

    Parameters
    ----------
    k : int, optional
        The number of columns: those with the largest association with the class.
    measure : {"mi", "chi2", "su"}
        The measure of association, as in `associations`.
    columns : collection of str, optional
        Instead of `k`, the names of columns, such as `db.correlation_filter` returns.

    Returns
    -------
    model : a new fitted model
        This one is not changed.

    Examples
    --------
    >>> import deciban as db
    >>> days = {"sky": ["sun", "sun", "rain", "rain"], "moon": ["new", "full", "new", "full"]}
    >>> model = db.NaiveBayes().fit(days, ["play", "play", "stay", "stay"]).select(1)
    >>> [(plan.name, type(plan.distribution).__name__) for plan in model.schema_]
    [('sky', 'Categorical'), ('moon', 'Ignore')]
    """
    if (k is None) == (columns is None):
        raise ParameterError("select takes how many columns, or their names: pass k or columns.")
    self._check_fitted()
    kept = list(associations(self, measure))[:k] if columns is None else known_columns(columns, self._names())
    return clone(self)._adopt(*without_columns(self.tally_, self._form, kept))


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
    weights = form.weights and tuple(w if p.name in kept else 1.0 for p, w in zip(plans, form.weights, strict=True))
    return replace(tally, parts=parts), replace(form, schema=Schema(plans), weights=weights)
