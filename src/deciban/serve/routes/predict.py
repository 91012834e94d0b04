"""``POST /predict`` and ``POST /explain``: a row or a document, a list of them, or a stream of lines."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from deciban.serve.body import is_stream, read_json
from deciban.serve.routes.answers import json_response
from deciban.serve.routes.lines import LineResponse, predicted_lines
from deciban.serve.service import Service

__all__ = ["PredictRoutes"]


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
