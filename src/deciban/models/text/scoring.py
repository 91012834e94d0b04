"""From documents to posteriors: log-likelihoods, priors that some event models ignore, the temperature, decisions.

Decisions are made before the temperature is applied, except where they depend on the probabilities themselves: with a
loss, a rejection or a calibration.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from deciban.models.parts.decider import by_blocks
from deciban.models.text.base import warn_of_unknown
from deciban.models.text.pending import LearnsOne
from deciban.models.text.temperature import TextForm, document_temperatures
from deciban.tallies.faults import Fault
from deciban.tallies.kernels import Want
from deciban.types import AnyArray, Floats

__all__ = ["TemperedClassifier"]

_WITHOUT_PRIORS = ("complement", "twcnb")


class TemperedClassifier(LearnsOne):
    """A naive Bayes classifier of documents whose posteriors have a temperature."""

    event: str
    temperature: Literal["auto"] | float | None
    rule: Literal["map", "ml"]
    loss: Any
    reject: Any
    _form: TextForm

    @property
    def temperature_(self) -> float:
        """The temperature of a document of mean length."""
        self._check_fitted()
        given = self._form.temperature if self.temperature == "auto" else self.temperature
        return 1.0 if given is None else float(given)

    def _scores(self, data: Any, want: Want) -> tuple[AnyArray, Fault | None]:
        numbers = []

        def score(documents: Any) -> AnyArray:
            likelihood, known = self._scored(documents)
            numbers.append(known)
            if want == "best":
                return self._codes(likelihood, known)
            return self._beliefs().conclude(self._tempered(likelihood, known), want)

        scores = by_blocks(data, len(self.classes_), score)
        warn_of_unknown(numbers)
        return scores, None

    def _codes(self, likelihood: Floats, known: AnyArray) -> AnyArray:
        """The codes of the classes; only a loss, a rejection and a calibration depend on the temperature."""
        if self.loss is None and self.reject is None and self._calibration() is None:
            return self._decide(likelihood)
        if self.rule == "ml" and self.event not in _WITHOUT_PRIORS:
            return self._decide(likelihood / self._temperatures(known)[:, None])
        return self._decide(self._tempered(likelihood, known))

    def _tempered(self, likelihood: Floats, known: AnyArray) -> Floats:
        """Log-likelihoods that, added to the log-priors, give the joint log-probabilities divided by T."""
        if self.temperature_ == 1.0:
            return likelihood
        prior = np.nan_to_num(self._prior, neginf=0.0)
        return (prior + likelihood) / self._temperatures(known)[:, None] - prior

    def _temperatures(self, known: AnyArray) -> Floats:
        return document_temperatures(self.temperature_, known, self._model.mean_tokens)

    def _likelihood(self, data: Any) -> Floats:
        return self._tempered(*self._scored(data))

    def _scored(self, data: Any) -> tuple[Floats, AnyArray]:
        """Log-likelihoods, and the number of known tokens of each document."""
        likelihood, known = self._model.score(data)
        if self.event in _WITHOUT_PRIORS:
            likelihood -= self._ignored_priors(known)
        return likelihood, known

    def _ignored_priors(self, known: AnyArray) -> Floats:
        """The log-priors that "complement" and "twcnb" ignore: those of documents with known tokens."""
        is_ignored = self.event in _WITHOUT_PRIORS and len(self.classes_) > 1
        return np.where((known > 0)[:, None] & np.isfinite(self._prior) & is_ignored, self._prior, 0.0)

    def _decide(self, likelihood: Floats) -> AnyArray:
        # The "ml" rule removes the priors, which these events have subtracted already.
        is_without = self.rule == "ml" and self.event in _WITHOUT_PRIORS
        return super()._decide(likelihood + np.nan_to_num(self._prior, neginf=0.0) if is_without else likelihood)
