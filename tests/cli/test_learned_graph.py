"""A learned graph is shown whole, whatever its names hold, and its format follows from the name of the file."""

from __future__ import annotations

from pathlib import Path

import pytest

import deciban as db
from deciban.cli.commands.graphs import LearnedFrom, LearnedGraph, edge_row, graph_format
from deciban.errors import ParameterError

FOUND = db.discover(db.Oracle(db.DAG([("<b> & c", "wet"), ("d", "wet")], ["<b> & c", "d", "wet", "alone"])))


def learned(found=FOUND, **changed):
    edges = [edge_row(edge, None) for edge in found.graph.edges]
    rows = LearnedFrom({}, "categories", missing="state")
    return LearnedGraph(found, edges, rows, dag=found.graph.extension, **changed)


@pytest.mark.parametrize(
    ("form", "output", "expected"),
    [
        (None, None, "table"),
        ("dot", "graph.svg", "dot"),
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
    learned(notes=("too few rows",)).write(None, None)
    shown = capfd.readouterr()
    assert shown.out.splitlines()[-1] == "Without an edge: alone"
    assert shown.err == f"{FOUND.summary}\nNote: too few rows.\n"
    learned(db.discover(db.Oracle(db.DAG(nodes=["a"])))).write("table", None, quiet=True)
    shown = capfd.readouterr()
    assert shown.out == "The graph has no edges.\n" and not shown.err


def test_a_page_is_the_report_on_what_was_found(tmp_path):
    learned().write(None, tmp_path / "a.html", quiet=True)
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>") and "<b>" not in page and "&lt;b&gt; &amp; c" in page


def test_tables_are_not_fitted_with_missing_values_as_states():
    with pytest.raises(ParameterError, match="--missing state"):
        learned().write("bif", None)


def test_a_result_is_saved_whole(tmp_path):
    learned().write("result", tmp_path / "found.deciban", quiet=True)
    again = db.load(tmp_path / "found.deciban")
    assert again.graph == FOUND.graph and again.citation() == FOUND.citation()
    with pytest.raises(ParameterError, match="give its name"):
        learned().write("result", None, quiet=True)
