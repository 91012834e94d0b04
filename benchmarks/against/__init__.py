"""deciban against another build of itself: ``python -m benchmarks --against OTHER/bin/python --only speed text``.

Both builds run the same benchmark files, each in a process of its own, and alternate run by run; peers are not run. A
ratio is the time of this build over the time of the other. A row counts as slower when both the medians and the minima
differ by more than 5 %, and again so in a second measurement with fresh processes: other processes on the machine, and
where memory happens to lie, can cause as much once.
"""

from __future__ import annotations

import json
import math
import statistics
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple, Self

from rich.console import Console

from benchmarks.against.tasks import TASKS
from benchmarks.harness.paths import ROOT
from benchmarks.harness.report import digits

__all__ = ["Comparison", "compare_builds"]

_SLOWER = 1.05
_LEAST_ROUNDS, _MOST_ROUNDS, _ENOUGH_SECONDS = 7, 41, 3.0
_RUN_SECONDS = 0.01  # shorter tasks are called several times in a run


class Comparison(NamedTuple):
    """The seconds of all runs of one row, in this build and in the other."""

    section: str
    name: str
    ours: list[float]
    other: list[float]

    @property
    def ratio(self) -> float:
        """The median of this build over that of the other."""
        return statistics.median(self.ours) / statistics.median(self.other)

    @property
    def least_ratio(self) -> float:
        """The same with the fastest runs, which other processes disturb least."""
        return min(self.ours) / min(self.other)

    @property
    def is_slower(self) -> bool:
        """Whether this build is slower by medians and by minima."""
        return min(self.ratio, self.least_ratio) > _SLOWER

    def __str__(self) -> str:
        times = (digits(1000 * statistics.median(side)) for side in (self.other, self.ours))
        figures = (*times, f"{self.ratio:.3f}", f"{self.least_ratio:.3f}", "slower" if self.is_slower else "")
        return f"{self.section + ' ' + self.name:58}" + "".join(f"{figure:>10}" for figure in figures)


def compare_builds(python: Path, sections: Sequence[str], console: Console) -> int:
    """Compare the rows of some sections with the build that `python` imports; 1 if a row is slower."""
    unknown = [name for name in sections if name not in TASKS]
    if unknown:
        console.print(f"{', '.join(unknown)}: no rows to compare. Sections that have some: {', '.join(TASKS)}.")
        return 2
    console.print(
        f"{'':58}" + "".join(f"{head:>10}" for head in ("other ms", "this ms", "medians", "minima")), soft_wrap=True
    )
    chosen = [(section, None) for section in sections or TASKS]
    first = list(_compare(python, chosen, console))
    again = [(row.section, row.name) for row in first if row.is_slower]
    if again:
        console.print("Once more, in fresh processes:")
    slower = [row for row in _compare(python, again, console) if row.is_slower] if again else []
    mean = math.exp(statistics.fmean(math.log(row.ratio) for row in first)) if first else 1.0
    console.print(f"{len(first)} rows, geometric mean of the ratios {mean:.3f}; more than 5 % slower: {len(slower)}.")
    return 1 if slower else 0


def _compare(python: Path, rows: Iterable[tuple[str, str | None]], console: Console) -> Iterator[Comparison]:
    """Compare single rows, or all rows of a section where no name is given."""
    with ExitStack() as stack:
        ours, other = (stack.enter_context(_Process(path)) for path in (Path(sys.executable), python))
        if ours.call("build") == other.call("build"):
            raise SystemExit(f"{python} imports the same deciban as {sys.executable}: {ours.call('build')}.")
        for section, chosen in rows:
            for name in [chosen] if chosen else ours.call("names", section):
                row = _compare_row(section, name, ours, other)
                console.print(str(row), markup=False, highlight=False, soft_wrap=True)
                if isinstance(row, Comparison):
                    yield row


def _compare_row(section: str, name: str, ours: _Process, other: _Process) -> Comparison | str:
    """Alternate the two processes; a text where one of them cannot run the row."""
    warm_ups = [process.call("prepare", section, name) for process in (ours, other)]
    for build, answer in zip(("this build", "the other build"), warm_ups, strict=True):
        if isinstance(answer, dict):
            return f"{section} {name}: not compared, in {build}: {answer['error']}"
    calls = max(1, math.ceil(_RUN_SECONDS / max(warm_ups)))
    row = Comparison(section, name, [], [])
    sides = [(row.ours, ours), (row.other, other)]
    start = time.perf_counter()
    while len(row.ours) < _LEAST_ROUNDS or (
        len(row.ours) < _MOST_ROUNDS and time.perf_counter() - start < _ENOUGH_SECONDS
    ):
        for seconds, process in sides:
            seconds.append(process.call("run", calls))
        sides.reverse()
    return row


class _Process:
    """A worker of one build; closed at the end of a ``with`` block."""

    def __init__(self, python: Path) -> None:
        command = [str(python.absolute()), "-m", "benchmarks.against.worker"]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT)

    def call(self, *command: object) -> Any:
        """Send a line, and return the answer."""
        process = self._process
        if process.stdin is None or process.stdout is None:
            raise RuntimeError("the worker has no pipes")
        process.stdin.write(json.dumps(command) + "\n")
        process.stdin.flush()
        line = process.stdout.readline()
        if not line:
            raise SystemExit(f"the worker ended with {process.wait()} at {command}. Its error is above.")
        return json.loads(line)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._process.wait()
