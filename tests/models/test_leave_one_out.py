"""Leaving one out of the tally is refitting without it."""

import numpy as np
import pandas as pd
import pytest

import deciban as db
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
        {"unseen": "ignore"},
    ],
    ids=str,
)
def test_it_is_what_refitting_gives(parameters):
    model = db.NaiveBayes(**parameters).fit(TABLE, Y)
    fast = model.loo_predict_proba(TABLE, Y)
    for i in range(N):
        rest = np.arange(N) != i
        refit = db.NaiveBayes(**parameters).partial_fit(TABLE[rest], Y[rest], classes=model.classes_)
        assert fast[i] == pytest.approx(refit.predict_proba(TABLE[i : i + 1])[0], abs=1e-9), i


def test_other_rows_are_refused():
    model = db.NaiveBayes().fit(TABLE, Y)
    with pytest.raises(DecibanError, match="the rows that the model was fitted on"):
        model.loo_predict_proba(TABLE[:10], Y[:10])
    with pytest.raises(DecibanError, match="no exact leave-one-out"):
        db.NaiveBayes({"still": db.Exponential()}).fit(TABLE, Y).loo_predict_proba(TABLE, Y)
