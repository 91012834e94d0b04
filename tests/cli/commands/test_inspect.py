"""`deciban inspect`: models, tallies and nets."""

from __future__ import annotations

import json


def test_a_model_is_described(run):
    shown = run("inspect", "tennis.deciban").output
    assert "NaiveBayes of 14 rows, 4 columns, 2 classes" in shown and "labels: 3 distinct" in shown
    held = json.loads(run("inspect", "tennis.deciban", "--format", "json").output)
    assert held["target"] == "PlayTennis" and held["classes"][0] == {"label": "no", "rows": 5}
    assert held["file"]["size"] > 1000 and held["file"]["version"] >= 2


def test_a_net_and_a_tally_are_described(run):
    assert "sprinkler  no, yes     season" in run("inspect", "garden.bif").output
    run("tally", "tennis.csv", "-t", "PlayTennis", "-o", "t.tally", "-q")
    assert "counts of 3 states" in run("inspect", "t.tally").output


def test_another_file_is_an_error(run):
    assert "not a deciban file" in run("inspect", "tennis.csv", code=1).output
