"""Classifiers of rows: a row is an object of names and values, or a list in the order of the columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from deciban.errors import InputError, InputTypeError
from deciban.estimate import ColumnDistribution
from deciban.estimate.values import Example, states_of
from deciban.models.base import BayesClassifier, form_of
from deciban.models.naive_bayes import NaiveBayes
from deciban.models.schema import ColumnPlan, check_row
from deciban.read.column import MissingLabel
from deciban.read.table import read_row
from deciban.serve.adapters.adapter import Classifier, Tensor, as_json, as_key, as_number, datatype_of
from deciban.tallies import Counts, Crossed, Moments, Sketch
from deciban.ties import largest_first

__all__ = ["RowClassifier", "TextClassifier", "columns_of"]


_VALUES = frozenset({str, int, float, bool, type(None)})
_MOST_LETTERS = 1_000


class RowClassifier(Classifier):
    """A classifier of the rows of a table."""

    def __init__(self, model: Any) -> None:
        super().__init__(model)
        form = form_of(model)
        self._names = form.column_names
        self._allowed = form.allowed(self._names)
        self._is_named = form.names is not None
        self.target = form.target
        self.is_fast_alone = isinstance(model, NaiveBayes)

    @cached_property
    def columns(self) -> list[ColumnInfo]:
        """The columns of the model."""
        return columns_of(self.model)

    def rows_of(self, body: Any) -> tuple[list[Any], bool]:
        if isinstance(body, dict):
            return [body], True
        if not isinstance(body, list):
            raise InputTypeError(f"a row is an object of names and values, not {_short(body)}.")
        if body and not isinstance(body[0], dict | list):
            return [body], True
        return body, False

    def predict_one(self, row: Any) -> dict[str, Any]:
        if not self.is_fast_alone:
            return super().predict_one(row)
        found = self.model.predict_proba_one(row if type(row) is dict else self._row(row))
        probabilities = dict(zip(self.keys, found.values(), strict=True))
        if self._is_plain:
            posterior = list(found.values())
            label = self._labels[posterior.index(max(posterior))]
        else:
            label = as_json(self.model.predict_one(row))
        return {"label": label, "probabilities": probabilities}

    def _row(self, row: Any, index: int | None = None) -> Mapping[str, Any]:
        """A row as a mapping of known names to values that JSON has and a cell can hold."""
        held = row if isinstance(row, dict) else read_row(_as_list(row, index), self._names)
        check_row(held, self._allowed)
        for name, value in held.items():
            if type(value) not in _VALUES:
                where = "" if index is None else f" (row {index})"
                raise InputTypeError(
                    f"column {name!r} is {_short(value)}{where}, which is neither a number nor a label."
                )
        return held

    def table(self, rows: Sequence[Any]) -> Any:
        held = [self._row(row, index) for index, row in enumerate(rows)]
        return self._columns({name: [row.get(name) for row in held] for name in self._names})

    def _columns(self, columns: Mapping[str, list[Any]]) -> Any:
        check_row(columns, self._allowed)
        count = len(next(iter(columns.values())))
        whole = {name: columns.get(name) or [None] * count for name in self._names}
        return whole if self._is_named else list(zip(*whole.values(), strict=True))

    def explain(self, row: Any, against: str | None = None) -> dict[str, Any]:
        found = self.model.explain(self._row(row), self.class_of(against))
        reasons = largest_first(found.reasons, lambda reason: abs(reason.weight_db))
        return {
            "label": as_json(found.label),
            "against": as_json(found.against),
            "probabilities": {as_key(label): p for label, p in found.probabilities.items()},
            "prior_db": as_number(found.prior_db),
            "total_db": as_number(found.total_db),
            "reasons": [
                {
                    "column": reason.name,
                    "value": _shown(reason.value),
                    "weight_db": as_number(reason.weight_db),
                    "likelihoods": dict(zip(self.keys, map(as_number, reason.likelihoods), strict=True)),
                }
                for reason in reasons
            ],
        }

    def describe(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "rows": self.model.tally_.total,
            "classes": self._labels,
            "columns": [column.to_json() for column in self.columns],
        }

    def row_schema(self) -> dict[str, Any]:
        nothing = [] if self._needs_all else ["null"]
        properties = {column.name: _schema_of(column, nothing) for column in self.columns}
        whole: dict[str, Any] = {"type": "object", "properties": properties, "additionalProperties": False}
        if self._needs_all:
            whole["required"] = list(self._names)
        if self._is_named:
            return whole
        ends = {"minItems": len(self._names), "maxItems": len(self._names)}
        values = [properties[name] for name in self._names]
        return {"anyOf": [{"type": "array", "prefixItems": values, "items": False, **ends}, whole]}

    @property
    def _needs_all(self) -> bool:
        """Whether a missing value is an error."""
        return self.model.get_params(deep=False).get("missing") == "error"

    def example(self) -> Any:
        values = {column.name: column.example for column in self.columns}
        return values if self._is_named else list(values.values())

    def example_tensors(self) -> dict[str, Any]:
        return {column.name: column.example for column in self.columns if column.example is not None}

    @property
    def inputs(self) -> Sequence[Tensor]:
        return [Tensor(column.name, column.datatype, (-1,)) for column in self.columns]


def _shown(value: Any) -> Any:
    """A value in an answer; of a long text, the beginning."""
    held = as_json(value)
    is_long = isinstance(held, str) and len(held) > _MOST_LETTERS
    return f"{held[: _MOST_LETTERS - 1]}…" if is_long else held


def _schema_of(column: ColumnInfo, nothing: list[str]) -> dict[str, Any]:
    types = ["number"] if column.is_number else ["string", "number", "boolean"]
    if column.distribution is None and column.is_number:  # a matrix of numbers, in which a boolean is 0 or 1
        types = ["number", "boolean"]
    held: dict[str, Any] = {"type": [*types, *nothing]}
    return held | {"examples": column.values[:5]} if column.values else held


def _as_list(row: Any, index: int | None) -> list[Any]:
    if isinstance(row, list):
        return row
    where = "a row" if index is None else f"row {index}"
    raise InputTypeError(f"{where} is {_short(row)}, not an object of names and values.")


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:59]}…"


_MOST_VALUES = 50
_NUMBERS = (Moments, Sketch)


class ColumnInfo(NamedTuple):
    """A column: its type in the Open Inference Protocol, values for examples, and how the model treats it."""

    name: str
    datatype: str
    values: list[Any]
    usual: Any = None
    distribution: str | None = None
    reason: str | None = None

    @property
    def is_number(self) -> bool:
        """Whether the column takes numbers only."""
        return self.datatype == "FP64"

    @property
    def example(self) -> Any:
        """A value that is often there."""
        return 1.0 if self.usual is None and self.is_number else self.usual

    def to_json(self) -> dict[str, Any]:
        held: dict[str, Any] = {"name": self.name, "type": "number" if self.is_number else "label"}
        if self.distribution is not None:
            held |= {"distribution": self.distribution, "reason": self.reason}
        return held if self.is_number else held | {"values": self.values[:_MOST_VALUES]}


def columns_of(model: BayesClassifier) -> list[ColumnInfo]:
    """The columns of a fitted classifier of rows; models without a schema take labels where they count them."""
    schema, parts = getattr(model, "schema_", None), _parts(model.tally_.parts)
    if schema is None:
        names = form_of(model).column_names
        are_counted = len(parts) == len(names) and all(isinstance(part, Counts) for part in parts)
        held = [states_of(part) for part in parts] if are_counted else [[]] * len(names)
        return [_of_matrix(name, examples) for name, examples in zip(names, held, strict=True)]
    if len(parts) != len(schema):
        return [_of_plan(plan, []) for plan in schema]
    return [_of_plan(plan, _examples(plan.distribution, part)) for plan, part in zip(schema, parts, strict=True)]


def _parts(parts: Sequence[Any]) -> list[Any]:
    """What a tally holds of each column, without counts of missing values."""
    single = [one for part in parts for one in (part.counts if isinstance(part, Crossed) else (part,))]
    return [getattr(part, "part", part) for part in single]


def _examples(distribution: ColumnDistribution, part: Any) -> list[Example]:
    """Values of a column that occurred, or that lie in its range."""
    if isinstance(part, distribution.part_type):
        return distribution.examples(part)
    return [Example(str(end), end, 0.0) for end in getattr(distribution, "at", ())]  # counted as codes of its bins


def _of_matrix(name: str, examples: Sequence[Example]) -> ColumnInfo:
    values, usual = _known(examples)
    return ColumnInfo(name, datatype_of(values) if values else "FP64", values, usual)


def _known(examples: Sequence[Example]) -> tuple[list[Any], Any]:
    """The values that are not missing, and the one of most rows."""
    known = [example for example in examples if not isinstance(example.value, MissingLabel)]
    usual = as_json(max(known, key=lambda example: example.rows).value) if known else None
    return [as_json(example.value) for example in known], usual


def _of_plan(plan: ColumnPlan, examples: Sequence[Example]) -> ColumnInfo:
    values, usual = _known(examples)
    kind = plan.distribution
    datatype = "FP64" if issubclass(kind.part_type, _NUMBERS) else datatype_of(values)
    return ColumnInfo(plan.name, datatype, values, usual, type(kind).__name__, plan.reason)


_INPUT = "text"
_EXAMPLE = "a text to classify"


class TextClassifier(Classifier):
    """A classifier of raw documents."""

    def rows_of(self, body: Any) -> tuple[list[Any], bool]:
        return (body, False) if isinstance(body, list) else ([body], True)

    def table(self, rows: Sequence[Any]) -> Any:
        for index, document in enumerate(rows):
            if not isinstance(document, str):
                raise InputTypeError(f"document {index} is a {type(document).__name__}, not a text.")
        return list(rows)

    def _columns(self, columns: Mapping[str, list[Any]]) -> Any:
        if list(columns) != [_INPUT]:
            raise InputError(f"the input is one tensor named {_INPUT!r}, not {', '.join(map(repr, columns))}.")
        return self.table(columns[_INPUT])

    def explain(self, row: Any, against: str | None = None) -> dict[str, Any]:
        """The strongest tokens; the others are counted and summed, so that a long document has a short answer."""
        found = self.model.explain(self.table([row])[0], self.class_of(against)).to_dict()
        return {
            "label": as_json(found["label"]),
            "against": as_json(found["against"]),
            "probabilities": self.predict([row])[0]["probabilities"],
            "prior_db": as_number(found["prior_db"]),
            "total_db": as_number(found["total_db"]),
            "reasons": [{**reason, "weight_db": as_number(reason["weight_db"])} for reason in found["reasons"]],
            "others": {**found["others"], "weight_db": as_number(found["others"]["weight_db"])},
            "absent_db": None if found.get("absent_db") is None else as_number(found["absent_db"]),
            "unknown": found["unknown"],
            "unknown_count": found["unknown_count"],
        }

    def describe(self) -> dict[str, Any]:
        tally = getattr(self.model, "tally_", None)
        learned = {} if tally is None else {"documents": tally.total}
        return {"kind": self.kind, **learned, "classes": self._labels}

    def row_schema(self) -> dict[str, Any]:
        return {"type": "string"}

    def example(self) -> Any:
        return _EXAMPLE

    def example_tensors(self) -> dict[str, Any]:
        return {_INPUT: _EXAMPLE}

    @property
    def inputs(self) -> Sequence[Tensor]:
        return [Tensor(_INPUT, "BYTES", (-1,))]
