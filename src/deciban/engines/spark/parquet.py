"""Frames that are Parquet files as they are: the executors read the files themselves.

Spark would decode a file into its own columns, then into rows, then into Arrow batches, and send these to Python: that
takes several times as long as all counting. The kernels' reader decodes a row group straight into Arrow, and labels
stay codes.

That is only right for a frame that has all rows and columns of its files and nothing else: one with the same plan as a
frame that reads these files (`sameSemantics`). And every process must be able to open them: so they are local files, or
on a file system that is mounted everywhere. Other frames, and object stores, go through Spark's own readers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pyarrow as pa

from deciban.engines.counting import Counting
from deciban.engines.files.parquet import ParquetReader
from deciban.engines.files.pieces import Reader
from deciban.engines.files.source import FileSource
from deciban.engines.spark.tasks import counted_row, use_task_cores
from deciban.errors import DecibanError

__all__ = ["CountFiles", "parquet_of", "slices_of"]

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
class CountFiles:
    """Counts parts of files: each row of the frame that it is given is the number of a slice."""

    counting: Counting[Any]
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
