"""The figures as tables: on the terminal, and between two markers of docs/benchmarks.md, other sections left alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from rich.console import Console
from rich.table import Table

from benchmarks.floor import Bandwidth
from benchmarks.machine import describe_machine
from benchmarks.memory import Peak

__all__ = [
    "MemoryRow",
    "Row",
    "TimeRow",
    "digits",
    "markdown_table",
    "print_tables",
    "render_section",
    "write_section",
    "yes_or_no",
]

_TITLE = """# Benchmarks

Every figure is a ratio against a named peer, measured in the same run after both were found to give the same answers.
`make bench` measures again and rewrites this file; the figures are of the machine that each section names.
"""

_INTRO = """## Speed and memory against scikit-learn

Measured with `python -m benchmarks` on {machine}.{others}

Data are drawn with fixed seeds. Before timing, predictions are equal and fitted attributes agree to 1e-9 relative
(float32 input: to float32's last digit, against scikit-learn on the same numbers as float64). Times are medians of at
least 11 alternating runs after a warm-up; a ratio is scikit-learn's time over deciban's. "At least" is what the project
promises on two cores; for `import`, 0.83× is 20 % slower. One thing that scikit-learn does in fit is not in deciban's
time: `feature_log_prob_` is computed when it is first read.

The floor is the time in which this machine merely reads the input: its bytes over {best:.0f} GB/s, the best of several
rounds with {threads} threads (the median round: {median:.0f} GB/s).
"""

_MEMORY_INTRO = """Peak memory is the rise of the peak resident size over one call in a fresh process, above the input
and with the result: the fitted model, or the predicted labels. The promise, under 10 % of the input, is for dense
input.
"""

_BELOW = "Peaks marked ≥ are lower bounds: this system does not let a process reset its peak.\n"

_TIME_HEAD = ("work", "scikit-learn ms", "deciban ms", "ratio", "at least", "holds?", "floor ms")
_MEMORY_HEAD = ("work", "input MB", "scikit-learn MB", "deciban MB", "of the input", "below", "holds?")


class Row(Protocol):
    """A line of a table."""

    @property
    def title(self) -> str: ...
    def figures(self) -> tuple[str, ...]: ...


@dataclass(frozen=True)
class TimeRow:
    """One timed piece of work; `floor_ms` is None where there is no input to speak of."""

    name: str
    title: str
    peer_seconds: float
    our_seconds: float
    at_least: float
    floor_ms: float | None

    @property
    def ratio(self) -> float:
        return self.peer_seconds / self.our_seconds

    def figures(self) -> tuple[str, ...]:
        """The row as text, its name aside."""
        times = digits(1000 * self.peer_seconds), digits(1000 * self.our_seconds)
        floor = "—" if self.floor_ms is None else digits(self.floor_ms)
        holds = yes_or_no(self.ratio >= self.at_least)
        return *times, f"{digits(self.ratio)}×", f"{self.at_least:.2g}×", holds, floor


@dataclass(frozen=True)
class MemoryRow:
    """The peaks of one piece of work; `below` is the part of the input under which deciban must stay, if any."""

    name: str
    title: str
    peer: Peak
    ours: Peak
    below: float | None

    def figures(self) -> tuple[str, ...]:
        """The row as text, its name aside."""
        peaks = _megabytes(self.peer), _megabytes(self.ours), f"{100 * self.ours.part:.1f} %"
        promise = ("—", "—") if self.below is None else (f"{100 * self.below:.0f} %", self._holds(self.below))
        return f"{self.ours.input / 1e6:.0f}", *peaks, *promise

    def _holds(self, below: float) -> str:
        """A lower bound can break a promise, but not keep it."""
        is_below = self.ours.part < below
        return yes_or_no(is_below) if self.ours.is_exact or not is_below else "not known"


Rows = Sequence[TimeRow] | Sequence[MemoryRow]


def print_tables(times: Sequence[TimeRow], peaks: Sequence[MemoryRow], console: Console) -> None:
    """Show both tables on the terminal, by short names."""
    tables: tuple[tuple[tuple[str, ...], Rows], ...] = ((_TIME_HEAD, times), (_MEMORY_HEAD, peaks))
    for head, rows in tables:
        table = Table(box=None)
        for column in head:
            is_name = column == "work"
            table.add_column(column, justify="left" if is_name else "right", no_wrap=is_name)
        for row in rows:
            table.add_row(row.name, *row.figures())
        console.print(table, "")


def render_section(
    times: Sequence[TimeRow], peaks: Sequence[MemoryRow], bandwidth: Bandwidth, others: float | None
) -> str:
    """The section on speed and memory, in Markdown; `others` is the part of the machine that was not ours."""
    intro = _INTRO.format(
        machine=describe_machine(),
        others="" if others is None else f" Other processes took {100 * others:.0f} % of it meanwhile.",
        best=bandwidth.best / 1e9,
        median=bandwidth.median / 1e9,
        threads=bandwidth.threads,
    )
    is_exact = all(peak.is_exact for row in peaks for peak in (row.peer, row.ours))
    parts = [intro, markdown_table(_TIME_HEAD, times), _MEMORY_INTRO, markdown_table(_MEMORY_HEAD, peaks)]
    return "\n".join(parts if is_exact else [*parts, _BELOW])


def write_section(path: Path, name: str, text: str) -> None:
    """Put the text between the markers of a section; a file or a section that is not there yet is made.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "benchmarks.md"
    >>> write_section(path, "speed", "slow")
    >>> write_section(path, "speed", "fast")
    >>> path.read_text().splitlines()[-3:]
    ['<!-- begin: speed -->', 'fast', '<!-- end: speed -->']
    """
    begin, end = f"<!-- begin: {name} -->", f"<!-- end: {name} -->"
    old = path.read_text(encoding="utf-8") if path.exists() else _TITLE
    if begin not in old:
        old = f"{old.rstrip()}\n\n{begin}\n{end}\n"
    before, _, rest = old.partition(begin)
    _, found, after = rest.partition(end)
    if not found:
        raise ValueError(f"{path.name} has {begin!r} without {end!r} after it. Put the second marker back.")
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"{before}{begin}\n{text.strip()}\n{end}{after}", encoding="utf-8")


def markdown_table(head: Sequence[str], rows: Sequence[Row]) -> str:
    """A table by full titles; what does not hold stands out."""
    rule = ["---", *("---:" for _ in head[1:])]
    lines = [(row.title, *("**no**" if cell == "no" else cell for cell in row.figures())) for row in rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in (head, rule, *lines))


def digits(number: float) -> str:
    """Three digits or so, as many of them decimals as that leaves."""
    for decimals, from_here in ((0, 100), (1, 10), (2, 0.1)):
        if number >= from_here:
            return f"{number:,.{decimals}f}"
    return f"{number:.4f}"


def _megabytes(peak: Peak) -> str:
    return f"{'' if peak.is_exact else '≥ '}{peak.above / 1e6:.1f}"


def yes_or_no(holds: bool) -> str:
    """The cell that says whether a promise holds."""
    return "yes" if holds else "no"
