"""``deciban inspect``: what is in a model, a net or a tally."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from deciban.cli import inputs, outputs
from deciban.cli.command import command, note
from deciban.cli.commands.nets import GivenOption, is_net_file, read_evidence, read_net_file
from deciban.errors import ParameterError

__all__ = ["inspect", "report", "sql"]


@command(
    "Classifiers",
    example="deciban inspect tennis.deciban\ndeciban inspect garden.bif",
)
def inspect(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE", help="A saved model, net, tally or result, or a Bayes net: BIF, XMLBIF, NET, UAI, XDSL."
        ),
    ],
    output: outputs.OutputOption = None,
    form: outputs.TextFormatOption = "text",
) -> None:
    """Show what is in a file: the kind of model, its classes with their rows, its columns and its settings."""
    from deciban.storage.description import describe_file

    description = describe_file(file)
    if form == "json":
        outputs.write_json(description.to_dict(), output)
    else:
        outputs.write_text(str(description), output)


@command(
    "Classifiers",
    example="deciban report tennis.deciban tennis.csv -o report.html\n"
    "deciban report garden.bif garden.csv --given 'wet=yes' -o garden.html",
)
def report(
    model: Annotated[
        str,
        typer.Argument(metavar="MODEL", help="A model that `deciban fit` has saved, or a Bayes net."),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="Write the page to this file.")],
    data: Annotated[
        str | None,
        typer.Argument(metavar="DATA", help="The rows, or a folder of documents. A Bayes net needs none."),
    ] = None,
    target: inputs.TargetOption = None,
    text: inputs.TextOption = None,
    given: GivenOption = None,
    bootstrap: Annotated[
        int | None,
        typer.Option(min=0, help="Of a net: the number of bootstrap samples; by default by the size of the data."),
    ] = None,
    title: Annotated[str | None, typer.Option(help="The heading of the page.")] = None,
    on_bad_row: inputs.OnBadRowOption = "error",
    encoding: inputs.EncodingOption = None,
    sheet: inputs.SheetOption = None,
    decimal: inputs.DecimalOption = None,
    quiet: inputs.QuietOption = False,
) -> None:
    """Write a self-contained HTML page: data, scores, curves, strongest evidence, and a panel to try values.

    The rows are those that the model has learned, which are scored by leave-one-out, or others with their classes. The
    page of a Bayes net shows its graph, the strength of its arrows, its probabilities and its tables.
    """
    from deciban import report as make_report
    from deciban.models.batches import in_types_of, labelled_rows

    reading = inputs.reading_options(quiet, on_bad_row, encoding, sheet, decimal)
    if _is_net(model):
        if target is not None or text is not None:
            raise typer.BadParameter("--target and --text are for classifiers.", param_hint="--target, --text")
        net = read_net_file(model)
        rows = None
        if data is not None:
            with inputs.opened_table(data, **reading) as source:
                rows = source.read()
        evidence = read_evidence(net, given) or None
        make_report(net, rows, path=output, title=title, evidence=evidence, bootstrap=bootstrap)
    else:
        if data is None:
            raise typer.BadParameter("a report on a classifier needs labelled rows.", param_hint="DATA")
        if given is not None or bootstrap is not None:
            raise typer.BadParameter("--given and --bootstrap are for Bayes nets.", param_hint="--given, --bootstrap")
        fitted = inputs.load_classifier(model)
        with inputs.opened_table(data, labelled=True, **reading) as source:
            rows = in_types_of(fitted, source, is_labelled=True, target=target).read()
            X, y = labelled_rows(fitted, rows, target=target, text=text)
        make_report(fitted, X, y, path=output, title=title)
    if not quiet:
        note(f"Wrote {output} ({output.stat().st_size / 1e3:,.0f} kB)")


def _is_net(name: str) -> bool:
    """Whether a file holds a net: by its name, or for one that deciban has saved, by what is in it."""
    if Path(name).suffix.lower() != ".deciban":
        return is_net_file(Path(name))
    from deciban.nets import BayesNet
    from deciban.storage.model_files import load

    return isinstance(load(name), BayesNet)


Dialect = Literal["duckdb", "postgres", "sqlite"]
"""A dialect of SQL."""


@command(
    "Counts",
    example="deciban sql tennis.deciban --dialect sqlite --table days",
)
def sql(
    model: inputs.ModelArgument,
    dialect: Annotated[Dialect, typer.Option(help="The database that runs the query.")] = "duckdb",
    table: Annotated[str, typer.Option(help="The table with the rows, as SQL writes it, or a SELECT.")] = "rows",
    key: Annotated[
        list[str] | None, typer.Option("--key", metavar="COLUMN", help="Also return this column; may be repeated.")
    ] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Also return the weight of each column.")] = False,
    output: outputs.OutputOption = None,
) -> None:
    """Print the SELECT that scores the rows of a table where they are: label, posterior, log-odds, P(class | row)."""
    fitted = inputs.load_classifier(model)
    if not hasattr(fitted, "to_sql"):
        raise ParameterError(f"a {type(fitted).__name__} cannot be written as SQL; naive, tan and aode can.")
    outputs.write_text(fitted.to_sql(dialect, table, explain=explain, key=tuple(key or ())), output)
