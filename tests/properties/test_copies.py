"""A model that was loaded, pickled or copied does all that the fitted one does, and gives the same everywhere.

The label of missing values is then an equal object, not the same one, and so is every other value that a model holds.
"""

import copy
import pickle

import orjson
import pytest

import deciban as db
from tests.serve.client import client_of

ROWS = {
    "sky": ["sun", "sun", "rain", None, "fog", "rain"] * 10,
    "warm": [21.5, 18.0, 9.5, None, 20.0, 7.5] * 10,
    "guests": [1, 2, None, 3, 1, 2] * 10,
    "dry": [True, False, None, True, True, False] * 10,
}
LABELS = ["play", "play", "stay", "stay", "play", "stay"] * 9 + ["stay", "play"] * 3
DISCRETE = ("sky", "guests", "dry")
TEXTS = ["win cheap money", "see you at noon", "cheap cheap prize", "noon is fine"] * 3
NUMBERS = {name: [0.0 if value is None else float(value) for value in ROWS[name]] for name in ("warm", "guests")}


def table(names=tuple(ROWS)):
    return {name: ROWS[name] for name in names}


def _of_numbers(model):
    return model, NUMBERS, LABELS


MODELS = {
    "naive, missing as a state": lambda: (db.NaiveBayes(missing="state"), table(), LABELS),
    "naive, by default": lambda: (db.NaiveBayes(), table(), LABELS),
    "naive, calibrated": lambda: (db.NaiveBayes(missing="state").fit(table(), LABELS).calibrate(table(), LABELS),),
    "tan": lambda: (db.TAN(missing="state"), table(DISCRETE), LABELS),
    "aode": lambda: (db.AODE(missing="state"), table(DISCRETE), LABELS),
    "net": lambda: (db.BayesNetClassifier(missing="state"), table(DISCRETE), LABELS),
    "kdb": lambda: (db.KDB(), table(), LABELS),
    "discriminant": lambda: (db.Discriminant(), table(), LABELS),
    "forest": lambda: (db.CountForest(n_trees=3), table(), LABELS),
    "combined": lambda: (db.AutoBayes(), table(), LABELS),
    "joint": lambda: (db.JointBayes(missing="skip"), table(DISCRETE), LABELS),
    "gaussian": lambda: _of_numbers(db.GaussianNB()),
    "multinomial": lambda: _of_numbers(db.MultinomialNB()),
    "complement": lambda: _of_numbers(db.ComplementNB()),
    "bernoulli": lambda: _of_numbers(db.BernoulliNB()),
    "categorical": lambda: _of_numbers(db.CategoricalNB()),
    "text": lambda: (db.TextNB(), TEXTS, ["spam", "ham"] * 6),
    "ratio": lambda: (db.LogCountRatio(), TEXTS, ["spam", "ham"] * 6),
    "autotext": lambda: (db.AutoText(), TEXTS, ["spam", "ham"] * 6),
}


def _loaded(model, folder):
    db.save(model, folder / "a.deciban")
    return db.load(folder / "a.deciban")


WAYS = {
    "loaded": _loaded,
    "pickled": lambda model, _: pickle.loads(pickle.dumps(model)),  # noqa: S301
    "deepcopied": lambda model, _: copy.deepcopy(model),
    "copied twice": lambda model, folder: copy.deepcopy(_loaded(model, folder)),
}


def _answers(model, rows):
    """What the service says of the model, and of rows with known and missing values."""
    client = client_of(model)
    requests = [("/predict", rows), ("/explain", rows)]
    answers = [client.get("/model"), client.get("/openapi.json"), *(client.post(*each) for each in requests)]
    assert [answer.status_code for answer in answers] == [200] * 4
    return [orjson.loads(answer.content) for answer in answers]


def _rows_of(X):
    return list(X[:4]) if isinstance(X, list) else [{name: X[name][i] for name in X} for i in range(6)]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", MODELS)
def test_queries_files_reports_and_answers_are_those_of_the_fitted_model(name, way, tmp_path):
    model, *data = MODELS[name]()
    X, y = data or (table(), LABELS)
    model = model.fit(X, y) if data else model
    other = WAYS[way](model, tmp_path)
    if hasattr(model, "to_sql"):
        for dialect in ("duckdb", "sqlite"):
            assert other.to_sql(dialect, "rows") == model.to_sql(dialect, "rows")
    if hasattr(model, "to_onnx"):
        assert other.to_onnx().SerializeToString() == model.to_onnx().SerializeToString()
    if hasattr(model, "nomogram"):
        assert str(other.nomogram("play", "stay")) == str(model.nomogram("play", "stay"))
    assert db.report(other, X, y).html == db.report(model, X, y).html
    assert _answers(other, _rows_of(X)) == _answers(model, _rows_of(X))
