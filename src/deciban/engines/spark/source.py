"""A Spark frame as a source: its executors count, and the tallies of their partitions are merged in a tree.

    partitions ──► a tally each ──► at most `spark.sql.shuffle.partitions` sums ──► at most 4 ──► the driver's sum

The second and third arrow are a shuffle of one row a partition and another `mapInArrow`. Spark joins the small tasks of
the second one by itself (adaptive execution), so that few tallies are merged by few tasks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, TypeVar

from deciban.engines.counting import Additive, Counting
from deciban.engines.files.source import FileSource
from deciban.engines.spark.faults import clear_errors
from deciban.engines.spark.parquet import CountFiles, parquet_of, slices_of
from deciban.engines.spark.tasks import TALLIES, CountPartition, merge_tallies, total_of
from deciban.errors import InputError, InputTypeError
from deciban.tallies.arithmetic import check_known

__all__ = ["SparkSource", "with_plain_names"]

T = TypeVar("T", bound=Additive)

_LAST = 4
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

    def sample(self, rows: int) -> Any:
        """About so many rows, spread over the whole frame, as an Arrow table; all rows where there are fewer.

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

    def count(self, counting: Counting[T]) -> T:
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

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[Any]:
        """All rows, some at a time, where the frame is files; they are not brought to the driver by Spark."""
        if self._files is None:
            raise InputTypeError("this reads all rows: write the Spark frame to Parquet files, and name their folder.")
        return self._files.batches(columns)

    def _counted(self, counting: Counting[T], names: tuple[str, ...]) -> Any:
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
    return tallies.repartition(*by).sortWithinPartitions("part").mapInArrow(merge_tallies, TALLIES)


def _no_rows() -> InputError:
    return InputError("there is nothing to count: the Spark frame has no rows.")
