"""What a fitted model is worth, and what it is made of: honest predictions, strongest evidence, what TAN would gain.

Predictions to score a model by: of other rows as they are, of learned rows as if they had not been learned.

A model is too sure of rows that it has learned. Where the rows are those that it was fitted on, which their tally
shows, they are predicted by leave-one-out, or held out in turn where a model has no leave-one-out.

The values that are the strongest evidence for each class.

The weight of a value for a class j is measured against all other classes together,

    10·log10 [P(v | j) / Σ_{k≠j} P(k)·P(v | k) / (1 − P(j))],

in decibans. With two classes this is the weight in the nomogram.

Where the independence assumption of naive Bayes fails, and what TAN would gain.

Naive Bayes assumes that the columns are independent within each class. The conditional mutual information I(X; Y | C)
of two columns is 0 where this holds. Estimated from n rows it is too large, by about

    (|X| − 1)·(|Y| − 1)·|C| / 2n

where the columns are independent (Miller, 1955), which is subtracted here. What the dependence costs is measured:
naive Bayes and TAN are fitted on the same rows, and both are scored by leave-one-out. To TAN, a missing value is a
state of its own: without that, leave-one-out would have to sum it out in each row, which takes long.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from sklearn.base import clone

from deciban.decide import Report, evaluate
from deciban.decide.rules import labels_of
from deciban.errors import DecibanWarning, InputError, ParameterError
from deciban.estimate.missing import examples
from deciban.estimate.values import short_number
from deciban.explain import Explanation
from deciban.models.base import BayesClassifier, Classifier, target_in_fit
from deciban.models.families.tan import TAN
from deciban.models.fitting import rows_to_score, spread_rows
from deciban.models.leave_one_out import CalibratedClassifier, LeaveOneOut, left_out_posterior
from deciban.models.naive_bayes import NaiveBayes
from deciban.nets import DAG
from deciban.read import MISSING, Column, Matrix, Table, read_table, read_target, split_target, take_rows
from deciban.tallies import Crossed, is_same_sample
from deciban.ties import exceeds, largest_first, settled
from deciban.types import AnyArray, Codes, Floats
from deciban.units import decibans_from_nats

__all__ = [
    "RULES",
    "ChosenRow",
    "ColumnFacts",
    "Dependence",
    "Origin",
    "Predictions",
    "ValueEvidence",
    "as_table",
    "choose_rows",
    "compare_with_tan",
    "describe_columns",
    "explain_rows",
    "named_target",
    "predict_honestly",
    "strongest_values",
]


Origin = Literal["leave-one-out", "held-out", "learned", "other", "unknown"]
"""How rows were predicted: as if they had not been learned (one at a time, or in parts); although they were learned; as
rows that the model has not learned; or it is not known whether it has."""


class Predictions(NamedTuple):
    """Predictions of rows with known classes.

    Attributes
    ----------
    rows : the indices of the predicted rows: all, or of a large table that was learned some that are spread over it
    posterior, decided : the posteriors and the decisions (None where rejected)
    origin : how they were made
    scores : their comparison with the true classes
    """

    rows: AnyArray
    posterior: Floats
    decided: AnyArray
    origin: Origin
    scores: Report


def predict_honestly(model: Classifier, X: Any, y: Any) -> Predictions:
    """Predict rows with known classes, learned ones as if they had not been learned, and score the predictions.

    `y` are labels, or the name of a column of X.
    """
    model._check_fitted()
    X, y, _ = split_target(X, y)
    origin = _origin(model, X, y)
    if isinstance(model, CalibratedClassifier) and origin in ("leave-one-out", "held-out"):
        rows = spread_rows(len(y), rows_to_score(model))
        X, y = (X, y) if len(rows) == len(y) else (take_rows(X, rows), take_rows(y, rows))
        posterior = left_out_posterior(model, X, y)
        decided = labels_of(model._decider().decide_by(posterior, model._prior, model.classes_), model.classes_)
    else:
        posterior, decided = model.predict_proba(X), model.predict(X)
        rows = np.arange(len(posterior))
    scores = evaluate(y, decided.tolist(), posterior=posterior, labels=model.classes_)
    return Predictions(rows, posterior, decided, origin, scores)


def named_target(model: Classifier, y: Any) -> Any:
    """The labels, or the name of their column: that which the model was fitted with, where none are passed."""
    if y is not None:
        return y
    target = target_in_fit(model)
    if target is None:
        raise InputError(
            "the classes of the rows are needed: pass y, one label for each row, or the name of the column of X."
        )
    return target


def _origin(model: Classifier, X: Any, y: Any) -> Origin:
    if not isinstance(model, BayesClassifier):
        return "unknown"
    batch = model._tally_of(X, y, None)
    if not is_same_sample(model.tally_, batch):
        return "other"
    if isinstance(model, LeaveOneOut):
        return "leave-one-out"
    return "held-out" if isinstance(model, CalibratedClassifier) else "learned"


class ValueEvidence(NamedTuple):
    """A column's value, its weight for a class against all others, and how many rows have it."""

    name: str
    value: str
    weight_db: float
    rows: float


