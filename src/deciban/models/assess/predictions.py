"""Predictions to score a model by: of other rows as they are, of learned rows as if they had not been learned.

A model is too sure of rows that it has learned. Where the rows are those that it was fitted on, which their tally
shows, they are predicted by leave-one-out, or held out in turn where a model has no leave-one-out.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from deciban.decide import Report, evaluate
from deciban.errors import InputError
from deciban.models.parts.decider import labels_of
from deciban.read import split_target
from deciban.tallies.same import is_same_sample
from deciban.types import AnyArray, Floats

__all__ = ["Origin", "Predictions", "named_target", "predict_honestly"]

Origin = Literal["leave-one-out", "held-out", "learned", "other", "unknown"]
"""How rows were predicted: as if they had not been learned (one at a time, or in parts); although they were learned; as
rows that the model has not learned; or it is not known whether it has."""


class Predictions(NamedTuple):
    """Posteriors, decisions (None where rejected), how they were made, and their comparison with the true classes."""

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
    posterior, origin = _posterior(model, X, y)
    if origin in ("leave-one-out", "held-out"):
        calibration = model._calibration()
        posterior = posterior if calibration is None else calibration.apply(posterior)
        codes = model._decider().decide_by(posterior, model._prior, model.classes_)
        decided = labels_of(codes, model.classes_)
    else:
        decided = model.predict(X)
    scores = evaluate(y, decided.tolist(), posterior=posterior, labels=model.classes_)
    return Predictions(posterior, decided, origin, scores)


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


def _posterior(model: Any, X: Any, y: Any) -> tuple[Floats, Origin]:
    if not hasattr(model, "_tally_of"):
        return model.predict_proba(X), "unknown"
    batch, _ = model._tally_of(X, y, None, model._form)
    if not is_same_sample(model.tally_, batch):
        return model.predict_proba(X), "other"
    if hasattr(model, "loo_predict_proba"):
        return model.loo_predict_proba(X, y), "leave-one-out"
    if hasattr(model, "calibrate"):
        return model._honest_posterior(X, y, None, True), "held-out"
    return model.predict_proba(X), "learned"
