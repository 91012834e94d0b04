"""Where the independence assumption of naive Bayes fails, and what TAN would gain.

Naive Bayes assumes that the columns are independent within each class. The conditional mutual information I(X; Y | C)
of two columns is 0 where this holds. Estimated from n rows it is too large, by about

    (|X| − 1)·(|Y| − 1)·|C| / 2n

where the columns are independent (Miller, 1955), which is subtracted here. What the dependence costs is measured:
naive Bayes and TAN are fitted on the same rows, and both are scored by leave-one-out. To TAN, a missing value is a
state of its own: without that, leave-one-out would have to sum it out in each row, which takes long.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import singledispatch
from typing import Any

import numpy as np
from sklearn.base import clone

from deciban.decide import Report, evaluate
from deciban.errors import DecibanWarning, ParameterError
from deciban.models.assess.predictions import Predictions
from deciban.models.assess.rows import as_table
from deciban.models.nets.tan import TAN
from deciban.models.tables.naive_bayes import NaiveBayes
from deciban.nets import DAG
from deciban.read import read_target, split_target
from deciban.tallies import Crossed
from deciban.ties import largest_first
from deciban.types import AnyArray

__all__ = ["Dependence", "compare_with_tan"]

_MOST_COLUMNS = 150
_MOST_ROWS = 50_000
_MOST_CELLS = 2e8
"""Of rows × pairs of columns, and of 10 × rows × columns × classes: of more rows, a sample is taken."""


@dataclass(frozen=True, eq=False)
class Dependence:
    """How the columns depend on one another within the classes.

    Attributes
    ----------
    pairs : I(X; Y | class) of each pair of columns, in nats, without its bias, the largest first
    tree : the tree of TAN, which joins the columns of the largest sum
    naive, tan : the scores of both models, by leave-one-out
    rows : the number of rows that both were fitted on and scored by
    is_sample : whether these are a part of the rows
    """

    pairs: dict[tuple[str, str], float]
    tree: DAG
    naive: Report
    tan: Report
    rows: int
    is_sample: bool


def compare_with_tan(model: Any, X: Any, y: Any, predictions: Predictions | None = None) -> Dependence:
    """Fit TAN and naive Bayes on these rows, or on a sample of them, and score both by leave-one-out.

    `predictions` of these rows, where they are leave-one-out ones of a naive Bayes model, are not computed again.
    """
    X, y, _ = split_target(X, y)
    data = model._features(X)
    rows, width = data.shape
    if width > _MOST_COLUMNS:
        raise ParameterError(f"{width} columns are too many to compare all pairs: {_MOST_COLUMNS} at most.")
    names, markers = model._names(), getattr(model, "na_values", ())
    target = read_target(y, rows)
    kept = _sampled(rows, width, len(model.classes_))
    table = as_table(data.take(kept)).named(names)
    columns = {column.name: column for column in table.columns}
    labels = target.classes.labels[target.codes[kept]]
    with warnings.catch_warnings():  # the model has warned of identifiers and copies when it was fitted
        warnings.simplefilter("ignore", DecibanWarning)
        tan = TAN(na_values=markers, missing="state").fit(columns, labels)
        naive = _naive(model, predictions, rows, len(kept) < rows) or _fitted_naive(model, columns, labels)
    scored = evaluate(labels, posterior=tan.loo_predict_proba(columns, labels), labels=tan.classes_)
    return Dependence(_unbiased(tan), tan.tree_, naive, scored, len(kept), len(kept) < rows)


def _sampled(rows: int, columns: int, classes: int) -> AnyArray:
    """The rows that are used: all, or a random sample, always the same."""
    most = min(_MOST_ROWS, int(_MOST_CELLS / max(columns * columns / 2, 10 * columns * classes, 1)))
    if rows <= most:
        return np.arange(rows)
    return np.sort(np.random.default_rng(0).choice(rows, most, replace=False))


def _naive(model: Any, predictions: Predictions | None, rows: int, is_sample: bool) -> Report | None:
    """The scores that are known already."""
    is_known = predictions is not None and predictions.origin == "leave-one-out" and _is_naive(model)
    if predictions is None or is_sample or not is_known or len(predictions.rows) < rows:
        return None
    return predictions.scores


def _fitted_naive(model: Any, columns: dict[str, Any], labels: AnyArray) -> Report:
    naive = _naive_like(model).fit(columns, labels)
    return evaluate(labels, posterior=naive.loo_predict_proba(columns, labels), labels=naive.classes_)


@singledispatch
def _naive_like(model: Any) -> NaiveBayes:  # noqa: ARG001
    """The naive Bayes model to compare with."""
    return NaiveBayes()


@_naive_like.register
def _(model: NaiveBayes) -> NaiveBayes:
    return clone(model)


@singledispatch
def _is_naive(model: Any) -> bool:  # noqa: ARG001
    return False


@_is_naive.register
def _(model: NaiveBayes) -> bool:
    return model.loss is None and model.reject is None and model.rule == "map"


def _unbiased(tan: TAN) -> dict[tuple[str, str], float]:
    part: Crossed = tan.tally_.parts[0]
    sizes = {variable.name: max(len(variable), 1) for variable in part.variables}
    bias = part.classes / (2.0 * max(float(tan.tally_.total), 1.0))
    found = {
        (a, b): max(gain - (sizes[a] - 1) * (sizes[b] - 1) * bias, 0.0)
        for (a, b), gain in tan.conditional_mutual_information().items()
    }
    return dict(largest_first(found.items(), lambda item: item[1]))
