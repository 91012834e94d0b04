"""``deciban discover``: a causal graph from independence tests."""

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
from deciban.cli.outputs import OutputOption, write_text

if TYPE_CHECKING:
    from deciban.nets import Discovery

__all__ = ["discover"]


class Method(StrEnum):
    """How the graph is found."""

    PC = "pc"
    IC = "ic"
    FCI = "fci"


class Test(StrEnum):
    """The independence test."""

    AUTO = "auto"
    G2 = "g2"
    X2 = "x2"
    FISHER_Z = "fisher_z"


class ColliderRule(StrEnum):
    """How separating sets are compared."""

    OPENING = "opening"
    MAX_P = "max_p"
    MAJORITY = "majority"
    CONSERVATIVE = "conservative"
    FIRST = "first"


class Missing(StrEnum):
    """What is done with missing values."""

    ERROR = "error"
    SKIP = "skip"
    DROP = "drop"
    STATE = "state"


@command(
    "Bayes nets",
    example="deciban discover garden.csv --tier season --tier 'sprinkler, rain'\n"
    "deciban discover garden.csv --why sprinkler rain",
)
def discover(
    data: TableArgument,
    method: Annotated[
        Method, typer.Option(help="pc; ic, slow and readable; fci, which allows hidden common causes.")
    ] = Method.PC,
    test: Annotated[
        Test, typer.Option(help="g2 and x2 for categories, fisher_z for numbers, auto for what the columns hold.")
    ] = Test.AUTO,
    alpha: Annotated[float, typer.Option(help="Pairs with p > alpha are treated as independent.")] = 0.01,
    max_given: Annotated[int | None, typer.Option(help="The largest number of columns to condition on.")] = None,
    collider_rule: Annotated[
        ColliderRule, typer.Option(help="How separating sets are compared to find common effects.")
    ] = ColliderRule.OPENING,
    fdr: Annotated[bool, typer.Option("--fdr", help="Hold the expected share of false edges at alpha.")] = False,
    require: RequireOption = None,
    forbid: ForbidOption = None,
    tier: TierOption = None,
    knowledge: KnowledgeOption = None,
    exclude: ExcludeOption = None,
    weight: WeightOption = None,
    missing: Annotated[
        Missing, typer.Option(help="Missing values: an error, left out of a test, of all tests, or a state.")
    ] = Missing.ERROR,
    evidence: Annotated[
        bool, typer.Option("--evidence", help="Say why each edge is there, and each other is not.")
    ] = False,
    why: Annotated[
        tuple[str, str] | None, typer.Option(metavar="A B", help="Say only why A and B are adjacent or not.")
    ] = None,
    bootstrap: BootstrapOption = 0,
    seed: Annotated[int, typer.Option(min=0, help="The seed of the bootstrap samples.")] = 0,
    form: GraphFormatOption = None,
    output: OutputOption = None,
    on_bad_row: OnBadRowOption = OnBadRow.ERROR,
    encoding: EncodingOption = None,
    sheet: SheetOption = None,
    decimal: DecimalOption = None,
    quiet: QuietOption = False,
) -> None:
    """Find the class of causal graphs that explains the independences in a table.

    With --format bif, or -o and the name of a network file, the result is a net: one DAG of the class (a consistent
    extension of the graph), with tables counted from the same rows.
    """
    from deciban.nets import discover as find

    known = read_knowledge(require, forbid, tier, knowledge)
    reading = reading_options(quiet, on_bad_row, encoding, sheet, decimal)
    with open_rows(data, exclude, **reading) as source:
        found = find(
            source,
            method=method.value,
            test=test.value,
            alpha=alpha,
            knowledge=known,
            max_given=max_given,
            collider_rule=collider_rule.value,
            fdr=fdr,
            sample_weight=weight,
            missing=missing.value,
            progress=sys.stderr.isatty() and not quiet,
        )
        if why is not None:
            write_text(found.explain(*why), output)
            return
        shares = found.bootstrap(bootstrap, random_state=seed) if bootstrap else None
        learned = LearnedGraph(
            found,
            [edge_row(edge, shares) for edge in found.graph.edges],
            LearnedFrom(source, found.test.sample.reads, missing.value, weight),
            dag=lambda: _one_dag(found),
            evidence=_evidence(found) if evidence else [],
            notes=_notes(found, evidence),
            details={"method": found.method, "alpha": alpha, "tests": found.tests},
            draws=bootstrap,
        )
        learned.write(form, output, quiet=quiet)


def _evidence(found: Discovery) -> list[str]:
    """A sentence for each edge, then for each pair that some set separates."""
    return [
        *(f"{a} {kind} {b}: {found.explain(a, b)}" for a, kind, b in found.graph.edges),
        *(f"{one.x}, {one.y}: {found.explain(one.x, one.y)}" for one in found.removed),
        *(f"Conflict: {one}." for one in found.conflicts),
        *(f"Undecided: whether {z} is a common effect of {x} and {y}." for x, z, y in found.ambiguous),
    ]


def _notes(found: Discovery, evidence: bool) -> tuple[str, ...]:
    """What to know before reading the graph, in the words of the command."""
    notes = [text.replace("max_given", "--max-given") for text in found.notes]
    if found.conflicts and not evidence:
        notes.append("some findings contradict stronger ones, which were kept; --evidence shows them")
    return tuple(notes)


def _one_dag(found: Discovery) -> Any:
    from deciban.errors import ParameterError
    from deciban.nets import PAG

    if isinstance(found.graph, PAG):
        raise ParameterError("a graph with hidden common causes (--method fci) has no DAG to fit tables to: use pc.")
    return found.graph.extension()
