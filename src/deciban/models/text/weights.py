"""The weight of evidence of tokens for a class against another, in decibans: 10·log10 of P(t | a) / P(t | b)."""

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
from deciban.ties import settled
from deciban.types import AnyArray, Floats
from deciban.units import decibans_from_nats

__all__ = ["class_index", "class_scores", "difference", "document_weights", "top_tokens"]

_REST = "the rest"


def top_tokens(
    model: TextModel, classes: AnyArray, label: Any, against: Any, n: int, prior: Floats | None = None
) -> TopTokens:
    """The n tokens with the largest weights for a class against another.

    Without another class, it is the other of two classes, or the rest. Without a `prior`, the weights of a class are
    taken as weights against the rest: those of a linear classifier.
    """
    a = class_index(label, classes)
    others = [b for b in range(len(classes)) if b != a]
    if not others:
        raise InputError(f"there is only one class, {label!r}, so no other to compare it with.")
    if against is None and len(others) == 1:
        against = classes[others[0]]
    if against is not None:
        weights = _weights(model, a, class_index(against, classes))
    else:
        own = class_scores(model, a)
        rest = np.zeros_like(own) if prior is None else _rest_scores(model, others, prior)
        weights = decibans_from_nats(difference(own, rest))
    tokens = [(model.bag.token(token), float(weights[token])) for token in model.bag.largest(weights, n).tolist()]
    return TopTokens(tokens, label, _REST if against is None else against)


def _rest_scores(model: TextModel, others: list[int], prior: Floats) -> Floats:
    """log Σ_b P(b)·P(t | b) / Σ_b P(b) over the other classes."""
    shares = prior[others] if np.isfinite(prior[others]).any() else np.zeros(len(others))
    total = np.full(len(model.scores.starts) - 1, -np.inf)
    for b, share in zip(others, shares, strict=True):
        total = np.logaddexp(total, class_scores(model, b) + share)
    return total - np.logaddexp.reduce(shares)


def document_weights(model: TextModel, document: Any, a: int, b: int) -> list[tuple[str, int, float]]:
    """The known tokens of a document, how often each counts, and their weights; the largest absolute weight first."""
    vocabulary, analyzer = model.bag.vocabulary, model.analyzer
    if vocabulary is None:
        raise ParameterError("hashed tokens have no names: fit without n_bits to get the weights of tokens.")
    row, _ = term_matrix(Documents([document]), analyzer, vocabulary.index(analyzer.rules))
    amounts = np.ones(len(row.data), dtype=np.int64) if model.scores.distinct else row.data
    weights = _weights(model, a, b)[row.indices] * amounts
    order = np.argsort(-settled(np.abs(weights)), kind="stable").tolist()
    return [(vocabulary[int(row.indices[i])], int(amounts[i]), float(weights[i])) for i in order]


def class_index(label: Any, classes: AnyArray) -> int:
    """The index of a class."""
    indices = np.flatnonzero(classes == plain(label))
    if not len(indices):
        raise InputError(f"there is no class {label!r}.{did_you_mean(label, classes.tolist())}")
    return int(indices[0])


def class_scores(model: TextModel, j: int) -> Floats:
    """The score that each token adds to class j."""
    scores = model.scores
    added = np.full(len(scores.starts) - 1, scores.class_base[j])
    if scores.token_base is not None:
        added += scores.token_base
    entries = np.flatnonzero(scores.classes == j)
    rows = np.repeat(np.arange(len(added)), np.diff(scores.starts))[entries]
    added[rows] += scores.deltas[entries]
    return added if model.class_scale is None else added * model.class_scale[j]


def _weights(model: TextModel, a: int, b: int) -> Floats:
    """The log-ratio of every token, in decibans."""
    return decibans_from_nats(difference(class_scores(model, a), class_scores(model, b)))


def difference(a: Any, b: Any) -> Any:
    """a − b, where −∞ − −∞ is 0."""
    with np.errstate(invalid="ignore"):
        return np.where(np.equal(a, b), 0.0, np.subtract(a, b))
