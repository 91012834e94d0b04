"""Questions from the shell: as text, as rows, and with errors that point at the character."""

from __future__ import annotations

import json

import pyarrow.parquet as pq
import pytest
from pyarrow import csv

import deciban as db

QUESTION = "P(rain | wet=yes, do(sprinkler=yes))"


def test_answers_are_those_of_the_library(call):
    rows = json.loads(call("query", "garden.bif", QUESTION, "--format", "json").stdout)
    expected = db.read_net("garden.bif").do({"sprinkler": "yes"}).query("rain", {"wet": "yes"})
    assert rows == [
        {"question": QUESTION, "answer": [{"rain": state, "probability": expected[state]} for state in ("no", "yes")]}
    ]


def test_one_value_is_shown_on_one_line(call):
    shown = call("query", "garden.bif", "P(rain=yes)", "rain _||_ sprinkler | season", "rain _||_ sprinkler").stdout
    assert shown == "P(rain=yes) = 0.4\n\nrain _||_ sprinkler | season: yes\n\nrain _||_ sprinkler: no\n"


def test_a_file_has_the_rows_of_all_questions(call, tmp_path):
    questions = ("P(rain)", "P(season, wet=yes)", "P(wet)", "season _||_ wet")
    call("query", "garden.bif", questions[0], *questions[2:], "-o", tmp_path / "all.csv")
    table = csv.read_csv(tmp_path / "all.csv")
    assert table.column_names == ["question", "rain", "wet", "probability", "independent"]
    assert table["question"].to_pylist() == ["P(rain)", "P(rain)", "P(wet)", "P(wet)", "season _||_ wet"]
    call("query", "garden.bif", "P(rain)", "-o", tmp_path / "one.parquet")
    assert pq.read_table(tmp_path / "one.parquet")["probability"].to_pylist() == pytest.approx([0.6, 0.4])


@pytest.mark.parametrize(
    ("question", "error"),
    [
        ("P(rain | wett=yes)", "Did you mean 'wet'?\n  P(rain | wett=yes)\n           ^\n"),
        ("P(rain | wet=yse)", "Did you mean 'yes'?\n  P(rain | wet=yse)\n               ^\n"),
        ("P(rain | wet=yes", "expected ')', found the end\n  P(rain | wet=yes\n                  ^\n"),
    ],
)
def test_an_error_points_at_the_character(call, question, error):
    result = call("query", "garden.bif", question, code=1)
    assert result.stderr.startswith("Error: ") and result.stderr.endswith(error) and not result.stdout


def test_a_question_is_read_before_the_net(call):
    assert "expected" in call("query", "missing.bif", "P(rain", code=1).stderr


@pytest.mark.parametrize(
    ("net", "code", "error"),
    [
        ("missing.bif", 3, "there is no file missing.bif"),
        ("garden.csv", 1, "garden.csv is not the name of a network file: it ends in none of .bif"),
        ("day.json", 1, "day.json"),
    ],
)
def test_a_file_that_is_no_net_is_one_line(call, net, code, error):
    shown = call("query", net, "P(rain)", code=code).stderr
    assert error in shown and len(shown.splitlines()) == 1


def test_a_net_that_was_saved_is_read(call, tmp_path):
    body = db.GaussianNet.from_parameters(
        [("height", "weight")],
        {"height": db.LinearGaussian(170.0, {}, 64.0), "weight": db.LinearGaussian(-100.0, {"height": 1.0}, 36.0)},
    )
    db.save(body, tmp_path / "body.deciban")
    shown = call("query", tmp_path / "body.deciban", "P(weight | do(height=180))", "E(height)").stdout
    assert shown == "P(weight | do(height=180))\nnode    mean  sd\nweight    80   6\n\nE(height) = 170\n"
    db.save(db.NaiveBayes().fit({"a": [1, 2, 3, 4]}, ["x", "y", "x", "y"]), tmp_path / "other.deciban")
    assert "holds a NaiveBayes, not a Bayes net" in call("query", tmp_path / "other.deciban", "P(a)", code=1).stderr
