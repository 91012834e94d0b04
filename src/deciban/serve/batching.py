"""Micro-batches: single rows that arrive while a scoring call runs are scored together by the next call.

A table of one row and a table of fifty take nearly the same time, because most of it goes into reading the table. So
under load a call for all waiting rows answers many requests at once. Nothing waits for a batch to fill: a row that
arrives while no call runs is scored immediately.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from deciban.errors import DecibanError
from deciban.serve.problems import Problem

__all__ = ["Batcher", "predict_each"]

Run = Callable[[Callable[[], Any]], Awaitable[Any]]


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
        self._waiting: list[tuple[Any, Any, asyncio.Future[Any]]] = []
        self._task: asyncio.Task[None] | None = None

    async def predict(self, adapter: Any, row: Any) -> Any:
        """The prediction of one row; the error of this row alone, where it has one."""
        if len(self._waiting) >= self._limit:
            raise Problem(503, f"{self._limit:,} rows are waiting. Try again later.", {"Retry-After": "1"})
        future = asyncio.get_running_loop().create_future()
        self._waiting.append((adapter, row, future))
        if self._task is None:
            self._task = asyncio.create_task(self._work())
        found = await future
        if isinstance(found, Exception):
            raise found
        return found

    async def _work(self) -> None:
        try:
            while self._waiting:
                adapter = self._waiting[0][0]  # a model that was replaced meanwhile begins a batch of its own
                same = [entry for entry in self._waiting[: self._most] if entry[0] is adapter]
                del self._waiting[: len(same)]
                await self._score(adapter, same)
        finally:
            self._task = None

    async def _score(self, adapter: Any, batch: Sequence[tuple[Any, Any, asyncio.Future[Any]]]) -> None:
        rows = [row for _, row, _ in batch]
        try:
            found = await self._run(lambda: predict_each(adapter, rows))
        except Exception as error:  # each of the requests has failed, and the next batch must not
            found = [error] * len(rows)
        for (_, _, future), result in zip(batch, found, strict=True):
            if not future.done():
                future.set_result(result)


def predict_each(adapter: Any, rows: Sequence[Any]) -> list[Any]:
    """The prediction of each row, or its error: a row that cannot be scored does not affect the others."""
    try:
        return list(adapter.predict(rows))
    except DecibanError as error:
        if len(rows) == 1:
            return [error]
    return [found for row in rows for found in predict_each(adapter, [row])]
