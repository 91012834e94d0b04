"""`deciban explain`: sums of decibans, for rows and documents."""

from __future__ import annotations

import json

import pytest

import deciban as db


def test_the_sum_is_that_of_the_model(run):
    with open("day.json") as file:
        day = json.load(file)
    explanation = db.load("tennis.deciban").explain(day)
    assert run("explain", "tennis.deciban", "day.json").output == f"{explanation}\n"
    held = json.loads(run("explain", "tennis.deciban", "day.json", "--format", "json").output)[0]
    assert held["label"] == "no" and held["total_db"] == pytest.approx(explanation.total_db)
    assert held["prior_db"] + sum(reason["weight_db"] for reason in held["reasons"]) == pytest.approx(held["total_db"])
    assert held["probabilities"] == pytest.approx(explanation.probabilities)


def test_some_rows_of_a_table_are_explained(run):
    shown = run("explain", "tennis.deciban", "tennis.csv", "--rows", "2", "--against", "no").output
    assert shown.count("against P(no)") == 2


def test_a_class_that_does_not_exist_is_named(run):
    assert "Did you mean 'yes'?" in run("explain", "tennis.deciban", "day.json", "--against", "yess", code=1).output


def test_documents_are_explained_by_their_tokens(run):
    run("fit", "messages.jsonl", "--text", "text", "-t", "label", "-o", "m.deciban", "-q")
    shown = run("explain", "m.deciban", "messages.jsonl", "--rows", "1").output
    assert "Weight for spam against ham" in shown and "prize" in shown
    held = json.loads(run("explain", "m.deciban", "-", "--format", "json", stdin='"a free lunch"').output)[0]
    assert {reason["token"] for reason in held["reasons"]} == {"free", "lunch"}
