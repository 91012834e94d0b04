"""What a live picture asks a classifier about a row, and the answers: the posterior, and the weights of evidence.

A row is plain JSON: numbers, texts, the indices of labels, and null where a value is missing. Predictions and weights
are those of `predict_proba` and `explain`, so every classifier that has these can be shown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from deciban.errors import DecibanError, InputError
from deciban.estimate import Bernoulli, Categorical, Ignore
from deciban.models.base import BayesClassifier
from deciban.models.text.column import Text
from deciban.models.text.document_classifier import DocumentClassifier
from deciban.read import Column, plain, read_row, read_table

__all__ = ["LiveRow"]

_MOST_LABELS = 500


class LiveRow:
    """A classifier that answers a live picture of a row.

    Parameters
    ----------
    model : classifier
        A fitted classifier of tables.
    row : mapping, array or list
        The values to begin with, as `explain` takes them.
    X : table, optional
        Rows, from which sliders get their ranges.
    """

    def __init__(self, model: BayesClassifier, row: Any, X: Any = None) -> None:
        if isinstance(model, DocumentClassifier):
            raise InputError("a document has no columns to change; explain(document) shows what its words say")
        self.model = model
        self.names = list(model._names())
        values = read_row(row, tuple(self.names))
        self._row = {name: plain(values.get(name)) for name in self.names}
        table = {column.name: column for column in read_table(X).columns} if X is not None else {}
        labels = {
            variable.name: [plain(label) for label in variable.labels.tolist()]
            for part in model.tally_.parts
            for variable in getattr(part, "variables", ())
        }
        self.columns = [self._column(name, table.get(name), labels.get(name, [])) for name in self.names]
        self.row = dict(self._row)

    def scene(self) -> dict[str, Any]:
        """The columns, the classes, and the values to begin with."""
        columns = [
            {
                "name": name,
                "kind": kind,
                "labels": [str(label) for label in labels],
                "low": low,
                "high": high,
            }
            for name, (kind, labels, low, high) in zip(self.names, self.columns, strict=True)
        ]
        classes = [str(label) for label in self.model.classes_.tolist()]
        return {"columns": columns, "classes": classes, "values": self.coded(self._row)}

    def coded(self, row: Mapping[str, Any]) -> list[Any]:
        """The values of a row as JSON."""
        out: list[Any] = []
        for name, (kind, labels, _, _) in zip(self.names, self.columns, strict=True):
            value = row.get(name)
            if value is None or value != value:
                out.append(None)
            elif kind == "label":
                out.append(labels.index(value) if value in labels else None)
            else:
                out.append(float(value) if kind == "number" else str(value))
        return out

    def values(self, findings: Mapping[str, Any]) -> dict[str, Any]:
        """The values of the row that the picture shows, by the names of the columns."""
        row = findings["values"]
        if len(row) != len(self.names):
            raise InputError(f"the row has {len(row)} values, and the model {len(self.names)} columns")
        pairs = zip(self.names, row, self.columns, strict=True)
        return {name: value if value is None else self._value(value, *column) for name, value, column in pairs}

    def answer(self, findings: Mapping[str, Any]) -> dict[str, Any]:
        """The posterior of the row and the weights of its values; or what is wrong with it."""
        turn = {"turn": int(findings.get("turn", 0))}
        classes = self.model.classes_.tolist()
        against = findings.get("against")
        try:
            row = self.values(findings)
            given = row if self.model._form.names else [row[name] for name in self.names]
            told = self.model.explain(given, None if against is None else classes[int(against)])
            posterior = self.model.predict_proba(self._table(row))[0]
            decided = self.model.predict(self._table(row))[0]
        except (DecibanError, ValueError, IndexError) as error:
            return {**turn, "error": str(error)}
        self.row = row
        prior = np.asarray(told.priors)
        weights = [("prior", told.prior_db), *((reason.name, reason.weight_db) for reason in told.reasons)]
        first, *others = weights
        others.sort(key=lambda one: -abs(one[1]))
        return {
            **turn,
            "prior": (prior / prior.sum()).tolist(),
            "posterior": posterior.tolist(),
            "label": None if decided is None else classes.index(decided),
            "explained": classes.index(told.label),
            "against": None if told.against == told.label else classes.index(told.against),
            # Infinite weights are no numbers of JSON.
            "parts": [[name, str(weight)] for name, weight in (first, *others)],
            "total": str(told.total_db),
        }

    def _table(self, row: Mapping[str, Any]) -> Any:
        if not self.model._form.names:
            return np.array([[np.nan if value is None else value for value in row.values()]])
        return [dict(row)]

    def _column(self, name: str, column: Column | None, labels: Sequence[Any]) -> tuple[str, list[Any], float, float]:
        """The kind of a column, its labels, and the range of its numbers, 0 to 0 where it is not known."""
        plans = {plan.name: plan.distribution for plan in self.model._form.schema}
        distribution = plans.get(name)
        low = high = 0.0
        if column is not None and column.is_numeric:
            finite = column.numbers[np.isfinite(column.numbers)]
            low, high = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 0.0)
        if isinstance(distribution, Text):
            return "text", [], 0.0, 0.0
        is_label = isinstance(distribution, Categorical | Bernoulli) and 0 < len(labels) <= _MOST_LABELS
        if is_label:
            return "label", list(labels), 0.0, 0.0
        is_number = distribution is None or not isinstance(distribution, Categorical | Bernoulli | Ignore)
        return ("number" if is_number else "words"), [], low, high

    @staticmethod
    def _value(value: Any, kind: str, labels: Sequence[Any], *_: float) -> Any:
        return labels[int(value)] if kind == "label" else float(value) if kind == "number" else str(value)
