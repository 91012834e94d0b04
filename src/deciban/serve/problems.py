"""Errors as JSON: by RFC 9457 in deciban's own routes, as ``{"error": message}`` in the Open Inference Protocol's."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

import orjson
from starlette.exceptions import HTTPException
from starlette.responses import Response

from deciban.errors import DecibanError

__all__ = ["Problem", "is_protocol", "problem_of", "response_of"]

_TITLES = {413: "Content Too Large", 422: "Unprocessable Content"}


class Problem(Exception):  # noqa: N818  the word of RFC 9457
    """A request that is not answered; `more` are further members of the JSON document."""

    def __init__(self, status: int, detail: str, headers: Mapping[str, str] | None = None, **more: Any) -> None:
        super().__init__(detail)
        self.status, self.detail, self.headers, self.more = status, detail, headers, more

    @property
    def document(self) -> dict[str, Any]:
        """The problem document of RFC 9457."""
        title = _TITLES.get(self.status) or HTTPStatus(self.status).phrase
        return {"type": "about:blank", "title": title, "status": self.status, "detail": self.detail, **self.more}


def problem_of(error: Exception) -> Problem:
    """The problem that an error is: deciban's own errors are about the input."""
    if isinstance(error, Problem):
        return error
    if isinstance(error, HTTPException):
        return Problem(error.status_code, str(error.detail), error.headers)
    if isinstance(error, DecibanError):
        return Problem(422, str(error))
    return Problem(500, "the service failed; its log has the reason.")


def is_protocol(path: str) -> bool:
    """Whether a route is one of the Open Inference Protocol."""
    return path == "/v2" or path.startswith("/v2/")


def response_of(error: Exception, path: str) -> Response:
    """The answer to a request that failed; the protocol has status 400 for input that cannot be used."""
    problem = problem_of(error)
    headers = None if problem.headers is None else dict(problem.headers)
    if is_protocol(path):
        status = 400 if problem.status == 422 else problem.status
        return Response(orjson.dumps({"error": problem.detail}), status, headers, "application/json")
    return Response(orjson.dumps(problem.document), problem.status, headers, "application/problem+json")
