"""What tokens say for a class against another, in decibans: 10·log10 of P(t | a) / P(t | b), as the model scores it."""

from __future__ import annotations

from typing import Any

import numpy as np

from deciban.errors import InputError, ParameterError
from deciban.models.text_model import TextModel
from deciban.read.documents import Documents
from deciban.text.counting import term_matrix
from deciban.types import AnyArray, Floats
from deciban.units import decibans_from_nats

__all__ = ["class_scores", "document_weights", "heaviest_tokens", "place_of"]


def heaviest_tokens(model: TextModel, a: int, b: int, many: int) -> list[tuple[str, float]]:
    """The tokens that speak most for class a against class b, and their weights."""
    weights = _weights(model, a, b)
    return [(model.bag.token(token), float(weights[token])) for token in model.bag.largest(weights, many).tolist()]


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
    places = np.flatnonzero(classes == label)
    if not len(places):
        raise InputError(f"there is no class {label!r}; the classes are {classes.tolist()}.")
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
    mine, theirs = class_scores(model, a), class_scores(model, b)
    with np.errstate(invalid="ignore"):
        ratio = np.where(mine == theirs, 0.0, mine - theirs)
    return decibans_from_nats(ratio)
