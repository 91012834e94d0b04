"""The nomogram of a naive Bayes model: its values and their weights, from what was estimated.

`nomogram` is a method of the classifiers that have it as an attribute.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from deciban.errors import ParameterError
from deciban.estimate import Likelihood
from deciban.estimate.columns.examples import Example
from deciban.estimate.columns.missing import examples
from deciban.explain import Nomogram, Scale
from deciban.models.tables.schema import Schema
from deciban.read import plain
from deciban.suggest import did_you_mean
from deciban.tallies import Tally
from deciban.ties import largest_first
from deciban.units import decibans_from_nats

__all__ = ["make_nomogram", "nomogram"]

Point = tuple[str, float, float]
"""A value as text, its weight in decibans, and how many rows have it."""


def nomogram(
    self: Any, label: Any = None, against: Any = None, *, max_columns: int = 15, max_values: int = 12
) -> Nomogram:
    """Show the whole model: the weight of each column's values for one class against another.

    Parameters
    ----------
    label : a class, optional
        The class that weights are for; the last when None.
    against : a class, optional
        The class that it is compared with; the first when None.
    max_columns : int
        The number of columns shown: those whose weights differ most.
    max_values : int
        The number of labels, bins or tokens shown of a column: those with the most evidence in all rows.

    Returns
    -------
    Nomogram
        It prints as a table; a notebook shows it as a picture, which `to_svg` and `plot` draw.

    Examples
    --------
    >>> import deciban as db
    >>> days = {"sky": ["sun", "sun", "rain"], "wind": ["low", "high", "high"]}
    >>> model = db.NaiveBayes(weights=None).fit(days, ["play", "play", "stay"])
    >>> print(model.nomogram("play", "stay"))
    decibans for play against stay; prior +3.0
    sky   rain -4.3, sun +3.5
    wind  high -1.2, low +1.8
    """
    self._check_fitted()
    limits = int(max_columns), int(max_values)
    if min(limits) < 1:
        raise ParameterError(f"max_columns and max_values are at least 1, not {max_columns} and {max_values}.")
    groups = self._estimates.groups
    return make_nomogram(self.tally_, self.schema_, self._prior.tolist(), groups, (label, against), limits)


def make_nomogram(
    tally: Tally,
    schema: Schema,
    prior: Sequence[float],
    groups: Sequence[tuple[Likelihood, Sequence[int]]],
    pair: tuple[Any, Any],
    limits: tuple[int, int],
) -> Nomogram:
    """Weigh the values of each column for one class against another; columns with the widest range first."""
    j, k = _class_indices(tally.classes.labels.tolist(), pair)
    scales = []
    for likelihood, columns in groups:
        plans = [schema.plans[column] for column in columns]
        names = [plan.name for plan in plans]
        for i, (plan, column) in enumerate(zip(plans, columns, strict=True)):
            if plan.distribution.is_ignored:
                continue
            score = likelihood.one(i, names)
            values = examples(plan.distribution, tally.parts[column])
            points = [(text, _weight(score(value), j, k), rows) for text, value, rows in values]
            points += [(text, decibans_from_nats(log), rows) for text, log, rows in likelihood.tokens(i, j, k)]
            scales.append(Scale(plan.name, _strongest(points, limits[1]), _are_numbers(values)))
    scales = largest_first(scales, lambda scale: scale.reach)
    labels, shown = tally.classes.labels, scales[: limits[0]]
    return Nomogram(labels[j], labels[k], decibans_from_nats(prior[j] - prior[k]), tuple(shown), len(scales))


def _class_indices(labels: list[Any], pair: tuple[Any, Any]) -> tuple[int, int]:
    wanted = (labels[-1] if pair[0] is None else pair[0], labels[0] if pair[1] is None else pair[1])
    wanted = (plain(wanted[0]), plain(wanted[1]))
    for label in wanted:
        if label not in labels:
            raise ParameterError(f"there is no class {label!r}.{did_you_mean(label, labels)}")
    return labels.index(wanted[0]), labels.index(wanted[1])


def _weight(logs: Sequence[float], j: int, k: int) -> float:
    return 0.0 if logs[j] == logs[k] else float(decibans_from_nats(logs[j] - logs[k]))


def _strongest(points: Sequence[Point], most: int) -> tuple[tuple[str, float], ...]:
    """The values with the most evidence in all rows together, rows · |weight|, half for each class; in their order."""
    ranked = largest_first((point for point in points if np.isfinite(point[1])), lambda point: point[2] * abs(point[1]))
    sides = [point for point in ranked if point[1] >= 0], [point for point in ranked if point[1] < 0]
    first = min(len(sides[0]), max(most - len(sides[1]), (most + 1) // 2))
    kept = {*sides[0][:first], *sides[1][: most - first]}
    return tuple((text, weight) for text, weight, rows in points if (text, weight, rows) in kept)


def _are_numbers(values: Sequence[Example]) -> bool:
    """True where the values are numbers, or bins of numbers: then they have an order. A missing one may be last."""
    known = [value for _, value, _ in values if value is not None]
    return bool(known) and all(isinstance(value, int | float) and not isinstance(value, bool) for value in known)
