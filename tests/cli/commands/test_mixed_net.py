"""A saved net of categories and numbers in every command that takes a net."""

from __future__ import annotations

import json

import pytest
from pyarrow import csv

import deciban as db
from tests.nets.test_mixed_net import ARROWS, people


@pytest.fixture
def saved(tmp_path):
    net = db.BayesNet(ARROWS).fit(people(500))
    db.save(net, tmp_path / "people.deciban")
    return net


def test_questions_about_both_kinds(run, saved):
    questions = ("P(sex=f | weight=80)", "P(weight > 80 | sex=f)", "E(height | do(weight=70))", "sex _||_ diet")
    rows = json.loads(run("query", "people.deciban", *questions, "--format", "json").stdout)
    answers = [row["answer"] for row in rows]
    assert str(saved.query("sex", {"weight": 80})["f"])[:8] in json.dumps(answers[0])
    shown = run("query", "people.deciban", "P(height | ill=yes)").stdout
    assert f"{saved.query('height', {'ill': 'yes'}).mean:.6g}" in shown


def test_rows_and_interventions(run, saved, tmp_path):
    run("sample", "people.deciban", "-n", "20", "--seed", "1", "--do", "height=170", "-o", "rows.csv")
    table = csv.read_csv(tmp_path / "rows.csv")
    assert table.column_names == list(saved.nodes) and set(table["height"].to_pylist()) == {170.0}
    shown = run("do", "people.deciban", "height=170", "--on", "weight").stdout
    assert f"{saved.do({'height': 170}).query('weight').mean:.6g}" in shown


def test_the_file_is_described_reported_and_converted(run, saved, tmp_path):
    shown = run("inspect", "people.deciban").stdout
    assert "BayesNet of 500 rows, 5 nodes" in shown and "no, yes  sex, weight" in shown
    run("convert", "people.deciban", "people.json")
    assert db.read_net(tmp_path / "people.json") == saved
    assert "holds tables only" in run("convert", "people.deciban", "people.bif", code=1).stderr
    run("report", "people.deciban", "-o", "people.html")
    assert "linear on height, 3 configurations of diet" in (tmp_path / "people.html").read_text(encoding="utf-8")
