"""Held-out posteriors of the documents that a text model was fitted on, to calibrate it.

Where single documents can be taken out of the counts (`leave_one_out.py`), each is predicted without itself. Otherwise
a tenth of the documents at a time is subtracted from the tally and predicted by the model of the others.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from deciban.estimate import Smoothing, empirical_priors
from deciban.tallies.leave_one_out import weight_left
from deciban.types import AnyArray, Codes, Floats, Ints

__all__ = ["leave_folds_out", "priors_without_own"]

_FOLDS = 10


def priors_without_own(priors: Any, prior: Floats, class_counts: AnyArray, codes: Codes, weights: Floats) -> Floats:
    """log P(class) for each document, from the other documents: documents × classes."""
    if not isinstance(priors, Smoothing) and not (isinstance(priors, str) and priors == "empirical"):
        return np.tile(prior, (len(codes), 1))
    own = np.zeros((len(codes), len(prior)))
    own[np.arange(len(codes)), codes] = weights
    return empirical_priors(weight_left(class_counts, own), priors if isinstance(priors, Smoothing) else None)


def leave_folds_out(documents: int, classes: int, predict: Callable[[Ints], Floats]) -> Floats:
    """The posteriors of all documents, a fold at a time; `predict` gives those of some rows without them."""
    posterior = np.empty((documents, classes))
    for first in range(min(_FOLDS, documents)):
        rows = np.arange(first, documents, _FOLDS)
        posterior[rows] = predict(rows)
    return posterior
