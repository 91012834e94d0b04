"""The routes of the Open Inference Protocol, version 2, which clients of KServe and Triton call."""

from __future__ import annotations

from importlib.metadata import version as version_of
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from deciban.serve.body import read_json
from deciban.serve.problems import Problem
from deciban.serve.routes.answers import json_response
from deciban.serve.routes.tensors import columns_of, outputs_of, wanted_outputs
from deciban.serve.service import Service
from deciban.suggest import did_you_mean

__all__ = ["VERSION", "ProtocolRoutes"]

VERSION = "1"
"""The only version of the model."""


class ProtocolRoutes:
    """The endpoints under ``/v2``."""

    def __init__(self, service: Service) -> None:
        self.service = service

    async def server(self, request: Request) -> Response:  # noqa: ARG002
        """Name and version of the server."""
        return json_response({"name": "deciban", "version": version_of("deciban"), "extensions": []})

    async def live(self, request: Request) -> Response:  # noqa: ARG002
        """Whether the server answers."""
        return json_response({"live": True})

    async def ready(self, request: Request) -> Response:  # noqa: ARG002
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
        body = await read_json(request, service.limits)
        adapter = service.adapter
        columns = columns_of(body, adapter.inputs, service.limits.rows, service.limits.columns)
        wanted = wanted_outputs(body, adapter.outputs, adapter.default_outputs(columns))
        found = await service.run(lambda: adapter.infer(columns, wanted))
        service.metrics.add_rows("infer", len(next(iter(columns.values()))))
        answer: dict[str, Any] = {"model_name": service.name, "model_version": VERSION}
        if body.get("id") is not None:
            answer["id"] = body["id"]
        return json_response({**answer, "outputs": outputs_of(found, adapter.outputs)})

    def _check(self, request: Request) -> None:
        name, version = request.path_params["name"], request.path_params.get("version", VERSION)
        if name != self.service.name:
            raise Problem(404, f"there is no model {name!r}.{did_you_mean(name, [self.service.name])}")
        if version != VERSION:
            raise Problem(404, f"model {name!r} has no version {version!r}: its version is {VERSION!r}.")
