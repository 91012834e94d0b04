"""Negative binomial columns: sizes and probabilities against scipy's."""

import numpy as np
import pytest
from scipy import stats

import deciban as db
from deciban.errors import InputError
from deciban.tallies import Moments

WHOLE = np.random.default_rng(0).negative_binomial(2, 0.2, size=(90, 3)).astype(float)
Y = np.arange(90) % 3


def test_negative_binomial_is_scipys_after_one_more_row_of_the_column():
    # Class 0: 0, 4, 8 (mean 4, M = 32); class 1: 1, 1, 1. Column: mean 2.5, M = 45.5, variance 45.5/6.
    moments = Moments.of(np.full((2, 1), 3.0), np.array([[4.0], [1.0]]), np.array([[32.0], [0.0]]))
    likelihood = db.NegativeBinomial().estimate([moments])
    mean = (12 + 2.5) / 4
    variance = (32 + 45.5 / 6 + 1.5**2 * 3 / 4) / 4
    size = mean**2 / (variance - mean)
    x = np.arange(40.0)
    expected = stats.nbinom.logpmf(x, size, size / (size + mean))
    assert likelihood.sizes[0, 0] == pytest.approx(size)
    assert likelihood.column(0, x)[:, 0] == pytest.approx(expected, rel=1e-12)


def test_counts_that_vary_less_are_poisson():
    moments = Moments.of(np.array([[10.0], [10.0]]), np.array([[5.0], [5.0]]), np.array([[20.0], [5.0]]))
    x = np.arange(20.0)
    narrow = db.NegativeBinomial().estimate([moments]).column(0, x)
    assert np.array_equal(narrow, db.Poisson().estimate([moments]).column(0, x))


@pytest.mark.parametrize("size", [1e-6, 0.3, 99.0, 101.0, 1e5])
def test_sizes_of_any_magnitude_agree_with_scipy(size):
    n, mean = 1e12, 50.0
    moments = Moments.of(np.array([[n]]), np.array([[mean]]), np.array([[n * (mean + mean**2 / size)]]))
    likelihood = db.NegativeBinomial().estimate([moments])
    x = np.array([0.0, 1.0, 40.0, 3000.0])
    assert likelihood.column(0, x)[:, 0] == pytest.approx(stats.nbinom.logpmf(x, size, size / (size + mean)), rel=1e-6)


def test_what_is_no_count_is_refused_in_fit_and_impossible_later():
    with pytest.raises(InputError, match="not whole"):
        db.NaiveBayes(db.NegativeBinomial(), weights=None).fit([[0.5], [1]], [0, 1])
    model = db.NaiveBayes(db.NegativeBinomial(), weights=None).fit(WHOLE, Y)
    assert np.isneginf(model.evidence([[0.5, -1.0, 2.0]]).columns[0, :2]).all()
