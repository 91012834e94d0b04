"""What runs on the executors: a partition becomes one row with its tally, and such rows become one.

Each function takes the Arrow batches of a partition and yields Arrow batches, as Spark's `mapInArrow` wants it. A tally
travels as a pickled value between processes of one cluster, as Spark's own closures do. An error of deciban's travels
as a row, too: Spark would try the task again, and then show a Java stack trace instead.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from deciban.engines.counting import Counting
from deciban.errors import DecibanError
from deciban.extras import need
from deciban.thread_pool import set_threads

__all__ = ["TALLIES", "CountPartition", "counted_row", "merge_tallies", "tables_of", "total_of", "use_task_cores"]

TALLIES = "part int, tally binary, error binary"
"""The rows that tasks pass on: the smallest number of the partitions that were counted, and one of the two values."""

_SCHEMA = pa.schema([("part", pa.int32()), ("tally", pa.binary()), ("error", pa.binary())])
_ROWS = 1 << 18
_BYTES = 1 << 26


@dataclass(frozen=True)
class CountPartition:
    """Counts the batches of a partition, with these names for its columns; an empty one gives nothing."""

    counting: Counting[Any]
    names: tuple[str, ...]

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        part = use_task_cores()
        yield from counted_row(self.counting, tables_of(batches, self.names), part)


def counted_row(counting: Counting[Any], tables: Iterable[pa.Table], part: int) -> Iterator[pa.RecordBatch]:
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
        total = _added(total, pickle.loads(row["tally"]))  # noqa: S301
    return total


def tables_of(batches: Iterable[pa.RecordBatch], names: tuple[str, ...]) -> Iterator[pa.Table]:
    """Larger tables: Spark's batches have 10,000 rows, and each call of a kernel has a cost of its own."""
    held: list[pa.RecordBatch] = []
    rows = size = 0
    for batch in batches:
        held.append(batch)
        rows, size = rows + batch.num_rows, size + batch.nbytes
        if rows >= _ROWS or size >= _BYTES:
            yield pa.Table.from_batches(held).rename_columns(names)
            held, rows, size = [], 0, 0
    if rows:
        yield pa.Table.from_batches(held).rename_columns(names)


def use_task_cores() -> int:
    """Use as many threads as the task has cores, unless DECIBAN_THREADS is set; return the number of the partition."""
    task = need("pyspark", "spark", "a task of Spark").TaskContext.get()
    if "DECIBAN_THREADS" not in os.environ:
        set_threads(task.cpus())
        pa.set_cpu_count(task.cpus())
    return int(task.partitionId())


def _count(counting: Counting[Any], tables: Iterable[pa.Table], part: int) -> Any:
    total, first = None, 0
    for table in tables:
        try:
            total = _added(total, counting(table))
        except DecibanError as error:
            where = f"rows {first:,} to {first + len(table) - 1:,} of partition {part} of the Spark frame"
            raise type(error)(f"{error} (Among {where}.)") from error
        first += len(table)
    return total


def _added(total: Any, more: Any) -> Any:
    return more if total is None else total + more


def _row(part: int, tally: Any = None, error: DecibanError | None = None) -> pa.RecordBatch:
    values = [None if value is None else pickle.dumps(value, protocol=5) for value in (tally, error)]
    return pa.RecordBatch.from_pylist([{"part": part, "tally": values[0], "error": values[1]}], _SCHEMA)
