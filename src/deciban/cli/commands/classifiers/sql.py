"""``deciban sql``: a classifier as a SELECT statement."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from deciban.cli.command import command
from deciban.cli.inputs import ModelArgument, load_classifier
from deciban.cli.outputs import OutputOption, write_text

__all__ = ["sql"]


class Dialect(StrEnum):
    """A dialect of SQL."""

    DUCKDB = "duckdb"
    POSTGRES = "postgres"
    SQLITE = "sqlite"


@command(
    "Counts",
    example="deciban sql tennis.deciban --dialect sqlite --table days",
)
def sql(
    model: ModelArgument,
    dialect: Annotated[Dialect, typer.Option(help="The database that runs the query.")] = Dialect.DUCKDB,
    table: Annotated[str, typer.Option(help="The table with the rows, as SQL writes it, or a SELECT.")] = "rows",
    key: Annotated[
        list[str] | None, typer.Option("--key", metavar="COLUMN", help="Also return this column; may be repeated.")
    ] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Also return the weight of each column.")] = False,
    output: OutputOption = None,
) -> None:
    """Print the SELECT that scores the rows of a table where they are: label, posterior, log-odds, P(class | row)."""
    from deciban.errors import ParameterError

    fitted = load_classifier(model)
    if not hasattr(fitted, "to_sql"):
        raise ParameterError(f"a {type(fitted).__name__} cannot be written as SQL; naive, tan and aode can.")
    write_text(fitted.to_sql(dialect.value, table, explain=explain, key=tuple(key or ())), output)
