"""``POST /query``: a query of a Bayes net, or a list of them."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from deciban.serve.body import read_json
from deciban.serve.routes.answers import json_response
from deciban.serve.service import Service

__all__ = ["QueryRoutes"]


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
