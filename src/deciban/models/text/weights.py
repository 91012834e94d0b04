"""What tokens say for a class against another, in decibans: 10·log10 of P(t | a) / P(t | b), as the model scores it."""

from __future__ import annotations

from typing import Any

import numpy as np

from deciban.errors import InputError, ParameterError
from deciban.explain import TopTokens
from deciban.models.text.model import TextModel
from deciban.read import plain
from deciban.read.documents import Documents
from deciban.suggest import did_you_mean
from deciban.text.counting import term_matrix
from deciban.types import AnyArray, Floats
from deciban.units import decibans_from_nats

__all__ = ["class_scores", "document_weights", "less", "place_of", "top_tokens"]


REST = "the rest"


def top_tokens(
    model: TextModel, classes: AnyArray, label: Any, against: Any, many: int, prior: Floats | None = None
) -> TopTokens:
    """The tokens that speak most for a class against another, and their weights.

    Without another, it is the other of two classes, or the rest. A class's weights are against the rest already where
    there is no `prior`: those of a linear classifier.
    """
    a = place_of(label, classes)
    others = [b for b in range(len(classes)) if b != a]
    if not others:
        raise InputError(f"there is one class, {label!r}, so no token speaks for it against another.")
    if against is None and len(others) == 1:
        against = classes[others[0]]
    if against is not None:
        weights = _weights(model, a, place_of(against, classes))
    else:
        mine = class_scores(model, a)
        rest = np.zeros_like(mine) if prior is None else _rest_scores(model, others, prior)
        weights = decibans_from_nats(less(mine, rest))
    held = [(model.bag.token(token), float(weights[token])) for token in model.bag.largest(weights, many).tolist()]
    return TopTokens(held, label, REST if against is None else against)


def _rest_scores(model: TextModel, others: list[int], prior: Floats) -> Floats:
    """log Σ_b P(b)·P(t | b) / Σ_b P(b) over the other classes."""
    shares = prior[others] if np.isfinite(prior[others]).any() else np.zeros(len(others))
    total = np.full(len(model.scores.starts) - 1, -np.inf)
    for b, share in zip(others, shares, strict=True):
        total = np.logaddexp(total, class_scores(model, b) + share)
    return total - np.logaddexp.reduce(shares)


def document_weights(model: TextModel, document: Any, a: int, b: int) -> list[tuple[str, int, float]]:
    """The known tokens of a document, how often each counts, and their weights; the heaviest, either way, first."""
    vocabulary, analyzer = model.bag.vocabulary, model.analyzer
    if vocabulary is None:
        raise ParameterError("hashed tokens have no spelling: fit without n_bits to see what tokens say.")
    row, _ = term_matrix(Documents([document]), analyzer, vocabulary.index(analyzer.rules))
    amounts = np.ones(len(row.data), dtype=np.int64) if model.scores.distinct else row.data
    weights = _weights(model, a, b)[row.indices] * amounts
    order = np.argsort(-np.abs(weights), kind="stable").tolist()
    return [(vocabulary[int(row.indices[i])], int(amounts[i]), float(weights[i])) for i in order]


def place_of(label: Any, classes: AnyArray) -> int:
    """The place of a class."""
    places = np.flatnonzero(classes == plain(label))
    if not len(places):
        raise InputError(f"there is no class {label!r}.{did_you_mean(label, classes.tolist())}")
    return int(places[0])


def class_scores(model: TextModel, place: int) -> Floats:
    """What each token adds to the score of a class."""
    scores = model.scores
    added = np.full(len(scores.starts) - 1, scores.class_base[place])
    if scores.token_base is not None:
        added += scores.token_base
    held = np.flatnonzero(scores.classes == place)
    rows = np.repeat(np.arange(len(added)), np.diff(scores.starts))[held]
    added[rows] += scores.deltas[held]
    return added if model.class_scale is None else added * model.class_scale[place]


def _weights(model: TextModel, a: int, b: int) -> Floats:
    """The log-ratio of every token, in decibans."""
    return decibans_from_nats(less(class_scores(model, a), class_scores(model, b)))


def less(a: Any, b: Any) -> Any:
    """a − b, where −∞ − −∞ is 0."""
    with np.errstate(invalid="ignore"):
        return np.where(np.equal(a, b), 0.0, np.subtract(a, b))
