"""Where the routes find the model of the moment."""

from __future__ import annotations

from typing import Any, Protocol

__all__ = ["FixedModel", "Holder"]


class Holder(Protocol):
    """A model that may be replaced as a whole while the service runs; a reader takes it once for each request."""

    @property
    def model(self) -> Any:
        """The model as it is now."""

    def close(self) -> None:
        """Close what is open."""


class FixedModel:
    """A model that never changes."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def close(self) -> None:
        """Nothing is open."""
