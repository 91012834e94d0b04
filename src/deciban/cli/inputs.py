"""What commands read: tables in files or on the standard input, and saved models."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypedDict, Unpack

import typer

from deciban.errors import FileAccessError, InputTypeError

if TYPE_CHECKING:
    from deciban.engines.files.names import DocumentFolder
    from deciban.engines.files.source import FileSource
    from deciban.models.base import BayesClassifier
    from deciban.models.text.log_count_ratio import LogCountRatio
    from deciban.models.text.text_em import TextEM


STANDARD_INPUT = "-"
_HEAD = 4096
"""The bytes by which the format of the standard input is found: it has no suffix to show it."""
_JSON = (".json", ".jsonl", ".ndjson")
_LARGEST_JSON = 1 << 20
"""A larger document is read as a table, not row by row."""
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
        raise FileAccessError("the standard input is closed: name a file with the rows.")
    # a source is opened more than once: for its columns, for the types of values, for its rows
    with TemporaryDirectory(prefix="deciban-") as folder:
        head = sys.stdin.buffer.read(_HEAD)
        copied = Path(folder) / f"standard-input{suffix_of(head)}"
        with copied.open("wb") as file:
            file.write(head)
            shutil.copyfileobj(sys.stdin.buffer, file)
        yield str(copied)


@contextmanager
def open_rows(name: str, exclude: Sequence[str] | None = None, **reading: Unpack[Reading]) -> Iterator[FileSource]:
    """The rows of a file or of the standard input, without some columns; only some are in memory at a time."""
    from deciban.engines.files.source import FileSource

    with named_source(name) as file:
        yield FileSource.of(file, **reading).without(exclude or ())


def suffix_of(head: bytes) -> str:
    r"""The suffix of a file that begins with these bytes; a compressed one is taken as CSV.

    >>> suffix_of(b'{"age": 39}'), suffix_of(b"age\tsex\n39\tMale\n"), suffix_of(b"age,sex\n")
    ('.jsonl', '.tsv', '.csv')
    """
    # binary formats first: text is told by characters that occur in them, too
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
        rows = json.loads(path.read_bytes())
    except ValueError:  # JSON Lines, which the library reads in parts
        return None
    return rows if isinstance(rows, list) else [rows]


def is_saved(name: str) -> bool:
    """Whether a file is one that deciban has saved: a model, a net or a tally."""
    if name == STANDARD_INPUT or not Path(name).is_file():
        return False
    from deciban.storage.codec import is_packed

    with Path(name).open("rb") as file:
        return is_packed(file.read(_HEAD))


def load_classifier(name: str) -> BayesClassifier | TextEM | LogCountRatio:
    """A saved classifier; an error where the file holds something else."""
    from deciban.storage.model_files import load

    model: BayesClassifier | TextEM | LogCountRatio = load(name)
    if not hasattr(model, "classes_"):
        kind = type(model).__name__
        raise InputTypeError(f"{name} holds a {kind}, not a classifier. `deciban inspect {name}` shows it.")
    return model


@contextmanager
def opened_table(
    name: str, *, labelled: bool = False, checkpoint: Path | None = None, **reading: Unpack[Reading]
) -> Iterator[FileSource | DocumentFolder]:
    """The files of a table, or the documents of a folder; `labelled` where these must be in class folders."""
    from deciban.engines.files.names import DocumentFolder, has_documents
    from deciban.engines.files.source import FileSource

    if name != STANDARD_INPUT and has_documents(Path(name)):
        yield DocumentFolder(Path(name), labelled, reading["encoding"])
        return
    with named_source(name) as source:
        yield FileSource.of(source, checkpoint=checkpoint, **reading)


def _is_json_text(head: bytes) -> bool:
    """Whether all that was read is one text in JSON: a document."""
    try:
        return isinstance(json.loads(head), str)
    except ValueError:
        return False


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


class Reading(TypedDict):
    """How rows are read."""

    progress: bool | None
    on_bad_row: OnBadRow
    encoding: str | None
    sheet: str | None
    decimal: str | None


def reading_options(
    quiet: bool,
    on_bad_row: OnBadRow = "error",
    encoding: str | None = None,
    sheet: str | None = None,
    decimal: str | None = None,
) -> Reading:
    """How rows are read: progress where the standard error is a terminal, unless quiet, and what bad rows do."""
    return {
        "progress": False if quiet else None,
        "on_bad_row": on_bad_row,
        "encoding": encoding,
        "sheet": sheet,
        "decimal": decimal,
    }
