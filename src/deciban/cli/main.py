"""The commands of ``deciban``, one function each."""

from __future__ import annotations

import io
import sys
from importlib.metadata import version
from typing import Annotated

import typer

__all__ = ["app"]

app = typer.Typer(
    name="deciban",
    help="Bayesian classifiers and Bayes nets, by counting.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_show_locals=False,
)


def _show_version(requested: bool) -> None:
    if requested:
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


@app.command()
def demo() -> None:
    """Show naive Bayes step by step, a comparison with scikit-learn, and a Bayes net."""
    from deciban.cli.demo import run_demo  # noqa: PLC0415  loads scikit-learn, which other commands do not need

    run_demo()
