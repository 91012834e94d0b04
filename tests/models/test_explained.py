"""A single row of any classifier gets what a table of one row gets, and its explanation sums up to it."""

import numpy as np
import pytest

import deciban as db

X = np.array([[0, 1], [1, 1], [0, 0], [2, 0]])
Y = ["a", "b", "a", "b"]


@pytest.fixture(scope="module")
def model():
    return db.CategoricalNB().fit(X, Y)


def test_one_row_is_a_table_of_one_row(model):
    for row in X:
        assert model.predict_one(row) == model.predict(row[None])[0]
        assert list(model.predict_proba_one(row).values()) == pytest.approx(model.predict_proba(row[None])[0])


def test_the_explanation_has_the_label_and_the_posterior_of_the_row(model):
    explained = model.explain({"x0": 0, "x1": 1})
    assert explained.label == model.predict_one([0, 1])
    assert model.explain({"x0": 0, "x1": 1}, against="b").against == "b"


@pytest.mark.parametrize("kind", [db.NaiveBayes, db.TAN, db.CategoricalNB, db.KDB, db.Discriminant, db.CountForest])
def test_the_label_of_one_row_is_a_value_of_python(kind):
    model = kind().fit({"n": [0, 1] * 6}, [7, 8] * 6)
    assert type(model.predict_one({"n": 1})) is type(model.explain({"n": 1}).label) is int
