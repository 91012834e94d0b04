"""Options that several commands have."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import typer

__all__ = [
    "DecimalOption",
    "EncodingOption",
    "ExcludeOption",
    "OnBadRow",
    "OnBadRowOption",
    "QuietOption",
    "SheetOption",
    "TargetOption",
    "TextOption",
    "WeightOption",
    "reading_options",
]


class OnBadRow(StrEnum):
    """What is done with rows that cannot be read."""

    ERROR = "error"
    SKIP = "skip"


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
    on_bad_row: OnBadRow = OnBadRow.ERROR,
    encoding: str | None = None,
    sheet: str | None = None,
    decimal: str | None = None,
) -> dict[str, Any]:
    """How rows are read: progress where the standard error is a terminal, unless quiet, and what bad rows do."""
    return {
        "progress": False if quiet else None,
        "on_bad_row": on_bad_row.value,
        "encoding": encoding,
        "sheet": sheet,
        "decimal": decimal,
    }
