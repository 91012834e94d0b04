"""What a text model has to tell: which tokens it knows, and what they say for a class against another."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from deciban.decide import NO_DECISION
from deciban.explain import DocumentExplanation, TopTokens
from deciban.models.deciding import DecidingClassifier
from deciban.models.text_explain import DocumentCase, explain_document, read_document
from deciban.models.text_model import TextModel
from deciban.models.text_weights import document_weights, heaviest_tokens, place_of
from deciban.read.documents import read_documents
from deciban.types import AnyArray, Floats, Ints

__all__ = ["TextTelling"]


class TextTelling(DecidingClassifier):
    """Explanations of documents and tokens, for a model whose likelihood is a sum over tokens."""

    temperature: float
    _model: TextModel

    @abstractmethod
    def _unheard(self, known: AnyArray) -> Floats:
        """The log-priors that have no say."""

    def known_tokens(self, X: Any) -> Ints:
        """How many tokens of each document are known; where none is, the posterior is the prior."""
        self._check_fitted()
        return self._model.score(read_documents(X))[1].astype(np.int64)

    def explain(self, document: str | bytes, against: Any = None) -> DocumentExplanation:
        """What each token says for the predicted class against the next best, or another: as text, or in a notebook.

        The weights sum to the log-odds, before any calibration. Of "complement" and "twcnb" the prior says nothing.
        """
        self._check_fitted()
        data: Any = read_document(document)
        likelihood, known = self._likelihood(data), self._model.score(data)[1]
        code, unheard = int(self._decide(likelihood)[0]), self._unheard(known)[0]
        prior = self._prior - unheard if self.rule == "map" else np.zeros_like(unheard)
        scale = float(self._model.length_factor(known)[0]) / self.temperature
        case = DocumentCase(document, self.classes_, prior, likelihood[0] + unheard, scale)
        return explain_document(self._model, case, None if code == NO_DECISION else self.classes_[code], against)

    def top_tokens(self, label: Any, against: Any, many: int = 10) -> TopTokens:
        """The tokens that speak most for a class against another, and their weights in decibans; prints as a table."""
        self._check_fitted()
        places = place_of(label, self.classes_), place_of(against, self.classes_)
        return TopTokens(heaviest_tokens(self._model, *places, many), label, against)

    def token_weights(self, document: str | bytes, label: Any, against: Any) -> list[tuple[str, int, float]]:
        """What each known token of a document says for a class against another: token, amount, decibans.

        With temperature=1 and length="none" they sum to the log-odds that the document adds to the priors'; for
        "bernoulli" what absent tokens say comes on top.
        """
        self._check_fitted()
        places = place_of(label, self.classes_), place_of(against, self.classes_)
        return document_weights(self._model, document, *places)
