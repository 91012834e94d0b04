"""``deciban explain``: the arithmetic of predictions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from itertools import islice
from typing import Annotated, Any

import typer

from deciban.cli.command import command
from deciban.cli.inputs import DataArgument, ModelArgument, load_classifier, named_rows, opened_table
from deciban.cli.options import (
    DecimalOption,
    EncodingOption,
    OnBadRow,
    OnBadRowOption,
    SheetOption,
    TextOption,
    reading_options,
)
from deciban.cli.outputs import OutputOption, TextFormat, TextFormatOption, write_json, write_text

__all__ = ["explain"]


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
    form: TextFormatOption = TextFormat.TEXT,
    encoding: EncodingOption = None,
    sheet: SheetOption = None,
    on_bad_row: OnBadRowOption = OnBadRow.ERROR,
    decimal: DecimalOption = None,
) -> None:
    """Show predictions as sums of weights of evidence, in decibans, the largest first.

    The rows are JSON, an object with the values of one row by column or an array of such objects; or a table. 10
    decibans are odds of 10 to 1, 3 decibans about 2 to 1.
    """
    from deciban.models.scoring import class_named, in_types_of, row_values

    fitted = load_classifier(model)
    other = class_named(fitted, against)
    reading = reading_options(True, on_bad_row, encoding, sheet, decimal)
    held = _rows(data, rows, partial(in_types_of, fitted), reading)
    found = [fitted.explain(row_values(fitted, row, text), other) for row in held]
    if form is TextFormat.JSON:
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
