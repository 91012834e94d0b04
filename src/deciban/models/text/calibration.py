"""Held-out predictions of the documents that a text model was fitted on, to calibrate it and to learn its temperature.

Where single documents can be taken out of the counts (`leave_one_out.py`), each is predicted without itself. Otherwise
a tenth of the documents at a time is subtracted from the tally and predicted by the model of the others.
"""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np

from deciban.decide import finish
from deciban.errors import ParameterError
from deciban.estimate import Smoothing, settle_priors
from deciban.models.parts.leave_one_out import prior_without_own
from deciban.models.text.leave_one_out import leave_documents_out
from deciban.models.text.temperature import document_temperatures, documents_to_leave_out, least_loss
from deciban.read import read_target, read_weights
from deciban.read.documents import Documents
from deciban.tallies import Sample
from deciban.types import AnyArray, Codes, Floats

__all__ = ["held_out_posterior", "learned_temperature"]

_FOLDS = 10
_ENOUGH = 100


def held_out_posterior(model: Any, documents: list[Any], y: Any, sample_weight: Any) -> Floats:
    """The posteriors of all documents that a `TextNB` has learned, each by a model without it."""
    if model.event == "twcnb":
        raise ParameterError(
            'event="twcnb" weights tokens by all documents at once, so none can be left out: calibrate it on other '
            "documents."
        )
    target, weights = read_target(y, len(documents)), read_weights(sample_weight, len(documents))
    sample = Sample.of(target, weights)
    data = Documents(documents)
    if _is_exact(model):
        codes = model.tally_.classes.encode(target.classes.labels)[target.codes]
        joint, known, prior = _without_each(model, model.priors, data, codes, _weights_of(sample))
    else:
        joint, known, prior = _without_folds(model, model.priors, data, sample, np.arange(len(data)), _FOLDS)
    heat = document_temperatures(model.temperature_, known, model._model.mean_tokens)[:, None]
    impossible = np.asarray(np.isneginf(joint).all(axis=1))
    joint[impossible] = prior[impossible]
    return finish(joint / np.where(impossible[:, None], 1.0, heat), model._prior, "posterior")


def learned_temperature(model: Any, data: Documents, sample: Sample) -> float | None:
    """The temperature of least log loss on left-out documents of a sample that a `TextNB` has just learned.

    The documents have the priors of their own classes, whatever priors new documents have: see `prior_of_rows`.
    """
    has_priors = isinstance(model.priors, Smoothing) or model.event == "complement"  # which ignores them
    priors = model.priors if has_priors else "empirical"
    if model.event == "twcnb" or len(model.classes_) < 2:
        return None
    weights = _weights_of(sample)
    codes = model.tally_.classes.encode(sample.classes.labels)[sample.codes]
    cells = len(model.classes_) * model._model.mean_length
    own = np.minimum(weights, 1.0)  # a document of weight 3 stands for three, of which one is left out
    rows = documents_to_leave_out(codes, own, model.tally_.class_counts, weights, cells)
    if rows is None:
        return None
    if _is_exact(model):
        joint, known, _ = _without_each(model, priors, data.take(rows), codes[rows], own[rows])
    else:
        rows = np.arange(0, len(data), _FOLDS) if len(data) >= _FOLDS * _ENOUGH else np.arange(len(data))
        joint, known, _ = _without_folds(model, priors, data, sample, rows, 1 if len(rows) < len(data) else _FOLDS)
        is_possible = np.isfinite(joint[np.arange(len(rows)), codes[rows]]) & (weights[rows] > 0)
        joint, known, rows = joint[is_possible], known[is_possible], rows[is_possible]
    relative = np.sqrt(known / model._model.mean_tokens)
    return least_loss(joint, codes[rows], relative, weights[rows])


def _is_exact(model: Any) -> bool:
    """True where single documents can be left out of the counts."""
    return model.event in ("boolean", "multinomial") and model.length == "none" and model.n_bits is None


def _weights_of(sample: Sample) -> Floats:
    return np.ones(len(sample.codes)) if sample.weights is None else sample.weights


def _without_each(
    model: Any, priors: Any, data: Documents, codes: Codes, weights: Floats
) -> tuple[Floats, AnyArray, Floats]:
    """Leave-one-out: joint log-probabilities, the numbers of known tokens, and log-priors."""
    rule = model.smoothing if isinstance(model.smoothing, Smoothing) else None
    likelihood, known = leave_documents_out(model._model, data, codes, weights, rule)
    prior = prior_without_own(priors, model._prior, model.tally_.class_counts, codes, weights)
    return prior + likelihood, known, prior


def _without_folds(
    model: Any, priors: Any, data: Documents, sample: Sample, rows: AnyArray, folds: int
) -> tuple[Floats, AnyArray, Floats]:
    """Cross-validation of some documents, by subtracting each fold of them from the tally."""
    shape = len(rows), len(model.classes_)
    joint, known, prior = np.empty(shape), np.empty(len(rows)), np.empty(shape)
    for first in range(min(folds, len(rows))):
        at = np.arange(first, len(rows), folds)
        fold, own = data.take(rows[at]), sample.take(rows[at])
        rest = copy(model)
        left = model.tally_ - model._count(fold, own, model._form)
        rest._adopt(left.with_classes(model.tally_.classes), model._form)
        likelihood, known[at] = rest._scored(fold)
        prior[at] = settle_priors(priors, rest.tally_.class_counts, rest.classes_.tolist())
        joint[at] = prior[at] + likelihood
    return joint, known, prior
