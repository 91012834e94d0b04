"""Graphs from tests, from the shell: every format, knowledge, evidence, bootstrap, and nets with tables."""

from __future__ import annotations

import json
from typing import get_args

import pytest
from pyarrow import csv

import deciban as db
from deciban.cli.commands import graphs as module
from deciban.nets.discovery.discover import Method, Missing, TestName
from deciban.nets.discovery.orient import COLLIDER_RULES

TIERS = ("--tier", "season", "--tier", "sprinkler, rain")


@pytest.mark.parametrize(
    ("choices", "known"),
    [
        (module.DiscoveryMethod, get_args(Method)),
        (module.Test, get_args(TestName)),
        (module.DiscoveryMissing, get_args(Missing)),
        (module.ColliderRule, tuple(COLLIDER_RULES)),
    ],
)
def test_the_choices_are_those_of_the_library(choices, known):
    assert set(get_args(choices)) == set(known)


def test_the_edges_are_those_of_the_library(call):
    result = call("discover", "garden.csv", "--format", "json")
    found, expected = json.loads(result.stdout), db.discover("garden.csv")
    assert [(edge["from"], edge["edge"], edge["to"]) for edge in found["edges"]] == list(expected.graph.edges)
    assert found["tests"] == expected.tests and found["nodes"] == list(expected.graph.nodes)
    assert result.stderr.splitlines()[0] == expected.summary


def test_knowledge_from_options_is_that_of_a_file(call, tmp_path):
    plain = call("discover", "garden.csv").stdout
    by_options = call("discover", "garden.csv", *TIERS, "--require", "season -> rain").stdout
    (tmp_path / "known.json").write_text(
        json.dumps({"tiers": [["season"], ["sprinkler", "rain"]], "required": [["season", "rain"]]})
    )
    assert call("discover", "garden.csv", "--knowledge", tmp_path / "known.json").stdout == by_options != plain
    assert "season     →     rain" in by_options


def test_a_pair_is_explained(call):
    shown = call("discover", "garden.csv", "--why", "sprinkler", "rain").stdout
    assert shown.strip() == db.discover("garden.csv").explain("sprinkler", "rain")
    assert "Did you mean 'rain'?" in call("discover", "garden.csv", "--why", "sprinkler", "rian", code=1).stderr


def test_the_evidence_of_all_pairs_is_shown(call):
    shown = call("discover", "garden.csv", "--evidence").stdout
    for a, b in (("rain", "wet"), ("rain", "sprinkler"), ("season", "slippery")):
        assert f"{a} and {b}" in shown
    assert "Conflict: season → rain ← wet does not fit" in shown


def test_bootstrap_shares_stand_beside_the_edges(call):
    shown = call("discover", "garden.csv", "--bootstrap", 5, "--format", "csv").stdout.splitlines()
    assert shown[0] == "from,edge,to,adjacent,forward,backward"
    assert shown[1].startswith("rain,→,wet,1,")


def test_a_net_has_the_tables_of_one_of_the_graphs(call, tmp_path):
    call("discover", "garden.csv", *TIERS, "-o", tmp_path / "net.bif")
    net = db.read_net(tmp_path / "net.bif")
    assert net.dag.cpdag() == db.discover("garden.csv").graph.extension().cpdag()
    rows = csv.read_csv("garden.csv")
    assert net == db.BayesNet(net.dag).fit(rows)
    assert call("discover", "garden.csv", *TIERS, "--format", "bif").stdout == (tmp_path / "net.bif").read_text()


@pytest.mark.parametrize(
    ("name", "begins"), [("graph.dot", "digraph {"), ("graph.svg", "<svg "), ("graph.html", "<!DOCTYPE html>")]
)
def test_pictures_and_pages_are_written_by_the_name_of_the_file(call, name, begins, tmp_path):
    call("discover", "garden.csv", "--evidence", "-o", tmp_path / name)
    text = (tmp_path / name).read_text(encoding="utf-8")
    assert text.startswith(begins) and "sprinkler" in text


def test_hidden_common_causes_are_allowed_for(call):
    assert "season     o→    rain" in call("discover", "garden.csv", "--method", "fci").stdout
    shown = call("discover", "garden.csv", "--method", "fci", "--format", "bif", code=1).stderr
    assert "has no DAG to fit tables to" in shown


def test_columns_are_left_out_and_rows_come_from_the_standard_input(call, examples):
    content = (examples / "garden.csv").read_bytes()
    shown = call("discover", "-", "-x", "slippery", "--exclude", "season", "--format", "json", stdin=content).stdout
    assert json.loads(shown)["nodes"] == ["sprinkler", "rain", "wet"]
    assert (
        "has no column 'seson'. Did you mean 'season'?" in call("discover", "garden.csv", "-x", "seson", code=1).stderr
    )


def test_numbers_give_a_gaussian_net(call, tmp_path):
    (tmp_path / "numbers.csv").write_text(
        "a,b\n" + "".join(f"{i * 0.37 % 1:.3f},{i * 0.37 % 1 + i * 0.11 % 0.3:.3f}\n" for i in range(60))
    )
    call("discover", tmp_path / "numbers.csv", "-o", tmp_path / "net.deciban")
    assert isinstance(db.load(tmp_path / "net.deciban"), db.GaussianNet)
    shown = call("discover", tmp_path / "numbers.csv", "--format", "bif", code=1).stderr
    assert "-o NAME.deciban" in shown


def test_categories_and_numbers_are_tested_together(call, tmp_path):
    rows = "".join(f"{'xy'[i % 2]},{i % 2 + i * 0.0037:.4f}\n" for i in range(200))
    (tmp_path / "mixed.csv").write_text("a,b\n" + rows)
    shown = call("discover", tmp_path / "mixed.csv")
    assert "a" in shown.stdout and "read as numbers: b" in shown.stderr and "counted as categories: a" in shown.stderr
    assert "1 undirected edge" in shown.stderr
    assert (
        "'b' holds at least 200 different numbers"
        in call("discover", tmp_path / "mixed.csv", "--test", "g2", code=1).stderr
    )
