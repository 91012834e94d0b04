"""A fitted text classifier as one value: its settings, the tally, the priors, the scores of the tokens, a temperature.

Naive Bayes takes tokens as independent, so its posteriors are too extreme, and more so for long documents. With n known
tokens in document d, n̄ in the mean, and the temperature T ≥ 1,

    P'(c | d) ∝ P(c | d)^(1/T_d),  T_d = 1 + (T − 1)·√(n / n̄).

T is the temperature of a document of mean length; a document without known tokens keeps the prior. The order of the
classes stays, and so do decisions. T minimizes the log loss (`deciban.decide.calibration`) of at most 500 of the
documents of `fit`, each predicted without itself. With fewer than 20 of them it is 1.

Where single documents can be taken out of the counts (`leave_documents_out`), each is predicted without itself.
Otherwise a tenth of the documents at a time is subtracted from the tally and predicted by the model of the others.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, Self

import numpy as np

from deciban.decide import finish
from deciban.decide.calibration import document_temperature
from deciban.decide.rules import Decider
from deciban.errors import InputError, ParameterError
from deciban.estimate import Smoothing, settle_priors
from deciban.models.leave_one_out import prior_without_own
from deciban.models.schema import Form, check_form
from deciban.models.text.counting_in_parts import capped_tally
from deciban.models.text.document_classifier import FEWEST
from deciban.models.text.model import TextModel, estimate_text, leave_documents_out
from deciban.read.documents import Documents
from deciban.storable import storable
from deciban.tallies import Sample, Tally
from deciban.text.analyzer import Analyzer
from deciban.text.bag import Bag, count_bag, weigh_bag
from deciban.text.pruning import Pruning
from deciban.types import AnyArray, Codes, Floats, Ints

__all__ = ["NO_TOKENS", "TextFit", "TextForm", "TextSettings", "document_temperatures"]

_WITHOUT_PRIORS = ("complement", "twcnb")  # the events that ignore the priors (Rennie et al. 2003)

_FOLDS = 10  # each model is estimated from nine tenths: nearly what all documents give
_ENOUGH = 100
"""The size of a fold that is enough for the temperature: the others are then not predicted."""

_FEW, _MOST = 200, 500  # documents: a temperature is one number
_MOST_CELLS = 1 << 20  # classes × tokens of the documents that are left out

_NO_TOKENS_LEFT = "after pruning, no token remains. Try lower drop_top, min_count and min_df, or a higher max_df."
NO_TOKENS = "empty vocabulary: no document has a token. Pass another analyzer, or a smaller `shortest`."


@storable(check=check_form)
@dataclass(frozen=True)
class TextForm(Form):
    """The form of documents, and the temperature that was learned from them; None before."""

    def averaged(self, other: Form, rows: float, other_rows: float) -> Self:
        """The form with the mean temperature of two models, weighted by their numbers of documents."""
        if self.temperature is None or other.temperature is None or rows + other_rows <= 0:
            return replace(self, temperature=self.temperature or other.temperature)
        mean = (rows * self.temperature + other_rows * other.temperature) / (rows + other_rows)
        return replace(self, temperature=float(mean))


@dataclass(frozen=True, eq=False)
class TextSettings:
    """What a `TextNB` counts and estimates by: its parameters at the fit, and the analyzer that "auto" has become."""

    event: str
    smoothing: str | float | Smoothing
    priors: Any
    pruning: Pruning
    length: str
    n_bits: int | None
    max_terms: int | None
    temperature: Literal["auto"] | float | None
    decider: Decider
    analyzer: Analyzer

    @property
    def is_without_priors(self) -> bool:
        """Whether the event ignores the priors."""
        return self.event in _WITHOUT_PRIORS

    def count(self, documents: Documents, sample: Sample) -> Tally:
        """The tally of documents."""
        count = weigh_bag if self.event == "twcnb" else count_bag
        return sample.tally(count(documents, sample, self.analyzer, self.n_bits))


@dataclass(frozen=True, eq=False)
class TextFit:
    """What was learned from documents: their tally, and what follows from it."""

    settings: TextSettings
    form: TextForm
    tally: Tally
    prior: Floats
    model: TextModel

    @classmethod
    def of(cls, settings: TextSettings, form: TextForm, tally: Tally) -> Self:
        """Estimate from a tally, which is cut to the most frequent tokens where the settings say so."""
        if settings.max_terms is not None:
            tally = capped_tally(tally, settings.max_terms)
        prior = settle_priors(settings.priors, tally.class_counts, tally.classes.labels.tolist())
        how = settings.event, settings.smoothing, settings.pruning, settings.analyzer, settings.length
        return cls(settings, form, tally, prior, estimate_text(tally.parts[0], tally.class_counts, *how))

    def check_tokens(self) -> Self:
        """Refuse a fit without tokens."""
        if self.model.bag.is_empty:
            raise InputError(NO_TOKENS if self.bag.is_empty else _NO_TOKENS_LEFT)
        return self

    @property
    def bag(self) -> Bag:
        """The counts of all tokens, also of those that are not in use."""
        bag: Bag = self.tally.parts[0]
        return bag

    @property
    def classes(self) -> AnyArray:
        return self.tally.classes.labels

    @cached_property
    def vocabulary(self) -> dict[str, int]:
        """The tokens in use and their ids; empty where tokens are hashed."""
        return {token: i for i, token in enumerate(self.model.bag.vocabulary or ())}

    # Scoring -------------------------------------------------------------------------------------------------------

    @property
    def temperature(self) -> float:
        """The temperature of a document of mean length."""
        given = self.form.temperature if self.settings.temperature == "auto" else self.settings.temperature
        return 1.0 if given is None else float(given)

    def scored(self, documents: Documents) -> tuple[Floats, AnyArray]:
        """Log-likelihoods, and the number of known tokens of each document."""
        likelihood, known = self.model.score(documents)
        if self.settings.is_without_priors:  # the priors are added to all likelihoods later
            likelihood -= self.ignored_priors(known)
        return likelihood, known

    def ignored_priors(self, known: AnyArray) -> Floats:
        """The log-priors that "complement" and "twcnb" ignore: those of documents with known tokens."""
        is_ignored = self.settings.is_without_priors and len(self.classes) > 1
        return np.where((known > 0)[:, None] & np.isfinite(self.prior) & is_ignored, self.prior, 0.0)

    def temperatures(self, known: AnyArray) -> Floats:
        """The temperature of documents with these numbers of known tokens."""
        return document_temperatures(self.temperature, known, self.model.mean_tokens)

    def tempered(self, likelihood: Floats, known: AnyArray) -> Floats:
        """Log-likelihoods that, added to the log-priors, give the joint log-probabilities divided by T."""
        if self.temperature == 1.0:
            return likelihood
        prior = np.nan_to_num(self.prior, neginf=0.0)  # −∞ − −∞ is NaN; the shell adds the −∞ again
        return (prior + likelihood) / self.temperatures(known)[:, None] - prior

    # Leaving documents out ------------------------------------------------------------------------------------------

    def held_out_posterior(self, documents: Documents, sample: Sample) -> Floats:
        """The posteriors of all learned documents, each by a model without it."""
        if self.settings.event == "twcnb":
            raise ParameterError(
                'event="twcnb" weights tokens by all documents at once, so none can be left out: calibrate it on other '
                "documents."
            )
        if self._is_exact:
            weights = _weights_of(sample)
            joint, known, prior = self._without_each(self.settings.priors, documents, self._codes_of(sample), weights)
        else:
            rows = np.arange(len(documents))
            joint, known, prior = self._without_folds(self.settings.priors, documents, sample, rows, _FOLDS)
        heat = self.temperatures(known)[:, None]
        impossible = np.asarray(np.isneginf(joint).all(axis=1))  # such a document keeps the prior, at T = 1
        joint[impossible] = prior[impossible]
        return finish(joint / np.where(impossible[:, None], 1.0, heat), self.prior, "posterior")

    def with_temperature(self, documents: Documents, sample: Sample) -> Self:
        """The fit with a temperature from documents that were just counted, unless it has one or is given one."""
        if self.settings.temperature != "auto" or self.form.temperature is not None:
            return self
        return replace(self, form=replace(self.form, temperature=self._learned_temperature(documents, sample)))

    def _learned_temperature(self, documents: Documents, sample: Sample) -> float | None:
        """The temperature of least log loss on left-out documents; None where there are too few.

        The documents have the priors of their own classes, not those that are set for prediction: given priors would
        make the temperature compensate for classes that are more frequent here than there (`prior_of_rows`).
        """
        settings = self.settings
        has_priors = isinstance(settings.priors, Smoothing) or settings.event == "complement"  # which ignores them
        priors = settings.priors if has_priors else "empirical"
        if settings.event == "twcnb" or len(self.classes) < 2:
            return None
        weights, codes = _weights_of(sample), self._codes_of(sample)
        cells = len(self.classes) * self.model.mean_length
        own = np.minimum(weights, 1.0)  # a document of weight 3 stands for three, of which one is left out
        rows = _left_out_rows(codes, own, self.tally.class_counts, weights, cells)
        if rows is None:
            return None
        if self._is_exact:
            joint, known, _ = self._without_each(priors, documents.take(rows), codes[rows], own[rows])
        else:
            # Every tenth of many documents is enough, and takes one model instead of ten.
            is_many = len(documents) >= _FOLDS * _ENOUGH
            rows = np.arange(0, len(documents), _FOLDS) if is_many else np.arange(len(documents))
            joint, known, _ = self._without_folds(priors, documents, sample, rows, 1 if is_many else _FOLDS)
            is_possible = np.isfinite(joint[np.arange(len(rows)), codes[rows]]) & (weights[rows] > 0)
            joint, known, rows = joint[is_possible], known[is_possible], rows[is_possible]
        relative = np.sqrt(known / self.model.mean_tokens)
        return document_temperature(joint, codes[rows], relative, weights[rows])

    @property
    def _is_exact(self) -> bool:
        """True where single documents can be left out of the counts."""
        settings = self.settings
        return settings.event in ("boolean", "multinomial") and settings.length == "none" and settings.n_bits is None

    def _codes_of(self, sample: Sample) -> Codes:
        """The class of each document, among those of the tally."""
        return self.tally.classes.encode(sample.classes.labels)[sample.codes]

    def _without_each(
        self, priors: Any, documents: Documents, codes: Codes, weights: Floats
    ) -> tuple[Floats, AnyArray, Floats]:
        """Leave-one-out: joint log-probabilities, the numbers of known tokens, and log-priors."""
        smoothing = self.settings.smoothing
        rule = smoothing if isinstance(smoothing, Smoothing) else None
        likelihood, known = leave_documents_out(self.model, documents, codes, weights, rule)
        prior = prior_without_own(priors, self.prior, self.tally.class_counts, codes, weights)
        return prior + likelihood, known, prior

    def _without_folds(
        self, priors: Any, documents: Documents, sample: Sample, rows: AnyArray, folds: int
    ) -> tuple[Floats, AnyArray, Floats]:
        """Cross-validation of some documents, by subtracting each fold of them from the tally."""
        shape = len(rows), len(self.classes)
        joint, known, prior = np.empty(shape), np.empty(len(rows)), np.empty(shape)
        for first in range(min(folds, len(rows))):
            at = np.arange(first, len(rows), folds)
            fold = documents.take(rows[at])
            # Classes may have all their documents in a fold: they stay, so that the columns are those of all classes.
            left = self.tally - self.settings.count(fold, sample.take(rows[at]))
            rest = TextFit.of(self.settings, self.form, left.with_classes(self.tally.classes))
            likelihood, known[at] = rest.scored(fold)
            prior[at] = settle_priors(priors, rest.tally.class_counts, rest.classes.tolist())
            joint[at] = prior[at] + likelihood
        return joint, known, prior


def document_temperatures(temperature: float, known: AnyArray, mean: float) -> Floats:
    """The temperature of documents with these numbers of known tokens.

    >>> document_temperatures(3.0, np.array([0, 25, 100]), 25.0).tolist()
    [1.0, 3.0, 5.0]
    """
    # A temperature below 1 is that of all documents with known tokens: the formula could be negative for long ones.
    relative: Floats = np.sqrt(known / mean) if temperature >= 1 else (known > 0).astype(np.float64)
    return np.asarray(1.0 + (temperature - 1.0) * relative, dtype=np.float64)


def _left_out_rows(y: Codes, own: Floats, class_counts: AnyArray, weights: Floats, cells: float) -> Ints | None:
    """The documents to learn the temperature from, evenly spread; None where there are too few.

    `own` is what each document has in the counts of its class, which must have others. `cells` is the mean work for a
    document.
    """
    is_usable = (own > 0) & (class_counts[y] > own * (1 + 1e-9))  # sums of weights have rounding errors
    rows = np.flatnonzero(is_usable)
    if weights[rows].sum() < FEWEST:
        return None
    most = int(np.clip(_MOST_CELLS / max(cells, 1.0), _FEW, _MOST))
    return rows[np.linspace(0, len(rows) - 1, min(most, len(rows))).astype(np.int64)]


def _weights_of(sample: Sample) -> Floats:
    return np.ones(len(sample.codes)) if sample.weights is None else sample.weights
