"""Counters of the service for Prometheus: requests, their latencies, and rows.

prometheus_client counts and writes the text. Several workers count in files of one folder, which it maps into memory:
each writes to its own files only, and any of them answers with the sums over all. What a worker has counted stays in
the sums after its end.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

__all__ = ["CONTENT_TYPE", "OTHER", "SHARED_FOLDER", "Metrics"]


CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

OTHER = "other"
"""The route of requests that fit none, and the status of those that have none of the usual ones."""

SHARED_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
"""The environment variable with the folder of several workers; prometheus_client reads it when it is imported."""

_STATUSES = frozenset({200, 400, 401, 403, 404, 405, 409, 413, 415, 422, 500, 503})
_BOUNDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
_VERBS = ("predict", "explain", "query", "infer", "learn", "forget")


class Metrics:
    """Requests by route and status, their latencies by route, and rows by verb."""

    def __init__(self) -> None:
        # Its own registry: the global one refuses a second application in the same process.
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "deciban_requests", "Requests, by route and status.", ["route", "status"], registry=self._registry
        )
        self._seconds = Histogram(
            "deciban_request_seconds",
            "Seconds from the first byte of a request to the last.",
            ["route"],
            registry=self._registry,
            buckets=_BOUNDS,
        )
        self._rows = Counter(
            "deciban_rows",
            "Rows, documents and queries that were answered, by verb.",
            ["verb"],
            registry=self._registry,
        )
        for verb in _VERBS:  # a rate needs a series that begins at 0
            self._rows.labels(verb)

    def observe(self, route: str, status: int, seconds: float) -> None:
        """Count a request."""
        self._requests.labels(route, status if status in _STATUSES else OTHER).inc()
        self._seconds.labels(route).observe(seconds)

    def add_rows(self, verb: str, count: int) -> None:
        """Count rows that were answered."""
        self._rows.labels(verb).inc(count)

    def render(self, gauges: Mapping[str, float] | None = None) -> str:
        """All counters, and the current gauges by their names."""
        counted: Collector = self._registry
        if SHARED_FOLDER in os.environ:  # all files are read: no worker knows what the others have counted
            # None: a registry would take the collector up and count it again
            counted = MultiProcessCollector(None)  # type: ignore[no-untyped-call]
        return generate_latest(_Families(counted, gauges or {})).decode()


class _Families(Collector):
    """The families of a collector without the times at which their series began, and gauges."""

    def __init__(self, counted: Collector, gauges: Mapping[str, float]) -> None:
        self._counted, self._gauges = counted, gauges

    def collect(self) -> Iterator[Metric]:
        for family in self._counted.collect():
            family.samples = [sample for sample in family.samples if not sample.name.endswith("_created")]
            yield family
        for name, value in self._gauges.items():
            yield GaugeMetricFamily(f"deciban_{name}", f"{name.replace('_', ' ').capitalize()}.", value)
