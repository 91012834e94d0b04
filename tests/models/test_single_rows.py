"""A single row gets what it would get in a table."""

import pickle

import numpy as np
import pandas as pd
import pytest

import deciban as db
from deciban.errors import ColumnMismatchError, InputError, UnfittedError, UnseenStateError

rng = np.random.default_rng(0)
N = 80
TABLE = pd.DataFrame(
    {
        "sky": rng.choice(["sun", "rain", "?"], N),
        "warm": np.where(rng.uniform(size=N) < 0.1, np.nan, rng.normal(15, 5, N)),
        "calls": rng.poisson(3, N) * 7,
        "wet": rng.uniform(size=N) < 0.5,
        "size": rng.exponential(size=N) + 0.1,
        "wait": rng.exponential(size=N),
        "id": np.arange(N),
    }
)
Y = rng.choice(["yes", "no", "maybe"], N)
KINDS = {
    "calls": db.Poisson(),
    "wet": db.Bernoulli(),
    "size": db.LogNormal(),
    "wait": db.Exponential(),
    "id": db.Ignore(),
}


@pytest.mark.parametrize("missing", ["skip", "state"])
@pytest.mark.parametrize("markers", [(), ("?",)])
def test_one_row_is_a_table_of_one_row(missing, markers):
    model = db.NaiveBayes(KINDS, missing=missing, na_values=markers).fit(TABLE, Y)
    rows = TABLE.to_dict("records")
    single = np.array([list(model.predict_proba_one(row).values()) for row in rows])
    assert single == pytest.approx(model.predict_proba(TABLE), abs=1e-12)
    assert [model.predict_one(row) for row in rows] == model.predict(TABLE).tolist()


def test_what_a_row_does_not_name_is_missing():
    model = db.NaiveBayes(KINDS).fit(TABLE, Y)
    assert list(model.predict_proba_one({}).values()) == pytest.approx(model.class_prior_)
    with pytest.raises(ColumnMismatchError, match="there is no column 'rain'"):
        model.predict_one({"rain": 1})


def test_rules_and_rejection_hold_for_one_row_too():
    for parameters in ({"rule": "ml"}, {"reject": 0.6}, {"loss": [[0, 1, 5], [1, 0, 1], [9, 1, 0]]}):
        model = db.NaiveBayes(KINDS, **parameters).fit(TABLE, Y)
        assert [model.predict_one(row) for row in TABLE.to_dict("records")] == model.predict(TABLE).tolist()


def test_bad_values():
    model = db.NaiveBayes(KINDS, unseen="error").fit(TABLE, Y)
    with pytest.raises(UnseenStateError, match="'hail'"):
        model.predict_one({"sky": "hail"})
    with pytest.raises(InputError, match="not a number"):
        model.predict_one({"warm": "hot"})
    with pytest.raises(InputError, match="infinity"):
        model.predict_one({"warm": float("inf")})
    with pytest.raises(UnfittedError):
        db.NaiveBayes().predict_one({})


def test_learning_renews_what_single_rows_get():
    model = db.NaiveBayes(KINDS).fit(TABLE, Y)
    before = model.predict_proba_one({"sky": "sun"})
    model.partial_fit(TABLE.assign(sky="sun"), np.full(N, "yes"))
    assert model.predict_proba_one({"sky": "sun"}) != before
    again = pickle.loads(pickle.dumps(model))  # noqa: S301  our own
    assert again.predict_proba_one({"sky": "sun"}) == model.predict_proba_one({"sky": "sun"})


def test_learning_many_rows_is_one_fit():
    """All distributions, missing values, unseen labels, new classes and weights of columns, in one stream."""
    kinds = {
        **KINDS,
        "sky": db.Categorical(missing="state"),
        "warm": db.Gaussian(missing="state"),
        "cool": db.Gaussian(tie="both"),
        "bins": db.Binned(how="mdl", missing="state"),
        "few": db.Binned(how="frequency", bins=4),
        "cut": db.Cut(at=[10, 20]),
        "shape": db.Kernel(),
    }
    table = pd.concat([TABLE, TABLE.sample(frac=1, random_state=1), TABLE], ignore_index=True)
    for i, name in enumerate(("cool", "bins", "few", "cut", "shape")):
        table[name] = np.roll(table["warm"], 7 * i).round(i % 2)
    table.loc[150:, "sky"] = rng.choice(["fog", "sun", "hail"], len(table) - 150)
    y = np.where(table.index < 100, np.tile(Y, 3), rng.choice(["yes", "no", "maybe", "later"], len(table)))
    weights = {"sky": 0.5, "bins": 0.25, "shape": 0.75, "cool": 0.0}
    parameters = {"weights": weights, "na_values": ["?"], "missing": "skip"}
    model = db.NaiveBayes(kinds, **parameters).fit(table[:20], y[:20])
    for i, row in enumerate(table.to_dict("records")[20:], start=20):
        model.learn_one(row, y[i])
        if i % 5 == 0:
            found = model.predict_proba_one(row)
        if i % 20 == 0:
            whole = db.NaiveBayes(kinds, **parameters).fit(table[: i + 1], y[: i + 1])
            expected = dict(zip(whole.classes_.tolist(), whole.predict_proba(table[i : i + 1])[0], strict=True))
            assert found == pytest.approx(expected, abs=1e-12), i
            assert model.predict_one(row) == whole.predict(table[i : i + 1])[0]


def test_calibration_holds_for_one_row():
    model = db.NaiveBayes(KINDS).fit(TABLE, Y).calibrate(TABLE, Y)
    single = np.array([list(model.predict_proba_one(row).values()) for row in TABLE.to_dict("records")])
    assert single == pytest.approx(model.predict_proba(TABLE), abs=1e-12)
    assert [model.predict_one(row) for row in TABLE.to_dict("records")] == model.predict(TABLE).tolist()


def test_coded_columns_keep_their_states_until_a_row_is_learned():
    tally = db.CategoricalNB().fit([[0], [3], [3]], [0, 1, 1]).tally_
    model = db.NaiveBayes.from_tally(tally)
    for value in (0, 3, 7):
        assert list(model.predict_proba_one({"x0": value}).values()) == pytest.approx(model.predict_proba([[value]])[0])
    other = db.NaiveBayes.from_tally(tally).partial_fit([[np.nan]], [1])
    live = model.learn_one({"x0": None}, 1).predict_proba_one({"x0": 7})
    assert list(live.values()) == pytest.approx(other.predict_proba([[7]])[0])


def test_a_loss_may_be_a_matrix():
    loss = np.array([[0.0, 1.0], [9.0, 0.0]])
    model = db.NaiveBayes(loss=loss).fit({"sky": ["sun", "rain", "sun"]}, ["play", "stay", "stay"])
    assert model.predict_one({"sky": "sun"}) == model.predict({"sky": ["sun"]})[0] == "stay"
