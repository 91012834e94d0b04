"""A categorical column: smoothed frequencies, and a share for labels that fit never saw."""

import numpy as np

import deciban as db
from tests.estimate.samples import Y, log_likelihood


def test_categorical():
    model = db.NaiveBayes(db.Categorical(), weights=None).fit({"c": list("aabbbbc")}, Y)
    expected = np.log([[3 / 6, 1 / 7], [1 / 6, 2 / 7], [1 / 6, 1 / 7]])
    np.testing.assert_allclose(log_likelihood(model, {"c": ["a", "c", "hail"]}), expected, rtol=1e-12)
