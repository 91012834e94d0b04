"""A Spark frame as a source: its executors count, and the tallies of their partitions are merged in a tree.

    partitions ──► a tally each ──► at most `spark.sql.shuffle.partitions` sums ──► at most 4 ──► the driver's sum

The second and third arrow are a shuffle of one row a partition and another `mapInArrow`. Spark joins the small tasks of
the second one by itself (adaptive execution), so that few tallies are merged by few tasks.

On the executors a partition becomes one row with its tally, and such rows become one. Each function takes the Arrow
batches of a partition and yields Arrow batches, as Spark's `mapInArrow` wants it. A tally travels as a pickled value
between processes of one cluster, as Spark's own closures do. An error of deciban's travels as a row, too: Spark would
try the task again, and then show a Java stack trace instead.

Where a frame is Parquet files as they are, the executors read the files themselves. Spark would decode a file into its
own columns, then into rows, then into Arrow batches, and send these to Python: that takes several times as long as all
counting. The kernels' reader decodes a row group straight into Arrow, and labels stay codes.

That is only right for a frame that has all rows and columns of its files and nothing else: one with the same plan as a
frame that reads these files (`sameSemantics`). And every process must be able to open them: so they are local files, or
on a file system that is mounted everywhere. Other frames, and object stores, go through Spark's own readers.

Errors of Spark itself become one sentence instead of a Java stack trace: a cluster that is gone, a task that failed too
often, a package that the executors lack, a file that Spark cannot read.

Scores are columns of a Spark frame: the kernels run on the executors, over Arrow batches, when Spark needs the rows. A
model is sent with the task, once for each, as Spark sends every closure.
"""

from __future__ import annotations

import os
import pickle
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, Generic, Literal, TypeVar
from urllib.parse import unquote, urlsplit

import pyarrow as pa

from deciban.engines.files.columnar import ParquetReader
from deciban.engines.files.pieces import Reader
from deciban.engines.files.source import FileSource
from deciban.engines.source import Additive, SourceCounting
from deciban.errors import DecibanError, InputError, InputTypeError, ParameterError, SourceError
from deciban.extras import need
from deciban.tallies import check_known
from deciban.thread_pool import set_threads
from deciban.types import AnyArray

__all__ = ["SparkSource", "add_scores", "label_kind", "parquet_of", "with_plain_names"]


T = TypeVar("T", bound=Additive)

# The tallies that the driver adds up itself.
_LAST = 4
# A fixed seed: the same rows are sampled at each call, so that the same columns are chosen.
_SEED = 0


class SparkSource:
    """The rows of a Spark frame; they stay on the cluster, but for a sample."""

    def __init__(self, frame: Any) -> None:
        self._frame = frame
        with clear_errors("reading the schema of the frame"):
            self._names = tuple(frame.columns)
            is_stream = frame.isStreaming
        twice = [name for name, times in Counter(self._names).items() if times > 1]
        if twice:
            raise InputError(f"the Spark frame has several columns named {twice[0]!r}: rename them.")
        if is_stream:
            raise InputError("the Spark frame is a stream, which never ends: count each batch, in foreachBatch.")

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return self._names

    def sample(self, rows: int) -> pa.Table:
        """About so many rows, spread over the whole frame; all rows where there are fewer.

        The rows are the same for each call on the same partitions. The frame is computed twice: to count its rows, and
        to choose some. Where that is costly, cache it.
        """
        if self._files is not None:
            return self._files.sample(rows)
        with clear_errors("sampling the frame"):
            count = self._frame.count()
            chosen = self._frame if count <= rows else self._frame.sample(fraction=rows / count, seed=_SEED)
            if count:
                return chosen.toArrow()
        raise _no_rows()

    def read_small(self, rows: int, required: Sequence[str]) -> pa.Table | None:
        """None: the executors count the rows of small frames, too, so that a frame is counted in one way."""
        return None

    def count(self, counting: SourceCounting[T]) -> T:
        """The tally of all rows, to the last bit the same for each call on the same partitions."""
        names = self._names if counting.columns is None else tuple(counting.columns)
        check_known(names, self._names, "column")
        with clear_errors("counting the frame"):
            counted = self._counted(counting, names)
            merged = _merged(_merged(counted, "part"), _LAST, "part")
            rows = merged.collect()
        total: T | None = total_of(sorted(rows, key=lambda row: row["part"]))
        if total is None:
            raise _no_rows()
        return total

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
        """All rows, some at a time, where the frame is files; they are not brought to the driver by Spark."""
        if self._files is None:
            raise InputTypeError("this reads all rows: write the Spark frame to Parquet files, and name their folder.")
        return self._files.batches(columns)

    def _counted(self, counting: SourceCounting[T], names: tuple[str, ...]) -> Any:
        """The frame of the tallies of all partitions."""
        if self._files is None:
            return with_plain_names(self._frame, names).mapInArrow(CountPartition(counting, names), TALLIES)
        slices = slices_of(self._files)
        numbers = self._frame.sparkSession.range(0, len(slices), 1, len(slices))
        return numbers.mapInArrow(CountFiles(counting, self._files.reader, slices), TALLIES)

    @cached_property
    def _files(self) -> FileSource | None:
        with clear_errors("reading the schema of the frame"):
            return parquet_of(self._frame)


