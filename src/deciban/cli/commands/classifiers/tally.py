"""``deciban tally``: count a table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from deciban.cli.command import command, note
from deciban.cli.inputs import TableArgument, named_source
from deciban.cli.options import (
    DecimalOption,
    EncodingOption,
    OnBadRow,
    OnBadRowOption,
    QuietOption,
    SheetOption,
    WeightOption,
    reading_options,
)
from deciban.cli.outputs import write_text

__all__ = ["tally"]


@command("Counts", example="deciban tally tennis.csv --target PlayTennis -o tennis.tally")
def tally(
    data: TableArgument,
    target: Annotated[str, typer.Option("--target", "-t", metavar="COLUMN", help="The column of the classes.")],
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Save the tally to this file.")] = None,
    weight: WeightOption = None,
    checkpoint: Annotated[
        Path | None, typer.Option(help="Keep what was counted here, to continue where an interrupted call ended.")
    ] = None,
    on_bad_row: OnBadRowOption = OnBadRow.ERROR,
    encoding: EncodingOption = None,
    sheet: SheetOption = None,
    decimal: DecimalOption = None,
    quiet: QuietOption = False,
) -> None:
    """Count a table: moments of its float columns, counts of all others, within each class.

    Tallies of parts of a table can be added (`deciban merge`), and `deciban fit` makes a naive Bayes model of a tally.
    Without -o the tally is printed.
    """
    from deciban.engines.tally import tally as count
    from deciban.models.storage.file import save

    with named_source(data) as name:
        counted = count(
            name,
            target=target,
            sample_weight=weight,
            checkpoint=checkpoint,
            **reading_options(quiet, on_bad_row, encoding, sheet, decimal),
        )
    if output is None:
        write_text(str(counted))
        return
    save(counted, output)
    if not quiet:
        note(f"Saved {counted!r} to {output}")
