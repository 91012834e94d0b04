"""``deciban predict``: the classes of new rows."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from deciban.cli.command import command
from deciban.cli.inputs import DataArgument, ModelArgument, load_classifier, named_rows, opened_table
from deciban.cli.options import OnBadRow, OnBadRowOption, QuietOption, TextOption
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
    quiet: QuietOption = False,
) -> None:
    """Predict the class of each row, and the posterior of this class.

    The rows are a table, whose batches are read, predicted and written one by one; or JSON: an object with the values
    of one row by column, or an array of such objects, which may leave out columns whose values are not known.
    """
    fitted = load_classifier(model)
    with named_rows(data) as rows:
        if isinstance(rows, list):
            kept = None if keep_all else keep or []
            write_records([_predicted(fitted, row, kept, posteriors, text) for row in rows], output, form)
            return
        _predict_table(
            fitted, rows, None if keep_all else keep or [], posteriors, text, output, form, on_bad_row, quiet
        )


def _predict_table(
    fitted: Any,
    rows: str,
    keep: list[str] | None,
    posteriors: bool,
    text: str | None,
    output: OutputOption,
    form: FormatOption,
    on_bad_row: OnBadRow,
    quiet: bool,
) -> None:
    from deciban.models.scoring import predict_batches

    with opened_table(rows, progress=False if quiet else None, on_bad_row=on_bad_row.value) as source:
        batches = predict_batches(fitted, source.batches(), text=text, keep=keep, posteriors=posteriors)
        with writing(output, form) as writer:
            for batch in batches:
                writer.write(batch)


def _predicted(fitted: Any, row: Any, keep: list[str] | None, posteriors: bool, text: str | None) -> dict[str, Any]:
    """The prediction for one row, as the columns of the table would have it."""
    from deciban.models.scoring import predict_record

    return predict_record(fitted, row, text=text, keep=keep, posteriors=posteriors)
