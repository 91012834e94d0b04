"""Scalars of numpy, Arrow, pandas and polars are taken as the values they hold, wherever a state or label is named."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import deciban as db
from deciban.read import is_missing, plain

TABLE = {
    "sky": ["sun", "rain", "sun", "rain", "sun"],
    "wind": [1, 2, 2, 1, 1],
    "warm": [True, False, True, True, False],
}
Y = ["go", "stay", "go", "stay", "go"]
ROW = {"sky": "rain", "wind": 2, "warm": True}


def scalars(row):
    """The same row with the scalars of each library."""
    yield {name: pa.scalar(value) for name, value in row.items()}
    yield {name: pa.chunked_array([[value]])[0] for name, value in row.items()}
    yield {name: np.array([value])[0] for name, value in row.items()}
    yield {name: pd.Series([value])[0] for name, value in row.items()}
    yield {name: pl.Series([value])[0] for name, value in row.items()}


@pytest.mark.parametrize(
    "value",
    [pa.scalar(3), np.int64(3), np.float32(3), np.array(3), np.uint8(3), np.longdouble(3), pl.Series([3])[0]],
    ids=repr,
)
def test_numbers(value):
    assert plain(value) == 3
    assert type(plain(value)) in (int, float)


def test_dates_and_nothing():
    assert plain(np.datetime64("2020-01-02T03:04:05.000000006")) == pd.Timestamp("2020-01-02 03:04:05").to_pydatetime()
    missing = [
        None,
        np.nan,
        pd.NA,
        pd.NaT,
        np.ma.masked,
        np.datetime64("NaT"),
        pa.scalar(None),
        pa.scalar(None, "int8"),
    ]
    assert all(map(is_missing, missing))
    assert not any(map(is_missing, ["", 0, False, b"", np.zeros(2), [None], "nan", pa.scalar("x")]))
    assert [plain(value) for value in (pd.NA, np.ma.masked, pa.scalar(None))] == [None] * 3


@pytest.mark.parametrize(
    "model",
    [
        db.NaiveBayes(),
        db.NaiveBayes(missing="state"),
        db.NaiveBayes({"wind": db.Gaussian(), "warm": db.Bernoulli()}),
        db.NaiveBayes({"wind": db.Kernel(), "warm": db.Bernoulli()}, na_values=["fog", 99]),
        db.NaiveBayes(weights="mi"),
        db.TAN(),
        db.AODE(),
        db.BayesNetClassifier(),
    ],
    ids=repr,
)
def test_single_rows(model):
    model.fit(TABLE, Y)
    expected, explained = model.predict_proba_one(ROW), repr(model.explain(ROW))
    for row in scalars(ROW):
        assert model.predict_proba_one(row) == expected
        assert model.predict_one(row) == model.predict_one(ROW)
        assert repr(model.explain(row)) == explained
    gone = {"sky": pa.scalar(None, pa.string()), "wind": pd.NA, "warm": np.float64("nan")}
    assert model.predict_proba_one(gone) == model.predict_proba_one({})


@pytest.mark.parametrize("columns", ["auto", {"wind": db.Gaussian(), "warm": db.Bernoulli()}, {"wind": db.Kernel()}])
def test_rows_that_are_learned_one_by_one(columns):
    plainly, others = db.NaiveBayes(columns), [db.NaiveBayes(columns) for _ in scalars(ROW)]
    for i in range(5):
        row = {name: held[i] for name, held in TABLE.items()}
        plainly.learn_one(row, Y[i])
        for model, one in zip(others, scalars(row), strict=True):
            model.learn_one(one, pa.scalar(Y[i]))
    for model in others:
        assert model.tally_ == plainly.tally_
        assert model.classes_.tolist() == ["go", "stay"]


@pytest.mark.parametrize("label", [pa.scalar("go"), np.str_("go"), pd.Series(["go"])[0]], ids=repr)
def test_labels(label):
    model = db.NaiveBayes().fit(TABLE, Y)
    evidence = model.evidence(TABLE)
    assert evidence.prior_db(label, pa.scalar("stay")) == evidence.prior_db("go", "stay")
    assert repr(model.explain(ROW, against=label)) == repr(model.explain(ROW, against="go"))
    assert repr(model.nomogram(label)) == repr(model.nomogram("go"))
    priors = {label: 0.25, pa.scalar("stay"): 0.75}
    assert db.NaiveBayes(priors=priors).fit(TABLE, Y).class_prior_.tolist() == pytest.approx([0.25, 0.75])
    assert db.evaluate(Y, Y)[label].recall == 1.0
    text = db.TextNB().fit(["sun sea", "rain wind"], ["go", "stay"])
    assert text.top_tokens(label, "stay") == text.top_tokens("go", "stay")
    assert db.NaiveBayes().fit(TABLE, [label, "stay", label, "stay", label]).classes_.tolist() == ["go", "stay"]


def test_states_of_nets():
    net = db.BayesNet(db.DAG([("sky", "warm"), ("wind", "warm")])).fit(TABLE)
    expected = net.query("warm", {"sky": "rain", "wind": 2})[True]
    for row in scalars(ROW):
        evidence = {"sky": row["sky"], "wind": row["wind"]}
        assert net.query("warm", evidence)[row["warm"]] == expected
        assert net.query(["sky", "warm"])[row["sky"], row["warm"]] == net.query(["sky", "warm"])["rain", True]
        assert net.probability(row) == net.probability(ROW)
        assert net.do({"wind": row["wind"]}).query("warm")[True] == net.do({"wind": 2}).query("warm")[True]
        soft = {"wind": {row["wind"]: 0.75, 1: 0.25}}
        assert (
            net.query("warm", likelihoods=soft)[True]
            == net.query("warm", likelihoods={"wind": {2: 0.75, 1: 0.25}})[True]
        )
        utility = {"go": {row["sky"]: 1.0, "sun": 0.0}}
        assert net.information("sky", utility=utility)[0].gain is not None
        assert net.sample(3, random_state=0, evidence={"sky": row["sky"]})["sky"].to_pylist() == ["rain"] * 3


def test_states_that_are_given():
    dag = db.DAG([("sky", "warm")])
    states = {"sky": pa.array(["fog", "rain", "sun"]), "warm": np.array([False, True])}
    net = db.BayesNet(dag).fit(TABLE, states=states)
    assert net.states == {"sky": ("fog", "rain", "sun"), "warm": (False, True)}
    made = db.BayesNet.from_tables(dag, states, {"sky": [0.2, 0.3, 0.5], "warm": [[0.5, 0.5]] * 3})
    assert made.query("warm", {"sky": "fog"})[True] == 0.5
