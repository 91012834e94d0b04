"""``deciban merge``: add up tallies, models or nets of parts of a table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from deciban.cli.command import command, note
from deciban.cli.options import QuietOption

__all__ = ["merge"]


@command(
    "Counts",
    example="deciban tally tennis.csv --target PlayTennis -o tennis.tally\n"
    "deciban tally monday.csv --target PlayTennis -o monday.tally\n"
    "deciban merge tennis.tally monday.tally -o both.tally",
)
def merge(
    files: Annotated[
        list[str], typer.Argument(metavar="FILES", help="Saved tallies, models or nets, all of one kind.")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="Save the sum to this file.")],
    quiet: QuietOption = False,
) -> None:
    """Add up tallies, models or nets: the result is that of all their rows together.

    Models can be merged where they have the same columns and count them in the same way.
    """
    from deciban.models.description import describe
    from deciban.models.merging import merged
    from deciban.models.storage.file import load, save

    whole = merged([load(name) for name in files])
    save(whole, output)
    if not quiet:
        note(f"Saved {describe(whole).headline} to {output}")
