"""What commands read: tables in files or on the standard input, and saved models."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

if TYPE_CHECKING:
    from deciban.engines.files.source import FileSource

__all__ = [
    "DataArgument",
    "DecimalOption",
    "EncodingOption",
    "ExcludeOption",
    "ModelArgument",
    "OnBadRow",
    "OnBadRowOption",
    "QuietOption",
    "SheetOption",
    "TableArgument",
    "TargetOption",
    "TextOption",
    "WeightOption",
    "is_saved",
    "load_classifier",
    "named_rows",
    "named_source",
    "open_rows",
    "opened_table",
    "read_rows",
    "reading_options",
]


STANDARD_INPUT = "-"
_HEAD = 4096
_JSON = (".json", ".jsonl", ".ndjson")
_LARGEST_JSON = 1 << 20
_COMPRESSED = {b"\x1f\x8b": ".gz", b"\x28\xb5\x2f\xfd": ".zst"}
_BINARY = {
    b"PAR1": ".parquet",
    b"ARROW1": ".arrow",
    b"PK\x03\x04": ".xlsx",
    b"\xd0\xcf\x11\xe0": ".xls",
}

TableArgument = Annotated[
    str,
    typer.Argument(
        metavar="DATA", help="A table: CSV, TSV, JSON (.gz, .zst), Parquet, Arrow, Excel; or - for the standard input."
    ),
]
DataArgument = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="A table: CSV, TSV, JSON (.gz, .zst), Parquet, Arrow, Excel, or - for the standard input; or a folder of "
        "documents.",
    ),
]
ModelArgument = Annotated[str, typer.Argument(metavar="MODEL", help="A model that `deciban fit` has saved.")]


@contextmanager
def named_source(name: str) -> Iterator[str]:
    """The name of a file with the rows; those of the standard input are first copied to a temporary file."""
    if name != STANDARD_INPUT:
        yield name
        return
    if sys.stdin is None:
        from deciban.errors import FileAccessError

        raise FileAccessError("the standard input is closed: name a file with the rows.")
    with TemporaryDirectory(prefix="deciban-") as folder:
        head = sys.stdin.buffer.read(_HEAD)
        copied = Path(folder) / f"standard-input{suffix_of(head)}"
        with copied.open("wb") as file:
            file.write(head)
            shutil.copyfileobj(sys.stdin.buffer, file)
        yield str(copied)


@contextmanager
def open_rows(name: str, exclude: Sequence[str] | None = None, **options: Any) -> Iterator[FileSource]:
    """The rows of a file or of the standard input, without some columns; only some are in memory at a time."""
    from deciban.engines.files.source import FileSource

    with named_source(name) as file:
        yield FileSource.of(file, **options).without(exclude or ())


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
    if head.lstrip()[:1] in (b"{", b"[") or _is_json_text(head):
        return ".jsonl"
    first = head.split(b"\n", 1)[0]
    return ".tsv" if b"\t" in first and b"," not in first else ".csv"


@contextmanager
def named_rows(name: str) -> Iterator[list[Any] | str]:
    """The rows of a JSON document, one object or an array of them; or the name of a file with a table."""
    with named_source(name) as source:
        yield json_rows(Path(source)) or source


def json_rows(path: Path) -> list[Any] | None:
    """The rows of a small JSON document; None where the file is something else, such as JSON Lines."""
    if path.suffix.lower() not in _JSON or not path.is_file() or path.stat().st_size > _LARGEST_JSON:
        return None
    try:
        held = json.loads(path.read_bytes())
    except ValueError:
        return None
    return held if isinstance(held, list) else [held]


def is_saved(name: str) -> bool:
    """Whether a file is one that deciban has saved: a model, a net or a tally."""
    if name == STANDARD_INPUT or not Path(name).is_file():
        return False
    from deciban.storage.codec import is_packed

    with Path(name).open("rb") as file:
        return is_packed(file.read(_HEAD))


def load_classifier(name: str) -> Any:
    """A saved classifier; an error where the file holds something else."""
    from deciban.errors import InputTypeError
    from deciban.storage.model_files import load

    model = load(name)
    if not hasattr(model, "classes_"):
        kind = type(model).__name__
        raise InputTypeError(f"{name} holds a {kind}, not a classifier. `deciban inspect {name}` shows it.")
    return model


@contextmanager
def opened_table(name: str, *, labelled: bool = False, **options: Any) -> Iterator[Any]:
    """The files of a table, or the documents of a folder; `labelled` where these must be in class folders."""
    from deciban.engines.files.names import DocumentFolder, has_documents
    from deciban.engines.files.source import FileSource

    if name != STANDARD_INPUT and has_documents(Path(name)):
        yield DocumentFolder(Path(name), labelled, options.get("encoding"))
        return
    with named_source(name) as source:
        yield FileSource.of(source, **options)


def _is_json_text(head: bytes) -> bool:
    """Whether all that was read is one text in JSON: a document."""
    try:
        return isinstance(json.loads(head), str)
    except ValueError:
        return False


def read_rows(name: str, **options: Any) -> Any:
    """All rows of a table, in memory, as an Arrow table."""
    from deciban.engines.files.source import FileSource

    with named_source(name) as source:
        return FileSource.of(source, **options).read()


OnBadRow = Literal["error", "skip"]
"""What is done with rows that cannot be read."""


TargetOption = Annotated[
    str | None, typer.Option("--target", "-t", metavar="COLUMN", help="The column of the classes.")
]
TextOption = Annotated[
    str | None, typer.Option("--text", metavar="COLUMN", help="The column of the documents, for a model of documents.")
]
ExcludeOption = Annotated[
    list[str] | None, typer.Option("--exclude", "-x", metavar="COLUMN", help="Leave a column out; may be repeated.")
]
WeightOption = Annotated[
    str | None,
    typer.Option("--weight", metavar="COLUMN", help="The column that says how many rows each row stands for."),
]
OnBadRowOption = Annotated[
    OnBadRow, typer.Option("--on-bad-row", help="What to do with rows that cannot be read: stop, or leave them out.")
]
EncodingOption = Annotated[
    str | None,
    typer.Option("--encoding", metavar="NAME", help="The encoding of text, CSV and JSON files, like latin-1."),
]
SheetOption = Annotated[
    str | None, typer.Option("--sheet", metavar="NAME", help="The sheet of an Excel file; by default the first.")
]
DecimalOption = Annotated[
    str | None,
    typer.Option("--decimal", metavar="MARK", help="The decimal mark in a CSV file, . or , (found, if not given)."),
]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="Show no notes and no progress.")]


def reading_options(
    quiet: bool,
    on_bad_row: OnBadRow = "error",
    encoding: str | None = None,
    sheet: str | None = None,
    decimal: str | None = None,
) -> dict[str, Any]:
    """How rows are read: progress where the standard error is a terminal, unless quiet, and what bad rows do."""
    return {
        "progress": False if quiet else None,
        "on_bad_row": on_bad_row,
        "encoding": encoding,
        "sheet": sheet,
        "decimal": decimal,
    }