def strongest_values(model: NaiveBayes, n: int = 8) -> dict[object, list[ValueEvidence]]:
    """For each class of a `NaiveBayes`, the n values with the largest weights for it that a hundredth of rows have."""
    model._check_fitted()
    prior, least = model._prior, 0.01 * float(model.tally_.total)
    values_of_class: dict[object, list[ValueEvidence]] = {label: [] for label in model.classes_.tolist()}
    for likelihood, columns in model._estimates.groups:
        plans = [model.schema_.plans[column] for column in columns]
        names = [plan.name for plan in plans]
        for i, (plan, column) in enumerate(zip(plans, columns, strict=True)):
            if plan.distribution.is_ignored:
                continue
            score = likelihood.one(i, names)
            for text, value, rows in examples(plan.distribution, model.tally_.parts[column]):
                if rows >= least:
                    weights = _against_rest(np.array([score(value)]), prior)[0].tolist()
                    for label, weight in zip(values_of_class, weights, strict=True):
                        values_of_class[label].append(ValueEvidence(plan.name, text, weight, rows))
    return {label: _largest(values, n) for label, values in values_of_class.items()}


def _against_rest(logs: Floats, prior: Floats) -> Floats:
    """The weight for each class against the others, in decibans: rows × classes."""
    out = np.zeros_like(logs)
    for j in range(logs.shape[1]):
        others = np.arange(logs.shape[1]) != j
        if not others.any():
            continue
        share = prior[others] - np.logaddexp.reduce(prior[others])
        # A value may be impossible for the class and for all others: −∞ − (−∞), which is no evidence.
        with np.errstate(invalid="ignore"):
            rest = np.logaddexp.reduce(logs[:, others] + share, axis=1)
            weight = logs[:, j] - rest
        out[:, j] = np.where(np.isnan(weight), 0.0, weight)
    return decibans_from_nats(out)


def _largest(values: list[ValueEvidence], n: int) -> list[ValueEvidence]:
    return largest_first((v for v in values if exceeds(v.weight_db, 0.0)), lambda v: v.weight_db)[:n]


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


def compare_with_tan(model: BayesClassifier, X: Any, y: Any, predictions: Predictions | None = None) -> Dependence:
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
        naive = None if len(kept) < rows else _known_scores(model, predictions, rows)
    if naive is None:
        fitted = (clone(model) if isinstance(model, NaiveBayes) else NaiveBayes()).fit(columns, labels)
        naive = evaluate(labels, posterior=fitted.loo_predict_proba(columns, labels), labels=fitted.classes_)
    scored = evaluate(labels, posterior=tan.loo_predict_proba(columns, labels), labels=tan.classes_)
    return Dependence(_unbiased(tan), tan.tree_, naive, scored, len(kept), len(kept) < rows)


def _sampled(rows: int, columns: int, classes: int) -> AnyArray:
    """The rows that are used: all, or a random sample, always the same."""
    most = min(_MOST_ROWS, int(_MOST_CELLS / max(columns * columns / 2, 10 * columns * classes, 1)))
    if rows <= most:
        return np.arange(rows)
    # A fixed seed, so that the same table has the same report.
    return np.sort(np.random.default_rng(0).choice(rows, most, replace=False))


def _known_scores(model: BayesClassifier, predictions: Predictions | None, rows: int) -> Report | None:
    """The leave-one-out scores of naive Bayes on all rows, where they are known already."""
    # Scores of new rows, or of some, cannot be compared with the leave-one-out scores of TAN.
    if predictions is None or predictions.origin != "leave-one-out" or len(predictions.rows) < rows:
        return None
    # TAN is scored by its largest posterior: decisions by another rule cannot be compared with that.
    is_comparable = isinstance(model, NaiveBayes) and model._decides_by_posterior
    return predictions.scores if is_comparable else None


def _unbiased(tan: TAN) -> dict[tuple[str, str], float]:
    part: Crossed = tan.tally_.parts[0]
    sizes = {variable.name: max(len(variable), 1) for variable in part.variables}
    bias = part.classes / (2.0 * max(float(tan.tally_.total), 1.0))
    gains = {
        (a, b): max(gain - (sizes[a] - 1) * (sizes[b] - 1) * bias, 0.0)
        for (a, b), gain in tan.conditional_mutual_information().items()
    }
    return dict(largest_first(gains.items(), lambda item: item[1]))


Why = Literal["typical", "surest", "least certain", "wrong"]

