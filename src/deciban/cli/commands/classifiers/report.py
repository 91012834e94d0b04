"""``deciban report``: one page about a classifier and its data."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from deciban.cli.command import command, note
from deciban.cli.inputs import DataArgument, ModelArgument, load_classifier, opened_table
from deciban.cli.options import OnBadRow, OnBadRowOption, QuietOption, TargetOption, TextOption

__all__ = ["report"]


@command("Classifiers", example="deciban report tennis.deciban tennis.csv -o report.html")
def report(
    model: ModelArgument,
    data: DataArgument,
    output: Annotated[Path, typer.Option("--output", "-o", help="Write the page to this file.")],
    target: TargetOption = None,
    text: TextOption = None,
    title: Annotated[str | None, typer.Option(help="The heading of the page.")] = None,
    on_bad_row: OnBadRowOption = OnBadRow.ERROR,
    quiet: QuietOption = False,
) -> None:
    """Write a self-contained HTML page: data, scores, curves, strongest evidence, and a panel to try values.

    The rows are those that the model has learned, which are scored by leave-one-out, or others with their classes.
    """
    from deciban.models.scoring import labelled_rows
    from deciban.reports.report import report as make_report

    fitted = load_classifier(model)
    reading = {"progress": False if quiet else None, "on_bad_row": on_bad_row.value}
    with opened_table(data, labelled=True, **reading) as source:
        rows, labels = labelled_rows(fitted, source.read(), target=target, text=text)
    make_report(fitted, rows, labels, path=output, title=title)
    if not quiet:
        note(f"Wrote {output} ({output.stat().st_size / 1e3:,.0f} kB)")
