"""The nomogram of a naive Bayes model: its values and their weights, from what was estimated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from deciban.errors import ParameterError
from deciban.estimate import Likelihood
from deciban.explain import Nomogram, Scale
from deciban.read import MISSING_LABEL, plain
from deciban.tally import Counts, Gapped, Moments, Tally
from deciban.units import decibans_from_nats

__all__ = ["make_nomogram"]

_SPREADS = (-2.0, -1.0, 0.0, 1.0, 2.0)
_MOST_STATES = 12


def make_nomogram(
    tally: Tally,
    prior: Sequence[float],
    groups: Sequence[tuple[Likelihood, Sequence[int]]],
    pair: tuple[Any, Any],
) -> Nomogram:
    """Weigh the states of each column, or values around its mean, for one class against another."""
    label, against = _places(tally.classes.labels.tolist(), pair)
    scales = []
    for likelihood, places in groups:
        names = [tally.parts[place].names[0] for place in places]
        for i, place in enumerate(places):
            score = likelihood.one(i, names)
            weights = [(text, score(value)) for text, value in _values(tally.parts[place])]
            points = tuple((text, decibans_from_nats(logs[label] - logs[against])) for text, logs in weights)
            scales.append(Scale(names[i], tuple(point for point in points if np.isfinite(point[1]))))
    scales.sort(key=lambda scale: -scale.reach)
    labels = tally.classes.labels
    return Nomogram(labels[label], labels[against], decibans_from_nats(prior[label] - prior[against]), tuple(scales))


def _places(labels: list[Any], pair: tuple[Any, Any]) -> tuple[int, int]:
    wanted = (labels[-1] if pair[0] is None else pair[0], labels[0] if pair[1] is None else pair[1])
    wanted = (plain(wanted[0]), plain(wanted[1]))
    if not set(wanted) <= set(labels):
        raise ParameterError(f"the classes are {labels}, not {wanted}.")
    return labels.index(wanted[0]), labels.index(wanted[1])


def _values(part: Any) -> list[tuple[str, Any]]:
    if isinstance(part, Gapped):
        return [*_values(part.part), (str(MISSING_LABEL), None)]
    if isinstance(part, Counts):
        often = np.argsort(-part.table.sum(axis=0), kind="stable")[:_MOST_STATES]
        return [(str(part.variable.labels[v]), part.variable.labels[v]) for v in often]
    if not isinstance(part, Moments):
        return []
    pooled = part.pooled()
    mean, spread = float(pooled.mean[0, 0]), float(np.sqrt(pooled.deviation[0, 0] / max(pooled.weight[0, 0], 1.0)))
    numbers = [mean + k * spread for k in _SPREADS]
    return [(f"{number:.3g}", number) for number in numbers]
