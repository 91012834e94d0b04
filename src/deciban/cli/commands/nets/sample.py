"""``deciban sample``: rows from a Bayes net."""

from __future__ import annotations

from typing import Annotated

import typer

from deciban.cli.command import command, note
from deciban.cli.net_files import GivenOption, NetArgument, read_evidence, read_net_file
from deciban.cli.outputs import Format, FormatOption, OutputOption, chosen_format, write_table

__all__ = ["sample"]


@command("Bayes nets", example="deciban sample garden.bif -n 1000 --seed 1 --given wet=yes -o rows.csv")
def sample(
    net: NetArgument,
    n: Annotated[int, typer.Option("--rows", "-n", min=0, help="The number of rows.")] = 100,
    seed: Annotated[int | None, typer.Option(min=0, help="The same seed gives the same rows.")] = None,
    given: GivenOption = None,
    actions: Annotated[
        str | None, typer.Option("--do", metavar="STATES", help="States that are set by an intervention first.")
    ] = None,
    form: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Draw rows from a Bayes net, exactly, also given observed states.

    They are CSV, unless --format or the name of the file says otherwise.
    """
    opened = read_net_file(net)
    if actions:
        opened = opened.do(read_evidence(opened, actions))
    rows = opened.sample(n, random_state=seed, evidence=read_evidence(opened, given) or None)
    if isinstance(rows, dict):
        from deciban.read.frames import make_frame

        rows = make_frame({str(node): drawn for node, drawn in rows.items()}, "pyarrow")
    if form is None and chosen_format(form, output) is Format.TABLE:
        form = Format.CSV
    write_table(rows, output, form)
    if output is not None:
        note(f"Wrote {output}: {len(rows):,} rows")
