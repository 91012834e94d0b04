"""The outermost layer of the application: who may call what, for how long, and what is counted.

The routes for predictions are called from here directly. FastAPI documents them and would find them as well, but its
search for the route and its dependencies take longer than the prediction of a row.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from functools import lru_cache
from time import perf_counter

from fastapi import FastAPI
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from deciban.errors import DecibanError
from deciban.serve.body import NDJSON, media_type, too_large
from deciban.serve.metrics import CHANGED, OTHER
from deciban.serve.problems import Problem, response_of
from deciban.serve.service import Service
from deciban.serve.tokens import Tokens, is_loopback

__all__ = ["OPEN", "Shell"]

Endpoint = Callable[[Request], Awaitable[Response]]

OPEN = frozenset({"/healthz", "/readyz", "/v2/health/live", "/v2/health/ready"})
"""The routes that need no token: probes have none."""

LEARNING = frozenset({"/learn", "/forget"})
"""The routes that change the model."""

_STREAMS = frozenset({"/predict", *LEARNING})
_EXPECTED = (Problem, DecibanError, TimeoutError)

_log = logging.getLogger("deciban.serve")


class Shell:
    """An ASGI application around another.

    Parameters
    ----------
    api : answers what is not in `direct`
    service : the limits and the counters
    tokens : who may call; without any, everyone on this machine
    direct : endpoints by path, which take POST
    """

    def __init__(self, api: FastAPI, service: Service, tokens: Tokens, direct: Mapping[str, Endpoint]) -> None:
        self.api, self.service, self._tokens, self._direct = api, service, tokens, dict(direct)
        self._seconds, self._body = service.limits.seconds, service.limits.body

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self.api(scope, receive, send)
            return
        start, status = perf_counter(), 0

        async def counted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        path = scope["path"]
        try:
            await self._within_limits(scope, receive, counted)
        except ClientDisconnect:
            pass
        except Exception as error:
            if not isinstance(error, _EXPECTED):
                _log.exception("%s %s failed", scope["method"], path)
            if not status:
                await response_of(self._problem(error), path)(scope, receive, counted)
        finally:
            self._count(scope, status, perf_counter() - start)

    def _count(self, scope: Scope, status: int, seconds: float) -> None:
        path, metrics = scope["path"], self.service.metrics
        metrics.observe(path if path in self._direct else getattr(scope.get("route"), "path", OTHER), status, seconds)
        if CHANGED in scope:
            metrics.add_rows(*scope[CHANGED])

    async def _within_limits(self, scope: Scope, receive: Receive, send: Send) -> None:
        path, headers = scope["path"], dict(scope["headers"])
        is_lines = path in _STREAMS and media_type(headers.get(b"content-type", b"")) == NDJSON
        self._admit(path, headers, is_lines)
        if is_lines:  # a stream has a limit for each block
            await self._answer(scope, receive, send)
            return
        async with asyncio.timeout(self._seconds):
            await self._answer(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        endpoint = self._direct.get(scope["path"])
        if endpoint is None or scope["method"] != "POST":
            await self.api(scope, receive, send)
            return
        response = await endpoint(Request(scope, receive))
        await response(scope, receive, send)

    def _admit(self, path: str, headers: Mapping[bytes, bytes], is_lines: bool) -> None:
        """Refuse a request without the token that it needs, or with a body above the limit."""
        if self._tokens:
            if path not in OPEN:
                self._check_token(path, headers.get(b"authorization"))
        elif not _is_local(headers.get(b"host", b"localhost")):
            # A page in a browser can reach this machine under a name of its own (DNS rebinding).
            raise Problem(403, "this service has no tokens, so it answers to localhost only, not to another host name.")
        if headers.get(b"content-encoding", b"identity") != b"identity":
            raise Problem(415, "send the body as it is, without Content-Encoding.")
        if is_lines:
            return
        if path in LEARNING and media_type(headers.get(b"content-type", b"")) != "application/json":
            # A page in a browser can send other types to any address without asking.
            raise Problem(415, f"send the rows as application/json or {NDJSON}, and say so in Content-Type.")
        length = headers.get(b"content-length", b"0")
        if length.isdigit() and int(length) > self._body:
            raise too_large(self._body)

    def _check_token(self, path: str, authorization: bytes | None) -> None:
        role = self._tokens.role_of(authorization)
        if role is None:
            raise Problem(401, "a token is needed: Authorization: Bearer TOKEN.", {"WWW-Authenticate": "Bearer"})
        if path in LEARNING and role != "learn":
            raise Problem(403, f"{path} needs a token with the role learn; this one has the role read.")

    def _problem(self, error: Exception) -> Exception:
        if isinstance(error, TimeoutError):
            return Problem(503, f"the request took more than {self._seconds:g} seconds.", {"Retry-After": "1"})
        return error


@lru_cache(maxsize=256)
def _is_local(host: bytes) -> bool:
    """Whether a Host header names this machine; it may have a port."""
    name = host.decode("latin-1")
    return is_loopback(name[1:].partition("]")[0] if name.startswith("[") else name.partition(":")[0])
