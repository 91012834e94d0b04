"""The service as an ASGI application."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

from fastapi import APIRouter, FastAPI
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from deciban.errors import DecibanError
from deciban.serve.adapters.base import Classifier
from deciban.serve.adapters.nets import Net
from deciban.serve.holder import Holder
from deciban.serve.limits import Limits
from deciban.serve.metrics import Metrics
from deciban.serve.openapi import (
    Operation,
    explain_operation,
    infer_operation,
    predict_operation,
    query_operation,
)
from deciban.serve.problems import Problem, response_of
from deciban.serve.routes.information import InformationRoutes
from deciban.serve.routes.predict import PredictRoutes
from deciban.serve.routes.protocol import VERSION, ProtocolRoutes
from deciban.serve.routes.query import QueryRoutes
from deciban.serve.service import Service
from deciban.serve.shell import Shell
from deciban.serve.tokens import Tokens
from deciban.suggest import closest

__all__ = ["make_app"]

_DIRECT = ("/predict", "/explain", "/query")
_ABOUT = "Predictions, explanations and queries of one model. Errors are problem documents of RFC 9457."


def make_app(
    holder: Holder,
    *,
    name: str = "model",
    limits: Limits | None = None,
    tokens: Tokens | None = None,
    routers: Sequence[APIRouter] = (),
    counters: Path | None = None,
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
    counters : path, optional
        A folder in which several workers count; None for a single one.

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
        holder.close()

    app = FastAPI(
        title="deciban",
        version=version("deciban"),
        description=_ABOUT,
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    service = Service(holder, name, limits or Limits())
    operations = list(_operations(service, app))
    for operation in operations:
        operation.add_to(app)
    for router in routers:
        app.include_router(router)
    for kind in (Problem, DecibanError, HTTPException, Exception):
        app.add_exception_handler(kind, _answer)
    paths = [*(made.path for made in operations), *(path for router in routers for path in _paths(router))]
    service.metrics = Metrics(paths, counters)
    direct = {made.path: made.endpoint for made in operations if made.path in _DIRECT}
    return Shell(app, service, tokens or Tokens([]), direct)


def _operations(service: Service, app: FastAPI) -> Iterator[Operation]:
    """All routes of a model but those for learning."""
    adapter, most = service.adapter, service.limits.rows
    if isinstance(adapter, Classifier):
        classifier = PredictRoutes(service)
        yield predict_operation(adapter, classifier.predict, most)
        yield explain_operation(adapter, classifier.explain, most)
    if isinstance(adapter, Net):
        yield query_operation(adapter, QueryRoutes(service).query, most)
    about = InformationRoutes(service, app.openapi)
    yield Operation("/model", about.model, answer={"type": "object"})
    yield Operation("/healthz", about.health, answer={"type": "object"}, is_open=True)
    yield Operation("/readyz", about.ready, answer={"type": "object"}, is_open=True)
    yield Operation("/metrics", about.metrics, answer={"type": "string"}, media="text/plain")
    yield Operation("/docs", about.docs, answer={"type": "string"}, media="text/html")
    yield from _protocol(service)


def _protocol(service: Service) -> Iterator[Operation]:
    """The routes of the Open Inference Protocol."""
    protocol, answer = ProtocolRoutes(service), {"type": "object"}
    yield Operation("/v2", protocol.server, answer=answer)
    yield Operation("/v2/health/live", protocol.live, answer=answer, is_open=True)
    yield Operation("/v2/health/ready", protocol.ready, answer=answer, is_open=True)
    name, version_ = _path_parameter("name", service.name), _path_parameter("version", VERSION)
    for path, parameters in (("/v2/models/{name}", [name]), ("/v2/models/{name}/versions/{version}", [name, version_])):
        yield Operation(path, protocol.metadata, answer=answer, parameters=parameters)
        yield Operation(f"{path}/ready", protocol.model_ready, answer=answer, parameters=parameters)
        yield infer_operation(service.adapter, protocol.infer, f"{path}/infer", parameters)


def _path_parameter(name: str, value: str) -> dict[str, Any]:
    return {"name": name, "in": "path", "required": True, "schema": {"type": "string", "enum": [value]}}


def _paths(router: APIRouter) -> list[str]:
    return [route.path for route in router.routes if isinstance(route, Route)]


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
