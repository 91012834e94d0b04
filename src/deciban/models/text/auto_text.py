"""A linear classifier of words and naive Bayes of character n-grams, combined by weights that are learned.

Each part predicts a third of the documents, by a model of the others. The weights are those of least log loss there
(`deciban.models.auto`):

    log P(j | d) = log P(j) + Σ_m a_m·(log P_m(j | d) − log P(j)) + a constant,   a_m ≥ 0

Where words say little, as in names and in short texts of many languages, the n-grams have nearly all the weight, and
the words where documents are long: so the weights choose what a token is, by the documents.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClassifierMixin

from deciban.errors import ParameterError, UnfittedError
from deciban.explain import DocumentExplanation, TokenReason, TopTokens
from deciban.log_sums import log_softmax
from deciban.models.auto import Comparison, Scored, compare
from deciban.models.base import Estimator
from deciban.models.text.document_classifier import DocumentClassifier, read_document
from deciban.models.text.explain import DocumentCase, compared, explain_document
from deciban.models.text.fitted import TextForm
from deciban.models.text.log_count_ratio import LogCountRatio, learnable
from deciban.models.text.model import class_index
from deciban.models.text.text_nb import TextNB
from deciban.read.documents import Documents, read_documents
from deciban.storable import require
from deciban.tallies import Sample, Tally
from deciban.text.analyzer import StripAccents
from deciban.types import AnyArray, ArrayLike, Floats, LabelsLike
from deciban.units import decibans_from_nats

__all__ = ["AutoText"]

_NAMES = ("words: LogCountRatio", "characters: TextNB")


@dataclass(frozen=True, eq=False)
class _Pool:
    """The fitted parts, and their comparison; None where there were too few documents for one."""

    ratio: LogCountRatio
    bayes: TextNB
    comparison: Comparison | None

    @property
    def weights(self) -> tuple[float, ...]:
        if self.comparison is None:
            return (1.0 / len(_NAMES),) * len(_NAMES)
        return tuple(candidate.weight for candidate in self.comparison.candidates)

    @property
    def prior(self) -> Floats:
        """log P(class)."""
        return np.asarray(self.bayes.class_log_prior_)

    def log_posterior(self, documents: Documents) -> Floats:
        parts = (self.ratio._log_posterior(documents), self.bayes.predict_log_proba(documents.texts))
        return pooled(self.prior, parts, self.weights)


def pooled(prior: Floats, parts: tuple[Floats, ...], weights: tuple[float, ...]) -> Floats:
    """The log-posteriors of the combination.

    >>> import numpy as np
    >>> half = np.log([[0.5, 0.5]])
    >>> np.exp(pooled(half[0], (np.log([[0.8, 0.2]]), half), (1.0, 0.0))).round(3).tolist()
    [[0.8, 0.2]]
    """
    joint = np.broadcast_to(prior, parts[0].shape).copy()
    for weight, part in zip(weights, parts, strict=True):
        if weight > 0:
            joint += weight * (part - prior)
    return log_softmax(joint)


class AutoText(DocumentClassifier, ClassifierMixin, Estimator):  # type: ignore[misc]
    """The combination of a linear classifier of words and naive Bayes of character n-grams: the one to try first.

    Parameters
    ----------
    lowercase : bool
        Whether to convert to lower case.
    strip_accents : {"unicode", "ascii"}, optional
        How to remove accents; they stay when None.

    Attributes
    ----------
    models_ : dict
        The fitted models, by name: a `LogCountRatio` of words and pairs of words, whose vectors are log counts of
        length 1, and a `TextNB` of n-grams of 1 to 4 characters within words.
    weights_ : dict
        The weight of each model's evidence, by name.
    tally_ : Tally
        The number of documents of each class that contain each word.
    classes_ : array
        The labels, sorted.

    See Also
    --------
    LogCountRatio : The linear classifier alone.
    TextNB : Naive Bayes alone, which also learns in parts.

    Notes
    -----
    The weights are learned on every third document of each class, which models of the other two thirds predict; with
    fewer than 20 such documents both are 1/2. `report` shows the scores. It learns in one `fit` only, as
    `LogCountRatio` does.

    Examples
    --------
    >>> X = ["good film", "good fun", "bad film", "bad, no fun"]
    >>> model = AutoText().fit(X, ["pos", "pos", "neg", "neg"])
    >>> model.predict(["good", "bad"]).tolist()
    ['pos', 'neg']
    """

    _parameter_constraints: ClassVar[dict[str, list[object]]] = {"lowercase": ["boolean"]}

    _fitted: _Pool | None = None

    def __init__(self, *, lowercase: bool = True, strip_accents: StripAccents | None = None) -> None:
        self.lowercase, self.strip_accents = lowercase, strip_accents

    def fit(self, X: Any, y: LabelsLike | None = None, sample_weight: ArrayLike | None = None) -> Self:
        """Fit both models, and learn their weights.

        Parameters
        ----------
        X : collection of str or bytes
            The documents: a list, a Series, an array or an Arrow column.
        y : array of shape (n_samples,)
            Their labels.
        sample_weight : array of shape (n_samples,), optional
            The weights of the documents; 1 each when None.

        Returns
        -------
        self : the fitted model
        """
        self._check_parameters()
        data, sample = learnable(X, y, sample_weight)
        ratio, bayes = self._new_models()
        left_out = ratio._learn(data, sample)
        comparison = None
        if left_out is not None:
            _, tested, of_ratio = left_out
            rest = _fit_bayes(self._new_models()[1], data.take(np.flatnonzero(~tested)), sample.take(~tested))
            of_bayes = rest.predict_log_proba(data.take(np.flatnonzero(tested)).texts)
            prior = np.broadcast_to(rest.class_log_prior_, of_bayes.shape)
            held_out = sample.take(tested)
            weights = np.ones(len(held_out.codes)) if held_out.weights is None else held_out.weights
            logs = np.stack([of_ratio - prior, of_bayes - prior])
            how = "a third of the documents, by models of the others"
            comparison = compare(_NAMES, Scored(logs, prior, held_out.codes, weights), how)
        self._fitted_with = self._unfitted()
        self._fitted = _Pool(ratio, _fit_bayes(bayes, data, sample), comparison)
        return self

    def _new_models(self) -> tuple[LogCountRatio, TextNB]:
        """The parts, which are not fitted."""
        lower, accents = self.lowercase, self.strip_accents
        bayes = TextNB(analyzer="char_wb", ngram_range=(1, 4), lowercase=lower, strip_accents=accents)
        # Log counts of unit length, lightly smoothed and regularized, find rare classes, unlike the defaults of films.
        ratio = LogCountRatio(tf="log", length="unit", alpha=0.1, C=10.0, lowercase=lower, strip_accents=accents)
        return ratio, bayes

    # Fitted attributes ---------------------------------------------------------------------------------------------

    def _is_fitted(self) -> bool:
        return self._fitted is not None

    def _current(self) -> _Pool:
        if self._fitted is None:
            raise UnfittedError("This AutoText instance is not fitted yet. Call 'fit' first.")
        return self._fitted

    @property
    def models_(self) -> dict[str, LogCountRatio | TextNB]:
        """The fitted models, by name."""
        fitted = self._current()
        return dict(zip(_NAMES, (fitted.ratio, fitted.bayes), strict=True))

    @property
    def weights_(self) -> dict[str, float]:
        """The weight of each model's evidence, by name."""
        return dict(zip(_NAMES, self._current().weights, strict=True))

    @property
    def tally_(self) -> Tally:
        """The number of documents of each class that contain each word."""
        return self._current().ratio.tally_

    @property
    def classes_(self) -> AnyArray:
        """The labels, sorted."""
        return self._current().ratio.classes_

    @property
    def n_parameters_(self) -> int:
        """The number of free parameters of both models."""
        fitted = self._current()
        return fitted.ratio.n_parameters_ + fitted.bayes.n_parameters_

    def _learned_beside_counts(self) -> dict[str, str]:
        models = ", ".join(f"{name} × {weight:.2f}" for name, weight in self.weights_.items())
        return {**self._current().ratio._learned_beside_counts(), "models": models}

    def report(self) -> Comparison:
        """Show the scores of the models on documents that they had not learned, and their weights.

        Returns
        -------
        Comparison
            It prints as a table.

        Raises
        ------
        ParameterError
            There were too few documents for a comparison.
        """
        comparison = self._current().comparison
        if comparison is None:
            raise ParameterError("nothing was compared: a third of the documents were fewer than 20.")
        return comparison

    # Predicting ----------------------------------------------------------------------------------------------------

    def predict(self, X: Any) -> AnyArray:
        """Predict the most probable class.

        Parameters
        ----------
        X : collection of str or bytes
            The documents: a list, a Series, an array or an Arrow column.

        Returns
        -------
        labels : array of shape (n_samples,)
        """
        return self.classes_[self.predict_log_proba(X).argmax(axis=1)]

    def predict_proba(self, X: Any) -> Floats:
        """Compute the posteriors P(class | document).

        Parameters
        ----------
        X : collection of str or bytes
            The documents: a list, a Series, an array or an Arrow column.

        Returns
        -------
        posteriors : array of shape (n_samples, n_classes)
        """
        return np.exp(self.predict_log_proba(X))

    def predict_log_proba(self, X: Any) -> Floats:
        """Compute log P(class | document).

        Parameters
        ----------
        X : collection of str or bytes
            The documents: a list, a Series, an array or an Arrow column.

        Returns
        -------
        log_posteriors : array of shape (n_samples, n_classes)
        """
        return self._current().log_posterior(read_documents(X))

    def explain(self, document: Any, against: object = None) -> DocumentExplanation:
        """Show the weight of each word and each n-gram of characters for the predicted class against another.

        The weights sum to the log-odds; n-grams of characters stand in quotation marks. In the text, the weight of a
        word is that of the word and of its characters.

        Parameters
        ----------
        document : str or bytes
            One document.
        against : a class, optional
            The class to compare with; the second best when None.

        Returns
        -------
        DocumentExplanation
            The weights in decibans; a notebook colours the document.
        """
        fitted = self._current()
        data = read_document(document, "explain")
        prior, weights = fitted.prior, fitted.weights
        case = DocumentCase(data.texts[0], self.classes_, prior, fitted.log_posterior(data)[0] - prior)
        label, against = compared(case, None, against)
        words, letters = (
            explain_document(model, case, label, against)
            for model, case in (fitted.ratio._case(data), fitted.bayes._case(data))
        )
        a, b = (class_index(each, self.classes_) for each in (label, against))
        left = (1.0 - sum(weights)) * decibans_from_nats(float(prior[a] - prior[b]))
        shares = tuple(zip(weights, (words, letters), strict=True))
        quoted = tuple(replace(reason, token=f'"{reason.token}"') for reason in letters.reasons)
        reasons = (*_weighed(words.reasons, weights[0]), *_weighed(quoted, weights[1]))
        return replace(
            words,
            prior_db=left + sum(weight * part.prior_db for weight, part in shares),
            prior_name="prior",
            reasons=tuple(sorted(reasons, key=lambda reason: -abs(reason.weight_db))),
            marks=tuple(
                replace(mark, weight_db=weight * mark.weight_db) for weight, part in shares for mark in part.marks
            ),
        )

    def top_tokens(self, label: object, against: object = None, *, n: int = 10) -> TopTokens:
        """List the words with the largest weights for a class against another, as `LogCountRatio.top_tokens` does.

        Parameters
        ----------
        label : a class
            The class that the weights are for.
        against : a class, optional
            The class to compare with.
        n : int
            The number of words.

        Returns
        -------
        TopTokens
        """
        return self._current().ratio.top_tokens(label, against, n=n)

    # Storing -------------------------------------------------------------------------------------------------------

    def _state(self) -> dict[str, object]:
        """The content of a file besides the parameters."""
        fitted = self._current()
        letters = {"letters": fitted.bayes.tally_, "form": fitted.bayes._form}
        return {**fitted.ratio._state(), **letters, "comparison": fitted.comparison}

    def _restore(self, state: dict[str, Any]) -> None:
        comparison = state["comparison"]
        is_valid = isinstance(comparison, Comparison) and len(comparison.candidates) == len(_NAMES)
        require(comparison is None or is_valid, "its comparison is of other models")
        ratio, bayes = self._new_models()
        ratio._restore(state)
        require(isinstance(state["letters"], Tally) and isinstance(state["form"], TextForm), "it holds no tally")
        bayes._accepted(state["letters"])
        bayes._adopt(state["letters"], state["form"])
        require(np.array_equal(bayes.classes_, ratio.classes_), "its models have different classes")
        self._fitted = _Pool(ratio, bayes, comparison)


def _fit_bayes(model: TextNB, data: Documents, sample: Sample) -> TextNB:
    return model.fit(data.texts, sample.classes.labels[sample.codes], sample.weights)


def _weighed(reasons: tuple[TokenReason, ...], weight: float) -> tuple[TokenReason, ...]:
    return tuple(replace(reason, weight_db=weight * reason.weight_db) for reason in reasons)
