"""What the routes share: the current model with its adapter, limits, counters, and threads to score in.

Micro-batches: single rows that arrive while a scoring call runs are scored together by the next call.

A table of one row and a table of fifty take nearly the same time, because most of it goes into reading the table. So
under load a call for all waiting rows answers many requests at once. Nothing waits for a batch to fill: a row that
arrives while no call runs is scored immediately.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias, TypeVar

from anyio import CapacityLimiter
from anyio.to_thread import run_sync

from deciban.errors import DecibanError
from deciban.serve.adapters import Classifier, JsonObject, Net, adapter_of
from deciban.serve.holder import Holder
from deciban.serve.limits import Limits, Problem
from deciban.serve.metrics import Metrics

__all__ = ["Batcher", "Service", "predict_each"]


T = TypeVar("T")

_BATCH = 256


class Service:
    """A model behind its routes.

    Parameters
    ----------
    holder : has the model; what it returns may change from request to request
    name : the name of the model in the routes of the Open Inference Protocol
    limits : what a request may ask for
    metrics : what is counted
    """

    def __init__(self, holder: Holder, name: str, limits: Limits, metrics: Metrics) -> None:
        self.holder, self.name, self.limits, self.metrics = holder, name, limits, metrics
        self._adapter = adapter_of(holder.model)
        self._threads: CapacityLimiter | None = None
        self._batcher = Batcher(self.run, min(_BATCH, limits.rows), limits.waiting)

    @property
    def adapter(self) -> Classifier | Net:
        """The adapter of the model as it is now."""
        model = self.holder.model
        if model is not self._adapter.model:  # the model was replaced by one that has learned more
            self._adapter = adapter_of(model)
        return self._adapter

    @property
    def classifier(self) -> Classifier:
        """The adapter, for the routes that only classifiers have."""
        adapter = self.adapter
        if isinstance(adapter, Classifier):
            return adapter
        raise Problem(409, "the model has become a net.")

    @property
    def net(self) -> Net:
        """The adapter, for the routes that only nets have."""
        adapter = self.adapter
        if isinstance(adapter, Net):
            return adapter
        raise Problem(409, "the model has become a classifier.")

    async def predict_one(self, adapter: Classifier, row: object) -> JsonObject:
        """The prediction of one row: alone where that is fast, else with others that wait."""
        if adapter.is_fast_alone:
            return adapter.predict_one(row)
        return await self._batcher.predict(adapter, row)

    def check_rows(self, rows: Sequence[object]) -> None:
        """Refuse a batch without rows, or with more rows or values than the limits."""
        if not rows:
            raise Problem(422, "the list is empty: send at least one.")
        if len(rows) > self.limits.rows:
            many, most = f"{len(rows):,}", f"{self.limits.rows:,}"
            raise Problem(413, f"{many} rows are more than the limit of {most}. Send them in parts.")
        for row in rows:
            if isinstance(row, dict | list) and len(row) > self.limits.columns:
                raise Problem(413, f"a row has {len(row):,} values, more than the limit of {self.limits.columns:,}.")

    async def run(self, work: Callable[[], T]) -> T:
        """Call a function in a thread, so that other requests are answered meanwhile."""
        if self._threads is None:  # made at the first call: anyio needs the event loop, which now runs
            self._threads = CapacityLimiter(os.cpu_count() or 1)
        # at a timeout the request is answered at once, and the thread comes to its end by itself
        return await run_sync(work, abandon_on_cancel=True, limiter=self._threads)


Prediction: TypeAlias = JsonObject | Exception
Waiting: TypeAlias = tuple[Classifier, object, asyncio.Future[Prediction]]
Run: TypeAlias = Callable[[Callable[[], list[Prediction]]], Awaitable[list[Prediction]]]


class Batcher:
    """Gathers single rows.

    Parameters
    ----------
    run : runs a function in a thread
    most : rows of one call
    waiting : rows that may wait
    """

    def __init__(self, run: Run, most: int, waiting: int) -> None:
        self._run, self._most, self._limit = run, most, waiting
        self._waiting: list[Waiting] = []
        self._task: asyncio.Task[None] | None = None

    async def predict(self, adapter: Classifier, row: object) -> JsonObject:
        """The prediction of one row; the error of this row alone, where it has one."""
        if len(self._waiting) >= self._limit:
            raise Problem(503, f"{self._limit:,} rows are waiting. Try again later.", {"Retry-After": "1"})
        future: asyncio.Future[Prediction] = asyncio.get_running_loop().create_future()
        self._waiting.append((adapter, row, future))
        if self._task is None:
            self._task = asyncio.create_task(self._work())
        # An exception is a result, not the exception of the future: one that nobody awaits would be logged.
        prediction = await future
        if isinstance(prediction, Exception):
            raise prediction
        return prediction

    async def _work(self) -> None:
        try:
            while self._waiting:
                adapter = self._waiting[0][0]  # a model that was replaced meanwhile begins a batch of its own
                same = [entry for entry in self._waiting[: self._most] if entry[0] is adapter]
                del self._waiting[: len(same)]
                await self._score(adapter, same)
        finally:
            # also after an error: otherwise no later row would be scored
            self._task = None

    async def _score(self, adapter: Classifier, batch: Sequence[Waiting]) -> None:
        rows = [row for _, row, _ in batch]
        try:
            predictions = await self._run(lambda: predict_each(adapter, rows))
        except Exception as error:  # each of the requests has failed, and the next batch must not
            predictions = [error] * len(rows)
        for (_, _, future), prediction in zip(batch, predictions, strict=True):
            if not future.done():  # the client is gone, or its time is over
                future.set_result(prediction)


def predict_each(adapter: Classifier, rows: Sequence[object]) -> list[Prediction]:
    """The prediction of each row, or its error: a row that cannot be scored does not affect the others."""
    try:
        return list(adapter.predict(rows))
    except DecibanError as error:
        if len(rows) == 1:
            return [error]
    return [prediction for row in rows for prediction in predict_each(adapter, [row])]
