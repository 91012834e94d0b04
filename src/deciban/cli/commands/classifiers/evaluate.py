"""``deciban evaluate``: the scores of a classifier on labelled rows."""

from __future__ import annotations

from deciban.cli.command import command
from deciban.cli.inputs import DataArgument, ModelArgument, load_classifier, opened_table
from deciban.cli.options import (
    DecimalOption,
    EncodingOption,
    OnBadRow,
    OnBadRowOption,
    QuietOption,
    SheetOption,
    TargetOption,
    TextOption,
    reading_options,
)
from deciban.cli.outputs import OutputOption, TextFormat, TextFormatOption, write_json, write_text

__all__ = ["evaluate"]


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
    form: TextFormatOption = TextFormat.TEXT,
    on_bad_row: OnBadRowOption = OnBadRow.ERROR,
    encoding: EncodingOption = None,
    sheet: SheetOption = None,
    decimal: DecimalOption = None,
    quiet: QuietOption = False,
) -> None:
    """Score a classifier on labelled rows: accuracy, log loss, calibration, and a confusion matrix.

    Scores have 95 % confidence intervals, and the baseline beside them: the scores of the class shares alone. Rows that
    the model has learned give scores that are too good: `deciban fit` shows their scores by leave-one-out.
    """
    from deciban.models.scoring import evaluate_batches, in_types_of

    fitted = load_classifier(model)
    reading = reading_options(quiet, on_bad_row, encoding, sheet, decimal)
    with opened_table(data, labelled=True, **reading) as source:
        rows = in_types_of(fitted, source, is_labelled=True, target=target)
        report = evaluate_batches(fitted, rows.batches(), target=target, text=text)
    if form is TextFormat.JSON:
        write_json(report.to_dict(), output)
    else:
        write_text(str(report), output)
