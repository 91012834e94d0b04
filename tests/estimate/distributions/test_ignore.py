"""A column that is left out changes no posterior, whatever it holds, and may hold anything."""

import numpy as np

import deciban as db

TABLE = {"sky": ["sun", "sun", "rain", "rain"], "id": [object(), "x", None, 3.5]}
Y = ["no", "no", "yes", "yes"]


def test_an_ignored_column_says_nothing():
    model = db.NaiveBayes({"id": db.Ignore()}, weights=None).fit(TABLE, Y)
    alone = db.NaiveBayes(weights=None).fit({"sky": TABLE["sky"]}, Y)
    assert np.array_equal(model.predict_proba(TABLE), alone.predict_proba({"sky": TABLE["sky"]}))
    assert not model.evidence(TABLE).columns[:, 1].any()


def test_it_is_ignored_in_single_rows_too():
    model = db.NaiveBayes({"id": db.Ignore()}, weights=None).fit(TABLE, Y)
    model.learn_one({"sky": "rain", "id": "anything"}, "yes")
    assert model.predict_one({"sky": "rain", "id": 17}) == "yes"
    assert model.tally_.total == 5
