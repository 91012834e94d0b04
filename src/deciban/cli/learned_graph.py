"""A graph that was learned from rows, as ``discover`` and ``search`` show it: edges, a picture, a page, or a net."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from deciban.cli.command import note
from deciban.cli.net_files import is_net_file, write_net_file
from deciban.cli.outputs import Format, write_json, write_records, write_text

if TYPE_CHECKING:
    from deciban.nets import DAG, BayesNet, GaussianNet

__all__ = ["GraphFormat", "GraphFormatOption", "LearnedGraph", "fit_tables", "graph_format"]


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


def graph_format(form: GraphFormat | None, output: Path | None) -> GraphFormat:
    """The format that was chosen, else that of the file's name, else a table for reading."""
    if form is not None or output is None:
        return form or GraphFormat.TABLE
    if is_net_file(output):
        return GraphFormat.BIF
    suffix = output.suffix.lower().removeprefix(".")
    return GraphFormat(suffix) if suffix in list(GraphFormat) else GraphFormat.TABLE


@dataclass(frozen=True)
class LearnedGraph:
    """What there is to show of a graph.

    Attributes
    ----------
    graph
        The graph.
    title
        How it was made, in one line.
    edges
        A row for each edge: ``from``, ``edge`` and ``to``, and what else is known of it.
    evidence
        Sentences about the edges, and about those that are not there.
    notes
        What to know before reading the graph.
    details
        What JSON shows beside the edges.
    fit
        Makes the net with the tables of one of the DAGs of the graph.
    """

    graph: Any
    title: str
    edges: list[dict[str, Any]]
    fit: Callable[[], BayesNet | GaussianNet]
    evidence: list[str] = field(default_factory=list)
    notes: tuple[str, ...] = ()
    details: dict[str, Any] = field(default_factory=dict)

    def write(self, form: GraphFormat, output: Path | None) -> None:
        """Write the graph in a format; the title and the notes go to the standard error."""
        note(self.title)
        for text in self.notes:
            note(f"Note: {text}.")
        if form is GraphFormat.BIF:
            self._write_net(output)
        elif form is GraphFormat.CSV:
            write_records(self.edges, output, Format.CSV)
        elif form is GraphFormat.JSON:
            write_json(self._document(), output)
        else:
            write_text(self._text(form), output)

    def _text(self, form: GraphFormat) -> str:
        if form is GraphFormat.DOT:
            return str(self.graph.to_dot())
        if form is GraphFormat.SVG:
            return str(self.graph.to_svg())
        return self._page() if form is GraphFormat.HTML else self._table()

    def _table(self) -> str:
        from deciban.cli.text_tables import aligned

        edges = aligned(list(self.edges[0]), self.edges) if self.edges else "The graph has no edges."
        joined = {name for edge in self.edges for name in (edge["from"], edge["to"])}
        alone = [str(node) for node in self.graph.nodes if str(node) not in joined]
        without = [f"Without an edge: {', '.join(alone)}"] if alone and self.edges else []
        return "\n\n".join([edges, *without, *(["\n".join(self.evidence)] if self.evidence else [])])

    def _document(self) -> dict[str, Any]:
        evidence = {"evidence": self.evidence} if self.evidence else {}
        nodes = [str(node) for node in self.graph.nodes]
        return {**self.details, "nodes": nodes, "edges": self.edges, "notes": list(self.notes), **evidence}

    def _page(self) -> str:
        heads = "".join(f"<th>{escape(name)}</th>" for name in (self.edges[0] if self.edges else ()))
        rows = ("".join(f"<td>{escape(_cell(value))}</td>" for value in edge.values()) for edge in self.edges)
        table = f"<table><tr>{heads}</tr>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>" if self.edges else ""
        notes = "".join(f"<li>{escape(text)}</li>" for text in self.notes)
        evidence = "".join(f"<li>{escape(text)}</li>" for text in self.evidence)
        return _PAGE.format(
            title=escape(self.title),
            picture=self.graph.to_svg(),
            notes=f"<h2>Notes</h2><ul>{notes}</ul>" if notes else "",
            table=f"<h2>Edges</h2>{table}",
            evidence=f"<h2>Evidence</h2><ul>{evidence}</ul>" if evidence else "",
        )

    def _write_net(self, output: Path | None) -> None:
        net = self.fit()
        if output is not None and (is_net_file(output) or output.suffix.lower() == ".json"):
            write_net_file(net, output)
            return
        from deciban.errors import ParameterError
        from deciban.nets import GaussianNet
        from deciban.nets.io.bif import write_bif

        if isinstance(net, GaussianNet):
            raise ParameterError("BIF holds tables, and these columns are numbers: write the net with -o NAME.deciban.")
        write_text(write_bif(net.network), output)


def fit_tables(
    dag: DAG, source: Any, *, are_numbers: bool, missing: str, sample_weight: str | None
) -> BayesNet | GaussianNet:
    """The net of a DAG, with tables counted from the rows (Laplace smoothing), or with regressions of numbers."""
    from deciban.errors import ParameterError
    from deciban.nets import BayesNet, GaussianNet

    if missing == "state":
        raise ParameterError("tables cannot be fitted with --missing state: pass error, skip or drop.")
    kind = GaussianNet if are_numbers else BayesNet
    return kind(dag).fit_files(source, missing="error" if missing == "error" else "skip", sample_weight=sample_weight)


def _cell(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)


_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; font-family: system-ui, sans-serif; line-height: 1.45; }}
body {{ max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }}
figure {{ margin: 1rem 0; overflow-x: auto; background: #fff; color: #111; padding: .5rem; border-radius: .4rem; }}
table {{ border-collapse: collapse; }}
th, td {{ text-align: left; padding: .15rem .8rem .15rem 0; border-bottom: 1px solid #8886; }}
</style></head><body>
<h1>Learned graph</h1>
<p>{title}</p>
<figure>{picture}</figure>
{notes}
{table}
{evidence}
</body></html>
"""
