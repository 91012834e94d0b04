"""What all sources can do: give some of their rows, and count all of them.

What is counted of each batch of rows: a value that can be sent to another process.

A `Counting` turns a batch into a tally. All tallies add up, so an engine only has to call it for every batch, wherever
the batch is, and to add what it returns, in the order of the rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, Self, TypeVar

from deciban.read import read_table
from deciban.tallies import Tally, tally_table

__all__ = ["Additive", "Counting", "OnBadRow", "Source", "TableCounting", "complete_sample", "required_columns"]


class Additive(Protocol):
    """A tally: it can be added to others of its kind."""

    def __add__(self, other: Self, /) -> Self: ...


TallyT = TypeVar("TallyT", bound=Additive)


class Counting(Protocol[TallyT]):
    """Counts batches; it can be pickled."""

    @property
    def columns(self) -> tuple[str, ...] | None:
        """The columns that are needed; None for all."""

    @property
    def described(self) -> str:
        """What is counted: equal for two countings that give tallies that may be added."""

    def __call__(self, batch: Any) -> TallyT:
        """The tally of an Arrow table."""

    def state(self, total: TallyT) -> Mapping[str, Any]:
        """The values of a tally, by name, for a checkpoint (`deciban.storage.codec` must be able to write them)."""

    def restored(self, state: Mapping[str, Any]) -> TallyT:
        """The tally of a checkpoint."""


def required_columns(counting: Counting[Any]) -> tuple[str, ...]:
    """The columns in which a row must have a value, so that a row without one is a bad row: its `required`, if any."""
    required: tuple[str, ...] = getattr(counting, "required", ())
    return required


@dataclass(frozen=True)
class TableCounting:
    """Counts the columns of a table by their types; `sample_weight` may be the name of a column."""

    target: str
    sample_weight: Any = None
    columns: tuple[str, ...] | None = None

    @property
    def required(self) -> tuple[str, ...]:
        return (self.target, self.sample_weight) if isinstance(self.sample_weight, str) else (self.target,)

    @property
    def described(self) -> str:
        return f"tally of the classes of {self.target!r}, weighted by {self.sample_weight!r}"

    def __call__(self, batch: Any) -> Tally:
        table, labels = read_table(batch).without(self.target)
        weight = self.sample_weight
        if isinstance(weight, str):
            table, column = table.without(weight)
            weight = column.numbers
        return tally_table(table, labels, weight)

    def state(self, total: Tally) -> Mapping[str, Any]:
        return {"tally": total}

    def restored(self, state: Mapping[str, Any]) -> Tally:
        tally: Tally = state["tally"]
        return tally


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
