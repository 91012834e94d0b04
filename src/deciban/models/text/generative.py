"""A text model as a model of how documents arise: a class, then the tokens given the class (Mitchell, table 6.2).

    multinomial   P(d | j) = Π_i P(w_i | j)                        over the positions i with known tokens
    bernoulli     P(d | j) = Π_t P(t | j)^x_t·(1 − P(t | j))^(1 − x_t)    over all tokens t of the vocabulary

The other events are scores, not distributions of documents.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from deciban.errors import ParameterError
from deciban.estimate.columns.drawing import cumulative_ends
from deciban.explain.terms import TermProbabilities
from deciban.limits import check_memory
from deciban.models.parts.decider import by_blocks, labels_of
from deciban.models.parts.generative import draw_classes, read_lengths
from deciban.models.parts.terms import chosen_terms
from deciban.models.text.model import TextModel
from deciban.models.text.weights import class_scores
from deciban.read.documents import Documents
from deciban.read.random_state import RandomState, read_count, read_seed
from deciban.types import AnyArray, Codes, Floats, Ints

__all__ = [
    "check_event",
    "document_joint",
    "free_parameters",
    "linear_parameters",
    "sample",
    "term_probabilities",
    "token_probabilities",
]

_BLOCK = 1 << 22
"""The most tokens of documents × vocabulary that are drawn at once."""


def free_parameters(self: Any) -> int:
    """One for each token and class; one fewer a class where the probabilities of the tokens sum to 1."""
    tokens = int(self._model.bag.size)
    return len(self.classes_) * (tokens if self.event == "bernoulli" else max(tokens - 1, 0))


def linear_parameters(self: Any) -> int:
    """The number of free parameters: the weights of the tokens and the intercepts."""
    self._check_fitted()
    return int(self.coef_.size + self.intercept_.size)


def document_joint(self: Any, data: Documents) -> Floats:
    """log P(document, class), without a temperature and without normalization by length."""
    check_event(self.event)
    model = replace(self._model, power=0.0)
    joint: Floats = self._prior + by_blocks(data, len(self.classes_), lambda documents: model.score(documents)[0])
    return joint


def check_event(event: str) -> None:
    """Refuse an event whose scores are not probabilities of documents."""
    if event not in ("multinomial", "bernoulli"):
        raise ParameterError(
            f'event="{event}" scores documents, but is not a distribution of documents. Use event="multinomial" or '
            '"bernoulli".'
        )


def token_probabilities(model: TextModel) -> Floats:
    """P(token | class): classes × tokens; of the Bernoulli model the probability that a document contains the token."""
    scores = np.array([class_scores(model, j) for j in range(len(model.scores.prior))])
    if not model.counts_absence:
        return np.exp(scores)
    return 1.0 / (1.0 + np.exp(-scores))  # the score of a token is log p − log (1 − p)


def term_probabilities(self: Any, terms: Sequence[str] | None = None, *, n: int | None = None) -> TermProbabilities:
    """P(token | class), as a table with a row for each token and a column for each class.

    The probabilities of a class sum to 1 over the vocabulary; with ``event="bernoulli"`` each is the probability that a
    document contains the token. They are those of the model, without a temperature.

    Parameters
    ----------
    terms : tokens; all of the vocabulary when None
    n : of these, only the n with the largest P(token) = Σ_j P(j)·P(token | j), the largest first

    Examples
    --------
    >>> from deciban import TextNB
    >>> model = TextNB("multinomial", smoothing=1.0).fit(
    ...     ["free prize", "lunch at noon"], ["spam", "ham"]
    ... )
    >>> print(model.term_probabilities(["free", "noon"]))
    term     ham    spam
    free  0.1250  0.2857
    noon  0.2500  0.1429
    """
    self._check_fitted()
    if self.event in ("complement", "twcnb"):
        raise ParameterError(f'event="{self.event}" has probabilities of the other classes, not of each class.')
    if self._model.bag.vocabulary is None:
        raise ParameterError("hashed tokens have no names: fit without n_bits to get their probabilities.")
    return chosen_terms(self, self.vocabulary_, token_probabilities(self._model), terms, n)


def sample(self: Any, n: int, *, n_tokens: Any = None, random_state: RandomState = None) -> tuple[list[str], AnyArray]:
    """Draw documents with their classes: a class by the priors, then the tokens given the class.

    Parameters
    ----------
    n : the number of documents
    n_tokens : for ``event="multinomial"``, the number of tokens of each document, of which the model says nothing: a
        number, or one for each document; by default the mean of the learned documents, rounded
    random_state : an int, a Generator or None; the same int gives the same documents

    Returns
    -------
    X : the documents: their tokens, joined by spaces
    y : the labels

    Examples
    --------
    >>> from deciban import TextNB
    >>> model = TextNB("multinomial").fit(["free prize now", "lunch at noon"], ["spam", "ham"])
    >>> documents, labels = model.sample(2, n_tokens=4, random_state=0)
    >>> [len(document.split()) for document in documents]
    [4, 4]
    """
    self._check_fitted()
    check_event(self.event)
    if self._model.bag.vocabulary is None:
        raise ParameterError("hashed tokens have no names: fit without n_bits to draw documents.")
    rows, rng = read_count(n, "n", 0), np.random.default_rng(read_seed(random_state))
    y = draw_classes(self, rows, rng)
    if self._model.counts_absence:
        if n_tokens is not None:
            raise ParameterError('n_tokens is for event="multinomial": with "bernoulli", each token is present or not.')
        ids = list(_present(token_probabilities(self._model), y, rng))
    else:
        lengths = read_lengths(n_tokens, rows, self._model.mean_tokens)
        ids = _positions(token_probabilities(self._model), y, lengths, rng)
    documents = _joined(self, ids)
    return documents, labels_of(y, self.classes_)


def _positions(probabilities: Floats, y: Codes, lengths: Ints, rng: np.random.Generator) -> list[Ints]:
    """The ids of the tokens of each document, drawn one by one."""
    check_memory("the tokens of the documents", int(lengths.sum()), itemsize=24, advice="Draw fewer at a time.")
    uniform, of_token = rng.random(int(lengths.sum())), np.repeat(y, lengths)
    ids = np.zeros(len(uniform), dtype=np.int64)
    for j, ends in enumerate(cumulative_ends(probabilities)):
        rows = np.flatnonzero(of_token == j)
        ids[rows] = np.searchsorted(ends, uniform[rows], side="right")
    return np.split(ids, np.cumsum(lengths)[:-1]) if len(lengths) else []


def _present(probabilities: Floats, y: Codes, rng: np.random.Generator) -> Iterator[Ints]:
    """The ids of the tokens that each document contains; those of some documents at a time."""
    step = max(1, _BLOCK // max(probabilities.shape[1], 1))
    for first in range(0, len(y), step):
        present = probabilities[y[first : first + step]]
        yield from (np.flatnonzero(row) for row in rng.random(present.shape) < present)


def _joined(model: Any, ids: list[Ints]) -> list[str]:
    """The tokens of each document, joined; an error where the model would find others in the text."""
    names = model._model.bag.vocabulary.tokens
    documents = [" ".join(names[token] for token in held.tolist()) for held in ids]
    if documents and not np.array_equal(model._model.score(Documents(documents))[1], [len(held) for held in ids]):
        raise ParameterError(
            "the tokens of this model overlap, or are not words of a text, so no document consists of drawn tokens. "
            "Use words, with ngram_range=(1, 1)."
        )
    return documents
