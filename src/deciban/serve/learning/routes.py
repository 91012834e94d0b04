"""``POST /learn`` and ``POST /forget``: a batch of rows with their labels, all of it or nothing.

A batch is a JSON object, ``{"rows": […], "labels": […]}``, or JSON Lines of ``{"row": …, "label": …}``. Labels may be
left out where the rows have the column that the model was fitted to predict, and for Bayes nets. The answer comes when
the batch is on the disk.
"""

from __future__ import annotations

import asyncio
from typing import NamedTuple

import orjson
from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from deciban.choices import did_you_mean
from deciban.errors import DecibanError, FileError, ParameterError, UnfittedError
from deciban.serve.adapters import Classifier, JsonObject, Net, adapter_of, as_json
from deciban.serve.learning.changes import Action
from deciban.serve.learning.live_model import LiveModel
from deciban.serve.limits import Limits, Problem, is_stream, parse, read_json, read_lines, too_large
from deciban.serve.openapi import Endpoint, Operation, Schema

__all__ = ["learning_routes"]


_MEMBERS = ("rows", "labels", "new_classes")
_LINE = frozenset({"row", "label"})


class _Batch(NamedTuple):
    """What a request asks for."""

    rows: list[object]
    labels: list[object] | None
    new_classes: bool = False


def learning_routes(live: LiveModel, limits: Limits | None = None) -> APIRouter:
    """The routes that change a model."""
    limits = limits or Limits()
    routes, router, adapter = LearningRoutes(live, limits), APIRouter(), adapter_of(live.model)
    learning_operation("learn", routes.learn, adapter, limits.rows).add_to(router)
    learning_operation("forget", routes.forget, adapter, limits.rows).add_to(router)
    return router


class LearningRoutes:
    """The endpoints."""

    def __init__(self, live: LiveModel, limits: Limits) -> None:
        self._live, self._limits = live, limits

    async def learn(self, request: Request) -> Response:
        """Learn a batch of rows, durably."""
        return await self._change("learn", request)

    async def forget(self, request: Request) -> Response:
        """Take a batch of rows out again, durably, as if they had never been learned."""
        return await self._change("forget", request)

    async def _change(self, action: Action, request: Request) -> Response:
        key = _key(request)
        batch = await (self._lines(request) if is_stream(request) else self._object(request))
        if len(batch.rows) > self._limits.rows:
            raise Problem(413, f"{len(batch.rows):,} rows are more than the limit of {self._limits.rows:,}.")
        try:
            future = self._live.submit(action, batch.rows, batch.labels, key=key, new_classes=batch.new_classes)
            answer = await asyncio.wrap_future(future)
        except DecibanError as error:
            raise _problem(error) from error
        # rows of a repeated request were counted when it was first made
        if not answer.is_repeated:
            request.app.state.metrics.add_rows(action, len(batch.rows))
        headers = {"Idempotent-Replayed": "true"} if answer.is_repeated else None
        return Response(orjson.dumps(answer.content), headers=headers, media_type="application/json")

    async def _object(self, request: Request) -> _Batch:
        body = await read_json(request, self._limits)
        if not isinstance(body, dict) or "rows" not in body:
            raise Problem(422, 'the body is an object such as {"rows": [{…}, {…}], "labels": ["yes", "no"]}.')
        unknown = next((name for name in body if name not in _MEMBERS), None)
        if unknown is not None:
            raise Problem(422, f"the body has no member {unknown!r}.{did_you_mean(unknown, _MEMBERS)}")
        rows, labels, new = body["rows"], body.get("labels"), body.get("new_classes", False)
        if not isinstance(rows, list) or not isinstance(labels, list | None) or not isinstance(new, bool):
            raise Problem(422, "rows and labels are lists, and new_classes is true or false.")
        return _Batch(rows, labels, new)

    async def _lines(self, request: Request) -> _Batch:
        """JSON Lines; the whole body is one batch, so it is read before anything is learned."""
        values: list[object] = []
        size = 0
        async with asyncio.timeout(self._limits.seconds):
            async for lines in read_lines(request, self._limits):
                size += sum(map(len, lines))
                if size > self._limits.body:
                    raise too_large(self._limits.body)
                values += [parse(line) for line in lines]
        new = request.query_params.get("new_classes", "false").lower() == "true"
        labelled = [line for line in values if isinstance(line, dict) and set(line) == _LINE]
        if not labelled:
            return _Batch(values, None, new)
        if len(labelled) < len(values):
            raise Problem(422, 'every line is an object {"row": …, "label": …}, or none is.')
        return _Batch([line["row"] for line in labelled], [line["label"] for line in labelled], new)


def _key(request: Request) -> str | None:
    key = request.headers.get("idempotency-key")
    if key is not None and not (0 < len(key) <= LONGEST_KEY and key.isascii() and key.isprintable()):
        raise Problem(422, f"an Idempotency-Key has 1 to {LONGEST_KEY} printable ASCII characters.")
    return key


def _problem(error: DecibanError) -> Problem:
    """503 where the disk is to blame, 409 where the model cannot learn at all, 422 where the batch is to blame."""
    if isinstance(error, FileError):
        return Problem(503, str(error), {"Retry-After": "1"})
    return Problem(409 if isinstance(error, ParameterError | UnfittedError) else 422, str(error))


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


def learning_operation(action: Action, endpoint: Endpoint, adapter: Classifier | Net, most: int) -> Operation:
    """One of the two routes."""
    row, example = adapter.learning_schema()
    properties: dict[str, Schema] = {"rows": {"type": "array", "items": row, "minItems": 1, "maxItems": most}}
    shown: JsonObject = {"rows": [example]}
    if isinstance(adapter, Classifier):
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
