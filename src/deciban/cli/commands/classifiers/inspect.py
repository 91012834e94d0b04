"""``deciban inspect``: what is in a model, a net or a tally."""

from __future__ import annotations

from typing import Annotated

import typer

from deciban.cli.command import command
from deciban.cli.outputs import OutputOption, TextFormat, TextFormatOption, write_json, write_text

__all__ = ["inspect"]


@command(
    "Classifiers",
    example="deciban inspect tennis.deciban\ndeciban inspect garden.bif",
)
def inspect(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE", help="A saved model, net or tally, or a Bayes net: BIF, XMLBIF, NET, UAI, XDSL."
        ),
    ],
    output: OutputOption = None,
    form: TextFormatOption = TextFormat.TEXT,
) -> None:
    """Show what is in a file: the kind of model, its classes with their rows, its columns and its settings."""
    from deciban.models.description import describe_file

    found = describe_file(file)
    if form is TextFormat.JSON:
        write_json(found.to_dict(), output)
    else:
        write_text(str(found), output)
