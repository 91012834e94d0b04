"""``deciban predict``: the classes of new rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from itertools import islice
from typing import Annotated, Any

import typer

from deciban.cli.command import command
from deciban.cli.inputs import (
    DataArgument,
    DecimalOption,
    EncodingOption,
    ModelArgument,
    OnBadRowOption,
    QuietOption,
    SheetOption,
    TargetOption,
    TextOption,
    load_classifier,
    named_rows,
    opened_table,
    reading_options,
)
from deciban.cli.outputs import (
    FormatOption,
    OutputOption,
    TextFormatOption,
    write_json,
    write_records,
    write_text,
    writing,
)

__all__ = ["evaluate", "explain", "predict"]


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
    on_bad_row: OnBadRowOption = "error",
    encoding: EncodingOption = None,
    sheet: SheetOption = None,
    decimal: DecimalOption = None,
    quiet: QuietOption = False,
) -> None:
    """Predict the class of each row, and the posterior of this class.

    The rows are a table, whose batches are read, predicted and written one by one; or JSON: an object with the values
    of one row by column, or an array of such objects, which may leave out columns whose values are not known.
    """
    from deciban.models.batches import in_types_of, predict_batches, predict_record

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


@command(
    "Classifiers",
    example="deciban evaluate tennis.deciban tennis.csv",
)
def evaluate(
    model: ModelArgument,
    data: DataArgument,
    target: TargetOption = None,
    text: TextOption = None,
    output: OutputOption = None,
    form: TextFormatOption = "text",
    on_bad_row: OnBadRowOption = "error",
    encoding: EncodingOption = None,
    sheet: SheetOption = None,
    decimal: DecimalOption = None,
    quiet: QuietOption = False,
) -> None:
    """Score a classifier on labelled rows: accuracy, log loss, calibration, and a confusion matrix.

    Scores have 95 % confidence intervals, and the baseline beside them: the scores of the class shares alone. Rows that
    the model has learned give scores that are too good: `deciban fit` shows their scores by leave-one-out.
    """
    from deciban.models.batches import evaluate_batches, in_types_of

    fitted = load_classifier(model)
    reading = reading_options(quiet, on_bad_row, encoding, sheet, decimal)
    with opened_table(data, labelled=True, **reading) as source:
        rows = in_types_of(fitted, source, is_labelled=True, target=target)
        report = evaluate_batches(fitted, rows.batches(), target=target, text=text)
    if form == "json":
        write_json(report.to_dict(), output)
    else:
        write_text(str(report), output)


@command(
    "Classifiers",
    example="deciban explain tennis.deciban day.json",
)
def explain(
    model: ModelArgument,
    data: DataArgument,
    against: Annotated[
        str | None, typer.Option("--against", metavar="CLASS", help="The class to compare with; else the next best.")
    ] = None,
    rows: Annotated[int, typer.Option("--rows", min=1, help="How many rows are explained, at most.")] = 10,
    text: TextOption = None,
    output: OutputOption = None,
    form: TextFormatOption = "text",
    encoding: EncodingOption = None,
    sheet: SheetOption = None,
    on_bad_row: OnBadRowOption = "error",
    decimal: DecimalOption = None,
) -> None:
    """Show predictions as sums of weights of evidence, in decibans, the largest first.

    The rows are JSON, an object with the values of one row by column or an array of such objects; or a table. 10
    decibans are odds of 10 to 1, 3 decibans about 2 to 1.
    """
    from deciban.models.batches import class_named, in_types_of, row_values

    fitted = load_classifier(model)
    other = class_named(fitted, against)
    reading = reading_options(True, on_bad_row, encoding, sheet, decimal)
    held = _rows(data, rows, partial(in_types_of, fitted), reading)
    found = [fitted.explain(row_values(fitted, row, text), other) for row in held]
    if form == "json":
        write_json([explanation.to_dict() for explanation in found], output)
    else:
        write_text("\n\n".join(map(str, found)), output)


def _rows(data: str, most: int, typed: Callable[[Any], Any], reading: Mapping[str, Any]) -> list[Any]:
    """The first rows as mappings of names to values; `typed` reads files in the types of the model."""
    with named_rows(data) as rows:
        if isinstance(rows, list):
            return rows[:most]
        with opened_table(rows, **reading) as source:
            batches = (batch.slice(0, most).to_pylist() for batch in typed(source).batches())
            return [*islice((row for batch in batches for row in batch), most)]
