"""Parquet files by row groups, and Arrow files by batches: one part of a file is in memory at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import ipc

from deciban.engines.files.pieces import Piece, Read, shares_of, typed, unified
from deciban.errors import DamagedTableError

__all__ = ["ArrowReader", "ParquetReader"]

T = TypeVar("T")

_ROWS = 1 << 18
"""The most rows that are in memory at a time: larger row groups are read in batches."""
_RUNS = 64
"""A sample consists of about so many runs of rows, spread over a file."""
_TEXT = 64
"""Texts of more bytes on average are not worth encoding."""


@dataclass(frozen=True)
class ParquetReader:
    """Reads Parquet files; labels come as codes and their distinct values, as most files store them."""

    schema: pa.Schema
    encoded: tuple[str, ...]

    @classmethod
    def of(cls, files: Sequence[Path], given: Mapping[str, pa.DataType] | None) -> ParquetReader:
        schemas = {file: _opened(file).schema_arrow for file in files}
        schema = typed(unified(schemas), given)
        return cls(schema, tuple(f.name for f in schema if _is_label(f.type, _opened(files[0]), f.name)))

    def has_at_most(self, files: Sequence[Path], rows: int) -> bool:
        return sum(_opened(file).metadata.num_rows for file in files) <= rows

    def shares(self, files: Sequence[Path], rows: int) -> Mapping[Path, int]:
        return shares_of({file: _opened(file).metadata.num_rows for file in files}, rows)

    def sample(self, file: Path, share: int, columns: Sequence[str] | None = None) -> pa.Table:
        """The first rows of each row group; of a file with few of them, also rows inside them."""
        parquet = self._file(file)
        whole, groups = parquet.metadata.num_rows, parquet.metadata.num_row_groups
        wanted = _wanted(self.schema, columns)
        if whole <= share:
            return _typed(_checked(file, partial(parquet.read, columns=wanted)), self.schema, wanted)
        # Few groups give several runs each: files are often sorted, and the first rows of a group would be alike.
        every = range(0, groups, -(-groups // _RUNS))
        rows, runs = max(share // len(every), 1), max(_RUNS // len(every), 1)
        parts = [table for group in every for table in self._spread(file, group, rows, wanted, runs)]
        return _typed(pa.concat_tables(parts), self.schema, wanted)

    def size(self, file: Path) -> int:
        return file.stat().st_size

    def pieces(self, file: Path, start: int, columns: Sequence[str] | None = None) -> Iterator[Piece]:
        """A row group each."""
        wanted = _wanted(self.schema, columns)
        metadata = _opened(file).metadata
        for group in range(start, metadata.num_row_groups):
            described = metadata.row_group(group)
            size = sum(described.column(i).total_compressed_size for i in range(described.num_columns))
            yield Piece(partial(self._read, file, metadata, group, wanted), group + 1, size)

    def _read(self, file: Path, metadata: pq.FileMetaData, group: int, wanted: list[str]) -> Iterator[Read]:
        # A file object of its own, since pyarrow's are not for several threads; pieces are what runs in parallel.
        batches = self._file(file, metadata).iter_batches(_ROWS, row_groups=[group], columns=wanted, use_threads=False)
        while (batch := _checked(file, partial(next, batches, None))) is not None:
            yield Read(_typed(pa.Table.from_batches([batch]), self.schema, wanted))

    def _spread(self, file: Path, group: int, rows: int, wanted: list[str], runs: int) -> Iterator[pa.Table]:
        """Runs of rows of a row group."""
        whole = self._file(file).metadata.row_group(group).num_rows
        size, step = max(rows // runs, 1), max(whole // runs, 1)
        batches = self._file(file).iter_batches(step, row_groups=[group], columns=wanted, use_threads=True)
        for _ in range(runs):
            batch = _checked(file, partial(next, batches, None))
            if batch is None:
                return
            yield pa.Table.from_batches([batch]).slice(0, size)

    def _file(self, file: Path, metadata: pq.FileMetaData | None = None) -> pq.ParquetFile:
        return _opened(file, list(self.encoded), metadata)


def _opened(file: Path, encoded: list[str] | None = None, metadata: pq.FileMetaData | None = None) -> pq.ParquetFile:
    """The file; its metadata, where they are known, are not read again."""
    return _checked(file, partial(pq.ParquetFile, file, read_dictionary=encoded, metadata=metadata))


def _checked(file: Path, read: Callable[[], T], kind: str = "Parquet") -> T:
    """What a call of pyarrow returns; an error of it, which need not name the file, does."""
    try:
        return read()
    except (pa.ArrowException, OSError) as error:
        raise DamagedTableError(f"{file} cannot be read as {kind}: {str(error).rstrip('.')}.") from None


def _wanted(schema: pa.Schema, columns: Sequence[str] | None) -> list[str]:
    return list(schema.names if columns is None else columns)


def _typed(table: pa.Table, schema: pa.Schema, wanted: Sequence[str]) -> pa.Table:
    """The columns in order, with the types of the source; labels may be encoded."""
    columns = []
    for name in wanted:
        column, kind = table[name], schema.field(name).type
        stored = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
        # Codes stay codes, so that their labels are not compared again when they are counted.
        columns.append(column if stored == kind else column.cast(kind))
    return pa.table(columns, names=wanted)


def _is_label(kind: pa.DataType, file: pq.ParquetFile, name: str) -> bool:
    """True for text that is short in the first row group."""
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)) or file.metadata.num_row_groups == 0:
        return pa.types.is_string(kind)
    group = file.metadata.row_group(0)
    chunks = (group.column(i) for i in range(group.num_columns))
    chunk = next((chunk for chunk in chunks if chunk.path_in_schema == name), None)
    return chunk is None or chunk.total_uncompressed_size <= _TEXT * max(chunk.num_values, 1)


@dataclass(frozen=True)
class ArrowReader:
    """Reads Arrow files (Feather is another name for them)."""

    schema: pa.Schema

    @classmethod
    def of(cls, files: Sequence[Path], given: Mapping[str, pa.DataType] | None) -> ArrowReader:
        return cls(typed(unified({file: _opened_arrow(file).schema for file in files}), given))

    def has_at_most(self, files: Sequence[Path], rows: int) -> bool:
        return sum(map(_count_rows, files)) <= rows

    def shares(self, files: Sequence[Path], rows: int) -> Mapping[Path, int]:
        return shares_of({file: _count_rows(file) for file in files}, rows)

    def sample(self, file: Path, share: int, columns: Sequence[str] | None = None) -> pa.Table:
        """Runs of rows from every batch, or from some of them."""
        many = _opened_arrow(file).num_record_batches
        if share >= _count_rows(file):
            parts = [self._table(file, i, columns) for i in range(many)]
            return pa.concat_tables(parts) if parts else self.schema.empty_table().select(_wanted(self.schema, columns))
        every = range(0, many, -(-many // _RUNS))
        rows = max(share // len(every), 1)
        return pa.concat_tables([self._some(file, i, rows, columns) for i in every])

    def size(self, file: Path) -> int:
        return file.stat().st_size

    def pieces(self, file: Path, start: int, columns: Sequence[str] | None = None) -> Iterator[Piece]:
        """A batch each."""
        many = _opened_arrow(file).num_record_batches
        size = file.stat().st_size // max(many, 1)
        for i in range(start, many):
            yield Piece(partial(self._read, file, i, columns), i + 1, size)

    def _read(self, file: Path, batch: int, columns: Sequence[str] | None) -> Iterator[Read]:
        yield Read(self._table(file, batch, columns))

    def _some(self, file: Path, batch: int, rows: int, columns: Sequence[str] | None) -> pa.Table:
        table = self._table(file, batch, columns)
        if len(table) <= rows:
            return table
        runs = min(16, rows)
        starts = [i * len(table) // runs for i in range(runs)]
        return pa.concat_tables([table.slice(start, max(rows // runs, 1)) for start in starts])

    def _table(self, file: Path, batch: int, columns: Sequence[str] | None) -> pa.Table:
        rows = _checked(file, partial(_opened_arrow(file).get_batch, batch), "an Arrow file")
        return _typed(pa.Table.from_batches([rows]), self.schema, _wanted(self.schema, columns))


def _opened_arrow(file: Path) -> ipc.RecordBatchFileReader:
    return _checked(file, partial(ipc.open_file, pa.memory_map(str(file))), "an Arrow file")


def _count_rows(file: Path) -> int:
    # The file is mapped to memory, so the values of a batch that is not compressed are not read for this.
    batches = _opened_arrow(file)
    numbers = range(batches.num_record_batches)
    return sum(_checked(file, partial(batches.get_batch, i), "an Arrow file").num_rows for i in numbers)
