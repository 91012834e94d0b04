"""``POST /predict`` and ``POST /explain``."""

from __future__ import annotations

from typing import Any

import orjson
from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from deciban.serve.body import read_json
from deciban.serve.problems import Problem
from deciban.serve.service import Service

__all__ = ["predict_routes"]


def predict_routes(service: Service) -> APIRouter:
    """The routes of a classifier."""
    router = APIRouter()

    @router.post("/predict")
    async def predict(request: Request) -> Response:
        """Predict the class of a row, or of each row of a list."""
        body = await read_json(request, service.limits)
        adapter: Any = service.adapter
        rows, is_one = adapter.rows_of(body)
        if len(rows) > service.limits.rows:
            raise Problem(413, f"{len(rows):,} rows are more than {service.limits.rows:,}.")
        if is_one:
            return _json(adapter.predict_one(rows[0]))
        return _json(await service.run(lambda: adapter.predict(rows)))

    return router


def _json(value: Any) -> Response:
    return Response(orjson.dumps(value), media_type="application/json")
