"""`deciban evaluate`: the scores of `db.evaluate`."""

from __future__ import annotations

import json

import pytest
from pyarrow import csv

import deciban as db


def test_the_scores_are_those_of_the_library(run):
    held = json.loads(run("evaluate", "tennis.deciban", "tennis.csv", "--format", "json").output)
    model = db.load("tennis.deciban")
    days = csv.read_csv("tennis.csv")
    report = db.evaluate(days["PlayTennis"], posterior=model.predict_proba(days.drop_columns(["PlayTennis"])))
    assert held["accuracy"]["value"] == report.accuracy
    assert held["log_loss"]["value"] == pytest.approx(report.probability.log_loss.value)
    assert held["confusion"] == report.confusion.tolist()


def test_the_report_is_a_text_with_the_confusion_matrix(run):
    shown = run("evaluate", "tennis.deciban", "tennis.csv", "-o", "scores.txt")
    assert shown.output == ""
    with open("scores.txt") as file:
        assert ["truth", "\\", "decision", "no", "yes"] in [line.split() for line in file]


def test_documents_need_a_label(run):
    run("fit", "messages.jsonl", "--text", "text", "-t", "label", "-o", "m.deciban", "-q")
    assert "accuracy" in run("evaluate", "m.deciban", "messages.jsonl").output


def test_another_target_is_named(run):
    assert (
        "Did you mean 'PlayTennis'?"
        in run("evaluate", "tennis.deciban", "tennis.csv", "-t", "PlayTenis", code=1).output
    )


def test_an_odd_class_is_a_row_that_cannot_be_read(run, tmp_path):
    rows = "".join(f"{i % 3},{i % 2}\n" for i in range(20))
    (tmp_path / "floors.csv").write_text(f"floor,play\n{rows}")
    (tmp_path / "odd.csv").write_text(f"floor,play\n1,unknown\n{rows}")
    run("fit", "floors.csv", "-t", "play", "-o", "floors.deciban")
    expected = run("evaluate", "floors.deciban", "floors.csv").output
    assert (
        "odd.csv, line 2: column 'play' has the value 'unknown'"
        in run("evaluate", "floors.deciban", "odd.csv", code=1).output
    )
    assert expected in run("evaluate", "floors.deciban", "odd.csv", "--on-bad-row", "skip").output
    run("predict", "floors.deciban", "odd.csv")  # which needs no classes
