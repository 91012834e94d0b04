"""What commands read: tables in files or on the standard input, and saved models."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["ModelArgument", "TableArgument", "named_source", "read_rows"]

STANDARD_INPUT = "-"
_HEAD = 4096
_COMPRESSED = {b"\x1f\x8b": ".gz", b"\x28\xb5\x2f\xfd": ".zst"}
_BINARY = {b"PAR1": ".parquet", b"ARROW1": ".arrow"}

TableArgument = Annotated[
    str,
    typer.Argument(
        metavar="DATA", help="A table: CSV, TSV, JSON Lines (.gz, .zst), Parquet, Arrow; or - for the standard input."
    ),
]
ModelArgument = Annotated[str, typer.Argument(metavar="MODEL", help="A model that `deciban fit` has saved.")]


@contextmanager
def named_source(name: str) -> Iterator[str]:
    """The name of a file with the rows; those of the standard input are first copied to a temporary file."""
    if name != STANDARD_INPUT:
        yield name
        return
    with TemporaryDirectory(prefix="deciban-") as folder:
        head = sys.stdin.buffer.read(_HEAD)
        copied = Path(folder) / f"standard-input{suffix_of(head)}"
        with copied.open("wb") as file:
            file.write(head)
            shutil.copyfileobj(sys.stdin.buffer, file)
        yield str(copied)


def suffix_of(head: bytes) -> str:
    r"""The suffix of a file that begins with these bytes; a compressed one is taken as CSV.

    >>> suffix_of(b'{"age": 39}'), suffix_of(b"age\tsex\n39\tMale\n"), suffix_of(b"age,sex\n")
    ('.jsonl', '.tsv', '.csv')
    """
    for magic, suffix in _BINARY.items():
        if head.startswith(magic):
            return suffix
    for magic, suffix in _COMPRESSED.items():
        if head.startswith(magic):
            return f".csv{suffix}"
    if head.lstrip().startswith(b"{"):
        return ".jsonl"
    first = head.split(b"\n", 1)[0]
    return ".tsv" if b"\t" in first and b"," not in first else ".csv"


def read_rows(name: str, **options: Any) -> pa.Table:
    """All rows of a table, in memory."""
    import pyarrow as pa

    from deciban.engines.files.source import FileSource

    with named_source(name) as source:
        return pa.concat_tables(FileSource.of(source, **options).batches(), promote_options="permissive")
