"""A learned graph is shown whole, whatever its names hold, and its format follows from the name of the file."""

from __future__ import annotations

from pathlib import Path

import pytest

import deciban as db
from deciban.cli.learned_graph import GraphFormat, LearnedGraph, found_page, graph_format

DAG = db.DAG([("<b> & c", "wet")], ["<b> & c", "wet", "alone"])
EDGES = [{"from": a, "edge": kind, "to": b, "adjacent": 1 / 3} for a, kind, b in DAG.edges]


def learned(**changed):
    options = {"graph": DAG, "title": "a <title>", "edges": EDGES, "fit": lambda: db.BayesNet(DAG), "page": str}
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


def test_a_page_is_the_report_on_what_was_found(tmp_path):
    found = db.discover(db.Oracle(DAG))
    assert found_page(found, 0).startswith("<!DOCTYPE html>")
    learned(page=lambda: "<p>page</p>").write(GraphFormat.HTML, tmp_path / "a.html", quiet=True)
    assert (tmp_path / "a.html").read_text(encoding="utf-8") == "<p>page</p>\n"
