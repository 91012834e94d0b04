"""Where results go: to the standard output or to a file, as a table for reading, JSON, CSV or Parquet.

A file is written beside its final name and renamed at the end, so an error or Ctrl-C leaves no half-written file.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO, Protocol

import typer

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "Format",
    "FormatOption",
    "OutputOption",
    "TableWriter",
    "write_json",
    "write_table",
    "write_text",
    "writing",
]


class Format(StrEnum):
    """The form of a result."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"
    PARQUET = "parquet"


FormatOption = Annotated[
    Format | None,
    typer.Option("--format", help="The form of the result; by default as the file's name says, or table."),
]
OutputOption = Annotated[
    Path | None, typer.Option("--output", "-o", help="Write the result to this file, not to the standard output.")
]


class TableWriter(Protocol):
    """Takes the rows of a result, some at a time."""

    def write(self, rows: pa.Table) -> None: ...

    def close(self) -> None: ...


@contextmanager
def writing(output: Path | None, form: Format | None = None) -> Iterator[TableWriter]:
    """A writer of rows; the file appears at the end, complete, or not at all."""
    form = form or _by_suffix(output)
    with _sink(output, is_binary=form is Format.PARQUET) as sink:
        writer = _WRITERS[form](sink)
        yield writer
        writer.close()


def write_table(rows: pa.Table, output: Path | None = None, form: Format | None = None) -> None:
    """Write all rows of a result."""
    with writing(output, form) as writer:
        writer.write(rows)


def write_text(text: str, output: Path | None = None) -> None:
    """Write a text, with a newline at its end."""
    with _sink(output) as sink:
        sink.write((text if text.endswith("\n") else f"{text}\n").encode())


def write_json(value: Any, output: Path | None = None) -> None:
    """Write a value as one JSON document."""
    write_text(json.dumps(value, indent=2, ensure_ascii=False, default=str), output)


def _by_suffix(output: Path | None) -> Format:
    suffix = "" if output is None else output.suffix.lower().removeprefix(".")
    return Format(suffix) if suffix in list(Format) else Format.TABLE


@contextmanager
def _sink(output: Path | None, *, is_binary: bool = False) -> Iterator[BinaryIO]:
    if output is not None:
        from deciban.files import replacing

        with replacing(output) as file:
            yield file
        return
    if is_binary and sys.stdout.isatty():
        raise typer.BadParameter("Parquet is not text: name a file with -o.", param_hint="--format")
    sys.stdout.flush()
    yield sys.stdout.buffer
    sys.stdout.buffer.flush()


class _ShownTable:
    """Aligned columns, as wide as the longest value: nothing is cut off."""

    def __init__(self, sink: BinaryIO) -> None:
        self._sink = sink
        self._parts: list[pa.Table] = []

    def write(self, rows: pa.Table) -> None:
        self._parts.append(rows)

    def close(self) -> None:
        import pyarrow as pa

        from deciban.cli.show import aligned

        table = pa.concat_tables(self._parts)
        self._sink.write(f"{aligned(table.column_names, table.to_pylist())}\n".encode())


class _JsonRecords:
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


class _ArrowRows:
    """Rows that one of Arrow's writers takes; it is opened when the first rows give the columns."""

    def __init__(self, sink: BinaryIO) -> None:
        self._sink = sink
        self._writer: Any = None

    def write(self, rows: pa.Table) -> None:
        if self._writer is None:
            self._writer = self._open(rows.schema)
        self._writer.write_table(rows)

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()

    def _open(self, schema: pa.Schema) -> Any:
        raise NotImplementedError


class _CsvRows(_ArrowRows):
    def _open(self, schema: pa.Schema) -> Any:
        from pyarrow import csv

        return csv.CSVWriter(self._sink, schema, write_options=csv.WriteOptions(quoting_style="needed"))


class _ParquetRows(_ArrowRows):
    def _open(self, schema: pa.Schema) -> Any:
        from pyarrow import parquet

        return parquet.ParquetWriter(self._sink, schema)


_WRITERS: dict[Format, Any] = {
    Format.TABLE: _ShownTable,
    Format.JSON: _JsonRecords,
    Format.CSV: _CsvRows,
    Format.PARQUET: _ParquetRows,
}
