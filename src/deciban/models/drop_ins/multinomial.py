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
from deciban.tallies import Tally
from deciban.types import Floats

__all__ = ["MultinomialNB"]


class MultinomialNB(DiscreteNB):
    """Multinomial naive Bayes, a drop-in for ``sklearn.naive_bayes.MultinomialNB``.

    Beyond it: missing values, new classes later on, `merge`, `forget`, `evidence` and `explain`. ``alpha=0`` never
    gives NaN.

    Parameters
    ----------
    alpha : pseudo-count of each term, or one a term; 1 is Laplace's law, 0 maximum likelihood
    force_alpha : whether an alpha below 1e-10 is used as given
    fit_prior : whether class priors are relative frequencies; uniform when not
    class_prior : probabilities of the classes
    missing : "error", or "skip": a missing value (NaN) is no evidence

    Examples
    --------
    >>> import numpy as np
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

    to_onnx = to_onnx
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

    @cached_property
    def feature_log_prob_(self) -> Floats:
        return log_probabilities(self.feature_count_, self._check_alpha())

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.classifier_tags.poor_score = True
        return tags
