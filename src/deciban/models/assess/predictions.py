"""Predictions to score a model by: of other rows as they are, of learned rows as if they had not been learned.

A model is too sure of rows that it has learned. Where the rows are those that it was fitted on, which their tally
shows, they are predicted by leave-one-out, or held out in turn where a model has no leave-one-out.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np

from deciban.decide import Report, evaluate
from deciban.errors import InputError
from deciban.models.parts.decider import labels_of
from deciban.models.parts.leave_one_out import left_out_posterior
from deciban.models.summary import rows_to_score, spread_rows
from deciban.read import split_target
from deciban.read.making import take_rows
from deciban.tallies.same import is_same_sample
from deciban.types import AnyArray, Floats

__all__ = ["Origin", "Predictions", "named_target", "predict_honestly"]

Origin = Literal["leave-one-out", "held-out", "learned", "other", "unknown"]
"""How rows were predicted: as if they had not been learned (one at a time, or in parts); although they were learned; as
rows that the model has not learned; or it is not known whether it has."""


class Predictions(NamedTuple):
    """Predictions of rows with known classes.

    Attributes
    ----------
    rows : the indices of the predicted rows: all, or of a large table that was learned some that are spread over it
    posterior, decided : the posteriors and the decisions (None where rejected)
    origin : how they were made
    scores : their comparison with the true classes
    """

    rows: AnyArray
    posterior: Floats
    decided: AnyArray
    origin: Origin
    scores: Report


def predict_honestly(model: Any, X: Any, y: Any) -> Predictions:
    """Predict rows with known classes, learned ones as if they had not been learned, and score the predictions.

    `y` are labels, or the name of a column of X.
    """
    model._check_fitted()
    X, y, _ = split_target(X, y)
    origin = _origin(model, X, y)
    if origin in ("leave-one-out", "held-out"):
        rows = spread_rows(len(y), rows_to_score(model))
        X, y = (X, y) if len(rows) == len(y) else (take_rows(X, rows), take_rows(y, rows))
        posterior = left_out_posterior(model, X, y)
        decided = labels_of(model._decider().decide_by(posterior, model._prior, model.classes_), model.classes_)
    else:
        posterior, decided = model.predict_proba(X), model.predict(X)
        rows = np.arange(len(posterior))
    scores = evaluate(y, decided.tolist(), posterior=posterior, labels=model.classes_)
    return Predictions(rows, posterior, decided, origin, scores)


def named_target(model: Any, y: Any) -> Any:
    """The labels, or the name of their column: that which the model was fitted with, where none are passed."""
    if y is not None:
        return y
    form = getattr(model, "_form", None)
    if form is None or form.target is None:
        raise InputError(
            "the classes of the rows are needed: pass y, one label for each row, or the name of the column of X."
        )
    return form.target


def _origin(model: Any, X: Any, y: Any) -> Origin:
    if not hasattr(model, "_tally_of"):
        return "unknown"
    batch, _ = model._tally_of(X, y, None, model._form)
    if not is_same_sample(model.tally_, batch):
        return "other"
    if hasattr(model, "loo_predict_proba"):
        return "leave-one-out"
    return "held-out" if hasattr(model, "calibrate") else "learned"
