"""What the service says of itself: ``/model``, ``/healthz``, ``/readyz``, ``/metrics`` and ``/docs``."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import version
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from deciban.serve.metrics import CONTENT_TYPE
from deciban.serve.page import page_of
from deciban.serve.routes.answers import json_response
from deciban.serve.service import Service

__all__ = ["InformationRoutes"]

_HEADERS = {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'"}


class InformationRoutes:
    """The endpoints that describe; `openapi` returns the description of all routes."""

    def __init__(self, service: Service, openapi: Callable[[], dict[str, Any]]) -> None:
        self.service, self._openapi = service, openapi

    async def model(self, request: Request) -> Response:  # noqa: ARG002
        """What is in the model: its columns with their distributions, its classes, and how many rows it learned."""
        service = self.service
        found = await service.run(service.adapter.describe)
        journal = service.holder.status()
        learning = {"journal": journal} if journal else {}
        return json_response({"name": service.name, "deciban": version("deciban"), **found, **learning})

    async def health(self, request: Request) -> Response:  # noqa: ARG002
        """Whether the service answers."""
        return json_response({"status": "ok"})

    async def ready(self, request: Request) -> Response:  # noqa: ARG002
        """Whether the model is loaded."""
        return json_response({"status": "ready", "model": self.service.name})

    async def metrics(self, request: Request) -> Response:  # noqa: ARG002
        """Counters in the text format of Prometheus."""
        text = self.service.metrics.render(self.service.holder.metrics())
        return Response(text, media_type=CONTENT_TYPE)

    async def docs(self, request: Request) -> Response:  # noqa: ARG002
        """The description of all routes as a page."""
        return HTMLResponse(page_of(self._openapi()), headers=_HEADERS)
