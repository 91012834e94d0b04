"""Single rows of naive Bayes: `learn_one`, `predict_one` and `predict_proba_one`.

A live counter holds the counts of all rows (`LiveCounter`). It is made when a single row is first learned or predicted,
and dropped when anything else is learned. After `learn_one` the tally and the estimates are out of date: they are
removed, and made again when they are next used, so a stream of rows that are predicted and learned never estimates the
whole model.

The core has a class for the counts (`LiveRow`): it reads a dict of names to values, adds it to the counts, and sums up
the log-likelihoods of a row from the counts as they are. Columns whose likelihood does not follow from their counts in
a few steps are estimated again when they are first scored after a row was learned.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from deciban.errors import InputError, InputTypeError
from deciban.estimate import Categorical, ColumnDistribution, Gaussian, Likelihood, Smoothing, settle_priors
from deciban.estimate.likelihood import OneValue
from deciban.estimate.live import LiveColumn, LiveRow, Setting
from deciban.estimate.missing import estimate_columns, live_column
from deciban.estimate.values import Markers, is_missing
from deciban.models.estimates import Estimates
from deciban.models.form import Form, check_row, type_error
from deciban.models.schema import ColumnPlan, Defaults, Schema, wanted_columns
from deciban.read import plain
from deciban.tallies import Counts, Tally
from deciban.types import Floats

__all__ = ["LiveCounter", "check_label", "form_of_first_row"]


class LiveCounter:
    """All counts of a naive Bayes model, ready for more rows of the classes of the tally that it starts with.

    `estimates` are those from the tally, and `priors` the parameter of the model.
    """

    def __init__(
        self, tally: Tally, form: Form, setting: Setting, smoothing: Smoothing, priors: Any, estimates: Estimates
    ) -> None:
        schema: Schema = form.schema
        self._classes, self._priors, self._dtype = tally.classes, priors, tally.class_counts.dtype
        self._codes = {label: j for j, label in enumerate(tally.classes.labels.tolist())}
        self._labels = tally.classes.known_labels  # finds labels that are equal but of another type, such as 1 and 1.0
        self._is_coded = any(isinstance(part, Counts) and part.variable.is_coded for part in tally.parts)
        self._columns = [
            live_column(plan.distribution, part, setting._replace(name=plan.name), smoothing)
            for plan, part in zip(schema, tally.parts, strict=True)
        ]
        kinds = zip(schema.by_kind().items(), estimates.groups, strict=True)
        groups = [_Group(kind, self._columns, at, smoothing, likelihood) for (kind, at), (likelihood, _) in kinds]
        scorers = {index: group.scorer(i) for group in groups for i, index in enumerate(group.at)}
        names = [column.name for column in self._columns]
        row_columns = [column.row_column(scorers[i]) for i, column in enumerate(self._columns)]
        counts = tally.class_counts.astype(np.float64)
        self.row = LiveRow(names, row_columns, counts, partial(check_row, names=form.allowed(names)))
        self._slow = [group for group in groups if not all(self._columns[i].scores for i in group.at)]
        self._prior = estimates.prior.tolist()
        self.weigh(estimates.weights)

    def code_of(self, label: object) -> int | None:
        """The code of a class; None where the row must be learned as a table. What cannot be a label is an error."""
        try:
            found = self._codes.get(label)
            found = self._codes.get(self._labels.find(plain(label))) if found is None else found
        except TypeError:
            check_label(label)
            raise
        return None if self._is_coded else found  # a table lists the states of a coded column

    def learn(self, row: dict[str, Any], j: int) -> None:
        """Count one row in class j; a row with an error in it is not counted at all."""
        try:
            is_full = self.row.learn(row, j)
        except TypeError as error:
            raise type_error(row, error) from error
        self._prior = None
        for group in self._slow:
            group.is_stale = True
        if is_full:  # a column that buffers its values has to count them before the next row
            for column in self._columns:
                column.part()

    def tally(self) -> Tally:
        """The tally of all rows."""
        counts = self.row.class_counts().astype(self._dtype)
        return Tally(self._classes, counts, tuple(column.part() for column in self._columns))

    def weigh(self, weights: Floats) -> None:
        """Use these weights of the columns; columns that do not score by themselves have them in their likelihoods."""
        for group in self._slow:
            group.weights = weights[group.at]
        are_slow = [not column.scores for column in self._columns]
        self.row.set_weights(np.where(are_slow, 1.0, weights))

    def posterior(self, row: dict[str, Any]) -> list[float]:
        """P(class | row); the prior where the row is impossible in every class."""
        try:
            return self.row.posterior(row, self._prior or self._settle_prior())
        except TypeError as error:
            raise type_error(row, error) from error

    def best(self, row: dict[str, Any]) -> int:
        """The code of the most probable class, the first of equals."""
        try:
            return self.row.best(row, self._prior or self._settle_prior())
        except TypeError as error:
            raise type_error(row, error) from error

    def likelihood(self, row: dict[str, Any]) -> list[float]:
        """log P(row | class)."""
        try:
            return self.row.joint(row, [0.0] * len(self._codes))
        except TypeError as error:
            raise type_error(row, error) from error

    def _settle_prior(self) -> list[float] | None:
        """log P(class) from the present counts; None for the core's own, the relative frequencies."""
        if isinstance(self._priors, str) and self._priors == "empirical":
            return None
        self._prior = settle_priors(self._priors, self.row.class_counts(), list(self._codes)).tolist()
        return self._prior


def check_label(label: object) -> None:
    """Refuse a label that is missing, or of a type that cannot be one."""
    if not isinstance(label, Hashable):
        raise InputTypeError(f"the label is {label!r}, which cannot be one: use text or a number.")
    if is_missing(label):
        raise InputError(f"the label is {label!r}: every row needs a label.")


class _Group:
    """Columns of equal distributions, `at` these indices, which are estimated together."""

    weights: Floats

    def __init__(
        self,
        kind: ColumnDistribution,
        columns: Sequence[LiveColumn],
        at: Sequence[int],
        smoothing: Smoothing,
        likelihood: Likelihood,
    ) -> None:
        self.at = list(at)
        self.is_stale = False
        self._kind, self._columns, self._smoothing = kind, [columns[i] for i in at], smoothing
        self._scorers = self._scorers_of(likelihood) if not self._columns[0].scores else []

    def scorer(self, i: int) -> OneValue:
        """A function that scores values of the i-th column."""

        def score(value: Any) -> Sequence[float]:
            if self.is_stale:
                parts = [column.part() for column in self._columns]
                likelihood = estimate_columns(self._kind, parts, self._smoothing)
                self._scorers = self._scorers_of(likelihood.weighted(self.weights))
                self.is_stale = False
            return self._scorers[i](value)

        return score

    def _scorers_of(self, likelihood: Likelihood) -> list[OneValue]:
        names = [column.name for column in self._columns]
        return [likelihood.one(i, names, column.markers) for i, column in enumerate(self._columns)]


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
