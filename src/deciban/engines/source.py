"""What all sources can do: give some of their rows, and count all of them.

What is counted of each batch of rows: a value that can be sent to another process.

A `SourceCounting` turns a batch into a tally. All tallies add up, so an engine only has to call it for every batch,
wherever the batch is, and to add what it returns, in the order of the rows.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, Protocol, Self, TypeVar

from deciban.read import read_table
from deciban.tallies import Tally, tally_table

__all__ = ["Additive", "OnBadRow", "Source", "SourceCounting", "TableCounting", "complete_sample", "tally_source"]


class Additive(Protocol):
    """A tally: it can be added to others of its kind."""

    def __add__(self, other: Self, /) -> Self: ...


TallyT = TypeVar("TallyT", bound=Additive)


class SourceCounting(ABC, Generic[TallyT]):
    """Counts batches of a source: a frozen dataclass of plain values, since Spark sends it to its executors."""

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...] | None:
        """The columns that are needed; None for all."""

    @property
    @abstractmethod
    def described(self) -> str:
        """What is counted: equal for two countings that give tallies that may be added, as a checkpoint asks."""

    @abstractmethod
    def __call__(self, batch: Any) -> TallyT:
        """The tally of an Arrow table."""

    @property
    def required(self) -> tuple[str, ...]:
        """The columns in which a row must have a value, so that a row without one is a bad row."""
        return ()

    def check(self, names: tuple[str, ...]) -> None:
        """Refuse a source that has not the columns that are needed."""

    def finish(self, total: TallyT) -> TallyT:
        """The sum of all batches; an error where only the whole shows that nothing can be learned."""
        return total

    def state(self, total: TallyT) -> Mapping[str, Any]:
        """The values of a tally, by name, for a checkpoint (`deciban.storage.codec` must be able to write them)."""
        return {"tally": total}

    def restored(self, state: Mapping[str, Any]) -> TallyT:
        """The tally of a checkpoint."""
        tally: TallyT = state["tally"]
        return tally


@dataclass(frozen=True)
class TableCounting(SourceCounting[Tally]):
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

    def count(self, counting: SourceCounting[T]) -> T:
        """The tally of all rows."""


def tally_source(source: Source, counting: SourceCounting[T]) -> T:
    """The tally of all rows of a source, checked."""
    counting.check(source.names)
    return counting.finish(source.count(counting))


def complete_sample(source: Source, rows: int, required: Sequence[str]) -> Any:
    """About so many rows that are spread over a source, without those that lack a value of a required column."""
    some = source.sample(rows)
    for name in required:
        if name in source.names and some[name].null_count:
            some = some.filter(some[name].is_valid())
    return some
