"""Bodies of requests: JSON as a whole, or JSON Lines piece by piece; both within limits."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import orjson
from starlette.requests import ClientDisconnect, Request

from deciban.serve.limits import Limits
from deciban.serve.problems import Problem

__all__ = ["is_stream", "parse", "read_json", "read_lines", "too_large"]

NDJSON = "application/x-ndjson"


def too_large(limit: int) -> Problem:
    """The refusal of a body above the limit."""
    return Problem(413, f"the body is larger than {limit:,} bytes. Send fewer rows, or stream them as {NDJSON}.")


async def read_json(request: Request, limits: Limits) -> Any:
    """The body of a request as Python's values."""
    receive, parts, size = request.receive, [], 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        part = message.get("body", b"")
        size += len(part)
        if size > limits.body:
            raise too_large(limits.body)
        parts.append(part)
        if not message.get("more_body", False):
            return parse(parts[0] if len(parts) == 1 else b"".join(parts))


def parse(text: bytes) -> Any:
    """One JSON value."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        what = "the body is empty: send JSON" if not text.strip() else f"this is not JSON: {error}"
        raise Problem(400, f"{what}.") from None


def is_stream(request: Request) -> bool:
    """Whether the body is JSON Lines."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower() == NDJSON


async def read_lines(request: Request, limits: Limits) -> AsyncIterator[list[bytes]]:
    """The lines of a body that are not empty, some at a time; at most one line is kept from piece to piece."""
    rest = b""
    async for piece in request.stream():
        *lines, rest = (rest + piece).split(b"\n") if rest else piece.split(b"\n")
        if len(rest) > limits.body or any(len(line) > limits.body for line in lines):
            raise too_large(limits.body)
        kept = [line for line in lines if line.strip()]
        if kept:
            yield kept
    if rest.strip():
        yield [rest]
