"""The description of each route in OpenAPI, with examples made from the model's own columns."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from typing import Any, TypeAlias

import orjson
from fastapi import APIRouter, FastAPI
from starlette.requests import Request
from starlette.responses import Response

from deciban.serve.adapters import Adapter, Classifier, JsonObject, Net
from deciban.serve.limits import NDJSON

__all__ = ["Operation", "explain_operation", "infer_operation", "page_of", "predict_operation", "query_operation"]


Endpoint = Callable[[Request], Awaitable[Response]]
Schema: TypeAlias = Mapping[str, object]

_NUMBER: Schema = {"anyOf": [{"type": "number"}, {"enum": ["Infinity", "-Infinity"]}]}
_LABEL: Schema = {"type": ["string", "number", "boolean", "null"]}
_PROBABILITIES: Schema = {"type": "object", "additionalProperties": {"type": "number"}}
_PROBLEM: Schema = {
    "type": "object",
    "required": ["type", "title", "status", "detail"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
    },
}
_REFUSALS = {
    400: "the body is not JSON",
    401: "a token is needed",
    403: "the token does not permit this",
    413: "more than a limit",
    415: "the body has another type, or is compressed",
    422: "the input cannot be used; the detail says why",
    503: "too slow, or too many requests",
}
_PROTOCOL_REFUSALS = {400: "the input cannot be used", 401: "a token is needed", 403: "not permitted"}
_TOO_MUCH = {413: "more than a limit", 415: "the body is compressed", 503: "too slow"}


@dataclass(frozen=True)
class Operation:
    """A route: its path, what it calls, and its description.

    `takes_lines` and `answers_lines`: whether the body, and the answer to it, may be JSON Lines. `refusals` are further
    statuses of answers, with their meanings.
    """

    path: str
    endpoint: Endpoint
    method: str = "GET"
    body: Schema | None = None
    examples: Mapping[str, object] = field(default_factory=dict)
    answer: Schema | None = None
    media: str = "application/json"
    parameters: Sequence[Schema] = ()
    is_open: bool = False
    takes_lines: bool = False
    answers_lines: bool = False
    refusals: Mapping[int, str] = field(default_factory=dict)

    def add_to(self, router: FastAPI | APIRouter) -> None:
        """Add the route to an application, or to routes that an application includes."""
        router.add_api_route(
            self.path,
            self.endpoint,
            methods=[self.method],
            response_class=Response,
            responses=self.responses(),
            openapi_extra=self.extra(),
            operation_id=f"{self.method.lower()}{re.sub('[^a-z0-9]+', '_', self.path)}",
        )

    @property
    def is_protocol(self) -> bool:
        return self.path.startswith("/v2")

    def extra(self) -> JsonObject:
        """What FastAPI adds to its own description."""
        extra: JsonObject = {"parameters": list(self.parameters)} if self.parameters else {}
        if self.body is not None:
            shown = {name: {"value": value} for name, value in self.examples.items()}
            content: JsonObject = {"application/json": {"schema": self.body, "examples": shown}}
            if self.takes_lines:
                content[NDJSON] = {"schema": {"type": "string"}}
            extra["requestBody"] = {"required": True, "content": content}
        return extra

    def responses(self) -> dict[int | str, JsonObject]:
        """The answers by status."""
        content: JsonObject = {self.media: {"schema": self.answer or {}}}
        if self.answers_lines:
            content[NDJSON] = {"schema": {"type": "string"}}
        return {200: {"description": "done", "content": content}, **dict(self._refusals())}

    def _refusals(self) -> Iterator[tuple[int | str, JsonObject]]:
        if self.is_open:
            texts = {403: _REFUSALS[403]}
        elif self.is_protocol:
            texts = _PROTOCOL_REFUSALS | ({404: "no such model"} if "{" in self.path else {})
            texts |= {} if self.body is None else _TOO_MUCH
        else:
            texts = _REFUSALS if self.body is not None else {401: _REFUSALS[401], 403: _REFUSALS[403]}
        error: Schema = {"type": "object", "required": ["error"], "properties": {"error": {"type": "string"}}}
        media = "application/json" if self.is_protocol else "application/problem+json"
        for status, text in {**texts, **self.refusals}.items():
            content = {media: {"schema": error if self.is_protocol else _PROBLEM}}
            yield status, {"description": text, "content": content}


def predict_operation(adapter: Classifier, endpoint: Endpoint, most: int) -> Operation:
    """``POST /predict``."""
    answer = {
        "type": "object",
        "required": ["label", "probabilities"],
        "properties": {"label": _LABEL, "probabilities": _PROBABILITIES},
    }
    operation = _one_or_many("/predict", endpoint, adapter, answer, most)
    return replace(operation, takes_lines=True, answers_lines=True)


def explain_operation(adapter: Classifier, endpoint: Endpoint, most: int) -> Operation:
    """``POST /explain``."""
    answer = {
        "type": "object",
        "required": ["label", "against", "probabilities", "prior_db", "total_db", "reasons"],
        "properties": {
            "label": _LABEL,
            "against": _LABEL,
            "probabilities": _PROBABILITIES,
            "prior_db": _NUMBER,
            "total_db": _NUMBER,
            "reasons": {
                "type": "array",
                "items": {"type": "object", "required": ["weight_db"], "properties": {"weight_db": _NUMBER}},
            },
        },
    }
    against = {
        "name": "against",
        "in": "query",
        "description": "the class to compare with; the next best where it is left out",
        "schema": {"type": "string", "enum": adapter.keys},
    }
    return replace(_one_or_many("/explain", endpoint, adapter, answer, most), parameters=[against])


def query_operation(adapter: Net, endpoint: Endpoint, most: int) -> Operation:
    """``POST /query``."""
    query, answer = adapter.query_schema(), {"type": "object"}
    many = {"type": "array", "items": query, "minItems": 1, "maxItems": most}
    body = {"anyOf": [query, many]}
    examples = {"one query": adapter.example(), "two queries": [adapter.example(), {}]}
    whole = {"anyOf": [answer, {"type": "array", "items": answer}]}
    return Operation("/query", endpoint, "POST", body, examples, whole)


def infer_operation(adapter: Adapter, endpoint: Endpoint, path: str, parameters: Sequence[Schema]) -> Operation:
    """``POST /v2/models/{name}/infer``."""
    tensor = _tensor_schema([tensor.name for tensor in adapter.inputs])
    names = [tensor.name for tensor in adapter.outputs]
    output = {"type": "object", "required": ["name"], "properties": {"name": {"enum": names}}}
    body = {
        "type": "object",
        "required": ["inputs"],
        "properties": {
            "id": {"type": "string"},
            "inputs": {"type": "array", "items": tensor, "minItems": 1},
            "outputs": {"type": "array", "items": output},
        },
    }
    answer = {
        "type": "object",
        "required": ["model_name", "outputs"],
        "properties": {"model_name": {"type": "string"}, "outputs": {"type": "array", "items": _tensor_schema(names)}},
    }
    return Operation(path, endpoint, "POST", body, {"one row": example_request(adapter)}, answer, parameters=parameters)


def _tensor_schema(names: Sequence[str]) -> Schema:
    return {
        "type": "object",
        "required": ["name", "shape", "datatype", "data"],
        "properties": {
            "name": {"enum": list(names)},
            "shape": {"type": "array", "items": {"type": "integer", "minimum": 0}, "minItems": 1, "maxItems": 2},
            "datatype": {"enum": ["BYTES", "BOOL", "INT64", "FP64"]},
            "data": {"type": "array"},
        },
    }


def example_request(adapter: Adapter) -> JsonObject:
    """An inference request of one row."""
    values = adapter.example_tensors()
    return {
        "inputs": [
            {"name": tensor.name, "shape": [1], "datatype": tensor.datatype, "data": [values[tensor.name]]}
            for tensor in adapter.inputs
            if tensor.name in values
        ]
    }


def _one_or_many(path: str, endpoint: Endpoint, adapter: Classifier, answer: Schema, most: int) -> Operation:
    """A route that takes one row or document, or a list of them, and answers in the same shape."""
    row, example = adapter.row_schema(), adapter.example()
    return Operation(
        path,
        endpoint,
        "POST",
        {"anyOf": [row, {"type": "array", "items": row, "minItems": 1, "maxItems": most}]},
        {"one": example, "a list": [example, example]},
        {"anyOf": [answer, {"type": "array", "items": answer}]},
    )


_STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem; }
code, pre { font: 14px/1.4 ui-monospace, monospace; }
pre { overflow-x: auto; padding: .75rem; border: 1px solid #8884; border-radius: .4rem; }
h2 { margin-top: 2.5rem; border-top: 1px solid #8884; padding-top: 1rem; font-size: 1.1rem; }
"""


