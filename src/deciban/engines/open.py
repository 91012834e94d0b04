"""The door to tables that are not in memory."""

from __future__ import annotations

import os
from typing import Any

from deciban.engines import files, spark
from deciban.engines.files.names import is_files
from deciban.engines.progress import Progress
from deciban.engines.source import OnBadRow, Source
from deciban.errors import InputTypeError, ParameterError

__all__ = ["check_no_file_options", "is_source", "open_source"]


def is_source(data: Any) -> bool:
    """True for the name of a file, a glob, a folder, or a list of these, and for a Spark frame."""
    return is_files(data) or spark.is_spark(data)


def open_source(
    data: Any,
    *,
    schema: Any = None,
    checkpoint: str | os.PathLike[str] | None = None,
    progress: Progress = None,
    on_bad_row: OnBadRow = "error",
    encoding: str | None = None,
    sheet: str | None = None,
    decimal: str | None = None,
) -> Source:
    """Open a source.

    Parameters
    ----------
    data
        The name of a file (CSV or TSV, JSON Lines or arrays, also with .gz or .zst; Parquet; Arrow or Feather; Excel),
        a glob, a folder, or a list of these; or a Spark frame, which has its own schema, progress bar and retries.
    schema
        The Arrow types of some columns: a mapping from names to types or their names ("float64", "int64", "string",
        "bool"), or an Arrow schema. CSV and JSON Lines have no types: those that are not given are found from rows that
        are spread over all files.
    checkpoint
        A file that keeps what was counted: the same call continues where an interrupted one ended. It is removed at the
        end.
    progress
        True for a bar on the standard error, a function of a `ReadingStep`, or False; None for a bar where the standard
        error is a terminal.
    on_bad_row
        "error", or "skip" for rows that cannot be read, which are counted, and the first ones named in a warning.
    encoding
        The encoding of CSV and JSON files. None: UTF-8, or UTF-16 or Windows-1252 (Latin-1) where the bytes say so,
        with a warning.
    sheet
        The sheet of Excel files; the first one when None.
    decimal
        The decimal mark of numbers in CSV files. None: found from some rows, with a warning where it is a comma.
    """
    if is_files(data):
        return files.FileSource.of(
            data,
            schema=schema,
            checkpoint=checkpoint,
            progress=progress,
            on_bad_row=on_bad_row,
            encoding=encoding,
            sheet=sheet,
            decimal=decimal,
        )
    if spark.is_spark(data):
        check_no_file_options(schema, checkpoint, on_bad_row, encoding, sheet, decimal)
        return spark.SparkSource(data)
    raise InputTypeError(
        f"rows cannot be read from a {type(data).__name__}. Name a file, a glob or a folder; `fit` takes tables in "
        "memory."
    )


def check_no_file_options(
    schema: Any,
    checkpoint: Any,
    on_bad_row: OnBadRow,
    encoding: str | None = None,
    sheet: str | None = None,
    decimal: str | None = None,
) -> None:
    """Refuse options of files for data that are not in files."""
    given = {
        "schema": schema,
        "checkpoint": checkpoint,
        "on_bad_row": None if on_bad_row == "error" else on_bad_row,
        "encoding": encoding,
        "sheet": sheet,
        "decimal": decimal,
    }
    for name, value in given.items():
        if value is not None:
            raise ParameterError(f"{name}={value!r} is for files, and the data are not in files.")
