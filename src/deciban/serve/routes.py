"""The endpoints of the service: predictions, explanations, queries, what describes the model, and the protocol ``/v2``.

A body is a row or a document, a list of them, or, for ``POST /predict``, a stream of lines. The Open Inference
Protocol, version 2 (https://github.com/kserve/open-inference-protocol), is what clients of KServe and Triton call. A
column is a tensor of shape [n] or [n, 1]; one tensor of shape [n, k] holds all k columns. Data are nested or flat lists
in JSON.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from importlib.metadata import version
from itertools import chain
from math import prod
from typing import Any

import orjson
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.types import Receive, Scope, Send

from deciban.choices import did_you_mean
from deciban.errors import InputError
from deciban.serve.adapters import Classifier, JsonObject, Tensor
from deciban.serve.limits import NDJSON, Problem, is_stream, parse, problem_of, read_json, read_lines
from deciban.serve.metrics import CONTENT_TYPE
from deciban.serve.openapi import page_of
from deciban.serve.service import Service, predict_each

__all__ = ["VERSION", "InformationRoutes", "PredictRoutes", "ProtocolRoutes", "QueryRoutes"]


class PredictRoutes:
    """The endpoints of a classifier."""

    def __init__(self, service: Service) -> None:
        self.service = service

    async def predict(self, request: Request) -> Response:
        """Predict the class of a row, or of each row of a list."""
        service = self.service
        if is_stream(request):
            return LineResponse(predicted_lines(request, service), service.limits.seconds)
        body = await read_json(request, service.limits)
        adapter = service.classifier
        rows, is_one = adapter.rows_of(body)
        service.check_rows(rows)
        answer: object
        if is_one:
            answer = await service.predict_one(adapter, rows[0])
        else:
            answer = await service.run(lambda: adapter.predict(rows))
        service.metrics.add_rows("predict", len(rows))
        return json_response(answer)

    async def explain(self, request: Request) -> Response:
        """Explain the prediction of a row, or of each row of a list, in decibans."""
        service = self.service
        against = request.query_params.get("against")
        body = await read_json(request, service.limits)
        adapter = service.classifier
        rows, is_one = adapter.rows_of(body)
        service.check_rows(rows)
        explanations = await service.run(lambda: [adapter.explain(row, against) for row in rows])
        service.metrics.add_rows("explain", len(rows))
        return json_response(explanations[0] if is_one else explanations)


class QueryRoutes:
    """The endpoint of a net."""

    def __init__(self, service: Service) -> None:
        self.service = service

    async def query(self, request: Request) -> Response:
        """Answer a query, or each query of a list."""
        service = self.service
        body = await read_json(request, service.limits)
        queries = body if isinstance(body, list) else [body]
        service.check_rows(queries)
        # the limit is about the whole answer, so each query of a list has its share
        adapter, most = service.net, service.limits.cells // max(1, len(queries))
        answers = await service.run(lambda: [adapter.query(query, most) for query in queries])
        service.metrics.add_rows("query", len(queries))
        return json_response(answers if isinstance(body, list) else answers[0])


class LineResponse(Response):
    """A response that is sent while the request is still read; a client that does not read it is left.

    Starlette's StreamingResponse may read the request itself, to learn that the client is gone.
    """

    def __init__(self, blocks: AsyncIterator[bytes], seconds: float) -> None:
        self.blocks, self.seconds, self.background = blocks, seconds, None
        self.status_code, self.body = 200, b""
        self.raw_headers = [(b"content-type", NDJSON.encode())]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the blocks as they come."""
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        async for block in self.blocks:
            async with asyncio.timeout(self.seconds):
                await send({"type": "http.response.body", "body": block, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def predicted_lines(request: Request, service: Service) -> AsyncIterator[bytes]:
    """A prediction, or a problem document, for each line of the request that is not empty."""
    count, seconds = 0, service.limits.seconds
    try:
        async for lines in read_lines(request, service.limits):
            adapter, first = service.classifier, count  # a model that has learned answers the next lines
            async with asyncio.timeout(seconds):
                answers = await service.run(lambda: _answers(adapter, lines, first))  # noqa: B023  it runs at once
            yield answers
            count += len(lines)
            service.metrics.add_rows("predict", len(lines))
    except (Problem, TimeoutError) as error:  # the status has been sent already: the last line says what happened
        problem = error if isinstance(error, Problem) else Problem(503, f"nothing happened for {seconds:g} seconds.")
        yield orjson.dumps({**problem.document, "line": count + 1}) + b"\n"


def _answers(adapter: Classifier, lines: Sequence[bytes], first: int) -> bytes:
    """The predictions of some lines, and problem documents for those that cannot be scored; `first` were before."""
    read = [_parsed(adapter, line) for line in lines]
    rows = [row for row in read if not isinstance(row, Problem)]
    predictions = iter(predict_each(adapter, rows) if rows else ())
    answers = []
    for number, row in enumerate(read, first + 1):
        answer = row if isinstance(row, Problem) else next(predictions)
        if isinstance(answer, Exception):
            answer = {**problem_of(answer).document, "line": number}
        answers.append(orjson.dumps(answer) + b"\n")
    return b"".join(answers)


def _parsed(adapter: Classifier, line: bytes) -> object:
    """The row of a line; a problem where it has none."""
    try:
        rows, is_one = adapter.rows_of(parse(line))
    except Exception as error:  # whatever is wrong with one line, the other lines are answered
        return problem_of(error)
    return rows[0] if is_one else Problem(422, "a line has one row, not a list.")


# The page shows names of the model's columns: whatever they are, no script runs and nothing is loaded.
_HEADERS = {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'"}


class InformationRoutes:
    """The endpoints that describe; `openapi` returns the description of all routes."""

    def __init__(self, service: Service, openapi: Callable[[], dict[str, object]]) -> None:
        self.service, self._openapi = service, openapi

    async def model(self, request: Request) -> Response:
        """What is in the model: its columns with their distributions, its classes, and how many rows it learned."""
        service = self.service
        description = await service.run(service.adapter.describe)
        journal = service.holder.status()
        learning = {"journal": journal} if journal else {}
        return json_response({"name": service.name, "deciban": version("deciban"), **description, **learning})

    async def health(self, request: Request) -> Response:
        """Whether the service answers."""
        return json_response({"status": "ok"})

    async def ready(self, request: Request) -> Response:
        """Whether the model is loaded."""
        return json_response({"status": "ready", "model": self.service.name})

    async def metrics(self, request: Request) -> Response:
        """Counters in the text format of Prometheus."""
        text = self.service.metrics.render(self.service.holder.metrics())
        return Response(text, media_type=CONTENT_TYPE)

    async def docs(self, request: Request) -> Response:
        """The description of all routes as a page."""
        return HTMLResponse(page_of(self._openapi()), headers=_HEADERS)


_TYPE = (b"content-type", b"application/json")


class _JsonResponse(Response):
    """A response of status 200; its two headers are written directly, which saves a tenth of a request's time."""

    def __init__(self, body: bytes) -> None:
        self.status_code, self.body, self.background = 200, body, None
        self.raw_headers = [(b"content-length", b"%d" % len(body)), _TYPE]


def json_response(value: object) -> Response:
    """A value as JSON."""
    return _JsonResponse(orjson.dumps(value))


VERSION = "1"
"""The only version of the model."""


class ProtocolRoutes:
    """The endpoints under ``/v2``."""

    def __init__(self, service: Service) -> None:
        self.service = service

    async def server(self, request: Request) -> Response:
        """Name and version of the server."""
        return json_response({"name": "deciban", "version": version("deciban"), "extensions": []})

    async def live(self, request: Request) -> Response:
        """Whether the server answers."""
        return json_response({"live": True})

    async def ready(self, request: Request) -> Response:
        """Whether the server can score."""
        return json_response({"live": True, "ready": True})

    async def model_ready(self, request: Request) -> Response:
        """Whether the model can score."""
        self._check(request)
        return json_response({"name": self.service.name, "ready": True})

    async def metadata(self, request: Request) -> Response:
        """The inputs and outputs of the model."""
        self._check(request)
        adapter = self.service.adapter
        return json_response(
            {
                "name": self.service.name,
                "versions": [VERSION],
                "platform": f"deciban_{adapter.kind}",
                "inputs": [tensor.to_json() for tensor in adapter.inputs],
                "outputs": [tensor.to_json() for tensor in adapter.outputs],
            }
        )

    async def infer(self, request: Request) -> Response:
        """Score columns that are sent as tensors."""
        self._check(request)
        if "inference-header-content-length" in request.headers:
            raise Problem(400, "tensors are JSON here, not binary: pass binary_data=False to Triton's client.")
        service = self.service
        body: Any = await read_json(request, service.limits)
        adapter = service.adapter
        columns = columns_of(body, adapter.inputs, service.limits.rows, service.limits.columns)
        wanted = wanted_outputs(body, adapter.outputs, adapter.default_outputs(columns))
        outputs = await service.run(lambda: adapter.infer(columns, wanted))
        service.metrics.add_rows("infer", len(next(iter(columns.values()))))
        answer = {"model_name": service.name, "model_version": VERSION}
        if body.get("id") is not None:
            answer["id"] = body["id"]
        return json_response({**answer, "outputs": outputs_of(outputs, adapter.outputs)})

    def _check(self, request: Request) -> None:
        name, version = request.path_params["name"], request.path_params.get("version", VERSION)
        if name != self.service.name:
            raise Problem(404, f"there is no model {name!r}.{did_you_mean(name, [self.service.name])}")
        if version != VERSION:
            raise Problem(404, f"model {name!r} has no version {version!r}: its version is {VERSION!r}.")


_KINDS: dict[str, tuple[type, ...]] = {
    "BOOL": (bool,),
    "BYTES": (str,),
    **dict.fromkeys(("INT8", "INT16", "INT32", "INT64", "UINT8", "UINT16", "UINT32", "UINT64"), (int,)),
    **dict.fromkeys(("FP16", "FP32", "FP64"), (float, int)),
}


def columns_of(body: Any, known: Sequence[Tensor], most_rows: int, most_columns: int) -> dict[str, list[object]]:
    """The columns of an inference request, by name."""
    inputs = _list_of(body, "inputs")
    if not inputs or len(inputs) > most_columns:
        raise InputError(f"the request has {len(inputs)} inputs; it takes from 1 to {most_columns:,}.")
    columns: dict[str, list[object]] = {}
    for tensor in inputs:
        name, shape, values = _read(tensor, most_rows)
        if len(shape) == 2 and shape[1] != 1:
            if len(inputs) > 1 or shape[1] != len(known):
                raise InputError(
                    f"input {name!r} has the shape {shape}. Send a tensor of shape [n] for each column, or one of "
                    f"shape [n, {len(known)}] for all columns."
                )
            # rows follow each other in the flat data, so that a column is every k-th value
            return {column.name: values[i :: len(known)] for i, column in enumerate(known)}
        _check_name(name, columns, known)
        columns[name] = values
    if len({len(values) for values in columns.values()}) > 1:
        raise InputError("the inputs have different numbers of rows.")
    return columns


def wanted_outputs(body: Mapping[str, object], known: Sequence[Tensor], default: Sequence[str]) -> list[str]:
    """The names of the outputs that a request asks for."""
    names = [tensor.name for tensor in known]
    if body.get("outputs") is None:
        return list(default)
    wanted = [_name_of(output, "an output") for output in _list_of(body, "outputs")]
    for name in wanted:
        if name not in names:
            raise InputError(f"there is no output {name!r}.{did_you_mean(name, names)}")
    return wanted


def outputs_of(values: Mapping[str, Sequence[object]], known: Sequence[Tensor]) -> list[JsonObject]:
    """Output tensors with their data."""
    by_name = {tensor.name: tensor for tensor in known}
    return [_output(by_name[name], data) for name, data in values.items()]


def _output(tensor: Tensor, data: Sequence[object]) -> JsonObject:
    fixed = prod(size for size in tensor.shape if size >= 0)  # −1 stands for the number of rows
    shape = [len(data) // fixed if size < 0 else size for size in tensor.shape]
    return {"name": tensor.name, "datatype": tensor.datatype, "shape": shape, "data": data}


def _read(tensor: Any, most_rows: int) -> tuple[str, list[int], list[object]]:
    """The name, the shape and the flat data of an input."""
    name = _name_of(tensor, "an input")
    shape, datatype, data = tensor.get("shape"), tensor.get("datatype"), tensor.get("data")
    if not isinstance(shape, list) or not 1 <= len(shape) <= 2 or not all(type(n) is int and n >= 0 for n in shape):
        raise InputError(f"input {name!r} has no shape such as [n], [n, 1] or [n, k].")
    if not isinstance(data, list):
        is_binary = isinstance(tensor.get("parameters"), dict) and "binary_data_size" in tensor["parameters"]
        hint = " Tensors are JSON here: pass binary_data=False to Triton's client." if is_binary else ""
        raise InputError(f"input {name!r} has no data, a list.{hint}")
    if shape[0] > most_rows:
        raise Problem(413, f"{shape[0]:,} rows are more than the limit of {most_rows:,}. Send them in parts.")
    flat = list(chain.from_iterable(data)) if data and all(isinstance(row, list) for row in data) else data
    if len(flat) != prod(shape):
        raise InputError(f"input {name!r} has {len(flat):,} values, and its shape {shape} has {prod(shape):,}.")
    if not flat:
        raise InputError(f"input {name!r} has no rows.")
    return name, shape, _checked(name, datatype, flat)


def _checked(name: str, datatype: object, flat: list[object]) -> list[object]:
    kinds = _KINDS.get(datatype) if isinstance(datatype, str) else None
    if kinds is None:
        raise InputError(f"input {name!r} has no datatype such as BYTES, BOOL, INT64 or FP64, but {datatype!r}.")
    # `type`, not `isinstance`: a bool is an int in Python, and no INT64
    wrong = next((value for value in flat if type(value) not in (*kinds, type(None))), None)
    if wrong is not None:
        raise InputError(f"input {name!r} is {datatype}, and its data have {str(wrong)[:60]!r}.")
    return flat


def _check_name(name: str, columns: Mapping[str, object], known: Sequence[Tensor]) -> None:
    names = [tensor.name for tensor in known]
    if name not in names:
        raise InputError(f"there is no input {name!r}.{did_you_mean(name, names)}")
    if name in columns:
        raise InputError(f"the input {name!r} is there twice.")


def _name_of(tensor: object, what: str) -> str:
    if isinstance(tensor, dict) and isinstance(tensor.get("name"), str):
        return str(tensor["name"])
    raise InputError(f"{what} is an object with a name, not {str(tensor)[:60]}.")


def _list_of(body: object, member: str) -> list[Any]:
    if isinstance(body, dict) and isinstance(body.get(member), list):
        return body[member]
    raise InputError(f'the body is an object with a list of {member}, such as {{"{member}": […]}}.')
