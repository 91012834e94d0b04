"""Streams of JSON Lines: rows in, predictions out, block by block, so that memory does not grow with the stream."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any

import orjson
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from deciban.serve.batching import predict_each
from deciban.serve.body import NDJSON, parse, read_lines
from deciban.serve.problems import Problem, problem_of
from deciban.serve.service import Service

__all__ = ["LineResponse", "predicted_lines"]


class LineResponse(Response):
    """A response that is sent while the request is still read; a client that does not read it is left.

    Starlette's StreamingResponse may read the request itself, to learn that the client is gone.
    """

    def __init__(self, blocks: AsyncIterator[bytes], seconds: float) -> None:
        self.blocks, self.seconds, self.background = blocks, seconds, None
        self.status_code, self.body = 200, b""
        self.raw_headers = [(b"content-type", NDJSON.encode())]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002
        """Send the blocks as they come."""
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        async for block in self.blocks:
            async with asyncio.timeout(self.seconds):
                await send({"type": "http.response.body", "body": block, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def predicted_lines(request: Request, service: Service) -> AsyncIterator[bytes]:
    """A prediction, or a problem document, for each line of the request that is not empty."""
    count, seconds = 0, service.limits.seconds
    try:
        async for lines in read_lines(request, service.limits):
            adapter, first = service.adapter, count
            async with asyncio.timeout(seconds):
                found = await service.run(lambda: _answers(adapter, lines, first))  # noqa: B023  it runs at once
            yield found
            count += len(lines)
            service.metrics.add_rows("predict", len(lines))
    except (Problem, TimeoutError) as error:  # the status has been sent already: the last line says what happened
        problem = error if isinstance(error, Problem) else Problem(503, f"nothing happened for {seconds:g} seconds.")
        yield orjson.dumps({**problem.document, "line": count + 1}) + b"\n"


def _answers(adapter: Any, lines: Sequence[bytes], first: int) -> bytes:
    """The predictions of some lines, and problem documents for those that cannot be scored; `first` were before."""
    found: list[Any] = [_parsed(adapter, line) for line in lines]
    good = [i for i, row in enumerate(found) if not isinstance(row, Problem)]
    for i, result in zip(good, predict_each(adapter, [found[i] for i in good]) if good else (), strict=True):
        found[i] = problem_of(result) if isinstance(result, Exception) else result
    return b"".join(
        orjson.dumps({**result.document, "line": first + i + 1} if isinstance(result, Problem) else result) + b"\n"
        for i, result in enumerate(found)
    )


def _parsed(adapter: Any, line: bytes) -> Any:
    try:
        rows, is_one = adapter.rows_of(parse(line))
        return rows[0] if is_one else Problem(422, "a line has one row, not a list.")
    except Exception as error:
        return problem_of(error)
