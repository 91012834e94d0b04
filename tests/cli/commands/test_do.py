"""Interventions from the shell: compared with observations, or as a net."""

from __future__ import annotations

import json

import pytest

import deciban as db


def test_setting_is_compared_with_observing(call):
    rows = json.loads(call("do", "garden.bif", "sprinkler=yes", "--on", "rain", "--format", "json").stdout)
    assert [row["state"] for row in rows] == ["no", "yes"]
    yes = rows[1]
    net = db.read_net("garden.bif")
    assert yes["before"] == net.query("rain")["yes"] == pytest.approx(yes["do"])
    assert yes["observed"] == net.query("rain", {"sprinkler": "yes"})["yes"] < yes["before"]


def test_without_nodes_the_descendants_are_shown(call):
    shown = call("do", "garden.bif", "sprinkler=no").stdout.splitlines()
    assert [line.split()[0] for line in shown] == ["node", "wet", "wet", "slippery", "slippery"]
    assert "no node depends on slippery" in call("do", "garden.bif", "slippery=yes", code=1).stderr


def test_evidence_is_observed_in_all_three(call):
    arguments = ("sprinkler=yes", "rain=no", "--on", "season", "--given", "wet=yes", "--format", "json")
    rows = json.loads(call("do", "garden.bif", *arguments).stdout)
    net = db.read_net("garden.bif")
    actions, evidence = {"sprinkler": "yes", "rain": "no"}, {"wet": "yes"}
    for row in rows:
        state = row["state"]
        assert row["before"] == net.query("season", evidence)[state]
        assert row["observed"] == net.query("season", actions | evidence)[state]
        assert row["do"] == net.do(actions).query("season", evidence)[state]


def test_states_that_cannot_be_observed_leave_their_column_empty(call, tmp_path):
    net = db.BayesNet.from_tables(
        [("a", "b")], {"a": ("x", "y"), "b": ("x", "y")}, {"a": [1.0, 0.0], "b": [[0.5, 0.5], [0.25, 0.75]]}
    )
    net.write(tmp_path / "certain.bif")
    result = call("do", tmp_path / "certain.bif", "a=y", "--format", "csv")
    assert result.stdout.splitlines() == ["node,state,before,observed,do", "b,x,0.5,,0.25", "b,y,0.5,,0.75"]
    assert "the states cannot be observed" in result.stderr


def test_the_net_after_the_intervention_is_written(call, tmp_path):
    written = tmp_path / "watered.xdsl.gz"
    call("do", "garden.bif", "sprinkler=yes", "-o", written)
    assert db.read_net(written) == db.read_net("garden.bif").do({"sprinkler": "yes"})
    assert "leave out --on" in call("do", "garden.bif", "sprinkler=yes", "--on", "wet", "-o", written, code=2).stderr


def test_a_gaussian_net_has_means(call, tmp_path):
    parameters = {"a": db.LinearGaussian(1.0, {}, 1.0), "b": db.LinearGaussian(0.0, {"a": 2.0}, 4.0)}
    db.save(db.GaussianNet.from_parameters([("a", "b")], parameters), tmp_path / "numbers.deciban")
    rows = json.loads(call("do", tmp_path / "numbers.deciban", "b=10", "--on", "a", "--format", "json").stdout)
    assert rows[0] == {"node": "a", "state": "mean", "before": 1.0, "observed": pytest.approx(3.0), "do": 1.0}


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["sprinkler"], "expected '=' and a state"),
        (["sprinkler=on"], "'sprinkler' has no state 'on'"),
        (["sprinkler=yes", "sprinkler=no"], "'sprinkler' is named twice"),
        (["sprinkler=yes", "--on", "rian"], "Did you mean 'rain'?"),
        (["sprinkler=yes", "--given", "wet"], "expected '=' and a state"),
    ],
)
def test_mistakes_are_pointed_at(call, arguments, error):
    result = call("do", "garden.bif", *arguments, code=1)
    assert error in result.stderr and result.stderr.rstrip().endswith("^")
