"""``deciban demo``: the examples of the documentation, and their files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from deciban.cli.command import command, note

__all__ = ["demo"]


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
