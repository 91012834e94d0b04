"""Classifiers of documents: a document is a text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from deciban.errors import InputError, InputTypeError
from deciban.serve.adapters.base import Classifier, Tensor, as_json, as_number

__all__ = ["TextClassifier"]

_INPUT = "text"
_EXAMPLE = "a text to classify"


class TextClassifier(Classifier):
    """A classifier of raw documents."""

    def rows_of(self, body: Any) -> tuple[list[Any], bool]:
        return (body, False) if isinstance(body, list) else ([body], True)

    def _table(self, rows: Sequence[Any]) -> Any:
        for index, document in enumerate(rows):
            if not isinstance(document, str):
                raise InputTypeError(f"document {index} is a {type(document).__name__}, not a text.")
        return list(rows)

    def _columns(self, columns: Mapping[str, list[Any]]) -> Any:
        if list(columns) != [_INPUT]:
            raise InputError(f"the input is one tensor named {_INPUT!r}, not {', '.join(map(repr, columns))}.")
        return self._table(columns[_INPUT])

    def explain(self, row: Any, against: str | None = None) -> dict[str, Any]:
        """The strongest tokens; the others are counted and summed, so that a long document has a short answer."""
        found = self.model.explain(self._table([row])[0], self.class_of(against)).to_dict()
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
