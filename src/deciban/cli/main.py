"""The program ``deciban``: the list of its commands, and the two that are one call, ``demo`` and ``serve``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from deciban.cli.command import app, command, note
from deciban.cli.commands.count import forget, merge, tally
from deciban.cli.commands.describe import inspect, report, sql
from deciban.cli.commands.fit import fit
from deciban.cli.commands.graphs import discover, search
from deciban.cli.commands.nets import convert, do, query, sample
from deciban.cli.commands.predict import evaluate, explain, predict

__all__ = ["COMMANDS", "app"]


@command("Begin here", example="deciban demo --files examples")
def demo(
    files: Annotated[
        Path | None, typer.Option(help="Write the files of all examples into this folder, and show nothing.")
    ] = None,
) -> None:
    """Show naive Bayes step by step, a comparison with scikit-learn, and a Bayes net."""
    if files is not None:
        from deciban.cli.demonstration import write_examples

        note(f"Wrote {', '.join(write_examples(files))} to {files}")
        return
    from deciban.cli.demonstration import run_demo

    run_demo()


@command("Service", example="deciban serve garden.bif --check")
def serve(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A saved model, or a network file such as .bif.")],
    host: Annotated[str, typer.Option(help="The address; one beyond this machine needs tokens.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 takes a free one.")] = 8000,
    workers: Annotated[int, typer.Option(min=1, help="The number of processes.")] = 1,
    name: Annotated[
        str | None, typer.Option(help="The name of the model in the routes /v2/models/NAME.", show_default="the file's")
    ] = None,
    tokens: Annotated[
        Path | None,
        typer.Option(
            help="A file with lines such as `read TOKEN` and `learn TOKEN`; or set DECIBAN_READ_TOKEN and "
            "DECIBAN_LEARN_TOKEN."
        ),
    ] = None,
    max_body: Annotated[int, typer.Option(min=1, help="The most bytes of a body.")] = 8 << 20,
    max_rows: Annotated[int, typer.Option(min=1, help="The most rows of a batch.")] = 10_000,
    max_columns: Annotated[int, typer.Option(min=1, help="The most values of a row.")] = 10_000,
    timeout: Annotated[float, typer.Option(min=0.1, help="The most seconds of a request.")] = 30.0,
    fold_changes: Annotated[
        int, typer.Option(min=1, help="Write the model file after so many learned or forgotten batches.")
    ] = 1_000,
    fold_seconds: Annotated[
        float, typer.Option(min=0.0, help="Write the model file this many seconds after the first of them.")
    ] = 60.0,
    access_log: Annotated[bool, typer.Option("--access-log", help="Log each request.")] = False,
    check: Annotated[bool, typer.Option("--check", help="Read the model, list the routes and exit.")] = False,
) -> None:
    """Serve a model over HTTP: predictions, explanations, queries, learning, and the Open Inference Protocol."""
    from deciban.serve.learning.live_model import Folding
    from deciban.serve.limits import Limits
    from deciban.serve.server import Settings, routes_of
    from deciban.serve.server import serve as run

    limits = Limits(body=max_body, rows=max_rows, columns=max_columns, seconds=timeout)
    folding = Folding(changes=fold_changes, seconds=fold_seconds)
    settings = Settings.of(model, name=name, tokens=tokens, limits=limits, folding=folding)
    if check:
        for line in routes_of(settings):
            typer.echo(line)
        return
    run(settings, host=host, port=port, workers=workers, access_log=access_log)


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

for entry in COMMANDS:
    entry.register()
