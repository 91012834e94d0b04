"""The classifier of documents behind `TextNB`: single documents, the way from likelihoods to posteriors, explanations.

Decisions are made before the temperature is applied, except where they depend on the probabilities themselves: with a
loss, a rejection or a calibration.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from functools import cached_property
from typing import Any, Literal, Self

import numpy as np

from deciban.decide import NO_DECISION
from deciban.errors import ParameterError
from deciban.explain import DocumentExplanation, TopTokens
from deciban.models.base import BayesClassifier
from deciban.models.parts.decider import by_blocks
from deciban.models.parts.rows.live_counter import check_label
from deciban.models.text.base import predict_one, predict_proba_one, read_document, tag_documents, warn_of_unknown
from deciban.models.text.explain import DocumentCase, explain_document
from deciban.models.text.generative import document_joint, free_parameters, sample, term_probabilities
from deciban.models.text.model import TextModel
from deciban.models.text.pending import PendingDocuments
from deciban.models.text.temperature import TextForm, document_temperatures
from deciban.models.text.weights import class_index, document_weights, top_tokens
from deciban.read import plain
from deciban.read.documents import read_documents
from deciban.tallies import Tally
from deciban.tallies.faults import Fault
from deciban.tallies.kernels import Want
from deciban.text.analyzer import Analyzer
from deciban.turns import turn
from deciban.types import AnyArray, Floats, Ints

__all__ = ["TextClassifier"]

_WITHOUT_PRIORS = ("complement", "twcnb")
_OUTDATED = ("tally_", "classes_", "_prior", "_model", "vocabulary_", "calibration_")
"""The attributes that follow from the documents: `learn_one` removes them, and they are estimated when next used."""


class TextClassifier(BayesClassifier):
    """A naive Bayes classifier of documents, which learns single ones, too, and whose posteriors have a temperature."""

    n_bits: int | None
    event: str
    temperature: Literal["auto"] | float | None
    rule: Literal["map", "ml"]
    loss: Any
    reject: Any
    _form: TextForm

    # One document ----------------------------------------------------------------------------------------------------

    predict_one = predict_one  # type: ignore[assignment]
    predict_proba_one = predict_proba_one  # type: ignore[assignment]

    @abstractmethod
    def _analyzer(self) -> Analyzer:
        """The analyzer of the learned documents."""

    def learn_one(self, document: Any, label: Any) -> Self:
        """Learn one document. The result is that of `partial_fit` with the same documents.

        A class may be new. It takes time proportional to the length of the document alone; the next prediction
        estimates the model again.

        Parameters
        ----------
        document : str or bytes
            One document.
        label : a class
            Its class.

        Returns
        -------
        self : the model

        Examples
        --------
        >>> from deciban import TextNB
        >>> model = TextNB()
        >>> for document, label in [
        ...     ("free prize", "spam"),
        ...     ("lunch at noon", "ham"),
        ...     ("win a prize", "spam"),
        ... ]:
        ...     _ = model.learn_one(document, label)
        >>> str(model.predict_one("a prize")), model.tally_.total
        ('spam', 3)
        """
        with turn(self):
            self._check_additive("learn_one")
            data = read_document(document, "learn_one")
            check_label(label)
            pending = self.__dict__.get("_pending")
            if pending is None and self._is_fitted():
                pending = PendingDocuments(self.tally_, self._analyzer(), self.n_bits)
            if pending is None or (code := pending.code_of(label)) is None:
                return self.partial_fit(data.texts, [label])
            pending.add(data.texts, code)
            for name in _OUTDATED:
                self.__dict__.pop(name, None)
            self._pending = pending
            return self

    @cached_property
    def tally_(self) -> Tally:  # type: ignore[override]
        """The counts of all documents."""
        return self._with_pending()["tally_"]

    @cached_property
    def classes_(self) -> AnyArray:  # type: ignore[override]
        """The labels, in order."""
        return self._with_pending()["classes_"]

    @cached_property
    def _prior(self) -> Floats:  # type: ignore[override]
        return self._with_pending()["_prior"]

    @cached_property
    def _model(self) -> TextModel:
        return self._with_pending()["_model"]

    def _with_pending(self) -> Mapping[str, Any]:
        """The fitted attributes, with the documents of `learn_one` counted."""
        if "_pending" not in self.__dict__:
            raise AttributeError(f"this {type(self).__name__} has no fitted attributes before fit.")
        self._adopt(self._pending.total(), self._form)
        return self.__dict__

    def _is_fitted(self) -> bool:
        return "tally_" in self.__dict__ or "_pending" in self.__dict__

    def __sklearn_tags__(self) -> Any:
        return tag_documents(super().__sklearn_tags__())

    # Scoring -------------------------------------------------------------------------------------------------------

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

    # As a distribution of documents --------------------------------------------------------------------------------

    sample, term_probabilities = sample, term_probabilities
    _free_parameters, _joint = free_parameters, document_joint
    # Explaining ----------------------------------------------------------------------------------------------------

    def explain(self, document: Any, against: Any = None) -> DocumentExplanation:  # type: ignore[override]
        """Show the weight of each token for the predicted class against another.

        The weights, all divided by the document's temperature, sum to the log-odds, before any calibration.
        "complement" and "twcnb" ignore the prior.

        Parameters
        ----------
        document : str or bytes
            One document.
        against : a class, optional
            The class to compare with; the second best when None.

        Returns
        -------
        DocumentExplanation
            The weights in decibans; a notebook colours the tokens of the document.

        Examples
        --------
        >>> from deciban import TextNB
        >>> model = TextNB(smoothing=1, temperature=None).fit(
        ...     ["free prize", "lunch at noon"], ["spam", "ham"]
        ... )
        >>> [
        ...     (reason.token, round(reason.weight_db, 1))
        ...     for reason in model.explain("free lunch, free prize").reasons
        ... ]
        [('free', 3.6), ('prize', 3.6), ('lunch', -2.4)]
        """
        self._check_fitted()
        data = read_document(document, "explain")
        likelihood, known = self._scored(data)
        code, ignored = int(self._codes(likelihood, known)[0]), self._ignored_priors(known)[0]
        prior = self._prior - ignored if self.rule == "map" else np.zeros_like(ignored)
        heat = float(self._temperatures(known)[0])
        scale = float(self._model.length_factor(known)[0]) / heat
        case = DocumentCase(data.texts[0], self.classes_, prior / heat, (likelihood[0] + ignored) / heat, scale)
        return explain_document(self._model, case, None if code == NO_DECISION else plain(self.classes_[code]), against)

    def top_tokens(self, label: Any, against: Any = None, *, n: int = 10) -> TopTokens:
        """List the tokens with the largest weights for a class against another.

        Parameters
        ----------
        label : a class
            The class that the weights are for.
        against : a class, optional
            The class to compare with. When None, it is the other of two classes; with more classes, all others
            together: the mixture of their token probabilities by the classes' priors.
        n : int
            The number of tokens.

        Returns
        -------
        TopTokens
            Tokens and weights in decibans, the largest first; it prints as a table.

        Examples
        --------
        >>> from deciban import TextNB
        >>> model = TextNB(smoothing=1).fit(
        ...     ["free prize", "free lunch", "lunch at noon"], ["spam", "spam", "ham"]
        ... )
        >>> print(model.top_tokens("spam", n=2))
        decibans for spam against ham
        free   +4.26
        prize  +2.50
        """
        self._check_fitted()
        return top_tokens(self._model, self.classes_, label, against, n, self._prior)

    def token_weights(self, document: Any, label: Any, *, against: Any) -> list[tuple[str, int, float]]:
        """List the weight of each known token of a document for a class against another.

        With temperature=None and length="none" they sum to the log-odds that the document adds to those of the priors;
        for "bernoulli", the weight of absent tokens has to be added.

        Parameters
        ----------
        document : str or bytes
            One document.
        label, against : a class
            The two classes.

        Returns
        -------
        weights : list of tuples
            Token, how often it counts, and its weight in decibans; the largest absolute weight first.
        """
        self._check_fitted()
        indices = (class_index(name, self.classes_) for name in (label, against))
        return document_weights(self._model, read_document(document, "token_weights").texts[0], *indices)

    def known_tokens(self, X: Any) -> Ints:
        """Count the known tokens of each document; where there are none, the posterior is the prior.

        Parameters
        ----------
        X : collection of str or bytes
            The documents: a list, a Series, an array or an Arrow column.

        Returns
        -------
        counts : array of shape (n_samples,)
        """
        self._check_fitted()
        return self._model.score(read_documents(X))[1].astype(np.int64)

    # Learning -------------------------------------------------------------------------------------------------------

    def _check_additive(self, what: str) -> None:
        """Refuse to learn in parts where the model cannot."""
        if self.event == "twcnb":
            advice = 'fit them together, or pass event="complement".'
            raise ParameterError(
                f'event="twcnb" weights tokens by all documents at once, so it has no {what}: {advice}'
            )
