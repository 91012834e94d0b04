"""``deciban fit``: learn a classifier from a table or from documents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Literal, TypedDict

import typer

from deciban.cli import inputs, outputs
from deciban.cli.command import command, note

if TYPE_CHECKING:
    from deciban.engines.files.names import DocumentFolder
    from deciban.engines.files.source import FileSource
    from deciban.estimate import ColumnDistribution, Smoothing
    from deciban.models.base import BayesClassifier
    from deciban.models.fitting import Fitted
    from deciban.models.text.log_count_ratio import LogCountRatio

__all__ = ["fit"]


_MOST_COLUMNS, _STRONGEST = 40, 5
_KEPT = "Each row is predicted without its own counts; what is chosen from all rows (cuts, weights, structure) is kept."


Missing = Literal["auto", "skip", "state", "error"]
"""What a missing value is."""


Calibration = Literal["temperature", "isotonic"]
"""How posteriors are calibrated."""


@command("Classifiers", example="deciban fit tennis.csv --target PlayTennis -o tennis.deciban")
def fit(
    data: inputs.DataArgument,
    target: inputs.TargetOption = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Save the model to this file.")] = None,
    model: Annotated[
        ModelName | None,
        typer.Option(
            help="The kind of model: naive (the default for tables), tan, net, aode, kdb or combined; for documents "
            "text (the default) or ratio. auto compares them by cross-validation."
        ),
    ] = None,
    text: inputs.TextOption = None,
    exclude: Annotated[
        list[str] | None, typer.Option("--exclude", "-x", metavar="COLUMN", help="Leave a column out; may be repeated.")
    ] = None,
    column: Annotated[
        list[str] | None,
        typer.Option(
            "--column",
            metavar="COLUMN=KIND",
            help="The distribution of a column, like age=gaussian, id=categorical or name=ignore; may be repeated.",
        ),
    ] = None,
    weight: inputs.WeightOption = None,
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
    on_bad_row: inputs.OnBadRowOption = "error",
    encoding: inputs.EncodingOption = None,
    sheet: inputs.SheetOption = None,
    decimal: inputs.DecimalOption = None,
    form: outputs.TextFormatOption = "text",
    quiet: inputs.QuietOption = False,
) -> None:
    """Learn a classifier; print its columns, its scores by exact leave-one-out, and the strongest columns.

    The data are a table, or documents: a column of a table (--text), or a folder with a folder for each class, which
    holds one file for each document; or a tally that `deciban tally` has saved.
    """
    settings = Settings(missing, tuple(na_values or ()), smoothing, priors, seed, tuple(column or ()))
    reading = inputs.reading_options(quiet, on_bad_row, encoding, sheet, decimal)
    options = FitOptions(sample_weight=weight, calibrate=calibrate, random_state=seed)
    if inputs.is_saved(data):
        fitted = _from_tally(data, model, settings)
    else:
        from deciban.engines.files.source import FileSource

        with inputs.opened_table(data, labelled=True, checkpoint=checkpoint, **reading) as source:
            only_column = None
            if isinstance(source, FileSource) and text is None and model in (None, "auto") and settings.suit_documents:
                only_column = _only_text(source, target, weight, exclude, quiet=quiet)
            if only_column is not None:
                fitted = _fit_documents(source, model, settings, target, only_column, None, options)
            elif isinstance(source, FileSource) and text is None and model not in DOCUMENT_MODELS:
                from deciban.models.fitting import fit_table

                models = make_models(model or "naive", settings, documents=False)
                fitted = fit_table(models, source, _required(target, source.names), exclude=exclude or (), **options)
            else:
                fitted = _fit_documents(source, model, settings, target, text, exclude, options)
    _finish(fitted, output, form, quiet)


class FitOptions(TypedDict):
    """What every way to fit takes."""

    sample_weight: str | None
    calibrate: Calibration | None
    random_state: int


def _from_tally(data: str, model: ModelName | None, settings: Settings) -> Fitted:
    from deciban.models.fitting import fit_tally
    from deciban.storage.model_files import load

    if model not in (None, "naive"):
        raise typer.BadParameter(
            "a tally has the counts of single columns: only naive is made of it.", param_hint="--model"
        )
    return fit_tally(make_models("naive", settings, documents=False), load(data))


def _only_text(
    source: FileSource, target: str | None, weight: str | None, exclude: list[str] | None, *, quiet: bool
) -> str | None:
    """The column of documents of a table that has no other; None where there is none."""
    from deciban.models.fitting import only_text

    if target is None:
        return None
    column = only_text(source, {target, *([weight] if weight else []), *(exclude or ())})
    if column is not None and not quiet:
        note(
            f"Column {column!r} is text and the only one: a model of documents is fitted, as with --text {column}. "
            "For naive Bayes with a column of text: --model naive."
        )
    return column


def _fit_documents(
    source: FileSource | DocumentFolder,
    model: ModelName | None,
    settings: Settings,
    target: str | None,
    text: str | None,
    exclude: list[str] | None,
    options: FitOptions,
) -> Fitted:
    from deciban.models.fitting import fit_documents

    kind = model or "text"
    if kind not in (*DOCUMENT_MODELS, "auto"):
        raise typer.BadParameter(f"{kind} is for tables; documents need text, ratio or auto.", param_hint="--model")
    if exclude:
        raise typer.BadParameter("a model of documents has no columns to leave out.", param_hint="--exclude")
    models = make_models(kind, settings, documents=True)
    return fit_documents(models, source, text=text or "text", target=target or "label", **options)


def _finish(fitted: Fitted, output: Path | None, form: outputs.TextFormat, quiet: bool) -> None:
    """Save the model, and show what was found."""
    shown = _as_dict(fitted) if form == "json" else "\n".join(_lines(fitted))  # first: an error here leaves no file
    if output is not None:
        from deciban.storage.model_files import save

        save(fitted.model, output)
    if isinstance(shown, str):
        outputs.write_text(shown)
    else:
        outputs.write_json(shown)
    if not quiet:
        note(f"Saved {output}" if output is not None else "Not saved: name a file with -o.")


def _required(target: str | None, names: tuple[str, ...]) -> str:
    if target is not None:
        return target
    shown = ", ".join(names[:_MOST_COLUMNS])
    raise typer.BadParameter(f"name the column of the classes, one of: {shown}.", param_hint="--target")


def _lines(fitted: Fitted) -> Iterator[str]:
    """What was found, for reading."""
    from deciban.storage.description import describe

    if fitted.selection is not None:
        yield f"Cross-validation: {fitted.selection}\n"
    yield f"{describe(fitted.model).headline}\n"
    yield from _column_lines(fitted)
    yield from _score_lines(fitted)
    for name, label in fitted.summary.odd_labels.items():
        note(f"Note: column {name!r} has the label {label!r}. If it means missing, pass --na-values {quote(label)}.")
    for name, share in fitted.summary.copies.items():
        note(
            f"Warning: column {name!r} agrees with the target in {share:.1%} of the rows. If it is not known before "
            "the class is, leave it out with --exclude."
        )


def _column_lines(fitted: Fitted) -> Iterator[str]:
    from deciban.models.base import schema_of

    for label, tokens in fitted.summary.tokens.items():
        yield f"Strongest tokens for {label}: {', '.join(f'{token} {db:+z.1f}' for token, db in tokens)} decibans"
    strengths = fitted.summary.strengths
    schema = [*schema_of(fitted.model)]
    if not schema:
        return
    heads = ("column", "distribution", *(["decibans"] if strengths else []), "reason")
    cells = [
        (plan.name, type(plan.distribution).__name__, *_weight(strengths, plan.name), plan.reason)
        for plan in schema[:_MOST_COLUMNS]
    ]
    rows = [dict(zip(heads, row, strict=True)) for row in cells]
    yield outputs.aligned(heads, rows, right=("decibans",))
    if len(schema) > len(rows):
        yield f"… {len(schema) - len(rows)} more: deciban inspect lists all"
    if not strengths:
        return
    strongest = [f"{name} {_shown(db)}" for name, db in [*strengths.items()][:_STRONGEST]]
    yield f"\nStrongest columns, in decibans a row: {', '.join(strongest)}"


def _weight(strengths: Mapping[str, float], name: str) -> list[str]:
    """The cell of a column's weight; none where there are no weights."""
    return [_shown(strengths[name]) if name in strengths else ""] if strengths else []


