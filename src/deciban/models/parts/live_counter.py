"""Counts that learn one row at a time, and score single rows in between.

Each column is counted by itself (`LiveColumn`). Where the likelihood of a value follows from a column's counts in a few
steps, it is computed for that value; other columns are estimated again when they are first scored after a row was
learned.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from deciban.errors import InputError, InputTypeError
from deciban.estimate import ColumnDistribution, Smoothing, settle_priors
from deciban.estimate.columns.likelihood import OneValue
from deciban.estimate.columns.missing import estimate_columns, live_column
from deciban.estimate.columns.values import is_missing
from deciban.estimate.live.base import LiveColumn, Setting
from deciban.models.form import Form
from deciban.models.parts.one_row import check_row, type_error
from deciban.models.parts.row_scorer import RowScorer
from deciban.models.tables.schema import Schema
from deciban.read import plain
from deciban.tallies import Tally
from deciban.types import Floats

__all__ = ["LiveCounter", "check_label"]


class LiveCounter:
    """All counts of a naive Bayes model, ready for more rows of the classes of the tally that it starts with.

    `weights` are those of the columns, where they do not change with the counts; 1 each when None.
    """

    def __init__(
        self, tally: Tally, form: Form, setting: Setting, smoothing: Smoothing, weights: Floats | None = None
    ) -> None:
        schema: Schema = form.schema
        self._classes = tally.classes
        self._codes = {label: j for j, label in enumerate(tally.classes.labels.tolist())}
        self._counts: list[float] = tally.class_counts.tolist()
        self._columns = [
            live_column(plan.distribution, part, setting._replace(name=plan.name))
            for plan, part in zip(schema, tally.parts, strict=True)
        ]
        self._names = form.allowed(column.name for column in self._columns)
        self._readers = [(column.name, column.read) for column in self._columns]
        self._adders = [column.add for column in self._columns]
        self._groups = [
            _Group(kind, [self._columns[i] for i in indices], smoothing) for kind, indices in schema.by_kind().items()
        ]
        self._slow = [group for group in self._groups if not group.scores]
        scorers = [pair for group in self._groups for pair in group.scorers()]
        order = [i for indices in schema.by_kind().values() for i in indices]
        self.row = RowScorer(self._names, scorers, weights=None if weights is None else weights[order].tolist())

    def code_of(self, label: Any) -> int | None:
        """The code of a class; None for a new one. A value that cannot be a label is an error."""
        try:
            found = self._codes.get(label)
            return self._codes.get(plain(label)) if found is None else found
        except TypeError:
            check_label(label)
            raise

    def learn(self, row: Mapping[str, Any], j: int) -> None:
        """Count one row in class j; a row with an error in it is not counted at all."""
        check_row(row, self._names)
        get = row.get
        try:
            values = [read(get(name)) for name, read in self._readers]
        except TypeError as error:
            raise type_error(row, error) from error
        for add, value in zip(self._adders, values, strict=True):
            if value is not None:
                add(value, j)
        self._counts[j] += 1
        for group in self._slow:
            group.is_stale = True

    def tally(self) -> Tally:
        """The tally of all rows."""
        return Tally(self._classes, np.array(self._counts), tuple(column.part() for column in self._columns))

    def prior(self, priors: Any) -> list[float]:
        """log P(class) from the present counts."""
        if isinstance(priors, str) and priors == "empirical":
            whole = math.log(sum(self._counts))
            return [math.log(n) - whole if n > 0 else -math.inf for n in self._counts]
        return settle_priors(priors, np.array(self._counts), list(self._codes)).tolist()


def check_label(label: Any) -> None:
    """Refuse a label that is missing, or of a type that cannot be one."""
    if not isinstance(label, Hashable):
        raise InputTypeError(f"the label is {label!r}, which cannot be one: use text or a number.")
    if is_missing(label):
        raise InputError(f"the label is {label!r}: every row needs a label.")


class _Group:
    """Columns of equal distributions, which are estimated together where they cannot score values by themselves."""

    def __init__(self, kind: ColumnDistribution, columns: Sequence[LiveColumn], smoothing: Smoothing) -> None:
        self.is_stale = True
        self._kind, self._columns, self._smoothing = kind, columns, smoothing
        self._scorers: list[OneValue] = []
        self.scores = all(column.scores for column in columns)

    def scorers(self) -> list[tuple[str, OneValue]]:
        return [
            (column.name, column.score if column.scores else self._scorer(i)) for i, column in enumerate(self._columns)
        ]

    def _scorer(self, i: int) -> OneValue:
        def score(value: Any) -> Sequence[float]:
            if self.is_stale:
                self._estimate()
            return self._scorers[i](value)

        return score

    def _estimate(self) -> None:
        likelihood = estimate_columns(self._kind, [column.part() for column in self._columns], self._smoothing)
        names = [column.name for column in self._columns]
        self._scorers = [likelihood.one(i, names, self._columns[i].markers) for i in range(len(names))]
        self.is_stale = False
