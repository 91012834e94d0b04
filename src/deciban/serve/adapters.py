"""What the service does with each kind of model: classifiers of rows, classifiers of documents, Bayes nets.

An adapter takes JSON values and gives JSON values, whatever the model. A row is an object of names and values, or a
list in the order of the columns; a query of a net names nodes, observed states, and states that an intervention sets.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from datetime import date, time
from functools import cached_property
from typing import Any, NamedTuple, SupportsFloat, TypeAlias

from deciban.choices import did_you_mean
from deciban.errors import InputError, InputTypeError, ParameterError, TooLargeError
from deciban.estimate import ColumnDistribution
from deciban.estimate.values import Example, states_of
from deciban.models import AutoText, LogCountRatio, NaiveBayes, TextEM, TextNB
from deciban.models.base import BayesClassifier, form_of, schema_of
from deciban.models.schema import ColumnPlan, check_row
from deciban.nets import (
    BayesNet,
    Completion,
    Distribution,
    JointDistribution,
    MixedDistribution,
    Mixture,
    MultivariateMixture,
    MultivariateNormal,
    Normal,
)
from deciban.nets.graphs.graph import Node
from deciban.nets.inference.ask import parse_question
from deciban.nets.network import State
from deciban.read import distinct_texts, number_of, plain
from deciban.read.column import MissingLabel
from deciban.read.table import read_row
from deciban.tallies import Counts, Moments, Sketch
from deciban.ties import largest_first
from deciban.types import AnyArray

__all__ = [
    "Adapter",
    "Classifier",
    "JsonObject",
    "Model",
    "Net",
    "RowClassifier",
    "Tensor",
    "TextClassifier",
    "adapter_of",
    "answer_of",
    "as_json",
    "as_key",
    "as_number",
    "columns_of",
    "datatype_of",
]


TextModel: TypeAlias = TextNB | TextEM | LogCountRatio | AutoText
BayesianNet: TypeAlias = BayesNet
Model: TypeAlias = BayesClassifier | TextModel | BayesianNet
"""What can be served."""

Answer: TypeAlias = (
    Distribution
    | JointDistribution
    | Completion
    | Normal
    | MultivariateNormal
    | Mixture
    | MultivariateMixture
    | MixedDistribution
)
"""What a net answers, if it is not a number or a truth value."""

JsonObject: TypeAlias = dict[str, object]
"""An object of JSON that is written, not read."""

_JSON = frozenset({str, int, bool, type(None)})


class Tensor(NamedTuple):
    """The name, the type and the shape of an input or output of the Open Inference Protocol; −1 is any number."""

    name: str
    datatype: str
    shape: tuple[int, ...]

    def to_json(self) -> JsonObject:
        return {"name": self.name, "datatype": self.datatype, "shape": list(self.shape)}


class Adapter(ABC):
    """A model as the routes see it."""

    def __init__(self, model: Model) -> None:
        self.model = model

    @property
    def kind(self) -> str:
        """The class of the model."""
        return type(self.model).__name__

    @abstractmethod
    def describe(self) -> JsonObject:
        """What the model is: its columns or nodes with their values, and what it has learned."""

    @property
    @abstractmethod
    def inputs(self) -> Sequence[Tensor]:
        """The input tensors of the Open Inference Protocol."""

    @property
    @abstractmethod
    def outputs(self) -> Sequence[Tensor]:
        """The output tensors of the Open Inference Protocol."""

    def default_outputs(self, columns: Mapping[str, object]) -> list[str]:
        """The outputs of a request that names none."""
        return [tensor.name for tensor in self.outputs]

    @abstractmethod
    def example_tensors(self) -> JsonObject:
        """Values of one row that the model can score, by the names of the inputs."""

    @abstractmethod
    def infer(self, columns: Mapping[str, list[object]], wanted: Sequence[str]) -> Mapping[str, Sequence[object]]:
        """The wanted outputs, flattened, for columns of equal length, by the names of the inputs."""


class Classifier(Adapter):
    """A model that predicts a class for each row or document."""

    model: BayesClassifier | TextModel

    is_fast_alone = False
    """Whether one row takes so little that gathering rows into a table costs more than it saves."""

    target: str | None = None
    """The column that the model was fitted to predict, where it was given by name."""

    @cached_property
    def _classes(self) -> list[object]:
        return list(self.model.classes_.tolist())

    @cached_property
    def _labels(self) -> list[object]:
        return [as_json(label) for label in self._classes]

    @cached_property
    def keys(self) -> list[str]:
        """The classes as keys of JSON objects."""
        return distinct_texts(self._classes, as_key)

    @cached_property
    def _is_plain(self) -> bool:
        """Whether the label is always the class of largest probability."""
        parameters = self.model.get_params(deep=False)
        is_map = parameters.get("rule", "map") == "map"
        return is_map and parameters.get("loss") is None and parameters.get("reject") is None

    def learning_schema(self) -> tuple[JsonObject, object]:
        """The JSON schema of a row that the model can learn, and such a row."""
        return self.row_schema(), self.example()

    @abstractmethod
    def rows_of(self, body: object) -> tuple[list[object], bool]:
        """The rows or documents of a body, and whether it is a single one."""

    @abstractmethod
    def row_schema(self) -> JsonObject:
        """The JSON schema of a row or document."""

    @abstractmethod
    def example(self) -> object:
        """A row or document that the model can score."""

    @abstractmethod
    def table(self, rows: Sequence[object]) -> object:
        """The rows as `predict` takes them."""

    def predict_one(self, row: object) -> JsonObject:
        """The label and the probabilities of one row."""
        return self.predict([row])[0]

    def predict(self, rows: Sequence[object]) -> list[JsonObject]:
        """The label and the probabilities of each row."""
        labels, posterior = self.scores(self.table(rows))
        keys = self.keys
        return [
            {"label": label, "probabilities": dict(zip(keys, of_row, strict=True))}
            for label, of_row in zip(labels, posterior.tolist(), strict=True)
        ]

    def scores(self, table: object) -> tuple[list[object], AnyArray]:
        """The label of each row, and P(class | row)."""
        posterior = self.model.predict_proba(table)
        if self._is_plain:  # `predict` would score the rows again
            return [self._labels[code] for code in posterior.argmax(axis=1).tolist()], posterior
        return [as_json(label) for label in self.model.predict(table).tolist()], posterior

    @abstractmethod
    def explain(self, row: object, against: str | None = None) -> JsonObject:
        """The weights of evidence of one row, in decibans; `against` is a class, by its key."""

    def class_of(self, key: str | None) -> object:
        """The class that a key stands for; an error that lists the classes where there is none."""
        if key is None:
            return None
        for known, label in zip(self.keys, self._classes, strict=True):
            if known == key:
                return label
        raise InputError(f"there is no class {key!r}.{did_you_mean(key, self.keys)}")

    @property
    def outputs(self) -> Sequence[Tensor]:
        count = len(self.keys)
        label = Tensor("label", datatype_of(self._labels), (-1,))
        return label, Tensor("probabilities", "FP64", (-1, count)), Tensor("classes", label.datatype, (count,))

    def infer(self, columns: Mapping[str, list[object]], wanted: Sequence[str]) -> Mapping[str, Sequence[object]]:
        labels, posterior = self.scores(self._columns(columns))
        classes = self._labels
        if datatype_of(classes) == "BYTES":  # a tensor has one type: mixed labels are all texts
            labels, classes = list(map(str, labels)), list(map(str, classes))
        outputs = {"label": labels, "probabilities": posterior.ravel().tolist(), "classes": classes}
        return {name: outputs[name] for name in wanted}

    @abstractmethod
    def _columns(self, columns: Mapping[str, list[object]]) -> object:
        """Columns of an inference request as `predict` takes them."""


def datatype_of(values: Sequence[object]) -> str:
    """The type of a tensor that holds these values: BOOL, INT64, FP64, or BYTES for text and mixed values."""
    # `type`, not `isinstance`: a bool is an int, and BOOL is not INT64
    kinds = set(map(type, values))
    if kinds == {bool}:
        return "BOOL"
    if kinds == {int}:
        return "INT64"
    return "FP64" if kinds and kinds <= {int, float} else "BYTES"


def as_json(value: object) -> object:
    """A label as a JSON value: text, numbers and booleans as they are, also those of numpy; others as text."""
    if type(value) in _JSON:
        return value
    value = plain(value)
    if isinstance(value, str | int | None):
        return value
    if isinstance(value, float):
        return as_number(value)
    return value.isoformat() if isinstance(value, date | time) else str(value)


def as_key(value: object) -> str:
    """A label as the key of a JSON object."""
    label = as_json(value)
    return str(label).lower() if isinstance(label, bool) else str(label)  # true, as JSON writes it


def as_number(value: float) -> float | str:
    """A float as JSON; infinite ones as the text "Infinity" and "-Infinity", as protocol buffers have it."""
    return value if math.isfinite(value) else "Infinity" if value > 0 else "-Infinity"


_VALUES = frozenset({str, int, float, bool, type(None)})
_MOST_LETTERS = 1_000


class RowClassifier(Classifier):
    """A classifier of the rows of a table."""

    model: BayesClassifier

    def __init__(self, model: BayesClassifier) -> None:
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

    def rows_of(self, body: object) -> tuple[list[object], bool]:
        if isinstance(body, dict):
            return [body], True
        if not isinstance(body, list):
            raise InputTypeError(f"a row is an object of names and values, not {_short(body)}.")
        if body and not isinstance(body[0], dict | list):  # a list of values is one row
            return [body], True
        return body, False

    def predict_one(self, row: object) -> JsonObject:
        if not self.is_fast_alone:
            return super().predict_one(row)
        # the model checks an object itself: a second check would be paid by every request
        posterior = list(self.model.predict_proba_one(row if type(row) is dict else self._row(row)).values())
        if self._is_plain:
            label = self._labels[posterior.index(max(posterior))]
        else:
            label = as_json(self.model.predict_one(row))
        return {"label": label, "probabilities": dict(zip(self.keys, posterior, strict=True))}

    def _row(self, row: object, index: int | None = None) -> Mapping[str, object]:
        """A row as a mapping of known names to values that JSON has and a cell can hold."""
        if isinstance(row, dict):
            values: Mapping[str, object] = row
        elif isinstance(row, list):
            values = read_row(row, self._names)
        else:
            where = "a row" if index is None else f"row {index}"
            raise InputTypeError(f"{where} is {_short(row)}, not an object of names and values.")
        check_row(values, self._allowed)
        for name, value in values.items():
            if type(value) not in _VALUES:
                where = "" if index is None else f" (row {index})"
                raise InputTypeError(
                    f"column {name!r} is {_short(value)}{where}, which is neither a number nor a label."
                )
        return values

    def table(self, rows: Sequence[object]) -> object:
        checked = [self._row(row, index) for index, row in enumerate(rows)]
        return self._columns({name: [row.get(name) for row in checked] for name in self._names})

    def _columns(self, columns: Mapping[str, list[object]]) -> object:
        check_row(columns, self._allowed)
        count = len(next(iter(columns.values())))
        # a column that is not sent is missing in every row
        whole = {name: columns.get(name) or [None] * count for name in self._names}
        return whole if self._is_named else list(zip(*whole.values(), strict=True))

    def explain(self, row: object, against: str | None = None) -> JsonObject:
        explanation = self.model.explain(self._row(row), self.class_of(against))
        reasons = largest_first(explanation.reasons, lambda reason: abs(reason.weight_db))
        return {
            "label": as_json(explanation.label),
            "against": as_json(explanation.against),
            "probabilities": {as_key(label): p for label, p in explanation.probabilities.items()},
            "prior_db": as_number(explanation.prior_db),
            "total_db": as_number(explanation.total_db),
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

    def describe(self) -> JsonObject:
        return {
            "kind": self.kind,
            "rows": self.model.tally_.total,
            "classes": self._labels,
            "columns": [column.to_json() for column in self.columns],
        }

    def row_schema(self) -> JsonObject:
        nothing = [] if self._needs_all else ["null"]
        properties = {column.name: _schema_of(column, nothing) for column in self.columns}
        whole: JsonObject = {"type": "object", "properties": properties, "additionalProperties": False}
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
        return bool(self.model.get_params(deep=False).get("missing") == "error")

    def example(self) -> object:
        values = {column.name: column.example for column in self.columns}
        return values if self._is_named else list(values.values())

    def example_tensors(self) -> JsonObject:
        return {column.name: column.example for column in self.columns if column.example is not None}

    @property
    def inputs(self) -> Sequence[Tensor]:
        return [Tensor(column.name, column.datatype, (-1,)) for column in self.columns]


def _shown(value: object) -> object:
    """A value in an answer; of a long text, the beginning."""
    shown = as_json(value)
    return f"{shown[: _MOST_LETTERS - 1]}…" if isinstance(shown, str) and len(shown) > _MOST_LETTERS else shown


def _schema_of(column: ColumnInfo, nothing: list[str]) -> JsonObject:
    types = ["number"] if column.is_number else ["string", "number", "boolean"]
    if column.distribution is None and column.is_number:  # a matrix of numbers, in which a boolean is 0 or 1
        types = ["number", "boolean"]
    schema: JsonObject = {"type": [*types, *nothing]}
    return schema | {"examples": column.values[:5]} if column.values else schema


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:59]}…"


_MOST_VALUES = 50
_NUMBERS = (Moments, Sketch)


class ColumnInfo(NamedTuple):
    """A column: its type in the Open Inference Protocol, values for examples, and how the model treats it."""

    name: str
    datatype: str
    values: list[object]
    usual: object = None
    distribution: str | None = None
    reason: str | None = None

    @property
    def is_number(self) -> bool:
        """Whether the column takes numbers only."""
        return self.datatype == "FP64"

    @property
    def example(self) -> object:
        """A value that is often there."""
        return 1.0 if self.usual is None and self.is_number else self.usual

    def to_json(self) -> JsonObject:
        shown: JsonObject = {"name": self.name, "type": "number" if self.is_number else "label"}
        if self.distribution is not None:
            shown |= {"distribution": self.distribution, "reason": self.reason}
        return shown if self.is_number else shown | {"values": self.values[:_MOST_VALUES]}


def columns_of(model: BayesClassifier) -> list[ColumnInfo]:
    """The columns of a fitted classifier of rows; models without a schema take labels where they count them."""
    schema, parts = schema_of(model), [one for part in model.tally_.parts for one in part.components]
    if not schema:
        names = form_of(model).column_names
        counts = [part for part in parts if isinstance(part, Counts)]
        is_counted = len(counts) == len(parts) == len(names)
        return [
            _of_matrix(name, examples)
            for name, examples in zip(names, map(states_of, counts) if is_counted else [[]] * len(names), strict=True)
        ]
    if len(parts) != len(schema):  # the tally counts something else than single columns: families, or tokens
        return [_of_plan(plan, []) for plan in schema]
    return [_of_plan(plan, _examples(plan.distribution, part)) for plan, part in zip(schema, parts, strict=True)]


def _examples(distribution: ColumnDistribution, part: object) -> list[Example]:
    """Values of a column that occurred, or that lie in its range."""
    if isinstance(part, distribution.part_type):
        return distribution.examples(part)
    return [Example(str(end), end, 0.0) for end in getattr(distribution, "at", ())]  # counted as codes of its bins


def _of_matrix(name: str, examples: Sequence[Example]) -> ColumnInfo:
    values, usual = _known(examples)
    return ColumnInfo(name, datatype_of(values) if values else "FP64", values, usual)


def _known(examples: Sequence[Example]) -> tuple[list[object], object]:
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

    model: TextModel

    def rows_of(self, body: object) -> tuple[list[object], bool]:
        return (body, False) if isinstance(body, list) else ([body], True)

    def table(self, rows: Sequence[object]) -> list[object]:
        for index, document in enumerate(rows):
            if not isinstance(document, str):
                raise InputTypeError(f"document {index} is a {type(document).__name__}, not a text.")
        return list(rows)

    def _columns(self, columns: Mapping[str, list[object]]) -> object:
        if list(columns) != [_INPUT]:
            raise InputError(f"the input is one tensor named {_INPUT!r}, not {', '.join(map(repr, columns))}.")
        return self.table(columns[_INPUT])

    def explain(self, row: object, against: str | None = None) -> JsonObject:
        """The strongest tokens; the others are counted and summed, so that a long document has a short answer."""
        explanation = self.model.explain(self.table([row])[0], self.class_of(against)).to_dict()
        others, absent = explanation["others"], explanation.get("absent_db")
        return {
            "label": as_json(explanation["label"]),
            "against": as_json(explanation["against"]),
            "probabilities": self.predict([row])[0]["probabilities"],
            "prior_db": as_number(explanation["prior_db"]),
            "total_db": as_number(explanation["total_db"]),
            "reasons": [{**reason, "weight_db": as_number(reason["weight_db"])} for reason in explanation["reasons"]],
            "others": {**others, "weight_db": as_number(others["weight_db"])},
            "absent_db": None if absent is None else as_number(absent),
            "unknown": explanation["unknown"],
            "unknown_count": explanation["unknown_count"],
        }

    def describe(self) -> JsonObject:
        tally = getattr(self.model, "tally_", None)
        learned = {} if tally is None else {"documents": tally.total}
        return {"kind": self.kind, **learned, "classes": self._labels}

    def row_schema(self) -> JsonObject:
        return {"type": "string"}

    def example(self) -> object:
        return _EXAMPLE

    def example_tensors(self) -> JsonObject:
        return {_INPUT: _EXAMPLE}

    @property
    def inputs(self) -> Sequence[Tensor]:
        return [Tensor(_INPUT, "BYTES", (-1,))]


_KEYS = ("query", "targets", "evidence", "likelihoods", "actions")


class Net(Adapter):
    """A net of labels, or of numbers."""

    model: BayesianNet

    def __init__(self, model: BayesianNet) -> None:
        super().__init__(model)
        self._nodes: dict[str, Node] = {as_key(node): node for node in model.dag.nodes}
        self._states: Mapping[Node, tuple[State, ...]] = model.states
        """The states of each category; the other nodes are numbers."""

    # Queries -------------------------------------------------------------------------------------------------------

    def query(self, body: object, most: int) -> JsonObject:
        """The answer to a query; one with more than `most` numbers is refused."""
        if not isinstance(body, dict):
            raise InputTypeError('a query is an object such as {"targets": "rain", "evidence": {"wet": "yes"}}.')
        unknown = next((key for key in body if key not in _KEYS), None)
        if unknown is not None:
            raise InputError(f"a query has no member {unknown!r}.{did_you_mean(unknown, _KEYS)}")
        if "query" in body:
            return self._ask(body, most)
        net = self.model.do(self._assignments(body["actions"], "actions")) if body.get("actions") else self.model
        evidence = self._assignments(body.get("evidence"), "evidence")
        likelihoods: dict[str, Any] = {}
        if body.get("likelihoods"):
            likelihoods["likelihoods"] = self._likelihoods(body["likelihoods"])
        targets = self._targets(body.get("targets"), most)
        if targets is None:
            marginals = net.marginals(evidence, **likelihoods)
            return {"marginals": {as_key(node): _one(marginal) for node, marginal in marginals.items()}}
        return answer_of(net.query(targets, evidence, **likelihoods))

    def _ask(self, body: Mapping[str, Any], most: int) -> JsonObject:
        if len(body) > 1:
            raise InputError("a query is either a text, in 'query', or has targets and evidence, not both.")
        question = parse_question(body["query"])
        if question.kind == "P" and len(question.targets) > 1:
            names = [term.name.text for term in question.targets if term.state is None]
            self._check_size([self._nodes[name] for name in names if name in self._nodes], most)
        return answer_of(self.model.ask(body["query"]))

    def _targets(self, names: object, most: int) -> Node | list[Node] | None:
        """The nodes that a query asks for; None where it asks for all."""
        if names is None:
            return None
        if isinstance(names, str):
            return self._node(names)
        if not isinstance(names, list) or not names:
            raise InputTypeError("targets is the name of a node, or a list of names.")
        nodes = [self._node(name) for name in names]
        self._check_size(nodes, most)
        return nodes

    def _check_size(self, nodes: Sequence[Node], most: int) -> None:
        """Refuse a joint table, or covariances, with more than `most` numbers."""
        states = self._states
        numbers = sum(node not in states for node in nodes)
        size = math.prod(len(states[node]) for node in nodes if node in states) * max(numbers**2, 1)
        if size > most:
            raise TooLargeError(f"the answer has {size:,} numbers, more than {most:,}. Ask for fewer nodes.")

    def _node(self, name: object) -> Node:
        if isinstance(name, str) and name in self._nodes:
            return self._nodes[name]
        raise InputError(f"there is no node {name!r}.{did_you_mean(name, self._nodes)}")

    def _assignments(self, values: object, what: str) -> dict[Node, Any]:
        """The nodes that a query names with their states or numbers; the net itself checks the states."""
        if values is None:
            return {}
        if not isinstance(values, dict):
            raise InputTypeError(f"{what} is an object of nodes and states, not {values!r}.")
        for name, value in values.items():
            number = number_of(value) if isinstance(value, str) else value
            # a bool is an int in Python: without the first test, true would be the number 1
            is_number = self._node(name) not in self._states
            if is_number and (isinstance(number, bool) or not isinstance(number, int | float)):
                raise InputTypeError(f"{what}: {name!r} is {value!r}, which is not a number.")
        return {self._node(name): value for name, value in values.items()}

    def _likelihoods(self, values: object) -> dict[Node, Any]:
        if not self._states:
            raise InputError(f"a {self.kind} of numbers takes no likelihoods.")
        if isinstance(values, dict):
            for name in values:
                if self._node(name) not in self._states:
                    raise InputError(f"likelihoods are of the states of categories, and {name!r} is a number.")
        return self._assignments(values, "likelihoods")

    # The Open Inference Protocol -------------------------------------------------------------------------------------

    @property
    def inputs(self) -> Sequence[Tensor]:
        return [Tensor(name, self._datatype(node), (-1,)) for name, node in self._nodes.items()]

    def _datatype(self, node: Node) -> str:
        return datatype_of(list(map(as_json, self._states[node]))) if node in self._states else "FP64"

    @property
    def outputs(self) -> Sequence[Tensor]:
        sizes = {name: len(self._states[node]) if node in self._states else 2 for name, node in self._nodes.items()}
        return [Tensor(name, "FP64", (-1, size)) for name, size in sizes.items()]

    def default_outputs(self, columns: Mapping[str, object]) -> list[str]:
        return [name for name in self._nodes if name not in columns]

    def infer(self, columns: Mapping[str, list[object]], wanted: Sequence[str]) -> Mapping[str, Sequence[object]]:
        """For each wanted node P(node | the rest of the row); of numbers, the mean and the variance."""
        known = {self._node(name): values for name, values in columns.items()}
        net, nodes = self.model, self._nodes
        rows = [dict(zip(known, row, strict=True)) for row in zip(*known.values(), strict=True)]
        return {
            name: net.predict_proba(known, nodes[name]).ravel().tolist()
            if nodes[name] in self._states
            else [value for row in rows for value in _moments(net, nodes[name], row)]
            for name in wanted
        }

    # Describing ----------------------------------------------------------------------------------------------------

    def describe(self) -> JsonObject:
        dag = self.model.dag
        nodes = [
            {"name": name, "parents": sorted(map(as_key, dag.parents(node))), **self._known_states(node)}
            for name, node in self._nodes.items()
        ]
        return {"kind": self.kind, "nodes": nodes}

    def _known_states(self, node: Node) -> JsonObject:
        return {"states": list(map(as_json, self._states[node]))} if node in self._states else {}

    def learning_schema(self) -> tuple[JsonObject, JsonObject]:
        """The JSON schema of a row that the net can learn, a state or a number for each node; and such a row."""
        kinds = {name: {"type": ["string", "number", "boolean", "null"]} for name in self._nodes}
        example = {name: self._example_of(node) for name, node in self._nodes.items()}
        return {"type": "object", "properties": kinds, "additionalProperties": False}, example

    def query_schema(self) -> JsonObject:
        """The JSON schema of a query."""
        nodes = {"enum": list(self._nodes)}
        several = {"type": "array", "items": nodes, "minItems": 1, "uniqueItems": True}
        assignments = _members({name: self._state_schema(node) for name, node in self._nodes.items()})
        members: JsonObject = {
            "targets": {"anyOf": [nodes, several, {"type": "null"}]},
            "evidence": assignments,
            "actions": assignments,
        }
        if self._states:
            weight = {"type": "number", "minimum": 0}
            states = self._states
            weights = {
                name: _members({as_key(state): weight for state in states[node]})
                for name, node in self._nodes.items()
                if node in states
            }
            members["likelihoods"] = _members(weights)
        members["query"] = {"type": "string", "examples": [f"P({next(iter(self._nodes))})"]}
        return _members(members) | {"type": "object"}

    def _state_schema(self, node: Node) -> JsonObject:
        return {"enum": list(map(as_json, self._states[node]))} if node in self._states else {"type": "number"}

    def _example_of(self, node: Node) -> Any:
        """A state of a category, or a number."""
        return as_json(self._states[node][0]) if node in self._states else 1.0

    def example(self) -> JsonObject:
        """A query that the net can answer."""
        *_, last = self._nodes
        first = next(iter(self._nodes))
        return {"targets": first} if first == last else {"targets": first, "evidence": self.example_tensors()}

    def example_tensors(self) -> JsonObject:
        """Observed states by the names of the inputs: that of the last node, if it is not the only one."""
        if len(self._nodes) == 1:
            return {}
        *_, (name, node) = self._nodes.items()
        return {name: self._example_of(node)}


def _members(properties: Mapping[str, object]) -> JsonObject:
    return {"type": ["object", "null"], "properties": dict(properties), "additionalProperties": False}


def _moments(net: BayesNet, node: Node, row: Mapping[Node, Any]) -> tuple[float, float]:
    """The mean and the variance of a node given the rest of a row."""
    others = {other: value for other, value in row.items() if other != node and value is not None}
    normal: Any = net.query(node, others)  # of one number a Normal, or a Mixture of them
    return normal.mean, normal.variance


def answer_of(answer: Answer | bool | SupportsFloat) -> JsonObject:
    """What a net answers, as JSON."""
    if isinstance(answer, bool):  # before numbers: a bool is one
        return {"independent": answer}
    if isinstance(answer, MixedDistribution | MultivariateMixture | MultivariateNormal):
        return _of_numbers(answer)
    if isinstance(answer, JointDistribution):
        table = [{"states": list(map(as_json, states)), "probability": answer[states]} for states in answer]
        return {"targets": list(map(as_key, answer.nodes)), "probabilities": table}
    if isinstance(answer, Completion):
        states = {as_key(node): as_json(state) for node, state in answer.items()}
        return {"states": states, "probability": answer.probability, "posterior": answer.posterior}
    if isinstance(answer, Distribution):
        return {"target": as_key(answer.node), "probabilities": _one(answer)}
    return _one(answer) if isinstance(answer, Normal | Mixture) else {"value": as_number(float(answer))}


def _matrix(answer: MultivariateNormal | MultivariateMixture) -> JsonObject:
    return {"mean": answer.mean.tolist(), "covariance": answer.covariance.tolist()}


def _of_numbers(answer: MixedDistribution | MultivariateMixture | MultivariateNormal) -> JsonObject:
    """The mean and the covariance of numbers; with categories, in each row of the joint table of these."""
    if not isinstance(answer, MixedDistribution):
        return {"targets": list(map(as_key, answer.nodes)), **_matrix(answer)}
    rows = [
        {"states": list(map(as_json, states)), "probability": answer.probabilities[states], **_matrix(numbers)}
        for states, numbers in answer.items()
    ]
    return {"targets": list(map(as_key, (*answer.categories, *answer.numbers))), "probabilities": rows}


def _one(distribution: Distribution | Normal | Mixture) -> JsonObject:
    """The distribution of one node."""
    if isinstance(distribution, Normal | Mixture):
        return {"mean": as_number(distribution.mean), "variance": as_number(distribution.variance)}
    return {as_key(state): p for state, p in distribution.items()}


def adapter_of(model: object) -> Classifier | Net:
    """How the service uses a model; an error where it cannot be served."""
    if isinstance(model, TextNB | TextEM | LogCountRatio | AutoText):  # first: a TextNB is a BayesClassifier, too
        return TextClassifier(model)
    if isinstance(model, BayesClassifier):
        return RowClassifier(model)
    if isinstance(model, BayesNet):
        return Net(model)
    raise ParameterError(
        f"a {type(model).__name__} cannot be served: it is no classifier and no net. Make a model of a tally with "
        "from_tally, and save that."
    )
