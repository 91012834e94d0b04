"""Arrow and Feather files, by record batches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import ipc

from deciban.engines.files.pieces import Piece, Read, shares_of
from deciban.engines.files.schema import typed, unified
from deciban.errors import DamagedTableError

__all__ = ["ArrowReader"]


@dataclass(frozen=True)
class ArrowReader:
    """Reads Arrow files (Feather is another name for them)."""

    schema: pa.Schema

    @classmethod
    def of(cls, files: Sequence[Path], given: Mapping[str, Any] | None) -> ArrowReader:
        return cls(typed(unified({file: _opened(file).schema for file in files}), given))

    def shares(self, files: Sequence[Path], rows: int) -> Mapping[Path, int]:
        return shares_of({file: _checked(file, partial(_count_rows, file)) for file in files}, rows)

    def sample(self, file: Path, share: int, columns: Sequence[str] | None = None) -> pa.Table:
        """Runs of rows from every batch, or from 64 of them."""
        many = _opened(file).num_record_batches
        if share >= _checked(file, partial(_count_rows, file)):
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
        many = _opened(file).num_record_batches
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
        held = _checked(file, partial(_opened(file).get_batch, batch))
        wanted = list(self.schema.names if columns is None else columns)
        table = pa.Table.from_batches([held]).select(wanted)
        kinds = [self._kind(table, name) for name in wanted]
        return table.cast(pa.schema(list(zip(wanted, kinds, strict=True))))

    def _kind(self, table: pa.Table, name: str) -> pa.DataType:
        own, kind = table.schema.field(name).type, self.schema.field(name).type
        return own if pa.types.is_dictionary(own) and own.value_type == kind else kind

    def _empty(self, columns: Sequence[str] | None) -> pa.Table:
        return self.schema.empty_table().select(list(self.schema.names if columns is None else columns))


def _opened(file: Path) -> Any:
    return _checked(file, partial(ipc.open_file, pa.memory_map(str(file))))


def _count_rows(file: Path) -> int:
    held = _opened(file)
    return sum(held.get_batch(i).num_rows for i in range(held.num_record_batches))


def _checked(file: Path, read: Any) -> Any:
    try:
        return read()
    except (pa.ArrowException, OSError) as error:
        raise DamagedTableError(f"{file} cannot be read as an Arrow file: {str(error).rstrip('.')}.") from None
