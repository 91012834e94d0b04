"""What a fit found: scores of the learned rows by exact leave-one-out, and the strongest columns or tokens.

Leave-one-out subtracts the counts of a row before it is predicted, so nothing is fitted again, and any of the learned
rows can be scored: of a large table, some that are spread over it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from deciban.decide.evaluation import Report, evaluate
from deciban.estimate.missing import contingency
from deciban.explain.evidence import Evidence, mean_weights
from deciban.models.base import BayesClassifier
from deciban.models.leave_one_out import class_codes, left_out_posterior
from deciban.models.naive_bayes import NaiveBayes
from deciban.models.table_classifier import known_labels
from deciban.models.text.text_nb import TextNB
from deciban.read import number_of, split_target, take_rows
from deciban.types import AnyArray, Floats

__all__ = [
    "FitSummary",
    "agreement",
    "column_strengths",
    "near_copies",
    "odd_label",
    "rows_to_score",
    "spread_rows",
    "summarize_fit",
]


_MOST_CELLS = 5_000_000
"""Rows × columns × classes that are scored: a second's work, and 40 MB for each of a few tables."""
_MOST_ROWS = 200_000
_FEWEST_ROWS = 1_000
_MOST_WEIGHED = 2_048
_MOST_CLASSES, _TOKENS = 6, 8
_FEWEST_LABELS = 3
"""Of two labels, one that is odd is as likely a state."""


@dataclass(frozen=True, eq=False)
class FitSummary:
    """What a fit found.

    Attributes
    ----------
    total : the number of rows that were learned, or their weight
    report : the scores of learned rows, each as if it had not been learned; None where the model has no leave-one-out
    scored : how many rows were scored
    strengths : the mean weight of evidence of each column for the class of the row, in decibans, largest first
    tokens : for a model of documents, the strongest tokens of each class against the others, in decibans
    odd_labels : by column, a label that may stand for a missing value: the only one that is punctuation, or no number
    copies : the columns that are not one-to-one with the target, but nearly so, and the share of rows that agree
    """

    total: float
    report: Report | None
    scored: int
    strengths: Mapping[str, float] = field(default_factory=dict)
    tokens: Mapping[str, list[tuple[str, float]]] = field(default_factory=dict)
    copies: Mapping[str, float] = field(default_factory=dict)
    odd_labels: Mapping[str, str] = field(default_factory=dict)

    @property
    def how(self) -> str:
        """How the rows were scored."""
        if self.scored >= self.total:
            return f"exact leave-one-out, {self.scored:,} rows"
        return f"exact leave-one-out, {self.scored:,} rows of {self.total:,.6g}, spread over the table"


def summarize_fit(model: Any, X: Any, y: Any, *, sample_weight: Any = None) -> FitSummary:
    """Score rows that a model has learned, and find what they say of the class.

    Parameters
    ----------
    model
        A fitted model.
    X, y
        Rows that the model has learned, all of them or some that are spread over all.
    sample_weight
        The weights with which they were learned; each row counts once in the scores.
    """
    X, y, _ = split_target(X, y)
    rows = spread_rows(len(y), rows_to_score(model))
    X, y = take_rows(X, rows), take_rows(y, rows)
    weights = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)[rows]
    if not isinstance(model, BayesClassifier):
        return FitSummary(float(len(y)), None, 0, tokens=_tokens(model))
    posterior = left_out_posterior(model, X, y, weights)
    report = evaluate(y, posterior=posterior, labels=model.classes_)
    if isinstance(model, TextNB):
        return FitSummary(model.tally_.total, report, len(rows), tokens=_tokens(model))
    copies = near_copies(model) if isinstance(model, NaiveBayes) else {}
    return FitSummary(
        model.tally_.total,
        report,
        len(rows),
        strengths=column_strengths(model, X, y, weights),
        copies={name: share for name, share in copies.items() if share < 1.0},
        odd_labels=_odd_labels(model),
    )


