"""Every answer has rows, with the columns that tables and JSON show."""

from __future__ import annotations

import pytest

import deciban as db
from deciban.nets.inference.ask import answer_rows, parse_question
from tests.nets.inference.ask.test_answer import BODY, NET

ROWS = [
    (NET, "P(smoke)", [{"smoke": "yes", "probability": 0.5}, {"smoke": "no", "probability": 0.5}]),
    (NET, "P(smoke=yes)", [{"probability": 0.5}]),
    (NET, "E(age | smoke=yes)", [{"expected": 50.0}]),
    (NET, "argmax P(age | smoke=yes)", [{"age": 60, "probability": 0.75}]),
    (NET, "smoke _||_ lung", [{"independent": False}]),
    (BODY, "P(height | do(weight=80))", [{"node": "height", "mean": 170.0, "sd": 8.0}]),
]


@pytest.mark.parametrize(("net", "text", "rows"), ROWS, ids=[text for _, text, _ in ROWS])
def test_an_answer_is_rows(net, text, rows):
    assert answer_rows(parse_question(text), net.ask(text)) == rows


def test_a_joint_table_has_a_column_for_each_node():
    rows = answer_rows(parse_question("P(lung, age)"), NET.ask("P(lung, age)"))
    assert [list(row) for row in rows] == [["lung", "age", "probability"]] * 4
    assert sum(row["probability"] for row in rows) == pytest.approx(1)


def test_several_numbers_have_their_covariances():
    first, second = answer_rows(parse_question("P(height, weight)"), BODY.ask("P(height, weight)"))
    assert first == {
        "node": "height",
        "mean": 170.0,
        "sd": 8.0,
        "covariance with height": 64.0,
        "covariance with weight": 64.0,
    }
    assert second["covariance with weight"] == pytest.approx(100)


def test_a_node_may_have_the_name_of_the_value():
    net = db.BayesNet.from_tables(
        db.DAG(nodes=["probability"]), {"probability": ("low", "high")}, {"probability": [0.5] * 2}
    )
    rows = answer_rows(parse_question("P(probability)"), net.ask("P(probability)"))
    assert rows[0] == {"probability": "low", "probability_": 0.5}
