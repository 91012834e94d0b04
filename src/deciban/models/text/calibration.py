"""Posteriors of documents to calibrate a text model on: of each document as if it had not been learned.

Where each document can be taken out of the counts by itself (`leave_one_out.py`), it is. Otherwise a tenth
of the documents is taken out of the tally at a time, and predicted by the model of the others.
"""

from __future__ import annotations

from abc import abstractmethod
from copy import copy
from typing import Any

import numpy as np

from deciban.decide import finish
from deciban.errors import InputError, ParameterError
from deciban.estimate import Smoothing, empirical_priors
from deciban.models.text.leave_one_out import leave_documents_out
from deciban.models.text.online import OnlineText
from deciban.read import read_target, read_weights
from deciban.read.documents import Documents, read_documents
from deciban.tallies.leave_one_out import weight_left
from deciban.types import AnyArray, Codes, Floats

__all__ = ["CalibratedText"]

_FOLDS = 10


class CalibratedText(OnlineText):
    """The posteriors that `calibrate` fits on, for a model of documents."""

    event: str
    length: str
    priors: Any
    smoothing: Any

    @abstractmethod
    def _read(self, X: Any) -> Documents:
        """Read documents."""

    def _honest_posterior(self, X: Any, y: Any, sample_weight: Any = None, learned: bool | str = "auto") -> Floats:
        """Leave-one-out posteriors of the documents that were learned, all of them; else plain ones.

        "auto" tells by the counts: they were learned where their tally is the model's.
        """
        held = read_documents(X).held
        documents = held.to_pylist() if hasattr(held, "to_pylist") else held
        if learned is not False:
            is_own = self._tally_of(documents, y, sample_weight, self._form)[0] == self.tally_
            if learned is True and not is_own:
                raise InputError("learned=True needs the documents that were learned, all of them, with their weights.")
            learned = is_own
        if not learned:
            plain = copy(self)
            plain.__dict__.pop("calibration_", None)
            return plain.predict_proba(documents)
        if self.event == "twcnb":
            raise ParameterError(
                'event="twcnb" weighs tokens by all documents at once, so none can be left out: calibrate it on other '
                "documents."
            )
        weights = read_weights(sample_weight, len(documents))
        is_exact = self.event in ("boolean", "multinomial") and self.length == "none" and self.n_bits is None
        return (self._each_left_out if is_exact else self._folds_left_out)(documents, y, weights)

    def _each_left_out(self, documents: Any, y: Any, given: Floats | None) -> Floats:
        target = read_target(y, len(documents))
        codes: Codes = self.tally_.classes.encode(target.classes.labels)[target.codes]
        weights = np.ones(len(codes)) if given is None else given
        rule = self.smoothing if isinstance(self.smoothing, Smoothing) else None
        likelihood = leave_documents_out(self._model, Documents(documents), codes, weights, rule) / self.temperature
        prior = self._priors_left(codes, weights)
        joint = prior + likelihood
        impossible = np.isneginf(joint).all(axis=1)
        joint[impossible] = prior[impossible]
        return finish(joint, self._prior, "posterior")

    def _priors_left(self, codes: Codes, weights: Floats) -> Floats:
        """log P(class) from the other documents."""
        if not isinstance(self.priors, Smoothing) and not (isinstance(self.priors, str) and self.priors == "empirical"):
            return np.tile(self._prior, (len(codes), 1))
        own = np.zeros((len(codes), len(self.classes_)))
        own[np.arange(len(codes)), codes] = weights
        smoothing = self.priors if isinstance(self.priors, Smoothing) else None
        return empirical_priors(weight_left(self.tally_.class_counts, own), smoothing)

    def _folds_left_out(self, documents: Any, y: Any, weights: Floats | None) -> Floats:
        target = read_target(y, len(documents))
        labels: AnyArray = target.classes.labels[target.codes]
        out = np.empty((len(documents), len(self.classes_)))
        for first in range(min(_FOLDS, len(documents))):
            rows = np.arange(first, len(documents), _FOLDS)
            some = [documents[row] for row in rows.tolist()]
            own = self._tally_of(some, labels[rows], None if weights is None else weights[rows], self._form)[0]
            rest = copy(self)
            rest._adopt(self.tally_ - own, self._form)
            out[rows] = rest.predict_proba(some)
        return out
