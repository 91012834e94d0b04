"""``deciban predict``: the classes of new rows."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from deciban.cli import inputs, outputs
from deciban.cli.command import command

if TYPE_CHECKING:
    from deciban.engines.files.names import DocumentFolder
    from deciban.engines.files.source import FileSource

    Source: TypeAlias = FileSource | DocumentFolder

__all__ = ["evaluate", "explain", "predict"]


@command(
    "Classifiers",
    example="deciban predict tennis.deciban tennis.csv --keep Outlook --posteriors -o predicted.csv\n"
    "deciban predict tennis.deciban day.json",
)
def predict(
    model: inputs.ModelArgument,
    data: inputs.DataArgument,
    keep: Annotated[
        list[str] | None, typer.Option("--keep", metavar="COLUMN", help="Keep a column of the input; may be repeated.")
    ] = None,
    keep_all: Annotated[bool, typer.Option("--keep-all", help="Keep all columns of the input.")] = False,
    posteriors: Annotated[bool, typer.Option("--posteriors", help="Also show P(class | row) of every class.")] = False,
    text: inputs.TextOption = None,
    output: outputs.OutputOption = None,
    form: outputs.FormatOption = None,
    on_bad_row: inputs.OnBadRowOption = "error",
    encoding: inputs.EncodingOption = None,
    sheet: inputs.SheetOption = None,
    decimal: inputs.DecimalOption = None,
    quiet: inputs.QuietOption = False,
) -> None:
    """Predict the class of each row, and the posterior of this class.

    The rows are a table, whose batches are read, predicted and written one by one; or JSON: an object with the values
    of one row by column, or an array of such objects, which may leave out columns whose values are not known.
    """
    from deciban.models.batches import in_types_of, predict_batches, predict_record

    fitted = inputs.load_classifier(model)
    kept = None if keep_all else keep or []
    reading = inputs.reading_options(quiet, on_bad_row, encoding, sheet, decimal)
    with inputs.named_rows(data) as rows:
        if isinstance(rows, list):
            outputs.write_records(
                [predict_record(fitted, row, text=text, keep=kept, posteriors=posteriors) for row in rows], output, form
            )
            return
        with inputs.opened_table(rows, **reading) as source, outputs.writing(output, form) as writer:
            batches = in_types_of(fitted, source).batches()
            for predicted in predict_batches(fitted, batches, text=text, keep=kept, posteriors=posteriors):
                writer.write(predicted)


@command(
    "Classifiers",
    example="deciban evaluate tennis.deciban tennis.csv",
)
def evaluate(
    model: inputs.ModelArgument,
    data: inputs.DataArgument,
    target: inputs.TargetOption = None,
    text: inputs.TextOption = None,
    output: outputs.OutputOption = None,
    form: outputs.TextFormatOption = "text",
    on_bad_row: inputs.OnBadRowOption = "error",
    encoding: inputs.EncodingOption = None,
    sheet: inputs.SheetOption = None,
    decimal: inputs.DecimalOption = None,
    quiet: inputs.QuietOption = False,
) -> None:
    """Score a classifier on labelled rows: accuracy, log loss, calibration, and a confusion matrix.

    Scores have 95 % confidence intervals, and the baseline beside them: the scores of the class shares alone. Rows that
    the model has learned give scores that are too good: `deciban fit` shows their scores by leave-one-out.
    """
    from deciban.models.batches import evaluate_batches, in_types_of

    fitted = inputs.load_classifier(model)
    reading = inputs.reading_options(quiet, on_bad_row, encoding, sheet, decimal)
    with inputs.opened_table(data, labelled=True, **reading) as source:
        rows = in_types_of(fitted, source, is_labelled=True, target=target)
        report = evaluate_batches(fitted, rows.batches(), target=target, text=text)
    if form == "json":
        outputs.write_json(report.to_dict(), output)
    else:
        outputs.write_text(str(report), output)


@command(
    "Classifiers",
    example="deciban explain tennis.deciban day.json",
)
def explain(
    model: inputs.ModelArgument,
    data: inputs.DataArgument,
    against: Annotated[
        str | None, typer.Option("--against", metavar="CLASS", help="The class to compare with; else the next best.")
    ] = None,
    rows: Annotated[int, typer.Option("--rows", min=1, help="How many rows are explained, at most.")] = 10,
    text: inputs.TextOption = None,
    output: outputs.OutputOption = None,
    form: outputs.TextFormatOption = "text",
    encoding: inputs.EncodingOption = None,
    sheet: inputs.SheetOption = None,
    on_bad_row: inputs.OnBadRowOption = "error",
    decimal: inputs.DecimalOption = None,
) -> None:
    """Show predictions as sums of weights of evidence, in decibans, the largest first.

    The rows are JSON, an object with the values of one row by column or an array of such objects; or a table. 10
    decibans are odds of 10 to 1, 3 decibans about 2 to 1.
    """
    from deciban.models.batches import class_named, in_types_of, row_values

    fitted = inputs.load_classifier(model)
    other = class_named(fitted, against)
    reading = inputs.reading_options(True, on_bad_row, encoding, sheet, decimal)
    typed = partial(in_types_of, fitted)
    explained = [fitted.explain(row_values(fitted, row, text), other) for row in _rows(data, rows, typed, reading)]
    if form == "json":
        outputs.write_json([explanation.to_dict() for explanation in explained], output)
    else:
        outputs.write_text("\n\n".join(map(str, explained)), output)


def _rows(data: str, most: int, typed: Callable[[Source], Source], reading: inputs.Reading) -> list[Any]:
    """The first rows as mappings of names to values; `typed` reads files in the types of the model."""
    with inputs.named_rows(data) as rows:
        if isinstance(rows, list):
            return rows[:most]
        with inputs.opened_table(rows, **reading) as source:
            # only so many rows become Python objects
            batches = (batch.slice(0, most).to_pylist() for batch in typed(source).batches())
            return [*islice((row for batch in batches for row in batch), most)]
