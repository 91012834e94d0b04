"""The nomogram of a naive Bayes model: its values and their weights, from what was estimated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from deciban.errors import ParameterError
from deciban.estimate import Distribution, Ignore, Likelihood
from deciban.estimate.distributions.base import WeightedLikelihood
from deciban.estimate.distributions.examples import Example
from deciban.explain import Nomogram, Scale
from deciban.models.tables.schema import Schema
from deciban.models.text.column import TextLikelihood
from deciban.models.text.weights import class_scores
from deciban.read import MISSING_LABEL, plain
from deciban.suggest import did_you_mean
from deciban.tallies import Gapped, Tally
from deciban.units import decibans_from_nats

__all__ = ["make_nomogram"]

Point = tuple[str, float, float]
"""A value as text, its weight in decibans, and how many rows have it."""


def make_nomogram(
    tally: Tally,
    schema: Schema,
    prior: Sequence[float],
    groups: Sequence[tuple[Likelihood, Sequence[int]]],
    pair: tuple[Any, Any],
    limits: tuple[int, int],
) -> Nomogram:
    """Weigh the values of each column for one class against another; the columns of the widest range first."""
    j, k = _places(tally.classes.labels.tolist(), pair)
    scales = []
    for likelihood, places in groups:
        names = [schema.plans[place].name for place in places]
        for i, place in enumerate(places):
            if isinstance(schema.plans[place].distribution, Ignore):
                continue
            score = likelihood.one(i, names)
            values = _values(schema.plans[place].distribution, tally.parts[place])
            points = [(text, _weight(score(value), j, k), rows) for text, value, rows in values]
            scales.append(Scale(names[i], _most_telling([*points, *_tokens(likelihood, i, j, k)], limits[1])))
    scales.sort(key=lambda scale: -scale.reach)
    labels, shown = tally.classes.labels, scales[: limits[0]]
    return Nomogram(labels[j], labels[k], decibans_from_nats(prior[j] - prior[k]), tuple(shown), len(scales))


def _places(labels: list[Any], pair: tuple[Any, Any]) -> tuple[int, int]:
    wanted = (labels[-1] if pair[0] is None else pair[0], labels[0] if pair[1] is None else pair[1])
    wanted = (plain(wanted[0]), plain(wanted[1]))
    for label in wanted:
        if label not in labels:
            raise ParameterError(f"there is no class {label!r}.{did_you_mean(label, labels)}")
    return labels.index(wanted[0]), labels.index(wanted[1])


def _values(kind: Distribution, part: Any) -> list[Example]:
    """Values that show what a column can say, and that it is missing where this is evidence."""
    if not isinstance(part, Gapped):
        return kind.examples(part)
    missing = Example(str(MISSING_LABEL), None, float(part.gaps[:, 1].sum()))
    return [*kind.examples(part.part), *([missing] if missing.rows else [])]


def _tokens(likelihood: Likelihood, i: int, j: int, k: int) -> list[Point]:
    """The tokens of a column of text, with their weights; none for any other column."""
    weight = 1.0
    if isinstance(likelihood, WeightedLikelihood):
        weight = float(likelihood._weights[i])
        likelihood = likelihood._plain
    if not isinstance(likelihood, TextLikelihood) or likelihood._models[i].bag.vocabulary is None:
        return []
    model = likelihood._models[i]
    mine, theirs = class_scores(model, j), class_scores(model, k)
    with np.errstate(invalid="ignore"):
        weights = weight * decibans_from_nats(np.where(mine == theirs, 0.0, mine - theirs))
    rows = model.bag.sums(model.scores.distinct)
    used = np.flatnonzero(np.isfinite(weights) & (rows > 0)).tolist()
    return [(model.bag.token(token), float(weights[token]), float(rows[token])) for token in used]


def _weight(logs: Sequence[float], j: int, k: int) -> float:
    return 0.0 if logs[j] == logs[k] else float(decibans_from_nats(logs[j] - logs[k]))


def _most_telling(points: Sequence[Point], most: int) -> tuple[tuple[str, float], ...]:
    """The values of finite weight that say most in all rows together, rows · |weight|: half of them for each class."""
    ranked = sorted((point for point in points if np.isfinite(point[1])), key=lambda point: -point[2] * abs(point[1]))
    sides = [point for point in ranked if point[1] >= 0], [point for point in ranked if point[1] < 0]
    first = min(len(sides[0]), max(most - len(sides[1]), (most + 1) // 2))
    return tuple((text, weight) for text, weight, _ in (*sides[0][:first], *sides[1][: most - first]))
