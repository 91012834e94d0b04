"""Bodies of requests: JSON as a whole, or JSON Lines piece by piece; both within limits."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from functools import lru_cache
from typing import Any

import orjson
from starlette.requests import ClientDisconnect, Request

from deciban.serve.limits import Limits
from deciban.serve.problems import Problem

__all__ = ["NDJSON", "is_stream", "media_type", "parse", "read_json", "read_lines", "too_large"]

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


async def read_json(request: Request, limits: Limits) -> Any:
    """The body of a request as Python's values."""
    parts, size = [], 0
    while True:
        part, is_last = await _piece(request)
        size += len(part)
        if size > limits.body:
            raise too_large(limits.body)
        parts.append(part)
        if is_last:
            return parse(parts[0] if len(parts) == 1 else b"".join(parts))


def parse(text: bytes) -> Any:
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
            lines.append(rest)
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