def with_plain_names(frame: Any, names: Iterable[str]) -> Any:
    """Some columns of the frame, named by their indices: `mapInArrow` fails for names with a dot or a backtick."""
    chosen = frame.select(*(f"`{name.replace('`', '``')}`" for name in names))
    return chosen.toDF(*map(str, range(len(chosen.columns))))


def _merged(tallies: Any, *by: int | str) -> Any:
    # In the order of the partitions: sums of floats are then the same at each call.
    return tallies.repartition(*by).sortWithinPartitions("part").mapInArrow(merge_tallies, TALLIES)


def _no_rows() -> InputError:
    return InputError("there is nothing to count: the Spark frame has no rows.")


TALLIES = "part int, tally binary, error binary"
"""The rows that tasks pass on: the smallest number of the partitions that were counted, and one of the two values."""

_SCHEMA = pa.schema([("part", pa.int32()), ("tally", pa.binary()), ("error", pa.binary())])
_ROWS, _BYTES = 1 << 18, 1 << 26
"""The size of the tables that are counted at a time: rows, and bytes where rows are long."""


@dataclass(frozen=True)
class CountPartition(Generic[T]):
    """Counts the batches of a partition, with these names for its columns; an empty one gives nothing."""

    counting: SourceCounting[T]
    names: tuple[str, ...]

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        part = use_task_cores()
        yield from counted_row(self.counting, tables_of(batches, self.names), part)


def counted_row(counting: SourceCounting[T], tables: Iterable[pa.Table], part: int) -> Iterator[pa.RecordBatch]:
    """The row with the tally of some tables, or with an error; none where there is no table."""
    try:
        total = _count(counting, tables, part)
    except DecibanError as error:
        yield _row(part, error=error)
    else:
        if total is not None:
            yield _row(part, tally=total)


