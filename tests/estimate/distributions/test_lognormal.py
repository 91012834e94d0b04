"""A log-normal column is a Gaussian of the logarithms."""

import numpy as np
import pytest
from scipy import stats

import deciban as db
from tests.estimate.samples import SIZES, Y, by_hand, log_likelihood


@pytest.mark.parametrize("strength", [0.0, 10.0])
def test_lognormal(strength):
    model = db.NaiveBayes(db.LogNormal(strength=strength), weights=None).fit({"s": SIZES}, Y)
    mean, variance = by_hand(np.log(SIZES)[:, None], Y, "none", strength)
    expected = stats.lognorm.logpdf(SIZES[:, None], s=np.sqrt(variance[:, 0]), scale=np.exp(mean[:, 0]))
    np.testing.assert_allclose(log_likelihood(model, {"s": SIZES}), expected, rtol=1e-12)
