"""A graph that was learned from rows, as ``discover`` and ``search`` show it: edges, a picture, a page, or a net."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from deciban.cli.command import note
from deciban.cli.net_files import is_net_file, write_net_file
from deciban.cli.outputs import Format, write_json, write_records, write_text

if TYPE_CHECKING:
    from deciban.nets import DAG, BayesNet, Discovery, GaussianNet
    from deciban.nets.graphs.confidence import Confidence
    from deciban.nets.search.result import SearchResult

__all__ = [
    "BootstrapOption",
    "GraphFormat",
    "GraphFormatOption",
    "LearnedFrom",
    "LearnedGraph",
    "edge_row",
    "graph_format",
]


class GraphFormat(StrEnum):
    """The form of a graph."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"
    DOT = "dot"
    SVG = "svg"
    HTML = "html"
    BIF = "bif"


GraphFormatOption = Annotated[
    GraphFormat | None,
    typer.Option(
        "--format",
        help="The form of the graph; by default as the file's name says, or table. bif: a net with fitted tables.",
    ),
]
BootstrapOption = Annotated[
    int, typer.Option(min=0, help="Find each edge and its direction again in so many bootstrap samples.")
]


def graph_format(form: GraphFormat | None, output: Path | None) -> GraphFormat:
    """The format that was chosen, else that of the file's name, else a table for reading."""
    if form is not None or output is None:
        return form or GraphFormat.TABLE
    if is_net_file(output):
        return GraphFormat.BIF
    suffix = output.suffix.lower().removeprefix(".")
    return GraphFormat(suffix) if suffix in list(GraphFormat) else GraphFormat.TABLE


def edge_row(edge: tuple[Any, str, Any], shares: Confidence | None) -> dict[str, Any]:
    """An edge, and the shares of bootstrap samples in which the nodes are adjacent, and joined by each arrow."""
    a, kind, b = edge
    row = {"from": str(a), "edge": kind, "to": str(b)}
    if shares is None:
        return row
    return {**row, "adjacent": shares.edge(a, b), "forward": shares.arrow(a, b), "backward": shares.arrow(b, a)}


@dataclass(frozen=True)
class LearnedFrom:
    """The rows that a graph was learned from, from which tables are counted, too.

    Attributes
    ----------
    source
        The rows.
    reads
        "categories" or "numbers".
    missing
        What was done with missing values.
    weight
        The column of the weights.
    """

    source: Any
    reads: str
    missing: str = "error"
    weight: str | None = None

    def fit(self, dag: DAG) -> BayesNet | GaussianNet:
        """The net of a DAG, with tables counted from the rows (Laplace smoothing), or with regressions of numbers."""
        from deciban.errors import ParameterError
        from deciban.nets import BayesNet, GaussianNet

        if self.missing == "state":
            raise ParameterError("tables cannot be fitted with --missing state: pass error, skip or drop.")
        kind = GaussianNet if self.reads == "numbers" else BayesNet
        missing: Literal["error", "skip"] = "error" if self.missing == "error" else "skip"
        return kind(dag).fit_files(self.source, missing=missing, sample_weight=self.weight)


@dataclass(frozen=True)
class LearnedGraph:
    """What there is to show of a graph that was found.

    Attributes
    ----------
    found
        The graph, and how it was found.
    edges
        A row for each edge: ``from``, ``edge`` and ``to``, and what else is known of it.
    rows
        The rows that it was learned from.
    dag
        Gives one of the DAGs of the graph, for a net with tables.
    evidence
        Sentences about the edges, and about those that are not there.
    notes
        What to know before reading the graph.
    details
        What JSON shows beside the edges.
    draws
        The number of bootstrap samples of a page.
    """

    found: Discovery | SearchResult
    edges: list[dict[str, Any]]
    rows: LearnedFrom
    dag: Callable[[], DAG]
    evidence: list[str] = field(default_factory=list)
    notes: tuple[str, ...] = ()
    details: dict[str, Any] = field(default_factory=dict)
    draws: int = 0

    def write(self, form: GraphFormat | None, output: Path | None, *, quiet: bool = False) -> None:
        """Write the graph in a format; its summary and the notes go to the standard error."""
        for text in [] if quiet else [self.found.summary, *(f"Note: {one}." for one in self.notes)]:
            note(text)
        chosen = graph_format(form, output)
        if chosen is GraphFormat.BIF:
            self._write_net(output, quiet)
        elif chosen is GraphFormat.CSV:
            write_records(self.edges, output, Format.CSV)
        elif chosen is GraphFormat.JSON:
            write_json(self._document(), output)
        else:
            write_text(self._text(chosen), output)

    def _text(self, form: GraphFormat) -> str:
        if form is GraphFormat.DOT:
            return self.found.graph.to_dot()
        if form is GraphFormat.SVG:
            return self.found.graph.to_svg()
        return self._page() if form is GraphFormat.HTML else self._table()

    def _table(self) -> str:
        from deciban.cli.text_tables import aligned

        edges = aligned(list(self.edges[0]), self.edges) if self.edges else "The graph has no edges."
        joined = {name for edge in self.edges for name in (edge["from"], edge["to"])}
        alone = [str(node) for node in self.found.graph.nodes if str(node) not in joined]
        without = [f"Without an edge: {', '.join(alone)}"] if alone and self.edges else []
        return "\n\n".join([edges, *without, *(["\n".join(self.evidence)] if self.evidence else [])])

    def _document(self) -> dict[str, Any]:
        evidence = {"evidence": self.evidence} if self.evidence else {}
        nodes = [str(node) for node in self.found.graph.nodes]
        return {**self.details, "nodes": nodes, "edges": self.edges, "notes": list(self.notes), **evidence}

    def _page(self) -> str:
        from deciban import report

        return report(self.found, bootstrap=self.draws).html

    def _write_net(self, output: Path | None, quiet: bool) -> None:
        net = self.rows.fit(self.dag())
        if output is not None and (is_net_file(output) or output.suffix.lower() == ".json"):
            write_net_file(net, output, quiet=quiet)
            return
        from deciban.errors import ParameterError
        from deciban.nets import GaussianNet
        from deciban.nets.io.bif import write_bif

        if isinstance(net, GaussianNet):
            raise ParameterError("BIF holds tables, and these columns are numbers: write the net with -o NAME.deciban.")
        write_text(write_bif(net.network), output)
