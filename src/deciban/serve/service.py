"""What the routes share: the model of the moment with its adapter, the limits, and threads to score in."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, TypeVar

from anyio import CapacityLimiter
from anyio.to_thread import run_sync

from deciban.serve.adapters.base import Adapter
from deciban.serve.adapters.choose import adapter_of
from deciban.serve.holder import Holder
from deciban.serve.limits import Limits

__all__ = ["Service"]

T = TypeVar("T")


class Service:
    """A model behind its routes.

    Parameters
    ----------
    holder : has the model; what it returns may change from request to request
    name : the name of the model in the routes of the Open Inference Protocol
    limits : what a request may ask for
    """

    def __init__(self, holder: Holder, name: str = "model", limits: Limits | None = None) -> None:
        self.holder, self.name = holder, name
        self.limits = limits or Limits()
        self._adapter = adapter_of(holder.model)
        self._threads: CapacityLimiter | None = None

    @property
    def adapter(self) -> Adapter:
        """The adapter of the model as it is now."""
        model = self.holder.model
        if model is not self._adapter.model:
            self._adapter = adapter_of(model)
        return self._adapter

    async def run(self, work: Callable[[], T]) -> T:
        """Call a function in a thread, so that other requests are answered meanwhile."""
        if self._threads is None:
            self._threads = CapacityLimiter(os.cpu_count() or 1)
        return await run_sync(work, abandon_on_cancel=True, limiter=self._threads)
