"""``deciban fit``: learn a classifier from a table or from documents."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from deciban.cli.command import command, note
from deciban.cli.commands.classifiers.estimators import DOCUMENT_MODELS, ModelName, Settings, make_models
from deciban.cli.inputs import DataArgument, opened_table
from deciban.cli.options import OnBadRow, OnBadRowOption, QuietOption, TargetOption, TextOption, WeightOption
from deciban.cli.outputs import TextFormat, TextFormatOption, write_json, write_text

if TYPE_CHECKING:
    from deciban.models.fitting import Fitted

__all__ = ["fit"]

_MOST_COLUMNS, _STRONGEST = 40, 5


class Missing(StrEnum):
    """What a missing value is."""

    AUTO = "auto"
    SKIP = "skip"
    STATE = "state"
    ERROR = "error"


class Calibration(StrEnum):
    """How posteriors are calibrated."""

    TEMPERATURE = "temperature"
    ISOTONIC = "isotonic"


@command("Classifiers", example="deciban fit tennis.csv --target PlayTennis -o tennis.deciban")
def fit(
    data: DataArgument,
    target: TargetOption = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Save the model to this file.")] = None,
    model: Annotated[
        ModelName | None,
        typer.Option(
            help="The kind of model: naive (the default for tables), tan, net, aode, kdb or combined; for documents "
            "text (the default) or ratio. auto compares them by cross-validation."
        ),
    ] = None,
    text: TextOption = None,
    exclude: Annotated[
        list[str] | None, typer.Option("--exclude", "-x", metavar="COLUMN", help="Leave a column out; may be repeated.")
    ] = None,
    weight: WeightOption = None,
    missing: Annotated[Missing | None, typer.Option(help="What a missing value is: no evidence, or a state.")] = None,
    na_values: Annotated[
        list[str] | None, typer.Option("--na-values", metavar="VALUE", help="Also missing, like ?; may be repeated.")
    ] = None,
    smoothing: Annotated[
        str | None, typer.Option(metavar="RULE", help="laplace, jeffreys, mle, or a number of pseudo-counts.")
    ] = None,
    priors: Annotated[
        str | None, typer.Option(metavar="PRIORS", help="empirical, uniform, or probabilities: yes=0.1,no=0.9.")
    ] = None,
    calibrate: Annotated[Calibration | None, typer.Option(help="Calibrate the posteriors by leave-one-out.")] = None,
    seed: Annotated[int, typer.Option(help="The seed of random choices.")] = 0,
    checkpoint: Annotated[
        Path | None, typer.Option(help="Keep what was counted here, to continue where an interrupted call ended.")
    ] = None,
    on_bad_row: OnBadRowOption = OnBadRow.ERROR,
    form: TextFormatOption = TextFormat.TEXT,
    quiet: QuietOption = False,
) -> None:
    """Learn a classifier; print its columns, its scores by exact leave-one-out, and the strongest columns.

    The data are a table, or documents: a column of a table (--text), or a folder with a folder for each class, which
    holds one file for each document.
    """
    settings = Settings(missing, tuple(na_values or ()), smoothing, priors, seed)
    reading = {"checkpoint": checkpoint, "progress": False if quiet else None, "on_bad_row": on_bad_row.value}
    with opened_table(data, labelled=True, **reading) as source:
        is_documents = text is not None or model in DOCUMENT_MODELS or not hasattr(source, "count")
        kind = model or (ModelName.TEXT if is_documents else ModelName.NAIVE)
        if is_documents and kind not in (*DOCUMENT_MODELS, ModelName.AUTO):
            raise typer.BadParameter(f"{kind} is for tables; documents need text, ratio or auto.", param_hint="--model")
        options: dict[str, Any] = {"sample_weight": weight, "calibrate": calibrate, "random_state": seed}
        models = make_models(kind, settings, documents=is_documents)
        if is_documents:
            _refuse_excluded(exclude)
            from deciban.models.fitting import fit_documents

            fitted = fit_documents(models, source, text=text or "text", target=target or "label", **options)
        else:
            from deciban.models.fitting import fit_table

            target = _required(target, source.names)
            fitted = fit_table(models, source, target, exclude=exclude or (), **options)
    if output is not None:
        from deciban.models.storage.file import save

        save(fitted.model, output)
    if form is TextFormat.JSON:
        write_json(_as_dict(fitted))
    else:
        write_text("\n".join(_lines(fitted)))
    if not quiet:
        note(f"Saved {output}" if output is not None else "Not saved: name a file with -o.")


def _required(target: str | None, names: tuple[str, ...]) -> str:
    if target is not None:
        return target
    shown = ", ".join(names[:_MOST_COLUMNS])
    raise typer.BadParameter(f"name the column of the classes, one of: {shown}.", param_hint="--target")


def _refuse_excluded(exclude: list[str] | None) -> None:
    if exclude:
        raise typer.BadParameter("a model of documents has no columns to leave out.", param_hint="--exclude")


def _lines(fitted: Fitted) -> Iterator[str]:
    """What was found, for reading."""
    from deciban.models.description import describe

    if fitted.selection is not None:
        yield f"Cross-validation: {fitted.selection}\n"
    yield f"{describe(fitted.model).headline}\n"
    yield from _column_lines(fitted)
    yield from _score_lines(fitted)
    for name, share in fitted.summary.copies.items():
        note(
            f"Warning: column {name!r} agrees with the target in {share:.1%} of the rows. Leave it out with --exclude if "
            "it is not known before the class is."
        )


def _column_lines(fitted: Fitted) -> Iterator[str]:
    from deciban.cli.show import aligned

    for label, tokens in fitted.summary.tokens.items():
        yield f"Strongest tokens for {label}: {', '.join(f'{token} {db:+.1f}' for token, db in tokens)} decibans"
    strengths = fitted.summary.strengths
    if not strengths:
        return
    schema = [*getattr(fitted.model, "schema_", ())]
    heads = ("column", "distribution", "decibans", "reason")
    rows = [
        dict(
            zip(heads, (p.name, type(p.distribution).__name__, _rounded(strengths.get(p.name)), p.reason), strict=True)
        )
        for p in schema[:_MOST_COLUMNS]
    ]
    yield aligned(heads, rows)
    if len(schema) > len(rows):
        yield f"… {len(schema) - len(rows)} more: deciban inspect lists all"
    strongest = [f"{name} {db:.2f}" for name, db in [*strengths.items()][:_STRONGEST]]
    yield f"\nStrongest columns: {', '.join(strongest)} (mean weight of evidence for the class of a row, in decibans)"


def _rounded(db: float | None) -> float | None:
    return None if db is None else round(db, 3) + 0.0


def _score_lines(fitted: Fitted) -> Iterator[str]:
    from deciban.cli.show import scores_text

    summary = fitted.summary
    if summary.report is not None:
        yield f"\nScores by {summary.how}:\n{scores_text(summary.report)}"


def _as_dict(fitted: Fitted) -> dict[str, Any]:
    from dataclasses import asdict

    from deciban.models.description import describe

    summary = fitted.summary
    return {
        "model": describe(fitted.model).to_dict(),
        "selection": None
        if fitted.selection is None
        else {**asdict(fitted.selection), "reason": fitted.selection.reason},
        "scores": None if summary.report is None else {"rows": summary.scored, **summary.report.to_dict()},
        "strengths": dict(summary.strengths),
        "tokens": {label: dict(tokens) for label, tokens in summary.tokens.items()},
        "near_copies": dict(summary.copies),
    }
