"""Where the routes find the model of the moment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

__all__ = ["FixedModel", "Holder"]


class Holder(Protocol):
    """A model that may be replaced as a whole while the service runs; a route takes it once for each request."""

    @property
    def model(self) -> Any:
        """The model as it is now."""

    def metrics(self) -> Mapping[str, float]:
        """Numbers of the moment for ``/metrics``, by name without the prefix."""

    def status(self) -> Mapping[str, Any]:
        """What ``/model`` says of the journal."""

    def close(self) -> None:
        """Close what is open."""


class FixedModel:
    """A model that never changes."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def metrics(self) -> Mapping[str, float]:
        """There are none."""
        return {}

    def status(self) -> Mapping[str, Any]:
        """There is no journal."""
        return {}

    def close(self) -> None:
        """Nothing is open."""
