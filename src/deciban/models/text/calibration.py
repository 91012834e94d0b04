"""Held-out posteriors of the documents that a text model was fitted on, to calibrate it.

Where single documents can be taken out of the counts (`leave_one_out.py`), each is predicted without itself. Otherwise
a tenth of the documents at a time is subtracted from the tally and predicted by the model of the others.
"""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np

from deciban.decide import finish
from deciban.errors import ParameterError
from deciban.estimate import Smoothing, empirical_priors
from deciban.models.text.leave_one_out import leave_documents_out
from deciban.read import read_target, read_weights
from deciban.read.documents import Documents
from deciban.tallies.leave_one_out import weight_left
from deciban.types import AnyArray, Codes, Floats

__all__ = ["held_out_posterior"]

_FOLDS = 10


def held_out_posterior(model: Any, documents: list[Any], y: Any, sample_weight: Any) -> Floats:
    """The posteriors of all documents that a `TextNB` has learned, each by a model without it."""
    if model.event == "twcnb":
        raise ParameterError(
            'event="twcnb" weights tokens by all documents at once, so none can be left out: calibrate it on other '
            "documents."
        )
    target, weights = read_target(y, len(documents)), read_weights(sample_weight, len(documents))
    is_exact = model.event in ("boolean", "multinomial") and model.length == "none" and model.n_bits is None
    if not is_exact:
        return _without_folds(model, documents, target.classes.labels[target.codes], weights)
    codes = model.tally_.classes.encode(target.classes.labels)[target.codes]
    return _without_each(model, documents, codes, np.ones(len(codes)) if weights is None else weights)


def _without_each(model: Any, documents: list[Any], codes: Codes, weights: Floats) -> Floats:
    """Leave-one-out."""
    rule = model.smoothing if isinstance(model.smoothing, Smoothing) else None
    prior = _priors_without_own(model, codes, weights)
    likelihood = leave_documents_out(model._model, Documents(documents), codes, weights, rule)
    joint = prior + likelihood / model.temperature
    impossible = np.isneginf(joint).all(axis=1)
    joint[impossible] = prior[impossible]
    return finish(joint, model._prior, "posterior")


def _priors_without_own(model: Any, codes: Codes, weights: Floats) -> Floats:
    """log P(class) for each document, from the other documents."""
    priors = model.priors
    if not isinstance(priors, Smoothing) and not (isinstance(priors, str) and priors == "empirical"):
        return np.tile(model._prior, (len(codes), 1))
    own = np.zeros((len(codes), len(model.classes_)))
    own[np.arange(len(codes)), codes] = weights
    return empirical_priors(
        weight_left(model.tally_.class_counts, own), priors if isinstance(priors, Smoothing) else None
    )


def _without_folds(model: Any, documents: list[Any], labels: AnyArray, weights: Floats | None) -> Floats:
    """Cross-validation, by subtracting each fold from the tally."""
    posterior = np.empty((len(documents), len(model.classes_)))
    for first in range(min(_FOLDS, len(documents))):
        rows = np.arange(first, len(documents), _FOLDS)
        fold = [documents[row] for row in rows.tolist()]
        own, form = model._tally_of(fold, labels[rows], None if weights is None else weights[rows], model._form)
        rest = copy(model)
        rest._adopt(model.tally_ - own, form)
        posterior[rows] = rest.predict_proba(fold)
    return posterior
