"""The rows of the two tables, of time and of memory, on the terminal and in Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table

from benchmarks.harness.memory import Peak
from benchmarks.harness.report import digits, markdown_table, yes_or_no

__all__ = ["MemoryRow", "TimeRow", "memory_table", "print_tables", "time_table"]

_TIME_HEAD = ("work", "scikit-learn ms", "deciban ms", "ratio", "at least", "holds?", "floor ms")
_MEMORY_HEAD = ("work", "input MB", "scikit-learn MB", "deciban MB", "of the input", "below", "holds?")


@dataclass(frozen=True)
class TimeRow:
    """One timed piece of work; `floor_ms` is None where the input is a single row."""

    name: str
    title: str
    peer_seconds: float
    our_seconds: float
    at_least: float
    floor_ms: float | None

    @property
    def ratio(self) -> float:
        """The peer's time over deciban's."""
        return self.peer_seconds / self.our_seconds

    def figures(self) -> tuple[str, ...]:
        """The row as text, without its title."""
        times = digits(1000 * self.peer_seconds), digits(1000 * self.our_seconds)
        floor = "—" if self.floor_ms is None else digits(self.floor_ms)
        holds = yes_or_no(self.ratio >= self.at_least)
        return *times, f"{digits(self.ratio)}×", f"{self.at_least:.2g}×", holds, floor


@dataclass(frozen=True)
class MemoryRow:
    """The peaks of one piece of work; `below` is the share of the input that is promised, if any."""

    name: str
    title: str
    peer: Peak
    ours: Peak
    below: float | None

    def figures(self) -> tuple[str, ...]:
        """The row as text, without its title."""
        peaks = _megabytes(self.peer), _megabytes(self.ours), f"{100 * self.ours.share:.1f} %"
        bound = ("—", "—") if self.below is None else (f"{100 * self.below:.0f} %", self._holds(self.below))
        return f"{self.ours.input / 1e6:.0f}", *peaks, *bound

    def _holds(self, below: float) -> str:
        """If only a lower bound of the peak is known, the row can fail but not pass."""
        is_below = self.ours.share < below
        return yes_or_no(is_below) if self.ours.is_exact or not is_below else "not known"


def print_tables(times: Sequence[TimeRow], peaks: Sequence[MemoryRow], console: Console) -> None:
    """Print both tables on the terminal, with short names."""
    tables: tuple[tuple[tuple[str, ...], Sequence[TimeRow | MemoryRow]], ...] = (
        (_TIME_HEAD, times),
        (_MEMORY_HEAD, peaks),
    )
    for head, rows in tables:
        table = Table(box=None)
        for column in head:
            is_name = column == "work"
            table.add_column(column, justify="left" if is_name else "right", no_wrap=is_name)
        for row in rows:
            table.add_row(row.name, *row.figures())
        console.print(table, "")


def time_table(rows: Sequence[TimeRow]) -> str:
    """The times in Markdown."""
    return markdown_table(_TIME_HEAD, rows)


def memory_table(rows: Sequence[MemoryRow]) -> str:
    """The peaks in Markdown."""
    return markdown_table(_MEMORY_HEAD, rows)


def _megabytes(peak: Peak) -> str:
    return f"{'' if peak.is_exact else '≥ '}{peak.above / 1e6:.1f}"
