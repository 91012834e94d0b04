"""Where results go: to the standard output or to a file, as a table for reading, JSON, CSV or Parquet.

A file is written beside its final name and renamed at the end, so an error or Ctrl-C leaves no half-written file.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

import typer

if TYPE_CHECKING:
    from deciban.engines.files.writing import RowWriter

__all__ = [
    "Format",
    "FormatOption",
    "OutputOption",
    "chosen_format",
    "write_json",
    "write_records",
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


@contextmanager
def writing(output: Path | None, form: Format | None = None) -> Iterator[RowWriter]:
    """A writer of rows; the file appears at the end, complete, or not at all."""
    form = chosen_format(form, output)
    with _sink(output, is_binary=form is Format.PARQUET) as sink:
        writer = _writer(form, sink)
        yield writer
        writer.close()


def write_table(rows: Any, output: Path | None = None, form: Format | None = None) -> None:
    """Write all rows of a result."""
    with writing(output, form) as writer:
        writer.write(rows)


def write_records(records: Sequence[Mapping[str, Any]], output: Path | None = None, form: Format | None = None) -> None:
    """Write rows that are mappings; a row without a column has a missing value there."""
    names = list(dict.fromkeys(name for record in records for name in record))
    columns = {name: [record.get(name) for record in records] for name in names}
    form = chosen_format(form, output)
    if form is Format.TABLE:
        from deciban.cli.show import aligned

        write_text(
            aligned(names, [dict(zip(names, row, strict=True)) for row in zip(*columns.values(), strict=True)]), output
        )
        return
    from deciban.read.frames import make_frame

    write_table(make_frame({name: _alike(held) for name, held in columns.items()}, "pyarrow"), output, form)


def write_text(text: str, output: Path | None = None) -> None:
    """Write a text, with a newline at its end."""
    with _sink(output) as sink:
        sink.write((text if text.endswith("\n") else f"{text}\n").encode())


def write_json(value: Any, output: Path | None = None) -> None:
    """Write a value as one JSON document."""
    write_text(json.dumps(value, indent=2, ensure_ascii=False, default=str), output)


def chosen_format(form: Format | None, output: Path | None) -> Format:
    """The format that was chosen, else that of the file's name, else a table for reading."""
    suffix = "" if output is None else output.suffix.lower().removeprefix(".")
    return form or (Format(suffix) if suffix in list(Format) else Format.TABLE)


def _alike(values: list[Any]) -> list[Any]:
    """Values of one type: texts, where there are several types or one that files do not have."""
    kinds = {type(value) for value in values} - {type(None)}
    if kinds <= {int, float} or kinds in ({str}, {bool}):
        return values
    return [None if value is None else str(value) for value in values]


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


def _writer(form: Format, sink: BinaryIO) -> RowWriter:
    if form is Format.TABLE:
        return _ShownTable(sink)
    from deciban.engines.files.writing import row_writer

    return row_writer(form.value, sink)


class _ShownTable:
    """Aligned columns, as wide as the longest value: nothing is cut off."""

    def __init__(self, sink: BinaryIO) -> None:
        self._sink = sink
        self._names: list[str] = []
        self._rows: list[dict[str, Any]] = []

    def write(self, rows: Any) -> None:
        self._names = rows.column_names
        self._rows += rows.to_pylist()

    def close(self) -> None:
        from deciban.cli.show import aligned

        self._sink.write(f"{aligned(self._names, self._rows)}\n".encode())
