"""A learned graph is shown whole, whatever its names hold, and its format follows from the name of the file."""

from __future__ import annotations

from pathlib import Path

import pytest

import deciban as db
from deciban.cli.learned_graph import GraphFormat, LearnedGraph, graph_format

DAG = db.DAG([("<b> & c", "wet")], ["<b> & c", "wet", "alone"])
EDGES = [{"from": a, "edge": kind, "to": b, "adjacent": 1 / 3} for a, kind, b in DAG.edges]


def learned(**changed):
    options = {"graph": DAG, "title": "a <title>", "edges": EDGES, "fit": lambda: db.BayesNet(DAG)}
    return LearnedGraph(**{**options, **changed})


@pytest.mark.parametrize(
    ("form", "output", "expected"),
    [
        (None, None, "table"),
        (GraphFormat.DOT, "graph.svg", "dot"),
        (None, "graph.svg", "svg"),
        (None, "net.bif.gz", "bif"),
        (None, "net.xdsl", "bif"),
        (None, "net.deciban", "bif"),
        (None, "graph.json", "json"),
        (None, "graph.txt", "table"),
    ],
)
def test_the_format_follows_from_the_name(form, output, expected):
    assert graph_format(form, None if output is None else Path(output)) == expected


def test_nodes_without_an_edge_are_named(capfd):
    learned(notes=("too few rows",)).write(GraphFormat.TABLE, None)
    shown = capfd.readouterr()
    assert shown.out.splitlines()[-1] == "Without an edge: alone"
    assert shown.err == "a <title>\nNote: too few rows.\n"
    learned(graph=db.DAG(nodes=["a"]), edges=[]).write(GraphFormat.TABLE, None)
    assert capfd.readouterr().out == "The graph has no edges.\n"


def test_a_page_holds_names_as_text(tmp_path):
    learned(evidence=["<b> & c → wet: they are dependent."], notes=("<note>",)).write(
        GraphFormat.HTML, tmp_path / "a.html"
    )
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert "<b>" not in page and "&lt;b&gt; &amp; c → wet: they are dependent." in page
    assert "<note>" not in page and "http://" not in page.replace("http://www.w3.org/2000/svg", "")
