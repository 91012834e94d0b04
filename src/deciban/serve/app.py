"""The service as an ASGI application.

The outermost layer of the application: who may call what, for how long, and what is counted.

The routes for predictions are called from here directly. FastAPI documents them and would find them as well, but its
search for the route and its dependencies take longer than the prediction of a row.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import lru_cache
from importlib.metadata import version
from time import perf_counter

from fastapi import APIRouter, FastAPI
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from deciban.choices import closest
from deciban.errors import DecibanError
from deciban.serve import openapi
from deciban.serve.adapters import Classifier, Net
from deciban.serve.holder import Holder
from deciban.serve.limits import NDJSON, Limits, Problem, media_type, response_of, too_large
from deciban.serve.metrics import OTHER, Metrics
from deciban.serve.routes import VERSION, InformationRoutes, PredictRoutes, ProtocolRoutes, QueryRoutes
from deciban.serve.service import Service
from deciban.serve.tokens import Tokens, is_loopback

__all__ = ["Shell", "make_app"]


_DIRECT = ("/predict", "/explain", "/query")
_ABOUT = "Predictions, explanations and queries of one model. Errors are problem documents of RFC 9457."


def make_app(
    holder: Holder,
    *,
    name: str = "model",
    limits: Limits | None = None,
    tokens: Tokens | None = None,
    routers: Sequence[APIRouter] = (),
) -> Shell:
    """The application that serves a model, for any ASGI server or test client.

    Parameters
    ----------
    holder : FixedModel or LiveModel
        Has the model: a ``FixedModel``, or a ``LiveModel``, which learns.
    name : str
        The name of the model in the routes of the Open Inference Protocol.
    limits : Limits, optional
        What a request may ask for.
    tokens : Tokens, optional
        Who may call; without any, only requests to localhost are answered.
    routers : sequence of APIRouter, optional
        Further routes, such as those for learning.

    Returns
    -------
    Shell
        An ASGI application.

    See Also
    --------
    deciban.serve.server.serve : Serve a model file until a signal ends the process.

    Examples
    --------
    >>> import asyncio
    >>> import httpx
    >>> import deciban as db
    >>> from deciban.serve.app import make_app
    >>> from deciban.serve.holder import FixedModel
    >>> app = make_app(
    ...     FixedModel(db.GaussianNB().fit([[1.0], [2.0], [8.0]], ["low", "low", "high"]))
    ... )
    >>> async def ask():
    ...     async with httpx.AsyncClient(
    ...         base_url="http://localhost", transport=httpx.ASGITransport(app)
    ...     ) as client:
    ...         return (await client.post("/predict", json=[1.5])).json()
    >>> asyncio.run(ask())["label"]
    'low'
    """

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        yield
        # this folds the journal of a model that learns into its file
        holder.close()

    app = FastAPI(
        title="deciban",
        version=version("deciban"),
        description=_ABOUT,
        # the pages of FastAPI load scripts from another host; `/docs` is a page without any
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    service = Service(holder, name, limits or Limits(), Metrics())
    app.state.metrics = service.metrics  # for the routes of `routers`, which are made without the service
    operations = list(_operations(service, app))
    for operation in operations:
        operation.add_to(app)
    for router in routers:
        app.include_router(router)
    for kind in (Problem, DecibanError, HTTPException, Exception):
        app.add_exception_handler(kind, _answer)
    direct = {made.path: made.endpoint for made in operations if made.path in _DIRECT}
    return Shell(app, service, tokens or Tokens([]), direct)


def _operations(service: Service, app: FastAPI) -> Iterator[openapi.Operation]:
    """All routes of a model but those for learning."""
    adapter, most = service.adapter, service.limits.rows
    if isinstance(adapter, Classifier):
        classifier = PredictRoutes(service)
        yield openapi.predict_operation(adapter, classifier.predict, most)
        yield openapi.explain_operation(adapter, classifier.explain, most)
    if isinstance(adapter, Net):
        yield openapi.query_operation(adapter, QueryRoutes(service).query, most)
    about = InformationRoutes(service, app.openapi)
    yield openapi.Operation("/model", about.model, answer={"type": "object"})
    yield openapi.Operation("/healthz", about.health, answer={"type": "object"}, is_open=True)
    yield openapi.Operation("/readyz", about.ready, answer={"type": "object"}, is_open=True)
    yield openapi.Operation("/metrics", about.metrics, answer={"type": "string"}, media="text/plain")
    yield openapi.Operation("/docs", about.docs, answer={"type": "string"}, media="text/html")
    yield from _protocol(service)


def _protocol(service: Service) -> Iterator[openapi.Operation]:
    """The routes of the Open Inference Protocol."""
    protocol, answer = ProtocolRoutes(service), {"type": "object"}
    yield openapi.Operation("/v2", protocol.server, answer=answer)
    yield openapi.Operation("/v2/health/live", protocol.live, answer=answer, is_open=True)
    yield openapi.Operation("/v2/health/ready", protocol.ready, answer=answer, is_open=True)
    name, version_ = _path_parameter("name", service.name), _path_parameter("version", VERSION)
    for path, parameters in (("/v2/models/{name}", [name]), ("/v2/models/{name}/versions/{version}", [name, version_])):
        yield openapi.Operation(path, protocol.metadata, answer=answer, parameters=parameters)
        yield openapi.Operation(f"{path}/ready", protocol.model_ready, answer=answer, parameters=parameters)
        yield openapi.infer_operation(service.adapter, protocol.infer, f"{path}/infer", parameters)


def _path_parameter(name: str, value: str) -> openapi.Schema:
    return {"name": name, "in": "path", "required": True, "schema": {"type": "string", "enum": [value]}}


async def _answer(request: Request, error: Exception) -> Response:
    path = request.scope["path"]
    if isinstance(error, HTTPException) and error.status_code == 404:
        return response_of(
            Problem(404, f"there is no route {path}.{closest(path, request.app.openapi()['paths'])}"), path
        )
    if isinstance(error, HTTPException) and error.status_code == 405:
        allowed = (error.headers or {}).get("Allow", "another method")
        return response_of(Problem(405, f"{path} takes {allowed}, not {request.method}.", error.headers), path)
    return response_of(error, path)


OPEN = frozenset({"/healthz", "/readyz", "/v2/health/live", "/v2/health/ready"})
"""The routes that need no token: probes have none."""

LEARNING = frozenset({"/learn", "/forget"})
"""The routes that change the model."""

_STREAMS = frozenset({"/predict", *LEARNING})
_EXPECTED = (Problem, DecibanError, TimeoutError)

_log = logging.getLogger("deciban.serve")


class Shell:
    """An ASGI application around another.

    Parameters
    ----------
    api : answers what is not in `direct`
    service : the limits and the counters
    tokens : who may call; without any, everyone on this machine
    direct : endpoints by path, which take POST
    """

    def __init__(self, api: FastAPI, service: Service, tokens: Tokens, direct: Mapping[str, openapi.Endpoint]) -> None:
        self.api, self.service, self._tokens, self._direct = api, service, tokens, dict(direct)
        self._seconds, self._body = service.limits.seconds, service.limits.body

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        # the start and the end of the application; there are no web sockets
        if scope["type"] != "http":
            await self.api(scope, receive, send)
            return
        start, status = perf_counter(), 0

        async def counted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        path = scope["path"]
        try:
            await self._within_limits(scope, receive, counted)
        except ClientDisconnect:
            pass  # nobody is left to answer
        except Exception as error:
            if not isinstance(error, _EXPECTED):
                _log.exception("%s %s failed", scope["method"], path)
            if not status:  # after the first byte, the status can no longer change
                await response_of(self._problem(error), path)(scope, receive, counted)
        finally:
            # The template of a route, never the path itself: each new label is a series that is kept for good.
            route = path if path in self._direct else getattr(scope.get("route"), "path", OTHER)
            self.service.metrics.observe(route, status, perf_counter() - start)

    async def _within_limits(self, scope: Scope, receive: Receive, send: Send) -> None:
        path, headers = scope["path"], dict(scope["headers"])
        is_lines = path in _STREAMS and media_type(headers.get(b"content-type", b"")) == NDJSON
        self._admit(path, headers, is_lines)
        if is_lines:  # a stream has a limit for each block
            await self._answer(scope, receive, send)
            return
        # the limit is about the whole request: reading it, scoring, and sending the answer
        async with asyncio.timeout(self._seconds):
            await self._answer(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        endpoint = self._direct.get(scope["path"])
        if endpoint is None or scope["method"] != "POST":  # FastAPI answers other methods with status 405
            await self.api(scope, receive, send)
            return
        response = await endpoint(Request(scope, receive))
        await response(scope, receive, send)

    def _admit(self, path: str, headers: Mapping[bytes, bytes], is_lines: bool) -> None:
        """Refuse a request without the token that it needs, or with a body above the limit."""
        if self._tokens:
            if path not in OPEN:
                self._check_token(path, headers.get(b"authorization"))
        elif not _is_local(headers.get(b"host", b"localhost")):
            # A page in a browser can reach this machine under a name of its own (DNS rebinding).
            raise Problem(403, "this service has no tokens, so it answers to localhost only, not to another host name.")
        if headers.get(b"content-encoding", b"identity") != b"identity":  # the limit is about bytes as they are sent
            raise Problem(415, "send the body as it is, without Content-Encoding.")
        if is_lines:  # read_lines has its own limits
            return
        if path in LEARNING and media_type(headers.get(b"content-type", b"")) != "application/json":
            # A page in a browser can send other types to any address without asking.
            raise Problem(415, f"send the rows as application/json or {NDJSON}, and say so in Content-Type.")
        length = headers.get(b"content-length", b"0")
        if length.isdigit() and int(length) > self._body:
            raise too_large(self._body)

    def _check_token(self, path: str, authorization: bytes | None) -> None:
        role = self._tokens.role_of(authorization)
        if role is None:
            raise Problem(401, "a token is needed: Authorization: Bearer TOKEN.", {"WWW-Authenticate": "Bearer"})
        if path in LEARNING and role != "learn":
            raise Problem(403, f"{path} needs a token with the role learn; this one has the role read.")

    def _problem(self, error: Exception) -> Exception:
        if isinstance(error, TimeoutError):
            return Problem(503, f"the request took more than {self._seconds:g} seconds.", {"Retry-After": "1"})
        return error


@lru_cache(maxsize=256)  # clients choose the header, so what is kept of them is bounded
def _is_local(host: bytes) -> bool:
    """Whether a Host header names this machine; it may have a port."""
    name = host.decode("latin-1")
    return is_loopback(name[1:].partition("]")[0] if name.startswith("[") else name.partition(":")[0])