def _shown(db: float) -> str:
    """A weight with two digits; no sign where it rounds to 0."""
    return f"{round(db, 2) + 0.0:.2f}"


def _score_lines(fitted: Fitted) -> Iterator[str]:
    summary = fitted.summary
    if summary.report is not None:
        yield f"\nScores by {summary.how}:\n{outputs.scores_text(summary.report)}"
        yield _KEPT


def _as_dict(fitted: Fitted) -> dict[str, object]:
    from deciban.storage.description import describe

    summary, chosen = fitted.summary, fitted.selection
    return {
        "model": describe(fitted.model).to_dict(),
        "selection": chosen and {**asdict(chosen), "reason": chosen.reason},
        "scores": None if summary.report is None else {"rows": summary.scored, **summary.report.to_dict()},
        "strengths": dict(summary.strengths),
        "tokens": {label: dict(tokens) for label, tokens in summary.tokens.items()},
        "near_copies": dict(summary.copies),
        "odd_labels": dict(summary.odd_labels),
    }


ModelName = Literal["naive", "tan", "net", "aode", "kdb", "combined", "text", "ratio", "auto"]
"""A kind of model."""

_OF_TABLES: tuple[ModelName, ...] = ("naive", "tan", "net", "aode", "kdb", "combined")
"""From simple to complex: the order in which `auto` prefers them."""
DOCUMENT_MODELS: tuple[ModelName, ...] = ("text", "ratio")
_CLASSES: dict[ModelName, str] = {
    "naive": "NaiveBayes",
    "tan": "TAN",
    "net": "BayesNetClassifier",
    "aode": "AODE",
    "kdb": "KDB",
    "combined": "AutoBayes",
    "text": "TextNB",
    "ratio": "LogCountRatio",
}
_DISTRIBUTIONS = {
    name.lower(): name
    for name in (
        "Bernoulli",
        "Binned",
        "Categorical",
        "Exponential",
        "Gaussian",
        "Ignore",
        "Kernel",
        "LogNormal",
        "NegativeBinomial",
        "Poisson",
        "Text",
    )
}
_RULES = {"laplace": "Laplace", "jeffreys": "Jeffreys", "mle": "MLE"}


