"""Rows of results: a ratio against a peer, or a figure with a bound; and all that a section found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from rich.console import Console

from benchmarks.harness.report import Row, digits, markdown_table, yes_or_no
from benchmarks.harness.timing import OURS, PEER, Clock, alternate

__all__ = ["Findings", "Limit", "Rate", "Ratio", "race", "show"]

_RATIO_HEAD = ("work", "peer", "peer ms", "deciban ms", "ratio", "at least", "holds?")
_LIMIT_HEAD = ("work", "deciban", "bound", "holds?")


class Ratio(NamedTuple):
    """A piece of work that a peer does too."""

    title: str
    peer: str
    peer_seconds: float
    our_seconds: float
    at_least: float

    def figures(self) -> tuple[str, ...]:
        """The row as text, without its title."""
        ratio = self.peer_seconds / self.our_seconds
        times = digits(1000 * self.peer_seconds), digits(1000 * self.our_seconds)
        return self.peer, *times, f"{digits(ratio)}×", f"{self.at_least:g}×", yes_or_no(ratio >= self.at_least)


class Limit(NamedTuple):
    """A figure that must stay below a bound; if only a lower bound of it is known, it can fail but not pass."""

    title: str
    found: float
    at_most: float
    unit: str
    is_exact: bool = True

    def figures(self) -> tuple[str, ...]:
        """The row as text, without its title."""
        holds = self.found <= self.at_most
        verdict = yes_or_no(holds) if self.is_exact or not holds else "not known"
        found = f"{'' if self.is_exact else '≥ '}{self.found:.4g} {self.unit}"
        return found, f"at most {self.at_most:g} {self.unit}", verdict


class Rate(NamedTuple):
    """A figure that must not fall below a bound."""

    title: str
    found: float
    at_least: float
    unit: str

    def figures(self) -> tuple[str, ...]:
        """The row as text, without its title."""
        bound = f"at least {self.at_least:g} {self.unit}"
        return f"{self.found:.4g} {self.unit}", bound, yes_or_no(self.found >= self.at_least)


@dataclass
class Findings:
    """The rows of a section, and notes about what was not measured and why."""

    ratios: list[Ratio] = field(default_factory=list)
    limits: list[Limit | Rate] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def collect(self, rows: Iterable[Ratio | Limit | Rate | str], console: Console) -> None:
        """Add rows and notes, each printed as soon as it is measured."""
        for row in rows:
            if isinstance(row, str):
                self.notes.append(row)
                console.print(row)
                continue
            show(row, console)
            self.ratios.append(row) if isinstance(row, Ratio) else self.limits.append(row)

    def render(self, intro: str, between: str = "") -> str:
        """The section: introduction, ratios, a text about the bounds, bounds, notes."""
        return "\n".join([intro, *self._tables(between), *(f"{note}\n" for note in self.notes)])

    def _tables(self, between: str) -> Iterator[str]:
        if self.ratios:
            yield markdown_table(_RATIO_HEAD, self.ratios)
        if self.limits:
            yield from (
                (between, markdown_table(_LIMIT_HEAD, self.limits))
                if between
                else (markdown_table(_LIMIT_HEAD, self.limits),)
            )


def show(row: Row, console: Console) -> None:
    """Print a row as soon as it is measured."""
    console.print(f"[bold]{row.title}[/]: {', '.join(row.figures())}")


def race(title: str, peer: str, theirs: Clock, ours: Clock, at_least: float, rounds: int | None = None) -> Ratio:
    """Alternate two clocks, `rounds` times if that is given."""
    seconds = alternate({PEER: theirs, OURS: ours}, rounds)
    return Ratio(title, peer, seconds[PEER], seconds[OURS], at_least)
