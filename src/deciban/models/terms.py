"""P(term | class) of a model of terms, as a table: of all terms, of some, or of the most probable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from deciban.choices import did_you_mean
from deciban.errors import InputError
from deciban.estimate.drawing import read_count
from deciban.explain.tokens import TermProbabilities
from deciban.ties import settled
from deciban.types import Floats

__all__ = ["chosen_terms", "term_probabilities"]


def term_probabilities(self: Any, terms: Sequence[str] | None = None, *, n: int | None = None) -> TermProbabilities:
    """P(term | class), as a table with a row for each term and a column for each class.

    In `MultinomialNB` the probabilities of a class sum to 1 over all terms; in `BernoulliNB` each is the probability
    that a row has the term.

    Parameters
    ----------
    terms : the names of columns; all when None. Columns without names are x0, x1, …
    n : of these, only the n with the largest P(term) = Σ_j P(j)·P(term | j), the largest first

    Examples
    --------
    >>> from deciban import MultinomialNB
    >>> model = MultinomialNB().fit({"ball": [2, 0], "song": [1, 3]}, ["sport", "music"])
    >>> print(model.term_probabilities())
    term   music   sport
    ball  0.2000  0.6000
    song  0.8000  0.4000
    """
    self._check_fitted()
    index = {name: i for i, name in enumerate(self._names())}
    return chosen_terms(self, index, np.exp(self.feature_log_prob_), terms, n)


def chosen_terms(
    model: Any, index: Mapping[str, int], probabilities: Floats, terms: Sequence[str] | None, n: int | None
) -> TermProbabilities:
    """The table of some terms; `probabilities` are classes × terms."""
    names = list(index) if terms is None else [terms] if isinstance(terms, str) else list(terms)
    unknown = [name for name in names if name not in index]
    if unknown:
        raise InputError(f"the model does not know the term {unknown[0]!r}.{did_you_mean(unknown[0], index)}")
    table = probabilities.T[[index[name] for name in names]].reshape(len(names), len(model.classes_))
    if n is not None:
        shares = settled(table @ np.exp(model._prior), scale=0.0)
        largest = np.argsort(-shares, kind="stable")[: read_count(n, "n", 0)].tolist()
        names, table = [names[i] for i in largest], table[largest]
    return TermProbabilities(tuple(names), model.classes_, table)
