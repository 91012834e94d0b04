"""``POST /predict`` and ``POST /explain``: a row or a document, a list of them, or a stream of lines."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from importlib.metadata import version
from typing import Any

import orjson
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.types import Receive, Scope, Send

from deciban.serve.limits import NDJSON, is_stream, parse, read_json, read_lines
from deciban.serve.metrics import CONTENT_TYPE
from deciban.serve.openapi import page_of
from deciban.serve.problems import Problem, problem_of
from deciban.serve.service import Service, predict_each

__all__ = ["InformationRoutes", "PredictRoutes", "QueryRoutes", "json_response"]


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
        adapter = service.adapter
        rows, is_one = adapter.rows_of(body)
        service.check_rows(rows)
        if is_one:
            found = await service.predict_one(adapter, rows[0])
        else:
            found = await service.run(lambda: adapter.predict(rows))
        service.metrics.add_rows("predict", len(rows))
        return json_response(found)

    async def explain(self, request: Request) -> Response:
        """Explain the prediction of a row, or of each row of a list, in decibans."""
        service = self.service
        against = request.query_params.get("against")
        body = await read_json(request, service.limits)
        adapter = service.adapter
        rows, is_one = adapter.rows_of(body)
        service.check_rows(rows)
        found = await service.run(lambda: [adapter.explain(row, against) for row in rows])
        service.metrics.add_rows("explain", len(rows))
        return json_response(found[0] if is_one else found)


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
        adapter, most = service.adapter, service.limits.cells // max(1, len(queries))
        found = await service.run(lambda: [adapter.query(query, most) for query in queries])
        service.metrics.add_rows("query", len(queries))
        return json_response(found if isinstance(body, list) else found[0])


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
            adapter, first = service.adapter, count
            async with asyncio.timeout(seconds):
                found = await service.run(lambda: _answers(adapter, lines, first))  # noqa: B023  it runs at once
            yield found
            count += len(lines)
            service.metrics.add_rows("predict", len(lines))
    except (Problem, TimeoutError) as error:  # the status has been sent already: the last line says what happened
        problem = error if isinstance(error, Problem) else Problem(503, f"nothing happened for {seconds:g} seconds.")
        yield orjson.dumps({**problem.document, "line": count + 1}) + b"\n"


def _answers(adapter: Any, lines: Sequence[bytes], first: int) -> bytes:
    """The predictions of some lines, and problem documents for those that cannot be scored; `first` were before."""
    found: list[Any] = [_parsed(adapter, line) for line in lines]
    good = [i for i, row in enumerate(found) if not isinstance(row, Problem)]
    for i, result in zip(good, predict_each(adapter, [found[i] for i in good]) if good else (), strict=True):
        found[i] = problem_of(result) if isinstance(result, Exception) else result
    return b"".join(
        orjson.dumps({**result.document, "line": first + i + 1} if isinstance(result, Problem) else result) + b"\n"
        for i, result in enumerate(found)
    )


def _parsed(adapter: Any, line: bytes) -> Any:
    try:
        rows, is_one = adapter.rows_of(parse(line))
        return rows[0] if is_one else Problem(422, "a line has one row, not a list.")
    except Exception as error:
        return problem_of(error)


_HEADERS = {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'"}


class InformationRoutes:
    """The endpoints that describe; `openapi` returns the description of all routes."""

    def __init__(self, service: Service, openapi: Callable[[], dict[str, Any]]) -> None:
        self.service, self._openapi = service, openapi

    async def model(self, request: Request) -> Response:
        """What is in the model: its columns with their distributions, its classes, and how many rows it learned."""
        service = self.service
        found = await service.run(service.adapter.describe)
        journal = service.holder.status()
        learning = {"journal": journal} if journal else {}
        return json_response({"name": service.name, "deciban": version("deciban"), **found, **learning})

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


def json_response(value: Any) -> Response:
    """A value as JSON."""
    return _JsonResponse(orjson.dumps(value))
