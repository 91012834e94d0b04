"""Parquet files, by row groups: the scanner of a dataset would read ahead without a bound."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import ipc

from deciban.engines.files.pieces import Piece, Read, shares_of, typed, unified
from deciban.errors import DamagedTableError

__all__ = ["ArrowReader", "ParquetReader"]


_ROWS = 1 << 18
"""The most rows that are in memory at a time: larger row groups are read in batches."""
_TEXT = 64
"""Texts of more bytes on average are not worth encoding."""


@dataclass(frozen=True)
class ParquetReader:
    """Reads Parquet files; labels come as codes and their distinct values, as most files store them."""

    schema: pa.Schema
    encoded: tuple[str, ...]

    @classmethod
    def of(cls, files: Sequence[Path], given: Mapping[str, Any] | None) -> ParquetReader:
        schemas = {file: _opened(file).schema_arrow for file in files}
        schema = typed(unified(schemas), given)
        return cls(schema, tuple(f.name for f in schema if _is_label(f.type, _opened(files[0]), f.name)))

    def shares(self, files: Sequence[Path], rows: int) -> Mapping[Path, int]:
        return shares_of({file: _opened(file).metadata.num_rows for file in files}, rows)

    def sample(self, file: Path, share: int, columns: Sequence[str] | None = None) -> pa.Table:
        """The first rows of each row group; of a file with few of them, also rows inside them."""
        held = self._file(file)
        whole = held.metadata.num_rows
        wanted = list(self.schema.names if columns is None else columns)
        if whole <= share:
            return self._typed(_checked(file, partial(held.read, columns=wanted)), wanted)
        groups = held.metadata.num_row_groups
        every = range(groups) if groups <= 64 else range(0, groups, -(-groups // 64))
        rows = max(share // len(every), 1)
        parts = [table for g in every for table in self._spread(file, g, rows, wanted, runs=max(64 // len(every), 1))]
        return self._typed(pa.concat_tables(parts), wanted)

    def size(self, file: Path) -> int:
        return file.stat().st_size

    def pieces(self, file: Path, start: int, columns: Sequence[str] | None = None) -> Iterator[Piece]:
        """A row group each."""
        wanted = list(self.schema.names if columns is None else columns)
        metadata = _opened(file).metadata
        for group in range(start, metadata.num_row_groups):
            held = metadata.row_group(group)
            size = sum(held.column(i).total_compressed_size for i in range(held.num_columns))
            yield Piece(partial(self._read, file, metadata, group, wanted), group + 1, size)

    def _read(self, file: Path, metadata: Any, group: int, wanted: list[str]) -> Iterator[Read]:
        held = self._file(file, metadata)
        batches = held.iter_batches(_ROWS, row_groups=[group], columns=wanted, use_threads=False)
        while (batch := _checked(file, partial(next, batches, None))) is not None:
            yield Read(self._typed(pa.Table.from_batches([batch]), wanted))

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

    def _typed(self, table: pa.Table, wanted: list[str]) -> pa.Table:
        """The columns in order, with the types of the source; labels may be encoded."""
        columns = []
        for name in wanted:
            column, kind = table[name], self.schema.field(name).type
            own = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
            columns.append(column if own == kind else column.cast(kind))
        return pa.table(columns, names=wanted)

    def _file(self, file: Path, metadata: Any = None) -> pq.ParquetFile:
        return _opened(file, list(self.encoded), metadata)


def _opened(file: Path, encoded: list[str] | None = None, metadata: Any = None) -> pq.ParquetFile:
    """The file; its metadata, where they are known, are not read again."""
    return _checked(file, partial(pq.ParquetFile, file, read_dictionary=encoded, metadata=metadata))


def _checked(file: Path, read: Any) -> Any:
    try:
        return read()
    except (pa.ArrowException, OSError) as error:
        raise DamagedTableError(f"{file} cannot be read as Parquet: {str(error).rstrip('.')}.") from None


def _is_label(kind: pa.DataType, file: pq.ParquetFile, name: str) -> bool:
    """True for text that is short in the first row group."""
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)) or file.metadata.num_row_groups == 0:
        return pa.types.is_string(kind)
    group = file.metadata.row_group(0)
    sizes = [group.column(i) for i in range(group.num_columns)]
    held = [c for c in sizes if c.path_in_schema == name]
    return not held or held[0].total_uncompressed_size <= _TEXT * max(held[0].num_values, 1)


@dataclass(frozen=True)
class ArrowReader:
    """Reads Arrow files (Feather is another name for them)."""

    schema: pa.Schema

    @classmethod
    def of(cls, files: Sequence[Path], given: Mapping[str, Any] | None) -> ArrowReader:
        return cls(typed(unified({file: _opened_arrow(file).schema for file in files}), given))

    def shares(self, files: Sequence[Path], rows: int) -> Mapping[Path, int]:
        return shares_of({file: _checked_arrow(file, partial(_count_rows, file)) for file in files}, rows)

    def sample(self, file: Path, share: int, columns: Sequence[str] | None = None) -> pa.Table:
        """Runs of rows from every batch, or from 64 of them."""
        many = _opened_arrow(file).num_record_batches
        if share >= _checked_arrow(file, partial(_count_rows, file)):
            parts = [self._table(file, i, columns) for i in range(many)]
            return pa.concat_tables(parts) if parts else self._empty(columns)
        every = range(0, many, -(-many // 64)) if many > 64 else range(many)
        rows = max(share // max(len(every), 1), 1)
        parts = [self._some(file, i, rows, columns) for i in every]
        return pa.concat_tables(parts)

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
        held = _checked_arrow(file, partial(_opened_arrow(file).get_batch, batch))
        wanted = list(self.schema.names if columns is None else columns)
        table = pa.Table.from_batches([held]).select(wanted)
        kinds = [self._kind(table, name) for name in wanted]
        return table.cast(pa.schema(list(zip(wanted, kinds, strict=True))))

    def _kind(self, table: pa.Table, name: str) -> pa.DataType:
        own, kind = table.schema.field(name).type, self.schema.field(name).type
        return own if pa.types.is_dictionary(own) and own.value_type == kind else kind

    def _empty(self, columns: Sequence[str] | None) -> pa.Table:
        return self.schema.empty_table().select(list(self.schema.names if columns is None else columns))


def _opened_arrow(file: Path) -> Any:
    return _checked_arrow(file, partial(ipc.open_file, pa.memory_map(str(file))))


def _count_rows(file: Path) -> int:
    held = _opened_arrow(file)
    return sum(held.get_batch(i).num_rows for i in range(held.num_record_batches))


def _checked_arrow(file: Path, read: Any) -> Any:
    try:
        return read()
    except (pa.ArrowException, OSError) as error:
        raise DamagedTableError(f"{file} cannot be read as an Arrow file: {str(error).rstrip('.')}.") from None
