"""Means and variances by hand, and scikit-learn's floor, which learning in parts must not change."""

import numpy as np
import pytest
from scipy import stats

import deciban as db
from deciban.estimate.distributions.gaussian import estimate_gaussian, log_norms
from deciban.tallies import Moments

# Class 0: 1, 3 (mean 2, M = 2); class 1: 5 (mean 5, M = 0). All: mean 3, M = 8, variance 8/3.
MOMENTS = Moments.of(np.array([[2.0], [1.0]]), np.array([[2.0], [5.0]]), np.array([[2.0], [0.0]]))


def test_means_and_variances_by_hand():
    found = estimate_gaussian(MOMENTS, var_smoothing=0.3)
    assert found.floor == pytest.approx(0.3 * 8 / 3)
    assert found.mean.ravel().tolist() == [2.0, 5.0]
    assert found.variance.ravel() == pytest.approx([1.0 + 0.8, 0.8])


def test_a_variance_is_never_zero():
    assert (estimate_gaussian(MOMENTS, var_smoothing=0.0).variance > 0).all()


def test_the_constant_of_the_density_is_scipys():
    assert log_norms(np.array([4.0]))[0] == pytest.approx(stats.norm.logpdf(0.0, scale=2.0))


def test_the_floor_is_that_of_all_rows_however_they_come():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)) * [1, 50, 1e-3], np.arange(60) % 2
    parts = db.GaussianNB()
    for rows in (slice(0, 7), slice(7, 60)):
        parts.partial_fit(X[rows], y[rows], classes=[0, 1])
    assert parts.var_ == pytest.approx(db.GaussianNB().fit(X, y).var_, rel=1e-12)
