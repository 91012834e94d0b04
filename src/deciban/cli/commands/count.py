"""``deciban tally``: count a table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from deciban.cli import inputs, outputs
from deciban.cli.command import command, note

__all__ = ["forget", "merge", "tally"]


@command("Counts", example="deciban tally tennis.csv --target PlayTennis -o tennis.tally")
def tally(
    data: inputs.TableArgument,
    target: Annotated[str, typer.Option("--target", "-t", metavar="COLUMN", help="The column of the classes.")],
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Save the tally to this file.")] = None,
    weight: inputs.WeightOption = None,
    checkpoint: Annotated[
        Path | None, typer.Option(help="Keep what was counted here, to continue where an interrupted call ended.")
    ] = None,
    on_bad_row: inputs.OnBadRowOption = "error",
    encoding: inputs.EncodingOption = None,
    sheet: inputs.SheetOption = None,
    decimal: inputs.DecimalOption = None,
    quiet: inputs.QuietOption = False,
) -> None:
    """Count a table: moments of its float columns, counts of all others, within each class.

    Tallies of parts of a table can be added (`deciban merge`), and `deciban fit` makes a naive Bayes model of a tally.
    Without -o the tally is printed.
    """
    from deciban.engines.tally import tally as count
    from deciban.storage.model_files import save

    with inputs.named_source(data) as name:
        counted = count(
            name,
            target=target,
            sample_weight=weight,
            checkpoint=checkpoint,
            **inputs.reading_options(quiet, on_bad_row, encoding, sheet, decimal),
        )
    if output is None:
        outputs.write_text(str(counted))
        return
    save(counted, output)
    if not quiet:
        note(f"Saved {counted!r} to {output}")


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
    quiet: inputs.QuietOption = False,
) -> None:
    """Add up tallies, models or nets: the result is that of all their rows together.

    Models can be merged where they have the same columns and count them in the same way.
    """
    from deciban.models.fitting import merged
    from deciban.storage.description import describe
    from deciban.storage.model_files import load, save

    whole = merged([load(name) for name in files])
    save(whole, output)
    if not quiet:
        note(f"Saved {describe(whole).headline} to {output}")


@command(
    "Counts",
    example="deciban forget tennis.deciban monday.csv",
)
def forget(
    model: inputs.ModelArgument,
    data: inputs.DataArgument,
    target: inputs.TargetOption = None,
    text: inputs.TextOption = None,
    weight: inputs.WeightOption = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Save the model to this file; by default it is replaced.")
    ] = None,
    encoding: inputs.EncodingOption = None,
    sheet: inputs.SheetOption = None,
    decimal: inputs.DecimalOption = None,
    quiet: inputs.QuietOption = False,
) -> None:
    """Remove labelled rows from a classifier by subtracting their counts; the data are not needed again.

    Rows that were not learned are an error where the counts show it, and the model file stays as it is. What was chosen
    from the rows of the fit (distributions of columns, weights) is kept; a calibration is removed.
    """
    from deciban.models.batches import forget_batches, in_types_of
    from deciban.storage.description import describe
    from deciban.storage.model_files import save

    fitted = inputs.load_classifier(model)
    before = getattr(fitted, "tally_", None)
    with inputs.opened_table(
        data, labelled=True, **inputs.reading_options(quiet, encoding=encoding, sheet=sheet, decimal=decimal)
    ) as source:
        rows = in_types_of(fitted, source, is_labelled=True, target=target).batches()
        forget_batches(fitted, rows, target=target, text=text, sample_weight=weight)
    save(fitted, output or model)
    if not quiet and before is not None:
        removed = before.total - fitted.tally_.total
        note(f"Removed {removed:,.6g} rows; saved {describe(fitted).headline} to {output or model}")
