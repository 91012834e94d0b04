"""A table that is not in memory: how it is opened, sampled and counted, and how progress is shown meanwhile.

A `SourceCounting` turns a batch of rows into a tally. All tallies add up, so an engine only has to call it for every
batch, wherever the batch is, and to add what it returns, in the order of the rows.
"""

from __future__ import annotations

import os
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Literal, Protocol, Self, TypedDict, TypeVar, Unpack

from deciban.engines import files, spark
from deciban.errors import InputTypeError, ParameterError

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "Additive",
    "FileOptions",
    "OnBadRow",
    "Progress",
    "ReadingStep",
    "Source",
    "SourceCounting",
    "check_no_file_options",
    "is_files",
    "is_source",
    "is_spark",
    "open_source",
    "reporting",
    "rows_in_memory",
    "tally_source",
]


class Additive(Protocol):
    """A tally: it can be added to others of its kind."""

    def __add__(self, other: Self, /) -> Self: ...


T = TypeVar("T", bound=Additive)


class SourceCounting(ABC, Generic[T]):
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
    def __call__(self, batch: pa.Table) -> T:
        """The tally of an Arrow table."""

    @property
    def required(self) -> tuple[str, ...]:
        """The columns in which a row must have a value, so that a row without one is a bad row."""
        return ()

    def check(self, names: tuple[str, ...]) -> None:
        """Refuse a source that has not the columns that are needed."""

    def finish(self, total: T) -> T:
        """The sum of all batches; an error where only the whole shows that nothing can be learned."""
        return total

    def state(self, total: T) -> Mapping[str, object]:
        """The values of a tally, by name, for a checkpoint (`deciban.storage.codec` must be able to write them)."""
        return {"tally": total}

    def restored(self, state: Mapping[str, Any]) -> T:
        """The tally of a checkpoint."""
        tally: T = state["tally"]
        return tally


class Source(Protocol):
    """A table that is not in memory."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""

    def sample(self, rows: int) -> pa.Table:
        """About so many rows, spread over the whole source; all rows where there are fewer."""

    def read_small(self, rows: int, required: Sequence[str]) -> pa.Table | None:
        """All rows, in order, where there are at most about so many; None where there may be more.

        A row without a value of a required column is a bad row.
        """

    def count(self, counting: SourceCounting[T]) -> T:
        """The tally of all rows."""


def tally_source(source: Source, counting: SourceCounting[T]) -> T:
    """The tally of all rows of a source, checked."""
    counting.check(source.names)
    return counting.finish(source.count(counting))


def rows_in_memory(source: Source, rows: int, required: Sequence[str]) -> tuple[pa.Table, bool]:
    """All rows of a source, and True, where there are at most about so many; else some, spread over it, and False.

    All have a value of each required column.
    """
    whole = source.read_small(rows, required)
    if whole is not None:
        return whole, True
    some = source.sample(rows)
    for name in required:
        if name in source.names and some[name].null_count:
            some = some.filter(some[name].is_valid())
    return some, False


# Opening -----------------------------------------------------------------------------------------------------------


def is_source(data: object) -> bool:
    """True for the name of a file, a glob, a folder, or a list of these, and for a Spark frame."""
    return is_files(data) or is_spark(data)


def is_files(data: object) -> bool:
    """True for a name, a Path, or a list of these."""
    items = data if isinstance(data, list | tuple) else [data]
    return len(items) > 0 and all(isinstance(item, str | os.PathLike) for item in items)


def is_spark(data: object) -> bool:
    """True for a DataFrame of Spark, of a classic session or of Spark Connect.

    >>> is_spark({"sky": ["sun"]})
    False
    """
    # By name: this is asked of every table, and pyspark must not be imported to answer it.
    return any(kind.__module__.startswith("pyspark.sql") and kind.__name__ == "DataFrame" for kind in type(data).mro())


OnBadRow = Literal["error", "skip"]
"""What is done with rows that cannot be read."""


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


Progress = bool | Callable[[ReadingStep], object] | None
"""False; True for a bar; a function of a `ReadingStep`; None for a bar where the standard error is a terminal."""


class FileOptions(TypedDict, total=False):
    """How files are read.

    `schema` has the Arrow types of some columns: a mapping from names to types or their names ("float64", "int64",
    "string", "bool"), or an Arrow schema. CSV and JSON Lines have no types: those that are not given are found from
    rows that are spread over all files. `checkpoint` is a file that keeps what was counted: the same call continues
    where an interrupted one ended, and removes it at the end. `on_bad_row` is "error", or "skip" for rows that cannot
    be read, which are counted, and the first ones named in a warning.

    `encoding` is that of CSV and JSON files; None is UTF-8, or UTF-16 or Windows-1252 (Latin-1) where the bytes say so,
    with a warning. `sheet` is the sheet of Excel files; the first one when None. `decimal` is the decimal mark of
    numbers in CSV files; None is found from some rows, with a warning where it is a comma.
    """

    schema: object
    checkpoint: str | os.PathLike[str] | None
    progress: Progress
    on_bad_row: OnBadRow
    encoding: str | None
    sheet: str | None
    decimal: str | None


def open_source(data: Any, **options: Unpack[FileOptions]) -> Source:
    """Open files, or a Spark frame, which has its own schema, progress bar and retries.

    The files are CSV or TSV, JSON Lines or arrays, also with .gz or .zst; Parquet; Arrow or Feather; Excel. `data`
    names one, a glob, a folder, or a list of these.
    """
    if is_files(data):
        return files.FileSource.of(data, **options)
    if is_spark(data):
        check_no_file_options(**options)
        return spark.SparkSource(data)
    raise InputTypeError(
        f"rows cannot be read from a {type(data).__name__}. Name a file, a glob or a folder; `fit` takes tables in "
        "memory."
    )


def check_no_file_options(**options: Unpack[FileOptions]) -> None:
    """Refuse options of files for data that are not in files; any `progress` is allowed."""
    for name, value in options.items():
        is_default = value is None or name == "progress" or (name == "on_bad_row" and value == "error")
        if not is_default:
            raise ParameterError(f"{name}={value!r} is for files, and the data are not in files.")


# Progress ----------------------------------------------------------------------------------------------------------


Step = Callable[[int, float | None], None]
"""Takes the number of rows that were read, and the share of the source."""

# The clock may not have advanced at the first step: a rate is never a division by zero.
_LEAST_SECONDS = 1e-9


@contextmanager
def reporting(progress: Progress, what: str) -> Iterator[Step]:
    """A function to call with the rows and the share that were read."""
    if progress is None:
        progress = sys.stderr.isatty()
    if progress is False:
        yield lambda _rows, _share: None
    elif progress is True:
        with _bar(what) as step:
            yield step
    elif callable(progress):
        yield _calling(progress)
    else:
        raise ParameterError(f"progress is True, False, None or a function, not {progress!r}.")


def _calling(call: Callable[[ReadingStep], object]) -> Step:
    start = time.perf_counter()

    def step(rows: int, share: float | None) -> None:
        seconds = time.perf_counter() - start
        call(ReadingStep(rows, share, seconds, rows / max(seconds, _LEAST_SECONDS)))

    return step


@contextmanager
def _bar(what: str) -> Iterator[Step]:
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
    # On the standard error, since the standard output of a command may be the table that it writes.
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task, start = bar.add_task(what, total=1.0, rows=0, speed=0.0), time.perf_counter()

        def step(rows: int, share: float | None) -> None:
            speed = rows / max(time.perf_counter() - start, _LEAST_SECONDS)
            bar.update(task, completed=share or 0.0, rows=rows, speed=speed)

        yield step
