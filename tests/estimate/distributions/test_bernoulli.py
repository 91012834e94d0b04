"""A Bernoulli column: present or absent, with two states even where one never occurs."""

import numpy as np
import pytest
from scipy import stats

import deciban as db
from tests.estimate.samples import COUNTS, Y, log_likelihood


@pytest.mark.parametrize("values", [COUNTS > 3, np.where(COUNTS > 3, 2.5, 0.0)])
def test_bernoulli(values):
    model = db.NaiveBayes(db.Bernoulli(smoothing=db.Jeffreys()), weights=None).fit({"b": values}, Y)
    present = [((COUNTS > 3)[j == Y].sum() + 0.5) / ((j == Y).sum() + 1) for j in (0, 1)]
    expected = stats.bernoulli.logpmf((COUNTS > 3)[:, None].astype(int), present)
    np.testing.assert_allclose(log_likelihood(model, {"b": values}), expected, rtol=1e-12)


def test_bernoulli_has_two_states_though_only_one_occurs():
    model = db.NaiveBayes(db.Bernoulli(threshold=3), weights=None).fit({"b": [1, 2, 3]}, [0, 0, 1])
    expected = np.log([[3 / 4, 2 / 3], [1 / 4, 1 / 3]])
    np.testing.assert_allclose(log_likelihood(model, {"b": [3, 4]}), expected, rtol=1e-12)
