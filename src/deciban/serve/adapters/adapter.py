"""What the routes need of a model, whatever its kind: JSON values in, JSON values out."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from datetime import date, time
from functools import cached_property
from typing import Any, NamedTuple

from deciban.choices import did_you_mean
from deciban.errors import InputError
from deciban.read import distinct_texts, plain
from deciban.types import AnyArray

__all__ = ["Adapter", "Classifier", "Tensor", "as_json", "as_key", "as_number", "datatype_of"]


_JSON = frozenset({str, int, bool, type(None)})


class Tensor(NamedTuple):
    """The name, the type and the shape of an input or output of the Open Inference Protocol; −1 is any number."""

    name: str
    datatype: str
    shape: tuple[int, ...]

    def to_json(self) -> dict[str, Any]:
        return {"name": self.name, "datatype": self.datatype, "shape": list(self.shape)}


class Adapter(ABC):
    """A model as the routes see it."""

    def __init__(self, model: Any) -> None:
        self.model = model

    @property
    def kind(self) -> str:
        """The class of the model."""
        return type(self.model).__name__

    @abstractmethod
    def describe(self) -> dict[str, Any]:
        """What the model is: its columns or nodes with their values, and what it has learned."""

    @property
    @abstractmethod
    def inputs(self) -> Sequence[Tensor]:
        """The input tensors of the Open Inference Protocol."""

    @property
    @abstractmethod
    def outputs(self) -> Sequence[Tensor]:
        """The output tensors of the Open Inference Protocol."""

    def default_outputs(self, columns: Mapping[str, Any]) -> list[str]:
        """The outputs of a request that names none."""
        return [tensor.name for tensor in self.outputs]

    @abstractmethod
    def infer(self, columns: Mapping[str, list[Any]], wanted: Sequence[str]) -> dict[str, list[Any]]:
        """The wanted outputs, flattened, for columns of equal length, by the names of the inputs."""


class Classifier(Adapter):
    """A model that predicts a class for each row or document."""

    is_fast_alone = False
    """Whether one row takes so little that gathering rows into a table costs more than it saves."""

    target: str | None = None
    """The column that the model was fitted to predict, where it was given by name."""

    @cached_property
    def _labels(self) -> list[Any]:
        return [as_json(label) for label in self._classes]

    @cached_property
    def keys(self) -> list[str]:
        """The classes as keys of JSON objects."""
        return distinct_texts(self._classes, as_key)

    @property
    def _classes(self) -> list[Any]:
        return list(self.model.classes_.tolist())

    @cached_property
    def _is_plain(self) -> bool:
        """Whether the label is always the class of largest probability."""
        given = self.model.get_params(deep=False)
        return given.get("rule", "map") == "map" and given.get("loss") is None and given.get("reject") is None

    @abstractmethod
    def rows_of(self, body: Any) -> tuple[list[Any], bool]:
        """The rows or documents of a body, and whether it is a single one."""

    @abstractmethod
    def row_schema(self) -> dict[str, Any]:
        """The JSON schema of a row or document."""

    @abstractmethod
    def example(self) -> Any:
        """A row or document that the model can score."""

    @abstractmethod
    def example_tensors(self) -> dict[str, Any]:
        """The example's values by the names of the inputs."""

    @abstractmethod
    def table(self, rows: Sequence[Any]) -> Any:
        """The rows as `predict` takes them."""

    def predict_one(self, row: Any) -> dict[str, Any]:
        """The label and the probabilities of one row."""
        return self.predict([row])[0]

    def predict(self, rows: Sequence[Any]) -> list[dict[str, Any]]:
        """The label and the probabilities of each row."""
        labels, posterior = self.scores(self.table(rows))
        keys = self.keys
        return [
            {"label": label, "probabilities": dict(zip(keys, of_row, strict=True))}
            for label, of_row in zip(labels, posterior.tolist(), strict=True)
        ]

    def scores(self, table: Any) -> tuple[list[Any], AnyArray]:
        """The label of each row, and P(class | row)."""
        posterior = self.model.predict_proba(table)
        if self._is_plain:
            return [self._labels[code] for code in posterior.argmax(axis=1).tolist()], posterior
        return [as_json(label) for label in self.model.predict(table).tolist()], posterior

    @abstractmethod
    def explain(self, row: Any, against: str | None = None) -> dict[str, Any]:
        """The weights of evidence of one row, in decibans; `against` is a class, by its key."""

    def class_of(self, key: str | None) -> Any:
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

    def infer(self, columns: Mapping[str, list[Any]], wanted: Sequence[str]) -> dict[str, list[Any]]:
        labels, posterior = self.scores(self._columns(columns))
        as_tensor = str if datatype_of(self._labels) == "BYTES" else _same
        held = {
            "label": [as_tensor(label) for label in labels],
            "probabilities": posterior.ravel().tolist(),
            "classes": [as_tensor(label) for label in self._labels],
        }
        return {name: held[name] for name in wanted}

    @abstractmethod
    def _columns(self, columns: Mapping[str, list[Any]]) -> Any:
        """Columns of an inference request as `predict` takes them."""


def datatype_of(values: Sequence[Any]) -> str:
    """The type of a tensor that holds these values: BOOL, INT64, FP64, or BYTES for text and mixed values."""
    kinds = set(map(type, values))
    if kinds == {bool}:
        return "BOOL"
    if kinds == {int}:
        return "INT64"
    return "FP64" if kinds and kinds <= {int, float} else "BYTES"


def as_json(value: Any) -> Any:
    """A label as a JSON value: text, numbers and booleans as they are, also those of numpy; others as text."""
    if type(value) in _JSON:
        return value
    value = plain(value)
    if isinstance(value, str | int | None):
        return value
    if isinstance(value, float):
        return as_number(value)
    return value.isoformat() if isinstance(value, date | time) else str(value)


def as_key(value: Any) -> str:
    """A label as the key of a JSON object."""
    held = as_json(value)
    return held if isinstance(held, str) else str(held).lower() if isinstance(held, bool) else str(held)


def as_number(value: float) -> float | str:
    """A float as JSON; infinite ones as the text "Infinity" and "-Infinity", as protocol buffers have it."""
    return value if math.isfinite(value) else "Infinity" if value > 0 else "-Infinity"


def _same(value: Any) -> Any:
    return value
