"""Columns that weigh more or less than one another.

    log P(j | x) = log P(j) + Σ_i w_i·log P(x_i | j) + a constant

Columns that say the same thing twice are counted twice by naive Bayes; weights below 1 make up for it.

=========  ===========================================================================================================
weights    where they come from
=========  ===========================================================================================================
None       w_i = 1
"mi"       w_i = I(X_i; C) / mean of I over the columns that are not ignored: 1 on average. Zhang and Sheng (2004), with
           mutual information where they have the gain ratio. It follows from the tally, so it changes with all that is
           learned, merged and forgotten
"wanbia"   learned from rows by `fit`: the largest Σ log P(y | x) (Zaidi, Cerquides, Carman and Webb, 2013; see
           `deciban.models.parts.wanbia`). Tallies hold no rows, so `partial_fit`, `merge`, `forget`, `decay`, `select`,
           `save` and `load` keep the weights as they are; `fit` again to learn them again
numbers    by name, 1 for columns that are not named; or in the order of the columns
=========  ===========================================================================================================
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils._param_validation import StrOptions

from deciban.errors import ColumnMismatchError, ParameterError
from deciban.estimate import Likelihood
from deciban.estimate.columns.likelihood import times
from deciban.estimate.columns.missing import association
from deciban.models.base import BayesClassifier
from deciban.models.form import Form
from deciban.models.parts.wanbia import learn_weights
from deciban.read import generated_names
from deciban.suggest import did_you_mean
from deciban.tallies import Tally
from deciban.types import Floats

__all__ = ["Weighing", "settle_weights"]

Groups = list[tuple[Likelihood, list[int]]]


class Weighing(BayesClassifier):
    """`weights`, for a model that is a sum over columns."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "weights": [StrOptions({"mi", "wanbia"}), Mapping, "array-like", None],
    }

    weights: Any
    weights_: dict[str, float]

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Count the rows, estimate, and learn what weights need rows; what was learned before is forgotten.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features)
        y : labels of shape (n_samples,); or the name of the column of X that holds them
        sample_weight : weights of shape (n_samples,), none negative; 1 each when None
        """
        if not _is_learned(self.weights):
            return super().fit(X, y, sample_weight)
        plain = clone(self).set_params(weights=None).fit(X, y, sample_weight)
        learned = learn_weights(plain, X, y, sample_weight)
        return self._adopt(plain.tally_, replace(plain._form, weights=tuple(learned.tolist())))

    def _weighed(self, plain: Groups, tally: Tally, form: Form) -> dict[str, Any]:
        """The likelihoods of columns that weigh what `weights` says, and these weights."""
        weights = settle_weights(self.weights, tally, form)
        names = form.names or generated_names(form.columns)
        is_plain = bool((weights == 1.0).all())
        groups = plain if is_plain else [(each.weighted(weights[places]), places) for each, places in plain]
        return {"_likelihoods": groups, "weights_": dict(zip(names, weights.tolist(), strict=True))}

    def _weigh(self, logs: Floats, places: Sequence[int]) -> Floats:
        """Log-probabilities of some columns, rows × columns × classes, times the weights of these columns."""
        weights = np.array(list(self.weights_.values()))[list(places)]
        return times(weights[:, None], logs)


def settle_weights(given: Any, tally: Tally, form: Form) -> Floats:
    """The weights of all columns, as numbers."""
    if given is None:
        return np.ones(form.columns)
    if _is_learned(given):
        if form.weights is None:
            raise ParameterError(
                "weights='wanbia' are learned from rows, by fit: call it first, and what is learned later keeps them. "
                "Or pass weights='mi', which a tally is enough for."
            )
        return np.array(form.weights)
    if isinstance(given, str):
        return _by_information(tally, form)
    names = form.names or generated_names(form.columns)
    return _checked(_in_order(given, names) if isinstance(given, Mapping) else given, names)


def _is_learned(given: Any) -> bool:
    return isinstance(given, str) and given == "wanbia"


def _by_information(tally: Tally, form: Form) -> Floats:
    plans = list(form.schema)
    found = np.array([association(plan.distribution, part) for plan, part in zip(plans, tally.parts, strict=True)])
    used = np.array([not plan.distribution.is_ignored for plan in plans])
    whole = found[used].sum()
    return found * used.sum() / whole if whole > 0 else np.ones(len(found))


def _in_order(given: Mapping[Any, Any], names: tuple[str, ...]) -> list[Any]:
    strange = [name for name in given if name not in names]
    if strange:
        raise ColumnMismatchError(f"weights names {strange[0]!r}, which is no column.{did_you_mean(strange[0], names)}")
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
        place = int(np.argmax(wrong))
        raise ParameterError(f"the weight of column {names[place]!r} is {weights[place]}, not a number from 0 up.")
    return weights
