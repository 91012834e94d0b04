"""The description of ``POST /learn`` and ``POST /forget`` in OpenAPI, with examples made from the model itself."""

from __future__ import annotations

from typing import Any

from deciban.serve.adapters.base import Adapter, Classifier, as_json
from deciban.serve.learning.changes import Action
from deciban.serve.openapi import Endpoint, Operation, Schema

__all__ = ["LONGEST_KEY", "learning_operation"]

LONGEST_KEY = 255

_KEY: Schema = {
    "name": "Idempotency-Key",
    "in": "header",
    "description": "names the request: sent again with the same rows, it returns the first answer and changes nothing",
    "schema": {"type": "string", "minLength": 1, "maxLength": LONGEST_KEY, "pattern": "^[!-~]+$"},
}
_NEW_CLASSES: Schema = {
    "name": "new_classes",
    "in": "query",
    "description": "whether labels may be new classes; of JSON Lines, which have no other place for it",
    "schema": {"type": "boolean"},
}
_ANSWER: Schema = {
    "type": "object",
    "required": ["action", "rows", "position"],
    "properties": {
        "action": {"enum": ["learn", "forget"]},
        "rows": {"type": "integer"},
        "position": {"type": "integer"},
    },
}
_LABEL: Schema = {"type": ["string", "number", "boolean"]}
_MORE_REFUSALS = {409: "the model cannot learn"}


def learning_operation(action: Action, endpoint: Endpoint, adapter: Any, most: int) -> Operation:
    """One of the two routes."""
    is_labelled = isinstance(adapter, Classifier)
    row, example = (adapter.row_schema(), adapter.example()) if is_labelled else _net_row(adapter)
    properties: dict[str, Schema] = {"rows": {"type": "array", "items": row, "minItems": 1, "maxItems": most}}
    shown: dict[str, Any] = {"rows": [example]}
    if is_labelled:
        properties["labels"] = {"type": "array", "items": _LABEL, "minItems": 1, "maxItems": most}
        properties["new_classes"] = {"type": "boolean"}
        shown["labels"] = [as_json(adapter.model.classes_.tolist()[0])]
    body = {"type": "object", "required": ["rows"], "properties": properties, "additionalProperties": False}
    return Operation(
        f"/{action}",
        endpoint,
        "POST",
        body,
        {"one row": shown},
        _ANSWER,
        parameters=[_KEY, _NEW_CLASSES],
        takes_lines=True,
        refusals=_MORE_REFUSALS,
    )


def _net_row(adapter: Adapter) -> tuple[Schema, dict[str, Any]]:
    """A row of a net: a state or a number for each node."""
    nodes = adapter.describe()["nodes"]
    kinds = {node["name"]: {"type": ["string", "number", "boolean", "null"]} for node in nodes}
    example = {node["name"]: node["states"][0] if "states" in node else 1.0 for node in nodes}
    return {"type": "object", "properties": kinds, "additionalProperties": False}, example
