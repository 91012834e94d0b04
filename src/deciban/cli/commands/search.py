"""``deciban search``: the graph with the best score."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from deciban.cli.command import command
from deciban.cli.inputs import IgnoreOption, SampleWeightOption, TableArgument, open_rows
from deciban.cli.knowledge import ForbidOption, KnowledgeOption, RequireOption, TierOption, read_knowledge
from deciban.cli.learned_graph import GraphFormatOption, LearnedGraph, fit_tables, graph_format
from deciban.cli.outputs import OutputOption

if TYPE_CHECKING:
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
    restarts: Annotated[int, typer.Option(min=0, help="How often hc and tabu perturb the graph and search again.")] = 0,
    seed: Annotated[int | None, typer.Option(min=0, help="The seed of the restarts.")] = None,
    require: RequireOption = None,
    forbid: ForbidOption = None,
    tier: TierOption = None,
    knowledge: KnowledgeOption = None,
    ignore: IgnoreOption = None,
    sample_weight: SampleWeightOption = None,
    missing: Annotated[
        Missing, typer.Option(help="Missing values: an error, their row is left out, or a state.")
    ] = Missing.ERROR,
    evidence: Annotated[bool, typer.Option("--evidence", help="Show each step, and what the score gained.")] = False,
    form: GraphFormatOption = None,
    output: OutputOption = None,
) -> None:
    """Search for the graph with the best score.

    With --format bif, or -o and the name of a network file, the result is a net: the graph, or one DAG of its class (a
    consistent extension), with tables counted from the same rows.
    """
    from deciban.nets.search.search import search as find

    known = read_knowledge(require, forbid, tier, knowledge)
    with open_rows(data, ignore) as source:
        found = find(
            source,
            score=score.value,
            method=method.value,
            max_parents=max_parents,
            knowledge=known,
            restarts=restarts,
            random_state=seed,
            sample_weight=sample_weight,
            missing=missing.value,
            progress=sys.stderr.isatty(),
        )
        moves = [str(move) for move in found.moves]
        learned = LearnedGraph(
            graph=found.graph,
            title=found.summary,
            edges=_edges(found),
            evidence=moves if evidence else [],
            details={"method": found.method, "criterion": found.criterion, "score": found.score},
            fit=lambda: fit_tables(
                found.dag,
                source,
                are_numbers=found.criterion == Score.GAUSSIAN_BIC,
                missing=missing.value,
                sample_weight=sample_weight,
            ),
        )
        learned.write(graph_format(form, output), output)


def _edges(found: SearchResult) -> list[dict[str, Any]]:
    """The edges; of a DAG, whether the data decide the direction of the arrow."""
    rows = [{"from": str(a), "edge": kind, "to": str(b)} for a, kind, b in found.graph.edges]
    if found.graph.undirected_edges or found.method == Method.GES:
        return rows
    decided = {(str(a), str(b)) for a, b in found.cpdag.directed_edges}
    return [{**row, "decided": "yes" if (row["from"], row["to"]) in decided else "no"} for row in rows]
