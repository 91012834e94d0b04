"""What a text model has to tell: which tokens it knows, and what they say for a class against another."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np

from deciban.decide import NO_DECISION
from deciban.explain import DocumentExplanation, TopTokens
from deciban.models.base import BayesClassifier
from deciban.models.parts.calibration import calibrate
from deciban.models.parts.decider import DECIDER_CONSTRAINTS, Decider
from deciban.models.text.explain import DocumentCase, explain_document, read_document
from deciban.models.text.model import TextModel
from deciban.models.text.weights import document_weights, place_of, top_tokens
from deciban.read.documents import read_documents
from deciban.types import AnyArray, Floats, Ints

__all__ = ["TextTelling"]


class TextTelling(BayesClassifier):
    """Explanations of documents and tokens, for a model whose likelihood is a sum over tokens."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = DECIDER_CONSTRAINTS

    temperature: float
    rule: Any
    loss: Any
    reject: Any
    _model: TextModel

    calibrate = calibrate

    def _decider(self) -> Decider:
        return Decider(self.rule, self.loss, self.reject)

    @abstractmethod
    def _unheard(self, known: AnyArray) -> Floats:
        """The log-priors that have no say."""

    def known_tokens(self, X: Any) -> Ints:
        """How many tokens of each document are known; where none is, the posterior is the prior."""
        self._check_fitted()
        return self._model.score(read_documents(X))[1].astype(np.int64)

    def predict_one(self, document: Any) -> Any:
        """The class that the rule chooses for one document, as `predict` does for many; None where it is rejected."""
        return self.predict(read_document(document, "predict_one").held)[0]

    def predict_proba_one(self, document: Any) -> dict[Any, float]:
        """P(class | document) of one document."""
        posterior = self.predict_proba(read_document(document, "predict_proba_one").held)[0]
        return dict(zip(self.classes_.tolist(), posterior.tolist(), strict=True))

    def explain(self, document: Any, against: Any = None) -> DocumentExplanation:  # type: ignore[override]
        """What each token says for the predicted class against the next best, or another: as text, or in a notebook.

        The weights sum to the log-odds, before any calibration. Of "complement" and "twcnb" the prior says nothing.
        """
        self._check_fitted()
        data: Any = read_document(document, "explain")
        likelihood, known = self._likelihood(data), self._model.score(data)[1]
        code, unheard = int(self._decide(likelihood)[0]), self._unheard(known)[0]
        prior = self._prior - unheard if self.rule == "map" else np.zeros_like(unheard)
        scale = float(self._model.length_factor(known)[0]) / self.temperature
        case = DocumentCase(data.held[0], self.classes_, prior, likelihood[0] + unheard, scale)
        return explain_document(self._model, case, None if code == NO_DECISION else self.classes_[code], against)

    def top_tokens(self, label: Any, against: Any = None, many: int = 10) -> TopTokens:
        """The tokens that speak most for a class against another, and their weights in decibans; prints as a table.

        Without `against`, of two classes it is the other one, and of more all the others together: their tokens'
        probabilities are mixed by the classes' priors.
        """
        self._check_fitted()
        return top_tokens(self._model, self.classes_, label, against, many, self._prior)

    def token_weights(self, document: Any, label: Any, against: Any) -> list[tuple[str, int, float]]:
        """What each known token of a document says for a class against another: token, amount, decibans.

        With temperature=1 and length="none" they sum to the log-odds that the document adds to the priors'; for
        "bernoulli" what absent tokens say comes on top.
        """
        self._check_fitted()
        places = place_of(label, self.classes_), place_of(against, self.classes_)
        return document_weights(self._model, read_document(document, "token_weights").held[0], *places)
