"""``deciban search``: the graph with the best score."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from deciban.cli.command import command
from deciban.cli.inputs import TableArgument, open_rows
from deciban.cli.knowledge import ForbidOption, KnowledgeOption, RequireOption, TierOption, read_knowledge
from deciban.cli.learned_graph import BootstrapOption, GraphFormatOption, LearnedFrom, LearnedGraph, edge_row
from deciban.cli.options import (
    DecimalOption,
    EncodingOption,
    ExcludeOption,
    OnBadRow,
    OnBadRowOption,
    QuietOption,
    SheetOption,
    WeightOption,
    reading_options,
)
from deciban.cli.outputs import OutputOption

if TYPE_CHECKING:
    from deciban.nets.graphs.confidence import Confidence
    from deciban.nets.search.result import SearchResult

__all__ = ["search"]


class Score(StrEnum):
    """The score of a graph."""

    AUTO = "auto"
    BIC = "bic"
    BDEU = "bdeu"
    K2 = "k2"
    GAUSSIAN_BIC = "gaussian_bic"


class Method(StrEnum):
    """How the graph is searched for."""

    GES = "ges"
    HC = "hc"
    TABU = "tabu"
    EXACT = "exact"
    CHOW_LIU = "chow_liu"


class Missing(StrEnum):
    """What is done with missing values."""

    ERROR = "error"
    DROP = "drop"
    STATE = "state"


@command(
    "Bayes nets", example="deciban search garden.csv --method hc --tier season --tier 'sprinkler, rain' -o learned.bif"
)
def search(
    data: TableArgument,
    score: Annotated[
        Score, typer.Option(help="bic, bdeu and k2 for categories, gaussian_bic for numbers, auto for what there is.")
    ] = Score.AUTO,
    method: Annotated[
        Method,
        typer.Option(
            help="ges: greedy equivalence search; hc: hill climbing; tabu; exact: all graphs, up to about 20 columns; "
            "chow_liu: the best tree."
        ),
    ] = Method.GES,
    max_parents: Annotated[int | None, typer.Option(help="The largest number of parents of a column.")] = None,
    penalty: Annotated[
        float, typer.Option(min=0, help="Multiplies the penalty of bic and gaussian_bic; above 1 for fewer edges.")
    ] = 1.0,
    restarts: Annotated[int, typer.Option(min=0, help="How often hc and tabu perturb the graph and search again.")] = 0,
    seed: Annotated[int, typer.Option(min=0, help="The seed of the restarts and of the bootstrap samples.")] = 0,
    require: RequireOption = None,
    forbid: ForbidOption = None,
    tier: TierOption = None,
    knowledge: KnowledgeOption = None,
    exclude: ExcludeOption = None,
    weight: WeightOption = None,
    missing: Annotated[
        Missing, typer.Option(help="Missing values: an error, their row is left out, or a state.")
    ] = Missing.ERROR,
    evidence: Annotated[bool, typer.Option("--evidence", help="Show each step, and what the score gained.")] = False,
    bootstrap: BootstrapOption = 0,
    form: GraphFormatOption = None,
    output: OutputOption = None,
    on_bad_row: OnBadRowOption = OnBadRow.ERROR,
    encoding: EncodingOption = None,
    sheet: SheetOption = None,
    decimal: DecimalOption = None,
    quiet: QuietOption = False,
) -> None:
    """Search for the graph with the best score.

    With --format bif, or -o and the name of a network file, the result is a net: the graph, or one DAG of its class (a
    consistent extension), with tables counted from the same rows.
    """
    from deciban.nets.search.search import search as find

    known = read_knowledge(require, forbid, tier, knowledge)
    reading = reading_options(quiet, on_bad_row, encoding, sheet, decimal)
    with open_rows(data, exclude, **reading) as source:
        found = find(
            source,
            score=score.value,
            method=method.value,
            max_parents=max_parents,
            penalty=penalty,
            knowledge=known,
            restarts=restarts,
            random_state=seed,
            sample_weight=weight,
            missing=missing.value,
            progress=sys.stderr.isatty() and not quiet,
        )
        reads = "numbers" if found.criterion == Score.GAUSSIAN_BIC else "categories"
        shares = found.bootstrap(bootstrap, random_state=seed) if bootstrap else None
        learned = LearnedGraph(
            found,
            _edges(found, shares),
            LearnedFrom(source, reads, missing.value, weight),
            dag=lambda: found.dag,
            evidence=[str(move) for move in found.moves] if evidence else [],
            details={"method": found.method, "criterion": found.criterion, "score": found.score},
            draws=bootstrap,
        )
        learned.write(form, output, quiet=quiet)


def _edges(found: SearchResult, shares: Confidence | None) -> list[dict[str, Any]]:
    """The edges; of a DAG, whether the data decide the direction of the arrow."""
    if found.method == Method.GES:
        return [edge_row(edge, shares) for edge in found.graph.edges]
    decided = set(found.cpdag.directed_edges)
    return [
        {**edge_row((a, kind, b), shares), "decided": "yes" if (a, b) in decided else "no"}
        for a, kind, b in found.graph.edges
    ]