def merge_tallies(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Add the tallies of several partitions, in the order of the rows; or pass the first error on."""
    use_task_cores()
    rows = (row for batch in batches for row in batch.to_pylist())
    first = next(rows, None)
    if first is None:
        return
    try:
        total = total_of([first], rows)
    except DecibanError as error:
        yield _row(first["part"], error=error)
    else:
        yield _row(first["part"], tally=total)


def total_of(*rows: Iterable[Any]) -> Any:
    """The sum of the tallies of these rows; the error of a row is raised."""
    total = None
    for row in (row for some in rows for row in some):
        if row["error"] is not None:
            raise pickle.loads(row["error"])  # noqa: S301  written by our own task
        tally = pickle.loads(row["tally"])  # noqa: S301
        total = tally if total is None else total + tally
    return total


def tables_of(batches: Iterable[pa.RecordBatch], names: tuple[str, ...]) -> Iterator[pa.Table]:
    """Larger tables: Spark's batches have 10,000 rows, and each call of a kernel has a cost of its own."""
    parts: list[pa.RecordBatch] = []
    rows = size = 0
    for batch in batches:
        parts.append(batch)
        rows, size = rows + batch.num_rows, size + batch.nbytes
        if rows >= _ROWS or size >= _BYTES:
            yield pa.Table.from_batches(parts).rename_columns(names)
            parts, rows, size = [], 0, 0
    if rows:
        yield pa.Table.from_batches(parts).rename_columns(names)


def use_task_cores() -> int:
    """Use as many threads as the task has cores, unless DECIBAN_THREADS is set; return the number of the partition."""
    task = need("pyspark", "spark", "a task of Spark").TaskContext.get()
    # A worker of Spark has as many Python processes as cores: each with a thread for every core would be far too many.
    if "DECIBAN_THREADS" not in os.environ:
        set_threads(task.cpus())
        pa.set_cpu_count(task.cpus())
    return int(task.partitionId())


def _count(counting: SourceCounting[T], tables: Iterable[pa.Table], part: int) -> T | None:
    total: T | None = None
    first = 0
    for table in tables:
        try:
            counted = counting(table)
            total = counted if total is None else total + counted
        except DecibanError as error:
            where = f"rows {first:,} to {first + len(table) - 1:,} of partition {part} of the Spark frame"
            # The same class, which callers catch, with the place: nobody can look through the whole table for the row.
            raise type(error)(f"{error} (Among {where}.)") from error
        first += len(table)
    return total


def _row(part: int, tally: object = None, error: DecibanError | None = None) -> pa.RecordBatch:
    values = [None if value is None else pickle.dumps(value, protocol=5) for value in (tally, error)]
    return pa.RecordBatch.from_pylist([{"part": part, "tally": values[0], "error": values[1]}], _SCHEMA)


_SLICE = 1 << 24
"""The bytes of a file that one task reads: as small as their cost allows, so that all cores end at the same time."""
_TYPES = {
    "double": pa.float64(),
    "float": pa.float32(),
    "bigint": pa.int64(),
    "int": pa.int32(),
    "smallint": pa.int16(),
    "tinyint": pa.int8(),
    "boolean": pa.bool_(),
    "string": pa.string(),
    "date": pa.date32(),
}
"""Types that Spark and Arrow read from a file in the same way; timestamps depend on settings of the session."""


@dataclass(frozen=True)
class CountFiles(Generic[T]):
    """Counts parts of files: each row of the frame that it is given is the number of a slice."""

    counting: SourceCounting[T]
    reader: Reader
    slices: tuple[tuple[Path, int, int], ...]

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        part = use_task_cores()
        numbers = (number for batch in batches for number in batch.column(0).to_pylist())
        yield from counted_row(self.counting, (table for number in numbers for table in self._tables(number)), part)

    def _tables(self, number: int) -> Iterator[pa.Table]:
        file, first, step = self.slices[number]
        for piece in islice(self.reader.pieces(file, 0, self.counting.columns), first, None, step):
            yield from (read.table for read in piece.read())


def parquet_of(frame: Any) -> FileSource | None:
    """The files that a frame is; None where it is something else, or they cannot be read in the same way."""
    # Spark names files by URI, with the signs of names escaped.
    uris = [urlsplit(uri) for uri in frame.inputFiles()]
    if not uris or any(uri.scheme != "file" or uri.netloc for uri in uris):
        return None
    files = tuple(sorted(Path(unquote(uri.path)) for uri in uris))
    if not _is_read_from(frame, {str(file) for file in files}) and not _is_read_from(
        frame, {str(file.parent) for file in files}
    ):
        return None
    try:
        reader = ParquetReader.of(files, None)
    except DecibanError:  # Spark may be able to read them
        return None
    kinds = {field.name: _TYPES.get(field.dataType.simpleString()) for field in frame.schema.fields}
    is_same = {field.name: field.type for field in reader.schema} == kinds
    return FileSource(files, reader) if is_same else None


def _is_read_from(frame: Any, paths: set[str]) -> bool:
    """True for a frame that reads these files or folders, and has no other step."""
    return bool(frame.sameSemantics(frame.sparkSession.read.schema(frame.schema).parquet(*sorted(paths))))


def slices_of(source: FileSource) -> tuple[tuple[Path, int, int], ...]:
    """Parts of files for the tasks: the file, the first of its row groups and the step to the next."""
    parts = [(file, max(size // _SLICE, 1)) for file, size in zip(source.files, source.sizes, strict=True)]
    return tuple((file, first, step) for file, step in parts for first in range(step))


_PACKAGES = ("pyspark", "py4j", "grpc")
# The last line of a Python traceback, which Spark quotes in the message of its own error.
_PYTHON_ERROR = re.compile(r"^(?:\w+\.)*(\w+(?:Error|Exception|Interrupt)): (.+)$", re.MULTILINE)
_LOST = re.compile(r"ExecutorLostFailure|executor \S+ exited|Lost executor|heartbeat timed out", re.IGNORECASE)
_DISCONNECTED = ("Py4JNetworkError", "Py4JError")
_LONGEST = 300


@contextmanager
def clear_errors(doing: str) -> Iterator[None]:
    """Turn errors of Spark, and of the connection to it, into a `SourceError`; `doing` says what was tried.

    Only the calls of Spark are wrapped, so a system error (a closed socket, a broken pipe) is one of the connection.
    """
    try:
        yield
    except Exception as error:
        if not _is_from_spark(error):
            raise
        raise SourceError(f"Spark failed while {doing}: {_reason(error)}") from error


def _is_from_spark(error: Exception) -> bool:
    packages = {kind.__module__.partition(".")[0] for kind in type(error).mro()}
    return isinstance(error, OSError | EOFError) or not packages.isdisjoint(_PACKAGES)


def _reason(error: Exception) -> str:
    """The sentence of a long message that names the fault."""
    text = _text(error)
    if not text or isinstance(error, OSError | EOFError) or type(error).__name__ in _DISCONNECTED:
        return f"there is no connection to its driver any more ({_first_line(text) or type(error).__name__})."
    missing = re.search(r"ModuleNotFoundError: No module named '(\w+)", text)
    if missing:
        return f"Python on the executors has no package {missing[1]!r}. Install it there; see docs/how-to/scale.md."
    if _LOST.search(text):
        return f"executors were lost, and the task failed as often as Spark allows ({_first_line(text)})"
    raised = _PYTHON_ERROR.findall(text)
    return ": ".join(raised[-1])[:_LONGEST] if raised else _first_line(text)


def _text(error: Exception) -> str:
    """The message, which Spark asks its driver for."""
    try:
        return str(error)
    except Exception:  # the driver is gone
        return ""


def _first_line(text: str) -> str:
    """The first line that says something; of a Java error that is passed on, the line of its cause."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    shown = [line for line in lines if not line.startswith(("An error occurred while calling", "at ", "."))]
    return (shown or lines or [""])[0][:_LONGEST]


ColumnKind = Literal["boolean", "long", "double", "string", "doubles"]
"""The types of columns that can be added; "doubles" is an array of them."""

_KINDS: dict[type, ColumnKind] = {bool: "boolean", int: "long", float: "double", str: "string"}
_ARROW = {
    "boolean": pa.bool_(),
    "long": pa.int64(),
    "double": pa.float64(),
    "string": pa.string(),
    "doubles": pa.list_(pa.float64()),
}

Score = Callable[[pa.Table], Mapping[str, AnyArray]]


def add_scores(frame: Any, score: Score, kinds: Mapping[str, ColumnKind]) -> Any:
    """The frame with more columns, named and typed by `kinds`; `score` computes them, and is sent to the executors."""
    names = SparkSource(frame).names
    # Spark does not tell names apart by case, unless a setting says so.
    known = {name.casefold() for name in names}
    for name in kinds:
        if name.casefold() in known:
            raise ParameterError(f"the Spark frame has a column {name!r} already: choose another name.")
    types = need("pyspark.sql.types", "spark", "Spark")
    schema = types.StructType(list(frame.schema.fields))
    for name, kind in kinds.items():
        schema = schema.add(name, types.ArrayType(types.DoubleType()) if kind == "doubles" else kind)
    return with_plain_names(frame, names).mapInArrow(ScorePartition(score, names, tuple(kinds.items())), schema)


@dataclass(frozen=True)
class ScorePartition:
    """Adds the scores to the batches of a partition, with these names for its columns."""

    score: Score
    names: tuple[str, ...]
    kinds: tuple[tuple[str, ColumnKind], ...]

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        use_task_cores()
        for table in tables_of(batches, self.names):
            scores, scored = self.score(table), table
            for name, kind in self.kinds:
                scored = scored.append_column(pa.field(name, _ARROW[kind]), _column(scores[name], _ARROW[kind]))
            yield from scored.to_batches()


def _column(values: AnyArray, kind: pa.DataType) -> pa.Array:
    """The values of all rows; a list for each row where they are a table."""
    if values.ndim == 1:
        return pa.array(values, kind)
    # Lists that share one buffer: no Python list for each row.
    ends = pa.array(range(0, values.size + 1, values.shape[1]), pa.int32())
    return pa.ListArray.from_arrays(ends, pa.array(values.ravel()))


def label_kind(labels: AnyArray) -> ColumnKind:
    """The type of a column of Spark that holds these labels.

    >>> import numpy as np
    >>> label_kind(np.array(["no", "yes"], dtype=object))
    'string'
    """
    types = {type(label) for label in labels.tolist()}
    if len(types) != 1 or types.isdisjoint(_KINDS):
        shown = " and ".join(sorted(kind.__name__ for kind in types))
        raise ParameterError(f"the classes are of type {shown}: no column of Spark holds them. Fit on text or numbers.")
    return _KINDS[types.pop()]
