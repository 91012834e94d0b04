"""Leaving one out of the tally is refitting without it."""

import numpy as np
import pandas as pd
import pytest

import deciban as db
from deciban.decide.calibration import fit_calibration
from deciban.errors import DecibanError

rng = np.random.default_rng(0)
N = 40
TABLE = pd.DataFrame(
    {
        "sky": rng.choice(["sun", "rain", "snow"], N),
        "warm": np.where(rng.uniform(size=N) < 0.2, np.nan, rng.normal(15, 5, N)),
        "rare": ["once", *rng.choice(["a", "b"], N - 1)],
        "gap": np.where(rng.uniform(size=N) < 0.2, None, rng.choice(["x", "y"], N)),
        "still": np.full(N, 2.5),
    }
)
KINDS = {"warm": db.Binned(bins=4, how="frequency"), "still": db.Exponential(), "sky": db.Ignore()}
TIED = {"warm": db.Gaussian(tie="feature"), "still": db.Gaussian(tie="feature")}
Y = np.array(["lone", *rng.choice(["yes", "no"], N - 1)])


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"columns": db.Categorical()},
        {"smoothing": db.Jeffreys(), "priors": db.Laplace()},
        {"smoothing": db.MEstimate(2.0), "priors": "uniform"},
        {"columns": {"warm": db.Gaussian(tie="class"), "still": db.Ignore()}},
        {"missing": "state"},
        {"missing": "state", "columns": KINDS},
        {"columns": db.Categorical(smoothing=db.MLE()), "priors": "uniform"},
        {"columns": TIED},
        {"unseen": "ignore"},
    ],
    ids=str,
)
def test_it_is_what_refitting_gives(parameters):
    model = db.NaiveBayes(**parameters, weights=None).fit(TABLE, Y)
    fast = model.loo_predict_proba(TABLE, Y)
    for i in range(N):
        rest = np.arange(N) != i
        refit = db.NaiveBayes(**parameters, weights=None).partial_fit(TABLE[rest], Y[rest], classes=model.classes_)
        assert fast[i] == pytest.approx(refit.predict_proba(TABLE[i : i + 1])[0], abs=1e-9), i


def test_other_rows_are_refused():
    model = db.NaiveBayes().fit(TABLE, Y)
    with pytest.raises(DecibanError, match="the rows that the model was fitted on"):
        model.loo_predict_proba(TABLE[:10], Y[:10])
    with pytest.raises(DecibanError, match="with the weights they had"):
        model.loo_predict_proba(TABLE, Y, sample_weight=np.full(N, 0.5))
    with pytest.raises(DecibanError, match="the rows that the model was fitted on"):
        model.loo_predict_proba(TABLE, np.where(Y == "no", "new", Y))


@pytest.mark.parametrize("parameters", [{}, {"missing": "state", "columns": KINDS}, {"priors": db.Laplace()}], ids=str)
def test_a_row_takes_its_weight_along(parameters):
    weights = rng.choice([0.0, 0.5, 1.0, 2.5], N)
    weights[:2] = 1.0
    model = db.NaiveBayes(**parameters, weights=None).fit(TABLE, Y, weights)
    fast = model.loo_predict_proba(TABLE, Y, sample_weight=weights)
    for i in range(N):
        rest = np.arange(N) != i
        refit = db.NaiveBayes(**parameters, weights=None).partial_fit(
            TABLE[rest], Y[rest], model.classes_, weights[rest]
        )
        assert fast[i] == pytest.approx(refit.predict_proba(TABLE[i : i + 1])[0], abs=1e-9), i


@pytest.mark.parametrize("kind", [db.Kernel(), db.Binned(how="mdl"), db.Poisson(), db.Bernoulli()], ids=str)
def test_every_schema_is_calibrated_by_rows_left_out(kind):
    """A row's own label must not vouch for it."""
    x = np.arange(40.0) % 23
    y = rng.integers(0, 2, 40)
    model = db.NaiveBayes(kind, missing="state").fit({"x": x}, y)
    left_out = model.loo_predict_proba({"x": x}, y)
    assert np.mean(left_out[np.arange(40), y]) < np.mean(model.predict_proba({"x": x})[np.arange(40), y])
    assert np.isfinite(model.calibrate({"x": x}, y).predict_proba({"x": x})).all()


def test_a_model_of_weighted_rows_is_calibrated_as_on_other_rows():
    weights = np.where(Y == "yes", 0.5, 2.0)
    model = db.NaiveBayes().fit(TABLE, Y, weights)
    plain = model.predict_proba(TABLE)
    expected = fit_calibration("temperature", plain, np.searchsorted(model.classes_, Y))
    assert model.calibrate(TABLE, Y).calibration_ == expected


def test_some_of_the_rows_are_left_out_as_in_all_of_them():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 200)
    table = pd.DataFrame({"n": rng.normal(y), "b": rng.normal(size=200), "s": rng.choice(list("ab"), 200)})
    kinds = {"n": db.Gaussian(), "b": db.Cut(at=[-1, 0, 1]), "s": db.Categorical()}
    model = db.NaiveBayes(kinds).fit(table, y)
    whole = model._left_out_likelihood(model._features(table), y.astype(np.int32), np.ones(200))
    some = np.flatnonzero(np.arange(200) % 7 == 0)
    found = model._left_out_likelihood(model._features(table.iloc[some]), y[some].astype(np.int32), np.ones(len(some)))
    assert found == pytest.approx(whole[some], abs=1e-9)


@pytest.mark.parametrize("priors", [{"ill": 0.01, "well": 0.99}, "uniform"], ids=str)
@pytest.mark.parametrize(
    "kind",
    [db.NaiveBayes, db.KDB, db.Discriminant, db.CountForest, db.AutoBayes, db.TAN, db.AODE, db.BayesNetClassifier],
)
def test_given_priors_change_only_the_priors(kind, priors):
    """A user who names the base rate of new rows gets P(c | x)·P'(c) / P(c): what is learned does not undo it."""
    draws = np.random.default_rng(1)
    is_ill = draws.random(150) < 0.4
    rows = {name: draws.normal(is_ill * 1.5, 1.0).round(1) for name in "abc"}
    y = np.where(is_ill, "ill", "well")
    plain, given = kind().fit(rows, y), kind(priors=priors).fit(rows, y)
    joint = plain.predict_proba(rows) * given.class_prior_ / plain.class_prior_
    assert given.predict_proba(rows) == pytest.approx(joint / joint.sum(axis=1, keepdims=True), abs=1e-9)
