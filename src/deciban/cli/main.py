"""The program ``deciban``: the list of its commands."""

from __future__ import annotations

import io
import sys
from typing import Annotated

import typer

from deciban.cli.commands.count import forget, merge, tally
from deciban.cli.commands.demo import demo
from deciban.cli.commands.describe import inspect, report, sql
from deciban.cli.commands.fit import fit
from deciban.cli.commands.graphs import discover, search
from deciban.cli.commands.nets import convert, do, query, sample
from deciban.cli.commands.predict import evaluate, explain, predict
from deciban.cli.commands.serve import serve

__all__ = ["COMMANDS", "app"]

COMMANDS = (
    demo,
    fit,
    predict,
    evaluate,
    explain,
    inspect,
    report,
    tally,
    merge,
    forget,
    sql,
    discover,
    search,
    query,
    do,
    sample,
    convert,
    serve,
)
"""In the order of ``deciban --help``."""

app = typer.Typer(
    name="deciban",
    help="Bayesian classifiers and Bayes nets, by counting.",
    epilog="`deciban demo --files .` writes the files of all examples.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(requested: bool) -> None:
    if requested:
        from importlib.metadata import version  # it takes longer than most of the start

        typer.echo(f"deciban {version('deciban')}")
        raise typer.Exit


@app.callback()
def main(
    _version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Bayesian classifiers and Bayes nets, by counting."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # print "?" for characters that the terminal cannot encode


for entry in COMMANDS:
    entry.register(app)
