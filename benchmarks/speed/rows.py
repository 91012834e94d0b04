"""The rows of the two tables, of time and of memory, on the terminal and in Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table

from benchmarks.harness.memory import Peak
from benchmarks.harness.report import digits, markdown_table, yes_or_no

__all__ = ["BASELINE", "MemoryRow", "TimeRow", "memory_table", "print_tables", "time_table"]

BASELINE = "baseline"

_MEMORY_HEAD = ("work", "input MB", "scikit-learn MB", "deciban MB", "of the input", "below", "holds?")


@dataclass(frozen=True)
class TimeRow:
    """One timed piece of work, with each instruction set; `floor_ms` is None where the input is a single row."""

    name: str
    title: str
    peer_seconds: float
    our_seconds: Mapping[str, float]
    at_least: float
    floor_ms: float | None

    def ratio(self, instruction_set: str) -> float:
        """The peer's time over deciban's."""
        return self.peer_seconds / self.our_seconds[instruction_set]

    def figures(self) -> tuple[str, ...]:
        """The row as text, without its title. What is promised holds if it does so with AVX2 and with AVX-512."""
        times = [figure for name, taken in self.our_seconds.items() for figure in self._figures(name, taken)]
        floor = "—" if self.floor_ms is None else digits(self.floor_ms)
        held = (name for name in self.our_seconds if name != BASELINE)
        holds = yes_or_no(all(self.ratio(name) >= self.at_least for name in held))
        return digits(1000 * self.peer_seconds), *times, f"{self.at_least:.2g}×", holds, floor

    def _figures(self, name: str, taken: float) -> tuple[str, str]:
        return digits(1000 * taken), f"{digits(self.ratio(name))}×"


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
        (_time_head(times), times),
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
    return markdown_table(_time_head(rows), rows)


def memory_table(rows: Sequence[MemoryRow]) -> str:
    """The peaks in Markdown."""
    return markdown_table(_MEMORY_HEAD, rows)


def _time_head(rows: Sequence[TimeRow]) -> tuple[str, ...]:
    sets = rows[0].our_seconds if rows else ()
    ours = [title for name in sets for title in (f"deciban ms, {name}", f"ratio, {name}")]
    return "work", "scikit-learn ms", *ours, "at least", "holds?", "floor ms"


def _megabytes(peak: Peak) -> str:
    return f"{'' if peak.is_exact else '≥ '}{peak.above / 1e6:.1f}"
