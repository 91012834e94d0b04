"""What all sources can do: give some of their rows, and count all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Protocol, TypeVar

from deciban.engines.counting import Additive, Counting

__all__ = ["OnBadRow", "Source", "complete_sample"]

OnBadRow = Literal["error", "skip"]
"""What is done with rows that cannot be read."""

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


def complete_sample(source: Source, rows: int, required: Sequence[str]) -> Any:
    """About so many rows that are spread over a source, without those that lack a value of a required column."""
    some = source.sample(rows)
    for name in required:
        if name in source.names and some[name].null_count:
            some = some.filter(some[name].is_valid())
    return some