def page_of(openapi: Mapping[str, Any]) -> str:
    """The page of an OpenAPI document: for each route its text, its example and its answers."""
    title = escape(f"{openapi['info']['title']} {openapi['info']['version']}")
    about = escape(openapi["info"].get("description", ""))
    parts = [
        "\n".join(_route(path, method, operation))
        for path, methods in openapi["paths"].items()
        for method, operation in methods.items()
    ]
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{_STYLE}</style></head><body><h1>{title}</h1><p>{about}</p>"
        '<p>The same as JSON: <a href="openapi.json">openapi.json</a></p>'
        f"{''.join(parts)}</body></html>"
    )


def _route(path: str, method: str, operation: Mapping[str, Any]) -> Iterator[str]:
    yield f"<h2><code>{method.upper()} {escape(path)}</code></h2><p>{escape(operation.get('description', ''))}</p>"
    content = operation.get("requestBody", {}).get("content", {})
    for name, example in content.get("application/json", {}).get("examples", {}).items():
        text = orjson.dumps(example["value"], option=orjson.OPT_INDENT_2).decode()
        yield f"<p>Example: {escape(name)}</p><pre>{escape(text)}</pre>"
    answers = (f"{status} {answer.get('description', '')}" for status, answer in operation["responses"].items())
    yield f"<p>Answers: {escape('; '.join(answers))}</p>"
