"""Learning from tables that are not in memory: what fit decides is decided on a sample, and all rows are counted.

`fit` makes two kinds of things from rows: the form (the distributions of columns, cuts, weights and temperatures) and
the tally. The form is learned from at most 100,000 rows that are spread over the whole source; where the source has no
more rows, it is that of `fit`. The tally is that of all rows, so it is always that of `fit` with this form.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from sklearn.base import clone

from deciban.engines.source import Source, SourceCounting, complete_sample, tally_source
from deciban.read import column_of, split_target
from deciban.tallies import Tally

__all__ = ["SAMPLE", "ModelCounting", "fit_source", "planned_model", "split_weight"]


SAMPLE = 100_000
"""The number of rows from which the form of a model is learned."""


@dataclass(frozen=True)
class ModelCounting(SourceCounting[Tally]):
    """Counts batches in the way of a fitted model."""

    model: Any
    target: str
    sample_weight: str | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        weight = () if self.sample_weight is None else (self.sample_weight,)
        return (*self.model._form.names, self.target, *weight)

    @property
    def required(self) -> tuple[str, ...]:
        return (self.target,) if self.sample_weight is None else (self.target, self.sample_weight)

    @property
    def described(self) -> str:
        settings = repr((sorted(self.model.get_params().items(), key=str), self.model._form))
        return f"{type(self.model).__name__} of {self.target!r} ({sha256(settings.encode()).hexdigest()[:16]})"

    def __call__(self, batch: Any) -> Tally:
        rows, weights = split_weight(batch, self.sample_weight)
        tally: Tally = self.model._tally_of(rows, self.target, weights)
        return tally


def fit_source(model: Any, source: Source, target: str, sample_weight: str | None = None, *, sample: Any = None) -> Any:
    """Fit a model on all rows of a source; `sample` are those that its form is learned from, if they are in memory.

    The model has the columns of the sample, which may lack some of the source's.
    """
    planned = planned_model(model, source, target, sample_weight, sample=sample)
    total = tally_source(source, ModelCounting(planned, target, sample_weight))
    return model._become(planned._adopt(total, planned._form))


def planned_model(model: Any, source: Source, target: str, sample_weight: str | None, *, sample: Any = None) -> Any:
    """The model, fitted on rows that are spread over a source."""
    if sample is None:
        required = (target,) if sample_weight is None else (target, sample_weight)
        sample = complete_sample(source, SAMPLE, required)
    rows, weights = split_weight(sample, sample_weight)
    return clone(model).fit(rows, target, weights)


def split_weight(batch: Any, name: str | None) -> tuple[Any, Any]:
    """The table without the column of the weights, and the weights; None where no column is named."""
    if name is None:
        return batch, None
    rows, weights, _ = split_target(batch, name)
    return rows, column_of(name, weights).numbers
