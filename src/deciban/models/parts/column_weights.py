"""Weights of columns in a naive Bayes model.

    log P(j | x) = log P(j) + Σ_i w_i·log P(x_i | j) + a constant

Naive Bayes counts the evidence of correlated columns several times; weights below 1 correct for it.

=========  ===========================================================================================================
weights    meaning
=========  ===========================================================================================================
"auto"     learned from leave-one-out evidence by the first rows, of `fit` or of the first `partial_fit`
           (`deciban.models.parts.learned_weights`). What is learned later keeps them: `partial_fit`, `learn_one`,
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

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.utils._param_validation import StrOptions

from deciban.errors import ColumnMismatchError, ParameterError
from deciban.estimate import Likelihood
from deciban.estimate.columns.missing import association
from deciban.models.form import Form
from deciban.read import generated_names
from deciban.suggest import did_you_mean
from deciban.tallies import Tally
from deciban.types import Floats

__all__ = ["COLUMN_WEIGHTS", "Groups", "follow_counts", "is_learned", "settle_weights", "weighted"]

Groups = list[tuple[Likelihood, list[int]]]
"""The likelihood of all columns of one distribution, and the indices of these columns."""

COLUMN_WEIGHTS: list[Any] = [StrOptions({"auto", "mi"}), Mapping, "array-like", None]
"""Which values the parameter `weights` takes."""


def weighted(groups: Groups, weights: Floats) -> Groups:
    """Likelihoods of groups of columns, multiplied by the weights of the columns."""
    if (weights == 1.0).all():
        return groups
    return [(likelihood.weighted(weights[indices]), indices) for likelihood, indices in groups]


def settle_weights(given: Any, tally: Tally, form: Form) -> Floats:
    """The weights of all columns, as numbers."""
    if given is None:
        return np.ones(form.columns)
    if is_learned(given):
        return np.ones(form.columns) if form.weights is None else np.array(form.weights)
    if isinstance(given, str):
        return _by_information(tally, form)
    names = form.names or generated_names(form.columns)
    return _checked(_in_order(given, names) if isinstance(given, Mapping) else given, names)


def is_learned(given: Any) -> bool:
    """True where the weights are learned from rows."""
    return isinstance(given, str) and given == "auto"


def follow_counts(given: Any) -> bool:
    """True where the weights change with the counts."""
    return isinstance(given, str) and given == "mi"


def _by_information(tally: Tally, form: Form) -> Floats:
    plans = list(form.schema)
    found = np.array([association(plan.distribution, part) for plan, part in zip(plans, tally.parts, strict=True)])
    used = np.array([not plan.distribution.is_ignored for plan in plans])
    whole = found[used].sum()
    return found * used.sum() / whole if whole > 0 else np.ones(len(found))


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
