"""What a request may ask for: bytes, rows, columns, cells and seconds."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any

import orjson
from starlette.requests import ClientDisconnect, Request

from deciban.errors import ParameterError
from deciban.serve.problems import Problem

__all__ = ["NDJSON", "Limits", "is_stream", "media_type", "parse", "read_json", "read_lines", "too_large"]


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
