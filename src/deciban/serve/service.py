"""What the routes share: the model of the moment with its adapter, limits, counters, and threads to score in."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from anyio import CapacityLimiter
from anyio.to_thread import run_sync

from deciban.serve.adapters.choose import adapter_of
from deciban.serve.batching import Batcher
from deciban.serve.holder import Holder
from deciban.serve.limits import Limits
from deciban.serve.metrics import Metrics
from deciban.serve.problems import Problem

__all__ = ["Service"]

T = TypeVar("T")

_BATCH = 256


class Service:
    """A model behind its routes.

    Parameters
    ----------
    holder : has the model; what it returns may change from request to request
    name : the name of the model in the routes of the Open Inference Protocol
    limits : what a request may ask for
    """

    def __init__(self, holder: Holder, name: str, limits: Limits) -> None:
        self.holder, self.name, self.limits = holder, name, limits
        self.metrics = Metrics(())
        self._adapter = adapter_of(holder.model)
        self._threads: CapacityLimiter | None = None
        self._batcher = Batcher(self.run, min(_BATCH, limits.rows), limits.waiting)

    @property
    def adapter(self) -> Any:
        """The adapter of the model as it is now."""
        model = self.holder.model
        if model is not self._adapter.model:
            self._adapter = adapter_of(model)
        return self._adapter

    async def predict_one(self, adapter: Any, row: Any) -> dict[str, Any]:
        """The prediction of one row: alone where that is fast, else with others that wait."""
        if adapter.is_fast_alone:
            return adapter.predict_one(row)
        return await self._batcher.predict(adapter, row)

    def check_rows(self, rows: Sequence[Any]) -> None:
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
        if self._threads is None:
            self._threads = CapacityLimiter(os.cpu_count() or 1)
        return await run_sync(work, abandon_on_cancel=True, limiter=self._threads)