def odd_label(labels: Sequence[Any]) -> str | None:
    """The label that may stand for a missing value: the only one that is punctuation, or the only one of no number.

    >>> (
    ...     odd_label(["sun", "rain", "?"]),
    ...     odd_label(["1", "2", "unknown"]),
    ...     odd_label(["sun", "rain"]),
    ... )
    ('?', 'unknown', None)
    """
    texts = [label for label in labels if isinstance(label, str)]
    if len(texts) < _FEWEST_LABELS or len(texts) < len(labels):
        return None
    marks = [label for label in texts if not any(map(str.isalnum, label))]
    others = [label for label in texts if number_of(label) is None]
    return next((found[0] for found in (marks, others) if len(found) == 1), None)


def _odd_labels(model: BayesClassifier) -> dict[str, str]:
    known = known_labels(model, model._form)
    found = {name: odd_label(variable.labels.tolist()) for name, variable in known.items() if name in model._names()}
    return {name: label for name, label in found.items() if label is not None}


def spread_rows(rows: int, most: int) -> AnyArray:
    """The indices of at most so many rows, spread evenly; all where there are fewer.

    >>> spread_rows(10, 4).tolist()
    [0, 3, 6, 9]
    """
    return np.arange(rows) if rows <= most else np.linspace(0, rows - 1, most).round().astype(np.int64)


def rows_to_score(model: Any) -> int:
    """How many rows are scored, at most."""
    cells = max(len(model.classes_) * getattr(model, "n_features_in_", 1), 1)
    return int(np.clip(_MOST_CELLS // cells, _FEWEST_ROWS, _MOST_ROWS))


def column_strengths(
    model: BayesClassifier, X: Any, y: Any, sample_weight: Floats | None = None, *, is_learned: bool = True
) -> dict[str, float]:
    """The mean weight of evidence of each column for the class of the row, in decibans, largest first.

    Each of these rows, if `is_learned`, is weighed by naive Bayes as if it had not been: else a column of many labels
    seems strong, whose counts are those of the row itself. Of a large table, some rows that are spread over it.
    """
    some = spread_rows(len(y), _MOST_WEIGHED)
    X, y = take_rows(X, some), take_rows(y, some)
    codes, _ = class_codes(model, X, y, None)
    if not isinstance(model, NaiveBayes) or not is_learned:
        return mean_weights(model.evidence(X), codes)
    own = np.ones(len(codes)) if sample_weight is None else sample_weight[some]
    columns = model._left_out_columns(model._features(X), codes, own)
    return mean_weights(Evidence(model.classes_, model._names(), model._prior, columns), codes)


def _tokens(model: Any) -> dict[str, list[tuple[str, float]]]:
    """The strongest tokens of the first classes."""
    labels = model.classes_.tolist()
    if len(labels) < 2:
        return {}
    return {str(label): [*model.top_tokens(label, n=_TOKENS)] for label in labels[:_MOST_CLASSES]}


_OF_ALL, _OF_CLASS = 0.99, 0.95


def near_copies(model: Any) -> dict[str, float]:
    """The columns of a fitted `NaiveBayes` that are copies of the target or nearly so, and the share that agrees.

    Each class has a value: its most frequent one. The column is nearly a copy where each of these values also occurs
    most often in its class, and 99 % of all rows and 95 % of the rows of every class have the value of their class.
    """
    pairs = zip(model.schema_, model.tally_.parts, strict=True)
    tables = {plan.name: contingency(plan.distribution, part) for plan, part in pairs}
    shares = {name: agreement(table) for name, table in tables.items() if table is not None}
    return {name: share for name, share in shares.items() if share is not None}


def agreement(table: AnyArray) -> float | None:
    """The share of the rows of a class × value table that agree; None where the column is not nearly a copy.

    >>> (
    ...     agreement(np.array([[990, 10], [0, 1000]])),
    ...     agreement(np.array([[900, 100], [0, 1000]])),
    ... )
    (0.995, None)
    """
    classes, values = table.shape
    rows = table.sum(axis=1)
    if classes < 2 or values < classes or not rows.all():
        return None
    best = table.argmax(axis=1)
    own = table[np.arange(classes), best]
    if (table.argmax(axis=0)[best] != np.arange(classes)).any() or (own < _OF_CLASS * rows).any():
        return None
    share = float(own.sum() / rows.sum())
    return share if share >= _OF_ALL else None
