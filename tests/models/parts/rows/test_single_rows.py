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
