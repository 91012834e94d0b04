"""The service as an ASGI application."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from importlib.metadata import version

from fastapi import APIRouter, FastAPI
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from deciban.errors import DecibanError
from deciban.serve.holder import Holder
from deciban.serve.limits import Limits
from deciban.serve.problems import Problem, response_of
from deciban.serve.routes.predict import predict_routes
from deciban.serve.service import Service

__all__ = ["make_app"]


def make_app(
    holder: Holder, *, name: str = "model", limits: Limits | None = None, routers: Sequence[APIRouter] = ()
) -> FastAPI:
    """The application that serves a model.

    Parameters
    ----------
    holder : has the model, as `FixedModel` or a model that learns
    name : the name of the model in the routes of the Open Inference Protocol
    limits : what a request may ask for
    routers : further routes, such as those for learning
    """
    service = Service(holder, name, limits)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        yield
        holder.close()

    app = FastAPI(title="deciban", version=version("deciban"), docs_url=None, redoc_url=None, lifespan=lifespan)
    for kind in (Problem, DecibanError, HTTPException):
        app.add_exception_handler(kind, _answer)
    for router in (predict_routes(service), *routers):
        app.include_router(router)
    return app


async def _answer(request: Request, error: Exception) -> Response:
    return response_of(error, request.url.path)