RULES: dict[Why, str] = {
    "typical": "its true class has the median probability",
    "surest": "right, with the highest probability; of different classes where possible",
    "least certain": "the two most probable classes are closest",
    "wrong": "wrong, with the highest probability",
}
"""Why a row is chosen."""

_SHARES: dict[Why, int] = {"wrong": 3, "least certain": 3, "surest": 2, "typical": 2}


class ChosenRow(NamedTuple):
    """The number of a row, from 0, and why it was chosen."""

    row: int
    why: Why


def choose_rows(posterior: Floats, y: Codes, n: int = 10) -> list[ChosenRow]:
    """Choose n different rows: three tenths wrong and sure, three least certain, two surest, the others typical.

    Where there are too few wrong ones, more typical rows take their places. Ties go to the first row.

    >>> posterior = np.array([[0.9, 0.1], [0.55, 0.45], [0.3, 0.7], [0.2, 0.8]])
    >>> [
    ...     (chosen.row, chosen.why)
    ...     for chosen in choose_rows(posterior, np.array([0, 0, 0, 1], dtype=np.int32), 3)
    ... ]
    [(0, 'surest'), (1, 'least certain'), (2, 'wrong')]
    """
    best = posterior.argmax(axis=1)
    of_truth = posterior[np.arange(len(y)), y]
    two = np.sort(posterior, axis=1)[:, -2:]
    sure, is_right = two[:, -1], best == y
    wrong = np.flatnonzero(~is_right)
    orders: dict[Why, AnyArray] = {
        "wrong": wrong[np.argsort(-settled(sure[wrong]), kind="stable")],
        "least certain": np.argsort(-settled(two[:, 0] - two[:, -1]), kind="stable"),
        "surest": _by_class(np.argsort(-settled(np.where(is_right, sure, -1.0)), kind="stable"), y, is_right),
        "typical": np.argsort(-settled(-np.abs(of_truth - np.median(of_truth))), kind="stable"),
    }
    taken: dict[int, Why] = {}
    for why, share in _SHARES.items():
        most = n if why == "typical" else len(taken) + max(share * n // 10, 1)
        _take(taken, orders[why].tolist(), why, min(most, n))
    listed = list(RULES)
    return sorted((ChosenRow(*row) for row in taken.items()), key=lambda chosen: listed.index(chosen.why))


def _take(taken: dict[int, Why], order: Iterable[int], why: Why, most: int) -> None:
    for row in order:
        if len(taken) >= most:
            return
        taken.setdefault(row, why)


def _by_class(order: AnyArray, y: Codes, is_right: AnyArray) -> AnyArray:
    """Rows that are right, in an order that takes one of each class first."""
    order = order[is_right[order]]
    rank = np.zeros(len(order), dtype=np.int64)
    for label in np.unique(y[order]):
        of_label = y[order] == label
        rank[of_label] = np.arange(int(of_label.sum()))
    return order[np.argsort(rank, kind="stable")]


def explain_rows(model: BayesClassifier, X: Any, rows: Sequence[int]) -> list[Explanation]:
    """The explanations of some rows of a table."""
    data = model._features(X)
    return [model._explain_read(data.take(np.array([row]))) for row in rows]


def as_table(data: Table | Matrix) -> Table:
    """Data that were read, as columns."""
    return data if isinstance(data, Table) else read_table(data.dense(), data.given_names)


_SHOWN = 4


class ColumnFacts(NamedTuple):
    """A column: the number of its missing and of its distinct values, and a few of them as text."""

    name: str
    missing: int
    distinct: int
    values: str


def describe_columns(table: Table) -> list[ColumnFacts]:
    """Describe each column of a table: numbers by their range, labels by the most frequent ones."""
    return [_describe(column) for column in table.columns]


def _describe(column: Column) -> ColumnFacts:
    missing = int(np.count_nonzero(column.is_missing))
    if missing == len(column):
        return ColumnFacts(column.name, missing, 0, "")
    if column.is_numeric:
        numbers = np.asarray(column.numbers)[~column.is_missing]
        ends = short_number(float(numbers.min())), short_number(float(numbers.max()))
        middle = short_number(float(np.median(numbers)))
        return ColumnFacts(column.name, missing, len(np.unique(numbers)), f"{ends[0]} to {ends[1]}, median {middle}")
    counts = np.bincount(column.indices[column.indices != MISSING], minlength=len(column.states))
    used = np.flatnonzero(counts)
    largest = used[np.argsort(-counts[used], kind="stable")][:_SHOWN]
    shown = ", ".join(_short(column.states[i]) for i in largest.tolist())
    return ColumnFacts(column.name, missing, len(used), f"{shown}{', …' if len(used) > _SHOWN else ''}")


def _short(value: object) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= 30 else f"{text[:29].rstrip()}…"
