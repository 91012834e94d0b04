"""``deciban convert``: network files of one format to another."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from deciban.cli.command import command
from deciban.cli.net_files import FORMATS, read_net_file, write_net_file
from deciban.cli.outputs import write_records

__all__ = ["convert"]


class NetFormat(StrEnum):
    """The formats of ``FORMATS``."""

    BIF = "bif"
    XMLBIF = "xmlbif"
    NET = "net"
    UAI = "uai"
    XDSL = "xdsl"
    JSON = "json"
    DECIBAN = "deciban"


def _list_formats(requested: bool) -> None:
    if requested:
        write_records([{"format": name, "suffixes": own, "of": what} for name, (own, what) in FORMATS.items()])
        raise typer.Exit


@command("Bayes nets", example="deciban convert garden.bif garden.xdsl\ndeciban convert --list")
def convert(
    source: Annotated[str, typer.Argument(metavar="NET", help="The net to read.")],
    target: Annotated[Path, typer.Argument(metavar="FILE", help="The file to write; .gz at its end compresses it.")],
    read_as: Annotated[
        NetFormat | None, typer.Option("--from", help="The format of the net, if its name does not say it.")
    ] = None,
    write_as: Annotated[
        NetFormat | None, typer.Option("--to", help="The format of the file, if its name does not say it.")
    ] = None,
    _list: Annotated[
        bool, typer.Option("--list", callback=_list_formats, is_eager=True, help="List the formats and exit.")
    ] = False,
) -> None:
    """Write a Bayes net in another format, with the same tables to the last digit."""
    write_net_file(read_net_file(source, read_as and read_as.value), target, write_as and write_as.value)
