"""What a request may ask for: bytes, rows, columns, cells and seconds; how its body is read, and how it is refused.

Errors are JSON: by RFC 9457 in deciban's own routes, as ``{"error": message}`` in the Open Inference Protocol's.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, fields
from functools import lru_cache
from http import HTTPStatus

import orjson
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from deciban.errors import DecibanError, ParameterError

__all__ = [
    "NDJSON",
    "Limits",
    "Problem",
    "is_protocol",
    "is_stream",
    "media_type",
    "parse",
    "problem_of",
    "read_json",
    "read_lines",
    "response_of",
    "too_large",
]


@dataclass(frozen=True)
class Limits:
    """The limits of a request; what exceeds them is refused before any work is done.

    Parameters
    ----------
    body : int
        The most bytes of a body, and of one line of a stream.
    rows : int
        The most rows of a batch; a stream may have any number.
    columns : int
        The most values of a row, or inputs of an inference request.
    cells : int
        The most numbers in the answer to a query of a net.
    seconds : float
        How long a request may take, a stream for each block of rows.
    waiting : int
        The most single rows that may wait to be scored.

    See Also
    --------
    deciban.serve.app.make_app : Takes it.

    Examples
    --------
    >>> from deciban.serve.limits import Limits
    >>> Limits(rows=100).rows
    100
    """

    body: int = 8 << 20
    rows: int = 10_000
    columns: int = 10_000
    cells: int = 100_000
    seconds: float = 30.0
    waiting: int = 10_000

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not value > 0:
                raise ParameterError(f"the limit {field.name!r} is above 0, not {value!r}.")


NDJSON = "application/x-ndjson"


def too_large(limit: int) -> Problem:
    """The refusal of a body above the limit."""
    return Problem(413, f"the body is larger than {limit:,} bytes. Send fewer rows, or stream them as {NDJSON}.")


@lru_cache(maxsize=256)
def media_type(header: bytes) -> str:
    """The type in a Content-Type header, without its parameters.

    >>> media_type(b"Application/JSON; charset=utf-8")
    'application/json'
    """
    return header.partition(b";")[0].strip().lower().decode("latin-1")


def is_stream(request: Request) -> bool:
    """Whether the body is JSON Lines."""
    return any(name == b"content-type" and media_type(value) == NDJSON for name, value in request.scope["headers"])


async def read_json(request: Request, limits: Limits) -> object:
    """The body of a request as Python's values."""
    parts, size = [], 0
    while True:
        part, is_last = await _piece(request)
        size += len(part)
        if size > limits.body:
            raise too_large(limits.body)
        parts.append(part)
        if is_last:
            # most bodies are one piece, which need not be copied
            return parse(parts[0] if len(parts) == 1 else b"".join(parts))


def parse(text: bytes) -> object:
    """One JSON value."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        what = "the body is empty: send JSON" if not text.strip() else f"this is not JSON: {error}"
        raise Problem(400, f"{what}.") from None


async def read_lines(request: Request, limits: Limits) -> AsyncIterator[list[bytes]]:
    """The lines of a body that are not empty, some at a time; at most one line is kept from piece to piece."""
    rest, is_last = b"", False
    while not is_last:
        async with asyncio.timeout(limits.seconds):
            piece, is_last = await _piece(request)
        *lines, rest = (rest + piece).split(b"\n")
        if is_last:
            # the last line may have no line end
            lines.append(rest)
        # a line without an end would otherwise fill the memory
        if len(rest) > limits.body or any(len(line) > limits.body for line in lines):
            raise too_large(limits.body)
        kept = [line for line in lines if line.strip()]
        if kept:
            yield kept


async def _piece(request: Request) -> tuple[bytes, bool]:
    """A part of the body, and whether it is the last."""
    message = await request.receive()
    if message["type"] == "http.disconnect":
        raise ClientDisconnect
    return message.get("body", b""), not message.get("more_body", False)


# RFC 9110 renamed these; before Python 3.13, `HTTPStatus` has the old names
_TITLES = {413: "Content Too Large", 422: "Unprocessable Content"}


class Problem(Exception):  # noqa: N818  the word of RFC 9457
    """A request that is not answered; `more` are further members of the JSON document."""

    def __init__(self, status: int, detail: str, headers: Mapping[str, str] | None = None, **more: object) -> None:
        super().__init__(detail)
        self.status, self.detail, self.headers, self.more = status, detail, headers, more

    @property
    def document(self) -> dict[str, object]:
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
