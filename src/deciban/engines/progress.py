"""Progress of long work: a bar on the standard error, or a function of the user's."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from deciban.errors import ParameterError

__all__ = ["Progress", "ReadingStep", "reporting"]


@dataclass(frozen=True)
class ReadingStep:
    """How far a source has been read: the argument of a function that is passed as `progress`.

    Attributes
    ----------
    rows : int
        The number of rows that were counted.
    share : float or None
        The share of the source that was read, from 0 to 1; None where its size is not known.
    seconds : float
        The time since the call, without that of an interrupted call before it.
    rows_per_second : float
        Over this time.
    """

    rows: int
    share: float | None
    seconds: float
    rows_per_second: float


Progress = bool | Callable[[ReadingStep], Any] | None
"""False; True for a bar; a function of a `ReadingStep`; None for a bar where the standard error is a terminal."""


@contextmanager
def reporting(progress: Progress, what: str) -> Iterator[Callable[[int, float | None], None]]:
    """A function to call with the rows and the share that were read."""
    if progress is None:
        progress = sys.stderr.isatty()
    if progress is False:
        yield lambda _rows, _share: None
    elif progress is True:
        with _bar(what) as step:
            yield step
    elif callable(progress):
        yield _Calling(progress)
    else:
        raise ParameterError(f"progress is True, False, None or a function, not {progress!r}.")


class _Calling:
    def __init__(self, call: Callable[[ReadingStep], Any]) -> None:
        self._call, self._start = call, time.perf_counter()

    def __call__(self, rows: int, share: float | None) -> None:
        seconds = time.perf_counter() - self._start
        self._call(ReadingStep(rows, share, seconds, rows / max(seconds, 1e-9)))


@contextmanager
def _bar(what: str) -> Iterator[Callable[[int, float | None], None]]:
    # rich takes long to import, and most calls show no bar
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TextColumn("{task.fields[rows]:,} rows, {task.fields[speed]:,.0f} rows/s"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task, start = bar.add_task(what, total=1.0, rows=0, speed=0.0), time.perf_counter()

        def step(rows: int, share: float | None) -> None:
            speed = rows / max(time.perf_counter() - start, 1e-9)
            bar.update(task, completed=share or 0.0, rows=rows, speed=speed)

        yield step
