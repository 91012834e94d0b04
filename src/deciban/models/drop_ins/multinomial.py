"""Multinomial naive Bayes: a row is a bag of terms (Culotta, CS429; Mitchell, Table 6.2).

P(k | j) = (T_jk + α) / (Σ_k T_jk + α·|V|),  log P(x | j) = Σ_k x_k·log P(k | j)
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from deciban.estimate import log_probabilities
from deciban.models.drop_ins.discrete import DiscreteNB, packed_log_probabilities
from deciban.models.export.onnx.export import to_onnx
from deciban.models.export.onnx.scores import linear_scores
from deciban.models.form import Form
from deciban.models.options import SkipOrError
from deciban.models.parts.generative import draw_classes, drawn_sample, read_lengths, scored_joint
from deciban.models.parts.terms import term_probabilities
from deciban.read.random_state import RandomState
from deciban.tallies import Tally
from deciban.types import AnyArray, Codes, Floats, Ints

__all__ = ["MultinomialNB"]


class MultinomialNB(DiscreteNB):
    """Multinomial naive Bayes: counts of terms. A drop-in for ``sklearn.naive_bayes.MultinomialNB``.

    Beyond scikit-learn: missing values, new classes later on, `merge`, `forget`, `evidence` and `explain`. ``alpha=0``
    never gives NaN.

    Parameters
    ----------
    alpha : float or array of shape (n_features,)
        The pseudo-count of each term; 1 is Laplace's law, 0 maximum likelihood.
    force_alpha : bool
        Whether an alpha below 1e-10 is used as given.
    fit_prior : bool
        Whether class priors are relative frequencies; uniform when not.
    class_prior : array, optional
        The probabilities of the classes.
    missing : {"error", "skip"}
        What a missing value (NaN) is: an error, or no evidence.

    Attributes
    ----------
    tally_ : Tally
        The sums of the columns in each class, from which all other attributes follow.
    classes_ : array
        The labels, sorted.
    class_count_ : array
        The weight of the rows of each class.
    class_log_prior_ : array
        log P(class).
    feature_count_ : array of shape (n_classes, n_features)
        The sum of each column in each class.
    feature_log_prob_ : array of shape (n_classes, n_features)
        log P(term | class).
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : array
        The names of the columns, where the rows had names.

    See Also
    --------
    BernoulliNB : For terms that are present or absent.
    TextNB : For documents, without a vectorizer.

    Examples
    --------
    >>> model = MultinomialNB().fit([[2, 1, 0], [0, 1, 3]], ["sport", "music"])
    >>> model.predict([[0, 0, 1]]).tolist()
    ['music']
    """

    def __init__(
        self,
        *,
        alpha: Any = 1.0,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: Any = None,
        missing: SkipOrError = "error",
    ) -> None:
        self.alpha, self.force_alpha = alpha, force_alpha
        self.fit_prior, self.class_prior = fit_prior, class_prior
        self.missing = missing

    to_onnx, term_probabilities = to_onnx, term_probabilities
    _onnx_scores = linear_scores

    def _estimate(self, tally: Tally, form: Form) -> dict[str, Any]:
        alpha = self._check_alpha(form.columns)
        sums = tally.parts[0].sums
        whole = sums.sum(axis=1, keepdims=True) + np.sum(np.broadcast_to(alpha, form.columns))
        prior = self._log_prior(tally)
        return {
            "class_log_prior_": prior,
            "_prior": prior,
            "_base": prior,
            "_weight": packed_log_probabilities(sums, alpha, whole),
            "_at_missing": None,
        }

    _joint = scored_joint

    def sample(self, n: int, *, n_tokens: Any = None, random_state: RandomState = None) -> tuple[Any, AnyArray]:
        """Draw rows of term counts with their classes: a class by the priors, then the terms given the class.

        Parameters
        ----------
        n : the number of rows
        n_tokens : the sum of each row, of which the model says nothing: a number, or one for each row; by default the
            mean of the learned rows, rounded
        random_state : an int, a Generator or None; the same int gives the same rows

        Returns
        -------
        X : an array, or an Arrow table where the model was fitted with the names of columns
        y : the labels

        Examples
        --------
        >>> model = MultinomialNB().fit([[2, 1, 0], [0, 1, 3]], ["sport", "music"])
        >>> X, y = model.sample(2, n_tokens=[5, 3], random_state=0)
        >>> X.sum(axis=1).tolist()
        [5, 3]
        """

        def draw(rows: int, rng: np.random.Generator) -> tuple[Codes, Ints]:
            y, lengths = draw_classes(self, rows, rng), read_lengths(n_tokens, rows, self._mean_length)
            return y, rng.multinomial(lengths, np.exp(self.feature_log_prob_)[y]).T

        return drawn_sample(self, n, random_state, draw)

    @property
    def _mean_length(self) -> float:
        return float(self.feature_count_.sum()) / max(float(self.tally_.total), 1e-300)

    @cached_property
    def feature_log_prob_(self) -> Floats:
        """log P(term | class), classes × columns."""
        return log_probabilities(self.feature_count_, self._check_alpha())

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.classifier_tags.poor_score = True
        return tags
