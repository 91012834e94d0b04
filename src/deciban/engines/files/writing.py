"""Rows to a file or a stream, some at a time: as CSV, Parquet or a JSON array."""

from __future__ import annotations

import csv as python_csv
import io
import json
from collections.abc import Callable, Mapping
from typing import BinaryIO, Protocol

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv, parquet

from deciban.choices import check_choice

__all__ = ["WRITERS", "RowWriter", "as_csv", "row_writer"]


class RowWriter(Protocol):
    """Takes rows as Arrow tables, all with the same columns."""

    def write(self, rows: pa.Table) -> None: ...

    def close(self) -> None: ...


def row_writer(form: str, sink: BinaryIO) -> RowWriter:
    """A writer of the format "csv", "parquet" or "json"."""
    check_choice("form", form, list(WRITERS))
    return WRITERS[form](sink)


def as_csv(columns: Mapping[str, object] | pa.Table) -> bytes:
    r"""The bytes of a CSV file with these columns.

    >>> as_csv({"sky": ["sun", None], "warm": [21.5, 9.0]})
    b'sky,warm\nsun,21.5\n,9\n'
    """
    sink = pa.BufferOutputStream()
    writer = CsvRows(sink)
    writer.write(columns if isinstance(columns, pa.Table) else pa.table(dict(columns)))
    writer.close()
    return sink.getvalue().to_pybytes()


class JsonRecords:
    """A JSON array with an object for each row."""

    def __init__(self, sink: BinaryIO) -> None:
        self._sink = sink
        self._before = b"[\n"

    def write(self, rows: pa.Table) -> None:
        for row in rows.to_pylist():
            self._sink.write(self._before + json.dumps(row, ensure_ascii=False, default=str).encode())
            self._before = b",\n"

    def close(self) -> None:
        self._sink.write(b"[]\n" if self._before == b"[\n" else b"\n]\n")


class CsvRows:
    """Comma-separated values; texts are quoted where one of them needs it. A missing value is an empty field."""

    def __init__(self, sink: BinaryIO) -> None:
        self._sink = sink
        self._is_begun = False

    def write(self, rows: pa.Table) -> None:
        if not self._is_begun:
            # Not by pyarrow, which quotes every name.
            self._sink.write(_header(rows.column_names))
            self._is_begun = True
        csv.write_csv(rows, self._sink, csv.WriteOptions(include_header=False, quoting_style=_style(rows)))

    def close(self) -> None:
        """Every call of `write` has written all of its rows."""


def _header(names: list[str]) -> bytes:
    line = io.StringIO()
    python_csv.writer(line, lineterminator="\n").writerow(names)
    return line.getvalue().encode()


def _style(rows: pa.Table) -> str:
    """How to quote the texts of a table; an empty one has quotes, since a missing value is an empty field."""
    for column in rows.columns:
        kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
        if pa.types.is_string(kind) or pa.types.is_large_string(kind):
            texts = column.cast(kind)
            if pc.any(pc.match_substring_regex(texts, '[",\r\n]|^$')).as_py():
                return "needed"
    return "none"


class ParquetRows:
    """A Parquet file, which is opened when the first rows give the columns; each call of `write` makes a row group."""

    def __init__(self, sink: BinaryIO) -> None:
        self._sink = sink
        self._writer: parquet.ParquetWriter | None = None

    def write(self, rows: pa.Table) -> None:
        if self._writer is None:
            self._writer = parquet.ParquetWriter(self._sink, rows.schema)
        self._writer.write_table(rows)

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()


WRITERS: Mapping[str, Callable[[BinaryIO], RowWriter]] = {"csv": CsvRows, "json": JsonRecords, "parquet": ParquetRows}
