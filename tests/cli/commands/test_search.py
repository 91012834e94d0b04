"""Graphs from scores, from the shell."""

from __future__ import annotations

import json
from typing import get_args

import pytest

import deciban as db
from deciban.cli.commands import graphs as module
from deciban.nets.scores.registry import ScoreName
from deciban.nets.search.search import Method, Missing


@pytest.mark.parametrize(
    ("choices", "known"), [(module.SearchMethod, Method), (module.Score, ScoreName), (module.SearchMissing, Missing)]
)
def test_the_choices_are_those_of_the_library(choices, known):
    assert set(get_args(choices)) == set(get_args(known))


@pytest.mark.parametrize("method", ["ges", "hc", "tabu", "exact", "chow_liu"])
def test_the_graph_is_that_of_the_library(call, method):
    found = json.loads(call("search", "garden.csv", "--method", method, "--format", "json").stdout)
    expected = db.search("garden.csv", method=method)
    assert [(edge["from"], edge["edge"], edge["to"]) for edge in found["edges"]] == list(expected.graph.edges)
    assert found["score"] == expected.score and found["criterion"] == "bic"


def test_a_dag_says_which_arrows_the_data_decide(call):
    shown = call("search", "garden.csv", "--method", "hc", "--evidence").stdout
    assert shown.splitlines()[0].split() == ["from", "edge", "to", "decided"]
    assert "add wet → slippery (+" in shown
    assert "decided" not in call("search", "garden.csv").stdout


def test_knowledge_and_limits_reach_the_search(call):
    shown = call(
        "search", "garden.csv", "--score", "bdeu", "--forbid", "wet -> rain", "--max-parents", 2, "--method", "hc"
    )
    assert "wet        →     rain" not in shown.stdout and shown.stderr.startswith("hc: bdeu = ")


def test_a_net_is_written(call, tmp_path):
    call("search", "garden.csv", "--method", "chow_liu", "-o", tmp_path / "tree.net")
    assert len(db.read_net(tmp_path / "tree.net").dag.directed_edges) == 4


def test_rows_with_missing_values_are_dropped_on_request(call, tmp_path):
    (tmp_path / "holes.csv").write_text("a,b\n" + "x,x\ny,y\n" * 30 + "x,\n")
    assert "missing" in call("search", tmp_path / "holes.csv", code=1).stderr
    result = call("search", tmp_path / "holes.csv", "--missing", "drop", "-o", tmp_path / "net.bif")
    assert "1 row with missing values dropped" in result.stderr
    assert (
        "--missing state"
        in call("search", tmp_path / "holes.csv", "--missing", "state", "--format", "bif", code=1).stderr
    )


@pytest.mark.parametrize(("missing", "noted"), [("skip", "fewest rows of a family"), ("em", "structural EM: 1 graph")])
def test_missing_values_are_left_out_or_summed_out_on_request(call, tmp_path, missing, noted):
    (tmp_path / "holes.csv").write_text("a,b\n" + "x,x\ny,y\n" * 30 + "x,\n")
    result = call("search", tmp_path / "holes.csv", "--missing", missing, "-o", tmp_path / "net.bif")
    assert noted in result.stderr and len(db.read_net(tmp_path / "net.bif").dag.directed_edges) == 1


def test_bootstrap_shares_stand_beside_the_edges(call):
    shown = call("search", "garden.csv", "--method", "hc", "--bootstrap", 2, "--format", "csv", "-q")
    assert shown.stdout.splitlines()[0] == "from,edge,to,adjacent,forward,backward,decided" and not shown.stderr


def test_a_page_is_written(call, tmp_path):
    call("search", "garden.csv", "-o", tmp_path / "found.html")
    assert "Graph found by its score" in (tmp_path / "found.html").read_text(encoding="utf-8")


def test_a_penalty_reaches_the_search(call):
    assert "0 edges" in call("search", "garden.csv", "--penalty", 1000).stderr
    assert "0 edges" not in call("search", "garden.csv", "--penalty", 1).stderr
