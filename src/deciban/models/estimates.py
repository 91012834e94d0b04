"""What naive Bayes estimates from a tally: priors, and the likelihoods of columns, grouped by distribution.

Weights of columns in a naive Bayes model.

    log P(j | x) = log P(j) + Σ_i w_i·log P(x_i | j) + a constant

Naive Bayes counts the evidence of correlated columns several times; weights below 1 correct for it.

=========  ===========================================================================================================
weights    meaning
=========  ===========================================================================================================
"auto"     learned from leave-one-out evidence by the first rows, of `fit` or of the first `partial_fit`
           (`deciban.models.learned_weights`). What is learned later keeps them: `partial_fit`, `learn_one`,
           `forget`, `decay`, `select`, `save` and `load`; `merge` averages those of both models by the number of rows
           they were learned from; `fit` learns them again. A model that begins with `learn_one` or `from_tally` has no
           rows to learn them from: they are 1, or those of a model that is merged
None       w_i = 1, textbook naive Bayes
"mi"       w_i = I(X_i; C) / mean of I over the columns that are not ignored: 1 on average. Zhang and Sheng (2004), with
           mutual information in place of the gain ratio. The weights follow from the tally, so they change with all
           rows that are learned, merged and forgotten
numbers    by name, 1 for columns that are not named; or in the order of the columns
=========  ===========================================================================================================
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils._param_validation import StrOptions

from deciban.choices import did_you_mean
from deciban.errors import ColumnMismatchError, ParameterError
from deciban.estimate import Likelihood, Smoothing, settle_priors
from deciban.estimate.closed_form import NamedFormula
from deciban.estimate.drawing import Drawn
from deciban.estimate.likelihood import Contest, times
from deciban.estimate.missing import association, estimate_columns, leave_one_out
from deciban.estimate.values import Markers, is_missing
from deciban.explain import DocumentExplanation
from deciban.limits import check_memory
from deciban.models.form import Form
from deciban.models.schema import Schema
from deciban.read import Table, generated_names
from deciban.tallies import Tally
from deciban.types import Codes, Floats

__all__ = [
    "COLUMN_WEIGHTS",
    "Estimates",
    "follow_counts",
    "is_learned",
    "left_out_columns",
    "left_out_likelihood",
    "settle_weights",
]


_BLOCK = 1 << 23
"""Rows × columns × classes that are left out at once: 64 MB."""


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
        explanations = {
            index: likelihood.explained(i, values[index], contest)
            for likelihood, indices in self.groups
            for i, index in enumerate(indices)
            if not is_missing(values[index])
        }
        return {index: text for index, text in explanations.items() if isinstance(text, DocumentExplanation)}

    def draw(self, y: Codes, rng: np.random.Generator) -> list[Drawn]:
        """A value of each column for each row, given the classes of the rows."""
        drawn = {
            index: likelihood.draw(i, y, rng) for likelihood, indices in self.groups for i, index in enumerate(indices)
        }
        return [drawn[index] for index in range(len(self.weights))]

    def formulas(self, schema: Schema, markers: Markers, numerals: Collection[str]) -> list[NamedFormula]:
        """The closed forms of the columns that are not ignored; an error that names one without."""
        formulas = {}
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
                    formulas[index] = NamedFormula(name, checked, markers, name in numerals)
        return [formulas[index] for index in sorted(formulas)]

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


Groups = list[tuple[Likelihood, list[int]]]
"""The likelihood of all columns of one distribution, and the indices of these columns."""

COLUMN_WEIGHTS: list[Any] = [StrOptions({"auto", "mi"}), Mapping, "array-like", None]
"""Which values the parameter `weights` takes."""


def weighted(groups: Groups, weights: Floats) -> Groups:
    """Likelihoods of groups of columns, multiplied by the weights of the columns."""
    if (weights == 1.0).all():  # the tables are shared, not copied
        return groups
    return [(likelihood.weighted(weights[indices]), indices) for likelihood, indices in groups]


def settle_weights(given: Any, tally: Tally, form: Form) -> Floats:
    """The weights of all columns, as numbers."""
    if given is None:
        return np.ones(form.columns)
    if is_learned(given):
        return np.ones(form.columns) if form.weights is None else np.array(form.weights)
    if isinstance(given, str):
        # Zhang and Sheng (2004), with mutual information in place of the gain ratio; ignored columns take no share.
        gains = np.array([association(p.distribution, part) for p, part in zip(form.schema, tally.parts, strict=True)])
        used = np.array([not plan.distribution.is_ignored for plan in form.schema])
        whole = gains[used].sum()
        return gains * used.sum() / whole if whole > 0 else np.ones(len(gains))
    names = form.names or generated_names(form.columns)
    return _checked(_in_order(given, names) if isinstance(given, Mapping) else given, names)


def is_learned(given: Any) -> bool:
    """True where the weights are learned from rows."""
    return isinstance(given, str) and given == "auto"


def follow_counts(given: Any) -> bool:
    """True where the weights change with the counts."""
    return isinstance(given, str) and given == "mi"


def _in_order(given: Mapping[Any, Any], names: tuple[str, ...]) -> list[Any]:
    unknown = [name for name in given if name not in names]
    if unknown:
        raise ColumnMismatchError(f"weights names {unknown[0]!r}, which is no column.{did_you_mean(unknown[0], names)}")
    return [given.get(name, 1.0) for name in names]


def _checked(given: Any, names: tuple[str, ...]) -> Floats:
    try:
        weights = np.array(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError(f"weights are numbers from 0 up, not {given!r}.") from None
    if weights.shape != (len(names),):
        raise ParameterError(f"weights has the shape {weights.shape}, but there are {len(names)} columns.")
    wrong = ~(np.isfinite(weights) & (weights >= 0))
    if wrong.any():
        i = int(np.argmax(wrong))
        raise ParameterError(f"the weight of column {names[i]!r} is {weights[i]}, not a number from 0 up.")
    return weights