@dataclass(frozen=True)
class Settings:
    """The options of `deciban fit` that are parameters of a model; None for those that were not given."""

    missing: str | None = None
    na_values: tuple[str, ...] = ()
    smoothing: str | None = None
    priors: str | None = None
    seed: int = 0
    columns: tuple[str, ...] = ()

    @property
    def suit_documents(self) -> bool:
        """False where a setting was given that only models of tables have."""
        return self.missing is None and not self.na_values and not self.columns


def make_models(name: ModelName, settings: Settings, *, documents: bool) -> dict[str, BayesClassifier | LogCountRatio]:
    """The model of a name, or those that `auto` compares, by name, from simple to complex."""
    if name == "auto":
        names = DOCUMENT_MODELS if documents else _OF_TABLES
        return {each: _make(each, settings, strict=False) for each in names}
    return {name: _make(name, settings, strict=True)}


def _make(name: ModelName, settings: Settings, *, strict: bool) -> BayesClassifier | LogCountRatio:
    """A model with the settings that it has; `strict`: a setting that it does not have is an error."""
    import deciban as db

    model: BayesClassifier | LogCountRatio = getattr(db, _CLASSES[name])()
    known = model.get_params()
    for option, value in _parameters(settings).items():
        if option in known:
            model.set_params(**{option: value})
        elif strict:
            flag = option.replace("_", "-")
            raise typer.BadParameter(f"the model {name} has no such setting.", param_hint=f"--{flag}")
    if "random_state" in known:
        model.set_params(random_state=settings.seed)
    return model


def _parameters(settings: Settings) -> dict[str, object]:
    """The parameters that were given."""
    parameters: dict[str, object] = {}
    if settings.missing is not None:
        parameters["missing"] = settings.missing
    if settings.na_values:
        parameters["na_values"] = list(settings.na_values)
    if settings.columns:
        parameters["columns"] = dict(map(_column, settings.columns))
    if settings.smoothing is not None:
        parameters["smoothing"] = _smoothing(settings.smoothing)
    if settings.priors is not None:
        parameters["priors"] = _priors(settings.priors)
    return parameters


def _column(text: str) -> tuple[str, ColumnDistribution]:
    """A column and its distribution, which has the settings of its class by default."""
    import deciban as db
    from deciban.choices import did_you_mean

    name, _, kind = text.rpartition("=")
    if not name or kind.lower() not in _DISTRIBUTIONS:
        hint = did_you_mean(kind, _DISTRIBUTIONS) if name else ""
        message = f"{text!r} is not a column and a distribution, like age=gaussian.{hint}"
        raise typer.BadParameter(message, param_hint="--column")
    return name, getattr(db, _DISTRIBUTIONS[kind.lower()])()


def _smoothing(text: str) -> Smoothing:
    """A rule by its name, or by the number of pseudo-counts."""
    import deciban as db
    from deciban.choices import did_you_mean

    if text.lower() in _RULES:
        return getattr(db, _RULES[text.lower()])()
    try:
        return db.Lidstone(float(text))
    except ValueError:
        hint = did_you_mean(text, _RULES)
        message = f"{text!r} is neither a number of pseudo-counts nor the name of a rule.{hint}"
        raise typer.BadParameter(message, param_hint="--smoothing") from None


def _priors(text: str) -> str | Mapping[str, float]:
    """empirical, uniform, or probabilities by class: yes=0.1,no=0.9."""
    if "=" not in text:
        if text in ("empirical", "uniform"):
            return text
        raise typer.BadParameter(
            f"{text!r} is neither empirical, uniform, nor classes with probabilities (yes=0.1,no=0.9).",
            param_hint="--priors",
        )
    priors = {}
    for part in text.split(","):
        label, _, share = part.rpartition("=")
        try:
            priors[label.strip()] = float(share)
        except ValueError:
            raise typer.BadParameter(f"{part!r} is not a class and a number.", param_hint="--priors") from None
    return priors
