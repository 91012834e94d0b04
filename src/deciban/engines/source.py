"""What all sources can do: give some of their rows, and count all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, TypeVar

from deciban.engines.counting import Additive, Counting

__all__ = ["Source", "complete_sample"]

T = TypeVar("T", bound=Additive)


class Source(Protocol):
    """A table that is not in memory."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""

    def sample(self, rows: int, columns: Sequence[str] | None = None) -> Any:
        """About so many rows, spread over the whole source, as an Arrow table; all rows where there are fewer."""

    def count(self, counting: Counting[T]) -> T:
        """The tally of all rows."""


def complete_sample(source: Source, rows: int, required: Sequence[str]) -> Any:
    """About so many rows that are spread over a source, those without a value in a required column left out."""
    some = source.sample(rows, required)
    for name in required:
        some = some.filter(some[name].is_valid())
    return some
