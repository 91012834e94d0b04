"""What naive Bayes estimates from a tally: priors, and the likelihoods of columns, grouped by distribution."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from deciban.errors import ParameterError
from deciban.estimate import Smoothing, settle_priors
from deciban.estimate.columns.likelihood import Contest, times
from deciban.estimate.columns.missing import estimate_columns, leave_one_out
from deciban.estimate.columns.values import Markers, is_missing
from deciban.explain import DocumentExplanation
from deciban.limits import check_memory
from deciban.models.export.forms import NamedFormula
from deciban.models.form import Form
from deciban.models.parts.column_weights import Groups, settle_weights, weighted
from deciban.models.tables.schema import Schema
from deciban.read import Table
from deciban.read.drawn import Drawn
from deciban.tallies import Tally
from deciban.types import Codes, Floats

__all__ = ["Estimates", "left_out_columns", "left_out_likelihood"]

_BLOCK = 1 << 23
"""Rows × columns × classes that are left out at once."""


class Estimates(NamedTuple):
    """log P(class), the weights of the columns, and log P(value | class), multiplied by these weights."""

    prior: Floats
    weights: Floats
    groups: Groups

    @classmethod
    def of(cls, tally: Tally, form: Form, *, smoothing: Smoothing, priors: Any, weights: Any) -> Estimates:
        """Estimate from the counts of a tally."""
        groups = [
            (estimate_columns(kind, [tally.parts[i] for i in indices], smoothing), indices)
            for kind, indices in form.schema.by_kind().items()
        ]
        prior = settle_priors(priors, tally.class_counts, tally.classes.labels.tolist())
        return cls(prior, np.ones(form.columns), groups).weighted(settle_weights(weights, tally, form))

    def weighted(self, weights: Floats) -> Estimates:
        """The estimates with these weights, of estimates without weights."""
        return Estimates(self.prior, weights, weighted(self.groups, weights))

    def likelihood(self, data: Table) -> Floats:
        """log P(row | class): rows × classes."""
        parts = [likelihood.rows([data.columns[i] for i in indices]) for likelihood, indices in self.groups]
        out = parts[0]
        for part in parts[1:]:
            out += part
        return out

    def explained(self, values: Sequence[Any], contest: Contest) -> dict[int, DocumentExplanation]:
        """The explanations of the texts of a row, word by word, by the index of the column; missing ones have none."""
        found = {
            index: likelihood.explained(i, values[index], contest)
            for likelihood, indices in self.groups
            for i, index in enumerate(indices)
            if not is_missing(values[index])
        }
        return {index: held for index, held in found.items() if isinstance(held, DocumentExplanation)}

    def draw(self, y: Codes, rng: np.random.Generator) -> list[Drawn]:
        """A value of each column for each row, given the classes of the rows."""
        found = {
            index: likelihood.draw(i, y, rng) for likelihood, indices in self.groups for i, index in enumerate(indices)
        }
        return [found[index] for index in range(len(self.weights))]

    def formulas(self, schema: Schema, markers: Markers, numerals: Collection[str]) -> list[NamedFormula]:
        """The closed forms of the columns that are not ignored; an error that names one without."""
        found = {}
        for likelihood, indices in self.groups:
            for i, index in enumerate(indices):
                name, kind = schema.plans[index].name, schema.plans[index].distribution
                formula = likelihood.formula(i)
                if formula is None:
                    raise ParameterError(
                        f"column {name!r} is {type(kind).__name__}(), whose likelihood is not a formula of the value. "
                        "Use another distribution, such as Binned() for numbers, or Ignore()."
                    )
                if not kind.is_ignored:
                    checked = replace(formula, missing=None) if kind.missing == "error" else formula
                    found[index] = NamedFormula(name, checked, markers, name in numerals)
        return [found[index] for index in sorted(found)]

    def columns(self, data: Table) -> Floats:
        """log P(value | class): rows × columns × classes."""
        out = np.zeros((len(data), len(data.columns), len(self.prior)))
        for likelihood, indices in self.groups:
            out[:, indices] = likelihood.columns([data.columns[i] for i in indices])
        return out


def left_out_likelihood(
    data: Table, rows: tuple[Codes, Floats], tally: Tally, form: Form, smoothing: Smoothing, weights: Floats
) -> Floats:
    """log P(row | class) of counted rows, each without its own counts; `rows` are their classes and weights.

    Rows are scored block by block, so that little memory is needed beside the result.
    """
    check_memory("leave-one-out", len(data), len(tally.classes), advice="Pass fewer rows.")
    out = np.zeros((len(data), len(tally.classes)))
    for block, _, logs in _left_out_blocks(data, rows, tally, form, smoothing, weights):
        out[block] += logs.sum(axis=1)
    return out


def left_out_columns(
    data: Table, rows: tuple[Codes, Floats], tally: Tally, form: Form, smoothing: Smoothing, weights: Floats
) -> Floats:
    """log P(x_i | class) of counted rows, each without its own counts: rows × columns × classes."""
    check_memory("leave-one-out", *data.shape, len(tally.classes), advice="Pass fewer rows.")
    out = np.zeros((*data.shape, len(tally.classes)))
    for block, indices, logs in _left_out_blocks(data, rows, tally, form, smoothing, weights):
        out[block, indices] = logs
    return out


def _left_out_blocks(
    data: Table, rows: tuple[Codes, Floats], tally: Tally, form: Form, smoothing: Smoothing, weights: Floats
) -> Iterator[tuple[slice, list[int], Floats]]:
    """Some rows, the indices of columns of one kind, and their weighted logs: rows × columns × classes."""
    groups, classes, (y, own) = form.schema.by_kind(), len(tally.classes), rows
    step = max(_BLOCK // (max(map(len, groups.values())) * classes), 1)
    for start in range(0, len(data), step):
        block = slice(start, start + step)
        for kind, indices in groups.items():
            parts, columns = [tally.parts[i] for i in indices], [data.columns[i].take(block) for i in indices]
            logs = leave_one_out(kind, parts, columns, (y[block], own[block]), smoothing)
            yield block, indices, times(weights[indices, None], logs)
