"""What decisions cost: the mean of L(truth, decision) over rows, beside the cheapest decision for all rows."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from deciban.decide.report import Report
from deciban.decide.rules import check_loss
from deciban.ties import first_smallest

__all__ = ["MeanCost", "mean_cost"]


class MeanCost(NamedTuple):
    """The mean cost of a row that was decided; the class that costs least where all rows are given to it, and its cost.

    `undecided` rows have no cost.
    """

    value: float
    label: Any
    baseline: float
    undecided: int


def mean_cost(report: Report, loss: Any) -> MeanCost:
    """The mean cost of the decisions of a report, by a loss as `NaiveBayes` takes it.

    >>> from deciban import evaluate
    >>> mean_cost(
    ...     evaluate(["ham", "ham", "spam"], ["ham", "spam", "ham"]),
    ...     {"ham": {"spam": 10}, "spam": {"ham": 1}},
    ... )
    MeanCost(value=3.6666666666666665, label='ham', baseline=0.3333333333333333, undecided=0)
    """
    labels = report.classes.tolist()
    costs, classes = check_loss(loss, labels), len(labels)
    decided, rows = report.confusion[:, :classes], report.confusion.sum(axis=1)
    each = rows @ costs / max(int(rows.sum()), 1)
    best = first_smallest(each, scale=float(np.abs(costs).max(initial=0.0)))
    value = float((decided * costs).sum() / max(int(decided.sum()), 1))
    return MeanCost(value, labels[best], float(each[best]), int(report.confusion.sum() - decided.sum()))
