"""``deciban predict``: the classes of new rows."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from deciban.cli.command import command
from deciban.cli.inputs import DataArgument, ModelArgument, load_classifier, named_rows, opened_table
from deciban.cli.options import (
    DecimalOption,
    EncodingOption,
    OnBadRow,
    OnBadRowOption,
    QuietOption,
    SheetOption,
    TextOption,
    reading_options,
)
from deciban.cli.outputs import FormatOption, OutputOption, write_records, writing

__all__ = ["predict"]


@command(
    "Classifiers",
    example="deciban predict tennis.deciban tennis.csv --keep Outlook --posteriors -o predicted.csv\n"
    "deciban predict tennis.deciban day.json",
)
def predict(
    model: ModelArgument,
    data: DataArgument,
    keep: Annotated[
        list[str] | None, typer.Option("--keep", metavar="COLUMN", help="Keep a column of the input; may be repeated.")
    ] = None,
    keep_all: Annotated[bool, typer.Option("--keep-all", help="Keep all columns of the input.")] = False,
    posteriors: Annotated[bool, typer.Option("--posteriors", help="Also show P(class | row) of every class.")] = False,
    text: TextOption = None,
    output: OutputOption = None,
    form: FormatOption = None,
    on_bad_row: OnBadRowOption = OnBadRow.ERROR,
    encoding: EncodingOption = None,
    sheet: SheetOption = None,
    decimal: DecimalOption = None,
    quiet: QuietOption = False,
) -> None:
    """Predict the class of each row, and the posterior of this class.

    The rows are a table, whose batches are read, predicted and written one by one; or JSON: an object with the values
    of one row by column, or an array of such objects, which may leave out columns whose values are not known.
    """
    from deciban.models.scoring import in_types_of, predict_batches, predict_record

    fitted = load_classifier(model)
    wanted: dict[str, Any] = {"text": text, "keep": None if keep_all else keep or [], "posteriors": posteriors}
    reading = reading_options(quiet, on_bad_row, encoding, sheet, decimal)
    with named_rows(data) as rows:
        if isinstance(rows, list):
            write_records([predict_record(fitted, row, **wanted) for row in rows], output, form)
            return
        with opened_table(rows, **reading) as source, writing(output, form) as writer:
            for batch in predict_batches(fitted, in_types_of(fitted, source).batches(), **wanted):
                writer.write(batch)
