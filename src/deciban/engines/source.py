"""What all sources can do: give some of their rows, and count all of them."""

from __future__ import annotations

from typing import Any, Protocol, TypeVar

from deciban.engines.counting import Additive, Counting

__all__ = ["Source"]

T = TypeVar("T", bound=Additive)


class Source(Protocol):
    """A table that is not in memory."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""

    def sample(self, rows: int) -> Any:
        """About so many rows, spread over the whole source, as an Arrow table; all rows where there are fewer."""

    def count(self, counting: Counting[T]) -> T:
        """The tally of all rows."""
