"""Counters of the service in the text format of Prometheus.

All numbers lie in one row (`deciban.serve.metrics`). Every worker has a row of its own, and what is shown are the sums:
any of the workers answers for all of them.

Numbers that several worker processes count: each has a file of its own in one folder, mapped into memory.

A worker writes to its own file only, so there is nothing to lock. A sum reads all files. The file of a worker that has
ended stays, and what it has counted stays in the sums.
"""

from __future__ import annotations

import mmap
import os
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Mapping, MutableSequence, Sequence
from pathlib import Path

__all__ = ["CHANGED", "CONTENT_TYPE", "OTHER", "Counters", "Metrics"]


CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

OTHER = "other"
"""The route of requests that fit none."""

CHANGED = "deciban.changed"
"""The key in the scope of a request under which a route that changes the model leaves the verb and the rows."""

_STATUSES = (200, 400, 401, 403, 404, 405, 409, 413, 415, 422, 500, 503)
_BOUNDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
_VERBS = ("predict", "explain", "query", "infer", "learn", "forget")


class Metrics:
    """Requests by route and status, their latencies by route, and rows by verb.

    Parameters
    ----------
    routes : the paths of all routes
    folder : a folder that all workers share; None where there is one process only
    """

    def __init__(self, routes: Sequence[str], folder: Path | None = None) -> None:
        self._routes = {route: index for index, route in enumerate((*routes, OTHER))}
        self._statuses = {status: index for index, status in enumerate((*_STATUSES, OTHER))}
        self._verbs = {verb: index for index, verb in enumerate(_VERBS)}
        self._size = len(self._statuses) + len(_BOUNDS) + 2  # of a route: requests by status, buckets, seconds
        self._counters = Counters(self._size * len(self._routes) + len(_VERBS), folder)

    def observe(self, route: str, status: int, seconds: float) -> None:
        """Count a request."""
        own = self._counters.own
        first = self._size * self._routes.get(route, len(self._routes) - 1)
        own[first + self._statuses.get(status, len(_STATUSES))] += 1.0
        first += len(self._statuses)
        own[first + bisect_left(_BOUNDS, seconds)] += 1.0
        own[first + len(_BOUNDS) + 1] += seconds

    def add_rows(self, verb: str, count: int) -> None:
        """Count rows that were answered."""
        self._counters.own[self._size * len(self._routes) + self._verbs[verb]] += count

    def render(self, gauges: Mapping[str, float] | None = None) -> str:
        """All counters, and the current gauges by their names."""
        return "\n".join([*self._lines(self._counters.sums()), *_gauges(gauges or {}), ""])

    def _lines(self, sums: Sequence[float]) -> Iterator[str]:
        yield from _head("deciban_requests_total", "counter", "Requests, by route and status.")
        for route, index in self._routes.items():
            for status, at in self._statuses.items():
                count = sums[self._size * index + at]
                if count:
                    yield f'deciban_requests_total{{route="{route}",status="{status}"}} {count:.0f}'
        yield from _head(
            "deciban_request_seconds", "histogram", "Seconds from the first byte of a request to the last."
        )
        for route, index in self._routes.items():
            first = self._size * index + len(self._statuses)
            yield from _histogram(route, sums[first : first + len(_BOUNDS) + 2])
        yield from _head("deciban_rows_total", "counter", "Rows, documents and queries that were answered, by verb.")
        for verb, index in self._verbs.items():
            yield f'deciban_rows_total{{verb="{verb}"}} {sums[self._size * len(self._routes) + index]:.0f}'


def _histogram(route: str, held: Sequence[float]) -> Iterator[str]:
    total = 0.0
    if not any(held[:-1]):
        return
    for bound, count in zip((*_BOUNDS, "+Inf"), held[:-1], strict=True):
        total += count
        yield f'deciban_request_seconds_bucket{{route="{route}",le="{bound}"}} {total:.0f}'
    yield f'deciban_request_seconds_sum{{route="{route}"}} {held[-1]!r}'
    yield f'deciban_request_seconds_count{{route="{route}"}} {total:.0f}'


def _gauges(gauges: Mapping[str, float]) -> Iterator[str]:
    for name, value in gauges.items():
        yield from _head(f"deciban_{name}", "gauge", f"{name.replace('_', ' ').capitalize()}.")
        yield f"deciban_{name} {float(value)!r}"


def _head(name: str, kind: str, text: str) -> tuple[str, str]:
    return f"# HELP {name} {text}", f"# TYPE {name} {kind}"


_ITEM = 8
_SUFFIX = ".counters"


class Counters:
    """A row of floats that this process adds to, and the sums over all processes.

    Parameters
    ----------
    width : how many numbers
    folder : the folder that all workers share; None where there is one process only
    """

    def __init__(self, width: int, folder: Path | None = None) -> None:
        self._folder, self._width = folder, width
        self.own: MutableSequence[float] | memoryview[float] = [0.0] * width
        if folder is not None:
            with (folder / f"{os.getpid()}{_SUFFIX}").open("w+b") as file:
                os.ftruncate(file.fileno(), width * _ITEM)
                self.own = memoryview(mmap.mmap(file.fileno(), width * _ITEM)).cast("d")

    def sums(self) -> list[float]:
        """The sums over all processes."""
        if self._folder is None:
            return list(self.own)
        held = [array("d", path.read_bytes()) for path in self._folder.glob(f"*{_SUFFIX}")]
        return [sum(numbers) for numbers in zip(*(row for row in held if len(row) == self._width), strict=True)]
