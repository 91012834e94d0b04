"""Poisson and exponential columns are scipy's, after one more row of the whole column."""

import numpy as np
import pytest
from scipy import stats

import deciban as db
from deciban.errors import InputError
from tests.estimate.samples import COUNTS, SIZES, Y, drawn_means, log_likelihood


def test_poisson():
    model = db.NaiveBayes(db.Poisson(), weights=None).fit({"n": COUNTS}, Y)
    expected = stats.poisson.logpmf(COUNTS[:, None], drawn_means(COUNTS))
    np.testing.assert_allclose(log_likelihood(model, {"n": COUNTS}), expected, rtol=1e-12)


def test_exponential():
    model = db.NaiveBayes(db.Exponential(), weights=None).fit({"t": SIZES}, Y)
    expected = stats.expon.logpdf(SIZES[:, None], scale=drawn_means(SIZES))
    np.testing.assert_allclose(log_likelihood(model, {"t": SIZES}), expected, rtol=1e-12)


@pytest.mark.parametrize("kind", [db.Poisson(), db.Exponential(), db.LogNormal()])
def test_numbers_that_no_class_can_make_leave_the_prior(kind):
    model = db.NaiveBayes(kind, weights=None).fit({"n": COUNTS + 1}, Y)
    assert model.predict_proba({"n": [-1.0]})[0] == pytest.approx([3 / 7, 4 / 7])


@pytest.mark.parametrize("kind", [db.Poisson(), db.Exponential()])
def test_negative_numbers_are_named(kind):
    with pytest.raises(InputError, match=r"column 'n' \(row 2\)"):
        db.NaiveBayes(kind, weights=None).fit({"n": [1, 2, -3]}, [0, 1, 1])
