"""``deciban forget``: remove rows from a classifier, as if they had never been learned."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from deciban.cli.command import command, note
from deciban.cli.inputs import DataArgument, ModelArgument, load_classifier, opened_table
from deciban.cli.options import (
    DecimalOption,
    EncodingOption,
    QuietOption,
    SheetOption,
    TargetOption,
    TextOption,
    WeightOption,
    reading_options,
)

__all__ = ["forget"]


@command(
    "Counts",
    example="deciban forget tennis.deciban monday.csv",
)
def forget(
    model: ModelArgument,
    data: DataArgument,
    target: TargetOption = None,
    text: TextOption = None,
    weight: WeightOption = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Save the model to this file; by default it is replaced.")
    ] = None,
    encoding: EncodingOption = None,
    sheet: SheetOption = None,
    decimal: DecimalOption = None,
    quiet: QuietOption = False,
) -> None:
    """Remove labelled rows from a classifier by subtracting their counts; the data are not needed again.

    Rows that were not learned are an error where the counts show it, and the model file stays as it is. What was chosen
    from the rows of the fit (distributions of columns, weights) is kept; a calibration is removed.
    """
    from deciban.models.description import describe
    from deciban.models.scoring import forget_batches, in_types_of
    from deciban.models.storage.file import save

    fitted = load_classifier(model)
    before = getattr(fitted, "tally_", None)
    with opened_table(
        data, labelled=True, **reading_options(quiet, encoding=encoding, sheet=sheet, decimal=decimal)
    ) as source:
        rows = in_types_of(fitted, source, is_labelled=True, target=target).batches()
        forget_batches(fitted, rows, target=target, text=text, sample_weight=weight)
    save(fitted, output or model)
    if not quiet and before is not None:
        removed = before.total - fitted.tally_.total
        note(f"Removed {removed:,.6g} rows; saved {describe(fitted).headline} to {output or model}")
