"""A live picture of a row shows what the classifier gives."""

import json
import math

import numpy as np
import pytest

import deciban as db
from deciban.errors import InputError, UnfittedError
from deciban.widget.rows import LiveRow


def table(rows=120):
    rng = np.random.default_rng(0)
    sky = rng.choice(["rain", "sun"], rows)
    warm = np.where(sky == "sun", 22.0, 14.0) + rng.normal(0, 5, rows)
    X = {"sky": sky.tolist(), "warm": warm.tolist(), "windy": rng.choice([True, False], rows).tolist()}
    y = np.where(warm + rng.normal(0, 3, rows) > 18, "play", "stay")
    return X, y


X, Y = table()
MODELS = [db.NaiveBayes, db.TAN, db.AODE, db.KDB, db.AutoBayes, db.BayesNetClassifier]


@pytest.mark.parametrize("model", MODELS)
def test_the_numbers_are_those_of_predict_proba_and_explain(model):
    fitted = model().fit(X, Y)
    live = LiveRow(fitted, {"sky": "sun", "warm": 20.0, "windy": True}, X)
    scene = live.scene()
    assert [column["kind"] for column in scene["columns"]] == ["label", "number", "label"]
    assert scene["columns"][1]["low"] == min(X["warm"]) and scene["columns"][1]["high"] == max(X["warm"])
    assert scene["values"] == [1, 20.0, 1]
    for values, row in [
        ([0, 11.5, 0], {"sky": "rain", "warm": 11.5, "windy": False}),
        ([None, None, 1], {"sky": None, "warm": None, "windy": True}),
    ]:
        answer = live.answer({"values": values, "turn": 4})
        json.dumps(answer, allow_nan=False)
        explained = fitted.explain(row)
        assert answer["posterior"] == fitted.predict_proba([row])[0].tolist()
        assert answer["turn"] == 4 and scene["classes"][answer["label"]] == fitted.predict([row])[0]
        weights = {name: float(weight) for name, weight in answer["parts"]}
        assert weights["warm"] == pytest.approx(
            next(reason.weight_db for reason in explained.reasons if reason.name == "warm")
        )
        assert math.isclose(float(answer["total"]), sum(weights.values()), abs_tol=1e-9)


def test_columns_without_names_are_a_matrix():
    rng = np.random.default_rng(1)
    matrix, y = rng.normal(size=(60, 3)), rng.choice(["a", "b"], 60)
    fitted = db.GaussianNB().fit(matrix, y)
    live = LiveRow(fitted, matrix[0])
    assert [column["kind"] for column in live.scene()["columns"]] == ["number"] * 3
    answer = live.answer({"values": [0.5, -0.5, 0.0]})
    assert answer["posterior"] == fitted.predict_proba([[0.5, -0.5, 0.0]])[0].tolist()
    assert "NaN" in live.answer({"values": [None, 0.0, 0.0]})["error"], "this drop-in takes no missing values"


def test_another_class_can_be_compared_with():
    fitted = db.NaiveBayes().fit(X, Y)
    live = LiveRow(fitted, {"sky": "sun", "warm": 25.0, "windy": True})
    best = live.answer({"values": [1, 25.0, 1]})
    same = live.answer({"values": [1, 25.0, 1], "against": 1 - best["label"]})
    assert same["total"] == best["total"]


def test_what_does_not_fit_is_said():
    fitted = db.NaiveBayes().fit(X, Y)
    live = LiveRow(fitted, {"sky": "sun"})
    assert "2 values" in live.answer({"values": [0, 1.0]})["error"]
    assert live.answer({"values": [9, 1.0, 0]})["error"]
    with pytest.raises(InputError, match="document"):
        LiveRow(db.TextNB().fit(["a b", "c d"], ["x", "y"]), "a b")
    with pytest.raises(UnfittedError):
        db.NaiveBayes().widget({"sky": "sun"})


def test_the_widget_and_the_cells_say_the_same():
    fitted = db.NaiveBayes().fit(X, Y)
    widget = fitted.widget({"sky": "sun", "warm": 20.0, "windy": True}, X)
    expected = fitted.predict_proba([{"sky": "rain", "warm": 20.0, "windy": True}])[0].tolist()
    widget.row = {**widget.row, "sky": "rain"}
    assert list(widget.posterior.values()) == expected and widget.findings["values"][0] == 0
    widget.findings = {"values": [1, 30.0, 0], "turn": 9}
    assert widget.row == {"sky": "sun", "warm": 30.0, "windy": False}
