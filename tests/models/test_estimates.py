"""The estimates of naive Bayes: their parts sum to the whole."""

import numpy as np
import pytest

import deciban as db
from deciban.models.naive_bayes import Estimates
from deciban.read import read_table

TABLE = {"sky": ["sun", "rain", "sun", None], "warm": [20.5, 9.0, 18.5, 11.0]}
Y = ["play", "stay", "play", "stay"]


@pytest.mark.parametrize("weights", [None, {"sky": 0.5}])
def test_columns_sum_to_the_likelihood_of_the_row(weights):
    model = db.NaiveBayes().fit(TABLE, Y)
    settings = {"smoothing": db.Laplace(), "priors": "uniform", "weights": weights}
    estimates = Estimates.of(model.tally_, model._form, **settings)
    data = read_table(TABLE)
    np.testing.assert_allclose(estimates.columns(data).sum(axis=1), estimates.likelihood(data))
    np.testing.assert_allclose(np.exp(estimates.prior), [0.5, 0.5])
    assert estimates.weights.tolist() == ([1.0, 1.0] if weights is None else [0.5, 1.0])
